"""Toy problems of the Potential SVM: figs. 2 to 7 of Hochreiter & Obermayer (2004).

The points of most figures, and the parameters printed in them, are not in the text. Where that is
so, the data here are stand-ins with the numbers of objects that the captions give, and what is
compared is the statement of the text, not a number.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from sklearn.svm import SVC

from fewest import PotentialSVC, PotentialSVCCV, PotentialSVR
from reproductions.helpers import average, seed_run
from reproductions.study import Cell, Measured, Published, Study

Results = Mapping[str, Mapping[str, Measured]]
FACTOR = 4.0  # of the vertical axis of fig. 2
FIG_3 = {
    "poly": {"kernel": "poly", "degree": 4, "coef0": 1.0, "gamma": 1.0},
    "RBF": {"kernel": "rbf", "gamma": 1.0},
    "sine": {"kernel": "sine", "theta": 2.0},
}
FIG_4 = {
    "RBF": {"kernel": "rbf", "kernel_grid": {"gamma": [0.25, 0.5, 1.0, 2.0, 4.0, 8.0]}},
    "sine": {"kernel": "sine", "kernel_grid": {"theta": [0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}},
    "squared sine": {
        "kernel": "sine",
        "kernel_params": {"squared": True},
        "kernel_grid": {"theta": [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0]},
    },
}
# Width of the kernel, and C.
FIG_5 = {
    "C 20, width 1": (1.0, 20.0),
    "C 20, width 0.2": (0.2, 20.0),
    "C 0.05, width 0.2": (0.2, 0.05),
}
FIG_7 = (50.0, 500.0, 1500.0)
WHITE_GRAY = ("white", "0.8")


def draw_two_classes(run: int) -> tuple[Any, Any]:
    """Separable classes, for fig. 2."""
    rng = seed_run(2, run)
    y = np.repeat([0, 1], 15)
    X = rng.normal(size=(30, 2)) * [0.6, 0.25]
    return X + np.where(y[:, None] == 1, [0.9, 0.5], [-0.9, -0.5]), y


def fit_directions(X: Any, y: Any) -> dict[str, Any]:
    """Normal vectors and offsets of both machines."""
    svm = SVC(kernel="linear", C=1e6).fit(X, y)
    psvm = PotentialSVC(
        C=np.inf, epsilon=1e-4, kernel="precomputed", scale="unit variance", tol=1e-12
    ).fit(X, y)
    w, b = psvm.linear_function()
    return {"SVM": (svm.coef_[0], svm.intercept_[0]), "P-SVM": (w[0], b[0])}


def measure_rotation(quick: bool) -> dict[str, Measured]:
    """By how many degrees a hyperplane turns if one axis is stretched before, and back after."""
    rows = []
    for run in range(20):
        X, y = draw_two_classes(run)
        plain, stretched = fit_directions(X, y), fit_directions(X * [1.0, FACTOR], y)
        row = {}
        for name, (w, _) in plain.items():
            back = stretched[name][0] * [1.0, FACTOR]
            cosine = w @ back / np.linalg.norm(w) / np.linalg.norm(back)
            row[f"{name}: turn, degrees"] = float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))
        rows.append(row)
    return average(rows)


def draw_fig_2(figure: Any, results: Results) -> None:
    """Data as they are and stretched; the other panel's hyperplane is dashed."""
    X, y = draw_two_classes(0)
    plain, stretched = fit_directions(X, y), fit_directions(X * [1.0, FACTOR], y)
    stretch = np.array([1.0, FACTOR])
    figure.set_size_inches(9.0, 4.2)
    for axes, factor, own, other, back, title in zip(
        figure.subplots(1, 2),
        (1.0, FACTOR),
        (plain, stretched),
        (stretched, plain),
        (stretch, 1.0 / stretch),
        ("as they are", f"vertical axis times {FACTOR:g}"),
        strict=True,
    ):
        points = X * [1.0, factor]
        for label, marker in ((0, "o"), (1, "^")):
            axes.plot(*points[y == label].T, marker, color="0.2", markerfacecolor="none")
        ends = np.array([-1.7, 1.7]) * factor
        for name, color in (("SVM", "tab:blue"), ("P-SVM", "tab:red")):
            for (w, b), style in (
                (own[name], "-"),
                ((other[name][0] * back, other[name][1]), "--"),
            ):
                label = name if style == "-" else f"{name}, of the other panel"
                axes.plot(-(b + w[1] * ends) / w[0], ends, style, color=color, label=label)
        axes.set(xlim=(-2.4, 2.4), ylim=ends, title=title)
    figure.legend(
        *axes.get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=8
    )


def draw_crossed(seed: int) -> tuple[Any, Any, Any]:
    """34 objects in four groups, two per class, and 50 row objects anywhere, for fig. 3."""
    rng = seed_run(3, seed)
    y = np.repeat([0, 1], 17)
    centres = np.array([[[1, 1], [-1, -1]], [[1, -1], [-1, 1]]])
    X = centres[y, rng.integers(2, size=34)] + 0.35 * rng.standard_normal((34, 2))
    return X, y, rng.uniform(-2, 2, (50, 2))


def fit_fig_3(name: str) -> tuple[PotentialSVC, Any, Any, Any]:
    """The machine of one panel, and its data."""
    X, y, Z = draw_crossed(0)
    machine = PotentialSVC(
        C=100.0, epsilon=0.5, row_objects=Z, scale="unit variance", **FIG_3[name]
    )
    return machine.fit(X, y), X, y, Z


def measure_fig_3(name: str, quick: bool) -> dict[str, float]:
    """Support features, and errors in training."""
    machine, X, y, _ = fit_fig_3(name)
    return {
        "support features of 50": len(machine.support_features_),
        "training error, %": 100.0 * (1.0 - machine.score(X, y)),
    }


def draw_fig_3(figure: Any, results: Results) -> None:
    """Regions of the classes, the samples and the row objects that are used."""
    figure.set_size_inches(12.0, 4.2)
    for axes, name in zip(figure.subplots(1, 3), FIG_3, strict=True):
        machine, X, y, Z = fit_fig_3(name)
        used = len(machine.support_features_)
        _draw_regions(axes, machine, X, y, Z, 2.2, f"{name}, {used} support features")


def draw_rings(rng: Any, n_inside: int, n_outside: int) -> tuple[Any, Any]:
    """Classes in turns from ring to ring, for fig. 4."""
    X = rng.uniform(-2.2, 2.2, (50 * (n_inside + n_outside), 2))
    y = (np.sin(3.0 * np.linalg.norm(X, axis=1)) > 0).astype(int)
    kept = np.concatenate([np.flatnonzero(y == 1)[:n_inside], np.flatnonzero(y == 0)[:n_outside]])
    return X[kept], y[kept]


def fit_fig_4(name: str, run: int) -> tuple[Any, Any, Any]:
    """The machine of one kernel on 28 and 42 objects."""
    X, y = draw_rings(seed_run(4, run), 28, 42)
    search = PotentialSVCCV(
        [0.3, 3.0, 30.0], [0.5], scale="unit variance", **FIG_4[name], cv=5, tol=1e-3
    )
    return search.fit(X, y), X, y


def measure_fig_4(name: str, quick: bool) -> dict[str, Measured]:
    """Support vectors and test error, C and the kernel's parameter by cross-validation."""
    rows = []
    for run in range(3 if quick else 20):
        search, _, _ = fit_fig_4(name, run)
        X_new, y_new = draw_rings(seed_run(4, 1000 + run), 1000, 1500)
        rows.append(
            {
                "support vectors of 70": float(len(search.support_features_)),
                "test error, %": 100.0 * (1.0 - search.score(X_new, y_new)),
            }
        )
    return average(rows)


def draw_fig_4(figure: Any, results: Results) -> None:
    """Regions of the classes and support vectors, first run."""
    figure.set_size_inches(12.0, 4.2)
    for axes, name in zip(figure.subplots(1, 3), FIG_4, strict=True):
        search, X, y = fit_fig_4(name, 0)
        title = f"{name}, {len(search.support_features_)} support vectors"
        _draw_regions(axes, search.best_estimator_, X, y, None, 2.3, title)


def draw_wave() -> tuple[Any, Any]:
    """50 points of a curve with noise of 0.2, and an outlier at 0, for fig. 5."""
    rng = seed_run(5)
    x = np.sort(rng.uniform(-6, 6, 50))
    y = wave(x) + 0.2 * rng.standard_normal(50)
    return np.append(x, 0.0)[:, None], np.append(y, wave(0.0) + 3.0)


def wave(x: Any) -> Any:
    """The true function of fig. 5."""
    return np.sin(1.2 * x) + 0.1 * x


def fit_fig_5(name: str) -> tuple[PotentialSVR, Any, Any]:
    """The regression of one panel."""
    width, C = FIG_5[name]
    x, y = draw_wave()
    machine = PotentialSVR(C=C, epsilon=0.2, gamma=0.5 / width**2, scale="unit variance")
    return machine.fit(x, y), x, y


def measure_fig_5(name: str, quick: bool) -> dict[str, float]:
    """Height of the peak at the outlier, support vectors, and the error elsewhere."""
    machine, x, _ = fit_fig_5(name)
    inside = x[:-1]
    return {
        "peak at the outlier": float(machine.predict([[0.0]])[0] - wave(0.0)),
        "support vectors of 51": len(machine.support_features_),
        "mean absolute error elsewhere": float(
            np.mean(np.abs(machine.predict(inside) - wave(inside.ravel())))
        ),
    }


def draw_fig_5(figure: Any, results: Results) -> None:
    """Points, true function, regression and support vectors."""
    figure.set_size_inches(12.0, 3.8)
    for axes, name in zip(figure.subplots(1, 3, sharey=True), FIG_5, strict=True):
        machine, x, y = fit_fig_5(name)
        _draw_curve(axes, machine, x, y, wave, name)


def draw_groups(rng: Any, n: int) -> tuple[Any, Any]:
    """Four narrow groups, of which opposite ones are of the same class, for fig. 6."""
    y = np.arange(n) % 2
    centres = np.array([[[1, 1], [-1, -1]], [[1, -1], [-1, 1]]])
    return centres[y, rng.integers(2, size=n)] + 0.1 * rng.standard_normal((n, 2)), y


def fit_fig_6(run: int) -> tuple[PotentialSVC, Any, Any, Any]:
    """Width 0.2, epsilon 20, 100 row objects: all as in the caption."""
    rng = seed_run(6, run)
    X, y = draw_groups(rng, 50)
    Z = rng.uniform(-1.2, 1.2, (100, 2))
    machine = PotentialSVC(
        C=np.inf, epsilon=20.0, gamma=0.5 / 0.2**2, row_objects=Z, scale="unit variance"
    )
    return machine.fit(X, y), X, y, Z


def measure_fig_6(quick: bool) -> dict[str, Measured]:
    """Selected features, and the error on new objects."""
    rows = []
    for run in range(20 if quick else 100):
        machine, *_ = fit_fig_6(run)
        X_new, y_new = draw_groups(seed_run(6, 1000 + run), 500)
        rows.append(
            {
                "selected features": float(len(machine.support_features_)),
                "test error, %": 100.0 * (1.0 - machine.score(X_new, y_new)),
            }
        )
    return average(rows)


def draw_fig_6(figure: Any, results: Results) -> None:
    """Samples and selected row objects, first run."""
    machine, X, y, Z = fit_fig_6(0)
    figure.set_size_inches(5.0, 4.6)
    title = f"{len(machine.support_features_)} of 100 features"
    _draw_regions(figure.subplots(), machine, X, y, Z, 1.35, title)


def swing(x: Any) -> Any:
    """The true function of fig. 7."""
    return 60.0 * np.sin(0.7 * x) + 5.0 * x


def fit_fig_7(epsilon: float) -> tuple[PotentialSVR, Any, Any]:
    """100 points with noise of 10, width 2."""
    rng = seed_run(7)
    x = np.sort(rng.uniform(-10, 10, 100))
    y = swing(x) + 10.0 * rng.standard_normal(100)
    machine = PotentialSVR(C=np.inf, epsilon=epsilon, gamma=0.5 / 2.0**2, scale="unit variance")
    return machine.fit(x[:, None], y), x[:, None], y


def measure_fig_7(epsilon: float, quick: bool) -> dict[str, float]:
    """Support vectors, and how far they are from the next maximum or minimum of the regression."""
    machine, x, _ = fit_fig_7(epsilon)
    grid = np.linspace(-10, 10, 2001)
    slope = np.sign(np.diff(machine.predict(grid[:, None])))
    turning = grid[1:-1][slope[1:] != slope[:-1]]
    used = x[machine.support_features_, 0]
    return {
        "support vectors of 100": len(used),
        "distance from the next maximum or minimum": float(
            np.mean([np.abs(turning - one).min() for one in used])
        ),
    }


def draw_fig_7(figure: Any, results: Results) -> None:
    """Points, true function, regression and support vectors."""
    figure.set_size_inches(12.0, 3.8)
    for axes, epsilon in zip(figure.subplots(1, 3, sharey=True), FIG_7, strict=True):
        machine, x, y = fit_fig_7(epsilon)
        _draw_curve(axes, machine, x, y, swing, f"epsilon {epsilon:g}")


def _draw_curve(axes: Any, machine: Any, x: Any, y: Any, truth: Any, title: str) -> None:
    grid = np.linspace(x.min(), x.max(), 500)
    axes.plot(grid, truth(grid), "--", color="0.5", linewidth=1.0)
    axes.plot(grid, machine.predict(grid[:, None]), color="tab:red")
    axes.plot(x, y, ".", color="0.2", markersize=4)
    used = machine.support_features_
    axes.plot(x[used], y[used], "o", color="tab:blue", markerfacecolor="none")
    axes.set(xlabel="x", title=f"{title}: {len(used)} support vectors")


def _draw_regions(axes: Any, machine: Any, X: Any, y: Any, Z: Any, size: float, title: str) -> None:
    line = np.linspace(-size, size, 150)
    grid = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    scores = machine.decision_function(grid).reshape(150, 150)
    axes.contourf(line, line, scores, levels=[-np.inf, 0.0, np.inf], colors=WHITE_GRAY)
    for label, face in ((0, "none"), (1, "black")):
        axes.plot(*X[y == label].T, "o", color="black", markerfacecolor=face, markersize=4)
    used = machine.support_features_
    points, mark, size_of = (X, "o", 10) if Z is None else (Z, "x", 8)
    axes.plot(*points[used].T, mark, color="tab:red", markerfacecolor="none", markersize=size_of)
    axes.set(title=title, aspect="equal")


_STAND_IN = "Points and parameters of the figure are not in the text: both are stand-ins. "

STUDIES = [
    Study(
        "hochreiter_fig_2",
        "A stretched axis turns the largest margin, not the Potential SVM",
        "Hochreiter & Obermayer (2004), fig. 2 and sec. 2.2",
        [Cell("20 data sets", measure_rotation)],
        notes="The report's claim: its objective does not depend on the scale of the data.",
        draw=draw_fig_2,
    ),
    Study(
        "hochreiter_fig_3",
        "Three kernels between 34 samples and 50 row objects",
        "Hochreiter & Obermayer (2004), fig. 3",
        [Cell(name, partial(measure_fig_3, name)) for name in FIG_3],
        notes=_STAND_IN + "C = 100 and epsilon = 0.5. Crosses are support features.",
        draw=draw_fig_3,
    ),
    Study(
        "hochreiter_fig_4",
        "An indefinite kernel for classes that alternate",
        "Hochreiter & Obermayer (2004), fig. 4",
        [Cell(name, partial(measure_fig_4, name)) for name in FIG_4],
        notes=(
            _STAND_IN
            + "Ours are rings of 28 and 42 objects, 20 data sets. The report's claim: the "
            "sine kernel has fewer support vectors and a smaller test error than the RBF kernel. "
            "On our rings its test error is smaller, too, but it has more support vectors. "
            "Text and caption differ on whether its distance is squared."
        ),
        draw=draw_fig_4,
    ),
    Study(
        "hochreiter_fig_5",
        "An outlier, a small C and a wide kernel",
        "Hochreiter & Obermayer (2004), fig. 5",
        [Cell(name, partial(measure_fig_5, name)) for name in FIG_5],
        notes=(
            _STAND_IN + "The report's claims: a smaller C lowers the peak at the outlier and has "
            "more support vectors; a wider kernel lowers it without more of them."
        ),
        draw=draw_fig_5,
    ),
    Study(
        "hochreiter_fig_6",
        "Few of 100 row objects for four groups of samples",
        "Hochreiter & Obermayer (2004), fig. 6",
        [Cell("100 data sets", measure_fig_6, {"selected features": Published(6, 0, runs=1)})],
        notes=(
            "Width 0.2, epsilon 20 and the distributions are those of the caption. It does not say "
            "which groups are of one class: ours are opposite ones."
        ),
        draw=draw_fig_6,
    ),
    Study(
        "hochreiter_fig_7",
        "Support vectors of a regression, at maxima and minima",
        "Hochreiter & Obermayer (2004), fig. 7",
        [Cell(f"epsilon {epsilon:g}", partial(measure_fig_7, epsilon)) for epsilon in FIG_7],
        notes=(
            _STAND_IN + "Noise of 10, 100 points and the width of 2 are the report's. Its claim: "
            "fewer support vectors for a larger epsilon, in the end at maxima and minima."
        ),
        draw=draw_fig_7,
    ),
]
