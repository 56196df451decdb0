"""One set of features for more than two classes, as text: a row per feature, a column per class."""

from __future__ import annotations

from fewest._wording import cut, four_digits
from fewest.report.content import Answer, Content

_LONGEST_LABEL, _MOST_CLASSES = 12, 8  # what fits beside each other


def is_panel(answer: Answer, n_classes: int) -> bool:
    """Whether all of some classes share their features, and can be shown side by side."""
    columns = [{one.column for one in plane.features} for plane in answer.hyperplanes]
    is_shared = len(columns) > 1 and all(columns[0] == other for other in columns)
    return is_shared and bool(columns[0]) and n_classes <= _MOST_CLASSES


def panel_tables(content: Content) -> tuple[list[list[str]], list[list[str]]]:
    """Rows of the features' weights for every class, and of their means in the classes."""
    answer = content.said
    labels = [cut(plane.positive_class, _LONGEST_LABEL) for plane in answer.hyperplanes]
    validation = content.trust.validation
    ends = [] if validation is None else ["folds"]
    weight_of = [{one.column: one.weight or 0.0 for one in p.features} for p in answer.hyperplanes]
    features = sorted(
        answer.hyperplanes[0].features,
        key=lambda one: -max(abs(weights[one.column]) for weights in weight_of),
    )
    weights, means = [["weights", *labels, *ends]], [["means", *labels]]
    for one in features:
        name = cut(one.name)
        row = [name, *(four_digits(known[one.column]) for known in weight_of)]
        if validation is not None:
            row.append(f"{one.folds_selected}/{len(validation.folds)}")
        weights.append(row)
        means.append([name, *map(four_digits, one.class_means)])
    return weights, means
