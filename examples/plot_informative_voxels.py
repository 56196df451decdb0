"""How many voxels carry information
===================================

The fewest voxels are not all voxels that matter. Selecting, setting the selected ones aside and
selecting again removes information step by step; a support vector machine on what is left shows how
much of it there still is. Maps are generated: 6 participants, 4 runs, 400 voxels, of which 30 %
respond to the condition.
"""

import matplotlib.pyplot as plt

from fewest.datasets import make_brain
from fewest.informative import informative_features, t_map
from fewest.plotting import plot_informative

maps = make_brain(6, 4, n_voxels=400, informative=0.3, strength=2.0, random_state=0)
found = informative_features(
    None, maps.X, maps.y, groups=maps.groups, every=2, n_permutations=10, random_state=0
)
print(f"truth: {maps.informative.mean():.2f}")
print(f"the papers' rule: {found.estimate:.2f}, corrected: {found.purity.estimate:.2f}")

# %%
# Each participant is left out once. The estimate is where the line through the inflexion of the
# sigmoid meets chance.

univariate = t_map(maps.X, maps.y, groups=maps.groups)
plot_informative(found, univariate, figure=plt.figure(figsize=(10, 7), layout="constrained"))
plt.show()
