"""From counts to cell types, with scanpy
======================================

An AnnData object goes in, and what was found is written into it, as scanpy does. The cells are
generated: five types, each with a few marker genes among 800. Scanpy normalises and draws
(``pip install scanpy``); without it, this script says so and ends.
"""

import sys

import anndata
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import sparse

from fewest import SupportFeatureMachine, single_cell

try:
    import scanpy as sc
except ImportError:
    sys.exit("This example normalises and draws with scanpy: pip install scanpy")

# %%
# Counts of 300 cells. The types differ in three genes each; a fifth of the cells has no label.

rng = np.random.default_rng(0)
types = np.array(["B", "CD4 T", "CD8 T", "NK", "monocyte"])
truth = types[np.arange(300) % 5]
rates = rng.gamma(0.5, 1.0, size=800) * rng.lognormal(0.0, 0.3, size=(300, 1))
for place, name in enumerate(types):
    rates[truth == name, 3 * place : 3 * place + 3] += [4.0, 2.0, 1.0]
adata = anndata.AnnData(
    sparse.csr_matrix(rng.poisson(rates).astype(np.float32)),
    obs=pd.DataFrame({"truth": truth}, index=[f"cell {place}" for place in range(300)]),
    var=pd.DataFrame(index=[f"gene {place}" for place in range(800)]),
)
adata.obs["celltype"] = pd.Series(truth, index=adata.obs_names).where(rng.uniform(size=300) < 0.8)

# %%
# The usual first steps. The counts stay in a layer.

adata.layers["counts"] = adata.X.copy()
sc.pp.normalize_total(adata, target_sum=1e4)
sc.pp.log1p(adata)

# %%
# At most ten genes that tell the types apart. Cells without a label are left out, with a warning;
# the error is that of cells that were held out when genes were selected.

panel = single_cell.fit(adata, "celltype", SupportFeatureMachine(max_features=10), cv=3)
print(panel)

# %%
# The object now holds the genes, their weights, and how they were found.

print(adata.var.loc[adata.var["fewest"], ["fewest_weight"]].round(2))
print(sorted(adata.uns["fewest"]))

# %%
# Scanpy draws what is in the object.

sc.pl.dotplot(adata, panel.genes, groupby="truth", show=False)

# %%
# The types of the cells without a label. Another object may have its genes in another order, and
# lack those that were not selected.

new = adata[adata.obs["celltype"].isna()][:, adata.var_names[::-1]].copy()
panel.predict(new, key_added="predicted")
print(pd.crosstab(new.obs["truth"], new.obs["predicted"]))
plt.show()
