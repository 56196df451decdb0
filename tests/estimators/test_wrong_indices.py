"""Sparse matrices that point outside themselves are refused wherever they are handed over."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import fewest
from fewest import _sparse
from fewest.datasets import make_gaussian
from fewest.diagnostics import diagnose, hubness
from fewest.filters import fisher_score
from fewest.informative import informative_features
from fewest.machines.svm_path import exact_svm_path
from fewest.machines.transvariation import class_differences
from fewest.panels import panel_report, points_score
from fewest.psvm import potential_path
from fewest.significance import bootstrap_632, permutation_test, run_held_out, stability

X, Y = make_gaussian(n=30, d=12, k=3, mu=1.5, random_state=0)
VALUES = sparse.csr_matrix(np.where(np.abs(X) > 0.3, X, 0.0))


def spoil(kind="csr", part="indices", place=5, value=12):
    """A copy of which one number is wrong; scipy notices it in none of these."""
    spoilt = VALUES.asformat(kind, copy=True)
    getattr(spoilt, part)[place] = value
    return spoilt


WRONG = {
    "above": {},
    "far above": {"value": 2_000_000_000},
    "below": {"value": -1},
    "rows of csc": {"kind": "csc", "value": 30},
    "a start": {"part": "indptr", "value": 1_000_000},
    "the first start": {"part": "indptr", "place": 0, "value": 1},
    "the last start": {"part": "indptr", "place": -1, "value": 1_000_000},
    "starts that decrease": {"part": "indptr", "place": 2, "value": 999},
    "coo": {"kind": "coo", "part": "row", "value": 30},
    "coo, below": {"kind": "coo", "part": "col", "value": -7},
    "bsr": {"kind": "bsr", "value": 12},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_every_kind_of_damage(wrong):
    spoilt = spoil(**wrong)
    with pytest.raises(ValueError, match="X is no valid sparse matrix: .* create it again from"):
        fewest.SupportFeatureMachine().fit(spoilt, Y)


def test_lengths_and_types():
    for part, values in (
        ("indices", VALUES.indices[:-1]),
        ("indices", VALUES.indices.astype(float)),
        ("indices", VALUES.indices.astype(np.uint64)),
        ("indptr", VALUES.indptr[:-1]),
        ("data", VALUES.data[:-1]),
        ("data", np.ones((VALUES.nnz, 2))),
    ):
        spoilt = VALUES.copy()
        setattr(spoilt, part, values)
        with pytest.raises(ValueError, match="X is no valid sparse matrix"):
            _sparse.check_sparse(spoilt, "X")
    lists = VALUES.tolil()
    lists.rows[3] = [99]
    lists.data[3] = [1.0]
    with pytest.raises(ValueError, match="holds the index 99, outside 0 to 11"):
        _sparse.check_sparse(lists, "X")
    with pytest.raises(ValueError, match="1 dimension"):
        _sparse.check_sparse(sparse.coo_array(np.ones(3)), "X")


def test_a_declared_size_that_fits_into_no_memory():
    wide = sparse.csr_matrix((30, 10**15))
    with pytest.raises(ValueError, match="a row or column of X would take 7,450,581 GB"):
        fewest.SupportFeatureMachine().fit(wide, Y)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"])
def test_right_matrices_pass(kind):
    for values in (VALUES, sparse.csr_matrix((30, 12)), sparse.csr_matrix((0, 5))):
        _sparse.check_sparse(values.asformat(kind), "X")
    _sparse.check_sparse(sparse.csr_array(VALUES), "X")
    _sparse.check_sparse(X, "X")


FITTED = [
    fewest.SupportFeatureMachine(),
    fewest.Liknon(),
    fewest.LiknonCV(Cs=[1.0]),
    fewest.SupportFeatureMachineCV(Cs=[1.0]),
    fewest.ZeroNormSVM(),
    fewest.UnionFeatureMachine(),
    fewest.PotentialSVC(),
    fewest.PotentialSelector(),
    fewest.RepetitiveSelector(n_subsets=2),
    fewest.AccumulatedClassifier(),
]


@pytest.mark.parametrize("estimator", FITTED, ids=lambda one: type(one).__name__)
def test_estimators(estimator):
    with pytest.raises(ValueError, match="X is no valid sparse matrix"):
        estimator.fit(spoil(), Y)
    estimator.fit(VALUES, Y)
    for name in ("predict", "decision_function", "transform", "predict_proba"):
        if hasattr(estimator, name):
            with pytest.raises(ValueError, match="X is no valid sparse matrix"):
                getattr(estimator, name)(spoil())


MACHINE = fewest.SupportFeatureMachine(C=1.0)
FUNCTIONS = {
    "minimum_features": lambda Z: fewest.minimum_features(Z, Y),
    "near_optimal_sets": lambda Z: fewest.near_optimal_sets(Z, Y),
    "error_front": lambda Z: fewest.error_front(Z, Y),
    "decide_separability": lambda Z: fewest.decide_separability(Z, Y),
    "liknon_path": lambda Z: fewest.liknon_path(Z, Y, [0.1]),
    "exact_liknon_path": lambda Z: fewest.exact_liknon_path(Z, Y, C_min=0.1, C_max=1.0),
    "exact_sfm_path": lambda Z: fewest.exact_sfm_path(Z, Y, C_min=0.1, C_max=1.0),
    "exact_svm_path": lambda Z: exact_svm_path(Z, Y),
    "class_differences": lambda Z: class_differences(Z, Y),
    "potential_path": lambda Z: potential_path(Z, Y),
    "run_held_out": lambda Z: run_held_out(MACHINE, Z, Y),
    "permutation_test": lambda Z: permutation_test(MACHINE, Z, Y, n_permutations=2),
    "bootstrap_632": lambda Z: bootstrap_632(MACHINE, Z, Y, n_resamples=2),
    "stability": lambda Z: stability(MACHINE, Z, Y, n_resamples=2),
    "diagnose": lambda Z: diagnose(Z, Y),
    "hubness": lambda Z: hubness(Z),
    "fisher_score": lambda Z: fisher_score(Z, Y),
    "informative_features": lambda Z: informative_features(None, Z, Y),
    "panel_report": lambda Z: panel_report(Z, Y, [0, 1]),
    "points_score": lambda Z: points_score(Z, Y, [0, 1]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    with pytest.raises(ValueError, match="X is no valid sparse matrix"):
        FUNCTIONS[name](spoil())
