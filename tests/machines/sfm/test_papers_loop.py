"""The loop of Klement & Martinetz (2010, 2013) as they write it, with dense programs in linprog.

Samples are standardised and scaled to norm one, the class means are two apart (a mean margin of
one for equal classes), and every program multiplies the columns by the weights found so far.
"""

import numpy as np
import pytest
from scipy.optimize import linprog

from fewest import SupportFeatureMachine
from fewest.datasets import make_gaussian


def solve_scaled(X, y, cost, distance):
    """Weights and slacks of min |w|_1 + cost . xi, with the class means `distance` apart."""
    n, d = X.shape
    rows = np.hstack([-y[:, None] * X, y[:, None] * X, -y[:, None], -np.eye(n)])
    means = X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0)
    equality = np.concatenate([means, -means, np.zeros(1 + n)])[None]
    found = linprog(
        np.concatenate([np.ones(2 * d), [0.0], cost]),
        A_ub=rows,
        b_ub=np.zeros(n),
        A_eq=equality,
        b_eq=[distance],
        bounds=[(0, None)] * (2 * d) + [(None, None)] + [(0, None)] * n,
        method="highs",
    )
    assert found.status == 0
    w = found.x[:d] - found.x[d : 2 * d]
    return np.where(np.abs(w) > 1e-9, w, 0.0), found.x[2 * d + 1 :]


def run_papers_loop(X, y, cost, distance):
    """Support and zero-norm objective after z <- z * w, with a constant cost of slacks."""
    z = np.ones(X.shape[1])
    for _ in range(20):
        w, slack = solve_scaled(X * z, y, cost, distance)
        last, z = z, z * w
        if np.allclose(last, z, rtol=1e-6, atol=1e-12):
            break
    return np.flatnonzero(z), np.count_nonzero(z) + cost[slack > 1e-9].sum()


def select_as_papers(X, y, C, scale_samples=True):
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    if scale_samples:
        Z /= np.sqrt(np.mean(np.sum(Z**2, axis=1)))
    sizes = np.where(y > 0, np.sum(y > 0), np.sum(y < 0))
    cost = C * len(y) / (2 * sizes)
    both = [run_papers_loop(Z, y, cost, distance) for distance in (2.0, -2.0)]
    return min(both, key=lambda found: found[1])


@pytest.mark.parametrize("C", [0.2, 0.34, 1.0, 3.0])
@pytest.mark.parametrize("share", [0.5, 0.3])
def test_selects_what_the_papers_loop_selects(C, share):
    for seed in range(4):
        X, y = make_gaussian(n=60, d=25, k=4, mu=0.5, positive_fraction=share, random_state=seed)
        support, objective = select_as_papers(X, y, C)
        machine = SupportFeatureMachine(C=C, refit=None).fit(X, y)
        assert machine.get_support(indices=True).tolist() == support.tolist()
        assert machine.result_.zero_norm_objective == pytest.approx(objective)


@pytest.mark.parametrize("C", [0.5, 2.0])
def test_slacks_reweighted_too(C):
    """Every slack costs C for its last value; a sample without one has none in the next program."""
    for seed in range(4):
        X, y = make_gaussian(n=60, d=25, k=4, mu=0.5, random_state=seed)
        Z = (X - X.mean(axis=0)) / X.std(axis=0)
        found = []
        for distance in (1.0, -1.0):
            z, cost = np.ones(25), np.full(60, C / np.sqrt(25))
            for _ in range(20):
                w, slack = solve_scaled(Z * z, y, cost, distance)
                slack[slack < 1e-9] = 0.0
                last, z = z, z * w
                cost = np.where(slack > 0, C / np.where(slack > 0, slack, 1.0), 1e6)
                if np.allclose(last, z, rtol=1e-6, atol=1e-12):
                    break
            found.append((np.count_nonzero(z) + C * np.count_nonzero(slack), np.flatnonzero(z)))
        objective, support = min(found, key=lambda one: one[0])
        machine = SupportFeatureMachine(C=C, reweight="both", refit=None).fit(X, y)
        assert machine.get_support(indices=True).tolist() == support.tolist()
        assert machine.result_.zero_norm_objective == pytest.approx(objective)


@pytest.mark.parametrize("C", [0.2, 1.0])
def test_columns_of_unit_variance_in_the_first_program(C):
    for seed in range(4):
        X, y = make_gaussian(n=60, d=25, k=4, mu=0.5, random_state=seed)
        support, _ = select_as_papers(X, y, C, scale_samples=False)
        machine = SupportFeatureMachine(C=C, refit=None, scale_samples=False).fit(X, y)
        assert machine.get_support(indices=True).tolist() == support.tolist()


def test_the_published_repetitions_on_leukemia(real_data):
    # Klement's thesis (2013), fig. 4.17: sizes of ten subsets, hard and soft, and test errors.
    from fewest import RepetitiveSelector

    data = real_data("leukemia")
    X, y, train = data["X"], data["y"], data["split"] == "train"
    hard = SupportFeatureMachine(C=np.inf, constraint="mean_margin", refit=None)
    costs = {"ALL": 1.0, "AML": 27 / 11}
    soft = SupportFeatureMachine(C=1.0, class_weight=costs, refit=None, scale_samples=False)
    found = {}
    for name, machine in (("hard", hard), ("soft", soft)):
        found[name] = RepetitiveSelector(machine, n_subsets=10).fit(X[train], y[train])
    assert found["hard"].sizes_.tolist() == [3, 1, 3, 4, 2, 3, 2, 3, 3, 3]
    assert found["soft"].sizes_.tolist() == [1, 1, 2, 1, 1, 1, 2, 3, 1, 2]
    sign = np.where(y[~train] == "AML", 1, -1)
    subsets = found["soft"]
    planes = zip(subsets.subsets_, subsets.coefs_, subsets.intercepts_, strict=True)
    errors = [np.mean(np.sign(X[~train][:, s] @ w + b) != sign) for s, w, b in planes]
    published = [0.24, 0.09, 0.21, 0.35, 0.18, 0.29, 0.24, 0.12, 0.06, 0.15]
    np.testing.assert_allclose(errors, published, atol=0.006)
