"""How many voxels carry information
===================================

The fewest voxels are not all voxels that matter. Setting the selected voxels aside and selecting
again removes information step by step, and a support vector machine on the remaining voxels shows
how much is left. The maps are generated: 6 participants, 4 runs and 400 voxels, of which 30 %
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
print(f"by the sigmoid: {found.estimate:.2f}, corrected: {found.purity.estimate:.2f}")

# %%
# Each participant is left out once. The estimate is where the tangent at the inflexion point of the
# sigmoid reaches chance (Klement, Anders & Martinetz 2013, sec. 4.4).

univariate = t_map(maps.X, maps.y, groups=maps.groups)
plot_informative(found, univariate, figure=plt.figure(figsize=(10, 7), layout="constrained"))
plt.show()
