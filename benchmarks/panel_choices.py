"""Which loss should choose a panel for many classes: compared inside training folds only.

Run with `python -m benchmarks.panel_choices`; `--data khan` takes one data set. The candidates are
those of the library (the joint program with unit margins at the noise level). Ways to choose k of
them are compared in three inner folds of each training part, by macro-F1 of the logistic
regression of `benchmarks.many_classes`. The way that is best on average, over all sizes and data
sets, is what the library should have; its scores on the outer folds are shown beside those of the
others, and decide nothing. Scores are kept in benchmarks/.cache.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold

from benchmarks.many_classes import score
from benchmarks.many_classes_cache import FOLDER
from benchmarks.many_classes_data import SIZES, Fold, ManyClasses, load_all
from fewest import SupportFeatureMachine
from fewest._solvers.joint.margin import joint_margin
from fewest._solvers.joint.smooth import choose_features

N_OUTER, N_INNER = 1, 3
SUBSAMPLES, SHARE = 10, 0.8
_VERSION = 1  # of the ways: what was kept of others does not count
LIBRARY = "logistic, ridge 0.05"

Way = Callable[[np.ndarray, np.ndarray, np.ndarray, int], np.ndarray]


def find_candidates(X: np.ndarray, y: np.ndarray, count: int) -> np.ndarray:
    """About so many features, as the library finds them before it chooses."""
    machine = SupportFeatureMachine(max_features=count, refit=None).fit(X, y)
    return np.flatnonzero(machine.support_)


def by_logistic(
    block: np.ndarray, codes: np.ndarray, weight: np.ndarray, k: int, *, ridge: float
) -> np.ndarray:
    return choose_features(block, codes, weight, k, ridge=ridge)


def by_squared_hinge(
    block: np.ndarray, codes: np.ndarray, weight: np.ndarray, k: int, *, C: float
) -> np.ndarray:
    """Squared hinges towards every rival; the feature with the smallest weights leaves."""
    places = np.arange(block.shape[1])
    while len(places) > k:
        W, _ = joint_margin(block[:, places], codes, C * weight)
        places = np.delete(places, np.argmin(np.sum(W**2, axis=1)))
    return places


def by_subsamples(
    block: np.ndarray, codes: np.ndarray, weight: np.ndarray, k: int, *, ridge: float
) -> np.ndarray:
    """Those most often chosen on parts of the samples; among equals, those chosen on all."""
    rng = np.random.default_rng(0)
    counts = np.zeros(block.shape[1])
    counts[choose_features(block, codes, weight, k, ridge=ridge)] += 0.5
    for _ in range(SUBSAMPLES):
        parts = [np.flatnonzero(codes == code) for code in np.unique(codes)]
        rows = np.concatenate(
            [rng.choice(part, max(2, int(SHARE * len(part))), replace=False) for part in parts]
        )
        counts[choose_features(block[rows], codes[rows], weight[rows], k, ridge=ridge)] += 1.0
    return np.sort(np.argsort(-counts, kind="stable")[:k])


def by_coupling(
    block: np.ndarray, codes: np.ndarray, weight: np.ndarray, k: int, *, mixture: float
) -> np.ndarray:
    """Logistic loss with (1 - mixture) sum_k |w_jk| + mixture max_k |w_jk| per feature.

    The penalty falls until k features have weights; of more, those with the largest.
    """
    targets = (codes[:, None] == np.arange(codes.max() + 1)).astype(float)
    share = weight / weight.sum()
    step = 2.0 / np.linalg.norm(np.sqrt(share)[:, None] * block, 2) ** 2
    W, b = np.zeros((block.shape[1], targets.shape[1])), np.zeros(targets.shape[1])
    for penalty in np.geomspace(0.3, 1e-4, 60):
        for _ in range(100):
            scores = block @ W + b
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            pull = share[:, None] * (scores / scores.sum(axis=1, keepdims=True) - targets)
            moved = _shrink(W - step * block.T @ pull, step * penalty, mixture)
            b = b - 2.0 * pull.sum(axis=0)
            change, W = np.abs(moved - W).max(), moved
            if change < 1e-5:
                break
        sizes = np.abs(W).max(axis=1)
        if np.count_nonzero(sizes) >= k:
            break
    return np.sort(np.argsort(-sizes, kind="stable")[:k])


def _shrink(W: np.ndarray, amount: float, mixture: float) -> np.ndarray:
    """The proximal step: soft thresholds, then the largest entries of every row come down."""
    W = np.sign(W) * np.maximum(0.0, np.abs(W) - (1.0 - mixture) * amount)
    ordered = -np.sort(-np.abs(W), axis=1)
    counts = np.arange(1, W.shape[1] + 1)
    levels = (np.cumsum(ordered, axis=1) - mixture * amount) / counts
    places = np.sum(ordered > levels, axis=1) - 1
    level = np.maximum(0.0, levels[np.arange(len(W)), np.maximum(0, places)])
    return np.clip(W, -level[:, None], level[:, None])


def by_least_squares(
    block: np.ndarray, codes: np.ndarray, weight: np.ndarray, k: int
) -> np.ndarray:
    """Canonical correlations (Pillai's trace), forward, as fastcan does."""
    root = np.sqrt(weight / weight.sum())[:, None]
    Z = root * block
    targets = root * (codes[:, None] == np.arange(codes.max() + 1))
    one = root / np.linalg.norm(root)
    Z, targets = Z - one * (one.T @ Z), targets - one * (one.T @ targets)
    basis = np.linalg.svd(targets, full_matrices=False)[0][:, : codes.max()]
    chosen: list[int] = []
    for _ in range(k):
        norms = np.sum(Z**2, axis=0)
        gains = np.where(norms > 1e-9, np.sum((basis.T @ Z) ** 2, axis=0) / norms, -1.0)
        gains[chosen] = -np.inf
        best = int(np.argmax(gains))
        chosen.append(best)
        direction = Z[:, best : best + 1] / np.linalg.norm(Z[:, best])
        Z = Z - direction * (direction.T @ Z)
    return np.sort(chosen)


WAYS: dict[str, Way] = {
    LIBRARY: partial(by_logistic, ridge=0.05),
    "logistic, ridge 0.02": partial(by_logistic, ridge=0.02),
    "logistic, ridge 0.1": partial(by_logistic, ridge=0.1),
    "10 subsamples, ridge 0.05": partial(by_subsamples, ridge=0.05),
    "squared hinge, C = 1": partial(by_squared_hinge, C=1.0),
    "squared hinge, C = 0.1": partial(by_squared_hinge, C=0.1),
    "logistic, sum of |w|": partial(by_coupling, mixture=0.0),
    "logistic, half max": partial(by_coupling, mixture=0.5),
    "logistic, max |w|": partial(by_coupling, mixture=1.0),
    "least squares, forward": by_least_squares,
}


def score_ways(fold: Fold, sizes: tuple[int, ...]) -> np.ndarray:
    """Scores on the samples left out: one row per way, one column per size."""
    path = FOLDER / f"choices-{_key(fold, sizes)}.json"
    if path.exists():
        return np.array(json.loads(path.read_text(encoding="utf-8")))
    codes = np.unique(fold.y, return_inverse=True)[1]
    candidates = find_candidates(fold.X, fold.y, 2 * max(sizes))
    block = fold.X[:, candidates]
    weight = (len(codes) / (codes.max() + 1) / np.bincount(codes))[codes]
    scores = [
        [score(fold, candidates[way(block, codes, weight, min(k, len(candidates)))]) for k in sizes]
        for way in WAYS.values()
    ]
    FOLDER.mkdir(exist_ok=True)
    path.write_text(json.dumps(scores), encoding="utf-8")
    return np.array(scores)


def _key(fold: Fold, sizes: tuple[int, ...]) -> str:
    hashed = hashlib.sha256(repr((_VERSION, sizes, list(WAYS))).encode())
    hashed.update(np.ascontiguousarray(fold.X).tobytes())
    hashed.update(np.ascontiguousarray(fold.X_left_out).tobytes())
    return hashed.hexdigest()[:24]


def inner_folds(fold: Fold) -> Iterator[Fold]:
    """Parts of the training samples of a fold."""
    splitter = StratifiedKFold(N_INNER, shuffle=True, random_state=1)
    for train, test in splitter.split(fold.X, fold.y):
        varies = np.ptp(fold.X[train], axis=0) > 0
        yield replace(
            fold,
            X=fold.X[train][:, varies],
            y=fold.y[train],
            X_left_out=fold.X[test][:, varies],
            y_left_out=fold.y[test],
            names=fold.names[varies],
        )


def load_data() -> Iterator[ManyClasses]:
    """Those of `benchmarks.many_classes`, the digits of scikit-learn and the cells of scanpy."""
    X, y = load_digits(return_X_y=True)
    yield ManyClasses("digits", X, y)
    try:
        import scanpy
    except ImportError:
        print("(scanpy is not installed: without its pbmc68k_reduced)")
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cells = scanpy.datasets.pbmc68k_reduced()
        y = np.unique(cells.obs["bulk_labels"].astype(str), return_inverse=True)[1]
        yield ManyClasses("pbmc68k", np.asarray(cells.X, dtype=np.float64), y)
    yield from load_all()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="ways to choose a panel for many classes")
    parser.add_argument("--data", action="append", help="a data set's name, or its beginning")
    asked = parser.parse_args(arguments).data
    warnings.simplefilter("ignore")
    inside, outside = [], []
    for data in load_data():
        if asked is not None and not data.name.startswith(tuple(asked)):
            continue
        inner, outer = [], []
        for number, fold in enumerate(data.folds()):
            if number == N_OUTER * data.repeats:
                break
            inner.append(np.mean([score_ways(one, SIZES) for one in inner_folds(fold)], axis=0))
            outer.append(score_ways(fold, SIZES))
        inside.append(np.mean(inner, axis=0))
        outside.append(np.mean(outer, axis=0))
        _show(f"{data.name}: inner folds, then outer folds, at k =", inside[-1], outside[-1])
    if len(inside) > 1:
        mean = np.mean(inside, axis=0)
        _show("mean of all data sets: inner, then outer", mean, np.mean(outside, axis=0))
        best = list(WAYS)[int(mean.mean(axis=1).argmax())]
        print(f"\nbest in the inner folds: {best}; the library has: {LIBRARY}")


def _show(title: str, inner: np.ndarray, outer: np.ndarray) -> None:
    print(f"\n{title}\n{'':<28}" + 2 * ("".join(f"{k:>7}" for k in SIZES) + "   mean  "))
    for name, *rows in zip(WAYS, inner, outer, strict=True):
        parts = ["".join(f"{v:7.3f}" for v in row) + f"{row.mean():7.3f}  " for row in rows]
        print(f"{name:<28}" + "".join(parts), flush=True)


if __name__ == "__main__":
    main()
