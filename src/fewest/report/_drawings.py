"""Which figures a report has, and what each of them shows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fewest._wording import cut
from fewest.report._pictures import KEEP, to_svg
from fewest.report._wording import safe, separates
from fewest.report.content import Comparison, Content, CostPoint, Hyperplane

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


@dataclass(frozen=True)
class Pictures:
    """SVG of all figures; None or nothing where there is nothing to draw."""

    strips: dict[int, str] = field(default_factory=dict)  # by column
    weights: list[str] = field(default_factory=list)
    roc: str | None = None
    permutations: list[str] = field(default_factory=list)
    separability: str | None = None
    stability: str | None = None
    subsets: str | None = None
    heat_map: str | None = None
    costs: str | None = None
    informative: str | None = None
    given: list[str] = field(default_factory=list)


def draw(
    content: Content, informative: InformativeFeatures | None, figures: list[Figure]
) -> Pictures:
    """All figures of a report."""
    from fewest.plotting._figures import require_matplotlib

    require_matplotlib()
    return Pictures(
        strips=_strips(content),
        weights=[
            _weights(plane, f"weights-{place}-")
            for place, plane in enumerate(content.answer.hyperplanes[:_MOST_HYPERPLANES])
            if sum(bool(feature.weight) for feature in plane.features) > 1
        ],
        roc=_roc(content),
        permutations=_permutations(content),
        separability=_separability(content),
        stability=_stability(content),
        subsets=_subsets(content),
        heat_map=_heat_map(content),
        costs=_costs(content),
        informative=_informative(informative),
        given=[
            to_svg(figure, f"given-{place}-", safe(entry.title), keep_colours=True)
            for place, (figure, entry) in enumerate(zip(figures, content.figures, strict=True))
        ],
    )


def _drawn(
    plot: Callable[[Axes], Any], prefix: str, label: str, *, width: float, height: float
) -> str:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    plot(figure.subplots())
    return to_svg(figure, prefix, label)


def _labels(content: Content) -> list[str]:
    return [safe(entry.label) for entry in content.data.classes]


def _in_order(content: Content) -> Any:
    """The samples' classes for the plots, which sort them: numbers, renamed afterwards."""
    return np.array(content.answer.samples.classes)


def _strips(content: Content) -> dict[int, str]:
    samples = content.answer.samples
    cuts = {f.column: f.threshold for plane in content.answer.hyperplanes for f in plane.features}
    shown = list(zip(samples.columns, samples.names, samples.values, strict=True))[:_MOST_STRIPS]
    return {
        column: _strip(content, column, name, values, cuts[column])
        for column, name, values in shown
    }


def _strip(content: Content, column: int, name: str, values: list[float], threshold: float) -> str:
    from fewest.plotting import plot_strip
    from fewest.plotting._labels import short

    labels = _labels(content)

    def plot(ax: Axes) -> None:
        plot_strip(values, _in_order(content), threshold=threshold, ax=ax)
        ax.set_yticks(range(len(labels)), [short(cut(label, 14)) for label in labels])
        for line in ax.lines:
            line.set_rasterized(len(values) > _MOST_MARKS)

    return _drawn(
        plot,
        f"strip-{column}-",
        f"Values of {safe(name)} in every class",
        width=3.7,
        height=0.55 + 0.45 * len(labels),
    )


def _weights(plane: Hyperplane, prefix: str) -> str:
    from fewest.plotting import plot_weights

    shown = [feature for feature in plane.features if feature.weight][:_MOST_WEIGHTS]
    other = "the rest" if plane.negative_class is None else safe(plane.negative_class)
    return _drawn(
        lambda ax: plot_weights(
            [feature.weight for feature in shown],
            [safe(feature.name) for feature in shown],
            sides=(cut(other, 18), cut(safe(plane.positive_class), 18)),
            ax=ax,
        ),
        prefix,
        "Weights of the selected features",
        width=4.8,
        height=0.9 + 0.28 * len(shown),
    )


def _roc(content: Content) -> str | None:
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

    return _drawn(plot, "roc-", "ROC curve of the held-out decisions", width=4.2, height=4.0)


def _permutations(content: Content) -> list[str]:
    found = content.trust.permutation
    if found is None:
        return []
    return [
        _permutation(comparison, _statistic(comparison, content))
        for comparison in found.comparisons
        if np.any(np.isfinite(comparison.chance))
    ]


def _statistic(comparison: Comparison, content: Content) -> str:
    if comparison.statistic == "features" and content.question.parameters.get("C") != math.inf:
        return "features and errors, at their price"
    return _STATISTICS[comparison.statistic]


def _permutation(comparison: Comparison, label: str) -> str:
    from fewest.plotting import plot_permutations

    return _drawn(
        lambda ax: plot_permutations(comparison.chance, comparison.observed, label=label, ax=ax),
        f"permutation-{comparison.statistic}-",
        f"{label}: permuted classes and the true ones",
        width=4.6,
        height=2.9,
    )


def _separability(content: Content) -> str | None:
    from fewest.plotting import plot_separability

    found = content.trust.separability
    if found is None:
        return None
    selected = found.n_selected if separates(content) else None
    return _drawn(
        lambda ax: plot_separability(
            found.n_samples, found.n_features, selected=selected, intercept=True, ax=ax
        ),
        "separability-",
        "Probability that random features separate random classes, over their number",
        width=4.6,
        height=3.2,
    )


def _stability(content: Content) -> str | None:
    from fewest.plotting import plot_stability

    found = content.trust.stability
    if found is None:
        return None
    return _drawn(
        lambda ax: plot_stability(
            [entry.n_folds for entry in found.counts],
            found.n_folds,
            feature_names=[safe(entry.name) for entry in found.counts],
            ax=ax,
        ),
        "stability-",
        "How many folds selected each feature",
        width=4.6,
        height=1.0 + 0.24 * min(20, len(found.counts)),
    )


def _subsets(content: Content) -> str | None:
    from fewest.plotting import plot_subsets

    found = content.alternatives
    if found is None or len(found.subsets) < 2:
        return None
    return _drawn(
        lambda ax: plot_subsets([subset.columns for subset in found.subsets], ax=ax),
        "subsets-",
        "Sizes of the disjoint subsets",
        width=4.6,
        height=2.6,
    )


def _heat_map(content: Content) -> str | None:
    from fewest.plotting import plot_heat_map
    from fewest.plotting._labels import short

    samples = content.answer.samples
    if not samples.columns:
        return None
    labels = _labels(content)

    def plot(ax: Axes) -> None:
        plot_heat_map(
            np.array(samples.values).T,
            _in_order(content),
            feature_names=[safe(name) for name in samples.names],
            ax=ax,
        )
        for place, line in enumerate(ax.lines):
            line.set_gid(f"{KEEP}-{place}")
        ax.set_xticks(
            ax.get_xticks(),
            [
                f"{short(cut(label, 14))}\n({entry.n_samples})"
                for label, entry in zip(labels, content.data.classes, strict=True)
            ],
        )

    return _drawn(
        plot,
        "heat-map-",
        "Heat map of samples and selected features",
        width=7.6,
        height=1.7 + 0.24 * len(samples.columns),
    )


def _costs(content: Content) -> str | None:
    from fewest.plotting import plot_path

    found = content.costs
    if found is None or not found.points:
        return None
    curves = {
        "cross-validated": [
            point.balanced_error and point.balanced_error.mean for point in found.points
        ],
        "training": [point.training_balanced_error for point in found.points],
    }
    known = {name: values for name, values in curves.items() if None not in values}
    if not known:
        return None

    def plot(ax: Axes) -> None:
        plot_path(
            [point.C for point in found.points],
            known,
            n_features=[_size(point) for point in found.points],
            chosen=found.chosen,
            ax=ax,
        )

    return _drawn(
        plot, "costs-", "Balanced error and number of features along C", width=6.4, height=3.8
    )


def _size(point: CostPoint) -> float | None:
    """Number of features on all samples, or in the folds."""
    if point.n_features is None and point.fold_n_features is not None:
        return point.fold_n_features.mean
    return point.n_features


def _informative(found: InformativeFeatures | None) -> str | None:
    if found is None:
        return None
    from matplotlib.figure import Figure

    from fewest.plotting import plot_informative

    figure = plot_informative(found, figure=Figure())
    return to_svg(figure, "informative-", "Subset sizes and errors along the removed features")
