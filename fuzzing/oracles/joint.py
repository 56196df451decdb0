"""The whole program for many classes at once, in linprog; and weak duality from X and y alone."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
from scipy import sparse

from fuzzing.oracles.linear import Optimum, ask_peer


def joint_optimum(Z, codes, cost, feature_cost, *, means_apart=False, weight=None) -> Optimum:
    """The optimum over weights, sizes, biases and slacks; infinite where nothing is feasible."""
    n, d = Z.shape
    K = codes.max() + 1
    pairs = [(i, k) for i in range(n) for k in range(K) if k != codes[i]]
    rows = [_row(Z[i], codes[i], k, d, K, bias=1.0) for i, k in pairs]
    limits = [0.0 if means_apart else 1.0] * len(pairs)
    if means_apart:
        means = _class_means(Z, codes, weight)
        for k in range(K):
            for other in range(k):
                rows.append(_row(means[k] - means[other], k, other, d, K, bias=0.0))
                limits.append(1.0)
    slacks = sparse.eye_array(len(rows), len(pairs))
    margins = sparse.hstack([-np.array(rows), sparse.csr_array((len(rows), d)), -slacks])
    size = sparse.vstack([sparse.eye_array(d)] * K)
    rest = sparse.csr_array((d * K, K)), -size, sparse.csr_array((d * K, len(pairs)))
    above = sparse.hstack([sparse.eye_array(d * K), *rest])
    below = sparse.hstack([-sparse.eye_array(d * K), *rest])
    slack_cost = np.zeros(len(pairs)) if cost is None else [cost[i] for i, _ in pairs]
    return ask_peer(
        np.concatenate([np.zeros(d * K + K), 2.0 * feature_cost, slack_cost]),
        A_ub=sparse.vstack([margins, above, below]).tocsr(),
        b_ub=np.concatenate([-np.array(limits), np.zeros(2 * d * K)]),
        bounds=[(None, None)] * (d * K + K)
        + [(0, None)] * d
        + [(0, 0 if cost is None else None)] * len(pairs),
    )


def joint_bound(Z, codes, feature_cost, alpha, apart, b, *, means_apart=False, weight=None):
    """What no weights can be below, from multipliers of samples with rivals and of pairs of means.

    Weights of feature j pay c_j times their range, so the sum of what pulls at them upwards must
    not be above c_j; else all multipliers shrink. The multipliers of each class have to cancel
    out, since the bias is free: what is left of them counts with the bias that was found. All of
    it in fractions: huge multipliers round nothing off.
    """
    v = [_pull_of_sample(row, own) for row, own in zip(alpha, codes, strict=True)]
    points, value = list(Z), alpha
    if means_apart:
        points += _class_means(Z, codes, weight)
        v += _pull_of_means(alpha.shape[1], apart)
        value = apart
    ratio = Fraction(1)
    for column, price in zip(np.transpose(points), feature_cost, strict=True):
        pulls = _sum_up(v, column)
        above = sum(max(pull, 0) for pull in pulls.values())
        ratio = max(ratio, above / Fraction(float(price)))
    left = _sum_up(v, np.ones(len(points)))
    lost = sum(abs(size) * Fraction(abs(float(b[k]))) for k, size in left.items())
    return float((sum(map(Fraction, np.ravel(value).tolist())) - lost) / ratio)


def _pull_of_sample(multipliers: np.ndarray, own: int) -> dict[int, Fraction]:
    """By class: down for every rival, and up as much for its own class."""
    pulls = {int(k): -Fraction(float(multipliers[k])) for k in np.flatnonzero(multipliers)}
    pulls[int(own)] = sum(map(Fraction, multipliers.tolist()), Fraction(0))
    return pulls


def _pull_of_means(n_classes: int, apart: np.ndarray) -> list[dict[int, Fraction]]:
    """Each mean up for its own class and down for the other one of each pair."""
    pulls = [dict.fromkeys(range(n_classes), Fraction(0)) for _ in range(n_classes)]
    for first, second, size in zip(*np.triu_indices(n_classes, 1), apart.tolist(), strict=True):
        for one, other in ((first, second), (second, first)):
            pulls[one][one] += Fraction(size)
            pulls[one][other] -= Fraction(size)
    return pulls


def _sum_up(v: list[dict[int, Fraction]], column: np.ndarray) -> dict[int, Fraction]:
    """By class, the sum over all points of what pulls there, times the values of a column."""
    total: dict[int, Fraction] = defaultdict(Fraction)
    for pulls, value in zip(v, map(Fraction, column.tolist()), strict=True):
        for k, size in pulls.items():
            total[k] += size * value
    return total


def _class_means(Z, codes, weight):
    weight = np.ones(len(Z)) if weight is None else weight
    groups = [codes == k for k in range(codes.max() + 1)]
    return [np.average(Z[group], axis=0, weights=weight[group]) for group in groups]


def _row(x, own, rival, d, K, bias):
    row = np.zeros(d * K + K)
    row[own * d : (own + 1) * d], row[rival * d : (rival + 1) * d] = x, -x
    row[d * K + own], row[d * K + rival] = bias, -bias
    return row
