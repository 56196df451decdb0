"""The examples on brain images, and the slice that they and the benchmark read."""

import sys

import numpy as np
import pytest

from benchmarks.haxby_slice import load_haxby_slice
from examples import plot_brain_regions, plot_haxby
from fewest.neuro.analyses import map_overlap


@pytest.fixture
def draw(monkeypatch, tmp_path):
    def call(script, *arguments):
        folder = tmp_path / "pictures"
        monkeypatch.setattr(sys, "argv", ["script", str(folder), *arguments])
        script.main()
        if not folder.exists():
            return set()
        assert all(file.read_bytes().startswith(b"\x89PNG") for file in folder.iterdir())
        return {file.name for file in folder.iterdir()}

    return call


@pytest.mark.slow
def test_brain_regions(draw, capsys):
    assert draw(plot_brain_regions, "--subsets", "20") == {
        "glass.png",
        "slices.png",
        "ranking.png",
    }
    assert "expected by chance" in capsys.readouterr().out


def test_planted_regions_are_found():
    """What the example shows: the first voxels of the ranking are planted ones."""
    maps, mask = plot_brain_regions.generated()
    ranking = plot_brain_regions.ranking_of(maps, 5)
    image = plot_brain_regions.image_of(ranking, mask)
    assert image.shape == mask.shape
    np.testing.assert_array_equal(np.asarray(image.dataobj)[maps.mask], ranking)
    found = map_overlap(ranking > 0, maps.informative)
    assert found.p_value < 1e-6
    assert found.n_both > 0.8 * found.n_first


def test_haxby(draw, real_file, capsys):
    real_file("haxby_slice_bold.nii.gz")
    settings = ("--subsets", "4", "--categories", "face", "house", "cat")
    assert draw(plot_haxby, *settings) == {"overlap.png", "ranking.png", "pairs.png"}
    text = capsys.readouterr().out
    assert "face against house: error 0.0" in text
    assert "house vs. cat" in text


def test_haxby_without_the_slice(draw, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("FEWEST_DATA", str(tmp_path))
    assert draw(plot_haxby) == set()
    assert "skipped, haxby_slice_bold.nii.gz is not in $FEWEST_DATA" in capsys.readouterr().out


def test_cleaned_volumes_stay_in_their_order(real_file):
    """Detrended and standardised by hand, run after run, in the order of the file."""
    import nibabel
    from scipy.signal import detrend

    data = load_haxby_slice()
    volumes = nibabel.load(real_file("haxby_slice_bold.nii.gz"))
    labels = np.loadtxt(real_file("haxby_slice_attributes_literal.txt"), dtype=str)
    values = volumes.get_fdata()[np.asarray(data.mask_image.dataobj) > 0].T
    for run in np.unique(labels[:, 1]):
        rows = labels[:, 1] == run
        values[rows] = detrend(values[rows], axis=0)
        values[rows] /= values[rows].std(axis=0, ddof=1)
    shown = labels[:, 0] != "rest"
    np.testing.assert_array_equal(data.y, labels[shown, 0])
    np.testing.assert_array_equal(data.runs, labels[shown, 1].astype(int))
    np.testing.assert_allclose(data.X, values[shown], atol=1e-3)
