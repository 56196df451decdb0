"""fewest: the fewest features that separate classes."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fewest.exceptions import ClusterError, ModelFileError, NotSeparableError
    from fewest.machines.fsv import FeatureSelectionConcave
    from fewest.machines.kernel_sfm import KernelFeatureMachine
    from fewest.machines.liknon import Liknon
    from fewest.machines.liknon_cv import LiknonCV
    from fewest.machines.liknon_path import LiknonPath, exact_liknon_path, liknon_path
    from fewest.machines.min_over import SoftDoubleMinOver
    from fewest.machines.panel_cv import PanelFront, PanelSizeCV
    from fewest.machines.sfm import SupportFeatureMachine
    from fewest.machines.sfm_cv import SupportFeatureMachineCV
    from fewest.machines.sfm_path import exact_sfm_path
    from fewest.machines.union import UnionFeatureMachine
    from fewest.machines.zero_norm_svm import ZeroNormSVM
    from fewest.minimum import (
        ErrorFront,
        MinimumResult,
        NearOptimalSets,
        PriceFront,
        RuledMinimum,
        Separability,
        decide_separability,
        error_front,
        minimum_features,
        near_optimal_sets,
    )
    from fewest.model_files import load, save
    from fewest.psvm import (
        PotentialSelector,
        PotentialSVC,
        PotentialSVCCV,
        PotentialSVR,
        PotentialSVRCV,
    )
    from fewest.repetition.accumulated import AccumulatedClassifier
    from fewest.repetition.selector import RepetitiveSelector

__version__ = "0.1.0"

__all__ = [
    "AccumulatedClassifier",
    "ClusterError",
    "ErrorFront",
    "FeatureSelectionConcave",
    "KernelFeatureMachine",
    "Liknon",
    "LiknonCV",
    "LiknonPath",
    "MinimumResult",
    "ModelFileError",
    "NearOptimalSets",
    "NotSeparableError",
    "PanelFront",
    "PanelSizeCV",
    "PotentialSVC",
    "PotentialSVCCV",
    "PotentialSVR",
    "PotentialSVRCV",
    "PotentialSelector",
    "PriceFront",
    "RepetitiveSelector",
    "RuledMinimum",
    "Separability",
    "SoftDoubleMinOver",
    "SupportFeatureMachine",
    "SupportFeatureMachineCV",
    "UnionFeatureMachine",
    "ZeroNormSVM",
    "__version__",
    "decide_separability",
    "error_front",
    "exact_liknon_path",
    "exact_sfm_path",
    "liknon_path",
    "load",
    "minimum_features",
    "near_optimal_sets",
    "save",
]

# Imported on first use: the command line need not wait for scikit-learn to answer --help.
_HOMES = {
    name: f"fewest.{module}"
    for module, names in {
        "exceptions": ("ClusterError", "ModelFileError", "NotSeparableError"),
        "machines.fsv": ("FeatureSelectionConcave",),
        "machines.kernel_sfm": ("KernelFeatureMachine",),
        "machines.liknon": ("Liknon",),
        "machines.liknon_cv": ("LiknonCV",),
        "machines.liknon_path": ("LiknonPath", "exact_liknon_path", "liknon_path"),
        "machines.min_over": ("SoftDoubleMinOver",),
        "machines.panel_cv": ("PanelFront", "PanelSizeCV"),
        "machines.sfm": ("SupportFeatureMachine",),
        "machines.sfm_cv": ("SupportFeatureMachineCV",),
        "machines.sfm_path": ("exact_sfm_path",),
        "machines.union": ("UnionFeatureMachine",),
        "machines.zero_norm_svm": ("ZeroNormSVM",),
        "minimum": (
            "ErrorFront",
            "MinimumResult",
            "NearOptimalSets",
            "PriceFront",
            "RuledMinimum",
            "Separability",
            "decide_separability",
            "error_front",
            "minimum_features",
            "near_optimal_sets",
        ),
        "model_files": ("load", "save"),
        "psvm.estimators": ("PotentialSVC", "PotentialSVR"),
        "psvm.search": ("PotentialSVCCV", "PotentialSVRCV"),
        "psvm.selector": ("PotentialSelector",),
        "repetition.accumulated": ("AccumulatedClassifier",),
        "repetition.selector": ("RepetitiveSelector",),
    }.items()
    for name in names
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'fewest' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
