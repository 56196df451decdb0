"""Three genes out of seven thousand
====================================

The Support Feature Machine on 72 generated samples with 7,000 features, of which three differ
between the classes: which features it selects, what they look like, and how well it classifies new
samples.
"""

import matplotlib.pyplot as plt
import numpy as np

from fewest import SupportFeatureMachine
from fewest.datasets import make_gaussian
from fewest.plotting import HeldOutRocDisplay, WeightsDisplay, plot_heat_map

X, y = make_gaussian(n=72, d=7000, k=3, mu=1.0, random_state=0)  # 0, 1 and 2 differ
y = np.where(y > 0, "patient", "control")
machine = SupportFeatureMachine(C=2.0).fit(X, y)
selected = machine.get_support(indices=True)
print("selected:", selected)

# %%
# One row per feature, one column per sample. Within a class, samples are sorted by the machine's
# decision value.

figure, ax = plt.subplots(figsize=(8, 2.6), layout="constrained")
names = [f"feature {place}" for place in selected]
plot_heat_map(
    X[:, selected], y, feature_names=names, scores=machine.decision_function(X), ax=ax
).set_title("The selected features")

# %%
# The weights, and the receiver operating characteristic of held-out samples. The machine selects
# features again in every fold; the curve of training samples would be far too good.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
WeightsDisplay.from_estimator(machine, X, ax=left)
HeldOutRocDisplay.from_estimator(machine, X, y, cv=5, random_state=0, ax=right)
plt.show()
