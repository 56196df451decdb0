"""The searches choose what scikit-learn's grid search would, only cheaper."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, StratifiedKFold

from fewest import PotentialSVC, PotentialSVCCV, PotentialSVR, PotentialSVRCV
from fewest._solvers.box_lasso.solve import box_lasso
from fewest.psvm._folds import Grid, follow_grid
from fewest.psvm._relations import scale_to_unit_length
from fewest.psvm.search import refine_values

CS, EPSILONS = [0.3, 3.0], [0.2, 2.0]


def classes(seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=24)
    return rng.standard_normal((24, 3)) + 1.5 * y[:, None], y


def numbers(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (40, 2))
    return X, np.sin(2 * X[:, 0]) + 0.1 * rng.standard_normal(40)


def by_parameters(results, names):
    return {
        tuple(parameters[name] for name in names): score
        for parameters, score in zip(results["params"], results["mean_test_score"], strict=True)
    }


def same_scores(search, machine, X, y, cv, scoring, grid, tolerance):
    names = ("C", "epsilon", *grid)
    ours = search.fit(X, y)
    peer = GridSearchCV(
        machine, {"C": CS, "epsilon": EPSILONS, **grid}, cv=cv, scoring=scoring, refit=False
    ).fit(X, y)
    found, expected = (by_parameters(one.cv_results_, names) for one in (ours, peer))
    assert found.keys() == expected.keys()
    for key, score in expected.items():
        assert found[key] == pytest.approx(score, abs=tolerance)
    assert ours.best_score_ == pytest.approx(max(expected.values()), abs=tolerance)


@pytest.mark.parametrize("cv", [StratifiedKFold(4), LeaveOneOut()])
def test_scores_of_the_classifier(cv):
    X, y = classes()
    search = PotentialSVCCV(CS, EPSILONS, kernel_grid={"gamma": [0.1, 1.0]}, cv=cv, tol=1e-8)
    machine = PotentialSVC(tol=1e-8)
    same_scores(search, machine, X, y, cv, "accuracy", {"gamma": [0.1, 1.0]}, 1e-12)


def test_scores_of_the_regression_with_gamma_from_each_fold():
    X, y = numbers()
    search = PotentialSVRCV(CS, EPSILONS, cv=KFold(4), tol=1e-10)
    scoring = "neg_mean_squared_error"
    same_scores(search, PotentialSVR(tol=1e-10), X, y, KFold(4), scoring, {}, 1e-5)


def test_scores_with_a_refit():
    X, y = numbers()
    shared = {"refit": True, "tol": 1e-10, "row_objects": X[:7]}
    search = PotentialSVRCV(CS, EPSILONS, cv=KFold(4), **shared)
    scoring = "neg_mean_squared_error"
    same_scores(search, PotentialSVR(**shared), X, y, KFold(4), scoring, {}, 1e-5)


@pytest.mark.parametrize("row_objects", [None, "samples"])
def test_a_matrix_whose_columns_are_or_are_not_the_samples(row_objects):
    X, y = classes()
    S = -np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=-1))
    shared = {"kernel": "precomputed", "row_objects": row_objects, "tol": 1e-8}
    search = PotentialSVCCV(CS, EPSILONS, cv=LeaveOneOut(), **shared)
    assert search.__sklearn_tags__().input_tags.pairwise == (row_objects == "samples")
    same_scores(search, PotentialSVC(**shared), S, y, LeaveOneOut(), "accuracy", {}, 1e-12)


def test_three_classes_and_the_fitted_machine():
    X, _ = numbers()
    y = np.digitize(X[:, 0], [-0.7, 0.7])
    search = PotentialSVCCV([1.0, 10.0], [0.1], kernel_grid=[{"kernel": ["linear", "rbf"]}])
    search.fit(X, y)
    assert set(search.best_params_) == {"C", "epsilon", "kernel"}
    alone = PotentialSVC(**search.best_params_, tol=search.tol).fit(X, y)
    np.testing.assert_array_equal(search.predict(X), alone.predict(X))
    np.testing.assert_array_equal(search.decision_function(X), alone.decision_function(X))
    np.testing.assert_array_equal(search.coef_, alone.coef_)
    results = search.cv_results_
    assert results["rank_test_score"][search.best_index_] == 1
    assert search.best_score_ == results["mean_test_score"].max()
    assert results["split4_test_score"].shape == (4,)


def test_equal_scores_go_to_the_fewest_features_and_the_smallest_cost():
    X, y = classes()
    far = X + 40.0 * y[:, None]  # everything is right at any C and epsilon
    search = PotentialSVCCV([1.0, 5.0, 3.0], [0.01, 0.5], kernel="linear").fit(far, y)
    results = search.cv_results_
    best = results["mean_test_score"] == 1.0
    assert results["mean_n_support"][search.best_index_] == results["mean_n_support"][best].min()


def test_warm_and_primed_solutions_are_the_cold_ones():
    X, y = numbers(3)
    columns = scale_to_unit_length(np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=-1)))
    machine, grid = PotentialSVR(tol=1e-10), Grid(np.array([0.5, 5.0]), np.array([1.0, 0.1]))
    target = y - y.mean()
    primed = np.random.default_rng(0).standard_normal((2, 2, 40))
    for start in (None, primed):
        alpha, _, _ = follow_grid(machine, columns, target, grid, start)
        for row, column in np.ndindex(grid.shape):
            cold = box_lasso(
                columns, target, grid.epsilons[row], grid.Cs[column], tol=1e-10
            ).objective
            residual = columns.combine(alpha[row, column]) - target
            warm = 0.5 * residual @ residual + grid.epsilons[row] * np.abs(alpha[row, column]).sum()
            assert warm == pytest.approx(cold, rel=1e-8)


def test_jobs_do_not_change_the_choice():
    X, y = numbers()
    one, two = (
        PotentialSVRCV(CS, EPSILONS, kernel_grid={"gamma": [0.1, 1.0]}, n_jobs=jobs).fit(X, y)
        for jobs in (None, 2)
    )
    assert one.best_params_ == two.best_params_
    np.testing.assert_allclose(
        one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"], rtol=1e-6
    )


def test_unfinished_folds_warn():
    X, y = numbers()
    search = PotentialSVRCV([1e3], [1e-5], cv=3, tol=1e-14, max_iter=1)
    with pytest.warns(ConvergenceWarning, match=r"3 of 3 fits in the folds did not reach"):
        search.fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"Cs": []}, "Cs must be a list of one or more numbers"),
        ({"Cs": [1.0, -1.0]}, "each of Cs must be a positive number, or np.inf"),
        ({"epsilons": [-1.0]}, "each of epsilons must be a number of at least zero; got -1.0"),
        ({"kernel_grid": {"width": [1.0]}}, "kernel_grid must be a dict of lists .*width"),
        ({"kernel_grid": {"gamma": 1.0}}, "kernel_grid must be a dict of lists"),
        ({"kernel_grid": {"gamma": [-1.0]}}, "gamma must be 'scale', 'auto' or a positive"),
        ({"kernel_grid": {"C": [1.0]}}, "C and epsilon have their own lists"),
        ({"kernel": "precomputed", "row_objects": "samples"}, "needs a square matrix"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        PotentialSVCCV(**parameters).fit(*classes())


@pytest.mark.parametrize("search", [PotentialSVCCV, PotentialSVRCV])
def test_copies_flatter_unless_groups_are_named(search):
    rng = np.random.default_rng(0)
    X, y = np.tile(rng.standard_normal((20, 30)), (3, 1)), np.tile(np.arange(20) % 2, 3)
    machine = search((10.0,), (0.01,), cv=4)
    blind = machine.fit(X, y).best_score_
    told = machine.fit(X, y, groups=np.tile(np.arange(20), 3)).best_score_
    assert told < blind - 0.2


def test_groups_of_the_wrong_length():
    with pytest.raises(ValueError, match="groups must name a group for each of the 4 samples"):
        PotentialSVCCV((1.0,), (0.1,), cv=2).fit(np.eye(4), [0, 1, 0, 1], groups=[1, 2])


def test_the_second_grid_lies_around_the_best_candidate():
    X, y = make_moons(60, noise=0.25, random_state=0)
    coarse = PotentialSVCCV([0.1, 1.0, 10.0], [0.1], kernel_grid={"gamma": [0.1, 1.0, 10.0]})
    first = clone(coarse).fit(X, y)
    fine = clone(coarse).set_params(n_refined=5).fit(X, y)
    assert len(fine.cv_results_["params"]) == 9 + 25
    np.testing.assert_array_equal(
        fine.cv_results_["mean_test_score"][:9], first.cv_results_["mean_test_score"]
    )
    for name in ("C", "gamma"):
        tried = np.unique(fine.cv_results_[f"param_{name}"][9:].astype(float))
        chosen = first.best_params_[name]
        np.testing.assert_allclose(tried, chosen * 10.0 ** np.linspace(-1, 1, 5))
    assert set(fine.cv_results_["param_epsilon"]) == {0.1}
    assert fine.best_score_ == fine.cv_results_["mean_test_score"].max() >= first.best_score_
    alone = GridSearchCV(
        PotentialSVC(epsilon=0.1, tol=1e-4),
        {"C": [fine.best_params_["C"]], "gamma": [fine.best_params_["gamma"]]},
        cv=5,
    ).fit(X, y)
    assert fine.best_score_ == pytest.approx(alone.best_score_)


def test_what_has_no_logarithm_is_not_refined():
    assert refine_values([0.0, 1.0], 0.0, 3) == [0.0]
    assert refine_values([1.0, np.inf], np.inf, 3) == [np.inf]
    assert refine_values(["scale", 0.1, 1.0], "scale", 3) == ["scale"]
    assert refine_values([2.0], 2.0, 3) == [2.0]
    np.testing.assert_allclose(refine_values([1.0, 4.0, 8.0], 4.0, 3), [1.0, np.sqrt(8.0), 8.0])
    np.testing.assert_allclose(refine_values([1.0, 4.0], 4.0, 3), [1.0, 4.0, 16.0])
    np.testing.assert_allclose(refine_values([1.0, 4.0], 1.0, 3), [0.25, 1.0, 4.0])
    with pytest.raises(ValueError, match="n_refined"):
        PotentialSVCCV(n_refined=-1).fit(np.eye(4), [0, 0, 1, 1])
