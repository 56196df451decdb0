"""The whole program for many classes at once, in linprog."""

from __future__ import annotations

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
        weight = np.ones(n) if weight is None else weight
        means = [np.average(Z[codes == k], axis=0, weights=weight[codes == k]) for k in range(K)]
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


def _row(x, own, rival, d, K, bias):
    row = np.zeros(d * K + K)
    row[own * d : (own + 1) * d], row[rival * d : (rival + 1) * d] = x, -x
    row[d * K + own], row[d * K + rival] = bias, -bias
    return row
