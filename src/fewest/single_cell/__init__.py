"""The fewest genes that tell cell types apart: AnnData in, gene panels out. Needs anndata."""

from fewest.single_cell._evaluation import PanelEvaluation, evaluate_panel
from fewest.single_cell._figures import plot_panel
from fewest.single_cell._fit import fit
from fewest.single_cell._judgement import Judgement
from fewest.single_cell._panel import select_panel
from fewest.single_cell._result import Panel

__all__ = [
    "Judgement",
    "Panel",
    "PanelEvaluation",
    "evaluate_panel",
    "fit",
    "plot_panel",
    "select_panel",
]
