"""What a report on a decoder says: collected here, laid out elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fewest._tables.wording import counted
from fewest.neuro.figures import decoder_figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class ContentTable:
    """A table of a report."""

    title: str
    header: list[str]
    rows: list[list[str]]


@dataclass(frozen=True, eq=False)
class ReportContent:
    """Everything that a report shows.

    Attributes
    ----------
    title : str
        Of the report.
    sentences : list of str
        The main results in words.
    tables : list of ContentTable
        Folds, repetitions, regions.
    figures : dict of matplotlib figures
        Maps by name.
    """

    title: str
    sentences: list[str]
    tables: list[ContentTable] = field(default_factory=list)
    figures: dict[str, Figure] = field(default_factory=dict)

    def __str__(self) -> str:
        return "\n".join([self.title, *self.sentences])


def report_content(decoder: Any) -> ReportContent:
    """Sentences, tables and figures of a fitted decoder."""
    tables = [_fold_table(decoder), _repetition_table(decoder), _region_table(decoder)]
    return ReportContent(
        title="The fewest voxels that tell conditions apart",
        sentences=sentences(decoder),
        tables=[table for table in tables if table is not None],
        figures=decoder_figures(decoder),
    )


def sentences(decoder: Any) -> list[str]:
    """The main results in words, one sentence each."""
    n_selected = int(np.count_nonzero(decoder.estimator_.coef_.any(axis=0)))
    of_what = counted(decoder.n_features_, "voxel")
    if decoder.downsample:
        of_what += (
            f" (downsampled {counted(decoder.downsample, 'time')} from {decoder.n_elements_})"
        )
    labels = [str(label) for label in decoder.classes_.tolist()]
    found = [f"{n_selected} of {of_what} tell {', '.join(labels[:-1])} and {labels[-1]} apart."]
    if decoder.error_ is not None:
        n_folds = len(decoder.cv_results_["fold"])
        found.append(
            f"The balanced error on volumes that had no part in the selection is "
            f"{decoder.error_:.1%} ({counted(n_folds, 'fold')}, standard deviation "
            f"{decoder.error_sd_:.1%}); chance is {1 - 1 / len(labels):.1%}."
        )
    if decoder.selector_ is not None:
        subsets = decoder.selector_.subsets_
        found.append(
            f"{counted(len(subsets), 'disjoint subset')} found one after the other hold "
            f"{counted(int(sum(map(len, subsets))), 'voxel')}."
        )
    if decoder.informative_ is not None:
        found.append(
            f"About {decoder.informative_.estimate:.0%} of the voxels carry information, by the "
            "papers' rule."
        )
    return found


def _fold_table(decoder: Any) -> ContentTable | None:
    results = decoder.cv_results_
    if results is None:
        return None
    rows = [
        [str(fold), str(left_out), str(n_test), f"{error:.3f}", str(n_features)]
        for fold, left_out, n_test, error, n_features in zip(
            results["fold"],
            results["left_out"],
            results["n_test"],
            results["balanced_error"],
            results["n_features"],
            strict=True,
        )
    ]
    header = ["fold", "left out", "test volumes", "balanced error", "voxels"]
    return ContentTable("Cross-validation", header, rows)


def _repetition_table(decoder: Any) -> ContentTable | None:
    selector = decoder.selector_
    if selector is None:
        return None
    rows = [
        [str(number), str(size), f"{error:.3f}"]
        for number, (size, error) in enumerate(
            zip(selector.sizes_, selector.training_errors_, strict=True), start=1
        )
    ]
    return ContentTable("Repetitions", ["repetition", "voxels", "training error"], rows)


def _region_table(decoder: Any) -> ContentTable | None:
    if decoder.regions_ is None:
        return None
    rows = [
        [
            region.name,
            f"{region.left_share:.1%} ({region.left})",
            f"{region.right_share:.1%} ({region.right})",
        ]
        for region in decoder.regions_.listed().regions
    ]
    return ContentTable("Regions", ["region", "left", "right"], rows)
