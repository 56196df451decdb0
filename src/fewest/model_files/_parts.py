"""Classifiers of scikit-learn on the selected features: fitted again, within bounds."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from fewest.model_files._errors import attempt, damaged

_LARGEST_CACHE = 200  # MB, the default of SVC


def fit_again(owner: Any, part: Any, classes: NDArray[Any]) -> None:
    """Fit a part to the samples that its owner keeps; it must know these classes then."""
    if owner._samples.shape[1] != np.count_nonzero(owner.support_):
        raise damaged("_samples has another number of columns than features are selected")
    what = f"the {type(part).__name__} on the selected features cannot be fitted again"
    attempt(what, _fit_within_bounds, part, owner._samples, owner._labels)
    if not np.array_equal(part.classes_, classes):
        raise damaged(f"the {type(part).__name__} on the selected features knows other classes")


def _fit_within_bounds(part: Any, samples: NDArray[Any], labels: NDArray[Any]) -> None:
    """Strange parameters must not keep the solver busy for ever, nor fill memory or screen."""
    most_steps = max(100 * len(samples), 10**9 // (len(samples) + 100))
    given = part.get_params()
    bounds: dict[str, Any] = {}
    for name, value in given.items():
        own_name = name.rpartition("__")[2]  # behind the name of a step of a pipeline
        if own_name == "verbose":
            bounds[name] = False
        elif own_name == "cache_size":
            bounds[name] = min(value, _LARGEST_CACHE)
        elif own_name == "max_iter" and not 0 <= value <= most_steps:
            bounds[name] = most_steps
            warnings.simplefilter("error", ConvergenceWarning)
    part.set_params(**bounds).fit(samples, labels)
    part.set_params(**{name: given[name] for name in bounds})
    part.predict(samples[:1])
