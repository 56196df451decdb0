"""What chance can do
====================

A few features that separate all samples look like a discovery. With thousands of features to choose
from they may not be one: random labels can be separated, too, by only a few more features. The
permutation test shows how many more.
"""

import matplotlib.pyplot as plt
import numpy as np

from fewest import SupportFeatureMachine
from fewest.datasets import make_gaussian
from fewest.plotting import plot_permutations, plot_separability
from fewest.significance import permutation_test

X, y = make_gaussian(n=40, d=2000, k=2, mu=1.5, random_state=0)  # 0 and 1 differ
hard = SupportFeatureMachine(C=np.inf)
noise = np.random.default_rng(0).standard_normal(X.shape)

figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for ax, data, title in zip(axes, (X, noise), ("Two features differ", "Pure noise"), strict=True):
    test = permutation_test(hard, data, y, statistics="features", n_permutations=99, random_state=0)
    found = test.features
    plot_permutations(found.chance, found.observed, label="features needed", ax=ax)
    ax.set_title(f"{title}: p = {found.p_value:.2g}", pad=24)

# %%
# The numbers of samples and features alone determine how likely random features do as well, up to
# the band shown here. If two features out of 2,000 separate 40 samples, chance is an unlikely
# explanation; for three or more, these bounds do not exclude it.

figure, ax = plt.subplots(figsize=(6, 3.8), layout="constrained")
plot_separability(*X.shape, selected=2, ax=ax)
plt.show()
