"""A result for a reader at a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fewest._estimators.certificate import Certificate
from fewest._wording import counted, cut, cut_apart, four_digits, percent, visible
from fewest.cli._class_text import per_class_blocks
from fewest.cli._comparison_text import comparison_blocks, learning_blocks
from fewest.cli._confounding_text import confounding_blocks
from fewest.cli._emphasis import aligned, dim
from fewest.cli._minimum_text import front_blocks, minimum_blocks
from fewest.cli._panel_text import class_text, no_feature_text, panel_text
from fewest.diagnostics._summary import GEOMETRY_TITLE
from fewest.report._trust_content import Spread, Validation
from fewest.report._wording import QUOTE_FIRST
from fewest.report.content import (
    NOT_ASKED_FOR,
    Content,
    CostCurve,
    CostPoint,
    DataSummary,
    Hyperplane,
    Panel,
    SelectedFeature,
)

_LONGEST_LABEL = 16
_MOST_CLASSES = 12
_MOST_SUBSETS = 20
_MOST_NAMES = 4  # of a subset
_POINTS = 10  # of a curve

_NO_SMALLEST = "  It proves this program's optimum, not that no smaller set of features exists."
_ENDINGS = {
    "repetitions": "as many subsets as --subsets asks for",
    "inseparable": "the features that are left do not separate the classes",
    "training error": "the next one has a larger training error than --max-training-error",
    "features used up": "fewer features are left than --min-features asks for",
    "nothing selected": "an error is cheaper than any feature that is left",
    "interrupted": "interrupted",
}


def data_text(data: DataSummary) -> str:
    """What was read: printed before the work starts."""
    labels = cut_apart([one.label for one in data.classes], _LONGEST_LABEL)
    classes = [
        f"{label} ({one.n_samples})" for label, one in zip(labels, data.classes, strict=True)
    ]
    lines = [
        f"Data      {data.origin}: {counted(data.n_samples, 'sample')}, "
        f"{counted(data.n_features, 'feature')}",
        f"Classes   {shorten(classes)}",
    ]
    if data.dropped:
        lines.append(f"Left out  {', '.join(cut(name) for name in data.dropped)}")
    return "\n".join([*lines, *(dim(f"Note      {visible(note)}") for note in data.notes)])


def shorten(labels: Sequence[str]) -> str:
    """The first classes, and how many more there are."""
    more = len(labels) - _MOST_CLASSES
    return ", ".join(labels[:_MOST_CLASSES]) + (f" and {more} more" if more > 0 else "")


def result_blocks(content: Content, *, verbose: bool = False) -> list[str]:
    """Every part that is there; proofs if they are wanted."""
    blocks = [
        *_answer_blocks(content, verbose=verbose),
        *_cost_blocks(content),
        *_size_blocks(content),
        *_subset_blocks(content),
        *_informative_blocks(content),
        *minimum_blocks(content, verbose=verbose),
        *per_class_blocks(content),
        *front_blocks(content, verbose=verbose),
        _diagnosis_text(content, verbose=verbose),
        *confounding_blocks(content),
        *comparison_blocks(content),
        *learning_blocks(content),
    ]
    return [block for block in blocks if block]


def names_text(names: Iterable[str]) -> str:
    """Names only, one per line."""
    return "\n".join(map(visible, names))


def notes_text(notes: Iterable[str]) -> str:
    """Each note in a line."""
    return dim("\n".join(f"Note: {visible(note)}" for note in notes))


def time_text(seconds: dict[str, float]) -> str:
    """How long each part took."""
    if not seconds:
        return ""
    return dim(f"Time: {', '.join(f'{what} {taken:.2f} s' for what, taken in seconds.items())}")


def list_notes(content: Content) -> list[str]:
    """The notes; the first one says why there is no cross-validation."""
    reason = content.why_not("validation")
    if reason is None or reason == NOT_ASKED_FOR:
        return content.notes
    return [f"No cross-validation: {reason}.", *content.notes]


def _diagnosis_text(content: Content, *, verbose: bool) -> str:
    found = content.trust.diagnostics
    if found is None or verbose:
        return "" if found is None else found.summary
    main, title, _ = found.summary.partition(f"\n\n{GEOMETRY_TITLE}\n")
    return f"{main}\n\n{GEOMETRY_TITLE}: --verbose" if title else main


def _answer_blocks(content: Content, *, verbose: bool) -> list[str]:
    answer = content.answer
    if answer is None:
        return []
    said = [chosen_text(content), "\n".join(map(visible, content.question.rules))]
    if answer.panel is not None:
        return [*said, *panel_blocks(content, answer.panel, verbose=verbose)]
    planes = (_hyperplane_text(plane, content) for plane in answer.hyperplanes)
    features = [_total_text(content), *planes]
    return [
        *said,
        *features,
        _legend(content),
        errors_text(content),
        class_text(content),
        _certificates_text(content) if verbose else "",
    ]


def panel_blocks(content: Content, panel: Panel, *, verbose: bool) -> list[str]:
    """One panel for many classes: its features, errors, and the one proof if it is wanted."""
    proof = []
    if verbose and panel.certificate is not None:
        proof = [
            "Certificate of the one linear program for all classes, over all features",
            *(f"  {line}" for line in _certificate_lines(panel.certificate)),
            _NO_SMALLEST,
        ]
    return [
        panel_text(content, panel),
        errors_text(content),
        class_text(content),
        "\n".join(proof),
    ]


def chosen_text(content: Content) -> str:
    """The C that the method chose, if it did."""
    chosen = content.question.chosen.get("C")
    if chosen is None:
        return ""
    return (
        f"Chosen C: {chosen:.4g}, what a training error costs in features, by an inner "
        "cross-validation:\nthe fewest features that do about as well there as the best."
    )


def _total_text(content: Content) -> str:
    """How many features all classes take together, if there are more than two."""
    n_classes, said = len(content.data.classes), content.said
    if n_classes == 2 or not said.n_selected:
        return ""
    of_all = f"{said.n_selected} of {counted(content.data.n_features, 'feature')}"
    return f"Selected: {of_all}, for {n_classes} classes together"


def _hyperplane_text(plane: Hyperplane, content: Content) -> str:
    number = len(plane.features)
    of_all = f"{number} of {counted(content.data.n_features, 'feature')}"
    title = f"Selected: {of_all}"
    if plane.negative_class is None:
        title = f"Class {cut(plane.positive_class)} against the rest: {of_all}"
    if number:
        return f"{title}\n{_feature_table(plane, content)}"
    if content.question.parameters.get("epsilon") is not None:
        return f"{title}\n  None: no feature is that correlated with the class. Lower --epsilon."
    return f"{title}\n{no_feature_text(content)}"


def _feature_table(plane: Hyperplane, content: Content) -> str:
    labels = [entry.label for entry in content.data.classes]
    one_against_rest = plane.negative_class is None
    shown = [plane.positive_class, "rest"] if one_against_rest else labels
    header = ["feature", "weight", *(f"mean {label}" for label in cut_apart(shown, _LONGEST_LABEL))]
    validation = content.trust.validation
    if validation is not None:
        header.append("folds")

    def row(name: str, feature: SelectedFeature) -> list[str]:
        means = feature.class_means
        if one_against_rest:
            means = [means[labels.index(plane.positive_class)], feature.rest_mean]
        cells = [name, *map(four_digits, (feature.weight or 0.0, *means))]
        if validation is not None:
            cells.append(f"{feature.folds_selected}/{len(validation.folds)}")
        return cells

    names = cut_apart([feature.name for feature in plane.features])
    return aligned([header, *map(row, names, plane.features)])


def _legend(content: Content) -> str:
    if not content.said.n_selected:
        return ""
    first = content.said.hyperplanes[0]
    favoured = "that class" if first.negative_class is None else cut(first.positive_class)
    lines = [
        "Weights are for features divided by their standard deviations; above zero, larger values "
        f"point to {favoured}.",
        "Means are of the values in the data.",
    ]
    if content.trust.validation is not None:
        lines[-1] += " Folds: how many of them selected the feature too."
    return "\n".join(lines)


def errors_text(content: Content, *, of_voxels: bool = False) -> str:
    """Errors on the samples that were fitted, and in cross-validation."""
    unit, part = ("volume", "Voxels") if of_voxels else ("sample", "Features")
    training, validation = content.said.training, content.trust.validation
    lines = []
    if training is not None:
        lines.append(
            f"Training error          {training.n_errors} of "
            f"{counted(content.data.n_samples, unit)}"
        )
    if validation is not None:
        means = validation.over_folds
        folds = counted(validation.n_folds, "fold")
        if content.data.n_groups is not None:
            folds += ", whole groups left out"
        lines += [
            f"Cross-validated error   balanced {percent(validation.balanced_error)}"
            f"{_interval_text(validation)}; {folds}",
            f"  {validation.n_errors} of {counted(validation.n_judged, unit)} wrong when left out. "
            f"Guessing has a balanced error of {percent(1 - 1 / len(content.data.classes))}.",
            f"  {part} were selected again in every fold: {means.n_features.mean:.1f} on average.",
        ]
        if validation.n_repeats > 1:
            lines.append(
                f"  These are the first folds of {validation.n_repeats} repeats. All folds have a "
                f"mean of {percent(means.balanced_error.mean)} (sd {_sd(means.balanced_error)})."
            )
    return "\n".join(lines)


def _interval_text(validation: Validation) -> str:
    found = validation.balanced_interval
    if found is None:
        return f" (no interval: {validation.no_interval})" if validation.no_interval else ""
    confidence = f"{100 * found.confidence:.0f} %"
    return f" ({confidence} interval {percent(found.low)} to {percent(found.high)})"


def _sd(spread: Spread) -> str:
    return "-" if spread.sd is None else percent(spread.sd)


def _certificates_text(content: Content) -> str:
    planes = content.said.hyperplanes
    proofs = [(plane, plane.certificate) for plane in planes if plane.certificate is not None]
    if not proofs:
        return ""
    program = "first linear" if proofs[0][1].linear_programs else "quadratic"
    lines = [f"Certificate of the {program} program, over all features"]
    joint = len({certificate for _, certificate in proofs}) == 1 < len(proofs)
    for plane, certificate in proofs[:1] if joint else proofs:
        indent = "  "
        if plane.negative_class is None and not joint:
            lines.append(f"  Class {cut(plane.positive_class)} against the rest")
            indent = "    "
        lines += [f"{indent}{line}" for line in _certificate_lines(certificate)]
    lines.append(_NO_SMALLEST)
    return "\n".join(lines)


def _certificate_lines(certificate: Certificate) -> list[str]:
    wrong = certificate.samples_on_wrong_side
    side = "no training error"
    if wrong:
        side = f"{counted(wrong, 'training sample')} on the wrong side"
    if certificate.samples_inside_margin is not None:
        side += f", {certificate.samples_inside_margin} inside the margin"
    return [
        f"objective {certificate.objective:.8g}, proven lower bound {certificate.lower_bound:.8g}, "
        f"relative gap {certificate.relative_gap:.1g}",
        f"selection: {side}",
    ]


def cost_table(costs: CostCurve) -> str:
    """Errors and numbers of features against C."""
    header = ["C", "features", "training"]
    if costs.n_folds:
        header += ["cross-validated", "sd", "features in folds", ""]
    rows = [_cost_row(point, place == costs.chosen) for place, point in enumerate(costs.points)]
    return aligned([header, *rows])


def _cost_row(point: CostPoint, is_chosen: bool) -> list[str]:
    row = [f"{point.C:.4g}", str(point.n_features), percent(point.training_balanced_error or 0.0)]
    if point.balanced_error is not None and point.fold_n_features is not None:
        row += [
            percent(point.balanced_error.mean),
            _sd(point.balanced_error),
            f"{point.fold_n_features.mean:.1f}",
            "*" if is_chosen else "",
        ]
    return row


def _size_blocks(content: Content) -> list[str]:
    curve = content.sizes
    if curve is None:
        return []
    header = ["k", "cross-validated", "sd", ""]
    rows = [
        [
            str(point.n_features),
            percent(point.balanced_error.mean),
            _sd(point.balanced_error),
            "*" if place == curve.chosen else "",
        ]
        for place, point in enumerate(curve.points)
    ]
    text = (
        f"Balanced error of panels of k features in {counted(curve.n_splits, 'split')}, chosen in "
        "the training parts.\n* the smallest k within one standard error of the best. It was "
        "chosen by these errors, so its own\n  is optimistic."
    )
    return [aligned([header, *rows]), text]


def _cost_blocks(content: Content) -> list[str]:
    costs = content.costs
    if costs is None:
        return []
    text = "Balanced errors of the machines on all samples (training)"
    if not costs.n_folds:
        return [cost_table(costs), f"{text}."]
    text += (
        f" and in {counted(costs.n_folds, 'fold')}, where features\n"
        "were selected again without the samples of the fold."
    )
    if costs.chosen is not None:
        text += (
            "\n* smallest cross-validated error, and the fewest features if several have it. As "
            "the smallest\n  of many it is optimistic: the error of a C chosen like this is larger."
        )
    return [cost_table(costs), text]


def _subset_blocks(content: Content) -> list[str]:
    found = content.alternatives
    if found is None:
        return []
    header = ["features", "rank", "repetition", "size", "so far", "training"]
    rows, together = [], 0
    for rank, number in enumerate(found.ranking[:_MOST_SUBSETS], start=1):
        subset = found.subsets[number - 1]
        size = len(subset.columns)
        together += size
        names = [cut(name, _LONGEST_LABEL) for name in subset.features[:_MOST_NAMES]]
        names += [f"+{size - _MOST_NAMES}"] * (size > _MOST_NAMES)
        numbers = map(str, (rank, number, size, together))
        rows.append([", ".join(names), *numbers, percent(subset.training_error)])
    table = aligned([header, *rows])
    more = len(found.subsets) - _MOST_SUBSETS
    if more > 0:
        table += f"\n  and {counted(more, 'subset')} more: see --csv and --json"
    of_all = sum(len(subset.columns) for subset in found.subsets)
    ending = (
        f"{counted(len(found.subsets), 'disjoint subset')} of {of_all} of the "
        f"{counted(content.data.n_features, 'feature')}, the smallest first.\n"
        f"The search ended: {_ENDINGS[found.stop_reason or '']}."
    )
    if any(subset.training_error for subset in found.subsets):
        ending += (
            "\nTraining: samples that the hyperplane of the subset puts into another class.\n"
            "Without a refit, some lie on the hyperplane itself, which counts for the first class."
        )
    return [table, ending]


def _informative_blocks(content: Content) -> list[str]:
    found = content.informative
    if found is None:
        return []
    rows = [[one.rule, percent(one.share), str(one.n_features)] for one in found.estimates]
    what = "folds" if content.data.n_groups is None else "participants or groups"
    estimates = (
        f"{aligned([['features that carry information', 'share', 'number'], *rows])}\n"
        f"{QUOTE_FIRST}\n\n"
        f"From {counted(len(found.folds), 'run')}, each with other {what} left out "
        f"({sum(fold.n_subsets for fold in found.folds)} machines in all)."
    )
    if len(content.data.classes) > 2:
        estimates += f"\nGuessing has an error of {percent(1 - 1 / len(content.data.classes))}."
    if found.n_probed is not None and found.n_probed < content.data.n_samples:
        estimates += (
            f"\nErrors on the rest are of {found.n_probed:,} samples drawn at random, of "
            f"{content.data.n_samples:,}."
        )
    columns = {
        "removed": found.fraction,
        "size of subsets": found.sizes,
        "their error": found.selection_error,
        "error on the rest": found.probe_error,
        "chance from": found.chance_lower,
    }
    known = {name: values for name, values in columns.items() if values is not None}
    step = max(1, (len(found.fraction) - 1) // _POINTS)
    rows = [
        [
            f"{values[place]:.1f}" if name == "size of subsets" else percent(values[place])
            for name, values in known.items()
        ]
        for place in range(0, len(found.fraction), step)
    ]
    blocks = [estimates, aligned([list(known), *rows])]
    if found.overlap:
        header = ["first features", "in the top of the t-map", "expected", "largest p-value"]
        rows = [
            [
                f"{100 * row.share:g} %",
                percent(row.observed),
                percent(row.expected),
                f"{row.p_value:.2g}",
            ]
            for row in found.overlap
        ]
        blocks.append(aligned([header, *rows]))
    return blocks
