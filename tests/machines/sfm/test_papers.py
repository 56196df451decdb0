"""Numbers of the papers that take seconds; the larger tables are in `make reproduce`."""

import numpy as np

from fewest import SupportFeatureMachine
from fewest.datasets import make_gaussian


def test_leukemia_two_genes(real_data):
    data = real_data("leukemia")
    train = data["split"] == "train"
    X, y = data["X"], data["y"]
    machine = SupportFeatureMachine(C=np.inf, refit=None).fit(X[train], y[train])
    assert machine.support_.sum() == 2
    assert "Zyxin" in data["gene_name"][machine.support_]
    assert np.sum(machine.predict(X[~train]) != y[~train]) == 6
    refitted = SupportFeatureMachine(C=np.inf).fit(X[train], y[train])
    np.testing.assert_array_equal(refitted.support_, machine.support_)
    assert refitted.score(X[train], y[train]) == 1.0


def test_soft_machine_finds_the_informative_features():
    errors, shares = [], []
    for seed in range(20):
        X, y = make_gaussian(n=500, d=200, k=10, mu=0.3, random_state=seed)
        X_test, y_test = make_gaussian(n=5000, d=200, k=10, mu=0.3, random_state=500 + seed)
        machine = SupportFeatureMachine(C=0.34).fit(X, y)
        errors.append(1 - machine.score(X_test, y_test))
        shares.append(np.mean(np.flatnonzero(machine.support_) < 10))
    assert np.mean(errors) <= 0.19  # Bayes: 0.171
    assert np.mean(shares) >= 0.8
