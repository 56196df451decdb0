"""What the Support Feature Machine selects: hand-solved cases, limits and symmetries."""

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from fewest import SupportFeatureMachine
from fewest.datasets import make_gaussian, make_weston


def selected(machine):
    return np.flatnonzero(machine.support_).tolist()


def hard(**parameters):
    return SupportFeatureMachine(C=np.inf, **parameters)


def test_one_feature_that_separates_is_found_and_the_plane_is_halfway():
    X = np.array([[0.0, 5.0], [1.0, -5.0], [3.0, 5.0], [4.0, -5.0]])
    machine = hard().fit(X, [0, 0, 1, 1])
    assert selected(machine) == [0]
    # Margin one at the samples next to the plane: w = 1, b = -2 for x = 1 and x = 3.
    assert machine.coef_[0] == pytest.approx([1.0, 0.0])
    assert machine.intercept_[0] == pytest.approx(-2.0)


def test_without_refit_the_class_means_are_one_apart():
    X, y = make_weston(n=60, n_noise=200, random_state=3)
    machine = hard(refit=None).fit(X, y)
    scores = machine.decision_function(X)
    assert scores[y > 0].mean() - scores[y < 0].mean() == pytest.approx(1.0)
    assert (y * scores).min() == pytest.approx(0.0, abs=1e-9)


def test_mean_margin_is_one_in_the_2010_form():
    X, y = make_gaussian(n=50, d=300, k=4, mu=1.0, positive_fraction=0.3, random_state=1)
    machine = hard(refit=None, constraint="mean_margin").fit(X, y)
    assert np.mean(y * machine.decision_function(X)) == pytest.approx(1.0)


def test_two_features_needed_and_found_among_noise():
    # Separable by the difference of two correlated features, by neither of them alone.
    rng = np.random.default_rng(0)
    common = rng.standard_normal(80)
    y = np.repeat([0, 1], 40)
    X = rng.standard_normal((80, 500))
    X[:, 100] = common + y
    X[:, 200] = common - y
    assert selected(hard().fit(X, y)) == [100, 200]


def test_very_soft_machine_takes_the_largest_difference_of_class_means():
    for seed in range(10):
        X, y = make_gaussian(n=40, d=300, k=3, mu=0.4, random_state=seed)
        Z = StandardScaler().fit_transform(X)
        difference = np.abs(Z[y > 0].mean(axis=0) - Z[y < 0].mean(axis=0))
        for C in (1e-4, 1e-8, 1e-12):
            machine = SupportFeatureMachine(C=C).fit(X, y)
            assert selected(machine) == [int(np.argmax(difference))]


def test_very_large_C_equals_the_hard_machine_on_separable_data():
    for seed in range(10):
        X, y = make_weston(n=50, n_noise=300, random_state=seed)
        for refit in (None, "margin"):
            soft = SupportFeatureMachine(C=1e6, refit=refit).fit(X, y)
            strict = hard(refit=refit).fit(X, y)
            np.testing.assert_array_equal(soft.support_, strict.support_)
            np.testing.assert_allclose(soft.coef_, strict.coef_, rtol=1e-6)
            np.testing.assert_allclose(soft.intercept_, strict.intercept_, rtol=1e-6, atol=1e-9)


def test_the_wrong_way_round_wins_where_it_needs_fewer_errors():
    # One outlier turns the difference of the class means around.
    X = np.array([[1.0], [2.0], [3.0], [4.0], [-100.0], [-1.0], [-2.0], [-3.0], [-4.0], [-5.0]])
    y = np.repeat([1, 0], 5)
    machine = SupportFeatureMachine(C=1.0, class_weight=None, refit=None).fit(X, y)
    assert machine.result_.rhs == -1.0
    assert np.sum(machine.result_.slack > 0) == 1
    assert machine.coef_[0, 0] > 0


def test_balanced_costs_are_equal_in_sum():
    X, y = make_gaussian(n=100, d=20, k=2, mu=0.4, positive_fraction=0.1, random_state=0)
    balanced = SupportFeatureMachine(C=0.3).fit(X, y)
    as_dict = SupportFeatureMachine(C=0.3, class_weight={1: 5.0, -1: 100 / 180}).fit(X, y)
    np.testing.assert_allclose(balanced.coef_, as_dict.coef_)
    # Without them the small class is given up: nothing is predicted positive.
    recall = np.mean(balanced.predict(X[y > 0]) == 1)
    ignored = SupportFeatureMachine(C=0.3, class_weight=None).fit(X, y)
    assert recall > np.mean(ignored.predict(X[y > 0]) == 1)


@pytest.mark.parametrize("C", [0.3, np.inf])
def test_units_and_offsets_of_the_columns_do_not_matter(C):
    X, y = make_weston(n=60, n_noise=100, random_state=5)
    rng = np.random.default_rng(0)
    scale, shift = 10.0 ** rng.uniform(-6, 6, X.shape[1]), rng.normal(0, 1e3, X.shape[1])
    plain = SupportFeatureMachine(C=C).fit(X, y)
    moved = SupportFeatureMachine(C=C).fit((X + shift) * scale, y)
    np.testing.assert_array_equal(plain.support_, moved.support_)
    np.testing.assert_allclose(
        moved.decision_function((X + shift) * scale), plain.decision_function(X), atol=1e-5
    )


def test_without_standardisation_one_common_unit_does_not_matter():
    X, y = make_gaussian(n=60, d=100, k=5, mu=0.5, random_state=2)
    X[:, 50:] *= 10
    plain = SupportFeatureMachine(C=0.5, standardize=False).fit(X, y)
    moved = SupportFeatureMachine(C=0.5, standardize=False).fit(1e-5 * X, y)
    np.testing.assert_array_equal(plain.support_, moved.support_)
    # Wide columns have large differences of means by chance, and are preferred now.
    assert not np.array_equal(plain.support_, SupportFeatureMachine(C=0.5).fit(X, y).support_)


def test_swapping_the_classes_mirrors_the_plane():
    X, y = make_gaussian(n=80, d=150, k=5, mu=0.5, random_state=2)
    for C in (0.5, np.inf):
        one = SupportFeatureMachine(C=C).fit(X, y)
        other = SupportFeatureMachine(C=C).fit(X, -y)
        np.testing.assert_array_equal(one.support_, other.support_)
        np.testing.assert_allclose(one.coef_, -other.coef_, atol=1e-5)


def test_ties_go_to_the_first_column_and_fits_repeat_exactly():
    X, y = make_weston(n=60, n_noise=100, random_state=1)
    for copy in (X, -X, 3.0 * X + 1.0):
        for C in (0.5, np.inf):
            twice = np.hstack([X, copy])
            machine = SupportFeatureMachine(C=C).fit(twice, y)
            assert max(selected(machine)) < X.shape[1]
            again = SupportFeatureMachine(C=C).fit(twice, y)
            np.testing.assert_array_equal(machine.coef_, again.coef_)
            np.testing.assert_array_equal(machine.intercept_, again.intercept_)


def test_refit_leaves_no_training_error_and_the_largest_margin():
    from sklearn.svm import SVC

    for seed in range(5):
        X, y = make_weston(n=80, n_noise=200, random_state=seed)
        machine = hard().fit(X, y)
        assert machine.score(X, y) == 1.0
        Z = StandardScaler().fit_transform(X)[:, machine.support_]
        peer = SVC(kernel="linear", C=1e8, tol=1e-8).fit(Z, y)
        size = np.linalg.norm(machine.coef_[0, machine.support_] * X.std(axis=0)[machine.support_])
        assert size == pytest.approx(np.linalg.norm(peer.coef_), rel=1e-3)


def test_reweighting_never_adds_features():
    X, y = make_gaussian(n=100, d=400, k=10, mu=0.3, random_state=0)
    result = hard().fit(X, y).result_
    counts = [step.n_features for step in result.steps]
    assert counts == sorted(counts, reverse=True)
    assert result.n_features_first == counts[0] > result.n_features == counts[-1]
    assert result.converged


def test_too_few_iterations_warn():
    from sklearn.exceptions import ConvergenceWarning

    X, y = make_gaussian(n=100, d=400, k=10, mu=0.3, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        machine = hard(max_iter=1).fit(X, y)
    assert machine.n_iter_ == 1


def test_certificate_is_that_of_the_data():
    X, y = make_gaussian(n=60, d=1000, k=5, mu=0.5, random_state=0)
    for C in (0.3, np.inf):
        machine = SupportFeatureMachine(C=C, refit=None).fit(X, y)
        first = machine.result_.steps[0]
        Z = StandardScaler().fit_transform(X)
        assert abs(first.dual.sum()) < 1e-9
        assert np.abs(Z.T @ first.dual).max() <= 1 + 1e-7
        # m = 0, so that the dual value is s times the multiplier of the equality.
        assert first.multiplier * machine.result_.rhs == pytest.approx(first.bound)
        slack_cost = 0.0 if np.isinf(C) else C / np.sqrt(1000)
        primal = np.abs(first.w).sum() + slack_cost * first.slack.sum()
        assert primal == pytest.approx(first.objective)
        assert primal - first.bound <= 1e-7 * max(1.0, primal)
