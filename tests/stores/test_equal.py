"""A fit to a file in blocks is the fit to the same numbers in memory."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from fewest import (
    FeatureSelectionConcave,
    Liknon,
    LiknonCV,
    PotentialSVC,
    RepetitiveSelector,
    SupportFeatureMachine,
    SupportFeatureMachineCV,
    UnionFeatureMachine,
    ZeroNormSVM,
)
from fewest.datasets import make_gaussian
from fewest.significance import run_held_out
from fewest.stores import open_store
from tests.memory import traced_memory
from tests.stores.writers import WRITERS, write_npy, write_parquet

PER_KIND = pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)


def draw(n=48, d=120, dtype=np.float32, seed=0):
    X, y = make_gaussian(n=n, d=d, k=3, mu=1.3, random_state=seed)
    X[np.abs(X) < 0.4] = 0.0
    X[:, 7] = 1.0
    return X.astype(dtype), y


def open_any(path, max_memory):
    labels = ["kind"] if path.suffix == ".parquet" else []
    return open_store(path, labels=labels, max_memory=max_memory)


def assert_same_fit(found, expected):
    np.testing.assert_array_equal(found.support_, expected.support_)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-6, atol=1e-9)
    for ours, theirs in zip(found.results_, expected.results_, strict=True):
        assert ours.steps[0].objective == pytest.approx(theirs.steps[0].objective, rel=1e-9)
        assert ours.gap < 1e-6


@PER_KIND
@pytest.mark.parametrize("max_memory", [2_000, 20_000, None])
def test_every_kind_of_file(write, max_memory, tmp_path):
    X, y = draw()
    store = open_any(write(tmp_path, X, y), max_memory)
    assert store.shape == X.shape
    for machine in (SupportFeatureMachine(C=np.inf), SupportFeatureMachine(C=1.0)):
        expected = type(machine)(C=machine.C).fit(X, y)
        found = type(machine)(C=machine.C).fit(store, y)
        assert_same_fit(found, expected)
        np.testing.assert_array_equal(found.predict(store), expected.predict(X))
        np.testing.assert_allclose(
            found.decision_function(store), expected.decision_function(X), rtol=1e-6, atol=1e-8
        )


MACHINES = [
    SupportFeatureMachine(C=0.5, standardize=False),
    SupportFeatureMachine(C=2.0, exclude=[0], feature_cost=2.0),
    SupportFeatureMachine(C=2.0, max_features=4),
    SupportFeatureMachineCV([0.3, 1.0], cv=3),
    ZeroNormSVM(),
    ZeroNormSVM(C=10.0),
    Liknon(C=0.1),
    UnionFeatureMachine(n_subsets=2),
    FeatureSelectionConcave(),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("machine", MACHINES, ids=repr)
@pytest.mark.parametrize("write", [WRITERS["npy"], WRITERS["h5ad csc"]], ids=["npy", "csc"])
def test_every_machine(machine, write, tmp_path):
    X, y = draw(seed=1)
    store = open_any(write(tmp_path, X, y), 20_000)
    expected = machine.fit(X, y)
    support, coef = expected.support_.copy(), np.copy(expected.coef_)
    found = machine.fit(store, y)
    np.testing.assert_array_equal(found.support_, support)
    np.testing.assert_allclose(found.coef_, coef, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("multi_class", ["joint", "separate"])
def test_many_classes_and_weights(multi_class, tmp_path):
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((60, 80)), np.repeat(["a", "b", "c"], 20)
    X[np.arange(60), np.repeat([4, 5, 6], 20)] += 4.0
    store = open_store(write_npy(tmp_path, X, y), max_memory=10_000)
    weight = rng.integers(0, 3, 60).astype(float)
    for settings in ({}, {"sample_weight": weight}):
        expected = SupportFeatureMachine(C=1.0, multi_class=multi_class).fit(X, y, **settings)
        found = SupportFeatureMachine(C=1.0, multi_class=multi_class).fit(store, y, **settings)
        np.testing.assert_array_equal(found.supports_, expected.supports_)
        np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("soft", [False, True])
def test_many_samples(soft, tmp_path):
    X, y = make_gaussian(n=900, d=60, k=4, mu=2.5 if soft else 6.0, random_state=4)
    store = open_store(write_npy(tmp_path, X, y), max_memory=50_000)
    C = 0.5 if soft else np.inf
    assert_same_fit(SupportFeatureMachine(C=C).fit(store, y), SupportFeatureMachine(C=C).fit(X, y))


def test_names_come_with_the_fit(tmp_path):
    X, y = draw()
    store = open_any(write_parquet(tmp_path, X, y), None)
    machine = SupportFeatureMachine(C=1.0).fit(store, store.read_label("kind"))
    assert machine.feature_names_in_[:2].tolist() == ["g0", "g1"]
    assert machine.classes_.tolist() == [f"k{one}" for one in np.unique(y)]
    other = open_any(write_npy(tmp_path, X[:, :-1], y), None)
    with pytest.raises(ValueError, match="X has 119 features, but SupportFeatureMachine is expec"):
        machine.predict(other)
    SupportFeatureMachine.fit(machine, open_any(write_npy(tmp_path, X, y), None), y)
    assert not hasattr(machine, "feature_names_in_")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_folds_keep_names_and_rules(n_jobs, tmp_path):
    X, y = draw()
    store = open_any(WRITERS["parquet"](tmp_path, X, y), 20_000)
    machine = SupportFeatureMachine(C=1.0, exclude=["g0"])
    found = run_held_out(machine, store, y, random_state=0, n_jobs=n_jobs)
    plain = SupportFeatureMachine(C=1.0, exclude=[0])
    expected = run_held_out(plain, X, y, random_state=0)
    for ours, theirs in zip(found.folds, expected.folds, strict=True):
        np.testing.assert_array_equal(ours.supports, theirs.supports)
        np.testing.assert_array_equal(ours.predicted, theirs.predicted)


@pytest.mark.parametrize("kind", ["parquet", "h5ad csr", "zarr"])
def test_classes_fitted_at_the_same_time(kind, tmp_path):
    rng = np.random.default_rng(6)
    X, y = rng.standard_normal((60, 40)), np.repeat([0, 1, 2], 20)
    X[np.arange(60), y] += 4.0
    store = open_any(WRITERS[kind](tmp_path, X, y), 5_000)
    found = SupportFeatureMachine(C=1.0, multi_class="separate", n_jobs=3).fit(store, y)
    expected = SupportFeatureMachine(C=1.0, multi_class="separate").fit(X, y)
    np.testing.assert_array_equal(found.supports_, expected.supports_)


def test_prediction_reads_the_selected_columns_only(tmp_path):
    X, y = draw(d=1000)
    machine = SupportFeatureMachine(C=1.0).fit(X, y)
    store = open_store(WRITERS["npy by columns"](tmp_path, X, y))
    machine.predict(store)
    assert store.source.n_values_read == len(y) * machine.support_.sum()


def test_few_passes_and_little_memory(tmp_path):
    X, y = make_gaussian(n=100, d=60_000, k=3, mu=1.5, random_state=5)
    X = X.astype(np.float32)
    store = open_store(write_npy(tmp_path, X, y), max_memory=2e6)
    SupportFeatureMachine(C=1.0).fit(X[:, :100], y)  # what is compiled or loaded once
    with traced_memory() as memory:
        SupportFeatureMachine(C=1.0).fit(store, y)
    assert store.n_passes < 25
    assert memory.peak < 0.6 * X.nbytes  # of which a dozen vectors over features are most


def test_a_store_travels_to_other_processes(tmp_path):
    X, y = draw()
    for name in ("npy", "h5ad", "h5ad csr", "zarr", "parquet"):
        store = open_any(WRITERS[name](tmp_path, X, y), None)
        store.take(np.array([0]))
        again = pickle.loads(pickle.dumps(store))
        np.testing.assert_array_equal(again.take(np.array([3, 1])), X[:, [3, 1]])


@pytest.mark.parametrize(
    "estimator",
    [LiknonCV(), RepetitiveSelector(), PotentialSVC(), SupportFeatureMachine(certify=True)],
    ids=repr,
)
def test_others_refuse_and_say_what_to_do(estimator, tmp_path):
    X, y = draw()
    store = open_store(write_npy(tmp_path, X, y))
    if getattr(estimator, "certify", False):
        estimator.set_params(C=np.inf)
    with pytest.raises(ValueError, match=r"in memory.*Use SupportFeatureMachine"):
        estimator.fit(store, y)


def test_labels_are_checked(tmp_path):
    X, y = draw()
    store = open_store(write_npy(tmp_path, X, y))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        SupportFeatureMachine().fit(store, y[:-1])
    with pytest.raises(ValueError, match="only one class"):
        SupportFeatureMachine().fit(store, np.zeros(len(y)))
    with pytest.raises(ValueError, match="constant"):
        SupportFeatureMachine().fit(open_store(write_npy(tmp_path, np.ones((48, 3)), y)), y)
