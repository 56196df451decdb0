"""Bad images, masks, labels and groups: each an error that says what to do."""

import gzip
import re

import nibabel
import numpy as np
import pytest
from nilearn.maskers import NiftiLabelsMasker, NiftiMasker
from sklearn.linear_model import Lasso
from sklearn.tree import DecisionTreeClassifier

from fewest import PotentialSelector, PotentialSVC, PotentialSVR, RepetitiveSelector
from fewest.neuro import FewestVoxels


def image(data, affine=None):
    return nibabel.Nifti1Image(np.asarray(data), np.eye(4) if affine is None else affine)


def refused(message, imgs, y, groups=None, error=ValueError, **parameters):
    parameters = {"cv": 0, "n_subsets": 0} | parameters
    with pytest.raises(error, match=re.escape(message)):
        FewestVoxels(**parameters).fit(imgs, y, groups=groups)


def with_value(scans, value, place=(), volume=5):
    data = scans.images.get_fdata().copy()
    data[(*(place or np.argwhere(scans.brain.mask)[0]), volume)] = value
    return image(data, scans.images.affine)


def test_affines_that_differ(scans):
    volumes = scans.volumes
    moved = volumes[3].affine.copy()
    moved[0, 3] += 1.5
    volumes[3] = image(volumes[3].get_fdata(), moved)
    refused("the affine of image 3 and that of image 0 differ by up to 1.5", volumes, scans.y)
    refused("nilearn.image.resample_to_img", volumes, scans.y)


def test_shapes_that_differ(scans):
    volumes = scans.volumes
    volumes[2] = image(np.zeros((3, 4, 5)), volumes[2].affine)
    refused("image 2: 3 x 4 x 5 voxels; image 0: ", volumes, scans.y)


def test_mask_on_another_grid(scans):
    mask = image(np.ones((3, 4, 5), dtype=np.int8))
    refused("the mask: 3 x 4 x 5 voxels; the images: ", scans.images, scans.y, mask=mask)


def rounded(image):
    """The same image from a program that rounds the affine in another way."""
    affine = image.affine.copy()
    affine[0, 1:3] += 5e-5
    return nibabel.Nifti1Image(np.asanyarray(image.dataobj), affine)


def test_affines_that_differ_by_rounding_change_no_value():
    """Voxels at the edge of the image must not get lost."""
    affine = np.diag([3.0, 3.0, 3.0, 1.0])
    rng = np.random.default_rng(0)
    y = np.tile(["a", "b"], 6)
    images = nibabel.Nifti1Image(rng.normal(100.0, 1.0, size=(4, 3, 2, 12)), affine)
    mask = nibabel.Nifti1Image(np.ones((4, 3, 2), dtype=np.int8), affine)
    plain = FewestVoxels(mask=mask, cv=0, n_subsets=0).fit(images, y)
    expected = plain.decision_function(images)
    np.testing.assert_array_equal(plain.decision_function(rounded(images)), expected)
    volumes = nibabel.four_to_three(images)
    volumes[1::2] = [rounded(volume) for volume in volumes[1::2]]
    for form, given in (
        (images, rounded(mask)),
        (volumes, mask),
        (images, NiftiMasker(rounded(mask), standardize=None, reports=False)),
    ):
        decoder = FewestVoxels(mask=given, cv=0, n_subsets=0).fit(form, y)
        np.testing.assert_allclose(decoder.decision_function(images), expected, rtol=1e-3)
        np.testing.assert_array_equal(decoder.coef_img_.affine, affine)


def test_empty_mask(scans):
    mask = image(np.zeros(scans.images.shape[:3], dtype=np.int8), scans.images.affine)
    refused("the mask is empty: no voxel is above zero", scans.images, scans.y, mask=mask)


def test_mask_that_cannot_be_computed():
    y = ["a", "b"] * 3
    nothing = image(np.zeros((4, 4, 4, 6)))
    refused("Give a mask image, or another mask_strategy", nothing, y)


def test_mask_with_several_volumes(scans):
    refused("mask must be one 3-D image; got the shape", scans.images, scans.y, mask=scans.images)


def test_masker_of_regions(scans):
    masker = NiftiLabelsMasker(scans.mask, standardize=None)
    refused(
        "NiftiLabelsMasker, which does not keep voxels",
        scans.images,
        scans.y,
        error=TypeError,
        mask=masker,
    )


def test_masker_with_another_grid(scans):
    masker = NiftiMasker(scans.mask, target_affine=np.eye(3), standardize=None)
    refused("the masker has a target_affine", scans.images, scans.y, mask=masker)


@pytest.mark.parametrize(("change", "number"), [(slice(1, None), 35), (slice(None), 37)])
def test_labels_that_do_not_fit(scans, change, number):
    y = [*scans.y[change], *(["left"] if number == 37 else [])]
    refused(f"y has {number} values, but the images have 36 volumes", scans.images, y)


def test_one_class_only(scans):
    message = "at least two classes, but y contains only one class: 'left'"
    refused(message, scans.images, ["left"] * 36)


def test_groups_that_do_not_fit(scans):
    message = "groups has 35 values, but the images have 36 volumes"
    refused(message, scans.images, scans.y, scans.groups[1:])


def test_one_group_only(scans):
    refused("at least two different groups", scans.images, scans.y, np.ones(36))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_values_that_are_not_finite(scans, value):
    bad = with_value(scans, value)
    message = "1 voxel of volume 5 (from 0, of those used) in the mask is NaN or infinite. Leave"
    refused(message, bad, scans.y, mask=scans.mask)


def test_values_that_are_not_finite_outside_the_mask_do_not_matter(scans):
    bad = with_value(scans, np.nan, place=(0, 0, 0))
    assert not scans.brain.mask[0, 0, 0]
    decoder = FewestVoxels(mask=scans.mask, cv=0, n_subsets=0).fit(bad, scans.y)
    good = FewestVoxels(mask=scans.mask, cv=0, n_subsets=0).fit(scans.images, scans.y)
    np.testing.assert_array_equal(decoder.coef_img_.get_fdata(), good.coef_img_.get_fdata())


def test_missing_file(tmp_path, scans):
    refused(
        "nothing.nii.gz, does not exist: check its name and folder",
        tmp_path / "nothing.nii.gz",
        scans.y,
        error=FileNotFoundError,
    )
    volumes = [*scans.volumes[:-1], str(tmp_path / "nothing.nii")]
    refused("image 35, ", volumes, scans.y, error=FileNotFoundError)


@pytest.mark.parametrize("name", ["notes.txt", "notes.nii", "notes.nii.gz"])
def test_not_a_nifti_file(tmp_path, scans, name):
    (tmp_path / name).write_text("no image")
    refused(f"{name}, is not a NIfTI file, or damaged", tmp_path / name, scans.y)


def test_truncated_file(tmp_path, scans):
    nibabel.save(scans.images, tmp_path / "series.nii.gz")
    content = (tmp_path / "series.nii.gz").read_bytes()
    (tmp_path / "series.nii.gz").write_bytes(content[: len(content) // 2])
    refused("is not a NIfTI file, or damaged", tmp_path / "series.nii.gz", scans.y)


def test_one_volume_where_several_are_needed(scans):
    refused(
        "y has 36 values, but the images have 1 volume: give one per volume, in their order. "
        "One 3-D image is one volume",
        scans.volumes[0],
        scans.y,
    )


def test_an_array_is_no_image(scans):
    data = scans.images.get_fdata()
    refused("must be a NIfTI file or image, not ndarray", list(data), scans.y, error=TypeError)


def test_no_images():
    refused("there are no images", [], [])


def test_two_dimensions():
    refused("the image has the shape 4 x 4: volumes have three", image(np.ones((4, 4))), [1])


@pytest.mark.parametrize("dtype", [np.complex64, [("R", "u1"), ("G", "u1"), ("B", "u1")]])
def test_values_that_are_no_real_numbers(dtype):
    refused("the image holds values of type", image(np.ones((4, 4, 4, 2), dtype=dtype)), [1, 2])


def test_new_images_on_another_grid(scans):
    decoder = FewestVoxels(mask=scans.mask, cv=0, n_subsets=0).fit(scans.images, scans.y)
    moved = image(scans.images.get_fdata(), np.eye(4))
    with pytest.raises(ValueError, match="the affine of these images and that of those of fit"):
        decoder.predict(moved)


def test_new_groups_that_do_not_fit(scans):
    decoder = FewestVoxels(mask=scans.mask, standardize="groups", cv=0, n_subsets=0)
    decoder.fit(scans.images, scans.y, groups=scans.groups)
    with pytest.raises(ValueError, match="groups has 3 values, but the images have 36 volumes"):
        decoder.predict(scans.images, groups=[1, 2, 3])
    with pytest.raises(ValueError, match="at least two volumes per group; group 0 has one"):
        decoder.predict(scans.volumes[0])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"standardize": "runs"},
            "standardize must be one of None, False, True, 'zscore_sample', 'psc', 'groups'; got",
        ),
        ({"smoothing_fwhm": 0}, "smoothing_fwhm must be a positive number; got 0"),
        ({"downsample": -1}, "downsample must be a whole number of at least one; got -1"),
        ({"downsample": 9}, "levels=9 is too many"),
        ({"n_subsets": 1.5}, "n_subsets must be a whole number of at least one; got 1.5"),
        ({"informative": "yes"}, "informative must be True, False, or a dict"),
        ({"standardize": "groups"}, "standardize='groups' needs groups"),
        ({"cv": 1}, "cv must be at least two folds"),
    ],
)
def test_parameters(scans, parameters, message):
    refused(message, scans.images, scans.y, mask=scans.mask, **parameters)


def test_estimator_that_does_not_select(scans):
    message = "DecisionTreeClassifier does not say which features it uses"
    refused(message, scans.images, scans.y, estimator=DecisionTreeClassifier())


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (Lasso(), "Lasso predicts numbers, but this is about classes"),
        (PotentialSVR(kernel="precomputed"), "PotentialSVR predicts numbers"),
        (PotentialSelector(), "Potential SVM selector selects, but does not classify"),
        (RepetitiveSelector(), "repetitive selection selects, but does not classify"),
        (PotentialSVC(), "PotentialSVC with the kernel 'rbf' selects samples, not columns"),
        (
            PotentialSVC(kernel="precomputed", row_objects="samples"),
            "takes columns for samples, but here they are voxels",
        ),
    ],
    ids=lambda value: type(value).__name__ if hasattr(value, "fit") else "",
)
def test_estimators_are_refused_before_an_image_is_read(estimator, message):
    refused(message, "nothing.nii.gz", ["a", "b"], estimator=estimator)


def test_informative_needs_two_classes(three_classes):
    scans = three_classes
    refused("informative needs two classes; y has 3", scans.images, scans.y, informative=True)


@pytest.mark.parametrize("ending", [".nii", ".nii.gz"])
def test_a_header_of_very_many_voxels(tmp_path, ending):
    """Nothing is unpacked: the header alone says how large the image would be."""
    header = nibabel.Nifti1Header()
    header.set_data_shape((30000, 30000, 30000))
    content = bytes(header.binaryblock) + bytes(5000)
    path = tmp_path / f"large{ending}"
    path.write_bytes(gzip.compress(content) if ending.endswith("gz") else content)
    message = f"the image, {path} would take 201,166 GB of memory, and at most "
    refused(message, str(path), [0, 1])


def test_an_image_beyond_the_limit_of_the_environment(scans, tmp_path, monkeypatch):
    nibabel.save(scans.images, tmp_path / "x.nii.gz")
    monkeypatch.setenv("FEWEST_MAX_GB", "0.00001")
    refused("at most 1e-05 GB are allowed", str(tmp_path / "x.nii.gz"), scans.y)


def with_header(scans, path, **fields):
    """A file whose header says something else."""
    nibabel.save(nibabel.Nifti1Image(scans.images.get_fdata().astype("i2"), np.eye(4)), path)
    content = bytearray(path.read_bytes())
    for name, value in fields.items():
        dtype, offset = nibabel.Nifti1Header.template_dtype.fields[name][:2]
        new = np.array(value, dtype=dtype.newbyteorder("<").base).tobytes()
        content[offset : offset + len(new)] = new
    path.write_bytes(bytes(content))
    return path


@pytest.mark.parametrize(
    "fields",
    [
        {"datatype": 4096},
        {"datatype": 2048},
        {"vox_offset": 1.0},
        {"scl_slope": 1.0, "scl_inter": np.nan},
        {"vox_offset": np.inf},
    ],
)
def test_headers_that_make_no_sense(scans, tmp_path, fields):
    path = with_header(scans, tmp_path / "odd.nii", **fields)
    refused("is not a NIfTI file, or damaged", str(path), scans.y)


@pytest.mark.parametrize("value", [np.nan, np.inf, 0.0])
def test_affines_without_a_place(scans, tmp_path, value):
    path = with_header(scans, tmp_path / "flat.nii", sform_code=1, srow_x=[value, 0.0, 0.0, 0.0])
    refused("gives voxels no place in space", str(path), scans.y)


def test_maps_keep_their_digits_whatever_the_type_of_the_images(scans, tmp_path):
    """Saved with the header of 16-bit images, a weight of zero came back as another number."""
    images = image(np.round(100 * scans.images.get_fdata()).astype("i2"), scans.images.affine)
    found = FewestVoxels(cv=0, n_subsets=0, mask=scans.mask).fit(images, scans.y).coef_img_
    nibabel.save(found, tmp_path / "coef.nii.gz")
    again = nibabel.load(tmp_path / "coef.nii.gz").get_fdata()
    np.testing.assert_array_equal(again, found.get_fdata())
    assert np.count_nonzero(again) < again.size / 2
