"""Points scores: exhaustive searches, plain loops over scikit-learn, and invariances."""

import json
import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, log_loss, roc_auc_score
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fewest import SupportFeatureMachine
from fewest.panels import _points_fit as fit
from fewest.panels import points_score
from fewest.panels._points_text import show_number
from fewest.significance import run_held_out

FOLDS = StratifiedKFold(3, shuffle=True, random_state=1)


def make_data(n=60, d=6, seed=0, shift=1.5):
    """Column 0 is higher in the sick, column 1 lower, and the others say nothing."""
    rng = np.random.default_rng(seed)
    y = np.array(["healthy", "sick"])[(rng.random(n) < 0.4).astype(int)]
    X = rng.standard_normal((n, d))
    X[y == "sick", 0] += shift
    X[y == "sick", 1] -= shift
    return X, y


@pytest.fixture(scope="module")
def score():
    return points_score(*make_data(), [0, 1, 2], random_state=0, cv=FOLDS)


def line_loss(totals, codes):
    """Smallest cross-entropy with Platt's targets, by scipy; the slope is not negative."""
    ones, zeros = codes.sum(), len(codes) - codes.sum()
    target = np.where(codes == 1, (ones + 1) / (ones + 2), 1 / (zeros + 2))

    def loss(parameters):
        logits = parameters[0] + parameters[1] * totals
        return np.sum(np.logaddexp(0, logits) - target * logits)

    found = minimize(
        loss, [0.0, 0.1], bounds=[(None, None), (0, None)], method="L-BFGS-B", tol=1e-14
    )
    return found.fun


@pytest.mark.parametrize("seed", range(2))
def test_points_are_the_best_of_all_scales(seed):
    X, y = make_data(n=40, d=3, seed=seed, shift=0.8)
    codes = (y == "sick").astype(int)
    found = fit.fit_points(X, codes, 2)
    above = fit.mark_above(X, found.cuts)
    weights = LogisticRegression(tol=1e-12, max_iter=1000).fit(above, codes).coef_[0]
    scales = np.arange(0.001, 2.49 / np.abs(weights).max(), 0.001)
    reached = {tuple(np.rint(scale * weights).astype(int)) for scale in scales}
    losses = {points: line_loss(above @ np.array(points), codes) for points in reached}
    own = line_loss(above @ found.points, codes)
    assert own == pytest.approx(min(losses.values()), abs=1e-5)
    sizes = [np.abs(p).sum() for p, loss in losses.items() if loss < own + 1e-6]
    assert np.abs(found.points).sum() <= min(sizes)
    # Rounding costs little beside the best of all whole numbers.
    best = min(line_loss(above @ np.array(p), codes) for p in product(range(-2, 3), repeat=3))
    assert best - 1e-6 <= own <= best + 0.5


def peer_loss(side, offset, codes):
    """Smallest penalised loss of an intercept and the weight of one side, by scipy."""

    def measure(p):
        logits = offset + p[0] + p[1] * side
        return np.sum(np.logaddexp(0, logits) - codes * logits) + p[1] ** 2 / 2

    return minimize(measure, [0.0, 0.0], tol=1e-10).fun


def test_losses_of_cuts_beside_a_peer():
    X, y = make_data(n=30, seed=4)
    codes = (y == "sick").astype(float)
    offset = np.random.default_rng(0).choice([-1.0, 0.3, 2.0], 30)
    cuts = np.array(fit.list_cuts(X[:, 0]))
    losses = fit.measure_cuts(X[:, 0], cuts, offset, codes)
    expected = [peer_loss(X[:, 0] > cut, offset, codes) for cut in cuts]
    np.testing.assert_allclose(losses, expected, atol=1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_no_other_cut_of_a_feature_is_better(seed):
    X, y = make_data(n=30, d=3, seed=seed, shift=0.8)
    codes = (y == "sick").astype(int)
    cuts, weights = fit.choose_cuts(X, codes)
    above = fit.mark_above(X, cuts)
    peer = LogisticRegression(tol=1e-12, max_iter=1000).fit(above, codes)
    np.testing.assert_allclose(weights, peer.coef_[0], atol=1e-4)
    for j in range(3):
        offset = peer.decision_function(above) - above[:, j] * weights[j]
        own = peer_loss(above[:, j], offset, codes)
        for cut in fit.list_cuts(X[:, j]):
            assert own <= peer_loss(X[:, j] > cut, offset, codes) + 1e-4


@pytest.mark.parametrize("scale", [1e-7, 1.0, 1e5])
def test_rounded_cuts_keep_every_sample_on_its_side(scale):
    rng = np.random.default_rng(0)
    for column in (rng.standard_normal(50) * scale, rng.integers(0, 4, 50) * scale + 1e6):
        values = np.unique(column)
        for cut in fit.list_cuts(column):
            place = np.searchsorted(values, cut)
            low, high = values[place - 1], values[place]
            assert low < cut < high
            assert abs(cut - (low + high) / 2) <= (high - low) / 4 * (1 + 1e-9)
            assert np.array_equal(column > float(show_number(cut)), column >= high)


def test_cuts_are_short_numbers():
    assert fit.round_between(3.02, 3.17) == 3.1
    assert fit.round_between(-0.4, 0.5) == 0.0
    assert math.copysign(1.0, fit.round_between(-0.4, 0.3)) == 1.0
    assert fit.round_between(1234.0, 1789.0) == 1500.0
    assert fit.round_between(2.0, 3.0) == 2.5
    next_one = np.nextafter(1.0, 2.0)
    assert 1.0 <= fit.round_between(1.0, next_one) < next_one
    assert [show_number(value) for value in (3.0, 0.25, 1e-7)] == ["3", "0.25", "1e-07"]


def test_scaling_and_shifting_change_no_points(score):
    X, y = make_data()
    moved = points_score(X * 40.0 + 7.0, y, [0, 1, 2], random_state=0, cv=FOLDS)
    assert [one.points for one in moved.features] == [one.points for one in score.features]
    np.testing.assert_array_equal(moved.points(X * 40.0 + 7.0), score.points(X))
    assert moved.intercept == pytest.approx(score.intercept, abs=0.2)  # other cuts in inner folds


def test_the_other_class_has_opposite_points(score):
    X, y = make_data()
    other = points_score(X, y, [0, 1, 2], random_state=0, cv=FOLDS, positive="healthy")
    assert [one.points for one in other.features] == [-one.points for one in score.features]
    assert [one.cut for one in other.features] == [one.cut for one in score.features]
    assert any(one.points for one in score.features)
    np.testing.assert_allclose(other.predict_proba(X), score.predict_proba(X), atol=1e-6)
    np.testing.assert_array_equal(other.predict(X), score.predict(X))
    assert other.classes == score.classes
    assert other.held_out.brier == pytest.approx(score.held_out.brier, abs=1e-6)


def test_equal_weights_have_equal_points_at_every_scale():
    weights = np.array([1.0, -1.0 - 1e-12, 1.0 - 1e-12, 0.3])
    found = [points.tolist() for points in fit.list_roundings(weights, 3)]
    assert [0, 0, 0, 0] in found
    assert [3, -3, 3, 1] in found
    assert all(one[0] == -one[1] == one[2] for one in found)
    assert len(found) == 4  # 0 0 0 0, 1 1 1 0, 2 2 2 1, 3 3 3 1: no common divisors


@pytest.mark.parametrize("with_groups", [False, True])
def test_held_out_measures_beside_a_plain_loop(with_groups):
    X, y = make_data(n=50, shift=1.0)
    groups = np.arange(50) // 2 if with_groups else None
    cv = GroupKFold(3) if with_groups else FOLDS
    given = {"random_state": 3, "max_points": 4}
    score = points_score(X, y, [1, 0, 4], cv=cv, groups=groups, **given)
    risks, predicted = np.empty((2, 50)), np.empty((2, 50), dtype=object)
    for train, test in cv.split(X, y, groups):
        own = None if groups is None else groups[train]
        everything = [(np.arange(len(train)),) * 2]
        one = points_score(X[train], y[train], [1, 0, 4], groups=own, cv=everything, **given)
        risks[0, test] = one.predict_proba(X[test])[:, 1]
        predicted[0, test] = one.predict(X[test])
        model = make_pipeline(StandardScaler(), LogisticRegression())
        model.fit(X[train][:, [1, 0, 4]], y[train])
        risks[1, test] = model.predict_proba(X[test][:, [1, 0, 4]])[:, 1]
        share = np.mean(y[train] == "sick")
        predicted[1, test] = np.where(risks[1, test] >= share, "sick", "healthy")
    found = score.held_out, score.held_out_of_classifier
    for measures, risk, labels in zip(found, risks, predicted, strict=True):
        expected = 1 - balanced_accuracy_score(y, labels.astype(str))
        assert measures.balanced_error == pytest.approx(expected)
        assert measures.brier == pytest.approx(brier_score_loss(y == "sick", risk))
        assert measures.log_loss == pytest.approx(log_loss(y == "sick", risk))
        assert measures.auc == pytest.approx(roc_auc_score(y == "sick", risk))
    assert score.loss.brier == pytest.approx(found[0].brier - found[1].brier)
    assert score.loss.auc == pytest.approx(found[1].auc - found[0].auc)
    assert score.loss.balanced_error == pytest.approx(score.loss_of_balanced_error.value)
    assert score.n_groups == (25 if with_groups else None)


def test_the_card_says_what_the_score_does(score):
    X, y = make_data()
    by_hand = np.zeros(len(y), dtype=int)
    for one in score.features:
        by_hand += one.points * (X[:, one.column] > one.cut)
    np.testing.assert_array_equal(score.points(X), by_hand)
    table = {row.total: row for row in score.table}
    risk = score.predict_proba(X)
    np.testing.assert_allclose(risk[:, 1], [table[total].risk for total in by_hand])
    np.testing.assert_allclose(risk.sum(axis=1), 1.0)
    np.testing.assert_array_equal(score.predict(X) == "sick", by_hand >= score.limit)
    assert sum(row.n_samples for row in score.table) == len(y)
    some = table[by_hand[0]]
    assert some.observed == np.mean(y[by_hand == by_hand[0]] == "sick")
    risks = [row.risk for row in score.table]
    assert risks == sorted(risks)
    assert table[score.limit].risk >= np.mean(y == "sick")
    assert all(row.risk < score.share for row in score.table if row.total < score.limit)
    assert expit(score.intercept + score.slope * some.total) == pytest.approx(some.risk)


def test_text_and_page(score):
    text, page = str(score), score.to_html()
    first = score.features[0]
    assert f"feature 0 above {show_number(first.cut)}: {first.points:+d} points" in text
    assert f"Predicted as sick: {score.limit} or more" in text
    assert "The panel was the same in all folds" in text
    assert "Left out, because they would have no points" not in text
    assert max(map(len, text.splitlines())) <= 100
    for part in ("Points for sick", f"above {show_number(first.cut)}", "logistic", "Risk of sick"):
        assert part.lower() in page.lower()
    assert "<script" not in page
    assert "http" not in page
    shown = json.loads(score.to_json())
    assert shown["features"][0]["points"] == first.points
    assert len(shown["table"]) == len(score.table)


def test_names_are_escaped_and_read_from_tables():
    X, y = make_data()
    table = pd.DataFrame(X, columns=["<b>&", "x", "y", "z", "u", "v"])
    score = points_score(table, y, ["<b>&", "x"], cv=2, random_state=0)
    assert "&lt;b&gt;&amp;" in score.to_html()
    assert "<b>" not in score.to_html()
    part = table[["x", "<b>&"]]
    np.testing.assert_array_equal(score.predict(part), score.predict(X))
    with pytest.raises(ValueError, match="that the data do not have: x"):
        score.points(table[["<b>&", "z"]])


def test_sparse_samples_count_alike():
    X, y = make_data()
    X[np.abs(X) < 0.5] = 0.0
    dense = points_score(X, y, [0, 1], cv=2, random_state=0)
    other = points_score(sparse.csr_array(X), y, [0, 1], cv=2, random_state=0)
    assert dense == other
    np.testing.assert_array_equal(dense.points(X), other.points(sparse.csc_array(X)))


def test_constant_features_have_no_points():
    X, y = make_data()
    X[:, 2] = 3.0
    score = points_score(X, y, [0, 2], cv=2, random_state=0)
    assert score.features[1].cut is None
    assert score.features[1].points == 0
    assert "no points: feature 2" in str(score)
    assert "no points: feature 2" in score.to_html()
    alone = points_score(X, y, [2], cv=2, random_state=0)
    assert alone.limit is None
    assert set(alone.predict(X)) == {"healthy"}
    assert "No limit" in str(alone)


def test_risks_of_noise_stay_near_the_share():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 5)), rng.integers(0, 2, 200)
    score = points_score(X, y, range(5), cv=2, random_state=0)
    codes = y == score.classes[1]
    raw = fit.fit_points(X, codes.astype(int), 5)
    assert score.calibrated
    assert score.slope < 0.5 * raw.slope
    assert abs(score.held_out.brier - 0.25) < 0.02


def test_separated_classes_have_risks_inside_zero_and_one():
    X, y = make_data(shift=9.0)
    score = points_score(X, y, [0, 1], cv=3, random_state=0)
    assert score.held_out.balanced_error == 0.0
    assert 0.0 < score.table[0].risk < 0.05
    assert 0.95 < score.table[-1].risk < 1.0


def test_a_class_too_small_to_correct_risks_is_reported():
    X, y = make_data(n=12)
    y[:] = "healthy"
    y[:2] = "sick"
    X[:2, 0] += 5.0
    with pytest.warns(UserWarning, match="2 folds instead of 5"):
        score = points_score(X, y, [0], random_state=0)
    assert score.calibrated  # of two folds; training parts of one sick sample are not
    rows = np.arange(1, 12)
    assert not fit.fit_calibrated(
        X[rows][:, :1], (y[rows] == "sick").astype(int), None, 5, 0
    ).calibrated


def test_whole_numbers_stay_within_the_limit():
    X, y = make_data(n=80, d=4)
    for most in (1, 2):
        points = [
            one.points for one in points_score(X, y, range(4), max_points=most, cv=2).features
        ]
        assert max(map(abs, points)) <= most


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": np.arange(60) % 3}, "tells two classes apart, but y has 3"),
        ({"y": np.zeros(60)}, "at least two classes"),
        ({"max_points": 0}, "max_points must be"),
        ({"max_points": 2.5}, "max_points must be"),
        ({"positive": "ill"}, "positive is 'ill', but the classes are 'healthy' and 'sick'"),
        ({"features": []}, "the panel is empty"),
        ({"features": [9]}, "X has the columns 0 to 5"),
        ({"features": ["g9"], "feature_names": list("abcdef")}, "do not have: g9"),
        ({"cv": 1}, "at least two folds"),
    ],
)
def test_bad_input(change, message):
    X, y = make_data()
    given = {"X": X, "y": y, "features": [0, 1]} | change
    with pytest.raises(ValueError, match=message):
        points_score(given.pop("X"), given.pop("y"), given.pop("features"), **given)


def test_large_panels_and_other_columns_are_refused(score):
    X = np.random.default_rng(0).standard_normal((60, 30))
    with pytest.raises(ValueError, match="30 features are too many to add up"):
        points_score(X, make_data()[1], range(30))
    with pytest.raises(ValueError, match="X has 30 columns, but the score was made from 6 columns"):
        score.predict(X)
    with pytest.raises(ValueError, match="no rows and columns"):
        score.predict(X[0])
    with pytest.raises(ValueError, match="NaN"):
        score.predict(np.full((2, 6), np.nan))


def test_folds_of_one_class_are_refused():
    X, y = make_data()
    rows = np.flatnonzero(y == "sick")[:5]
    split = [(np.setdiff1d(np.arange(60), rows), rows)]
    with pytest.raises(ValueError, match="samples of one class only"):
        points_score(X, y, [0], cv=split)


def test_folds_of_a_method_that_chooses_another_panel_are_refused():
    X, y = make_data(n=60, shift=1.0)
    chooser = SupportFeatureMachine(max_features=1)
    chosen = np.flatnonzero(chooser.fit(X, y).support_)
    held_out = run_held_out(chooser, X, y, random_state=0)
    assert points_score(X, y, chosen, held_out=held_out).chosen_in_folds
    other = [int(np.setdiff1d(np.arange(X.shape[1]), chosen)[0])]
    with pytest.raises(ValueError, match="chooses other features on these samples"):
        points_score(X, y, other, held_out=held_out)
