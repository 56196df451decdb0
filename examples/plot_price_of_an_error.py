"""The price of an error
=======================

C is the price of a training error, in features. A small C selects few features and
accepts errors; a large C selects features until the training samples are separated.
Cross-validation shows the effect on held-out samples.
"""

import matplotlib.pyplot as plt
import numpy as np

from fewest import SupportFeatureMachineCV
from fewest.datasets import make_gaussian
from fewest.plotting import PathDisplay

X, y = make_gaussian(n=100, d=1000, k=6, mu=0.7, random_state=0)  # 0 to 5 differ
search = SupportFeatureMachineCV(n_Cs=10, n_subsets=1).fit(X, y)
print(f"C = {search.C_:.3g} selects {np.flatnonzero(search.support_)}")

# %%
# The diamond marks the chosen C: the fewest features that are not worse than the best by more than
# one standard error of the difference.

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
results = search.cv_results_
finite = np.isfinite(results["param_C"])  # the hard machine has no place on the axis
PathDisplay(
    results["param_C"][finite],
    1 - results["mean_test_score"][finite],
    results["mean_n_features"][finite],
    chosen=search.best_index_ if finite[search.best_index_] else None,
).plot(ax=ax)
ax.set_xticks([0.25, 0.5, 1, 2, 4], ["1/4", "1/2", "1", "2", "4"])
ax.minorticks_off()
plt.show()
