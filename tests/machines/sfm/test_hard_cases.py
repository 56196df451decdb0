"""Data that are awkward: ties, outliers, extreme costs, turned planes, odd containers."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from fewest import NotSeparableError, SupportFeatureMachine
from fewest.datasets import make_gaussian, make_weston


@pytest.mark.parametrize("high", [2, 4])
def test_hard_machine_makes_no_training_error_on_data_full_of_ties(high):
    # On 0/1 data the papers' hyperplane passes through samples of both classes.
    for seed in range(25):
        X = np.random.default_rng(seed).integers(0, high, (40, 100)).astype(float)
        y = np.arange(40) % 2
        assert SupportFeatureMachine(C=np.inf).fit(X, y).score(X, y) == 1.0


def test_neither_solution_nor_proof_is_an_error_with_advice(monkeypatch):
    X = np.array([[0.0], [1.0], [2.0], [1e10]])
    # As if what separates in whole numbers did not in floating-point numbers.
    monkeypatch.setattr(SupportFeatureMachine, "_decide_exactly", lambda *_: (True, None))
    with pytest.raises(NotSeparableError, match="Outliers.*finite C"):
        SupportFeatureMachine(C=np.inf).fit(X, [0, 0, 1, 1])


@pytest.mark.parametrize("C", [1e4, 1e6, 1e8, 1e10, 1e300])
@pytest.mark.filterwarnings("error")
def test_large_costs_are_solved_to_a_proof(C):
    for seed in (0, 2, 7, 11):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((150, 100)), rng.integers(0, 2, 150)
        result = SupportFeatureMachine(C=C).fit(X, y).result_
        assert result.gap <= 1e-7


def test_no_plane_is_worse_than_its_own_mirror_image():
    for seed in range(20):
        X, y = make_gaussian(n=100, d=50, k=3, mu=0.5, random_state=seed)
        for C in (0.01, 0.1):
            machine = SupportFeatureMachine(C=C, refit=None, class_weight=None).fit(X, y)
            margins = y * machine.decision_function(X)
            assert np.sum(margins < -1e-9) <= np.sum(margins > 1e-9)


def test_duplicate_sparse_entries_add_up():
    X, y = make_weston(n=60, n_noise=50, random_state=0)
    plain = sparse.csr_matrix(X)
    doubled = sparse.csr_matrix(
        (np.repeat(plain.data / 2, 2), np.repeat(plain.indices, 2), plain.indptr * 2), X.shape
    )
    assert not doubled.has_canonical_format
    expected = SupportFeatureMachine().fit(plain, y)
    np.testing.assert_array_equal(SupportFeatureMachine().fit(doubled, y).coef_, expected.coef_)
    assert doubled.nnz == 2 * plain.nnz  # the caller's matrix is left alone


def test_empty_selection_warns():
    X, y = make_gaussian(n=30, d=5, k=1, mu=0.1, positive_fraction=0.2, random_state=0)
    machine = SupportFeatureMachine(C=1e-6, constraint="mean_margin", class_weight=None)
    with pytest.warns(ConvergenceWarning, match="no feature was selected for class 1: raise C"):
        machine.fit(X, y)
    assert not machine.support_.any()


def test_unknown_classes_in_class_weight():
    X, y = make_gaussian(n=30, d=5, random_state=0)
    with pytest.raises(
        ValueError, match=r"class_weight names \[5\], but the classes are \[-1, 1\]"
    ):
        SupportFeatureMachine(class_weight={5: 1.0}).fit(X, y)


def test_numbers_in_a_frame_of_objects_are_numbers():
    X, y = make_gaussian(n=30, d=5, k=2, mu=1.0, random_state=0)
    machine = SupportFeatureMachine().fit(pd.DataFrame(X).astype(object), y)
    np.testing.assert_array_equal(machine.support_, SupportFeatureMachine().fit(X, y).support_)


def test_huge_weights_do_not_overflow():
    X, y = make_gaussian(n=30, d=5, k=2, mu=1.0, random_state=0)
    weight = np.ones(30)
    np.testing.assert_allclose(
        SupportFeatureMachine(C=1e6).fit(X, y, sample_weight=1e300 * weight).coef_,
        SupportFeatureMachine(C=1e300).fit(X, y, sample_weight=weight).coef_,
    )


def test_very_soft_machine_still_predicts_both_classes():
    X, y = make_gaussian(n=100, d=20, k=3, mu=1.0, positive_fraction=0.2, random_state=0)
    machine = SupportFeatureMachine(C=1e-6, class_weight=None).fit(X, y)
    assert set(machine.predict(X)) == {-1, 1}


@pytest.mark.parametrize("parameters", [{"standardize": "no"}, {"constraint": np.zeros(2)}])
def test_parameters_of_the_wrong_kind(parameters):
    X, y = make_gaussian(n=30, d=5, random_state=0)
    with pytest.raises(ValueError, match=f"{next(iter(parameters))} must be "):
        SupportFeatureMachine(**parameters).fit(X, y)


def test_very_large_costs_keep_the_balance_of_the_classes():
    # Overlapping classes of unequal size: beyond its last breakpoint C no longer matters.
    X, y = make_gaussian(n=200, d=3, k=2, mu=0.5, positive_fraction=0.2, random_state=0)
    first = [SupportFeatureMachine(C=C, refit=None).fit(X, y).result_.steps[0] for C in (1e4, 1e10)]
    np.testing.assert_allclose(first[0].w, first[1].w, rtol=1e-6)
    np.testing.assert_allclose(first[0].b, first[1].b, rtol=1e-6)
