"""One panel for six classes
===========================

More than two classes are told apart by one program in which a feature is paid for once, however
many classes it serves. Here each of six types has its own pattern of high and low values in five
features out of sixty, so no feature belongs to one type alone.
"""

import matplotlib.pyplot as plt
import numpy as np

from fewest import SupportFeatureMachine
from fewest.plotting import ClassWeightsDisplay, HeldOutConfusionDisplay

rng = np.random.default_rng(1)
patterns = np.array(
    [
        [1, 0, 0, 1, 0],
        [1, 1, 0, 0, 0],
        [0, 1, 1, 0, 0],
        [0, 0, 1, 1, 0],
        [0, 0, 0, 1, 1],
        [1, 0, 1, 0, 1],
    ]
)
types = np.array(["type A", "type B", "type C", "type D", "type E", "type F"])
codes = np.repeat(np.arange(len(types)), 20)
X = rng.standard_normal((len(codes), 60))
X[:, :5] += 3.0 * patterns[codes]
y = types[codes]
machine = SupportFeatureMachine(max_features=5).fit(X, y)
print("selected:", machine.get_support(indices=True))

# %%
# One row per feature, one column per class. A feature speaks for the classes in red and against
# those in blue. Its weights are shifted so that the largest and the smallest are opposite, which
# changes no prediction.

figure, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ClassWeightsDisplay.from_estimator(machine, X, ax=ax)

# %%
# Which classes are still confused? Every sample was predicted by a machine that had not seen it,
# and that selected its features without it.

figure, ax = plt.subplots(figsize=(5, 4.4), layout="constrained")
HeldOutConfusionDisplay.from_estimator(machine, X, y, cv=3, random_state=0, ax=ax)
plt.show()
