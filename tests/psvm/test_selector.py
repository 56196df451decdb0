"""PotentialSelector: ranking, path and stability."""

import numpy as np
import pytest
from sklearn.linear_model import lasso_path
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from fewest import PotentialSelector
from fewest.datasets import make_gaussian, make_modes
from fewest.psvm import potential_path
from fewest.psvm.selector import repeat_selection


@pytest.fixture
def genes():
    return make_gaussian(n=80, d=500, k=3, mu=1.0, random_state=0)


def unit(X):
    centred = X - X.mean(axis=0)
    return centred / np.linalg.norm(centred, axis=0)


def test_so_many_features(genes):
    X, y = genes
    for count in (1, 3, 12):
        selector = PotentialSelector(count).fit(X, y)
        assert selector.transform(X).shape == (80, count)
        assert len(selector.ranking_) >= count
        weights = np.abs(selector.coef_[0])
        assert weights[selector.support_].min() >= weights[~selector.support_].max()
        assert np.all(np.diff(weights[selector.ranking_]) <= 0)
    assert PotentialSelector(3).fit(X, y).get_support(indices=True).tolist() == [0, 1, 2]
    assert PotentialSelector().fit(X, y).support_.sum() == 10
    assert PotentialSelector().fit(X[:, :4], y).support_.sum() == 4


def test_epsilon_decides_alone_or_together_with_a_number(genes):
    X, y = genes
    all_of_them = PotentialSelector(epsilon=2.0).fit(X, y)
    assert all_of_them.epsilon_ == 2.0
    np.testing.assert_array_equal(all_of_them.support_, all_of_them.coef_[0] != 0)
    best = PotentialSelector(2, epsilon=2.0).fit(X, y)
    np.testing.assert_array_equal(best.ranking_, all_of_them.ranking_)
    assert sorted(best.get_support(indices=True)) == sorted(all_of_them.ranking_[:2])


def test_the_path_is_that_of_the_lasso(genes):
    X, y = genes
    path = potential_path(X, y, n_epsilons=8, tol=1e-10)
    target = y - y.mean()
    _, expected, _ = lasso_path(
        unit(X), target, alphas=path.epsilons / len(y), tol=1e-12, max_iter=100_000
    )
    np.testing.assert_allclose(path.coefs[:, 0], expected.T, atol=1e-4)
    assert path.epsilons[0] == pytest.approx(np.abs(unit(X).T @ target).max())
    assert path.n_features[0] == 0
    assert path.n_features[1] > 0
    assert path.gaps.max() <= 1e-10


def test_given_epsilons_and_a_bound(genes):
    X, y = genes
    path = potential_path(X, y, epsilons=[0.5, 3.0, 1.0], C=0.4)
    assert path.epsilons.tolist() == [3.0, 1.0, 0.5]
    assert np.abs(path.coefs).max() == 0.4


def test_a_regression_and_three_classes(genes):
    X, _ = genes
    y = X[:, 7] - 2 * X[:, 30]
    assert PotentialSelector(2).fit(X, y).get_support(indices=True).tolist() == [7, 30]
    whole = np.round(5 * y).astype(int)
    chosen = PotentialSelector(2, task="regression").fit(X, whole)
    assert chosen.get_support(indices=True).tolist() == [7, 30]
    assert chosen.coef_.shape == (1, 500)
    three = np.digitize(X[:, 5], [-0.5, 0.5])
    by_class = PotentialSelector(1).fit(X, three)
    assert by_class.coef_.shape == (3, 500)
    assert by_class.get_support(indices=True).tolist() == [5]


def test_stability_ranks_by_frequency_then_strength():
    weights = {0: [0, 4.0, 2.0, 0], 1: [0, 1.0, 2.0, 1.0], 2: [0, 3.0, 0, 0]}
    runs = iter(range(3))
    seen = []

    def select(rows):
        seen.append(rows)
        return np.array(weights[next(runs)])

    found = repeat_selection(
        select, np.repeat([0, 1], [12, 8]), 4, 3, 0.75, np.random.RandomState(0)
    )
    np.testing.assert_allclose(found.frequency, [0, 1, 2 / 3, 1 / 3])
    np.testing.assert_allclose(found.strength, [0, (1 + 0.5 + 1) / 3, (0.5 + 1) / 3, 0.5 / 3])
    assert found.ranking.tolist() == [1, 2, 3]
    assert found.n_selected.tolist() == [2, 3, 1]
    for rows in seen:  # three quarters of each class, none twice
        assert len(np.unique(rows)) == 15
        assert np.sum(rows < 12) == 9
    assert not np.array_equal(seen[0], seen[1])


def test_the_stability_protocol(genes):
    X, y = genes
    selector = PotentialSelector(3, n_runs=6, random_state=0).fit(X, y)
    assert set(selector.ranking_[:3]) == {0, 1, 2}
    assert np.all(selector.stability_.n_selected == 3)
    again = PotentialSelector(3, n_runs=6, random_state=0).fit(X, y)
    np.testing.assert_array_equal(selector.ranking_, again.ranking_)
    half = PotentialSelector(epsilon=3.0, n_runs=4, random_state=0).fit(X, y)
    np.testing.assert_array_equal(half.support_, half.stability_.frequency >= 0.5)
    numbers = PotentialSelector(1, n_runs=4, random_state=0).fit(X, X[:, 9])
    assert numbers.ranking_[0] == 9


def test_before_a_classifier():
    X, y = make_modes(n=300, d=200, random_state=0)
    model = make_pipeline(PotentialSelector(15), SVC(kernel="linear", C=0.1))
    assert model.fit(X[:150], y[:150]).score(X[150:], y[150:]) > 0.75


def test_fewer_than_asked_for_are_found(genes):
    X, y = genes
    few = np.column_stack([X[:, :3], np.ones((80, 2))])
    with pytest.warns(UserWarning, match="constant") as caught:
        PotentialSelector(5).fit(few, y)
    assert "2 of 5 column(s) of the matrix are constant" in str(caught[0].message)
    assert "only 3 feature(s) have a weight, although 5 were asked for" in str(caught[1].message)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_features": 0}, "n_features must be a whole number"),
        ({"n_features": 501}, r"n_features=501, but X has only 500 feature\(s\)"),
        ({"epsilon": -1.0}, "epsilon must be a number of at least zero"),
        ({"C": -1.0}, "C must be a positive number"),
        ({"task": "ranking"}, "task must be one of 'auto', 'classification', 'regression'"),
        ({"n_runs": -1}, "n_runs must be a whole number"),
        ({"subsample": 1.5}, "subsample must be a number between 0 and 1; got 1.5"),
    ],
)
def test_bad_parameters(parameters, message, genes):
    with pytest.raises(ValueError, match=message):
        PotentialSelector(**parameters).fit(*genes)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"epsilons": []}, "epsilons must be a list of one or more numbers"),
        ({"epsilons": [-1.0]}, "each of epsilons must be a number of at least zero"),
        ({"n_epsilons": 0}, "n_epsilons must be a whole number"),
    ],
)
def test_bad_paths(parameters, message, genes):
    with pytest.raises(ValueError, match=message):
        potential_path(*genes, **parameters)


def test_nothing_to_follow():
    X = np.array([[1.0, 0], [1, 1], [0, 0], [0, 1]])
    y = np.array([0, 1, 1, 0])
    with pytest.raises(ValueError, match="no feature is correlated with y"):
        potential_path(X, y)
    with pytest.raises(ValueError, match="only one class"):
        PotentialSelector().fit(X, np.zeros(4))
