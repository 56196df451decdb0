"""fewest: the fewest features that tell classes apart."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fewest.exceptions import ModelFileError, NotSeparableError
    from fewest.machines.fsv import FeatureSelectionConcave
    from fewest.machines.liknon import Liknon
    from fewest.machines.liknon_cv import LiknonCV
    from fewest.machines.liknon_path import LiknonPath, exact_liknon_path, liknon_path
    from fewest.machines.min_over import SoftDoubleMinOver
    from fewest.machines.sfm import SupportFeatureMachine
    from fewest.machines.sfm_cv import SupportFeatureMachineCV
    from fewest.machines.sfm_path import exact_sfm_path
    from fewest.machines.union import UnionFeatureMachine
    from fewest.machines.zero_norm_svm import ZeroNormSVM
    from fewest.minimum import MinimumResult, minimum_features
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
    "FeatureSelectionConcave",
    "Liknon",
    "LiknonCV",
    "LiknonPath",
    "MinimumResult",
    "ModelFileError",
    "NotSeparableError",
    "PotentialSVC",
    "PotentialSVCCV",
    "PotentialSVR",
    "PotentialSVRCV",
    "PotentialSelector",
    "RepetitiveSelector",
    "SoftDoubleMinOver",
    "SupportFeatureMachine",
    "SupportFeatureMachineCV",
    "UnionFeatureMachine",
    "ZeroNormSVM",
    "__version__",
    "exact_liknon_path",
    "exact_sfm_path",
    "liknon_path",
    "load",
    "minimum_features",
    "save",
]

# Imported on first use, so that the command line need not wait for scikit-learn to answer --help.
_HOMES = {
    "FeatureSelectionConcave": "fewest.machines.fsv",
    "AccumulatedClassifier": "fewest.repetition.accumulated",
    "Liknon": "fewest.machines.liknon",
    "LiknonCV": "fewest.machines.liknon_cv",
    "LiknonPath": "fewest.machines.liknon_path",
    "MinimumResult": "fewest.minimum",
    "ModelFileError": "fewest.exceptions",
    "NotSeparableError": "fewest.exceptions",
    "SoftDoubleMinOver": "fewest.machines.min_over",
    "PotentialSVC": "fewest.psvm",
    "PotentialSVCCV": "fewest.psvm",
    "PotentialSVR": "fewest.psvm",
    "PotentialSVRCV": "fewest.psvm",
    "PotentialSelector": "fewest.psvm",
    "RepetitiveSelector": "fewest.repetition.selector",
    "SupportFeatureMachine": "fewest.machines.sfm",
    "SupportFeatureMachineCV": "fewest.machines.sfm_cv",
    "UnionFeatureMachine": "fewest.machines.union",
    "ZeroNormSVM": "fewest.machines.zero_norm_svm",
    "exact_liknon_path": "fewest.machines.liknon_path",
    "exact_sfm_path": "fewest.machines.sfm_path",
    "liknon_path": "fewest.machines.liknon_path",
    "load": "fewest.model_files",
    "minimum_features": "fewest.minimum",
    "save": "fewest.model_files",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'fewest' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
