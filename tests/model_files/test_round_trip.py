"""A loaded estimator is the saved one, to the last bit."""

import json
import pickle
import warnings
import zipfile
from dataclasses import fields
from importlib import import_module
from inspect import signature
from pathlib import Path

import numpy as np
import pandas
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import fewest
from fewest.model_files._declarations import MODELS, PARTS, RECORDS
from fuzzing.mutations.archives import with_document
from tests.model_files.models import (
    CASES,
    THREE,
    X_NEW,
    X,
    Y,
    assert_same_answers,
    assert_same_estimator,
    fitted,
    new_samples,
)


@pytest.fixture
def through_file(tmp_path):
    def call(estimator):
        fewest.save(estimator, tmp_path / "model.fewest")
        return fewest.load(tmp_path / "model.fewest")

    return call


@pytest.mark.parametrize("name", CASES)
def test_every_estimator_comes_back(name, through_file):
    saved = fitted(name)
    loaded = through_file(saved)
    assert_same_estimator(saved, loaded)
    assert_same_answers(saved, loaded, new_samples(name))


@pytest.mark.parametrize("dtype", ["float32", "int16", ">f8"])
@pytest.mark.parametrize(
    "name", [name for name in CASES if CASES[name][1] is X and name != "sfm, certified"]
)
def test_data_of_other_number_types(name, dtype, through_file):
    samples = (10 * X).astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        saved = clone(CASES[name][0]).fit(samples, CASES[name][2])
    assert_same_answers(saved, through_file(saved), samples)


def test_every_public_estimator_is_tried():
    public = {name for name in fewest.__all__ if hasattr(getattr(fewest, name), "get_params")} | {
        "BestFirstSelector",
        "RankingSelector",
        "WeightedVoteClassifier",
    }
    # Decoders of brain images are tried in test_brain_models.
    assert public == {name for name, one in MODELS.items() if not one.stands_for}
    assert public == {type(estimator).__name__ for estimator, _, _ in CASES.values()}


@pytest.mark.parametrize(
    "labels",
    [
        ["ill", "well"],
        [-1, 1],
        [3, 70_000],
        [False, True],
        [-0.5, 2.25],
        ["", "ungewöhnlich 器"],
        np.array([0, 1], dtype=np.uint8),
        np.array(["a", "b"], dtype=object),
    ],
    ids=str,
)
def test_class_labels_keep_value_and_type(labels, through_file):
    y = np.asarray(labels)[(Y > 0).astype(int)]
    saved = (
        fewest.SupportFeatureMachine().fit(X, y)
        if np.asarray(labels).dtype != float
        else _with_classes(labels)
    )
    loaded = through_file(saved)
    assert loaded.classes_.dtype == saved.classes_.dtype
    assert loaded.classes_.tolist() == saved.classes_.tolist()
    assert loaded.predict(X).tolist() == saved.predict(X).tolist()


def _with_classes(labels):
    """Fractions as labels: scikit-learn takes them for a regression, but a user may set them."""
    machine = clone(fitted("sfm")).fit(X, Y)
    machine.classes_ = np.array(labels)
    return machine


def test_feature_names_and_output_setting_are_kept(through_file):
    frame = pandas.DataFrame(X, columns=[f"gene {number}" for number in range(X.shape[1])])
    saved = fewest.SupportFeatureMachine().set_output(transform="pandas").fit(frame, Y)
    loaded = through_file(saved)
    assert loaded.feature_names_in_.tolist() == list(frame.columns)
    assert loaded.get_feature_names_out().tolist() == saved.get_feature_names_out().tolist()
    assert loaded.transform(frame).equals(saved.transform(frame))


def test_certificate_can_be_verified_after_loading(through_file):
    loaded = through_file(fitted("sfm, certified"))
    assert loaded.minimum_.verify(X, Y)
    assert loaded.result_.gap == fitted("sfm, certified").result_.gap


def test_certificate_with_numbers_of_any_length(through_file):
    saved = clone(fitted("sfm, certified")).fit(X, Y)
    proof = saved.minima_[0].separations[0]
    object.__setattr__(proof, "weights", ((10**5000, -(2**64), *proof.weights[0][2:]),))
    assert through_file(saved).minima_[0].separations[0].weights == proof.weights


def test_odd_floats_keep_their_bits(through_file):
    saved = fewest.SupportFeatureMachine(C=np.float32(0.1)).fit(X, Y).set_params(tol=1e-300)
    saved.coef_[0, :3] = [np.nan, -0.0, 5e-324]
    loaded = through_file(saved)
    assert loaded.coef_.tobytes() == saved.coef_.tobytes()
    assert type(loaded.C) is np.float32
    assert loaded.tol == 1e-300


def test_loaded_estimator_can_be_cloned_fitted_and_saved_again(tmp_path, through_file):
    loaded = through_file(fitted("sfm"))
    again = clone(loaded).fit(X, Y)
    assert again.coef_.tobytes() == loaded.coef_.tobytes()
    fewest.save(loaded, tmp_path / "second.fewest")
    assert (tmp_path / "second.fewest").read_bytes() == (tmp_path / "model.fewest").read_bytes()


def test_file_is_a_plain_archive_of_json_and_arrays(tmp_path):
    fewest.save(fitted("sfm"), tmp_path / "model.fewest")
    with zipfile.ZipFile(tmp_path / "model.fewest") as archive:
        document = json.loads(archive.read("model.json"))
    assert document["format"] == "fewest model"
    assert document["version"] == 2
    assert document["fewest"] == fewest.__version__
    assert document["model"]["estimator"] == "SupportFeatureMachine"
    node = document["model"]["fitted"]["coef_"]
    with np.load(tmp_path / "model.fewest", allow_pickle=False) as arrays:
        np.testing.assert_array_equal(
            arrays[node["array"].removesuffix(".npy")], fitted("sfm").coef_
        )


def test_folder_of_checkpoints_is_not_kept(tmp_path, through_file):
    saved = clone(fitted("repetitive")).set_params(checkpoint=str(tmp_path / "kept")).fit(X, Y)
    assert through_file(saved).checkpoint is None


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (
            fewest.SupportFeatureMachineCV(cv=KFold(2)),
            "parameter 'cv' of SupportFeatureMachineCV is a KFold",
        ),
        (
            fewest.SupportFeatureMachineCV(cv=2, random_state=np.random.RandomState(0)),
            "parameter 'random_state' of SupportFeatureMachineCV is a RandomState",
        ),
        (
            fewest.PotentialSVC(kernel=lambda X, Z: X @ Z.T),
            "parameter 'kernel' of PotentialSVC is a function",
        ),
        (
            fewest.AccumulatedClassifier(
                fewest.RepetitiveSelector(fewest.SupportFeatureMachine(), n_subsets=1),
                classifier=LogisticRegression(),
            ),
            "classifier.* is a LogisticRegression",
        ),
    ],
)
def test_parameters_that_cannot_be_stored_are_named(estimator, message, tmp_path):
    estimator = clone(estimator).fit(X, (Y > 0).astype(int))
    with pytest.raises(fewest.ModelFileError, match=message):
        fewest.save(estimator, tmp_path / "model.fewest")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (make_pipeline(StandardScaler(), fewest.Liknon()), "save the fewest estimator in it"),
        (GridSearchCV(fewest.Liknon(), {"C": [1.0]}, cv=2), "save the fewest estimator in it"),
        (LogisticRegression(), "only fewest's own estimators"),
    ],
)
def test_estimators_of_others_are_refused(estimator, message, tmp_path):
    with pytest.raises(fewest.ModelFileError, match=message):
        fewest.save(estimator.fit(X, Y), tmp_path / "model.fewest")


def test_subclasses_are_refused(tmp_path):
    class SupportFeatureMachine(fewest.SupportFeatureMachine):
        pass

    with pytest.raises(fewest.ModelFileError, match="only fewest's own estimators"):
        fewest.save(SupportFeatureMachine().fit(X, Y), tmp_path / "model.fewest")


def test_unfitted_estimator_is_refused(tmp_path):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        fewest.save(fewest.Liknon(), tmp_path / "model.fewest")


def test_what_is_not_as_fit_left_it_is_refused(tmp_path):
    machine = clone(fitted("sfm")).fit(X, Y)
    machine.note = "mine"
    with pytest.raises(fewest.ModelFileError, match="'note' is none that is kept"):
        fewest.save(machine, tmp_path / "model.fewest")
    machine = clone(fitted("sfm")).fit(X, Y).set_params(C=-1.0)
    with pytest.raises(fewest.ModelFileError, match="not admissible .*C must be"):
        fewest.save(machine, tmp_path / "model.fewest")


def test_derived_attribute_that_was_changed_is_refused(tmp_path):
    machine = clone(fitted("sfm")).fit(X, Y)
    machine.support_ = ~machine.support_
    with pytest.raises(fewest.ModelFileError, match="'support_' .* does not agree"):
        fewest.save(machine, tmp_path / "model.fewest")


@pytest.mark.parametrize("name", ["accumulated", "liknon_cv", "liknon_cv, svc"])
def test_classifiers_are_stored_as_what_rebuilds_them(name, tmp_path):
    """No attribute that scikit-learn sets in `fit`, and no more of the data than is needed."""
    saved = fitted(name)
    fewest.save(saved, tmp_path / "model.fewest")
    with zipfile.ZipFile(tmp_path / "model.fewest") as archive:
        fitted_nodes = json.loads(archive.read("model.json"))["model"]["fitted"]
    nodes = [fitted_nodes["classifier_"]]
    for entry in nodes[0]["parameters"].get("steps", []):
        nodes.append(entry["tuple"][1])
    for node in nodes:
        assert set(node) == {"unfitted", "parameters"}
        kind = getattr(import_module(PARTS[node["unfitted"]].home), node["unfitted"])
        assert set(node["parameters"]) <= set(signature(kind).parameters)
    assert fitted_nodes["_samples"]["shape"] == [len(X), int(saved.support_.sum())]
    assert fitted_nodes["_labels"]["shape"] == [len(X)]


def test_classifier_is_saved_as_it_was_fitted(through_file):
    """Parameters that were changed after the fit are those of the next one."""
    saved = clone(fitted("accumulated")).fit(X, Y)
    saved.set_params(classifier=KNeighborsClassifier(1))
    loaded = through_file(saved)
    assert_same_answers(saved, loaded, X_NEW)
    assert loaded.classifier.n_neighbors == 1
    assert type(loaded.classifier_[-1]) is SVC


def test_classifier_that_was_fitted_to_other_samples_is_refused(tmp_path):
    saved = clone(fitted("accumulated")).fit(X, Y)
    saved.classifier_.fit(saved._samples, -Y)
    with pytest.raises(fewest.ModelFileError, match="not fitted to the samples that are kept"):
        fewest.save(saved, tmp_path / "model.fewest")


def test_probabilities_that_would_differ_are_refused(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        saved = clone(fitted("liknon_cv")).set_params(classifier=SVC(probability=True)).fit(X, Y)
    with pytest.raises(fewest.ModelFileError, match="'probability' of SVC .* is set"):
        fewest.save(saved, tmp_path / "model.fewest")


def test_what_belongs_to_the_computer_of_the_fit_is_not_kept(through_file, tmp_path):
    inner = make_pipeline(KNeighborsClassifier(3, n_jobs=2), memory=str(tmp_path / "cache"))
    loaded = through_file(clone(fitted("accumulated")).set_params(classifier=inner).fit(X, Y))
    for pipeline in (loaded.classifier, loaded.classifier_):
        assert pipeline.memory is None
        assert pipeline[-1].n_jobs is None


@pytest.mark.parametrize("classifier", [SVC(max_iter=2), SVC(cache_size=500), SVC(C=1e5)])
def test_solvers_that_stopped_early_or_needed_more(classifier, through_file):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        saved = clone(fitted("accumulated")).set_params(classifier=classifier).fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded = through_file(saved)
    assert_same_estimator(saved, loaded)
    assert_same_answers(saved, loaded, X_NEW)


def test_scikit_learn_that_knows_more_parameters(tmp_path):
    """A file of an earlier release lacks them; their defaults change nothing."""

    def forget(document):
        del document["model"]["fitted"]["classifier_"]["parameters"]["leaf_size"]

    fewest.save(fitted("liknon_cv"), tmp_path / "model.fewest")
    older = with_document((tmp_path / "model.fewest").read_bytes(), forget)
    (tmp_path / "model.fewest").write_bytes(older)
    assert_same_estimator(fitted("liknon_cv"), fewest.load(tmp_path / "model.fewest"))


@pytest.mark.parametrize("name", RECORDS)
def test_every_field_of_a_record_is_declared(name):
    kind = getattr(import_module(RECORDS[name].home), name)
    declared = sorted(row.name for row in RECORDS[name].rows_for(None))
    assert declared == sorted(field.name for field in fields(kind))


def test_failing_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "model.fewest"
    fewest.save(fitted("sfm"), path)
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("fewest._run.files.os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        fewest.save(fitted("liknon"), path)
    monkeypatch.setattr("fewest._run.files.os.fsync", _interrupted)
    with pytest.raises(KeyboardInterrupt):
        fewest.save(fitted("liknon"), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def _interrupted(*_):
    raise KeyboardInterrupt


def test_folder_that_does_not_exist(tmp_path):
    with pytest.raises(FileNotFoundError, match="the folder .* does not exist"):
        fewest.save(fitted("sfm"), tmp_path / "nowhere" / "model.fewest")
    with pytest.raises(FileNotFoundError):
        fewest.load(tmp_path / "nowhere.fewest")


def test_models_with_scikit_learn_inside_warn_of_another_version(tmp_path):
    path = tmp_path / "model.fewest"

    def older(document):
        document["scikit-learn"] = "1.2.3"

    for name in ("accumulated", "sfm"):
        fewest.save(fitted(name), path)
        path.write_bytes(with_document(path.read_bytes(), older))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fewest.load(path)
        assert ["scikit-learn 1.2.3" in str(one.message) for one in caught] == (
            [True] if name == "accumulated" else []
        )


def test_pickles_are_no_models(tmp_path):
    path = Path(tmp_path / "model.pickle")
    path.write_bytes(pickle.dumps(fitted("sfm")))
    with pytest.raises(fewest.ModelFileError, match="not a complete zip archive"):
        fewest.load(path)


def test_three_classes_one_machine_each(through_file):
    loaded = through_file(fitted("sfm, three classes"))
    assert loaded.decision_function(X_NEW).shape == (len(X_NEW), 3)
    assert loaded.class_weight == {0: 1, 1: 2.5, 2: 1}
    assert set(loaded.predict(X).tolist()) <= set(THREE.tolist())
