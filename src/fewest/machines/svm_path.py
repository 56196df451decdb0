"""The linear support vector machine for every C: the exact path that Liknon is compared with."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from sklearn.utils import check_X_y

from fewest._estimators.validation import (
    check_count,
    check_flag,
    check_not_negative,
    check_positive,
    encode_two_classes,
    standardize_columns,
)
from fewest._showing import Shown
from fewest._solvers.columns import Columns
from fewest._solvers.problem import class_mean_vector
from fewest._solvers.svm_path import PathState, follow_path
from fewest._sparse import SPARSE_FORMATS, check_sparse
from fewest._types import FloatArray

__all__ = ["SVMPath", "exact_svm_path"]

# How far below the end of a part the next one starts, and how often that may happen.
_BELOW, _MOST_STARTS = 1e-6, 200
_MOST_ITERATIONS = 50_000  # of libsvm, which may go on for ever on samples that repeat
_LARGEST_GAP = 1e-4


@dataclass(frozen=True, eq=False, repr=False)
class SVMPath(Shown):
    """Support vector machines at every C where the path bends, with weights for X as it was given.

    In between, w / C and b / C are linear in 1 / C: `solve_at` is exact, too.

    Attributes
    ----------
    Cs : array of shape (n_bends,)
        Increasing costs.
    coefs, intercepts : arrays of shape (n_bends, n_features) and (n_bends,)
        Weights and biases.
    n_margin : array of int of shape (n_bends,)
        Samples on the margin just above each C.
    gaps : array of shape (n_bends,)
        Duality gap relative to the objective, recomputed from the data: zero up to rounding.
    ratios : array of shape (n_bends,)
        |w|^2 / (a . w) of (8.23) in Pranckeviciene & Somorjai (2011), with a as in `LiknonPath`, on
        the columns as they entered; it never exceeds C.
    complete : bool
        Whether the path reached `C_max` within `max_solutions`.
    """

    Cs: FloatArray
    coefs: FloatArray
    intercepts: FloatArray
    n_margin: NDArray[np.intp]
    gaps: FloatArray
    ratios: FloatArray
    complete: bool

    def solve_at(self, C: float) -> tuple[FloatArray, float]:
        """Weights and bias at any C of the path.

        Parameters
        ----------
        C : float
            Between the smallest and the largest of `Cs`.

        Returns
        -------
        coef : array of shape (n_features,)
        intercept : float
        """
        check_positive("C", C)
        if not self.Cs[0] <= C <= self.Cs[-1]:
            raise ValueError(f"C must be on the path, {self.Cs[0]:.6g} to {self.Cs[-1]:.6g}")
        right = int(np.clip(np.searchsorted(self.Cs, C), 1, max(1, len(self.Cs) - 1)))
        if len(self.Cs) == 1:
            return self.coefs[0], float(self.intercepts[0])
        ends = slice(right - 1, right + 1)
        low, high = 1.0 / self.Cs[ends]
        share = (low - 1.0 / C) / (low - high)
        parts = np.array([1.0 - share, share]) / self.Cs[ends] * C
        return parts @ self.coefs[ends], float(parts @ self.intercepts[ends])

    def select(self, threshold: float, *, relative: bool = False) -> NDArray[np.bool_]:
        """Features whose weight is larger in size than a threshold, at every bend.

        The weights of a two-norm machine are not zero, so a threshold selects the features; table
        8.1 of Pranckeviciene & Somorjai (2011) has 0.05 and 0.035. The number of features depends
        strongly on it.

        Parameters
        ----------
        threshold : float
            For the weights of X as it was given.
        relative : bool
            Multiply the threshold by the largest weight of each machine.

        Returns
        -------
        bool array of shape (n_bends, n_features)
        """
        check_not_negative("threshold", threshold)
        sizes = np.abs(self.coefs)
        unit = sizes.max(axis=1, keepdims=True) if relative else 1.0
        return np.asarray(sizes > threshold * unit)


def exact_svm_path(
    X: Any,
    y: ArrayLike,
    *,
    C_max: float = 100.0,
    C_min: float | None = None,
    standardize: bool = True,
    max_solutions: int = 10_000,
) -> SVMPath:
    r"""The linear support vector machine for every C up to a largest one.

    .. math::

        \min \; \tfrac{1}{2} \|w\|_2^2 + C \sum_i \xi_i
        \quad \text{subject to} \quad
        y_i (w^\top x_i + b) \ge 1 - \xi_i, \; \xi_i \ge 0

    The algorithm is that of Hastie, Rosset, Tibshirani & Zhu (2004), called Sympath by
    Pranckeviciene & Somorjai (2011), who compare Liknon with it. It solves one small linear system
    at every C where a sample reaches or leaves the margin. With `select`, a threshold on the
    weights turns it into a feature selection method.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Samples of two classes. Their kernel matrix (n_samples squared) is kept in memory.
    y : array of shape (n_samples,)
        Labels; the larger one is the positive class.
    C_max : float
        Where the path ends.
    C_min : float or None
        Where it begins. None: where it bends first; below, all samples of the smaller class
        violate the margin and w / C is constant.
    standardize : bool
        Of columns with variance one; otherwise of X as it is.
    max_solutions : int
        Where to give up; `complete` shows whether that happened.

    Returns
    -------
    SVMPath

    References
    ----------
    Hastie, Rosset, Tibshirani, Zhu (2004). The entire regularization path for the support vector
    machine. Journal of Machine Learning Research 5.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.machines.svm_path import exact_svm_path
    >>> X, y = make_gaussian(n=60, d=10, k=2, mu=1.0, random_state=0)
    >>> path = exact_svm_path(X, y, C_max=0.05)
    >>> np.flatnonzero(path.select(0.25)[-1]).tolist()  # two of ten features differ
    [0, 1]
    >>> bool(path.gaps.max() < 1e-8)
    True
    """
    check_positive("C_max", C_max)
    check_count("max_solutions", max_solutions)
    check_flag("standardize", standardize)
    if C_min is not None:
        check_positive("C_min", C_min)
        if C_min >= C_max:
            raise ValueError(f"C_min = {C_min} must be below C_max = {C_max}")
    check_sparse(X, "X")
    X, y = check_X_y(X, y, accept_sparse=SPARSE_FORMATS, dtype="numeric", ensure_all_finite=False)
    _, codes = encode_two_classes("exact_svm_path", y)
    signs = np.where(codes == 1, 1.0, -1.0)
    columns = standardize_columns(X, per_column=standardize)
    unit = 1.0 if standardize else 1.0 / columns.inverse_scale[columns.inverse_scale > 0][0]
    Z = columns.take(np.arange(columns.n_features)) * unit
    K = Z @ Z.T
    states, complete = _follow_all(K, signs, C_min, C_max, max_solutions)
    return _describe(columns, unit, Z, K, signs, states, complete)


def _follow_all(
    K: FloatArray, y: FloatArray, C_min: float | None, C_max: float, most: int
) -> tuple[list[PathState], bool]:
    """The path in parts: where rounding breaks its conditions, it starts again a little further."""
    state = _find_first(K, y) if C_min is None else start_at(K, y, 1.0 / C_min)
    states: list[PathState] = []
    for _ in range(_MOST_STARTS):
        if state.lam <= 1.0 / C_max:
            return [*states, start_at(K, y, 1.0 / C_max)], True
        part, complete = follow_path(K, y, state, 1.0 / C_max, most - len(states))
        states += part
        if complete or len(states) >= most:
            # The last step may be long, and a large C makes much of what rounding leaves.
            return [*states[:-1], _polish(K, y, states[-1])], complete
        state = start_at(K, y, states[-1].lam * (1 - _BELOW))
    return states, False


def _find_first(K: FloatArray, y: FloatArray) -> PathState:
    """The state at the first bend, from lambda = infinity on."""
    few = 1.0 if np.sum(y > 0) <= np.sum(y < 0) else -1.0
    lam = 2.0 * float(np.abs(K).sum(axis=1).max())
    state = start_at(K, y, lam)
    while np.any(state.alpha[y == few] < 1.0) or np.any(state.margin & (y == few)):
        lam *= 4.0
        state = start_at(K, y, lam)
    first, _ = follow_path(K, y, state, lam / 1e12, 2)
    return first[-1]


def start_at(K: FloatArray, y: FloatArray, lam: float) -> PathState:
    """The solution at one lambda: who is on the margin from libsvm, the rest by a linear system."""
    machine = SVC(kernel="precomputed", C=1.0, tol=1e-9, max_iter=_MOST_ITERATIONS)
    with warnings.catch_warnings():  # the certificate decides whether it was good enough
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(K / lam, y)
    alpha = np.zeros(len(y))
    alpha[machine.support_] = np.abs(machine.dual_coef_[0])
    bias = lam * float(machine.intercept_[0])
    margin = (alpha > 1e-7) & (alpha < 1 - 1e-7)
    alpha[~margin] = alpha[~margin].round()
    return _polish(K, y, PathState(lam, alpha, bias, margin))


def _polish(K: FloatArray, y: FloatArray, state: PathState) -> PathState:
    """The same state with alpha and bias to the last digits, for the samples on its margin."""
    lam, margin = state.lam, state.margin
    on = np.flatnonzero(margin)
    if not len(on):
        return state
    signed, fixed = y[on], y * np.where(margin, 0.0, state.alpha)
    system = np.zeros((len(on) + 1, len(on) + 1))
    system[1:, 1:] = signed[:, None] * signed * K[np.ix_(on, on)] / lam
    system[0, 1:] = system[1:, 0] = signed
    right = np.concatenate([[-fixed.sum()], 1.0 - signed * (K[on] @ fixed) / lam])
    now = np.concatenate([[state.bias / lam], state.alpha[on]])
    change, *_ = np.linalg.lstsq(system, right - system @ now, rcond=1e-12)
    better = state.copy()
    better.bias, better.alpha[on] = lam * float(now[0] + change[0]), now[1:] + change[1:]
    return better


def _describe(
    columns: Columns,
    unit: float,
    Z: FloatArray,
    K: FloatArray,
    y: FloatArray,
    states: list[PathState],
    complete: bool,
) -> SVMPath:
    lams = np.array([state.lam for state in states])
    alphas = np.array([state.alpha for state in states])
    w = (alphas * y) @ Z / lams[:, None]
    b = np.array([state.bias for state in states]) / lams
    scale = columns.inverse_scale * unit
    coefs = w * scale
    a = Z.T @ (len(y) / 2.0 * class_mean_vector(y))
    decisions = (alphas * y) @ K / lams[:, None] + b[:, None]
    hinges = np.maximum(0.0, 1.0 - y * decisions).sum(axis=1)
    squares = np.sum(w**2, axis=1)
    primal = squares / 2.0 + hinges / lams
    dual = alphas.sum(axis=1) / lams - squares / 2.0
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(squares > 0, squares / (w @ a), np.nan)
    gaps = np.abs(primal - dual) / primal
    if gaps.max() > _LARGEST_GAP:
        warnings.warn(
            f"the path is not exact: the duality gap is {gaps.max():.2g} of the objective at C = "
            f"{1.0 / lams[gaps.argmax()]:.4g}. Samples that repeat, or columns of very different "
            "size, do that: standardise, or lower C_max",
            ConvergenceWarning,
            stacklevel=3,
        )
    return SVMPath(
        Cs=1.0 / lams,
        coefs=coefs,
        intercepts=b - coefs @ columns.mean,
        n_margin=np.array([int(state.margin.sum()) for state in states]),
        gaps=gaps,
        ratios=ratios,
        complete=complete,
    )
