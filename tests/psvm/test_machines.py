"""PotentialSVC and PotentialSVR: what they minimise, what they need, what they refuse."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import lsq_linear
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_predict

from fewest import PotentialSVC, PotentialSVR


@pytest.fixture
def matrix():
    """40 samples measured against 25 objects; two of these carry the class."""
    rng = np.random.default_rng(0)
    K = rng.standard_normal((40, 25)) * rng.uniform(0.1, 10, 25) + rng.uniform(-5, 5, 25)
    z = (K - K.mean(axis=0)) / K.std(axis=0)
    return K, np.where(z[:, 4] - z[:, 9] + 0.3 * rng.standard_normal(40) > 0.4, "b", "a")


def unit(K):
    centred = K - K.mean(axis=0)
    return centred / np.linalg.norm(centred, axis=0)


def test_agrees_with_the_lasso_without_a_bound(matrix):
    K, y = matrix
    signs = np.where(y == "b", 1.0, -1.0)
    machine = PotentialSVC(C=np.inf, epsilon=1.0, kernel="precomputed", tol=1e-12).fit(K, y)
    lasso = Lasso(alpha=1.0 / len(y), tol=1e-14, max_iter=100_000, fit_intercept=False)
    lasso.fit(unit(K), signs - signs.mean())
    np.testing.assert_allclose(machine.coef_[0], lasso.coef_, atol=1e-5)
    assert machine.intercept_ == pytest.approx([signs.mean()])
    expected = unit(K) @ lasso.coef_ + signs.mean()
    np.testing.assert_allclose(machine.decision_function(K), expected, atol=1e-5)


def test_agrees_with_bounded_least_squares_without_epsilon():
    rng = np.random.default_rng(3)
    K, y = rng.standard_normal((60, 15)), rng.standard_normal(60) + 5.0
    machine = PotentialSVR(C=0.7, epsilon=0.0, kernel="precomputed", tol=1e-12).fit(K, y)
    expected = lsq_linear(unit(K), y - y.mean(), (-0.7, 0.7), tol=1e-14).x
    np.testing.assert_allclose(machine.coef_, expected, atol=1e-5)
    assert np.sum(np.abs(machine.coef_) == 0.7) > 2
    assert machine.intercept_ == pytest.approx(y.mean())
    assert machine.result_.gap <= 1e-12


def test_columns_may_be_scaled_and_shifted(matrix):
    K, y = matrix
    rng = np.random.default_rng(5)
    moved = K * rng.uniform(0.01, 100, 25) - rng.uniform(-9, 9, 25)
    one, two = (PotentialSVC(kernel="precomputed", tol=1e-10).fit(X, y) for X in (K, moved))
    np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-5)
    np.testing.assert_allclose(one.decision_function(K), two.decision_function(moved), atol=1e-5)


def test_only_the_support_features_need_to_be_measured(matrix):
    K, y = matrix
    machine = PotentialSVC(C=np.inf, epsilon=2.0, kernel="precomputed").fit(K, y)
    used = machine.support_features_
    assert set(used) >= {4, 9}
    assert len(used) < 10
    partly = np.full_like(K, np.nan)
    partly[:, used] = K[:, used]
    np.testing.assert_array_equal(machine.predict(partly), machine.predict(K))
    partly[3, used[0]] = np.nan
    with pytest.raises(ValueError, match=r"column\(s\) of support features \(4\).*to be measured"):
        machine.predict(partly)
    K = K.copy()
    K[0, 0] = np.nan  # when fitting, everything is needed
    with pytest.raises(ValueError, match="Input X contains NaN"):
        machine.fit(K, y)


def test_row_objects_of_any_kind(matrix):
    K, y = matrix
    as_matrix = PotentialSVC(kernel="precomputed", tol=1e-10).fit(K, y)
    as_vectors = PotentialSVC(kernel="linear", row_objects=np.eye(25), tol=1e-10).fit(K, y)
    np.testing.assert_allclose(as_vectors.coef_, as_matrix.coef_, atol=1e-5)
    kept = as_vectors.support_row_objects_
    np.testing.assert_array_equal(kept, np.eye(25)[as_vectors.support_features_])
    assert as_vectors.n_row_objects_ == 25


def test_integers_and_sparse_matrices_are_taken_as_they_are(matrix):
    K, y = matrix
    whole = np.round(K).astype(np.int32)
    expected = PotentialSVC(kernel="precomputed").fit(whole.astype(float), y).coef_
    for X in (whole, sparse.csr_matrix(whole), sparse.csc_matrix(whole.astype(np.float32))):
        machine = PotentialSVC(kernel="precomputed").fit(X, y)
        np.testing.assert_allclose(machine.coef_, expected, atol=1e-4)
        assert machine.predict(X).shape == y.shape


def test_three_classes_are_three_machines(matrix):
    K, _ = matrix
    y = np.array(["u", "v", "w"])[np.digitize(unit(K)[:, 2], [-0.05, 0.08])]
    machine = PotentialSVC(kernel="precomputed").fit(K, y)
    assert machine.decision_function(K).shape == (40, 3)
    assert machine.coef_.shape == (3, 25)
    for row, label in enumerate("uvw"):
        alone = PotentialSVC(kernel="precomputed").fit(K, y == label)
        np.testing.assert_allclose(machine.coef_[row], alone.coef_[0], atol=1e-5)
        assert machine.intercept_[row] == pytest.approx(2 * np.mean(y == label) - 1)
    np.testing.assert_array_equal(
        machine.support_features_, np.flatnonzero(machine.supports_.any(axis=0))
    )


def test_refit_frees_the_weights_of_epsilon(matrix):
    K, y = matrix
    shrunken = PotentialSVC(C=np.inf, epsilon=2.5, kernel="precomputed").fit(K, y)
    free = clone(shrunken).set_params(refit=True).fit(K, y)
    used = shrunken.support_features_
    np.testing.assert_array_equal(free.support_features_, used)
    signs = np.where(y == "b", 1.0, -1.0)
    expected = np.linalg.lstsq(unit(K)[:, used], signs - signs.mean(), rcond=None)[0]
    np.testing.assert_allclose(free.coef_[0, used], expected, atol=1e-4)
    assert np.abs(free.coef_).sum() > np.abs(shrunken.coef_).sum()
    bounded = clone(free).set_params(C=2.0).fit(K, y)
    assert np.abs(bounded.coef_).max() <= 2.0


def test_no_support_feature_at_a_large_epsilon(matrix):
    K, y = matrix
    for refit in (False, True):
        machine = PotentialSVC(epsilon=50.0, kernel="precomputed", refit=refit).fit(K, y)
        assert len(machine.support_features_) == 0
        assert set(machine.predict(K)) == {"a"}  # the larger class
    rbf = PotentialSVR(epsilon=50.0).fit(K, y == "b")
    np.testing.assert_allclose(rbf.predict(K), np.mean(y == "b"))


def pairwise():
    rng = np.random.default_rng(7)
    y = np.repeat([0, 1], 15)
    X = rng.standard_normal((30, 2)) + 2.0 * y[:, None]
    return 5.0 - np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=-1)), y


def test_folds_leave_out_columns_where_they_are_the_samples():
    S, y = pairwise()
    machine = PotentialSVC(kernel="precomputed", row_objects="samples")
    assert machine.__sklearn_tags__().input_tags.pairwise
    expected = []
    for out in range(30):
        rest = np.delete(np.arange(30), out)
        inner = clone(machine).fit(S[np.ix_(rest, rest)], y[rest])
        expected.append(inner.predict(S[[out]][:, rest])[0])
    found = cross_val_predict(machine, S, y, cv=LeaveOneOut())
    np.testing.assert_array_equal(found, expected)


def test_folds_keep_columns_of_their_own(matrix):
    K, y = matrix
    machine = PotentialSVC(C=np.inf, kernel="precomputed")
    assert not machine.__sklearn_tags__().input_tags.pairwise
    assert not PotentialSVC().__sklearn_tags__().input_tags.pairwise
    search = GridSearchCV(machine, {"epsilon": [0.5, 3.0]}, cv=4).fit(K, y)
    assert search.best_score_ > 0.7


def test_constant_columns_are_ignored_with_a_warning(matrix):
    K, y = matrix
    expected = PotentialSVC(kernel="precomputed").fit(K, y)
    wider = np.insert(K, [0, 7], 3.0, axis=1)
    message = r"2 of 27 column\(s\) of the matrix are constant \(number 0, 8, counted from 0\)"
    with pytest.warns(UserWarning, match=message) as caught:
        machine = PotentialSVC(kernel="precomputed").fit(wider, y)
    assert caught[0].filename == __file__
    np.testing.assert_allclose(np.delete(machine.coef_, [0, 8], axis=1), expected.coef_, atol=1e-5)
    assert np.all(np.isinf(machine.scale_[[0, 8]]))
    with pytest.raises(ValueError, match=r"all 3 feature\(s\) of X are constant"):
        PotentialSVC(kernel="precomputed").fit(np.ones((40, 3)), y)


def test_an_unfinished_solve_warns(matrix):
    K, y = matrix
    machine = PotentialSVR(epsilon=1e-4, C=np.inf, tol=1e-14, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="closed only to a relative gap"):
        machine.fit(K, y == "b")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"epsilon": -0.1}, "epsilon must be a number of at least zero; got -0.1"),
        ({"epsilon": np.inf}, "epsilon must be a number of at least zero; got inf"),
        ({"epsilon": True}, "epsilon must be a number of at least zero; got True"),
        ({"C": 0}, "C must be a positive number, or np.inf for no bound; got 0"),
        ({"tol": 0}, "tol must be a positive number"),
        ({"max_iter": 0}, "max_iter must be a whole number"),
        ({"refit": "margin"}, "refit must be True or False; got 'margin'"),
        ({"row_objects": "columns"}, "row_objects must be None, 'samples', an array .*'columns'"),
        (
            {"kernel": "precomputed", "row_objects": np.eye(2)},
            "with kernel='precomputed' the columns of X are the row objects",
        ),
        (
            {"kernel": "precomputed", "row_objects": "samples"},
            r"row_objects='samples' needs a square matrix, but X has shape \(40, 25\)",
        ),
        ({"row_objects": np.eye(3)}, "row_objects have 3 features, but the samples have 25"),
        ({"row_objects": np.full((2, 25), np.nan)}, "Input row_objects contains NaN"),
    ],
)
def test_bad_parameters(parameters, message, matrix):
    with pytest.raises(ValueError, match=message):
        PotentialSVC(**parameters).fit(*matrix)


def test_another_number_of_columns(matrix):
    K, y = matrix
    machine = PotentialSVC(kernel="precomputed").fit(K, y)
    message = r"X has 24 features, but PotentialSVC is expecting 25 .* may be NaN"
    with pytest.raises(ValueError, match=message):
        machine.predict(K[:, :24])
    with pytest.raises(ValueError, match="X has 24 features, but PotentialSVR is expecting 25"):
        PotentialSVR().fit(K, y == "b").predict(K[:, :24])


def test_one_class_is_not_enough(matrix):
    K, y = matrix
    with pytest.raises(ValueError, match="only one class: 'a'"):
        PotentialSVC().fit(K, np.full(len(y), "a"))


def test_a_fit_without_doubts_is_silent(matrix):
    K, y = matrix
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PotentialSVC(kernel="precomputed").fit(K, y).predict(K)
        PotentialSVR().fit(K, y == "b").predict(K)
