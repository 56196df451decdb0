"""Whether an estimator is one that a fit could have left behind."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

from fewest.exceptions import ModelFileError
from fewest.model_files.errors import damaged
from fewest.model_files.estimator_schemas import FITTED, NESTED, classes, names
from fewest.model_files.part_schemas import check_part
from fewest.model_files.registry import MODELS, is_registered
from fewest.model_files.specs import Sizes, anything, check_names, choice, flag, whole
from fewest.model_files.state import fitted_state
from fewest.psvm.kernels import compute_kernel


def check_model(estimator: Any) -> None:
    """Raise a ModelFileError unless the estimator is as one of its fits could have left it.

    Parameters
    ----------
    estimator : estimator
        Of a class of the registry.
    """
    name = type(estimator).__name__
    try:
        _check_parameters(estimator)
    except ModelFileError:
        raise
    except (ValueError, TypeError, AttributeError) as error:
        raise damaged(f"the parameters of {name} are not admissible ({error})") from error
    _check_fitted(estimator)


def _check_parameters(estimator: Any) -> None:
    for method in ("_check_parameters", "check_parameters"):
        if hasattr(estimator, method):
            getattr(estimator, method)()
    kind = type(estimator).__name__
    if kind == "SoftDoubleMinOver":
        choice(*PAIRWISE_KERNEL_FUNCTIONS)(estimator.kernel, "the parameter 'kernel'", Sizes())
    if kind == "AccumulatedClassifier":
        flag(estimator.greedy, "the parameter 'greedy'", Sizes())
    for name, value in estimator.get_params(deep=False).items():
        if hasattr(value, "get_params") and not is_registered(value, MODELS):
            check_part(value, name, fitted=False)


def _check_fitted(estimator: Any) -> None:
    name = type(estimator).__name__
    required = FITTED[name](estimator)
    optional = {"feature_names_in_": names, "_sklearn_output_config": anything}
    found = fitted_state(estimator)
    check_names(found, required, {*required, *optional})
    sizes = Sizes()
    whole(found["n_features_in_"], "n_features_in_", sizes)
    sizes.known["features"] = int(found["n_features_in_"])
    if "classes_" in required:
        classes(found["classes_"], "classes_", sizes)
    for attribute, spec in (required | optional).items():
        if attribute in found:
            spec(found[attribute], attribute, sizes)
    for attribute in NESTED:
        if attribute in found:
            check_model(found[attribute])
    _check_together(estimator)


def _check_together(estimator: Any) -> None:
    """What one attribute says about another."""
    if hasattr(estimator, "supports_") and not np.array_equal(
        estimator.supports_.any(axis=0), estimator.support_
    ):
        raise damaged("support_ does not agree with supports_")
    if hasattr(estimator, "support_features_") and not np.array_equal(
        np.flatnonzero(estimator.support_), estimator.support_features_
    ):
        raise damaged("support_ does not agree with support_features_")
    if hasattr(estimator, "_arguments") and not estimator.is_precomputed:
        _check_kernel(estimator)
    if hasattr(estimator, "classifier_"):
        _check_inner(estimator)


def _check_kernel(estimator: Any) -> None:
    """The kernel must take its arguments: tried on one row object (on zeros where none is left)."""
    rows = estimator.support_row_objects_[:1]
    row = rows if rows.shape[0] else np.zeros((1, estimator.n_features_in_))
    try:
        compute_kernel(estimator.kernel, row, row, estimator._arguments)
    except (ValueError, TypeError, AttributeError) as error:
        raise damaged(f"the kernel does not take its arguments ({error})") from error


def _check_inner(estimator: Any) -> None:
    """The classifier on the selected features must take so many, and know the same classes."""
    inner = estimator.classifier_
    first = inner[0] if hasattr(inner, "steps") else inner
    if first.n_features_in_ != int(estimator.support_.sum()):
        raise damaged("classifier_ takes another number of features than are selected")
    coded = type(estimator).__name__ == "LiknonCV"  # there it tells places in classes_
    classes = np.arange(len(estimator.classes_)) if coded else estimator.classes_
    if not np.array_equal(inner.classes_, classes):
        raise damaged("classifier_ tells other classes apart")
