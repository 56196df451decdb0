"""The largest margin on a few given features.

The linear programs leave some samples exactly on their hyperplane; for new samples the hyperplane
with the largest (Euclidean) margin on the chosen features is the better rule. Time grows like the
number of samples, and memory does not exceed that of the features themselves.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.optimize import nnls

from fewest._solvers.columns import wrap_columns
from fewest._solvers.linear.master import SolverError, TimeIsUpError
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import unit_margin
from fewest._solvers.result import Status
from fewest._solvers.watch import current_watch
from fewest._types import FloatArray, IndexArray

# Where classes overlap, a larger cost no longer changes the hyperplane.
_LARGEST_COST = 1e6
# Where errors cost nearly nothing, w would shrink to zero instead of separating the classes.
_SMALLEST_COST = 0.1
_NEWTON_STEPS = 200
# Multiplications of a step that is worth waiting for when the time is up, and those of a second.
_QUICK, _PER_SECOND = 1e7, 1e9
# Values of rows that are made explicit at a time: they should stay in the cache.
_BLOCK_VALUES = 1 << 16
# With more samples than this, the hard margin is found on this many of each class and those that
# they do not keep away: few samples hold the hyperplane.
_FEW_SAMPLES = 10_000
_FIRST_ROWS = 2_000
# Relative; a margin narrower than that is not the largest one, because rounding hid it.
_SAME_WIDTH = 1e-4
# A sample this far inside the margin changes nothing.
_INSIDE = 1e-7


def hard_margin(Z: FloatArray, y: FloatArray) -> tuple[FloatArray, float] | None:
    """Hyperplane of the largest margin, with margin one; None if no strict separation exists.

    Only the samples nearest to the other class matter. Where there are many samples, it is found on
    some of them, and those inside its margin join them, until there are none.
    """
    if len(y) <= _FEW_SAMPLES:
        return _margin_of_all(Z, y)
    rows = _first_rows(y)
    while True:
        found = _margin_of_all(Z[rows], y[rows])
        if found is None:  # not even these are separable
            return None
        margins = y * (Z @ found[0] + found[1])
        margins[rows] = np.inf
        inside = np.flatnonzero(margins < 1.0 - _INSIDE)
        if not len(inside):
            plane = _centred_plane(Z, y, found[0])
            return _margin_of_all(Z, y) if plane is None else plane
        if len(inside) > len(rows):  # at most twice as many rows each time, the nearest ones first
            nearest = np.argpartition(margins[inside], len(rows))[: len(rows)]
            inside = inside[nearest]
        rows = np.sort(np.concatenate([rows, inside]))


def _first_rows(y: FloatArray) -> IndexArray:
    """Rows of both classes, evenly over the samples."""
    parts = []
    for sign in (-1.0, 1.0):
        members = np.flatnonzero(y == sign)
        parts.append(members[:: max(1, len(members) // _FIRST_ROWS)])
    return np.sort(np.concatenate(parts))


def _margin_of_all(Z: FloatArray, y: FloatArray) -> tuple[FloatArray, float] | None:
    """The same with all samples in one system."""
    direction = _hull_difference(Z, y)
    plane = _centred_plane(Z, y, direction) if direction is not None else None
    if plane is not None and direction is not None:
        # The margin along the shortest vector is as wide as that vector is long.
        width, length = 2.0 / np.linalg.norm(plane[0]), np.linalg.norm(direction)
        if width > (1.0 - _SAME_WIDTH) * length:
            return plane
    # Hulls that nearly touch: the simplex method still finds the largest margin in the maximum
    # norm, if there is any.
    try:
        result = solve(unit_margin(y), wrap_columns(Z))
    except SolverError:
        if plane is None:
            raise
        return plane
    if result.status is Status.INFEASIBLE:
        return plane
    direction = np.zeros(Z.shape[1])
    direction[result.features] = result.w
    found = [one for one in (plane, _centred_plane(Z, y, direction)) if one is not None]
    return min(found, key=lambda one: float(np.linalg.norm(one[0])), default=None)


def scale_cost(
    cost: FloatArray, n_features: int, sample_weight: FloatArray | None = None
) -> FloatArray:
    """c_i for this many standardised features from costs for samples of norm one."""
    c = np.minimum(cost / n_features, _LARGEST_COST)
    mean = c.mean()
    if sample_weight is not None:  # a sample of weight two is two samples
        share = sample_weight / sample_weight.max()  # first, because the sum may overflow
        mean = np.average(cost / sample_weight, weights=share) / n_features
    return np.asarray(c * max(1.0, _SMALLEST_COST / mean))


def soft_margin(
    Z: FloatArray, y: FloatArray, cost: FloatArray, sample_weight: FloatArray | None = None
) -> tuple[FloatArray, float]:
    """Hyperplane that minimises |w|^2 / 2 + sum_i (c_i / 2) max(0, 1 - y_i (z_i . w + b))^2.

    `cost` is meant for samples of norm one, as C is; for k standardised features that makes
    c_i = cost_i / k. Newton's method on this piecewise quadratic function ends after finitely
    many steps, however large the costs; the usual decomposition methods are slow with large ones.
    Where steps are long, they end with the time of the watch: a TimeIsUpError before the first one.
    `cost` includes the weights of the samples, which only say how many samples each one stands for.
    """
    c = scale_cost(cost, Z.shape[1], sample_weight)
    ridge = np.ones(Z.shape[1] + 1)
    ridge[-1] = 1e-12 * c.sum()  # the bias is free; this only keeps the system regular

    def value(plane: FloatArray, margins: FloatArray) -> float:
        shortfall = np.maximum(0.0, 1.0 - margins)
        shortfall *= shortfall
        return float(0.5 * ridge @ plane**2 + 0.5 * c @ shortfall)

    plane = np.zeros(Z.shape[1] + 1)
    margins = np.zeros(len(y))
    for _ in range(_NEWTON_STEPS):
        active = margins < 1.0
        try:
            target = _solve_active(Z, y, np.where(active, c, 0.0), ridge)
        except TimeIsUpError:
            if not plane.any():
                raise
            break
        reached = _measure_margins(Z, y, target)
        if np.array_equal(reached < 1.0, active):
            plane = target
            break
        # Margins are linear along the way, so shorter steps need no products.
        step, current, direction = 1.0, value(plane, margins), target - plane
        reached -= margins
        while value(plane + step * direction, margins + step * reached) >= current and step > 1e-12:
            step /= 2
        if step <= 1e-12:
            break
        plane = plane + step * direction
        margins += step * reached
    return plane[:-1], float(plane[-1])


def _solve_active(Z: FloatArray, y: FloatArray, cost: FloatArray, ridge: FloatArray) -> FloatArray:
    """Where the quadratic function of the samples that cost something is smallest."""
    system, right = np.diag(ridge), np.zeros(len(ridge))
    for rows in _row_blocks(Z):
        _stop_when_late(len(Z), len(ridge))
        used = np.flatnonzero(cost[rows])
        signed = _sign_rows(Z[rows][used], y[rows][used])
        weighted = cost[rows][used, None] * signed
        system += weighted.T @ signed
        right += weighted.sum(axis=0)
    # In units of the columns, whose sizes may differ by many powers of ten.
    unit = 1.0 / np.sqrt(np.diag(system))
    system, right = unit[:, None] * system * unit, unit * right
    try:
        return np.asarray(unit * np.linalg.solve(system, right), dtype=np.float64)
    except np.linalg.LinAlgError:  # a constant column among these samples, beside the bias
        return np.asarray(unit * np.linalg.lstsq(system, right)[0], dtype=np.float64)


def _stop_when_late(n: int, width: int) -> None:
    """Give up a step that is not quick where the time is up, or too short for its system."""
    work = max(n, width) * width**2
    if work > _QUICK and width**3 > _PER_SECOND * current_watch().seconds_left:
        raise TimeIsUpError("the time is up, and the largest margin was not found")


def _measure_margins(Z: FloatArray, y: FloatArray, plane: FloatArray) -> FloatArray:
    margins = np.empty(len(y))
    for rows in _row_blocks(Z):
        margins[rows] = _sign_rows(Z[rows], y[rows]) @ plane
    return margins


def _sign_rows(Z: FloatArray, y: FloatArray) -> FloatArray:
    """Rows with a one for the bias, times their labels."""
    return np.column_stack([y[:, None] * Z, y])


def _row_blocks(Z: FloatArray) -> Iterator[slice]:
    n, height = len(Z), max(256, _BLOCK_VALUES // (Z.shape[1] + 1))
    return (slice(start, min(start + height, n)) for start in range(0, n, height))


def _hull_difference(Z: FloatArray, y: FloatArray) -> FloatArray | None:
    """Shortest vector between the convex hulls of the classes, by non-negative least squares.

    Two rows with a large weight make the coefficients of each class sum to one.
    """
    weight = 1e3 * max(1.0, float(np.abs(Z).max(initial=0.0)))
    system = np.vstack([(y[:, None] * Z).T, weight * (y > 0), weight * (y < 0)])
    target = np.zeros(Z.shape[1] + 2)
    target[-2:] = weight
    try:
        coefficients, _ = nnls(system, target)
    except RuntimeError:  # no convergence: degenerate hulls
        return None
    return (coefficients * y) @ Z


def _centred_plane(
    Z: FloatArray, y: FloatArray, direction: FloatArray
) -> tuple[FloatArray, float] | None:
    """The hyperplane halfway between the classes along a direction, scaled to margin one."""
    projection = Z @ direction
    lowest, highest = projection[y > 0].min(), projection[y < 0].max()
    width = lowest - highest
    if not width > 1e-9 * np.abs(projection).max(initial=0.0):
        return None
    w = direction * (2.0 / width)
    return w, float(-(lowest + highest) / width)
