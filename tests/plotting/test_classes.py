"""Features against many classes."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from fewest import SupportFeatureMachine
from fewest._estimators.panel import centre_weights, find_sides
from fewest.plotting import ClassWeightsDisplay, plot_class_matrix
from fewest.plotting._names import spread_places


@pytest.fixture
def ax():
    return Figure().subplots()


def shown(ax):
    return np.asarray(ax.images[0].get_array())


def names_at(ax, axis):
    return [text.get_text() for text in getattr(ax, f"get_{axis}ticklabels")()]


def test_centred_weights_predict_the_same_and_are_even():
    rng = np.random.default_rng(0)
    W, X = rng.standard_normal((5, 7)), rng.standard_normal((40, 7))
    centred = centre_weights(W)
    np.testing.assert_allclose(centred.max(axis=0), -centred.min(axis=0))
    np.testing.assert_array_equal(np.argmax(X @ W.T, axis=1), np.argmax(X @ centred.T, axis=1))


def test_sides_are_halves_of_the_largest_weight():
    speaks_for, against = find_sides(np.array([[2.0, 0.0], [1.0, 0.0], [0.9, 0.0], [-2.0, 0.0]]))
    assert speaks_for[:, 0].tolist() == [True, True, False, False]
    assert against[:, 0].tolist() == [False, False, False, True]
    assert not speaks_for[:, 1].any()
    assert not against[:, 1].any()


def test_rows_are_features_by_class(ax):
    values = np.array([[-1.0, 2.0, 0.1], [1.0, -2.0, 0.2], [0.5, 0.0, -0.2]])
    plot_class_matrix(values, classes=["x", "y", "z"], feature_names=["a", "b", "c"], ax=ax)
    assert names_at(ax, "y") == ["b", "a", "c"]
    assert names_at(ax, "x") == ["x", "y", "z"]
    np.testing.assert_array_equal(shown(ax), values.T[[1, 0, 2]])
    assert ax.images[0].get_clim() == (-2.0, 2.0)
    assert ax.texts[0].get_text() == "2.00"


def test_given_order(ax):
    plot_class_matrix(np.eye(3)[::-1], feature_names=["a", "b", "c"], sort=False, ax=ax)
    assert names_at(ax, "y") == ["a", "b", "c"]


def test_many_classes_have_slanted_names_and_no_numbers(ax):
    plot_class_matrix(np.random.default_rng(0).standard_normal((20, 4)), ax=ax)
    assert len(ax.texts) == 0
    assert {label.get_rotation() for label in ax.get_xticklabels()} == {45.0}


@pytest.mark.parametrize(
    ("values", "more", "message"),
    [
        (np.zeros((0, 3)), {}, "one row per class"),
        ([[np.nan, 1.0]], {}, "all finite"),
        (np.eye(3), {"classes": "ab"}, "2 names for 3 classes"),
        (np.eye(3), {"feature_names": "ab"}, "2 names for 3 features"),
    ],
)
def test_refusals(ax, values, more, message):
    with pytest.raises(ValueError, match=message):
        plot_class_matrix(values, **more, ax=ax)


@pytest.mark.parametrize("estimator", [SupportFeatureMachine(), LogisticRegression(max_iter=1000)])
def test_display_of_any_classifier_with_scores(ax, estimator):
    X, y = load_iris(return_X_y=True, as_frame=True)
    estimator.fit(X, y)
    display = ClassWeightsDisplay.from_estimator(estimator, X, ax=ax)
    used = np.flatnonzero(np.any(estimator.coef_ != 0, axis=0))
    assert display.feature_names == [X.columns[column] for column in used]
    scaled = estimator.coef_[:, used] * X.to_numpy()[:, used].std(axis=0)
    np.testing.assert_allclose(
        display.weights, scaled - (scaled.max(axis=0) + scaled.min(axis=0)) / 2
    )
    assert display.classes == [0, 1, 2]
    assert display.ax_ is ax


def test_display_refuses_two_classes_and_nothing():
    X, y = load_iris(return_X_y=True)
    two = SupportFeatureMachine().fit(X[y > 0], y[y > 0])
    with pytest.raises(ValueError, match="Draw them with WeightsDisplay"):
        ClassWeightsDisplay.from_estimator(two, X)


def test_names_stay_in_order_apart_and_on_the_axis():
    places = np.array([50.0, 97.0, 98.0, 99.0, 99.5])
    moved = spread_places(places, 100.0)
    assert moved[0] == 50.0
    assert np.diff(moved).min() >= 4.5 - 1e-9
    assert moved[-1] <= 100.0
    far = np.array([10.0, 50.0, 90.0])
    np.testing.assert_array_equal(spread_places(far, 100.0), far)
