"""Whether the data can support a conclusion: capacity, concentration, hubs, validation."""

from fewest.diagnostics._capacity import log_growth_bound, log_growth_function, vc_dimension_bound
from fewest.diagnostics._geometry import (
    DistanceConcentration,
    Hubness,
    Sphericity,
    distance_concentration,
    hubness,
    relative_concentration,
    sphericity,
)
from fewest.diagnostics._leave_one_out import LooReliability, loo_reliability
from fewest.diagnostics._one_norm import (
    OneNormCondition,
    SimulatedCondition,
    one_norm_condition,
    simulate_one_norm_condition,
)
from fewest.diagnostics._risk import FatShattering, fat_shattering_bound, guaranteed_risk
from fewest.diagnostics._summary import Diagnosis, diagnose

__all__ = [
    "Diagnosis",
    "DistanceConcentration",
    "FatShattering",
    "Hubness",
    "LooReliability",
    "OneNormCondition",
    "SimulatedCondition",
    "Sphericity",
    "diagnose",
    "distance_concentration",
    "fat_shattering_bound",
    "guaranteed_risk",
    "hubness",
    "log_growth_bound",
    "log_growth_function",
    "loo_reliability",
    "one_norm_condition",
    "relative_concentration",
    "simulate_one_norm_condition",
    "sphericity",
    "vc_dimension_bound",
]
