"""What the fitted attributes of every estimator must be."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

from scipy import sparse

from fewest.model_files.errors import damaged
from fewest.model_files.part_schemas import PARTS_FITTED, check_part
from fewest.model_files.record_schemas import record
from fewest.model_files.specs import (
    Sizes,
    Spec,
    array,
    choice,
    either,
    flags,
    floats,
    indices,
    instance,
    many,
    maybe,
    number,
    table,
    whole,
)
from fewest.model_files.state import fitted_state

Schema = dict[str, Spec]


def classes(value: Any, where: str, sizes: Sizes) -> None:
    array("biufUSO", "classes")(value, where, sizes)
    if not all(isinstance(label, (str, bytes, Real)) for label in value.tolist()):
        raise damaged("classes_ must be numbers or text")
    if len(value) < 2 or len(set(value.tolist())) < len(value):
        raise damaged("classes_ must hold two or more different classes")
    sizes.known["machines"] = 1 if len(value) == 2 else len(value)


def names(value: Any, where: str, sizes: Sizes) -> None:
    array("O", "features")(value, where, sizes)
    if not all(isinstance(name, str) for name in value.tolist()):
        raise damaged(f"{where} must be text")


NESTED = ("estimator_", "best_estimator_", "selector_")


def _nested(*names: str) -> Spec:
    """A fitted estimator of fewest on the same features (and classes)."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        if type(value).__name__ not in names or not fitted_state(value):
            raise damaged(f"{where} is not a fitted {' or '.join(names)}")
        own = fitted_state(value)
        whole(own.get("n_features_in_"), f"{where}.n_features_in_", sizes)
        sizes.agree("features", int(own["n_features_in_"]), f"{where}.n_features_in_")
        if "classes_" in own:
            array("biufUSO", "classes")(own["classes_"], f"{where}.classes_", sizes)

    return check


def _inner_classifier(value: Any, where: str, sizes: Sizes) -> None:
    if type(value).__name__ not in PARTS_FITTED:
        raise damaged(f"{where} is a {type(value).__name__}")
    check_part(value, where, fitted=True)


def _row_objects(value: Any, where: str, sizes: Sizes) -> None:
    if not sparse.issparse(value):
        floats("support", "features")(value, where, sizes)
        return
    sizes.agree("support", value.shape[0], where)
    sizes.agree("features", value.shape[1], where)


def _linear(estimator: Any) -> Schema:
    """The attributes of all selecting classifiers with a linear program."""
    return {
        "n_features_in_": whole,
        "classes_": classes,
        "coef_": floats("machines", "features"),
        "intercept_": floats("machines"),
        "supports_": flags("machines", "features"),
        "support_": flags("features"),
        "results_": many(tuple, record("ZeroNormResult"), "machines"),
        "n_iter_": whole,
    }


def _sfm(estimator: Any) -> Schema:
    minima = {"minima_": many(tuple, record("MinimumResult"), "machines")}
    return _linear(estimator) | (minima if estimator.certify else {})


def _union(estimator: Any) -> Schema:
    subset = indices(None, below="features")
    return _linear(estimator) | {"subsets_": many(tuple, many(tuple, subset), "machines")}


def _sfm_cv(estimator: Any) -> Schema:
    return _linear(estimator) | {
        "C_": number,
        "n_subsets_": whole,
        "n_splits_": whole,
        "cv_results_": table,
        "best_index_": whole,
        "best_score_": number,
        "best_estimator_": _nested("SupportFeatureMachine", "UnionFeatureMachine"),
    }


def _liknon(estimator: Any) -> Schema:
    return _linear(estimator) | {
        "dual_coef_": floats("machines", "samples"),
        "support_samples_": many(tuple, indices(None, below="samples"), "machines"),
        "standard_discriminant_": floats("machines", "features"),
    }


def _liknon_cv(estimator: Any) -> Schema:
    schema = {
        "n_features_in_": whole,
        "classes_": classes,
        "estimators_": many(list, record("Discriminant"), "paths", at_least=1),
        "paths_": many(list, record("MonitoredPath"), "paths"),
        "C_": floats("folds", "splits"),
        "monitoring_ber_": floats("folds", "splits"),
        "profile_": floats("folds", "features"),
        "fold_supports_": flags("folds", "features"),
        "validation_ber_": floats("folds"),
        "frequency_": floats("features"),
        "support_": flags("features"),
    }
    if estimator.outcome == "profile":
        schema |= {"threshold_": number, "classifier_": _inner_classifier}
    if estimator.outcome == "best":
        schema |= {"coef_": floats(1, "features"), "intercept_": floats(1)}
    return schema


def _repetitive(estimator: Any) -> Schema:
    two = getattr(getattr(estimator, "classes_", None), "shape", None) == (2,)
    weights = floats(None) if two else floats("machines", None)
    return {
        "n_features_in_": whole,
        "classes_": classes,
        "stop_reason_": choice(
            "repetitions",
            "inseparable",
            "training error",
            "features used up",
            "nothing selected",
            "interrupted",
        ),
        "subsets_": many(list, indices(None, below="features"), "subsets", at_least=1),
        "sizes_": indices("subsets"),
        "training_errors_": floats("subsets"),
        "objectives_": floats("subsets"),
        "gaps_": floats("subsets"),
        "coefs_": many(list, weights, "subsets"),
        "intercepts_": floats("subsets") if two else floats("subsets", "machines"),
        "ranking_": indices("subsets", below="subsets"),
        "support_": flags("features"),
        "remaining_": indices(None, below="features"),
    }


def _accumulated(estimator: Any) -> Schema:
    schema: Schema = {
        "n_features_in_": whole,
        "selector_": _nested("RepetitiveSelector"),
        "classes_": classes,
        "joined_": indices(None),
        "support_": flags("features"),
        "classifier_": _inner_classifier,
    }
    return schema | ({"cv_errors_": floats(None)} if estimator.greedy else {})


def _potential(estimator: Any) -> Schema:
    measured = estimator.is_precomputed
    return {
        "n_features_in_": whole,
        "support_": _features_are_objects if measured else flags("objects"),
        "n_row_objects_": _size("objects"),
        "support_features_": indices("support", below="objects"),
        "supports_": flags("machines", "objects"),
        "mean_": floats("objects"),
        "scale_": floats("objects"),
        "results_": many(tuple, record("BoxLassoResult"), "machines"),
        "_function": record("SupportFunction"),
        "_arguments": instance(dict),
        "support_row_objects_": instance(type(None)) if measured else _row_objects,
        "n_iter_": whole,
    }


def _potential_classifier(estimator: Any) -> Schema:
    return {
        "classes_": classes,
        **_potential(estimator),
        "coef_": floats("machines", "objects"),
        "intercept_": floats("machines"),
    }


def _potential_regressor(estimator: Any) -> Schema:
    return {
        "result_": record("BoxLassoResult"),
        **_potential(estimator),
        "coef_": floats("objects"),
        "intercept_": number,
        "_function": _one_machine,
    }


def _one_machine(value: Any, where: str, sizes: Sizes) -> None:
    sizes.agree("machines", 1, where)
    record("SupportFunction")(value, where, sizes)


def _search(kind: str) -> Callable[[Any], Schema]:
    def schema(estimator: Any) -> Schema:
        of_classes: Schema = {"classes_": classes} if kind == "PotentialSVC" else {}
        return of_classes | {
            "n_features_in_": whole,
            "cv_results_": table,
            "best_index_": whole,
            "best_params_": instance(dict),
            "best_score_": number,
            "n_splits_": whole,
            "_settings": many(list, instance(dict)),
            "best_estimator_": _nested(kind),
            "n_row_objects_": _size("objects"),
            "coef_": either(floats("objects"), floats("machines", "objects")),
            "intercept_": either(number, floats("machines")),
            "support_features_": indices(None, below="objects"),
            "support_": flags("objects"),
            "n_iter_": whole,
        }

    return schema


def _selector(estimator: Any) -> Schema:
    return {
        "n_features_in_": whole,
        "epsilon_": number,
        "support_": _features_are_objects,
        "results_": many(tuple, record("BoxLassoResult"), "machines", at_least=1),
        "n_iter_": whole,
        "coef_": floats("machines", "features"),
        "stability_": maybe(record("Stability")),
        "ranking_": indices(None, below="features"),
    }


def _features_are_objects(value: Any, where: str, sizes: Sizes) -> None:
    flags("features")(value, where, sizes)
    sizes.agree("objects", len(value), where)


def _min_over(estimator: Any) -> Schema:
    linear = isinstance(estimator.kernel, str) and estimator.kernel == "linear"
    weights: Schema = {"coef_": floats(1, "features")} if linear else {}
    return weights | {
        "n_features_in_": whole,
        "classes_": _two_classes,
        "alpha_": floats("samples"),
        "n_iter_": whole,
        "gap_": number,
        "intercept_": floats(1),
        "_signed": floats("samples"),
        "_X": floats("samples", "features"),
    }


def _weighted_vote(estimator: Any) -> Schema:
    return {
        "n_features_in_": whole,
        "classes_": _two_classes,
        "support_": flags("features"),
        "midpoint_": floats("features"),
        "coef_": floats(1, "features"),
        "intercept_": floats(1),
    }


def _two_classes(value: Any, where: str, sizes: Sizes) -> None:
    classes(value, where, sizes)
    sizes.agree("machines", 1, where)


def _size(name: str) -> Spec:
    """A whole number that is the size of this name."""

    def check(value: Any, where: str, sizes: Sizes) -> None:
        whole(value, where, sizes)
        sizes.agree(name, int(value), where)

    return check


FITTED: dict[str, Callable[[Any], Schema]] = {
    "AccumulatedClassifier": _accumulated,
    "FeatureSelectionConcave": _linear,
    "Liknon": _liknon,
    "LiknonCV": _liknon_cv,
    "PotentialSVC": _potential_classifier,
    "PotentialSVCCV": _search("PotentialSVC"),
    "PotentialSVR": _potential_regressor,
    "PotentialSVRCV": _search("PotentialSVR"),
    "PotentialSelector": _selector,
    "RepetitiveSelector": _repetitive,
    "SoftDoubleMinOver": _min_over,
    "SupportFeatureMachine": _sfm,
    "SupportFeatureMachineCV": _sfm_cv,
    "UnionFeatureMachine": _union,
    "WeightedVoteClassifier": _weighted_vote,
    "ZeroNormSVM": _linear,
}
