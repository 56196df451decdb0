"""Whether the data can carry a conclusion: capacity, concentration, hubs, validation."""

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
from fewest.diagnostics._summary import Diagnosis, diagnose

__all__ = [
    "Diagnosis",
    "DistanceConcentration",
    "Hubness",
    "LooReliability",
    "Sphericity",
    "diagnose",
    "distance_concentration",
    "hubness",
    "log_growth_bound",
    "log_growth_function",
    "loo_reliability",
    "relative_concentration",
    "sphericity",
    "vc_dimension_bound",
]
