"""What chance would have done: with these samples, with permuted labels, with random data."""

from fewest.significance.permutation import Comparison, PermutationTest, permutation_test
from fewest.significance.separability import (
    SeparabilityBounds,
    separability_probability,
    subset_separability_bounds,
)
from fewest.significance.simulation import ChanceSimulation, chance_simulation
from fewest.significance.stability import Stability, stability, stability_index

__all__ = [
    "ChanceSimulation",
    "Comparison",
    "PermutationTest",
    "SeparabilityBounds",
    "Stability",
    "chance_simulation",
    "permutation_test",
    "separability_probability",
    "stability",
    "stability_index",
    "subset_separability_bounds",
]
