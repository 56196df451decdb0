"""The only classes that a model file can name; modules are imported when one is needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from fewest.model_files.errors import damaged

# What can be saved and loaded as a whole.
MODELS = {
    "AccumulatedClassifier": "fewest.repetition.accumulated",
    "FeatureSelectionConcave": "fewest.machines.fsv",
    "Liknon": "fewest.machines.liknon",
    "LiknonCV": "fewest.machines.liknon_cv",
    "PotentialSVC": "fewest.psvm.estimators",
    "PotentialSVCCV": "fewest.psvm.search",
    "PotentialSVR": "fewest.psvm.estimators",
    "PotentialSVRCV": "fewest.psvm.search",
    "PotentialSelector": "fewest.psvm.selector",
    "RepetitiveSelector": "fewest.repetition.selector",
    "SoftDoubleMinOver": "fewest.machines.min_over",
    "SupportFeatureMachine": "fewest.machines.sfm",
    "SupportFeatureMachineCV": "fewest.machines.sfm_cv",
    "UnionFeatureMachine": "fewest.machines.union",
    "WeightedVoteClassifier": "fewest.filters.weighted_vote",
    "ZeroNormSVM": "fewest.machines.zero_norm_svm",
}
# Classifiers on the selected features, inside AccumulatedClassifier and LiknonCV.
PARTS = {
    "KNeighborsClassifier": "sklearn.neighbors",
    "Pipeline": "sklearn.pipeline",
    "SVC": "sklearn.svm",
    "StandardScaler": "sklearn.preprocessing",
}
RECORDS = {
    "BoxLassoResult": "fewest._solvers.box_lasso.solve",
    "Discriminant": "fewest.machines._discriminants",
    "MinimumResult": "fewest.minimum.result",
    "MonitoredPath": "fewest.machines._discriminants",
    "Result": "fewest._solvers.result",
    "RuledOut": "fewest.minimum.leaves",
    "Separation": "fewest.minimum.leaves",
    "Stability": "fewest.psvm._stability",
    "Step": "fewest.minimum.result",
    "SupportFunction": "fewest.psvm._machine",
    "WarmStart": "fewest._solvers.result",
    "ZeroNormResult": "fewest._solvers.linear.reweight",
}


def is_registered(value: Any, homes: dict[str, str]) -> bool:
    """Whether the value is of one of these classes itself (a subclass may be anything)."""
    name = type(value).__name__
    return name in homes and type(value) is getattr(import_module(homes[name]), name)


def class_named(name: Any, homes: dict[str, str]) -> Any:
    """The class of this name."""
    if not isinstance(name, str) or name not in homes:
        raise damaged(f"it names the class {str(name)[:40]!r}, which no model is made of")
    return getattr(import_module(homes[name]), name)
