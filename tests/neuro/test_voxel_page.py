"""The report of a decoder: its machine on its voxels, with maps."""

import nibabel
import numpy as np
import pytest

from fewest.neuro import FewestVoxels
from fewest.neuro.figures import region_figure


@pytest.fixture(scope="module")
def decoder(scans):
    return FewestVoxels(mask=scans.mask, n_repetitions=3).fit(scans.images, scans.y, scans.groups)


@pytest.fixture(scope="module")
def report(decoder, scans):
    return decoder.generate_report(
        scans.images, scans.y, scans.groups, parts=("validation", "alternatives")
    )


def test_errors_are_those_of_the_decoder(decoder, report):
    found = report.content.trust.validation
    assert found.n_folds == 6
    assert found.balanced_error == pytest.approx(decoder.error_)
    np.testing.assert_allclose(found.fold_balanced_errors, decoder.cv_results_["balanced_error"])


def test_subsets_are_those_of_the_decoder(decoder, report):
    subsets = [subset.columns for subset in report.content.alternatives.subsets]
    assert subsets == [subset.tolist() for subset in decoder.selector_.subsets_]


def test_names_are_places_in_the_brain(decoder, report, scans):
    feature = report.content.answer.machines[0].features[0]
    place = np.argwhere(scans.brain.mask)[feature.column]
    x, y, z = (decoder.mask_img_.affine @ [*place, 1])[:3]
    assert feature.name == f"{x:.1f}, {y:.1f}, {z:.1f} mm"


def test_names_after_downsampling(scans):
    decoder = FewestVoxels(mask=scans.mask, downsample=1, cv=0, n_repetitions=0)
    decoder.fit(scans.images, scans.y, scans.groups)
    report = decoder.generate_report(scans.images, scans.y, scans.groups, parts=(), figures=())
    coarse = np.argwhere(decoder.grid_.small_mask)
    feature = report.content.answer.machines[0].features[0]
    x, y, z = (decoder.mask_img_.affine @ [*(2 * coarse[feature.column]), 1])[:3]
    assert feature.name == f"{x:.1f}, {y:.1f}, {z:.1f} mm"


def test_maps_are_on_the_page(report):
    assert [figure.title for figure in report.content.figures] == [
        "right against left",
        "Folds",
        "Repetitions",
    ]
    page = report.html
    assert '<section id="maps"' in page
    assert "Weights of the selected voxels" in page
    assert len(page.encode()) < 3_000_000


def test_three_conditions_have_a_map_each(three_classes):
    scans = three_classes
    decoder = FewestVoxels(cv=0, n_repetitions=0).fit(scans.images, scans.y)
    report = decoder.generate_report(scans.images, scans.y, parts=())
    assert [figure.title for figure in report.content.figures] == [
        "bird against the rest",
        "fish against the rest",
        "worm against the rest",
    ]


def test_regions_are_on_the_page(three_classes):
    scans = three_classes
    atlas = nibabel.Nifti1Image(np.full((6, 5, 4), 7, dtype=np.int16), scans.images.affine)
    decoder = FewestVoxels(atlas=atlas, atlas_labels={7: "all of it"}, cv=0, n_repetitions=1)
    decoder.fit(scans.images, scans.y, scans.groups)
    report = decoder.generate_report(scans.images, scans.y, scans.groups, parts=())
    assert report.content.figures[-1].title == "Regions"
    assert "all of it" in report.html
    bars = region_figure(decoder.regions_).axes[0]
    assert sum(bar.get_width() for bar in bars.patches) == decoder.regions_.n_voxels
