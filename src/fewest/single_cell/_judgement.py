"""What held-out predictions say about each type, each pair of types and each donor."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from fewest._estimators.held_out import HeldOut
from fewest._showing import Shown
from fewest._wording import aligned

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False, repr=False)
class Judgement(Shown):
    """Predictions for cells that the classifier had not seen.

    Parameters
    ----------
    held_out : HeldOut
        The folds.
    types : list of str
        All types, in the order of the tables.
    donors : array of shape (n_cells,), optional
        The donor of every cell.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fewest.significance import run_held_out
    >>> from fewest.single_cell import Judgement
    >>> X, y = [[0], [1], [2], [6], [7], [8]], ["B", "B", "B", "T", "T", "T"]
    >>> found = Judgement(run_held_out(LogisticRegression(), np.array(X), y, cv=3), ["B", "T"])
    >>> found.macro_f1
    1.0
    """

    held_out: HeldOut
    types: list[str]
    donors: NDArray[Any] | None = None

    @property
    def error(self) -> float:
        """Share of cells that are misclassified."""
        return self.held_out.error

    @property
    def balanced_error(self) -> float:
        """Mean over the types of the share of their cells that are misclassified."""
        return self.held_out.balanced_error

    @property
    def macro_f1(self) -> float:
        """Mean over the types of F1, the harmonic mean of precision and recall."""
        return float(self.by_type["f1"].mean())

    @cached_property
    def confusion(self) -> pandas.DataFrame:
        """Numbers of cells: true types in rows, predicted types in columns."""
        import pandas

        held = self.held_out
        counts = confusion_matrix(held.true, held.predicted, labels=self.types)
        return pandas.DataFrame(counts, index=self.types, columns=self.types)

    @cached_property
    def by_type(self) -> pandas.DataFrame:
        """Cells, precision, recall and F1 of every type, and what it is most often predicted as."""
        import pandas

        held = self.held_out
        precision, recall, f1, cells = precision_recall_fscore_support(
            held.true, held.predicted, labels=self.types, zero_division=0.0
        )
        wrong = self.confusion.to_numpy() * (1 - np.eye(len(self.types), dtype=int))
        rivals = [self.types[row.argmax()] if row.any() else "" for row in wrong]
        columns = {"cells": cells, "precision": precision, "recall": recall, "f1": f1}
        return pandas.DataFrame({**columns, "confused_with": rivals}, index=self.types)

    @cached_property
    def confused_pairs(self) -> pandas.DataFrame:
        """Pairs of types of which cells were predicted as the other, the largest share first.

        `cells` are the wrong ones in both directions; `share` is that of the cells of both types
        which were predicted as one of the two.
        """
        import pandas

        counts = self.confusion.to_numpy()
        rows, columns = np.triu_indices(len(self.types), k=1)
        wrong = counts[rows, columns] + counts[columns, rows]
        both = wrong + counts[rows, rows] + counts[columns, columns]
        share = wrong / np.maximum(both, 1)
        order = [place for place in np.lexsort((-wrong, -share)) if wrong[place]]
        names = np.array(self.types, dtype=object)
        return pandas.DataFrame(
            {
                "one": names[rows[order]],
                "other": names[columns[order]],
                "cells": wrong[order],
                "share": share[order],
            }
        )

    @cached_property
    def by_donor(self) -> pandas.DataFrame:
        """Cells and error of every donor, predicted without any cell of that donor.

        Empty if no donors were named.
        """
        import pandas

        if self.donors is None:
            return pandas.DataFrame({"cells": [], "error": []})
        held = self.held_out
        wrong = pandas.Series(held.predicted != held.true)
        table = wrong.groupby(self.donors[held.tested]).agg(["size", "mean"])
        return table.rename(columns={"size": "cells", "mean": "error"})


def align_with_words(rows: list[list[str]]) -> str:
    """A table whose last column has words, which begin at the same place."""
    lines = aligned([row[:-1] for row in rows]).split("\n")
    width = max(map(len, lines))
    pairs = zip(lines, rows, strict=True)
    return "\n".join(f"{line.ljust(width)}  {row[-1]}".rstrip() for line, row in pairs)
