"""One set of columns: hyperplanes that separate the classes, or a proof that there are none.

Every pair of classes has a hyperplane of its own, with weights of its own on the same columns.

A double is a fraction whose denominator is a power of two, so a block of data becomes whole numbers
when it is multiplied by one power of two. Separation does not depend on that factor.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._showing import Shown
from fewest._solvers.columns import scale_columns
from fewest._solvers.linear.master import SolverError, TimeIsUpError
from fewest._solvers.linear.solve import solve
from fewest._solvers.problem import unit_margin
from fewest._solvers.result import Result, Status
from fewest._types import FloatArray, IndexArray
from fewest.minimum._classes import ClassPair, pair_classes, sign_labels
from fewest.minimum._clock import stop_when_over
from fewest.minimum._signs import separate_with_signs

Integers = NDArray[np.object_]  # Python's, which do not overflow
Signs = NDArray[np.int8]  # that weights must have; 0 for either

SMALLEST = 2.0**-1022  # smaller doubles have fewer digits
_TINY_EXPONENT = -200  # columns of smaller values are lifted
# Shares below this fraction of the largest are rounding of the simplex method.
_ZERO_SHARE = 1e-9


@dataclass(frozen=True, repr=False)
class Separation(Shown):
    """Columns, and whole-number weights whose weighted sums separate the classes strictly.

    `weights` has one tuple for each pair of classes, in the order of `pair_classes`. Samples that
    are `wrong` are left out; without them, fewer than two classes may be left.
    """

    columns: tuple[int, ...]
    weights: tuple[tuple[int, ...], ...]
    wrong: tuple[int, ...] = ()

    def holds(self, X: FloatArray, y: NDArray[Any], signs: Signs | None = None) -> bool:
        """Check it on the data, in whole numbers; `signs` say which signs weights may have."""
        if self.wrong:
            X, y = (np.delete(values, self.wrong, axis=0) for values in (X, y))
            if len(np.unique(y)) < 2:
                return True
        block, pairs = as_integers(X[:, self.columns]), pair_classes(y)
        ruled = rules_of(signs, self.columns)
        return len(pairs) == len(self.weights) and all(
            separates(block[pair.rows], pair.y, weights)
            and (
                ruled is None
                or not any(s * w < 0 for s, w in zip(ruled.tolist(), weights, strict=True))
            )
            for pair, weights in zip(pairs, self.weights, strict=True)
        )


@dataclass(frozen=True, repr=False)
class RuledOut(Shown):
    """Columns that do not separate two of the classes, with a Farkas vector.

    Whole-number shares of some samples of these classes: their sums over both classes are equal,
    and so are the points to which they average either class. In columns whose weight may have one
    sign only, the points may differ, against that sign.
    """

    columns: tuple[int, ...]
    samples: tuple[int, ...]
    shares: tuple[int, ...]

    def holds(self, X: FloatArray, y: NDArray[Any], signs: Signs | None = None) -> bool:
        """Check it on the data, in whole numbers; `signs` say which signs weights may have."""
        chosen = list(self.samples)
        block, labels = as_integers(X[np.ix_(chosen, self.columns)]), y[chosen]
        ruled = rules_of(signs, self.columns)
        return len(np.unique(labels)) == 2 and is_farkas(
            block, sign_labels(labels), self.shares, ruled
        )

    def classes(self, y: NDArray[Any]) -> tuple[Any, Any]:
        """The labels of the two classes."""
        first, second = np.unique(y[list(self.samples)]).tolist()
        return first, second

    def bad_on(self, X: FloatArray, y: NDArray[Any]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """For every column of X, whether it is bad on this vector with sign + and with sign -.

        What rounding leaves open is computed in whole numbers.
        """
        chosen = list(self.samples)
        rows, shares = X[chosen], _with_signs(self.shares, sign_labels(y[chosen]))
        v = (shares / max(self.shares)).astype(np.float64)
        price, sizes = v @ rows, np.abs(rows)
        doubt = (len(v) + 4) * np.finfo(float).eps * (np.abs(v) @ sizes)
        # Products and shares near the smallest double lose digits that are not relative to them.
        doubt += len(v) * SMALLEST * (1.0 + sizes.max(axis=0, initial=0.0))
        sign = np.sign(price)
        doubtful = np.flatnonzero(np.abs(price) <= doubt)
        sign[doubtful] = np.sign(shares @ as_integers(rows[:, doubtful]))
        return sign <= 0, sign >= 0


def settle(
    X: FloatArray,
    y: NDArray[Any],
    columns: Iterable[int],
    pairs: Sequence[ClassPair] | None = None,
    signs: Signs | None = None,
) -> Separation | RuledOut:
    """Decide for each pair of classes; the first that is not separated is the answer.

    `pairs` are all of them, in the order in which to decide. `signs` say for every column of X
    which sign its weight must have (0: either).
    """
    columns = tuple(sorted(int(column) for column in columns))
    weights = {}
    for pair in pair_classes(y) if pairs is None else pairs:
        answer = settle_pair(X, pair, columns, signs)
        if isinstance(answer, RuledOut):
            return answer
        weights[pair.place] = answer
    return Separation(columns, tuple(weights[place] for place in sorted(weights)))


def settle_pair(
    X: FloatArray, pair: ClassPair, columns: tuple[int, ...], signs: Signs | None = None
) -> tuple[int, ...] | RuledOut:
    """Decide by a linear program, and put the decision into whole numbers: weights, or a proof.

    Where the program's answer does not survive that (margins near zero, degenerate vertices), the
    simplex method runs again in fractions.
    """
    block, ruled = X[pair.rows[:, None], columns], rules_of(signs, columns)
    if ruled is None:
        answer = _settle_by_program(block, pair.y)
    else:
        answer = _settle_with_signs(block, pair.y, ruled)
    if answer is None:
        stop_when_over()
        answer = _settle_in_fractions(block, pair.y, ruled)
    if isinstance(answer, RuledOut):
        samples = pair.rows[list(answer.samples)]
        return RuledOut(columns, tuple(samples.tolist()), answer.shares)
    return answer


def find_weights(
    X: FloatArray, pair: ClassPair, columns: tuple[int, ...]
) -> tuple[int, ...] | None:
    """Weights that separate a pair of classes; None if a program finds none, which proves nothing.

    A proof for many columns would take long.
    """
    answer = _settle_by_program(X[pair.rows[:, None], columns], pair.y, prove=False)
    return None if isinstance(answer, RuledOut) else answer


def _settle_by_program(
    block: FloatArray, y: FloatArray, *, prove: bool = True
) -> tuple[int, ...] | RuledOut | None:
    lifted, shifts = lift_columns(block)
    scaled = scale_columns(lifted)
    try:
        result = solve(unit_margin(y), scaled)
    except TimeIsUpError:
        raise
    except SolverError:
        return None
    if result.status is Status.INFEASIBLE and prove:
        return rule_out(block, y, range(block.shape[1]), find_weighed(result))
    if not np.isfinite(result.objective):
        return None
    values = np.zeros(block.shape[1])
    values[result.features] = result.w * scaled.inverse_scale[result.features]
    weights = tuple(as_integers(values) << shifts)
    return weights if separates(as_integers(block), y, weights) else None


def _settle_with_signs(
    block: FloatArray, y: FloatArray, signs: Signs
) -> tuple[int, ...] | RuledOut | None:
    """The same where weights may have one sign only."""
    lifted, shifts = lift_columns(block)
    values, shares = separate_with_signs(lifted, y, signs)
    weights = tuple(as_integers(values) << shifts)
    whole = as_integers(block)
    if separates(whole, y, weights):
        return weights
    samples = np.flatnonzero(shares > _ZERO_SHARE * max(0.0, shares.max()))
    away = (shares * y) @ scale_columns(lifted).take(np.arange(block.shape[1]))
    tight = np.flatnonzero((signs == 0) | (np.abs(away) <= _ZERO_SHARE * shares.sum()))
    leaf = rule_out(block, y, tight.tolist(), samples) if len(samples) else None
    if leaf is None or not is_farkas(whole[samples], y[samples], leaf.shares, signs):
        return None
    return RuledOut(tuple(range(block.shape[1])), leaf.samples, leaf.shares)


def _settle_in_fractions(
    block: FloatArray, y: FloatArray, signs: Signs | None = None
) -> tuple[int, ...] | RuledOut:
    separable, proof = decide(as_integers(block), y, signs)
    if separable:
        return tuple(proof)
    samples = tuple(i for i, share in enumerate(proof) if share)
    return RuledOut(tuple(range(block.shape[1])), samples, tuple(proof[i] for i in samples))


def find_weighed(result: Result) -> IndexArray:
    """The samples that have a share in the proof that a program is infeasible."""
    return np.flatnonzero(result.alpha > _ZERO_SHARE * result.alpha.max())


def rule_out(
    X: FloatArray, y: FloatArray, columns: Sequence[int], samples: IndexArray
) -> RuledOut | None:
    """A proof with shares of all these samples, if they are determined up to a factor."""
    rows = [[1] * len(samples), *as_integers(X[samples][:, list(columns)]).T]
    shares = _kernel_vector(_with_signs(rows, y[samples]))
    if shares is None:
        return None
    shares = shares // (gcd(*shares) if shares[0] > 0 else -gcd(*shares))
    if min(shares) <= 0:
        return None
    return RuledOut(tuple(columns), tuple(samples.tolist()), tuple(shares))


def as_integers(values: FloatArray) -> Integers:
    """Doubles as whole numbers, all multiplied by the same power of two."""
    mantissa, exponent = np.frexp(values)
    whole = (mantissa * 2.0**53).astype(np.int64)
    used = whole != 0
    lowest = exponent.min(where=used, initial=1 << 12)  # above the exponent of any double
    return whole.astype(object) << np.where(used, exponent - lowest, 0).astype(object)


def lift_columns(X: FloatArray) -> tuple[FloatArray, Integers]:
    """X, with columns of tiny values times powers of two, and the exponents of these powers.

    That changes no digit and no decision, but squares and products of the values stay above the
    smallest double. Weights of the lifted columns are shifted by the exponents to be those of X.
    """
    largest = np.maximum(X.max(axis=0, initial=0.0), -X.min(axis=0, initial=0.0))
    _, exponents = np.frexp(largest)
    shifts = np.where(exponents < _TINY_EXPONENT, -exponents, 0)
    return np.ldexp(X, shifts) if shifts.any() else X, shifts.astype(object)


def rules_of(signs: Signs | None, columns: Sequence[int]) -> Signs | None:
    """The signs that the weights of these columns must have; None if all may have either."""
    ruled = None if signs is None else signs[list(columns)]
    return ruled if ruled is not None and ruled.any() else None


def _with_signs(values: Any, y: FloatArray) -> Integers:
    """Values of samples (in the last dimension), negative for the negative class."""
    return np.array(values, dtype=object) * np.where(y > 0, 1, -1)


def separates(block: Integers, y: FloatArray, weights: Sequence[int]) -> bool:
    """Whether the weighted sum of every positive sample lies above that of every negative one."""
    scores = block @ np.array(weights, dtype=object)
    return bool(scores[y > 0].min() > scores[y < 0].max())


def is_farkas(
    block: Integers, y: FloatArray, shares: Sequence[int], signs: Signs | None = None
) -> bool:
    """Whether the shares are one point in the convex hulls of both classes.

    They must be non-negative, not all zero, of equal sum in both classes, and weigh the samples of
    both classes to the same point. No hyperplane can have the classes on its two sides then. Where
    a weight must be positive, the second class may lie lower, where it must be negative, higher.
    """
    signed = _with_signs(shares, y)
    away = signed @ block
    if signs is None:
        is_one_point = not any(away)
    else:
        is_one_point = all(s * a < 0 or a == 0 for s, a in zip(signs.tolist(), away, strict=True))
    return min(shares) >= 0 and any(shares) and sum(signed) == 0 and is_one_point


def decide(block: Integers, y: FloatArray, signs: Signs | None = None) -> tuple[bool, list[int]]:
    """Whether the samples are separable; weights that separate them, or else Farkas shares.

    The first phase of the simplex method on  sum_i y_i lambda_i (x_i, 1) = 0,  sum_i lambda_i = 1,
    lambda >= 0, with Bland's rule, which cannot cycle. If no lambda exists, the multipliers of the
    last step are a hyperplane with every sample strictly on its side. Columns whose weight must
    have a sign are no equations, but inequalities: each has a slack.

    All numbers are whole: those of the inverse of the basis times its determinant, the last pivot,
    by which every further step divides without a remainder (Edmonds).
    """
    n_samples, width = block.shape
    table = np.ones((width + 2, n_samples), dtype=object)
    table[:width] = block.T
    table[:-1] = _with_signs(table[:-1], y)
    if signs is not None:
        ruled = np.flatnonzero(signs)
        slacks = np.zeros((width + 2, len(ruled)), dtype=object)
        slacks[ruled, np.arange(len(ruled))] = signs[ruled].tolist()
        table = np.hstack([table, slacks])
    n, height = table.shape[1], width + 2
    # The inverse of the basis, which is one of artificial variables first, and the right-hand side.
    solved = np.eye(height, height + 1, dtype=int).astype(object)
    solved[-1, -1], determinant = 1, 1
    basis = np.arange(n, n + height)
    while True:
        stop_when_over()
        is_artificial = basis >= n
        multipliers = solved[is_artificial].sum(axis=0)
        if not multipliers[-1]:
            shares = np.zeros(n, dtype=object)
            shares[basis[~is_artificial]] = solved[~is_artificial, -1]
            return False, _shorten(shares[:n_samples])
        entering = next((i for i in range(n) if multipliers[:-1] @ table[:, i] > 0), None)
        if entering is None:
            # The multiplier of sum(lambda) = 1 is positive, and no sample can offset it.
            return True, _shorten(-multipliers[:width])
        column = solved[:, :-1] @ table[:, entering]
        leaving = min(
            np.flatnonzero(column > 0),
            key=lambda r: (Fraction(int(solved[r, -1]), int(column[r])), basis[r]),
        )
        others = np.arange(height) != leaving
        pivot, products = column[leaving], np.outer(column[others], solved[leaving])
        solved[others] = (pivot * solved[others] - products) // determinant
        basis[leaving], determinant = entering, pivot


def _kernel_vector(matrix: Integers) -> Integers | None:
    """The whole-number vector that all rows map to zero, if it is unique up to a factor.

    Gauss-Jordan elimination without fractions (Bareiss): every division leaves no remainder, and
    in the end all pivots are equal. It overwrites the matrix.
    """
    pivots: list[int] = []
    last = 1
    for column in range(matrix.shape[1]):
        stop_when_over()
        top = len(pivots)
        candidates = top + np.flatnonzero(matrix[top:, column])
        if not len(candidates):
            continue
        matrix[[top, candidates[0]]] = matrix[[candidates[0], top]]
        lead, others = matrix[top, column], np.arange(len(matrix)) != top
        products = np.outer(matrix[others, column], matrix[top])
        matrix[others] = (lead * matrix[others] - products) // last
        last = lead
        pivots.append(column)
    free = [column for column in range(matrix.shape[1]) if column not in pivots]
    if len(free) != 1:
        return None
    kernel = np.full(matrix.shape[1], last, dtype=object)
    kernel[pivots] = -matrix[: len(pivots), free[0]]
    return kernel


def _shorten(values: Integers) -> list[int]:
    """The same vector without common factors."""
    common = gcd(*values) or 1
    return [int(value) // common for value in values]
