"""The mirror image against solving the mirrored problem, and where it must not be used."""

import numpy as np
import pytest

from fewest._solvers.columns import scale_columns
from fewest._solvers.linear.mirror import least_error_cost, mirror_image
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import support_feature_machine, unit_margin
from fuzzing.oracles.solved import certify


def data(seed, n=40, d=60, n_positive=15):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) < n_positive, 1.0, -1.0)
    return scale_columns(rng.standard_normal((n, d)) + 0.3 * y[:, None]), y


def balanced_costs(y, cost):
    return cost * np.where(y > 0, 0.5 / np.sum(y > 0), 0.5 / np.sum(y < 0))


@pytest.mark.parametrize("form", ["class_means", "mean_margin"])
@pytest.mark.parametrize("cost", [0.5, 5.0, 50.0])
@pytest.mark.parametrize("rhs", [1.0, -1.0])
def test_equals_the_solution_of_the_mirrored_problem(form, cost, rhs):
    for seed in range(5):
        columns, y = data(seed)
        costs = balanced_costs(y, cost) if form == "class_means" else np.full(40, cost / 40)
        problem = support_feature_machine(y, form=form, slack_cost=costs).with_rhs(rhs)
        image = mirror_image(problem, columns, solve(problem, columns))
        solved = solve(problem.with_rhs(-rhs), columns)
        assert image.objective == pytest.approx(solved.objective, rel=1e-9)
        certificate = certify(problem.with_rhs(-rhs), columns, image)
        assert certificate.objective == pytest.approx(image.objective, rel=1e-9)
        assert certificate.gap <= 1e-7
        assert certificate.violation <= 1e-9


def test_is_not_known_for_other_costs_and_other_problems():
    columns, y = data(0)
    uneven = support_feature_machine(y, slack_cost=np.full(40, 0.1))  # 15 against 25 samples
    assert mirror_image(uneven, columns, solve(uneven, columns)) is None
    for problem in (support_feature_machine(y), unit_margin(y, slack_cost=np.full(40, 0.1))):
        assert mirror_image(problem, columns, solve(problem, columns)) is None


def test_least_error_cost_equals_trying_every_threshold():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 12))
        y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
        scores, cost = rng.permutation(n).astype(float), rng.random(n)
        thresholds = np.arange(-1, n) + 0.5
        expected = min(cost[(scores > t) != (y > 0)].sum() for t in thresholds)
        assert least_error_cost(y, scores, cost) == pytest.approx(expected)
