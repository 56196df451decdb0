"""Around the linear programs: what searches over C and repetitions take for very many samples."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import GaussianNB

from fewest import LiknonCV, SupportFeatureMachineCV
from fewest._estimators.tasks import Hyperplane
from fewest._solvers.columns import wrap_columns
from fewest._solvers.linear.reweight import minimize_zero_norm
from fewest._solvers.problem import support_feature_machine
from fewest.machines import _monitoring, _profile, liknon_cv, sfm_cv
from fewest.machines._discriminants import Discriminant, MonitoredPath
from fewest.machines.sfm import SupportFeatureMachine
from tests.memory import size_of, traced_memory

N, D = 8_000, 500
LAYOUTS = pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N)
    X = np.where(rng.random((N, D)) < 0.5, rng.standard_normal((N, D)), 0.0)
    X[:, :2] += y[:, None]
    return X.astype(np.float32), y


def solved_in_small(n):
    """The result of a small program, stretched to as many samples."""
    y = np.array([1.0, 1.0, -1.0, -1.0])
    small = minimize_zero_norm(support_feature_machine(y), wrap_columns(y[:, None] + np.zeros(2)))
    return replace(small, features=np.array([0]), w=np.ones(1), b=0.0, slack=np.zeros(n))


@LAYOUTS
def test_search_over_C_keeps_the_data_as_they_are(data, layout, monkeypatch):
    """One split at a time is copied, in its own type; the linear programs are left out here."""
    X, y = layout(data[0]), data[1]
    seen = []

    def follow(machine, task, Cs, n_subsets, failures):
        seen.append((sparse.issparse(task.columns.X), task.columns.X.dtype))
        plane = Hyperplane(solved_in_small(len(task.y)), np.ones(1), 0.0)
        return [[plane] for _ in Cs]

    def fit(machine, columns, codes, weight=None):
        seen.append((sparse.issparse(columns.X), columns.X.dtype))
        machine._keep(columns, [Hyperplane(solved_in_small(len(codes)), np.ones(1), 0.0)])
        return machine

    monkeypatch.setattr(sfm_cv, "follow_costs", follow)
    monkeypatch.setattr(SupportFeatureMachine, "_fit_columns", fit)
    search = SupportFeatureMachineCV([0.1, 1.0], n_subsets=1, cv=3)
    with traced_memory() as memory:
        search.fit(X, y)
    assert set(seen) == {(layout is not np.asarray, np.dtype(np.float32))}
    assert len(seen) == 4
    assert memory.peak < 1.2 * size_of(X) + 400 * N
    assert search.best_score_ > 0.6


def stand_in(self, X, y, codes, split):
    """A discriminant on the first two columns, whatever the split."""
    found = Discriminant(np.array([0, 1]), np.ones(2), -1.0, 1.0, 0.3)
    one = np.ones(1)
    return MonitoredPath(
        **vars(split),
        Cs=one,
        n_features=np.array([2]),
        ratios=one,
        monitoring_ber=0.3 * one,
        chosen=0,
        discriminant=found,
    )


@LAYOUTS
@pytest.mark.parametrize("outcome", ["profile", "best", "ensemble"])
def test_profiles_read_few_columns(data, layout, outcome, monkeypatch):
    X, y = layout(data[0]), data[1]
    monkeypatch.setattr(_monitoring.Monitor, "follow", stand_in)
    search = LiknonCV(cv=2, n_splits=1, outcome=outcome, classifier=GaussianNB())
    with traced_memory() as memory:
        search.fit(X, y)
    copies = 1.0 if layout is sparse.csc_matrix else 0.0  # rows are taken from a CSR matrix
    copies += 0.6 if outcome != "profile" else 0.0  # votes are of the rows of a fold
    assert memory.peak < (copies + 0.5) * size_of(X) + 300 * N
    assert np.flatnonzero(search.support_).tolist() == [0, 1]
    assert search.validation_ber_.max() < 0.35


def test_nearest_neighbours_are_looked_for_among_some(data, monkeypatch):
    X, y = data[0][:3000], data[1][:3000]
    monkeypatch.setattr(_monitoring.Monitor, "follow", stand_in)
    for module in (_profile, liknon_cv):
        monkeypatch.setattr(module, "MOST_KNOWN", 500)
    search = LiknonCV(cv=2, n_splits=1)
    with pytest.warns(UserWarning, match="among 500 of the 3,000 samples, drawn at random"):
        search.fit(X, y)
    assert search.classifier_.n_samples_fit_ == 500
    assert len(search._samples) == len(search._labels) == 500
    assert np.mean(search._labels) == pytest.approx(np.mean(y), abs=2e-3)
    assert np.mean(search.predict(X) == y) > 0.6


class Counting(GaussianNB):
    """Remembers how many samples it was fitted to."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None):
        self.seen.append(len(y))
        return super().fit(X, y, sample_weight)


def test_a_classifier_of_ones_own_is_fitted_to_all(data, monkeypatch):
    X, y = data[0][:3000], data[1][:3000]
    monkeypatch.setattr(_monitoring.Monitor, "follow", stand_in)
    for module in (_profile, liknon_cv):
        monkeypatch.setattr(module, "MOST_KNOWN", 500)
    Counting.seen.clear()
    LiknonCV(cv=2, n_splits=1, classifier=Counting()).fit(X, y)
    assert set(Counting.seen) == {1500, 3000}


def test_thresholds_are_chosen_on_some_samples(data, monkeypatch):
    X, y = data[0][:3000], data[1][:3000]
    monkeypatch.setattr(_profile, "MOST_KNOWN", 500)
    Counting.seen.clear()
    frequency = np.zeros(D)
    frequency[:3] = 1.0, 0.7, 0.3
    how = (frequency, Counting(), X, y, None, 0)
    threshold, support = _profile.choose_features("auto", *how)
    assert set(Counting.seen) == {400}
    assert support[:2].all()
    assert 0.3 < threshold <= 0.7
