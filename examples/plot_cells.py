"""A gene panel for blood cells
============================

Which few genes tell the types of blood cells apart? The data are 700 cells and 765 genes that
come with scanpy (``pip install scanpy``); without it, this script says so and ends.
"""

import sys

import matplotlib.pyplot as plt

from fewest.plotting import plot_confusion
from fewest.single_cell import evaluate_panel, plot_panel, select_panel

try:
    import scanpy
except ImportError:
    sys.exit("The cells of this example come with scanpy: pip install scanpy")

# %%
# The values in ``X`` are centred and scaled. Log-normalised ones, sparse, are in ``raw``.

cells = scanpy.datasets.pbmc68k_reduced().raw.to_adata()
panel = select_panel(cells, "bulk_labels", n_genes=12, cv=3, random_state=0)
print(panel)

# %%
# The size of a dot is the share of cells that express the gene. Each gene is next to the type for
# which it is the strongest marker.

plot_panel(panel, cells)

# %%
# As a heat map.

plot_panel(panel, cells, kind="heatmap")

# %%
# Which types are still confused? These are predictions for cells that were held out when the genes
# were selected.

held_out = panel.judgement.held_out
plot_confusion(held_out.true, held_out.predicted)
print(panel.judgement.confused_pairs.head())

# %%
# What does each gene add? Logistic regression on the panel, with all of its genes and without each.
# The panel is the same in all folds, so this is for comparing genes and panels. The error to expect
# is the one above.

found = evaluate_panel(cells, panel.genes, "bulk_labels", cv=3, random_state=0)
print(found)
plt.show()
