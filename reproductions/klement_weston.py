"""Weston's toy data with growing noise: tables of Klement et al. (2010, 2013) and of the thesis.

Six features are informative, the others noise. A new sample's noise features are independent, so
what they add to a decision is one normal number: no test sample of 10,000 features is ever drawn.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from fewest import SupportFeatureMachine, ZeroNormSVM
from fewest.datasets import make_weston
from reproductions.helpers import average, fit_svm, fit_two_norm_svm, seed_run
from reproductions.study import Cell, Measured, Published, Study

SIZES = (20, 50, 100, 200, 500)
_NOISE_SCALE = 20.0

# Klement, Anders & Martinetz (2013), table 1, and Klement's thesis (2013), figs. 4.6 and 4.7: rows
# are SIZES, columns 10, 100, 1000 and 10,000 noise features; each mean of 1000 runs is followed by
# its standard deviation.
NOISE_2013 = (10, 100, 1000, 10_000)
TABLE_2013 = {
    "SFM features": """
        2.0 0.6   2.0 0.6   2.0 0.6   1.9 0.6
        2.3 0.6   2.4 0.6   2.4 0.6   2.5 0.7
        2.7 0.7   2.6 0.6   2.6 0.7   2.6 0.7
        3.1 0.7   3.2 0.8   3.2 0.8   3.1 0.7
        4.1 0.8   4.2 0.8   4.2 0.8   4.2 0.8""",
    "Weston features": """
        2.6 0.8   2.8 0.9   3.0 1.1   3.2 1.1
        3.2 1.0   3.4 1.1   3.3 1.1   3.4 1.1
        3.8 1.1   4.0 1.2   4.0 1.2   3.9 1.2
        4.6 1.2   4.9 1.4   4.9 1.4   4.8 1.2
        5.9 1.3   6.2 1.5   6.4 1.5   6.2 1.4""",
    "SFM correct, %": """
        98.5 8.0   88.9 20.2   66.5 29.1   46.9 32.9
        99.6 3.5   98.8 6.5   96.7 10.9   85.9 22.4
        99.7 3.1   99.1 5.3   97.3 8.8   96.9 9.4
        99.4 3.9   98.5 6.0   96.6 8.9   95.1 11.0
        98.8 5.0   96.4 8.7   94.3 10.8   92.2 11.7""",
    "Weston correct, %": """
        94.8 12.8   81.2 23.7   58.0 29.6   32.5 26.1
        94.0 12.1   87.6 16.0   85.0 18.0   79.7 20.3
        93.1 12.0   87.0 16.0   83.4 17.5   83.1 17.1
        89.0 13.6   82.9 15.9   80.3 16.0   80.6 16.0
        82.2 12.9   76.2 14.5   73.5 14.7   74.1 14.6""",
}
ERRORS_2013 = {
    "soft SVM test error, %": """
        4.1 2.1   23.3 2.7   40.6 1.1   47.0 0.7
        1.5 0.6   12.4 2.0   34.5 1.1   44.9 0.8
        0.9 0.3   6.5 1.2   28.5 1.1   42.8 0.8
        0.7 0.2   3.2 0.6   21.4 1.0   39.7 0.7
        0.5 0.1   1.5 0.3   11.9 0.8   34.0 0.7""",
    "Weston test error, %": """
        5.0 4.3   8.4 7.6   17.5 12.1   30.6 13.7
        2.2 1.5   2.5 1.6   2.7 1.8   3.5 3.3
        1.5 0.7   1.5 0.7   1.6 0.9   1.7 0.9
        1.1 0.4   1.1 0.5   1.1 0.5   1.2 0.5
        0.8 0.3   0.8 0.3   0.8 0.3   0.8 0.3""",
    "SFM test error, %": """
        12.4 5.4   14.2 6.2   19.0 9.9   27.7 15.3
        5.3 2.9   5.5 3.3   6.1 3.6   8.4 5.2
        3.0 1.6   2.9 1.6   2.9 1.5   3.0 1.9
        1.7 0.7   1.6 0.7   1.7 0.8   1.7 0.8
        1.0 0.3   1.0 0.3   1.0 0.4   1.0 0.3""",
}
# Klement & Martinetz (2010), tables I and II: 8, 64, 512 and 4096 noise features; 100 runs.
NOISE_2010 = (8, 64, 512, 4096)
ERRORS_2010 = {
    "SVM test error, %": """
        5.0 2.5   17.5 2.8   36.1 1.3   45.1 0.7
        2.4 1.2   8.7 1.7   28.6 1.3   41.9 0.7
        1.7 0.8   5.0 1.3   21.6 1.3   38.7 0.7
        1.3 0.5   2.7 0.7   14.1 1.0   34.2 0.7
        1.0 0.3   1.6 0.3   6.9 0.7   26.2 0.6""",
    "Weston test error, %": """
        6.0 5.7   6.8 6.8   14.5 12.0   30.9 15.6
        2.3 1.8   2.6 1.7   3.0 2.2   3.7 3.0
        1.6 0.7   1.8 1.0   1.8 0.9   1.8 1.0
        1.2 0.5   1.2 0.5   1.3 0.5   1.3 0.5
        0.8 0.3   0.8 0.2   0.8 0.3   0.8 0.3""",
    "SFM test error, %": """
        14.5 5.5   14.7 5.9   23.0 11.8   31.5 14.9
        5.8 2.7   6.4 3.9   7.2 4.1   8.5 4.8
        3.4 1.7   3.2 1.5   3.3 1.5   3.6 1.8
        1.9 0.8   2.0 0.7   2.1 0.8   1.9 0.8
        1.1 0.3   1.1 0.4   1.1 0.4   1.0 0.4""",
}
TABLE_2010 = {
    "SFM features": """
        2.0 0.6   2.1 0.7   2.1 0.7   2.2 0.8
        2.4 0.6   2.5 0.6   2.5 0.8   2.6 0.8
        2.6 0.7   2.7 0.7   2.7 0.7   2.7 0.7
        3.1 0.7   3.3 0.8   3.0 0.8   3.1 0.8
        4.2 0.8   4.1 0.7   4.0 0.7   4.0 0.9""",
    "Weston features": """
        2.8 0.8   2.7 0.9   3.1 1.1   3.4 1.3
        3.2 1.0   3.2 1.1   3.4 1.2   3.5 1.4
        3.8 1.0   4.0 1.2   3.8 1.3   3.8 1.2
        4.8 1.3   4.8 1.3   5.0 1.2   4.8 1.4
        5.8 1.3   6.2 1.5   6.0 1.4   6.0 1.3""",
    "SFM correct, %": """
        98.0 9.0   85.6 22.8   67.2 26.5   40.9 34.4
        98.6 6.1   99.4 4.1   94.4 14.0   84.7 23.6
        99.8 2.5   99.5 3.5   97.1 9.4   94.9 12.0
        99.6 2.6   98.8 5.1   97.4 7.5   96.3 9.5
        98.6 5.2   96.6 8.0   95.6 8.6   94.3 10.5""",
    "Weston correct, %": """
        93.0 15.1   82.8 20.4   62.7 29.9   33.9 30.1
        93.8 12.7   90.2 14.6   81.0 18.7   82.3 20.1
        95.0 10.0   91.1 14.6   88.0 16.8   85.3 15.8
        90.3 12.8   82.2 15.0   79.6 16.3   82.7 15.9
        83.8 12.9   76.9 15.0   75.4 14.8   78.6 15.2""",
}


def measure(n: int, n_noise: int, quick: bool) -> dict[str, Measured]:
    """Both selecting machines and the support vector machine on the same data, run by run."""
    runs = _count_runs(n, n_noise)
    runs = max(3, runs // 50) if quick else runs
    return average([_measure_once(n, n_noise, run) for run in range(runs)])


def _count_runs(n: int, n_noise: int) -> int:
    """As many as the larger paper where they take a fraction of a second."""
    return 1000 if n * n_noise <= 50_000 else 300 if n * n_noise <= 500_000 else 100


def _measure_once(n: int, n_noise: int, run: int) -> dict[str, float]:
    rng = seed_run(n, n_noise, run)
    X, y = make_weston(n, n_noise, random_state=rng)
    known, y_new = make_weston(5000, 0, separable=False, random_state=rng)
    noise = _NOISE_SCALE * rng.standard_normal(5000)
    row = {}
    machines = {"SFM": SupportFeatureMachine(C=np.inf, refit=None), "Weston": ZeroNormSVM()}
    for name, machine in machines.items():
        w, b = machine.fit(X, y).coef_[0], machine.intercept_[0]
        row[f"{name} features"] = float(np.count_nonzero(w))
        row[f"{name} correct, %"] = 100.0 * np.count_nonzero(w[:6]) / np.count_nonzero(w)
        row[f"{name} test error, %"] = _judge(w, b, known, y_new, noise)
    mean, scale = X.mean(axis=0), X.std(axis=0)
    Z = (X - mean) / scale
    svms = {"SVM": fit_svm(Z, y, 1e4), "soft SVM": fit_two_norm_svm(Z, y, 0.1)}
    for name, (w, b) in svms.items():
        w = w / scale
        row[f"{name} test error, %"] = _judge(w, b - w @ mean, known, y_new, noise)
    return row


def _judge(w: np.ndarray, b: float, known: np.ndarray, y: np.ndarray, noise: np.ndarray) -> float:
    """Percentage of errors; the noise features of a sample add one normal number."""
    scores = known @ w[:6] + b + np.linalg.norm(w[6:]) * noise
    return 100.0 * float(np.mean((scores > 0) != (y > 0)))


def _read(text: str, runs: int) -> list[Published]:
    numbers = [float(one) for one in text.split()]
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    return [Published(mean, 1, runs, sd=sd) for mean, sd in pairs]


def _cells(tables: dict[str, str], noises: tuple[int, ...], runs: int) -> list[Cell]:
    numbers = {label: _read(text, runs) for label, text in tables.items()}
    places = [(n, n_noise) for n in SIZES for n_noise in noises]
    return [
        Cell(
            f"n = {n}, {n_noise} noise features",
            partial(measure, n, n_noise),
            {label: values[place] for label, values in numbers.items()},
        )
        for place, (n, n_noise) in enumerate(places)
    ]


_SEPARABLE = (
    "The papers do not say how the training set was made separable. Our rule (samples are drawn "
    "again while a linear SVM misclassifies them) was chosen because it gives table 1 of 2013, so "
    "agreement there is not independent of it."
)

_SOFT_SVM = (
    "The thesis does not say that its support vector machine is soft, but with 10 noise features "
    "the hard one errs twice as often; it is the one of 2010. Squared slacks with C = 0.1 on "
    "standardised columns, a value chosen to fit, come close in every cell. So do neither ordinary "
    "slacks (C = 0.1, 1 or 10) nor samples of mean norm one (C = 1 to 100)."
)

_CHANCE = (
    "The difference is between two and three standard errors; in a table of this size three "
    "or four numbers would differ that much by chance."
)

_WHY_2010 = {
    "n = ": _CHANCE,
    "n = 20, ": "Table 1 of 2013, with ten times as many runs, does not confirm these: ours lie "
    "between its cells. Sets that are separable in all features only, another reading of the "
    "text of 2010, give the same.",
}

STUDIES = [
    Study(
        "klement2013_table1",
        "Weston's toy data: features found",
        "Klement, Anders & Martinetz (2013), table 1; the same numbers are fig. 4.6 of Klement's "
        "thesis (2013)",
        _cells(TABLE_2013, NOISE_2013, 1000),
        notes=_SEPARABLE,
        why={"n = ": _CHANCE},
    ),
    Study(
        "thesis_fig_4_7",
        "Weston's toy data: test errors",
        "Klement's thesis (2013), fig. 4.7",
        _cells(ERRORS_2013, NOISE_2013, 1000),
        notes=f"{_SEPARABLE} {_SOFT_SVM}",
        why={
            "n = ": "Not found out: with 50 to 200 samples the selecting machines of the thesis "
            "make 5 to 15 % fewer errors than ours, and than those of 2010 on such data. "
            "An exact share of 70 % of the samples, or a hyperplane midway between the classes, "
            "does not explain it."
        },
    ),
    Study(
        "klement2010_table1",
        "Weston's toy data in 2010: test errors",
        "Klement & Martinetz (2010), table I",
        _cells(ERRORS_2010, NOISE_2010, 100),
        notes=_SEPARABLE,
        why=_WHY_2010,
    ),
    Study(
        "klement2010_table2",
        "Weston's toy data in 2010: features found",
        "Klement & Martinetz (2010), table II",
        _cells(TABLE_2010, NOISE_2010, 100),
        notes=_SEPARABLE,
        why=_WHY_2010,
    ),
]
