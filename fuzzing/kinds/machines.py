"""The machines as users fit them: promises of hard ones, first programs of soft ones, answers."""

from __future__ import annotations

import contextlib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from fewest import Liknon, SupportFeatureMachine, ZeroNormSVM
from fewest.exceptions import NotSeparableError
from fuzzing.data import as_stored, change_units, draw_codes, draw_size, draw_values, stretch_values
from fuzzing.oracles.fractions import list_inseparable
from fuzzing.oracles.joint import joint_optimum
from fuzzing.oracles.linear import Case, UndecidedError, are_known, full_optimum, standardise
from fuzzing.outcome import require

_ACCURACY = 1e-6
_LARGEST = 1e6  # objectives beyond, two solvers may take for infeasible
_SMALLEST_COST = 1e-7  # below, the machines say that they take a larger cost


def check(case: int, folder: Path) -> None:
    rng = np.random.default_rng([8, case])
    n_classes = 2 if rng.random() < 0.6 else int(rng.integers(3, 6))
    n, d = draw_size(rng, 40, 30)
    X = draw_values(rng, max(n, n_classes), d)
    y = draw_codes(rng, X, n_classes)
    stored = as_stored(rng, X)
    if stored is X:
        stored = change_units(case, stretch_values(case, X, 47))
    price = rng.uniform(0.3, 5.0, d) if rng.random() < 0.2 else None
    machine = _draw_machine(rng).set_params(feature_cost=price)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            machine.fit(stored, y)
        except NotSeparableError as error:
            _check_refusal(machine, stored, y, str(error))
            return
        except ValueError as error:
            require(len(str(error)) > 20, f"no sentence: {error}")
            return
    for warning in caught:
        require(
            issubclass(warning.category, (ConvergenceWarning, UserWarning)),
            f"{warning.category.__name__}: {warning.message}",
            "traceback",
        )
    _check_answers(machine, stored, y)
    if price is not None:
        _check_currency(machine, stored, y, float(10.0 ** rng.uniform(-6.0, 6.0)))
    if np.isinf(machine.C):
        if machine.refit is not None:  # without, samples may lie on the hyperplane
            wrong = int(np.sum(machine.predict(stored) != y))
            require(not wrong, f"{machine}: {wrong} of {len(y)} wrong where no error is allowed")
    elif not any(issubclass(one.category, ConvergenceWarning) for one in caught):
        with contextlib.suppress(UndecidedError):
            if are_known(stored) and np.array_equal(standardise(stored), standardise(X)):
                _check_first_program(machine, standardise(stored), y)


def _draw_machine(rng: np.random.Generator) -> Any:
    C = np.inf if rng.random() < 0.35 else float(10.0 ** rng.uniform(-4, 4))
    refit = rng.choice(["margin", None])
    match rng.integers(4):
        case 0:
            return Liknon(C=C, class_weight=None, refit=refit)
        case 1:
            return ZeroNormSVM(C=C, class_weight=None, refit=refit)
    return SupportFeatureMachine(C=C, class_weight=None, refit=refit)


def _check_refusal(machine: Any, X: Any, y: np.ndarray, message: str) -> None:
    """Where a machine says that a proof exists, the classes cannot be separated."""
    require(np.isinf(machine.C), f"{machine}: NotSeparableError with a finite C")
    values = X.toarray() if hasattr(X, "toarray") else np.asarray(X, dtype=np.float64)
    if "proven" in message and values.shape[1] <= 12 and len(values) <= 30:
        pairs = list(list_inseparable(values, y))
        # All classes at once may be inseparable where every two of them are not.
        require(pairs or len(set(y.tolist())) > 2, f"{machine}: separable, but it says {message}")


def _check_answers(machine: Any, X: Any, y: np.ndarray) -> None:
    require(np.isfinite(machine.coef_).all(), f"{machine}: weights are not finite")
    require(np.isfinite(machine.intercept_).all(), f"{machine}: biases are not finite")
    used = np.any(machine.coef_ != 0.0, axis=0)
    require(not np.any(used & ~machine.support_), f"{machine}: weights outside the support")
    require(set(machine.predict(X).tolist()) <= set(y.tolist()), f"{machine}: unknown classes")
    probability = machine.predict_proba(X)
    require(np.allclose(probability.sum(axis=1), 1.0), f"{machine}: probabilities do not sum to 1")


def _check_currency(machine: Any, X: Any, y: np.ndarray, rate: float) -> None:
    """Prices in another unit give the same machine."""
    other = clone(machine).set_params(feature_cost=rate * machine.feature_cost)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other.fit(X, y)
    require(np.array_equal(other.coef_, machine.coef_), f"{machine}: other weights at {rate}")


def _check_first_program(machine: Any, Z: np.ndarray, y: np.ndarray) -> None:
    """The program over all columns, against linprog."""
    step = machine.results_[0].steps[0]
    varying = int(np.count_nonzero(np.ptp(Z, axis=0)))
    unit = 1.0 if isinstance(machine, Liknon) else float(np.sqrt(max(1, varying)))
    cost = machine.C / unit
    if cost < _SMALLEST_COST:
        return
    prices = np.ones(Z.shape[1]) if machine.feature_cost is None else machine.feature_cost
    prices = prices / np.quantile(prices, 0.5, method="lower")  # C is per unit of this price
    is_sfm = isinstance(machine, SupportFeatureMachine)
    if len(machine.classes_) == 2:
        case = Case(
            Z,
            np.where(y == 1, 1.0, -1.0),
            "class_means" if is_sfm else "unit_margin",
            slack_cost=np.full(len(y), cost),
            feature_cost=prices,
        )
        if is_sfm and case.u @ Z[:, step.features] @ step.w < 0.0:  # the means the other way round
            case = case.replace(rhs=-1.0)
        peer = full_optimum(case, Z)
    else:
        peer = joint_optimum(Z, y, np.full(len(y), cost), prices, means_apart=is_sfm)
    wanted = peer.value
    if wanted <= _LARGEST and peer.is_certain:
        off = abs(step.objective - wanted) / max(1.0, abs(wanted))
        require(off <= _ACCURACY, f"{machine}: objective {step.objective}, linprog {wanted}")
