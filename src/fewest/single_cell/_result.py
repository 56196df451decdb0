"""A panel: its genes, what they speak for, and how well they do on cells that were held out."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fewest._anndata.matching import read_named_genes, spread_columns
from fewest._estimators.abilities import abilities_of, selection_of
from fewest._estimators.certificate import Certificate
from fewest._showing import Shown
from fewest._wording import counted, cut, listed, percent
from fewest.single_cell._judgement import Judgement, align_with_words

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False, repr=False)
class Panel(Shown):
    """Genes that tell cell types apart, and how well they do on cells that were held out.

    Parameters
    ----------
    genes : list of str
        The panel; genes of one type stand together, the strongest first.
    weights : data frame of shape (n_genes, n_types)
        What one standard deviation of the gene adds to the score of the type, compared with the
        mean over the types.
    estimator : fitted estimator
        The machine; its columns are all genes of the AnnData object.
    judgement : Judgement or None
        Errors, F1, confusion and donors from folds in which genes were selected again; None with
        ``cv=None``.
    certificates : tuple of Certificate
        Objective, proven bound and gap of each linear program.
    label, layer, donor : str or None
        The columns and the layer that were used.
    counts : bool
        Whether the values were counts, and were normalised.
    needed_by : dict
        With a hierarchy: for every gene, the types whose parts it tells apart; "all cells" if it
        tells the broadest types apart.
    notes : tuple of str
        What was decided on the way.
    method : str
        Name of the estimator, for people.
    use_raw : bool
        Whether the values were those of `adata.raw`.
    all_genes : tuple of str
        The genes that could be selected, in the order of the columns that the estimator saw.
    """

    genes: list[str]
    weights: pandas.DataFrame
    estimator: Any
    judgement: Judgement | None
    certificates: tuple[Certificate, ...] = ()
    label: str = ""
    layer: str | None = None
    donor: str | None = None
    counts: bool = False
    needed_by: dict[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    method: str = ""
    use_raw: bool = False
    all_genes: tuple[str, ...] = ()

    def predict(self, adata: Any, *, key_added: str | None = None) -> pandas.Series:
        """Types of the cells of another object, from the same layer as in the fit.

        Parameters
        ----------
        adata : AnnData
            Its genes are found by name, and may be in any order. Those that were not selected may
            be missing, if the estimator does not need them.
        key_added : str, optional
            Column of `adata.obs` to which the types are written.

        Returns
        -------
        Series
            A category for every cell, with the names of the cells as index.
        """
        import pandas

        found = pandas.Series(
            pandas.Categorical(self._predict(adata), categories=self.types),
            index=adata.obs_names,
            name=self.label if key_added is None else key_added,
        )
        if key_added is not None:
            adata.obs[key_added] = found
        return found

    def _predict(self, adata: Any) -> Any:
        needed = np.arange(len(self.all_genes))
        if abilities_of(self.estimator).predicts_from_support:
            needed = np.flatnonzero(selection_of(self.estimator).support)
        values = read_named_genes(
            adata,
            [self.all_genes[place] for place in needed],
            layer=self.layer,
            use_raw=self.use_raw,
            counts=self.counts,
        )
        if len(needed) < len(self.all_genes):
            values = spread_columns(values, needed, len(self.all_genes))
        with warnings.catch_warnings():
            # The estimator knows the names; the columns are in their order.
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            return self.estimator.predict(values)

    @property
    def types(self) -> list[str]:
        """The cell types, sorted."""
        return [str(name) for name in self.weights.columns]

    @property
    def speaks_for(self) -> dict[str, str]:
        """The type that each gene raises the score of most."""
        return {str(gene): str(name) for gene, name in self.weights.idxmax(axis=1).items()}

    @property
    def gap(self) -> float:
        """The largest relative gap between objective and proven bound of the programs."""
        return max((proof.relative_gap for proof in self.certificates), default=float("nan"))

    @property
    def by_type(self) -> pandas.DataFrame:
        """One row per type: the genes that speak for it, cells, precision, recall and F1."""
        import pandas

        spoken = self.speaks_for
        genes = [[gene for gene in self.genes if spoken[gene] == name] for name in self.types]
        table = pandas.DataFrame({"genes": [", ".join(names) for names in genes]}, index=self.types)
        return table if self.judgement is None else table.join(self.judgement.by_type)

    def __str__(self) -> str:
        """A table of the types, and the error below it."""
        head = f"{counted(len(self.genes), 'gene')} for {counted(len(self.types), 'type')}"
        if self.judgement is None:
            return f"{head}: {listed(self.genes, 20)}"
        table = self.by_type
        rows = [["", "cells", "F1", "genes"]]
        rows += [
            [cut(name), f"{row['cells']:.0f}", f"{row['f1']:.2f}", cut(row["genes"], 60)]
            for name, row in table.iterrows()
        ]
        out = "donors" if self.donor is not None else "cells"
        return (
            f"{head}\n{align_with_words(rows)}\n"
            f"on {out} held out in {counted(len(self.judgement.held_out.folds), 'fold')}: error "
            f"{percent(self.judgement.error)}, macro-F1 {self.judgement.macro_f1:.3f}"
        )
