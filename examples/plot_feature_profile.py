"""Features that matter together
===============================

Two interlocking arcs cannot be separated by a line, and 98 of the 100 features are noise. Still,
linear machines trained on many random halves of the samples agree on the two features that matter,
as their profile shows. Any classifier can then use these two features.
"""

import matplotlib.pyplot as plt

from fewest import LiknonCV
from fewest.datasets import make_banana
from fewest.plotting import plot_profile

X, y = make_banana(random_state=0)
machine = LiknonCV(n_Cs=10, n_splits=3, random_state=0).fit(X, y)
selected = machine.get_support(indices=True)
print(f"selected: {selected}; balanced error {machine.validation_ber_.mean():.3f}")

# %%
# Left: how often each feature was selected in each fold. Right: the samples in the plane of the two
# selected features.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
plot_profile(machine.profile_, n_features=12, ax=left)
for label, ink in ((-1, "#0072B2"), (1, "#D55E00")):
    right.plot(*X[y == label][:, selected].T, ".", color=ink, label=f"class {label:+d}")
right.set(xlabel=f"feature {selected[0]}", ylabel=f"feature {selected[1]}")
right.legend(frameon=False)
plt.show()
