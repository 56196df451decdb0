"""The compiled support vector machine against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, LeaveOneGroupOut
from sklearn.svm import SVC

from fewest._solvers.svm import class_weights, decisions_along_costs, solve
from fewest.informative._probe import COSTS, Fold, predict_nested

TIGHT = 1e-9
MANY = 200_000


def _samples(seed, n_plus, n_minus, d, shift=0.3):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.ones(n_plus), -np.ones(n_minus)])
    Z = rng.standard_normal((len(y), d)) + shift * y[:, None] * (rng.random(d) < 0.2)
    unseen = rng.standard_normal((7, d))
    return Z @ Z.T / d, y, unseen @ Z.T / d


def _decisions(K, y, K_test, costs):
    """Decisions on samples beside those of K."""
    n, m = len(y), len(K_test)
    whole = np.zeros((n + m, n + m))
    whole[:n, :n], whole[n:, :n] = K, K_test
    labels = np.append(y, np.ones(m))
    rows = np.arange(n), np.arange(n, n + m)
    return decisions_along_costs(whole, labels, *rows, costs, tol=TIGHT, most_steps=MANY)


def _peer(K, y, C):
    return SVC(kernel="precomputed", C=C, class_weight="balanced", tol=1e-10).fit(K, y)


@pytest.mark.parametrize(
    ("seed", "n_plus", "n_minus", "d"),
    [(0, 20, 20, 200), (1, 30, 12, 200), (2, 5, 25, 60), (3, 2, 2, 30), (4, 40, 40, 1000)],
)
def test_decisions_are_those_of_scikit_learn(seed, n_plus, n_minus, d):
    K, y, K_test = _samples(seed, n_plus, n_minus, d)
    ours = _decisions(K, y, K_test, COSTS)
    for C, decisions in zip(COSTS, ours, strict=True):
        theirs = _peer(K, y, C).decision_function(K_test)
        spread = np.ptp(theirs)
        np.testing.assert_allclose(decisions - decisions[0], theirs - theirs[0], atol=1e-5 * spread)
        # Where all samples are at their bounds, rounding decides whether one is free to the peer.
        if n_plus == n_minus or C >= 1.0:
            np.testing.assert_allclose(decisions, theirs, atol=1e-5 * spread)


def test_threshold_at_small_costs_is_in_the_middle():
    K, y, K_test = _samples(1, 30, 12, 200)
    weights = class_weights(y)
    assert weights[y > 0].sum() == pytest.approx(weights[y < 0].sum())
    scores = K @ (weights * y)
    middle = (scores[y > 0].max() + scores[y < 0].min()) / 2.0
    (decisions,) = _decisions(K, y, K_test, np.array([1e-6]))
    np.testing.assert_allclose(decisions, 1e-6 * (K_test @ (weights * y) - middle), rtol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_inseparable_samples_reach_the_same_objective(seed):
    K, y, _ = _samples(seed, 25, 20, 5)
    weights = class_weights(y)
    for C in (0.1, 1.0, 10.0, 100.0):
        b = np.zeros(len(y))
        _, converged = solve(K, y, C * weights, b, 1e-8, MANY)
        assert converged
        assert abs(b.sum()) < 1e-9 * C * len(y)
        assert np.all((b * y >= 0.0) & (b * y <= C * weights))
        peer = _peer(K, y, C)
        theirs = np.zeros(len(y))
        theirs[peer.support_] = peer.dual_coef_[0]
        assert _objective(K, y, b) == pytest.approx(_objective(K, y, theirs), rel=1e-6)


def _objective(K, y, b):
    return b @ K @ b / 2.0 - y @ b


def test_correlated_features_need_the_jumps():
    rng = np.random.default_rng(0)
    common = rng.standard_normal((60, 4)) @ rng.standard_normal((4, 80)) * 3.0
    Z = common + 0.3 * rng.standard_normal((60, 80))
    y = np.where(np.arange(60) % 2, 1.0, -1.0)
    K = Z @ Z.T / np.mean(np.sum(Z * Z, axis=1))
    b = np.zeros(60)
    threshold, converged = solve(K, y, 1e6 * class_weights(y), b, 1e-6, 5000)
    assert converged
    margins = y * (K @ b + threshold)
    assert margins.min() == pytest.approx(1.0, abs=1e-5)
    assert b @ (y - K @ b) == pytest.approx(0.0, abs=1e-4 * abs(y @ b))  # complementary slackness


def test_out_of_reach_is_said():
    K, y, _ = _samples(0, 25, 20, 3, shift=0.0)
    assert not solve(K, y, 1e8 * class_weights(y), np.zeros(len(y)), TIGHT, 50)[1]


def test_larger_costs_of_a_hard_margin_are_not_solved_again():
    K, y, K_test = _samples(0, 10, 10, 300)
    decisions = _decisions(K, y, K_test, np.array([1e3, 1e4, 1e8]))
    np.testing.assert_array_equal(decisions[0], decisions[1])
    np.testing.assert_array_equal(decisions[0], decisions[2])


def test_nested_folds_choose_as_a_grid_search_does():
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(6), 6)
    y = np.tile([1.0, -1.0], 18)
    Z = rng.standard_normal((36, 60)) + 0.25 * y[:, None] * (rng.random(60) < 0.5)
    K = Z @ Z.T / 60
    training, test = np.flatnonzero(groups > 0), np.flatnonzero(groups == 0)
    predicted, place = predict_nested(K, y, Fold(training, test, groups[training] - 1), COSTS)
    search = GridSearchCV(
        SVC(kernel="precomputed", class_weight="balanced"), {"C": COSTS}, cv=LeaveOneGroupOut()
    ).fit(K[np.ix_(training, training)], y[training], groups=groups[training])
    # The first of the best, which is the smallest cost; our folds are equally large, as are theirs.
    assert COSTS[place] == search.best_params_["C"]
    assert 0 < place < len(COSTS) - 1
    np.testing.assert_array_equal(predicted, search.predict(K[np.ix_(test, training)]))
