"""What chance would have achieved, how certain an error is, and whether two methods differ."""

from fewest._estimators.held_out import HeldOut, run_held_out
from fewest._estimators.splits import balanced_error
from fewest.significance._comparison import (
    Comparison,
    Proportions,
    compare_proportions,
    cross_validated_t_test,
    paired_t_test,
    signed_rank_test,
)
from fewest.significance._confounding import Confounding, CovariateReport, confounding
from fewest.significance._learning_curve import (
    ExpectedError,
    LearningCurve,
    LearningPoint,
    learning_curve,
)
from fewest.significance._methods import (
    ComparedMethod,
    FoldNote,
    MethodComparison,
    compare_methods,
)
from fewest.significance._permutation import (
    ChanceSimulation,
    PermutationTest,
    PermutedStatistic,
    chance_simulation,
    permutation_test,
)
from fewest.significance._power_law import PowerLaw
from fewest.significance._resampling import (
    Bootstrap632,
    Stability,
    balanced_error_scorer,
    bootstrap_632,
    stability,
    stability_index,
)
from fewest.significance._separability import (
    SeparabilityBounds,
    SimulatedSeparability,
    separability_probability,
    simulate_separability,
    subset_separability_bounds,
)

__all__ = [
    "Bootstrap632",
    "ChanceSimulation",
    "ComparedMethod",
    "Comparison",
    "Confounding",
    "CovariateReport",
    "ExpectedError",
    "FoldNote",
    "HeldOut",
    "LearningCurve",
    "LearningPoint",
    "MethodComparison",
    "PermutationTest",
    "PermutedStatistic",
    "PowerLaw",
    "Proportions",
    "SeparabilityBounds",
    "SimulatedSeparability",
    "Stability",
    "balanced_error",
    "balanced_error_scorer",
    "bootstrap_632",
    "chance_simulation",
    "compare_methods",
    "compare_proportions",
    "confounding",
    "cross_validated_t_test",
    "learning_curve",
    "paired_t_test",
    "permutation_test",
    "run_held_out",
    "separability_probability",
    "signed_rank_test",
    "simulate_separability",
    "stability",
    "stability_index",
    "subset_separability_bounds",
]
