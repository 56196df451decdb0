"""Proofs that fitted estimators declare, and what a cross-validation knows about itself."""

import numpy as np
import pytest
from sklearn.model_selection import RepeatedStratifiedKFold, ShuffleSplit
from sklearn.svm import LinearSVC

from fewest import (
    FeatureSelectionConcave,
    Liknon,
    PotentialSVC,
    PotentialSVCCV,
    SupportFeatureMachine,
    SupportFeatureMachineCV,
    ZeroNormSVM,
)
from fewest._estimators.abilities import certificates_of, searched_costs_of, selection_of
from fewest._estimators.held_out import run_held_out
from fewest.datasets import make_gaussian


@pytest.fixture(scope="module")
def data():
    return make_gaussian(n=40, d=30, k=2, mu=1.2, random_state=0)


@pytest.mark.parametrize(
    "estimator",
    [
        SupportFeatureMachine(),
        SupportFeatureMachineCV(),
        ZeroNormSVM(C=5.0),
        Liknon(C=0.1),
        FeatureSelectionConcave(),
        PotentialSVC(kernel="precomputed"),
        PotentialSVCCV(kernel="precomputed"),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_certificates_enclose_the_optimum(data, estimator):
    X, y = data
    (found,) = certificates_of(estimator.fit(X, y), np.sign(y)[None])
    assert found.lower_bound <= found.objective * (1 + 1e-9)
    assert found.objective - found.lower_bound <= 1e-5 * max(1.0, found.objective)
    assert 0 <= found.relative_gap < 1e-5
    assert 0 <= found.samples_on_wrong_side <= 20


def test_samples_on_the_wrong_side_are_those_of_the_program(data):
    X, y = data
    machine = PotentialSVC(kernel="precomputed").fit(X, y)  # no refit: these are its predictions
    (found,) = certificates_of(machine, np.sign(y)[None])
    assert found.samples_on_wrong_side == np.sum(machine.predict(X) != y)
    liknon = Liknon(C=0.1).fit(X, y)
    (found,) = certificates_of(liknon, np.sign(y)[None])
    assert found.samples_on_wrong_side == np.sum(liknon.predict(X) != y)
    assert found.samples_inside_margin >= found.samples_on_wrong_side


def test_estimators_of_other_packages_have_none(data):
    fitted = LinearSVC().fit(*data)
    assert certificates_of(fitted, np.ones((1, 40))) == ()
    assert searched_costs_of(fitted) is None


def test_a_search_declares_what_it_saw_and_chose(data):
    machine = SupportFeatureMachineCV(random_state=0).fit(*data)
    assert selection_of(machine).chosen == {"C": machine.C_, "n_subsets": machine.n_subsets_}
    table, results = searched_costs_of(machine), machine.cv_results_
    assert table.Cs[table.chosen] == results["param_C"][machine.best_index_]
    assert 1 - table.errors[table.chosen] == pytest.approx(machine.best_score_)


def test_a_proof_is_part_of_the_selection(data):
    machine = SupportFeatureMachine(C=np.inf, certify=True).fit(*data)
    assert selection_of(machine).minima == machine.minima_


def test_held_out_knows_its_estimator(data):
    X, y = data
    found = run_held_out(SupportFeatureMachine(C=2.0), X, y, cv=2)
    assert found.is_of(SupportFeatureMachine(C=2.0, n_jobs=2))
    assert not found.is_of(SupportFeatureMachine(C=1.0))
    assert not found.is_of(Liknon(C=2.0))


def test_repeats_are_recognised(data):
    X, y = data
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0)
    found = run_held_out(SupportFeatureMachine(), X, y, cv=cv)
    assert found.n_repeats == 3
    assert len(found.first_repeat.folds) == 4
    assert sorted(found.first_repeat.tested) == list(range(40))
    random = run_held_out(SupportFeatureMachine(), X, y, cv=ShuffleSplit(3, random_state=0))
    assert (random.n_repeats, len(random.first_repeat.folds)) == (1, 3)
