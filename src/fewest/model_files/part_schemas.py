"""Classifiers of scikit-learn on the selected features, as far as they can be stored.

Their attributes go to compiled code, which does not look twice: every size and index is checked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fewest.model_files.errors import damaged
from fewest.model_files.registry import PARTS, is_registered
from fewest.model_files.specs import (
    Sizes,
    Spec,
    array,
    check_names,
    flag,
    floats,
    indices,
    instance,
    number,
    whole,
)
from fewest.model_files.state import fitted_state

PARTS_FITTED = ("KNeighborsClassifier", "Pipeline", "SVC")

_SCALER: dict[str, Spec] = {
    "n_features_in_": whole,
    "n_samples_seen_": number,
    "mean_": floats("features"),
    "var_": floats("features"),
    "scale_": floats("features"),
}
_SVC: dict[str, Spec] = {
    "n_features_in_": whole,
    "_sparse": flag,
    "class_weight_": floats("classes"),
    "classes_": array("biufUSO", "classes"),
    "_gamma": number,
    "support_": indices("vectors"),
    "support_vectors_": floats("vectors", "features"),
    "_n_support": indices("classes"),
    "dual_coef_": floats("rows", "vectors"),
    "_dual_coef_": floats("rows", "vectors"),
    "intercept_": floats("pairs"),
    "_intercept_": floats("pairs"),
    "_probA": floats(0),
    "_probB": floats(0),
    "fit_status_": whole,
    "_num_iter": indices("pairs"),
    "n_iter_": indices("pairs"),
    "shape_fit_": instance(tuple),
}
# Newer versions of scikit-learn add it.
_SVC_MORE: dict[str, Spec] = {"_effective_probability": flag}


def check_part(part: Any, where: str, *, fitted: bool) -> None:
    """Raise a ModelFileError unless this estimator of scikit-learn is whole."""
    if not is_registered(part, PARTS):
        raise damaged(f"{where} is a {type(part).__name__}")
    name = type(part).__name__
    try:
        part._validate_params()
    except (ValueError, TypeError, AttributeError) as error:
        raise damaged(f"the parameters of {name} in {where} are not admissible") from error
    if name == "Pipeline":
        _check_pipeline(part, where, fitted=fitted)
    elif fitted:
        _check_fitted(part, name, where)


def _check_pipeline(part: Any, where: str, *, fitted: bool) -> None:
    if part.memory is not None:
        raise damaged(f"{where} keeps results in a folder (memory)")
    kinds = []
    for step in part.steps:
        if type(step) is not tuple or len(step) != 2 or not isinstance(step[0], str):
            raise damaged(f"the steps of {where} are not pairs of a name and an estimator")
        kinds.append(type(step[1]).__name__)
    if len({step[0] for step in part.steps}) < len(kinds):
        raise damaged(f"two steps of {where} have the same name")
    expected = kinds[-1:] in (["SVC"], ["KNeighborsClassifier"])
    if not expected or any(kind != "StandardScaler" for kind in kinds[:-1]):
        raise damaged(f"{where} is not a classifier behind a StandardScaler")
    for _, step in part.steps:
        check_part(step, where, fitted=fitted)
    if fitted and len({step.n_features_in_ for _, step in part.steps}) > 1:
        raise damaged(f"the steps of {where} take different numbers of features")


def _check_fitted(part: Any, name: str, where: str) -> None:
    if name == "KNeighborsClassifier":  # was fitted again when it was read
        if not hasattr(part, "classes_"):
            raise damaged(f"{name} in {where} is not fitted")
        return
    schema, more = (_SVC, _SVC_MORE) if name == "SVC" else (_SCALER, {})
    found = fitted_state(part)
    check_names(found, schema, {*schema, *more, "_sklearn_output_config"})
    sizes = Sizes()
    whole(found["n_features_in_"], f"{where}.n_features_in_", sizes)
    sizes.known["features"] = int(found["n_features_in_"])
    if name == "SVC":
        _prepare_sizes(part, where, sizes)
    for attribute, spec in (schema | more).items():
        if attribute in found:
            spec(found[attribute], f"{where}.{attribute}", sizes)
    if name == "SVC":
        _check_svc(part, where, sizes)


def _prepare_sizes(part: Any, where: str, sizes: Sizes) -> None:
    _SVC["classes_"](part.classes_, f"{where}.classes_", sizes)
    n_classes = sizes.known["classes"]
    if n_classes < 2:
        raise damaged(f"SVC in {where} knows fewer than two classes")
    sizes.known |= {"rows": n_classes - 1, "pairs": n_classes * (n_classes - 1) // 2}


def _check_svc(part: Any, where: str, sizes: Sizes) -> None:
    counts = part._n_support
    if counts.min() < 0 or counts.sum() != sizes.known["vectors"]:
        raise damaged(f"_n_support of SVC in {where} does not count its support vectors")
    if part._sparse or part.probability is True or not isinstance(part.kernel, str):
        raise damaged(f"SVC in {where} is of a kind that is not stored")
    if part.kernel == "precomputed":
        raise damaged(f"SVC in {where} is of a kind that is not stored")
    for attribute in ("support_", "_n_support"):
        if getattr(part, attribute).dtype != np.int32:
            raise damaged(f"{where}.{attribute} is not an array of the right type")
