"""How well a given panel tells cell types apart, and what each of its genes adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import f1_score

from fewest._estimators.held_out import Fold, HeldOut, judge_in_parallel
from fewest._estimators.splits import Split, split_folds
from fewest._estimators.validation import check_flag, make_dense
from fewest._showing import Shown
from fewest._types import FloatArray, IndexArray
from fewest._wording import aligned, counted, cut, percent
from fewest.panels._errors import PERHAPS_CHOSEN_HERE, bracketed
from fewest.panels._folds import choose_classifier, judge_columns
from fewest.single_cell._cells import check_donors, read_cells
from fewest.single_cell._judgement import Judgement, align_with_words

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False, repr=False)
class PanelEvaluation(Shown):
    """Errors of a classifier on the genes of a panel, from cells that it had not seen.

    Parameters
    ----------
    genes : list of str
        The panel, as it was given.
    judgement : Judgement
        Errors, F1, confusion and donors.
    gains : data frame or None
        For each gene, the macro-F1 without it (`without`), and what it adds (`gain`), the largest
        gain first; None if that was not asked for.
    donor : str or None
        The column of donors, if whole donors were left out.
    caveat : str
        Why all of these numbers may be better than those of new cells; empty where they are not.
    """

    genes: list[str]
    judgement: Judgement
    gains: pandas.DataFrame | None
    donor: str | None = None
    caveat: str = ""

    @property
    def macro_f1(self) -> float:
        """Mean over the types of F1."""
        return self.judgement.macro_f1

    @property
    def by_type(self) -> pandas.DataFrame:
        """Cells, precision, recall and F1 of every type, and what it is most often predicted as."""
        return self.judgement.by_type

    @property
    def confusion(self) -> pandas.DataFrame:
        """Numbers of cells: true types in rows, predicted types in columns."""
        return self.judgement.confusion

    @property
    def confused_pairs(self) -> pandas.DataFrame:
        """Pairs of types that are taken for each other, the largest share of cells first."""
        return self.judgement.confused_pairs

    def __str__(self) -> str:
        """Types with their F1, the error, and genes with their gain."""
        rows = [["", "cells", "precision", "recall", "F1", "confused with"]]
        rows += [
            [
                cut(name),
                f"{row['cells']:.0f}",
                *(f"{row[measure]:.2f}" for measure in ("precision", "recall", "f1")),
                cut(row["confused_with"]),
            ]
            for name, row in self.by_type.iterrows()
        ]
        out = "donors" if self.donor is not None else "cells"
        lines = [
            f"{counted(len(self.genes), 'gene')}, judged on {out} held out in "
            f"{counted(len(self.judgement.held_out.folds), 'fold')}",
            align_with_words(rows),
            f"error {percent(self.judgement.error)}, macro-F1 {self.macro_f1:.3f}"
            f"{bracketed(self.caveat)}",
        ]
        if self.gains is not None:
            parts = [["", "macro-F1 without it", "gain"]]
            parts += [
                [cut(gene), f"{row['without']:.3f}", f"{row['gain']:+.3f}"]
                for gene, row in self.gains.iterrows()
            ]
            lines.append(aligned(parts))
        return "\n".join(lines)


def evaluate_panel(
    adata: Any,
    genes: Sequence[str],
    label: str,
    *,
    layer: str | None = None,
    donor: str | None = None,
    counts: bool = False,
    classifier: Any = None,
    cv: Any = 5,
    leave_out: bool = True,
    chosen_elsewhere: bool = False,
    unlabelled: str = "error",
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> PanelEvaluation:
    """Cross-validate a classifier on the genes of any panel, with all of them and without each.

    The classifier is trained again in every fold, but the panel is the same in all of them. If it
    was selected with these very cells, its error here is too small, and it is marked as optimistic
    unless the panel was `chosen_elsewhere`: see `select_panel` for one that includes the selection.

    Parameters
    ----------
    adata : AnnData
        Cells in rows, genes in columns; also backed.
    genes : sequence of str
        The panel: names in `adata.var_names`.
    label : str
        Column of `adata.obs` with the cell types.
    layer : str, optional
        Layer with the values; `adata.X` by default.
    donor : str, optional
        Column of `adata.obs` with the donor of every cell; folds then leave whole donors out.
    counts : bool
        The values are counts: they are scaled to 10,000 per cell (over all genes), and log(1 + x)
        is taken.
    classifier : scikit-learn classifier, optional
        Multinomial logistic regression on standardised genes by default.
    cv : int or splitter
        Folds, stratified by type.
    leave_out : bool
        Measure what each gene adds, by leaving it out: this takes as many cross-validations as
        there are genes, on the same folds.
    chosen_elsewhere : bool
        The panel was chosen without these cells: it comes from a paper, for instance.
    unlabelled : {"error", "drop"}
        What to do with cells without a type or donor.
    random_state : int, RandomState instance or None
        Shuffles the folds, if `cv` is a number.
    n_jobs : int, optional
        Processes, in joblib's sense.
    verbose : int
        Above zero, shows a progress bar.

    Returns
    -------
    PanelEvaluation
        F1 per type, confusion, pairs that are confused, and the gain of each gene.

    See Also
    --------
    select_panel : Selects a panel, and measures its error with the selection included.

    Examples
    --------
    >>> import anndata, numpy, pandas
    >>> from fewest.single_cell import evaluate_panel
    >>> rng = numpy.random.default_rng(0)
    >>> types = numpy.repeat(["B", "NK", "T"], 40)
    >>> values = rng.normal(size=(120, 5))
    >>> values[numpy.arange(120), numpy.arange(120) // 40] += 4.0
    >>> adata = anndata.AnnData(
    ...     values,
    ...     obs=pandas.DataFrame({"celltype": types}, index=[f"cell {i}" for i in range(120)]),
    ...     var=pandas.DataFrame(index=["MS4A1", "NKG7", "CD3D", "ACTB", "GAPDH"]),
    ... )
    >>> found = evaluate_panel(adata, ["CD3D", "MS4A1", "ACTB"], "celltype")
    >>> print(found)
    3 genes, judged on cells held out in 5 folds
          cells  precision  recall    F1  confused with
      B      40       0.98    1.00  0.99
      NK     40       1.00    0.95  0.97  B
      T      40       0.98    1.00  0.99
    error 1.7 %, macro-F1 0.983 (optimistic if the panel was chosen on these cells)
             macro-F1 without it    gain
      MS4A1                0.671  +0.312
      CD3D                 0.679  +0.304
      ACTB                 0.983  +0.000
    """
    model = choose_classifier(classifier)
    check_flag("chosen_elsewhere", chosen_elsewhere)
    cells = read_cells(
        adata, label, genes=genes, layer=layer, donor=donor, counts=counts, unlabelled=unlabelled
    )
    check_donors(cells, label, donor)
    X = np.asarray(make_dense(cells.X))
    splits = split_folds(cv, cells.y, cells.donors, random_state=random_state)
    everything = np.arange(X.shape[1])
    parts = [everything]
    if leave_out and len(everything) > 1:
        parts += [np.delete(everything, place) for place in everything]
    jobs = [
        (model, X, cells.y, cells.donors, columns, split) for columns in parts for split in splits
    ]
    folds = list(
        judge_in_parallel(
            jobs, judge=_judge_genes, n_jobs=n_jobs, verbose=verbose, what="panel evaluation"
        )
    )
    runs = [
        HeldOut(cells.y, tuple(folds[start : start + len(splits)]), model, cells.donors)
        for start in range(0, len(folds), len(splits))
    ]
    judgement = Judgement(runs[0], cells.types, cells.donors)
    gains = _measure_gains(judgement, runs[1:], cells.genes) if len(parts) > 1 else None
    caveat = "" if chosen_elsewhere else PERHAPS_CHOSEN_HERE.replace("samples", "cells")
    return PanelEvaluation(cells.genes, judgement, gains, donor, caveat)


def _judge_genes(
    model: Any, X: FloatArray, y: Any, groups: Any, columns: IndexArray, split: Split
) -> Fold:
    """One fold on some of the genes."""
    return judge_columns(model, X, y, groups, columns, [split])[0]


def _measure_gains(
    judgement: Judgement, runs: Sequence[HeldOut], genes: Sequence[str]
) -> pandas.DataFrame:
    """What macro-F1 loses without each gene, the largest loss first."""
    import pandas

    types = judgement.types
    without = [
        f1_score(run.true, run.predicted, labels=types, average="macro", zero_division=0.0)
        for run in runs
    ]
    table = pandas.DataFrame({"without": without}, index=list(genes))
    table["gain"] = judgement.macro_f1 - table["without"]
    return table.sort_values("gain", ascending=False, kind="stable")
