"""What a fitted estimator consists of beside its parameters, and how it gets that back."""

from __future__ import annotations

from typing import Any

from fewest.model_files.errors import damaged

# Where results were kept on the machine of the fit is no part of a model.
_NOT_KEPT = {"RepetitiveSelector": ("checkpoint",)}
_NEIGHBOURS = "KNeighborsClassifier"


def parameters_of(estimator: Any) -> dict[str, Any]:
    """The constructor's parameters; places in the file system become None."""
    parameters = estimator.get_params(deep=False)
    for name in _NOT_KEPT.get(type(estimator).__name__, ()):
        parameters[name] = None
    return parameters


def fitted_state(estimator: Any) -> dict[str, Any]:
    """All attributes that the constructor does not set."""
    bare = vars(type(estimator)(**estimator.get_params(deep=False)))
    fitted = {name: value for name, value in vars(estimator).items() if name not in bare}
    if type(estimator).__name__ == _NEIGHBOURS and fitted:
        return _samples_of(estimator)
    return fitted


def restore(estimator: Any, fitted: dict[str, Any]) -> None:
    """Give a new estimator the attributes of the one that was saved."""
    if type(estimator).__name__ == _NEIGHBOURS and fitted:
        _search_again(estimator, fitted)
        return
    present = vars(estimator)
    for name, value in fitted.items():
        if name in present:
            raise damaged(f"it sets {name!r} of {type(estimator).__name__} twice")
        present[name] = value


def _samples_of(estimator: Any) -> dict[str, Any]:
    """The nearest neighbours are looked up in a tree of compiled code: keep what it is made of."""
    return {"samples": estimator._fit_X, "labels": estimator.classes_[estimator._y]}


def _search_again(estimator: Any, fitted: dict[str, Any]) -> None:
    if set(fitted) != {"samples", "labels"}:
        raise damaged(f"{_NEIGHBOURS} needs samples and labels")
    try:
        estimator.fit(fitted["samples"], fitted["labels"])
    except (ValueError, TypeError) as error:
        raise damaged(f"{_NEIGHBOURS} cannot be rebuilt from its samples ({error})") from error
