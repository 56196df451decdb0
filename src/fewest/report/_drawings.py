"""Which figures a report has, and what each of them shows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from fewest import plotting
from fewest._estimators.panel import sort_by_class
from fewest.plotting._figures import require_matplotlib
from fewest.plotting._front import draw_front
from fewest.plotting._names import name_classes, wrap
from fewest.report._pictures import KEEP, to_svg
from fewest.report._trust_content import Comparison, ErrorFront, Stability, Validation
from fewest.report._wording import MOST_CURVES, MOST_HYPERPLANES, safe, separates
from fewest.report.content import Content, CostCurve, Hyperplane, SizeCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from fewest.informative import InformativeFeatures
    from fewest.significance import LearningCurve, MethodComparison

_MOST_STRIPS = 12
_MOST_WEIGHTS = 30
_MOST_LEVEL = 8  # classes that have wide rows
# Letters and lines of the names beside rows, and inches per line: what is longer loses its middle.
_FEATURE_LETTERS, _FEATURE_LINES = 32, 2
_CLASS_LETTERS, _CLASS_LINES = 22, 4
_INCHES_PER_LINE = 0.135
_CURVE_SIZE = (4.9, 3.4)  # curves that a telephone shows as a whole
# So many marks are better one image than elements of a page.
_MOST_MARKS = 400


def draw(
    content: Content, informative: InformativeFeatures | None, figures: list[Figure]
) -> dict[str, Any]:
    """SVG of all figures by name; nothing where there is nothing to draw."""
    require_matplotlib()
    trust, costs, others = content.trust, content.costs, content.alternatives
    labels = [safe(entry.label) for entry in content.data.classes]
    tested = trust.permutation.comparisons if trust.permutation else []
    return {
        "strips": _draw_strips(content, labels),
        "weights": [
            _draw_weights(plane, f"weights-{place}")
            for place, plane in enumerate(_find_weighted(content))
        ],
        "panel": _draw_panel(content, labels),
        "panel_size": _MOST_WEIGHTS,
        "roc": trust.validation and _draw_roc(trust.validation, labels),
        "permutations": [
            _draw_permutation(comparison, content.question.parameters.get("C"))
            for comparison in tested
            if np.any(np.isfinite(comparison.chance))
        ],
        "front": trust.error_front
        and len(trust.error_front.points) > 1
        and _draw_front(trust.error_front),
        "separability": trust.separability and _draw_separability(content),
        "stability": trust.stability and _draw_stability(trust.stability),
        "subsets": others
        and len(others.subsets) > 1
        and _draw_subsets([one.columns for one in others.subsets]),
        "heat_map": content.said.samples.columns and _draw_heat_map(content, labels),
        "costs": costs and costs.points and _draw_costs(costs),
        "sizes": content.sizes and _draw_sizes(content.sizes),
        "informative": informative and _draw_informative(informative),
        "comparison": content.comparison and _draw_comparison(content.comparison),
        "learning_curve": content.learning_curve and _draw_learning_curve(content.learning_curve),
        "given": [
            to_svg(figure, f"given-{place}-", safe(entry.title), keep_colours=True)
            for place, (figure, entry) in enumerate(zip(figures, content.figures, strict=True))
        ],
    }


def plot_costs(curve: CostCurve, ax: Axes) -> None:
    """Draw the errors along C that are known, of those in training and in cross-validation."""
    errors: dict[str, Any] = {
        "training": [one.training_balanced_error for one in curve.points],
        "cross-validated": [one.balanced_error and one.balanced_error.mean for one in curve.points],
    }
    sizes: list[Any] = [
        one.fold_n_features.mean
        if one.n_features is None and one.fold_n_features
        else one.n_features
        for one in curve.points
    ]
    known = {name: values for name, values in errors.items() if None not in values}
    Cs = [one.C for one in curve.points]
    plotting.plot_path(Cs, known, n_features=sizes, chosen=curve.chosen, ax=ax)


def _draw(
    name: str,
    label: str,
    size: tuple[float, float],
    plot: Callable[..., Any],
    /,
    *data: Any,
    **more: Any,
) -> str:
    """A new figure as SVG; `data` and `more` are arguments of `plot`."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    plot(*data, **more, ax=figure.subplots())
    return to_svg(figure, f"{name}-", label)


def _numbers(names: list[str]) -> list[str]:
    """Names of rows for a plot that may sort them; `_name_rows` puts the real ones in."""
    return [str(place) for place in range(len(names))]


def _wrap_features(names: Iterable[str]) -> list[str]:
    return [wrap(safe(name), _FEATURE_LETTERS, _FEATURE_LINES) for name in names]


def _name_rows(ax: Axes, names: list[str]) -> None:
    """The names, which may have several lines, beside the rows, whose numbers are there already."""
    shown = [names[int(text.get_text())] for text in ax.get_yticklabels()]
    ax.set_yticks(ax.get_yticks(), shown, **_find_font(names))


def _find_font(names: list[str]) -> dict[str, Any]:
    """Names of several lines are written small."""
    return {"fontsize": "small"} if any("\n" in name for name in names) else {}


def _find_row(names: list[str], least: float) -> float:
    """Inches that a row needs for its name."""
    return max(least, 0.06 + _INCHES_PER_LINE * max(name.count("\n") + 1 for name in names))


def _draw_strips(content: Content, labels: list[str]) -> dict[int, str]:
    """Values of the first features, by column."""
    samples = content.said.samples
    cuts = {f.column: f.threshold for features in content.said.feature_lists for f in features}

    def plot(values: list[float], threshold: float, ax: Axes) -> None:
        # The classes as numbers, which the plot sorts; renamed afterwards.
        plotting.plot_strip(values, np.array(samples.classes), threshold=threshold, ax=ax)
        ax.set_yticks(range(len(labels)), names, **_find_font(names))
        for line in ax.lines:  # the bars stay in the colour of the page
            line.set_rasterized(len(values) > _MOST_MARKS and line.get_marker() != "None")

    names = [wrap(label, _CLASS_LETTERS, _CLASS_LINES) for label in labels]
    row = 0.45 if len(labels) <= _MOST_LEVEL else 0.26
    size = (3.7, 0.55 + _find_row(names, row) * len(labels))
    shown = list(zip(samples.columns, samples.names, samples.values, strict=True))[:_MOST_STRIPS]
    strips = {}
    for column, name, values in shown:
        label = f"Values of {safe(name)} in every class"
        strips[column] = _draw(f"strip-{column}", label, size, plot, values, cuts[column])
    return strips


def _find_weighted(content: Content) -> list[Hyperplane]:
    """Hyperplanes with weights to show; a single weight of a single one is no figure."""
    planes = content.said.hyperplanes
    least = 2 if len(planes) == 1 else 1
    weighted = [
        plane
        for plane in planes
        if sum(bool(feature.weight) for feature in plane.features) >= least
    ]
    return weighted[:MOST_HYPERPLANES]


def _draw_weights(plane: Hyperplane, name: str) -> tuple[Hyperplane, str]:
    shown = [feature for feature in plane.features if feature.weight][:_MOST_WEIGHTS]
    names = _wrap_features(feature.name for feature in shown)
    weights = np.array([feature.weight for feature in shown], dtype=np.float64)

    def plot(ax: Axes) -> None:
        plotting.plot_weights(weights, _numbers(names), ax=ax)
        _name_rows(ax, names)

    other = "the rest" if plane.negative_class is None else safe(plane.negative_class)
    label = f"Weights that tell {safe(plane.positive_class)} from {other}"
    return plane, _draw(name, label, (4.8, 0.9 + _find_row(names, 0.28) * len(shown)), plot)


def _draw_panel(content: Content, labels: list[str]) -> list[str]:
    """Weights and class means of the features of a panel, those of largest weight."""
    features = content.said.panel.features[:_MOST_WEIGHTS] if content.said.panel else []
    if not features:
        return []
    # Both in the same order, so they can be compared.
    weights = np.array([one.weights for one in features]).T
    features = [features[place] for place in sort_by_class(weights)]
    means = np.array([one.class_means for one in features]).T
    deviations = np.array([one.standard_deviation for one in features])
    sizes = np.array([entry.n_samples for entry in content.data.classes])
    drawn = {
        "weight": np.array([one.weights for one in features]).T,
        "standard deviations from the mean": (means - sizes @ means / sizes.sum()) / deviations,
    }
    names = _wrap_features(one.name for one in features)
    size = (2.6 + 0.42 * max(5, len(labels)), 1.6 + _find_row(names, 0.27) * len(names))
    size = (size[0], size[1] + 0.7 * (max(map(len, labels)) > _CLASS_LETTERS))

    def plot(values: Any, what: str, ax: Axes) -> None:
        shown: dict[str, Any] = {"feature_names": _numbers(names), "sort": False}
        plotting.plot_class_matrix(values, classes=labels, **shown, label=what, ax=ax)
        _name_rows(ax, names)
        for place, text in enumerate(ax.texts):
            text.set_gid(f"{KEEP}-{place}")

    return [
        _draw(
            f"panel-{place}", f"Selected features against classes: {what}", size, plot, values, what
        )
        for place, (what, values) in enumerate(drawn.items())
    ]


def _draw_roc(found: Validation, labels: list[str]) -> str | None:
    """One curve per class; of many classes those of the smallest areas."""
    if found.decisions is None or found.auc is None:
        return None
    columns = np.array(found.decisions).T
    places = [1] if len(columns) == 1 else range(len(columns))
    curves = list(zip(found.auc, places, columns, strict=True))
    if len(curves) > MOST_CURVES:
        curves = sorted(curves, key=lambda curve: curve[0])[:MOST_CURVES]

    def plot(ax: Axes) -> None:
        for _, positive, column in curves:
            plotting.plot_roc(found.true, column, positive=positive, name=labels[positive], ax=ax)

    longest = max(len(labels[positive]) for _, positive, _ in curves)
    height = 4.0 + (0.2 if longest <= _CLASS_LETTERS else 0.36) * len(curves)
    return _draw("roc", "ROC curve of the held-out decisions", (4.2, height), plot)


def _draw_permutation(found: Comparison, cost: Any) -> str:
    label = "balanced error in cross-validation"
    if found.statistic == "features":
        label = "features needed" if cost == math.inf else "features and errors, at their price"
    words = f"{label}: permuted classes and the true ones"
    values, plot = (found.chance, found.observed), plotting.plot_permutations
    return _draw(f"permutation-{found.statistic}", words, (4.6, 2.9), plot, *values, label=label)


def _draw_front(found: ErrorFront) -> str:
    points = found.points
    bounds: dict[str, Any] = {"error_bounds": [point.lower_bound for point in points]}
    if found.has_prices:
        bounds = {"price_bounds": [point.price_bound for point in points]}

    def plot(ax: Axes) -> None:
        draw_front(
            ax,
            [point.errors for point in points],
            [point.proven for point in points],
            [float(point.price or 0.0) if found.has_prices else point.size for point in points],
            **bounds,
        )

    return _draw("front", "Fewest training errors against features or price", (4.2, 3.0), plot)


def _draw_separability(content: Content) -> str:
    found: Any = content.trust.separability
    return _draw(
        "separability",
        "Probability that random features separate shuffled classes, over their number",
        (4.6, 3.2),
        plotting.plot_separability,
        found.n_samples,
        found.n_features,
        selected=found.n_selected if separates(content) else None,
        intercept=True,
    )


def _draw_stability(found: Stability) -> str:
    names = _wrap_features(entry.name for entry in found.counts)

    def plot(ax: Axes) -> None:
        counts = [entry.n_folds for entry in found.counts]
        plotting.plot_stability(counts, found.n_folds, feature_names=_numbers(names), ax=ax)
        _name_rows(ax, names)

    size = (4.6, 1.0 + _find_row(names, 0.24) * min(20, len(names)))
    return _draw("stability", "How many folds selected each feature", size, plot)


def _draw_subsets(subsets: list[list[int]]) -> str:
    label = "Sizes of the disjoint subsets"
    return _draw("subsets", label, (4.6, 2.6), plotting.plot_subsets, subsets)


def _draw_heat_map(content: Content, labels: list[str]) -> str:
    samples = content.said.samples
    sizes = [entry.n_samples for entry in content.data.classes]

    names = _wrap_features(samples.names)

    def plot(ax: Axes) -> None:
        values, numbers = np.array(samples.values).T, _numbers(names)
        plotting.plot_heat_map(values, np.array(samples.classes), feature_names=numbers, ax=ax)
        _name_rows(ax, names)
        for place, line in enumerate(ax.lines):
            line.set_gid(f"{KEEP}-{place}")
        name_classes(ax, ax.get_xticks(), labels, sizes)

    size = (7.6, 1.7 + _find_row(names, 0.24) * len(names))
    size = (size[0], size[1] + 0.7 * (max(map(len, labels)) > _CLASS_LETTERS))
    return _draw("heat-map", "Heat map of samples and selected features", size, plot)


def _draw_costs(curve: CostCurve) -> str:
    label = "Balanced error and number of features along C"
    return _draw("costs", label, _CURVE_SIZE, plot_costs, curve)


def _draw_sizes(curve: SizeCurve) -> str:
    from fewest.machines.panel_cv import PanelFront

    front = PanelFront(
        sizes=np.array([point.n_features for point in curve.points]),
        errors=np.array([point.split_errors for point in curve.points]).T,
        chosen=curve.chosen,
        panels=(),
    )
    label = "Balanced error against the number of features"
    return _draw("sizes", label, _CURVE_SIZE, plotting.plot_panel_sizes, front)


def _draw_comparison(found: MethodComparison) -> str:
    size = (6.4, 1.2 + 0.36 * len(found.methods))
    label = "Balanced errors of the methods on the same folds, with their intervals"
    return _draw("comparison", label, size, plotting.plot_comparison, found)


def _draw_learning_curve(found: LearningCurve) -> str:
    label = "Balanced error against the number of training samples"
    return _draw("learning-curve", label, _CURVE_SIZE, plotting.plot_learning_curve, found)


def _draw_informative(found: InformativeFeatures) -> dict[str, str]:
    """The curves by their captions; one figure each, which a narrow screen shows as a whole."""
    drawn: dict[str, Callable[..., Any]] = {
        "Sizes of the subsets along the share of removed features.": plotting.plot_subset_sizes,
        "Their error on left-out samples.": plotting.plot_selection_error,
    }
    if found.probe_error is not None:
        drawn["The error of a probe on the features that remain."] = plotting.plot_probe_error
    return {
        caption: _draw(f"informative-{place}", caption.rstrip("."), _CURVE_SIZE, plot, found)
        for place, (caption, plot) in enumerate(drawn.items())
    }
