"""Transvariation intensity functions: figs. 8.4 and 8.6 of Pranckeviciene & Somorjai (2011)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.svm import SVC

from fewest.datasets import make_gaussian
from fewest.machines.transvariation import t, t_alpha, t_alpha_zero, t_zero, transvariation_grid
from fewest.plotting import plot_transvariation
from reproductions.study import Cell, Measured, Published, Study

SHOWN = 3  # the data set of fig. 8.4
MU = 1.0  # distance of the class means is 2 mu, in both discriminating features


def fit_svm(seed: int, n: int = 20) -> tuple[np.ndarray, ...]:
    """Two overlapping classes in a plane: samples, labels, weights, bias, dual variables."""
    X, y = make_gaussian(n=n, d=2, k=2, mu=0.8, random_state=seed)
    machine = SVC(kernel="linear", C=1.0, tol=1e-8).fit(X, y)
    alpha = np.zeros(n)
    alpha[machine.support_] = np.abs(machine.dual_coef_[0])
    return X, y, machine.coef_[0], machine.intercept_, alpha


def compare_distances(quick: bool) -> dict[str, Measured]:
    """(8.22): the class overlap never exceeds the difference of the class centres."""
    holds, ratios = [], []
    for seed in range(20 if quick else 500):
        X, y, w, _, alpha = fit_svm(seed)
        overlap, centres = t_alpha_zero(X @ w, y, alpha), t_zero(X @ w, y)
        holds.append(100.0 * (overlap <= centres * (1 + 1e-9)))
        ratios.append(overlap / centres)
    return {
        "overlap at most the difference of the centres, %": Measured.from_runs(holds),
        "their ratio": Measured.from_runs(ratios),
    }


def rank_features(quick: bool) -> dict[str, Measured]:
    """Whether the lines of the two discriminating features are the highest."""
    found, costs = [], []
    for seed in range(20 if quick else 500):
        X, y = make_gaussian(n=100, d=10, k=2, mu=MU, random_state=seed)
        grid = transvariation_grid(X, y, 8, standardize=False)
        found.append(100.0 * (set(np.argsort(-grid.differences)[:2]) == {0, 1}))
        costs.append(float(np.log10(grid.Cs[0])))
    return {
        "discriminating features have the largest lines, %": Measured.from_runs(found),
        "smallest C, log10": Measured.from_runs(costs),
    }


def draw_functions(figure: Any, results: Mapping[str, Mapping[str, Measured]]) -> None:
    """Fig. 8.4: the boundary, the samples on the discriminant, and t and t_alpha."""
    X, y, w, b, alpha = fit_svm(SHOWN)
    figure.set_size_inches(9, 4.6)
    left, right = figure.subfigures(1, 2)
    plane = left.subplots()
    above, below = right.subplots(2, 1, height_ratios=(1, 2), sharex=False)
    for sign, marker in ((1, "s"), (-1, "x")):
        own = y == sign
        plane.plot(*X[own].T, marker, label=f"class {1 if sign > 0 else 2}")
        above.plot(X[own] @ w + b, np.full(own.sum(), sign), marker)
    along = np.array([X[:, 0].min(), X[:, 0].max()])
    for level, style in ((0, "k-"), (1, "k:"), (-1, "k:")):
        plane.plot(along, (level - b - w[0] * along) / w[1], style)
    low, high = X[:, 1].min() - 0.5, X[:, 1].max() + 0.5
    plane.set(xlabel="first feature", ylabel="second feature", ylim=(low, high))
    plane.legend(frameon=False)
    z = X @ w
    above.axvline(0.0, color="black")
    for level in (-1, 1):
        above.axvline(level, color="black", linestyle=":")
    above.set(xlabel="w . x + b", yticks=[-1, 1], yticklabels=["class 2", "class 1"])
    above.set_ylim(-1.6, 1.6)
    distances = np.subtract.outer(z[y > 0], z[y < 0]).ravel()
    for name, line, zero, marker in (
        ("t", t(distances, z, y), t_zero(z, y), "*"),
        ("t_alpha", t_alpha(distances, z, y, alpha), t_alpha_zero(z, y, alpha), "o"),
    ):
        (points,) = below.plot(distances, line, marker, ms=4, label=name)
        below.axvline(zero, color=points.get_color(), linestyle="--", linewidth=1)
    below.axhline(0.0, color="black", linewidth=0.8)
    below.set(xlabel="distance d of a pair of samples", ylabel="transvariation")
    below.legend(frameon=False)


def draw_total(figure: Any, results: Mapping[str, Mapping[str, Measured]]) -> None:
    """Fig. 8.6: ten features, their sum, and the chosen distances."""
    X, y = make_gaussian(n=100, d=10, k=2, mu=MU, random_state=0)
    figure.set_size_inches(6.4, 4.4)
    plot_transvariation(transvariation_grid(X, y, 8, standardize=False), ax=figure.subplots())


_SOURCE = "Pranckeviciene & Somorjai (2011)"

STUDIES = [
    Study(
        "liknon_fig_8_4",
        "Transvariation of two classes on a discriminant",
        f"{_SOURCE}, fig. 8.4 and eq. (8.22)",
        [
            Cell(
                "500 data sets of 20 samples",
                compare_distances,
                {"overlap at most the difference of the centres, %": Published(100.0, 0)},
            )
        ],
        draw=draw_functions,
        notes="The chapter does not give its samples; ours are two normal classes in a plane. "
        "Dashed: where t and t_alpha are zero.",
    ),
    Study(
        "liknon_fig_8_6",
        "Values of C from the total transvariation",
        f"{_SOURCE}, fig. 8.6 and its text: the lines of both discriminating features are higher",
        [
            Cell(
                "500 data sets of 100 samples and 10 features",
                rank_features,
                {"discriminating features have the largest lines, %": Published(100.0, 0)},
            )
        ],
        draw=draw_total,
        notes="The chapter does not give the distance of its classes; ours is 2 standard "
        "deviations in each of two features.",
    ),
]
