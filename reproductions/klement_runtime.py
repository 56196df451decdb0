"""Run times of the support feature machine with solvers of others, in both formulations.

Klement's thesis (2013), figs. 4.9 to 4.13 and 4.15, had CPLEX, MOSEK, MATLAB and GLPK. All times
here are ratios to the engine of this package, measured in the same run on the same data.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from fewest._solvers.columns import wrap_columns
from fewest._solvers.linear.reweight import minimize_zero_norm
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import support_feature_machine
from fewest.datasets import make_gaussian
from reproductions.helpers import average, seed_run
from reproductions.linear_programs import FORMULATIONS, NotSolvedError, find_solvers, formulate
from reproductions.study import Cell, Measured, Study

SAMPLES = (20, 100, 500, 2000)
FEATURES = (50, 200, 1000, 5000)
LARGEST = {"hard": 500_000, "soft": 200_000}
RELEVANT = (1, 5, 20)
DISTANCES = (0.3, 0.6, 1.0)
_SOFT_COST = 0.1
_MOST_PROGRAMS = 20
_SMALL = 1e-6  # a weight this much smaller than the largest is zero: not all solvers end on one
_TOLERANCE = 1e-3  # a solution that is worse by more does not count as solved


def measure(kind: str, n: int, d: int, k: int, mu: float, quick: bool) -> dict[str, Measured]:
    """Seconds of the engine, and those of every solver in its units.

    NaN if the solver took longer than the limit, or did not reach the optimum.
    """
    runs, limit = (1, 0.2) if quick else (3, 2.0)
    return average([_measure_once(kind, n, d, k, mu, run, limit) for run in range(runs)])


def _measure_once(
    kind: str, n: int, d: int, k: int, mu: float, run: int, limit: float
) -> dict[str, float]:
    Z, labels = make_samples(n, d, k, mu, run)
    minimize = minimize_all if kind == "hard" else minimize_first
    engine, best = minimize(Z, labels, None, "", limit)
    # The second time nothing is compiled or loaded any more.
    engine, best = minimize(Z, labels, None, "", limit)
    row = {"engine, seconds": engine}
    for name, one in find_solvers().items():
        for formulation in FORMULATIONS:
            try:
                seconds, found = minimize(Z, labels, one, formulation, limit)
            except NotSolvedError:
                seconds, found = np.nan, np.inf
            reached = found <= best * (1 + _TOLERANCE)
            row[f"{name}, {formulation}"] = seconds / engine if reached else np.nan
    return row


def make_samples(n: int, d: int, k: int, mu: float, run: int) -> tuple[np.ndarray, np.ndarray]:
    """Separable samples of norm one on average, as the machines see them, and labels."""
    X, y = make_gaussian(n, d, k, mu, separable=True, random_state=seed_run(n, d, k, run))
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    return Z / np.linalg.norm(Z, axis=1).mean(), y.astype(float)


def minimize_all(
    Z: np.ndarray,
    y: np.ndarray,
    solver: Any,
    formulation: str,
    limit: float,
    slack_cost: float | None = None,
) -> tuple[float, float]:
    """Seconds of all programs until the features stay the same, and the optimum of the first."""
    if solver is None:
        costs = None if slack_cost is None else np.full(len(y), slack_cost)
        problem = support_feature_machine(y, form="mean_margin", slack_cost=costs)
        start = time.perf_counter()
        found = minimize_zero_norm(problem, wrap_columns(Z), error_cost=costs)
        return time.perf_counter() - start, found.steps[0].objective
    scale, first, total = np.ones(Z.shape[1]), np.nan, 0.0
    for place in range(_MOST_PROGRAMS):
        kept = np.flatnonzero(scale)
        program = formulate(Z[:, kept] * scale[kept], y, formulation, slack_cost)
        x, seconds = solver(program, limit)
        total += seconds
        w, b = program.read(x)
        if place == 0:
            first = _evaluate(Z, y, w, b, slack_cost)
        w[np.abs(w) < _SMALL * np.abs(w).max()] = 0.0
        previous, scale = scale, np.zeros_like(scale)
        scale[kept] = previous[kept] * np.abs(w)
        if slack_cost is None:  # else their scale is what slacks are weighed against
            scale /= scale.max()
        # Programs after the features have settled change weights only.
        if np.array_equal(scale > 0, previous > 0):
            break
    return total, first


def minimize_first(
    Z: np.ndarray, y: np.ndarray, solver: Any, formulation: str, limit: float
) -> tuple[float, float]:
    """Seconds and optimum of the first program, with slacks."""
    if solver is None:
        costs = np.full(len(y), _SOFT_COST)
        problem = support_feature_machine(y, form="mean_margin", slack_cost=costs)
        start = time.perf_counter()
        found = solve(problem, wrap_columns(Z))
        return time.perf_counter() - start, found.objective
    program = formulate(Z, y, formulation, _SOFT_COST)
    x, seconds = solver(program, limit)
    return seconds, _evaluate(Z, y, *program.read(x), _SOFT_COST)


def _evaluate(
    Z: np.ndarray, y: np.ndarray, w: np.ndarray, b: float, slack_cost: float | None
) -> float:
    """The objective, recomputed: no solver's word is taken for it."""
    margins = y * (Z @ w + b)
    slacks = 0.0 if slack_cost is None else slack_cost * np.maximum(0.0, -margins).sum()
    if slack_cost is None and margins.min() < -_TOLERANCE * np.abs(margins).max():
        return np.inf
    return float((np.abs(w).sum() + slacks) / margins.mean())


def draw_table(figure: Any, results: Mapping[str, Mapping[str, Measured]]) -> None:
    """The fastest solver and formulation at every size, as in figs. 4.13 and 4.15."""
    figure.set_size_inches(9, 3.6)
    ax = figure.subplots()
    texts = [[_name_fastest(results.get(_name(n, d), {})) for d in FEATURES] for n in SAMPLES]
    table = ax.table(
        texts,
        rowLabels=[f"n = {n}" for n in SAMPLES],
        colLabels=[f"d = {d}" for d in FEATURES],
        loc="center",
        cellLoc="center",
    )
    table.scale(1, 3.2)
    table.auto_set_font_size(False)
    table.set_fontsize(8)
    ax.axis("off")


def _name_fastest(numbers: Mapping[str, Measured]) -> str:
    times = {name: one.value for name, one in numbers.items() if not name.startswith("engine")}
    solved = {name: value for name, value in times.items() if np.isfinite(value)}
    if not solved:
        return "-" if not times else "none in time"
    name = min(solved, key=lambda one: solved[one])
    return f"{name.replace(', ', chr(10))}\n{solved[name]:.3g} x engine"


def draw_curves(figure: Any, results: Mapping[str, Mapping[str, Measured]]) -> None:
    """Ratios against the number of samples and of features; dotted is the sparse formulation."""
    figure.set_size_inches(10, 4.6)
    axes = figure.subplots(1, 2, sharey=True)
    for ax, places, xlabel, at in (
        (axes[0], [(n, n, 50) for n in SAMPLES], "samples n", "d = 50"),
        (axes[1], [(d, 100, d) for d in FEATURES], "features d", "n = 100"),
    ):
        rows = {x: results[_name(n, d)] for x, n, d in places if _name(n, d) in results}
        names = [name for name in next(iter(rows.values()), {}) if not name.startswith("engine")]
        solvers = sorted({name.split(", ")[0] for name in names})
        for name in names:
            solver, formulation = name.split(", ")
            ax.loglog(
                list(rows),
                [numbers[name].value for numbers in rows.values()],
                "o-" if formulation == "standard" else "o:",
                color=f"C{solvers.index(solver)}",
                label=solver if formulation == "standard" else None,
                markersize=3,
            )
        ax.axhline(1.0, color="black", linewidth=0.8)
        ax.set(xlabel=xlabel, title=at)
    axes[0].set_ylabel("time / time of the engine")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=6)


def _name(n: int, d: int) -> str:
    return f"n = {n}, d = {d}"


def _grid(kind: str) -> list[Cell]:
    return [
        Cell(_name(n, d), partial(measure, kind, n, d, 5, 0.6))
        for n in SAMPLES
        for d in FEATURES
        if n * d <= LARGEST[kind]
    ]


_HOW = (
    "Each solver with its defaults; building its program is not counted. At most two seconds per "
    "program: a solver that needs more, or whose first solution is worse than the optimum by more "
    "than 0.1 %, is left out at that size."
)
_HARD = "All programs until the features stay the same, means of three runs, k = 5, mu = 0.6."
_SOFT = f"The first program, with slacks of cost {_SOFT_COST}; means of three runs."

STUDIES = [
    Study(
        "thesis_fig_4_9",
        "Run times against samples and features",
        "Klement's thesis (2013), figs. 4.9 to 4.11",
        _grid("hard"),
        notes=f"{_HARD} {_HOW} Dotted: the sparse formulation.",
        draw=draw_curves,
    ),
    Study(
        "thesis_fig_4_13",
        "Which solver is fastest",
        "Klement's thesis (2013), fig. 4.13",
        _grid("hard"),
        notes=f"{_HARD} {_HOW}",
        draw=draw_table,
    ),
    Study(
        "thesis_fig_4_15",
        "Which solver is fastest with slacks",
        "Klement's thesis (2013), fig. 4.15",
        _grid("soft"),
        notes=f"{_SOFT} {_HOW}",
        draw=draw_table,
    ),
    Study(
        "thesis_fig_4_12",
        "Run times against relevant features and class distance",
        "Klement's thesis (2013), fig. 4.12",
        [
            *[
                Cell(f"k = {k}, mu = 0.6", partial(measure, "hard", 100, 200, k, 0.6))
                for k in RELEVANT
            ],
            *[
                Cell(f"k = 5, mu = {mu}", partial(measure, "hard", 100, 200, 5, mu))
                for mu in DISTANCES
                if mu != 0.6
            ],
        ],
        notes=f"n = 100, d = 200. {_HOW}",
    ),
]
