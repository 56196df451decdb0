"""What a report can be made of: machines, results, data and cross-validations; and what not."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
)
from sklearn.svm import LinearSVC

from fewest import (
    Liknon,
    LiknonCV,
    PotentialSelector,
    PotentialSVC,
    PotentialSVR,
    RepetitiveSelector,
    SupportFeatureMachine,
    SupportFeatureMachineCV,
    UnionFeatureMachine,
    ZeroNormSVM,
    minimum_features,
)
from fewest._estimators.held_out import run_held_out
from fewest.diagnostics import diagnose
from fewest.informative import informative_features
from fewest.machines.liknon_path import liknon_path
from fewest.machines.sfm_path import exact_sfm_path
from fewest.report import make_report
from tests.report.conftest import reasons


@pytest.fixture(scope="module")
def three_classes():
    rng = np.random.default_rng(0)
    y = np.repeat([10, 20, 30], 12)
    X = rng.standard_normal((36, 40))
    for column, label in enumerate((10, 20, 30)):
        X[y == label, column] += 4.0
    return X, y


MACHINES = {
    "cv": lambda: SupportFeatureMachineCV(n_Cs=3, n_subsets=1),
    "weston": ZeroNormSVM,
    "liknon": lambda: Liknon(C=0.1),
    "liknon_cv": lambda: LiknonCV(n_Cs=5, n_splits=2, random_state=0),
    "union": lambda: UnionFeatureMachine(n_subsets=2),
    "potential": lambda: PotentialSVC(epsilon=3.0, kernel="precomputed", refit=True),
    "selector": lambda: PotentialSelector(3),
    "scikit-learn": lambda: LinearSVC(penalty="l1", dual=False, C=0.1),
}


@pytest.mark.parametrize("kind", MACHINES)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
def test_any_machine(kind, data):
    X, y = data
    machine = MACHINES[kind]().fit(X, y)
    report = make_report(machine, X, y, parts=("validation", "costs"), n_permutations=19)
    content = report.content
    support = getattr(machine, "support_", None)
    support = np.any(machine.coef_ != 0, axis=0) if support is None else support
    assert content.answer.n_selected == np.sum(support)
    assert {f.column for m in content.answer.hyperplanes for f in m.features} == set(
        np.flatnonzero(support).tolist()
    )
    if kind == "selector":
        assert "but does not classify" in reasons(report)["validation"]
    else:
        assert content.trust.validation.n_folds == 5
    if kind in ("cv", "weston", "liknon"):
        assert all(0 <= point.balanced_error.mean <= 1 for point in content.costs.points)
    assert type(machine).__name__ in report.html


RESULTS = {
    "minimum": lambda X, y: minimum_features(X, y),
    "repetitive": lambda X, y: RepetitiveSelector(n_subsets=3).fit(X, y),
    "diagnosis": lambda X, y: diagnose(X, y, n_permutations=9, cv=None, random_state=0),
    "exact path": lambda X, y: exact_sfm_path(X, y, C_min=0.1, C_max=3.0),
    "path of liknon": lambda X, y: liknon_path(X, y, [0.01, 0.1, 1.0]),
    "informative": lambda X, y: informative_features(None, X, y, cv=2, every=5, n_permutations=0),
}


@pytest.mark.parametrize("kind", RESULTS)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
def test_any_result(kind, data):
    X, y = data
    result = RESULTS[kind](X, y)
    report = make_report(
        result, X, y, parts=("diagnostics", "minimum", "alternatives", "costs"), n_permutations=9
    )
    content = report.content
    assert content.answer.n_selected > 0
    assert content.notes
    if kind == "minimum":
        assert content.trust.minima[0].size == result.size == content.answer.n_selected
    if kind == "repetitive":
        subsets = [subset.columns for subset in content.alternatives.subsets]
        assert subsets == [subset.tolist() for subset in result.subsets_]
        assert {f.column for f in content.answer.hyperplanes[0].features} == set(subsets[0])
    if kind == "diagnosis":
        assert content.trust.diagnostics.headline == result.summary.splitlines()[0]
    if "path" in kind:
        sizes = [point.n_features for point in content.costs.points]
        expected = (
            [one.n_features for one in result.results]
            if kind == "exact path"
            else result.n_features.tolist()
        )
        assert sizes == expected[: len(sizes)]
        assert all(0 <= point.training_balanced_error <= 1 for point in content.costs.points)
    if kind == "informative":
        assert content.informative.fraction == result.fraction.tolist()
        assert content.informative.estimates
    assert f'id="{"costs" if "path" in kind else "answer"}"' in report.html


def test_further_results_come_along(data, soft):
    X, y = data
    informative = informative_features(None, X, y, cv=2, every=5, n_permutations=0)
    report = make_report(soft, X, y, also=[informative], parts=())
    assert len(report.content.informative.folds) == 2
    assert report.content.notes == []


@pytest.mark.slow
def test_three_classes(three_classes):
    X, y = three_classes
    report = make_report(SupportFeatureMachine().fit(X, y), X, y, n_permutations=19)
    content = report.content
    assert content.answer.panel.classes == [10, 20, 30]
    assert content.trust.validation.auc is not None
    assert len(content.trust.validation.auc) == 3
    (minimum,) = content.trust.minima
    assert minimum.positive_class is None
    assert minimum.size == minimum_features(X, y).size
    assert "two classes" in reasons(report)["separability"]
    assert "tell 3 classes apart" in " ".join(report.html.split())


def test_sparse_and_frames_are_the_same_as_arrays(data):
    X, y = data
    names = [f"gene {column}" for column in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names)
    machine = SupportFeatureMachine().fit(frame, y)
    parts = ("validation", "alternatives")
    of_frame = make_report(machine, frame, y, parts=parts).content
    plain = make_report(
        SupportFeatureMachine().fit(X, y), X, y, feature_names=names, parts=parts
    ).content
    of_sparse = make_report(
        SupportFeatureMachine().fit(sparse.csr_matrix(X), y),
        sparse.csc_matrix(X),
        y,
        feature_names=names,
        parts=parts,
    ).content
    expected = plain.answer.hyperplanes[0].features
    for content in (of_frame, of_sparse):
        found = content.answer.hyperplanes[0].features
        assert [feature.name for feature in found] == [feature.name for feature in expected]
        assert [feature.weight for feature in found] == [
            pytest.approx(feature.weight) for feature in expected
        ]
        assert content.trust.validation.confusion == plain.trust.validation.confusion
        assert len(content.alternatives.features) == len(plain.alternatives.features)


def test_a_class_of_one_sample_has_no_folds():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((12, 20)), np.array([0] * 11 + [1])
    X[-1, 0] += 10
    report = make_report(SupportFeatureMachine().fit(X, y), X, y)
    assert "too small for the split" in reasons(report)["validation"]
    assert "two samples each" in reasons(report)["diagnostics"]
    assert "needs at least two of every class" in reasons(report)["permutation"]
    assert "Not in this report" in report.html


class TestRefusals:
    """What cannot be reported is said with what to do."""

    def test_one_class(self, soft, data):
        with pytest.raises(ValueError, match="at least two classes; y holds a single one"):
            make_report(soft, data[0], np.zeros(40))

    def test_names(self, soft, data):
        with pytest.raises(ValueError, match="2 names for 30 features: give one for each column"):
            make_report(soft, *data, feature_names=["a", "b"])

    def test_other_data(self, soft, data):
        with pytest.raises(ValueError, match="30 features, but X has 4: give the X and y of the"):
            make_report(soft, data[0][:, :4], data[1])

    def test_parts(self, soft, data):
        with pytest.raises(ValueError, match="parts must be some of .*; got 'all'"):
            make_report(soft, *data, parts=("all",))

    def test_two_machines(self, soft, data):
        with pytest.raises(ValueError, match="one machine, but .* were given: make two reports"):
            make_report(soft, *data, also=[soft])

    def test_regressor(self, data):
        X, _ = data
        machine = PotentialSVR(kernel="precomputed").fit(X, X[:, 0])
        with pytest.raises(ValueError, match="PotentialSVR predicts numbers"):
            make_report(machine, X, X[:, 0] > 0)

    def test_kernel(self, data):
        with pytest.raises(ValueError, match=r"selects samples.* kernel='precomputed'"):
            make_report(PotentialSVC(kernel="linear").fit(*data), *data)

    def test_something_else(self, data):
        with pytest.raises(ValueError, match="does not say which features it uses"):
            make_report(object(), *data)

    def test_time(self, soft, data):
        with pytest.raises(ValueError, match="max_seconds must be"):
            make_report(soft, *data, max_seconds=-1)


def test_a_cross_validation_is_handed_on(data, soft, monkeypatch):
    X, y = data
    held_out = run_held_out(SupportFeatureMachine(), X, y, cv=4, random_state=1)
    settings = {"parts": ("validation", "permutation"), "n_permutations": 19}
    settings |= {"cv": 4, "random_state": 1}
    fresh = make_report(soft, X, y, **settings).content
    monkeypatch.setattr("fewest.report._make.run_held_out", None)  # nobody may call it
    known = make_report(soft, X, y, held_out=held_out, **settings).content
    assert known.trust == fresh.trust
    assert known.answer == fresh.answer
    error = known.trust.permutation.comparisons[1]
    assert error.observed == known.trust.validation.balanced_error == held_out.balanced_error


def test_repeats_are_shown_and_every_sample_is_judged_once(data, soft):
    X, y = data
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0)
    held_out = run_held_out(SupportFeatureMachine(), X, y, cv=cv)
    report = make_report(soft, X, y, held_out=held_out, parts=())
    found = report.content.trust.validation
    assert (found.n_folds, found.n_repeats, len(found.folds)) == (4, 3, 12)
    assert [fold.repeat for fold in found.folds] == np.repeat([1, 2, 3], 4).tolist()
    assert sorted(found.samples) == list(range(40))
    assert found.error == held_out.first(4).error
    assert found.over_folds.error.mean == pytest.approx(held_out.errors.mean())
    assert "The cross-validation was repeated 3 times with other folds" in report.html


def test_a_cross_validation_of_other_samples_is_refused(data, soft):
    X, y = data
    held_out = run_held_out(SupportFeatureMachine(), X, np.roll(y, 1), cv=2)
    with pytest.raises(ValueError, match="held_out is a cross-validation of other samples"):
        make_report(soft, X, y, held_out=held_out)
