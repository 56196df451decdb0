"""Whether two classes are linearly separable, decided in whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fewest._estimators.validation import check_flag
from fewest._showing import Shown
from fewest._solvers.columns import scale_columns
from fewest._solvers.linear.master import SolverError
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import unit_margin
from fewest._solvers.result import Result, Status
from fewest._types import FloatArray, IndexArray
from fewest._wording import counted
from fewest.minimum._claims import are_places, are_whole
from fewest.minimum._data import check_two_classes, conflicting_samples
from fewest.minimum._leaves import (
    RuledOut,
    Separation,
    as_integers,
    decide,
    find_weighed,
    lift_columns,
    rule_out,
)

# Fractions take too long for larger systems of equations (columns times samples squared).
LARGEST_SYSTEM = 300_000


@dataclass(frozen=True, repr=False)
class Separability(Shown):
    """Whether a hyperplane separates two classes strictly, and the proof; print it for a sentence.

    Attributes
    ----------
    separable : bool
        The answer.
    proven : bool
        Whether there is a proof, as below. It may be missing for large data whose classes overlap
        or touch: the answer is then that of a linear program in floating-point numbers.
    intercept : bool
        Whether the hyperplane may miss the origin.
    features, weights : tuples of int
        If separable: columns, and whole-number weights whose sum puts every sample of the second
        class above every sample of the first (above zero and below it, without an intercept).
    samples, shares : tuples of int
        If not: samples, and how often each counts. The weighted averages of the two classes are
        the same point, which no hyperplane can have on both sides. (Without an intercept: the
        samples, those of the first class with the opposite sign, add up to zero.)
    """

    separable: bool
    proven: bool
    intercept: bool
    features: tuple[int, ...] = ()
    weights: tuple[int, ...] = ()
    samples: tuple[int, ...] = ()
    shares: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return self.separable

    def __str__(self) -> str:
        through = "" if self.intercept else " through the origin"
        proof = "not proven: too large for whole numbers"
        if self.proven and self.separable:
            proof = f"proven by one on {counted(len(self.features), 'feature')}"
        elif self.proven:
            proof = f"proven by {counted(len(self.samples), 'sample')}"
        start = "A" if self.separable else "No"
        return f"{start} hyperplane{through} separates the classes ({proof})."

    def verify(self, X: Any, y: ArrayLike) -> bool:
        """Check the proof against the data, in whole numbers and without a solver.

        Parameters
        ----------
        X, y : arrays
            The data that the answer is for.

        Returns
        -------
        bool
            Whether there is a proof and it holds.
        """
        X, signs = check_two_classes(X, y, "decide_separability")
        whole_signs = np.where(signs > 0, 1, -1).astype(object)
        proof, other = (self.features, self.weights), (self.samples, self.shares)
        if not self.separable:
            proof, other = other, proof
        places, numbers = proof
        if any(other) or not are_places(places, X.shape[1] if self.separable else len(X)):
            return False
        if not self.proven or not are_whole(numbers, len(places)):
            return False
        if self.separable:
            scores = as_integers(X[:, self.features]) @ np.array(self.weights, dtype=object)
            if self.intercept:
                return bool(scores[signs > 0].min() > scores[signs < 0].max())
            return bool(min(scores * whole_signs) > 0)
        if not any(self.shares) or min(self.shares) < 0:
            return False
        chosen = list(self.samples)
        signed = np.array(self.shares, dtype=object) * whole_signs[chosen]
        balanced = not self.intercept or sum(signed) == 0
        return bool(balanced and not any(signed @ as_integers(X[chosen])))


def decide_separability(X: Any, y: ArrayLike, *, intercept: bool = True) -> Separability:
    r"""Decide whether two classes are linearly separable, with a proof of either answer.

    .. math::

        \exists\, w, b: \; y_i (w^\top x_i + b) > 0 \;\; \forall i
        \qquad \text{or} \qquad
        \exists\, \lambda \ge 0, \lambda \ne 0: \;
        \sum_i \lambda_i y_i x_i = 0, \;\; \sum_i \lambda_i y_i = 0,

    and never both (Gordan's theorem; without an intercept, b and the last equation are left out). A
    linear program finds one of them, as in Klement's thesis (2013, sec. 2.5.4). Its answer is then
    put into whole numbers, with floating-point numbers treated as exact fractions. So classes that
    touch are distinguished from classes that do not, and no tolerance is involved.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Finite numbers. For a set of features, pass these columns.
    y : array of shape (n_samples,)
        Two classes.
    intercept : bool
        Whether the hyperplane may miss the origin.

    Returns
    -------
    Separability
        True or false in an `if`, and with `verify(X, y)`, which checks the proof without a solver.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest import decide_separability
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    >>> crosswise = decide_separability(X, [0, 0, 1, 1])
    >>> print(crosswise)
    No hyperplane separates the classes (proven by 4 samples).
    >>> crosswise.verify(X, [0, 0, 1, 1])
    True
    >>> bool(decide_separability(np.column_stack([X, X[:, 0] * X[:, 1]]), [0, 0, 1, 1]))
    True
    """
    check_flag("intercept", intercept)
    X, signs = check_two_classes(X, y, "decide_separability")
    n = len(signs)
    if not intercept:
        # A hyperplane through the origin separates samples if and only if any hyperplane separates
        # them together with their mirror images, which are of the other class.
        X, signs = np.asfortranarray(np.vstack([X, -X])), np.concatenate([signs, -signs])
    separable, proof = find_proof(X, signs)
    if isinstance(proof, Separation):
        return Separability(True, True, bool(intercept), proof.columns, *proof.weights)
    if proof is None:
        return Separability(separable, False, bool(intercept))
    total: dict[int, int] = {}
    for sample, share in zip(proof.samples, proof.shares, strict=True):
        total[sample % n] = total.get(sample % n, 0) + share
    samples = tuple(sorted(i for i, share in total.items() if share))
    shares = tuple(total[i] // gcd(*total.values()) for i in samples)
    return Separability(False, True, bool(intercept), samples=samples, shares=shares)


def find_proof(X: FloatArray, y: FloatArray) -> tuple[bool, Separation | RuledOut | None]:
    """The answer, and its proof unless that takes too long."""
    conflicts = conflicting_samples(X, y)
    if conflicts:
        return False, RuledOut(tuple(range(X.shape[1])), conflicts[0], (1, 1))
    try:
        result = solve(unit_margin(y), scale_columns(lift_columns(X)[0]))
    except SolverError:
        result = None
    proof = None if result is None else _make_exact(X, y, result)
    if proof is None and X.size * len(y) <= LARGEST_SYSTEM:
        separable, numbers = decide(as_integers(X), y)
        proof = (
            Separation(tuple(range(X.shape[1])), (tuple(numbers),))
            if separable
            else RuledOut(tuple(range(X.shape[1])), tuple(range(len(y))), tuple(numbers))
        )
    if proof is not None:
        return isinstance(proof, Separation), proof
    return result is not None and bool(np.isfinite(result.objective)), None


def _make_exact(X: FloatArray, y: FloatArray, result: Result) -> Separation | RuledOut | None:
    """The answer of the linear program in whole numbers, where it survives that."""
    if result.status is Status.INFEASIBLE:
        return rule_out_all(X, y, find_weighed(result))
    if not np.isfinite(result.objective):
        return None
    lifted, shifts = lift_columns(X[:, result.features])
    weights = tuple(as_integers(result.w * scale_columns(lifted).inverse_scale) << shifts)
    found = Separation(tuple(result.features.tolist()), (weights,))
    return found if found.holds(X, y) else None


def rule_out_all(X: FloatArray, y: FloatArray, samples: IndexArray) -> RuledOut | None:
    """A proof for all columns with shares of a few samples, unless that takes too long."""
    if X.shape[1] * len(samples) ** 2 > LARGEST_SYSTEM:
        return None
    return rule_out(X, y, range(X.shape[1]), samples)
