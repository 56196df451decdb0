"""Decoders of brain images in files: the same maps and predictions, and damage that is said."""

from __future__ import annotations

import io
import json
import random
import sys
import warnings

import nibabel
import numpy as np
import pytest
from nilearn.maskers import NiftiMasker
from sklearn.model_selection import KFold
from sklearn.svm import LinearSVC

import fewest
from fewest.model_files._model import load_bytes
from fewest.neuro import FewestVoxels
from fewest.neuro._figures import _list_maps
from fuzzing.mutations.archives import members, with_document, with_member
from fuzzing.mutations.arrays import change_arrays
from fuzzing.mutations.documents import change_document
from fuzzing.mutations.raw import damage
from tests.fuzzing import many

AFFINE = np.array([[-3.0, 0, 0, 9], [0, 3, 0, 0], [0, 0, 3, 0], [0, 0, 0, 1]])
MAPS = ("coef", "support", "ranking", "consistency", "mask")
N_MUTATIONS = many(60)


def make_images(n_volumes, seed=0):
    y = np.tile(["face", "house"], n_volumes // 2)
    data = np.random.default_rng(seed).normal(100.0, 1.0, size=(5, 4, 3, n_volumes))
    data[2, 3, 1, y == "house"] += 5.0
    return nibabel.Nifti1Image(data, AFFINE), y


IMAGES, LABELS = make_images(24)
NEW = make_images(10, seed=1)[0]
RUNS = np.repeat([1, 2, 3], 8)
CASES = {
    "usual": {},
    "prepared": {"detrend": True, "standardize": "psc", "smoothing_fwhm": 4.0},
    "filtered": {"high_pass": 0.05, "t_r": 1.5, "n_subsets": 0},
    "groups, downsampled": {"standardize": "groups", "downsample": 1},
    "no folds": {"cv": 0, "n_subsets": 0},
    "other folds": {"cv": KFold(3)},
    "search": {"estimator": fewest.SupportFeatureMachineCV(n_Cs=2, cv=2), "n_subsets": 0},
    "not linear": {
        "estimator": fewest.AccumulatedClassifier(fewest.RepetitiveSelector(n_subsets=2)),
        "n_subsets": 0,
    },
    "masker": {"mask": NiftiMasker(detrend=True, standardize=None, reports=False)},
}


def fit(**parameters):
    decoder = FewestVoxels(**{"n_subsets": 2, **parameters})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return decoder.fit(IMAGES, LABELS, groups=None if "high_pass" in parameters else RUNS)


@pytest.mark.parametrize("name", CASES)
def test_same_predictions_and_maps(name, tmp_path):
    saved = fit(**CASES[name])
    fewest.save(saved, tmp_path / "brain.fewest")
    loaded = fewest.load(tmp_path / "brain.fewest")
    assert type(loaded) is FewestVoxels
    images = IMAGES if name == "filtered" else NEW
    for method in ("predict", "decision_function", "predict_proba", "transform"):
        answers = [getattr(one, method)(images) for one in (saved, loaded) if hasattr(one, method)]
        np.testing.assert_array_equal(*answers)
    for one in MAPS:
        before, after = (getattr(decoder, f"{one}_img_") for decoder in (saved, loaded))
        assert (before is None) == (after is None)
        if before is not None:
            np.testing.assert_array_equal(before.get_fdata(), after.get_fdata())
            np.testing.assert_array_equal(before.affine, after.affine)
    assert loaded.error_ == saved.error_
    assert loaded.n_elements_ == saved.n_elements_
    fewest.save(loaded, tmp_path / "again.fewest")
    assert (tmp_path / "again.fewest").read_bytes() == (tmp_path / "brain.fewest").read_bytes()


def test_a_loaded_decoder_can_be_fitted_and_reported(tmp_path):
    fewest.save(fit(), tmp_path / "brain.fewest")
    loaded = fewest.load(tmp_path / "brain.fewest")
    report = loaded.generate_report(IMAGES, LABELS, groups=RUNS, parts=(), figures=())
    assert report.content.answer.n_selected == 1
    assert [name for name, *_ in _list_maps(loaded)] == ["coef", "consistency", "ranking"]
    again = loaded.fit(IMAGES, LABELS, groups=RUNS)
    np.testing.assert_array_equal(again.predict(NEW), fit().predict(NEW))


def test_images_on_another_grid_are_refused(tmp_path):
    fewest.save(fit(), tmp_path / "brain.fewest")
    loaded = fewest.load(tmp_path / "brain.fewest")
    moved = nibabel.Nifti1Image(NEW.get_fdata(), np.diag([2.0, 2.0, 2.0, 1.0]))
    with pytest.raises(ValueError, match="the affine of these images and that of those of fit"):
        loaded.predict(moved)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimator": LinearSVC(penalty="l1", dual=False)}, "LinearSVC, which cannot be stored"),
        ({"mask": NiftiMasker(runs=RUNS, standardize=None)}, "its masker has runs"),
        (
            {"mask": NiftiMasker(high_variance_confounds=True, standardize=None)},
            "its masker has high_variance_confounds",
        ),
    ],
)
def test_what_cannot_be_stored_is_named(parameters, message, tmp_path):
    with pytest.raises(fewest.ModelFileError, match=message):
        fewest.save(fit(**parameters), tmp_path / "brain.fewest")
    assert not list(tmp_path.iterdir())


def test_without_nilearn_the_file_is_not_called_damaged(tmp_path, monkeypatch):
    fewest.save(fit(), tmp_path / "brain.fewest")
    monkeypatch.setitem(sys.modules, "nilearn", None)
    with pytest.raises(ImportError, match="pip install"):
        fewest.load(tmp_path / "brain.fewest")


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("brain") / "brain.fewest"
    fewest.save(fit(smoothing_fwhm=4.0, downsample=1), path)
    return path.read_bytes()


def changed(content, part, **values):
    """The file with other parameters or attributes ("fitted")."""
    return with_document(content, lambda document: document["model"][part].update(values))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"downsample": 10**9}, "downsample must be"),
        ({"downsample": 2}, "another number of voxels"),
        ({"smoothing_fwhm": 1e9}, "smoothing is far wider"),
        ({"smoothing_fwhm": -1.0}, "smoothing_fwhm must be a positive number"),
        ({"standardize": "all"}, "standardize must be one of"),
        ({"detrend": "yes"}, "detrend must be one of"),
        ({"mask_strategy": 3}, "mask_strategy"),
    ],
)
def test_parameters_that_no_fit_had(content, parameters, message):
    with pytest.raises(fewest.ModelFileError, match=message):
        load_bytes(changed(content, "parameters", **parameters))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("temperature_", -1.0, "temperature is no number above zero"),
        ("shape_", [5, 4, 3], "shape_ is not an array"),
        ("confounded_", 3, "confounded_ is a int"),
        ("estimator_", None, "estimator_ is not a fitted"),
    ],
)
def test_attributes_that_no_fit_left(content, name, value, message):
    with pytest.raises(fewest.ModelFileError, match=message):
        load_bytes(changed(content, "fitted", **{name: value}))


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("shape_", [5, 4, 2], "mask is empty, or does not fit its shape"),
        ("shape_", [-5, -4, 3], "mask is empty, or does not fit its shape"),
        ("mask_", [False] * 60, "mask is empty, or does not fit its shape"),
        ("affine_", np.full((4, 4), np.nan), "affine gives voxels no place"),
        ("affine_", np.zeros((4, 4)), "affine gives voxels no place"),
        ("ranking_", [1, 2, 3], "ranking_ has 3 entries"),
    ],
)
def test_arrays_that_no_fit_left(content, name, values, message):
    parts = dict(members(content))
    node = json.loads(parts["model.json"])["model"]["fitted"][name]
    array = np.asarray(values, dtype=node["dtype"])
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=(1, 0))
    swapped = with_member(content, node["array"], stream.getvalue())
    shape = {**node, "shape": list(array.shape)}
    with pytest.raises(fewest.ModelFileError, match=message):
        load_bytes(changed(swapped, "fitted", **{name: shape}))


def mutate_document(rng, content):
    return with_document(content, lambda document: change_document(rng, document))


def mutate_arrays(rng, content):
    return change_arrays(rng, dict(members(content)))


@pytest.mark.parametrize("mutate", [damage, mutate_document, mutate_arrays])
def test_mutated_files_load_or_say_what_is_wrong(content, mutate):
    """What loads must answer; NaN among weights is for the machine inside to refuse."""
    rng, refused = random.Random(mutate.__name__), 0
    for _ in range(N_MUTATIONS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                loaded = load_bytes(mutate(rng, content))
            except fewest.ModelFileError:
                refused += 1
                continue
            assert len(loaded.predict(NEW)) == 10
    assert refused > N_MUTATIONS // 4
