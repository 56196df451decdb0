"""Which figures a report has, and what each of them shows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from fewest._wording import cut
from fewest.report._pictures import KEEP, to_svg
from fewest.report._wording import safe, separates
from fewest.report.content import Comparison, Content, CostCurve, Hyperplane

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from fewest.informative import InformativeFeatures

_MOST_STRIPS = 12
_MOST_WEIGHTS = 30
_MOST_HYPERPLANES = 6
# So many marks are better one image than elements of a page.
_MOST_MARKS = 400
_STATISTICS = {"features": "features needed", "error": "balanced error in cross-validation"}


def draw(
    content: Content, informative: InformativeFeatures | None, figures: list[Figure]
) -> dict[str, Any]:
    """SVG of all figures by name; None or nothing where there is nothing to draw."""
    from fewest.plotting._figures import require_matplotlib

    require_matplotlib()
    return {
        "strips": _draw_strips(content),
        "weights": [
            _draw_weights(plane, f"weights-{place}")
            for place, plane in enumerate(content.said.hyperplanes[:_MOST_HYPERPLANES])
            if sum(bool(feature.weight) for feature in plane.features) > 1
        ],
        "roc": _draw_roc(content),
        "permutations": _draw_permutations(content),
        "separability": _draw_separability(content),
        "stability": _draw_stability(content),
        "subsets": _draw_subsets(content),
        "heat_map": _draw_heat_map(content),
        "costs": _draw_costs(content.costs),
        "informative": _draw_informative(informative),
        "given": [
            to_svg(figure, f"given-{place}-", safe(entry.title), keep_colours=True)
            for place, (figure, entry) in enumerate(zip(figures, content.figures, strict=True))
        ],
    }


def plot_costs(curve: CostCurve, ax: Axes) -> bool:
    """Draw the errors along C that are known; False if there are none."""
    from fewest.plotting import plot_path

    points = curve.points
    errors: dict[str, Any] = {
        "training": [point.training_balanced_error for point in points],
        "cross-validated": [point.balanced_error and point.balanced_error.mean for point in points],
    }
    known = {name: values for name, values in errors.items() if values and None not in values}
    sizes = [
        point.fold_n_features.mean
        if point.n_features is None and point.fold_n_features
        else point.n_features
        for point in points
    ]
    if known:
        settings: dict[str, Any] = {"n_features": sizes, "chosen": curve.chosen, "ax": ax}
        plot_path([point.C for point in points], known, **settings)
    return bool(known)


def _draw(
    name: str,
    label: str,
    size: tuple[float, float],
    plot: Callable[..., Any],
    /,
    *data: Any,
    **settings: Any,
) -> str:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    plot(*data, **settings, ax=figure.subplots())
    return to_svg(figure, f"{name}-", label)


def _labels(content: Content) -> list[str]:
    return [safe(entry.label) for entry in content.data.classes]


def _draw_strips(content: Content) -> dict[int, str]:
    """Values of the first features, by column."""
    from fewest.plotting import plot_strip
    from fewest.plotting._figures import short

    labels, samples = _labels(content), content.said.samples
    cuts = {f.column: f.threshold for plane in content.said.hyperplanes for f in plane.features}

    def plot(values: list[float], threshold: float, ax: Axes) -> None:
        # The classes as numbers, which the plot sorts; renamed afterwards.
        plot_strip(values, np.array(samples.classes), threshold=threshold, ax=ax)
        ax.set_yticks(range(len(labels)), [short(cut(label, 14)) for label in labels])
        for line in ax.lines:
            line.set_rasterized(len(values) > _MOST_MARKS)

    shown = list(zip(samples.columns, samples.names, samples.values, strict=True))[:_MOST_STRIPS]
    size = (3.7, 0.55 + 0.45 * len(labels))
    return {
        column: _draw(
            f"strip-{column}",
            f"Values of {safe(name)} in every class",
            size,
            plot,
            values,
            cuts[column],
        )
        for column, name, values in shown
    }


def _draw_weights(plane: Hyperplane, name: str) -> str:
    from fewest.plotting import plot_weights

    shown = [feature for feature in plane.features if feature.weight][:_MOST_WEIGHTS]
    other = "the rest" if plane.negative_class is None else safe(plane.negative_class)
    return _draw(
        name,
        "Weights of the selected features",
        (4.8, 0.9 + 0.28 * len(shown)),
        plot_weights,
        [feature.weight for feature in shown],
        [safe(feature.name) for feature in shown],
        sides=(cut(other, 18), cut(safe(plane.positive_class), 18)),
    )


def _draw_roc(content: Content) -> str | None:
    from fewest.plotting import plot_roc

    found = content.trust.validation
    if found is None or found.decisions is None:
        return None
    labels, decisions = _labels(content), np.array(found.decisions)
    positives = [1] if decisions.shape[1] == 1 else list(range(decisions.shape[1]))

    def plot(ax: Axes) -> None:
        for place, positive in enumerate(positives):
            plot_roc(
                found.true, decisions[:, place], positive=positive, name=labels[positive], ax=ax
            )

    return _draw("roc", "ROC curve of the held-out decisions", (4.2, 4.0), plot)


def _draw_permutations(content: Content) -> list[str]:
    found = content.trust.permutation
    return [
        _draw_permutation(comparison, content)
        for comparison in (() if found is None else found.comparisons)
        if np.any(np.isfinite(comparison.chance))
    ]


def _draw_permutation(comparison: Comparison, content: Content) -> str:
    from fewest.plotting import plot_permutations

    label = _STATISTICS[comparison.statistic]
    if comparison.statistic == "features" and content.question.parameters.get("C") != math.inf:
        label = "features and errors, at their price"
    return _draw(
        f"permutation-{comparison.statistic}",
        f"{label}: permuted classes and the true ones",
        (4.6, 2.9),
        plot_permutations,
        comparison.chance,
        comparison.observed,
        label=label,
    )


def _draw_separability(content: Content) -> str | None:
    from fewest.plotting import plot_separability

    found = content.trust.separability
    if found is None:
        return None
    return _draw(
        "separability",
        "Probability that random features separate random classes, over their number",
        (4.6, 3.2),
        plot_separability,
        found.n_samples,
        found.n_features,
        selected=found.n_selected if separates(content) else None,
        intercept=True,
    )


def _draw_stability(content: Content) -> str | None:
    from fewest.plotting import plot_stability

    found = content.trust.stability
    if found is None:
        return None
    return _draw(
        "stability",
        "How many folds selected each feature",
        (4.6, 1.0 + 0.24 * min(20, len(found.counts))),
        plot_stability,
        [entry.n_folds for entry in found.counts],
        found.n_folds,
        feature_names=[safe(entry.name) for entry in found.counts],
    )


def _draw_subsets(content: Content) -> str | None:
    from fewest.plotting import plot_subsets

    found = content.alternatives
    columns = [] if found is None else [subset.columns for subset in found.subsets]
    if len(columns) < 2:
        return None
    label = "Sizes of the disjoint subsets"
    return _draw("subsets", label, (4.6, 2.6), plot_subsets, columns)


def _draw_heat_map(content: Content) -> str | None:
    from fewest.plotting import plot_heat_map
    from fewest.plotting._figures import short

    samples = content.said.samples
    if not samples.columns:
        return None
    classes = [
        f"{short(cut(safe(one.label), 14))}\n({one.n_samples})" for one in content.data.classes
    ]

    def plot(ax: Axes) -> None:
        names = [safe(name) for name in samples.names]
        values = np.array(samples.values).T
        plot_heat_map(values, np.array(samples.classes), feature_names=names, ax=ax)
        for place, line in enumerate(ax.lines):
            line.set_gid(f"{KEEP}-{place}")
        ax.set_xticks(ax.get_xticks(), classes)

    size = (7.6, 1.7 + 0.24 * len(samples.columns))
    return _draw("heat-map", "Heat map of samples and selected features", size, plot)


def _draw_costs(curve: CostCurve | None) -> str | None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    if curve is None or not plot_costs(curve, figure.subplots()):
        return None
    return to_svg(figure, "costs-", "Balanced error and number of features along C")


def _draw_informative(found: InformativeFeatures | None) -> str | None:
    from matplotlib.figure import Figure

    from fewest.plotting import plot_informative

    if found is None:
        return None
    figure = plot_informative(found, figure=Figure())
    return to_svg(figure, "informative-", "Subset sizes and errors along the removed features")
