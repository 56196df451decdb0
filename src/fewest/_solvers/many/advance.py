"""Many problems of one X that advance together.

In every round the prices of all problems are one product with X, of which the largest few per
problem are kept; those columns are fetched, and every problem solves its own small program, all
threads side by side. Two rounds are the rule: the first starts from the class means, the second
finds nothing more, and is the proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from fewest._solvers.many.crew import Crew
from fewest._solvers.many.prices import Best, Prices
from fewest._solvers.many.problem import DoubtfulError, One, Outcome
from fewest._types import FloatArray, IndexArray

# Rounds after which a problem is left to others.
_MOST_ROUNDS = 60
# Bytes of the columns in all small programs, and of the scales of problems with some samples.
_CHUNK_BYTES = 1 << 30


def solve_together(
    prices: Prices,
    labels: Iterable[FloatArray],
    crew: Crew,
    *,
    tol: float = 1e-7,
    max_iter: int = 20,
) -> Iterator[Outcome | None]:
    """The outcome of every problem, in their order; None where it has to be solved by itself.

    Parameters
    ----------
    prices : Prices
        X, with the means and scales of its columns.
    labels : iterable of arrays of shape (n_samples,)
        -1 and 1 for the classes of a problem, 0 for samples that have no part in it.
    crew : Crew
        The threads.
    tol : float
        Relative duality gap at which a program counts as solved.
    max_iter : int
        Most programs of a zero-norm loop.
    """
    waiting, size = iter(labels), chunk_size(prices)
    while chunk := list(islice(waiting, size)):
        yield from _solve_chunk(prices, chunk, crew, tol, max_iter)


def chunk_size(prices: Prices) -> int:
    """How many problems advance together: enough for fast products, few enough for memory."""
    n, d = prices.n_samples, prices.n_features
    fitting = min(_CHUNK_BYTES // (8 * n * (n + 60)), _CHUNK_BYTES // (4 * d))
    return int(max(1, min(prices.most_at_once, fitting)))


def _solve_chunk(
    prices: Prices, labels: list[FloatArray], crew: Crew, tol: float, max_iter: int
) -> list[Outcome | None]:
    problems = [One(one, tol, max_iter) for one in labels]
    outcomes: list[Outcome | None] = [None] * len(problems)
    scales = None
    if any(one.rows is not None for one in problems):
        scales = prices.measure_scales(np.array([one != 0.0 for one in labels], dtype=np.float64))
    active = np.arange(len(problems))
    for rounds in range(_MOST_ROUNDS):
        going_on = []
        rough = np.array([problems[place].is_rough for place in active])
        for part, is_rough in ((active[rough], True), (active[~rough], False)):
            if not len(part):
                continue
            own = None if scales is None else prices.pick_scales(scales, part)
            ones = [problems[place] for place in part]
            best = _price(prices, ones, own, is_rough) if rounds else _start(prices, ones, own)
            for place, found in zip(part, _advance(prices, ones, best, crew), strict=True):
                if isinstance(found, Outcome):
                    outcomes[place] = found
                elif found is None:
                    going_on.append(place)
        active = np.array(sorted(going_on), dtype=np.intp)
        if not len(active):
            break
        if not rounds and prices.rough_rounds:
            for place in active:
                problems[place].is_rough = not problems[place].is_endless
    return outcomes


def _start(prices: Prices, ones: list[One], scales: object) -> list[Best]:
    """The columns to begin with."""
    count = max(one.batch for one in ones)
    found = prices.find_start(_dual_vectors(prices, ones), count, scales)
    return [Best(index, False) for index in found]


def _price(prices: Prices, ones: list[One], scales: object, is_rough: bool) -> list[Best]:
    """The columns that may join, or are as good as those that are in."""
    thresholds = np.array([one.threshold for one in ones])
    count = max(one.most_joining for one in ones)
    V = _dual_vectors(prices, ones)
    return prices.find_above(V, thresholds, count, scales=scales, rough=is_rough)


def _dual_vectors(prices: Prices, ones: list[One]) -> FloatArray:
    V = np.zeros((len(ones), prices.n_samples))
    for row, one in zip(V, ones, strict=True):
        one.fill_dual(row)
    return V


def _advance(
    prices: Prices, ones: list[One], best: list[Best], crew: Crew
) -> list[Outcome | DoubtfulError | None]:
    """What every problem makes of the largest prices."""
    new: list[IndexArray] = [one.is_new(found.index) for one, found in zip(ones, best, strict=True)]
    raw = prices.gather(new)
    jobs = [(prices, *job) for job in zip(ones, best, new, raw, strict=True)]
    return crew.map(_advance_one, jobs)


def _advance_one(
    prices: Prices, one: One, best: Best, new: IndexArray, raw: FloatArray
) -> Outcome | DoubtfulError | None:
    try:
        return one.advance(prices, best, new, raw)
    except DoubtfulError as error:
        return error
