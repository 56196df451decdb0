"""Pictures of maps: what is drawn, in which colours, and what the words beside it say."""

import subprocess
import sys

import nibabel
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from fewest.neuro.pictures import PALETTES, plot_ranking, plot_two_maps

MNI = np.array([[6.0, 0, 0, -96], [0, 6.0, 0, -132], [0, 0, 6.0, -78], [0, 0, 0, 1.0]])


@pytest.fixture(autouse=True)
def _close():
    yield
    pyplot.close("all")


def image(values, affine=MNI):
    return nibabel.Nifti1Image(np.asarray(values, dtype=np.float32), affine)


def volume(*boxes):
    values = np.zeros((33, 40, 32))
    for (x, y, z), value in boxes:
        values[x : x + 6, y : y + 6, z : z + 6] = value
    return image(values)


FIRST = volume(((8, 18, 14), 2.5))
SECOND = volume(((11, 18, 14), -1.0), ((20, 10, 14), 1.0))


def colours_in(figure, palette):
    """How many pixels have each colour of the palette."""
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3].reshape(-1, 3) / 255
    return [
        int(np.sum(np.abs(pixels - to_rgb(colour)).max(axis=1) < 0.01))
        for colour in PALETTES[palette].values()
    ]


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


@pytest.mark.parametrize("kind", ["slices", "glass"])
@pytest.mark.parametrize("palette", ["safe", "papers"])
def test_volumes_have_three_colours_and_a_legend_that_names_them(kind, palette):
    names = ("t-map", "machine")
    both = plot_two_maps(FIRST, SECOND, names=names, kind=kind, palette=palette)
    words = list(PALETTES[palette])
    assert legend(both) == [
        f"t-map only ({words[0]}): 108 voxels",
        f"machine only ({words[1]}): 324 voxels",
        f"both ({words[2]}): 108 voxels",
    ]
    with_overlap = colours_in(both, palette)
    apart = plot_two_maps(FIRST, volume(((20, 10, 14), 1.0)), kind=kind, palette=palette)
    without = colours_in(apart, palette)
    patch = without[2]  # the legend's own patch is all that is yellow here
    assert with_overlap[2] > patch + 100
    assert min(with_overlap[:2]) > patch + 100
    assert legend(apart)[2] == f"both ({words[2]}): 0 voxels"


def test_palettes():
    """The default differs in brightness, so that it can be told apart without any colour."""
    grey = [np.dot(to_rgb(colour), [0.299, 0.587, 0.114]) for colour in PALETTES["safe"].values()]
    assert min(np.diff(sorted(grey))) > 0.15
    assert list(PALETTES["papers"]) == ["red", "green", "yellow"]


def test_background_replaces_the_template():
    """Another background: bright noise where the template is dark."""
    rng = np.random.default_rng(0)
    other = image(rng.random((33, 40, 32)))
    pictures = [plot_two_maps(FIRST, SECOND, background=one) for one in (None, other)]
    for picture in pictures:
        picture.canvas.draw()
    plain, noisy = (np.asarray(picture.canvas.buffer_rgba()) for picture in pictures)
    assert np.mean(plain != noisy) > 0.1


def test_a_slice_is_drawn_as_it_lies_in_space():
    first, second, grey = np.zeros((3, 6, 4, 1))
    first[0, 1], second[0, 1], second[5, 3], grey[:] = 1, 1, 1, 10
    affine = np.diag([-3.0, 2.0, 2.0, 1.0])  # the first axis runs from right to left
    figure = plot_two_maps(
        image(first, affine), image(second, affine), background=image(grey, affine), kind="glass"
    )
    ax = figure.axes[0]
    behind, before = (one.get_array() for one in ax.images)
    assert behind.min() == 10
    expected = np.zeros((4, 6))
    expected[1, 5], expected[3, 0] = 3, 2  # a row a line from the back; the right is on the right
    np.testing.assert_array_equal(before.filled(0), expected)
    assert before.mask[0, 0]
    assert [text.get_text() for text in ax.texts] == ["L", "R"]
    assert ax.get_aspect() == pytest.approx(2 / 3)


def test_ranking_takes_whole_repetitions_up_to_each_share():
    ranking = np.zeros((20, 10, 1))
    ranking[:10] = np.repeat(np.arange(1, 21), 5).reshape(10, 10, 1)  # 20 repetitions of 5 voxels
    mask = np.ones((20, 10, 1))
    figure = plot_ranking(image(ranking), image(mask), shares=[0.01, 0.05, 0.09, 0.5, 0.9])
    panels = figure.axes[:5]
    assert [ax.get_title() for ax in panels] == [
        "1 %: 5 voxels",
        "5 %: 10 voxels",
        "9 %: 20 voxels",
        "50 %: 100 voxels",
        "90 %: 100 voxels (all that were found)",
    ]
    for ax, last in zip(panels, (1, 2, 4, 20, 20), strict=True):
        shown = ax.images[-1].get_array()
        repetition = ranking[..., 0].T
        expected = np.isin(repetition, np.arange(1, last + 1))
        np.testing.assert_array_equal(~shown.mask, expected)
        # What was found earlier is brighter.
        order = np.argsort(-shown[expected], kind="stable")
        assert np.all(np.diff(repetition[expected][order]) >= 0)


@pytest.mark.parametrize("last", [1, 2, 5])
def test_colours_of_a_ranking_are_those_of_its_scale(last):
    ranking = np.arange(1.0, 11.0).clip(max=last).reshape(5, 2, 1)
    figure = plot_ranking(image(ranking), image(np.ones((5, 2, 1))), shares=[1.0])
    drawn = figure.axes[0].images[-1]
    scale = figure.axes[1].collections[-1]
    for repetition in range(1, last + 1):
        places = repetition == ranking[..., 0].T
        shown = drawn.to_rgba(drawn.get_array())[places]
        expected = scale.cmap(scale.norm(repetition))
        np.testing.assert_allclose(shown, np.tile(expected, (places.sum(), 1)), atol=0.02)


def test_a_background_may_hold_nan_outside():
    behind = np.full((6, 4, 1), 10.0)
    behind[0] = np.nan
    ranking, mask = np.ones((6, 4, 1)), np.ones((6, 4, 1))
    figure = plot_ranking(image(ranking), image(mask), shares=[0.5], background=image(behind))
    assert np.isfinite(figure.axes[0].images[0].get_clim()).all()


def test_ranking_counts_voxels_of_the_mask_only():
    ranking = np.arange(1.0, 101.0).reshape(10, 10, 1)
    mask = np.zeros((10, 10, 1))
    mask[5:] = 1
    figure = plot_ranking(image(ranking), image(mask), shares=[0.1])
    assert figure.axes[0].get_title() == "10 %: 5 voxels"
    np.testing.assert_array_equal(np.argwhere(~figure.axes[0].images[-1].get_array().mask)[:, 1], 5)


def test_ranking_of_a_volume_on_glass_brains():
    rng = np.random.default_rng(0)
    ranking = rng.integers(1, 50, size=(33, 40, 32))
    mask = np.zeros((33, 40, 32))
    mask[8:24, 8:30, 8:24] = 1
    figure = plot_ranking(image(ranking), image(mask))
    titles = [ax.get_title() for ax in figure.axes if ax.get_title()]
    assert [title.split(":")[0] for title in titles] == [
        "1 %",
        "2.5 %",
        "5 %",
        "20 %",
        "34 %",
        "50 %",
    ]
    figure.canvas.draw()
    half = np.asarray(figure.canvas.buffer_rgba())[..., :3].sum(axis=2) > 300
    assert half.mean() > 0.05


def test_files_and_figures_of_the_caller(tmp_path):
    for name, one in (("a", FIRST), ("b", SECOND)):
        one.to_filename(tmp_path / f"{name}.nii.gz")
    figure = Figure(figsize=(9, 2))
    returned = plot_two_maps(tmp_path / "a.nii.gz", str(tmp_path / "b.nii.gz"), figure=figure)
    assert returned is figure
    assert tuple(figure.get_size_inches()) == (9, 2)
    figure.savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")


def test_messages(monkeypatch):
    with pytest.raises(ValueError, match="kind must be one of 'slices', 'glass'; got 'cube'"):
        plot_two_maps(FIRST, SECOND, kind="cube")
    with pytest.raises(ValueError, match="palette must be one of 'safe', 'papers'; got 'rainbow'"):
        plot_two_maps(FIRST, SECOND, palette="rainbow")
    with pytest.raises(
        ValueError, match="the first map: .* voxels; the second map: 3 x 3 x 3 voxels. Bring"
    ):
        plot_two_maps(FIRST, image(np.ones((3, 3, 3))))
    with pytest.raises(
        ValueError, match="the affine of the first map and that of the second map differ"
    ):
        plot_two_maps(FIRST, image(np.ones((33, 40, 32)), np.eye(4)))
    with pytest.raises(ValueError, match="the first map must be one 3-D image; got the shape"):
        plot_two_maps(image(np.ones((3, 3, 3, 2))), FIRST)
    flat = image(np.ones((4, 4, 1)))
    with pytest.raises(ValueError, match=r"background has shape \(5, 4, 1\), but the map has"):
        plot_two_maps(flat, flat, background=image(np.ones((5, 4, 1))))
    with pytest.raises(ValueError, match="ranking names no voxel of the mask"):
        plot_ranking(image(np.zeros((4, 4, 1))), flat)
    with pytest.raises(ValueError, match="a share must be above zero and at most one; got 34"):
        plot_ranking(flat, flat, shares=[34])
    monkeypatch.setitem(sys.modules, "nilearn", None)
    with pytest.raises(ImportError, match=r'pip install "fewest\[neuro\]"'):
        plot_two_maps(FIRST, SECOND)
    with pytest.raises(ImportError, match=r'pip install "fewest\[neuro\]"'):
        plot_ranking(FIRST, SECOND)


def test_import_loads_neither_nilearn_nor_matplotlib():
    code = (
        "import sys, fewest.neuro.analyses, fewest.neuro.pictures\n"
        "print({'nilearn', 'nibabel', 'matplotlib'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "set()\n", done.stderr
