"""Figures of a decoder: the slices they show, and what is drawn there."""

from types import SimpleNamespace

import nibabel
import numpy as np
import pytest
from nibabel.orientations import axcodes2ornt, ornt_transform

from fewest.neuro._figures import draw_maps

AFFINE = np.array([[3.0, 0, 0, -13.5], [0, 3, 0, -16], [0, 0, 3, -12], [0, 0, 0, 1]])
BACKGROUND = 10.0


def decoder_of(coef, affine=AFFINE, orientation="RAS"):
    """What the figures need of a decoder; the weights are also the folds that select a voxel."""
    images = [
        nibabel.Nifti1Image(values, affine).as_reoriented(
            ornt_transform(axcodes2ornt("RAS"), axcodes2ornt(orientation))
        )
        for values in (coef, np.abs(coef), np.full(coef.shape, BACKGROUND))
    ]
    return SimpleNamespace(
        coef_img_=images[0],
        consistency_img_=images[1],
        mean_img_=images[2],
        classes_=np.array(["a", "b"]),
        cv_results_={"fold": range(4)},
        ranking_img_=None,
    )


def figures_of(decoder):
    return {name: figure for name, *_, figure in draw_maps(decoder)}


def drawn(figure):
    """Values of the map in every slice, where there is one, and the words beside."""
    figure.canvas.draw()
    layers = [ax.images for ax in figure.axes if len(ax.images) > 1]
    values = [np.ma.masked_invalid(images[-1].get_array()).compressed() for images in layers]
    words = [text.get_text() for ax in figure.axes for text in ax.texts]
    return values, words


def planted(shape=(10, 12, 9), place=(7, 3, 2)):
    coef = np.zeros(shape)
    coef[place] = 4.0
    return coef


@pytest.mark.parametrize("orientation", ["RAS", "LAS", "PSR", "ASR", "SLP"])
def test_slices_are_horizontal_however_the_image_is_stored(orientation):
    figures = figures_of(decoder_of(planted(), orientation=orientation))
    for figure in figures.values():
        values, words = drawn(figure)
        assert [shown.tolist() for shown in values] == [[4.0]]
        assert "z=-6" in words


@pytest.mark.parametrize(("axis", "word"), [(0, "x=-13"), (1, "y=-16"), (2, "z=-12")])
def test_one_slice_is_looked_at_from_its_side(axis, word):
    shape, place = [10, 12, 9], [7, 3, 2]
    shape[axis], place[axis] = 1, 0
    values, words = drawn(figures_of(decoder_of(planted(shape, tuple(place))))["coef"])
    assert [shown.tolist() for shown in values] == [[4.0]]
    assert word in words


def test_tilted_volumes_keep_their_voxels_and_whole_counts():
    turn = np.deg2rad(12)
    about_x, about_z = np.eye(4), np.eye(4)
    about_x[1:3, 1:3] = about_z[:2, :2] = [
        [np.cos(turn), -np.sin(turn)],
        [np.sin(turn), np.cos(turn)],
    ]
    for place in ((7, 3, 2), (0, 0, 0), (4, 6, 5)):
        decoder = decoder_of(planted(place=place), about_z @ about_x @ AFFINE)
        for figure in figures_of(decoder).values():
            values, _ = drawn(figure)
            assert [set(shown.tolist()) for shown in values] == [{4.0}]


def test_the_largest_slices_are_shown_and_some_slice_of_nothing():
    coef = np.zeros((10, 12, 9))
    coef[5, 5, :7] = np.arange(1.0, 8.0)
    _, words = drawn(figures_of(decoder_of(coef))["coef"])
    heights = [word for word in words if word.startswith("z=")]
    assert heights == [
        "z=-6",
        "z=-3",
        "z=0",
        "z=3",
        "z=6",
    ]
    _, words = drawn(figures_of(decoder_of(np.zeros((10, 12, 9))))["coef"])
    assert "z=0" in words


def test_repetitions_are_drawn_as_whole_numbers():
    decoder = decoder_of(planted())
    ranking = np.zeros((10, 12, 9), dtype=np.int32)
    ranking[7, 3, 2], ranking[2, 2, 2] = 1, 3
    decoder.ranking_img_ = nibabel.Nifti1Image(ranking, AFFINE)
    values, _ = drawn(figures_of(decoder)["ranking"])
    assert set(np.concatenate(values)) == {1, 3}
