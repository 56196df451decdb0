"""The report of a decoder: its machine on its voxels, with maps."""

import pickle
import re

import nibabel
import numpy as np
import pytest

from fewest.neuro import FewestVoxels
from fewest.neuro._figures import draw_regions


@pytest.fixture(scope="module")
def decoder(scans):
    return FewestVoxels(mask=scans.mask, n_subsets=3).fit(
        scans.images, scans.y, groups=scans.groups
    )


@pytest.fixture(scope="module")
def report(decoder):
    return decoder.generate_report(parts=("validation", "alternatives"))


@pytest.fixture
def handed_on(monkeypatch):
    """What `make_report` is called with; nothing is made."""
    calls = []
    monkeypatch.setattr("fewest.report.make_report", lambda *_, **given: calls.append(given))
    return calls


def test_folds_are_handed_on_and_no_image_is_masked_again(decoder, handed_on, monkeypatch):
    monkeypatch.setattr("nilearn.maskers.NiftiMasker.transform", None)
    decoder.generate_report(figures=())
    decoder.generate_report(figures=(), cv=3)
    assert handed_on[0]["held_out"] is decoder.held_out_
    assert handed_on[1]["held_out"] is None


def test_other_volumes_get_folds_of_their_own(decoder, scans, handed_on):
    decoder.generate_report(scans.images, scans.y, groups=scans.groups, figures=())
    assert handed_on[0]["held_out"] is None
    np.testing.assert_array_equal(handed_on[0]["groups"], scans.groups)


def test_a_pickled_decoder_leaves_its_volumes_behind(decoder, scans, handed_on):
    content = pickle.dumps(decoder)
    assert decoder._volumes is not None
    copy = pickle.loads(content)
    np.testing.assert_array_equal(copy.predict(scans.images), decoder.predict(scans.images))
    with pytest.raises(ValueError, match="a decoder from a file has no volumes: give imgs, y and"):
        copy.generate_report()
    copy.generate_report(scans.images, scans.y, groups=scans.groups, figures=())
    assert len(handed_on) == 1


def test_errors_are_those_of_the_decoder(decoder, report):
    found = report.content.trust.validation
    assert found.n_folds == 6
    assert found.balanced_error == pytest.approx(decoder.error_)
    np.testing.assert_allclose(
        [fold.balanced_error for fold in found.folds], decoder.cv_results_["balanced_error"]
    )


def test_subsets_are_those_of_the_decoder(decoder, report):
    subsets = [subset.columns for subset in report.content.alternatives.subsets]
    assert subsets == [subset.tolist() for subset in decoder.selector_.subsets_]


def test_names_are_places_in_the_brain(decoder, report, scans):
    feature = report.content.answer.hyperplanes[0].features[0]
    place = np.argwhere(scans.brain.mask)[feature.column]
    x, y, z = (decoder.mask_img_.affine @ [*place, 1])[:3]
    assert feature.name == f"{x:.1f}, {y:.1f}, {z:.1f} mm"


def test_names_after_downsampling(scans):
    decoder = FewestVoxels(mask=scans.mask, downsample=1, cv=0, n_subsets=0)
    decoder.fit(scans.images, scans.y, groups=scans.groups)
    report = decoder.generate_report(parts=(), figures=())
    coarse = np.argwhere(decoder.grid_.small_mask)
    feature = report.content.answer.hyperplanes[0].features[0]
    x, y, z = (decoder.mask_img_.affine @ [*(2 * coarse[feature.column]), 1])[:3]
    assert feature.name == f"{x:.1f}, {y:.1f}, {z:.1f} mm"


def test_the_page_speaks_of_voxels_and_volumes(report):
    page = re.sub(r"<(script|style).*?</\1>", "", report.html, flags=re.DOTALL)
    page = re.sub(r'<ol class="references".*?</ol>', "", page, flags=re.DOTALL)  # titles of papers
    page = page.replace("Support Feature Machine", "")
    assert not re.findall(r">[^<]*\b(?:feature|sample)s?\b[^<]*<", page, flags=re.IGNORECASE)
    assert not re.findall(r'"[^"]*\b(?:feature|sample)s?\b[^"]*"', page, flags=re.IGNORECASE)
    assert "of 600 voxels" in " ".join(page.split())
    assert "36 volumes, 600 voxels, 6 groups" in page


def test_maps_come_first(report):
    places = [report.html.index(f'<section id="{name}"') for name in ("maps", "asked", "answer")]
    assert places == sorted(places)
    links = re.findall(r'<a href="#([a-z-]+)"', report.html)
    assert links[:2] == ["maps", "asked"]
    assert links.count("maps") == 1


def test_missing_groups_are_on_the_page(scans):
    with pytest.warns(UserWarning, match="groups are not given"):
        decoder = FewestVoxels(mask=scans.mask, n_subsets=0, cv=2).fit(scans.images, scans.y)
    report = decoder.generate_report(parts=(), figures=())
    assert "neighbours in time are alike" in report.content.notes[0]


def test_blocks_are_handed_on(scans, handed_on):
    blocks = np.arange(len(scans.y)) // 2
    decoder = FewestVoxels(mask=scans.mask, n_subsets=0, cv=0)
    decoder.fit(scans.images, np.repeat(["a", "b"], 18), blocks=blocks).generate_report()
    np.testing.assert_array_equal(handed_on[0]["blocks"], blocks)


def test_maps_are_on_the_page(report):
    assert [figure.title for figure in report.content.figures] == [
        "Weights: right (positive) against left",
        "Selected in how many of 6 folds",
        "Found in which of 3 repetitions",
    ]
    page = report.html
    assert '<section id="maps"' in page
    assert "Weights of the selected voxels" in page
    assert len(page.encode()) < 3_000_000


def test_three_conditions_have_a_map_each(three_classes):
    scans = three_classes
    decoder = FewestVoxels(cv=0, n_subsets=0).fit(scans.images, scans.y)
    report = decoder.generate_report(parts=())
    assert [figure.title for figure in report.content.figures] == [
        "Weights: bird against the rest",
        "Weights: fish against the rest",
        "Weights: worm against the rest",
    ]


def test_regions_are_on_the_page(three_classes):
    scans = three_classes
    atlas = nibabel.Nifti1Image(np.full((6, 5, 4), 7, dtype=np.int16), scans.images.affine)
    decoder = FewestVoxels(atlas=atlas, atlas_labels={7: "all of it"}, cv=0, n_subsets=1)
    decoder.fit(scans.images, scans.y, groups=scans.groups)
    report = decoder.generate_report(parts=())
    assert report.content.figures[-1].title == "Regions"
    assert "all of it" in report.html
    bars = draw_regions(decoder.regions_).axes[0]
    assert sum(bar.get_width() for bar in bars.patches) == decoder.regions_.n_voxels
