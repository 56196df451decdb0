"""Counts by region and hemisphere, against counts by hand."""

import nibabel
import numpy as np
import pytest

from fewest.neuro import region_table

# x runs from right to left in the file, as it often does: x = 5, 3, 1, -1, -3, -5.
AFFINE = np.array([[-2.0, 0, 0, 5], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1]])


def image(data, affine=AFFINE):
    return nibabel.Nifti1Image(np.asarray(data), affine)


@pytest.fixture
def atlas():
    """Region 3 in front, region 8 behind, nothing in the middle row."""
    data = np.zeros((6, 3, 2), dtype=np.int16)
    data[:, 0], data[:, 2] = 8, 3
    return image(data)


def test_counts_and_shares(atlas):
    found = np.zeros((6, 3, 2), dtype=np.int32)
    found[0, 0, 0], found[1, 0, 0], found[5, 0, 1] = 1, 2, 9  # region 8: right, right, left
    found[3, 2, 0] = 4  # region 3: left
    found[2, 1, 1] = 1  # nowhere
    table = region_table(image(found), atlas, {3: "front", 8: "back"})
    assert table.n_voxels == 5
    rows = [(row.label, row.name, row.left, row.right, row.total) for row in table.regions]
    assert rows == [(8, "back", 1, 2, 3), (3, "front", 1, 0, 1), (0, "Unassigned", 0, 1, 1)]
    assert table.regions[0].right_share == pytest.approx(0.4)
    assert sum(r.left_share + r.right_share + r.midline_share for r in table.regions) == 1
    assert [row.size for row in table.regions] == [12, 12, 12]


def test_small_regions_in_one_row(atlas):
    found = np.zeros((6, 3, 2), dtype=np.int8)
    found[:, 0] = 1  # 12 voxels of region 8
    found[0, 2, 0] = found[5, 1, 0] = 1  # one of region 3 (right), one of none (left)
    table = region_table(image(found), atlas, {8: "back"})
    rows = [
        (r.label, r.name, r.left, r.right, r.size) for r in table.merge_small(least=0.1).regions
    ]
    assert rows == [(8, "back", 6, 6, 12), (-1, "Other regions", 1, 1, 24)]
    assert table.merge_small(least=0.0) == table
    assert sum(
        r.left_share + r.right_share for r in table.merge_small(0.1).regions
    ) == pytest.approx(1)


def test_hemispheres_follow_the_affine(atlas):
    """The same array with the x axis turned around: left becomes right."""
    found = np.zeros((6, 3, 2), dtype=np.int8)
    found[0, 0, 0] = 1
    turned = AFFINE.copy()
    turned[0] = [2, 0, 0, -5]
    one = region_table(image(found), atlas).regions[0]
    other = region_table(image(found, turned), image(atlas.get_fdata(), turned)).regions[0]
    assert (one.left, one.right) == (0, 1)
    assert (other.left, other.right) == (1, 0)
    assert one.name == "region 8"


def test_voxels_between_the_hemispheres():
    affine = np.diag([2.0, 2.0, 2.0, 1.0])
    affine[0, 3] = -2.0  # x = -2, 0, 2
    data = np.ones((3, 1, 1), dtype=np.int16)
    (row,) = region_table(image(data, affine), image(data, affine)).regions
    assert (row.left, row.midline, row.right) == (1, 1, 1)


def test_finer_atlas_is_brought_on_the_grid_of_the_map(atlas):
    fine = np.repeat(np.repeat(np.repeat(atlas.get_fdata(), 2, 0), 2, 1), 2, 2)
    affine = AFFINE.copy()
    affine[:3, :3] /= 2
    affine[:3, 3] -= affine[:3, :3] @ [0.5, 0.5, 0.5]
    found = image(np.ones((6, 3, 2), dtype=np.int8))
    here = region_table(found, atlas)
    there = region_table(found, image(fine.astype(np.int16), affine))
    assert here == there


def test_an_affine_that_differs_by_rounding_loses_no_voxel():
    affine = np.diag([3.0, 3.0, 3.0, 1.0])
    found = nibabel.Nifti1Image(np.ones((4, 3, 2), dtype=np.int16), affine)
    affine = affine.copy()
    affine[:3, 3] += 5e-5
    table = region_table(found, nibabel.Nifti1Image(np.ones((4, 3, 2), dtype=np.int16), affine))
    assert [(row.label, row.total) for row in table.regions] == [(1, 24)]


def test_names_in_a_sequence(atlas):
    found = image(np.ones((6, 3, 2), dtype=np.int8))
    names = ["background", *(f"number {value}" for value in range(1, 9))]
    assert {row.name for row in region_table(found, atlas, names).regions} == {
        "number 3",
        "number 8",
        "Unassigned",
    }


def test_frame_and_csv(atlas):
    table = region_table(image(np.ones((6, 3, 2), dtype=np.int8)), atlas, {3: "front, left"})
    frame = table.to_frame()
    assert frame["left"].tolist() == [6, 6, 6]
    lines = table.to_csv().splitlines()
    assert lines[0].startswith("label,name,left,right,midline,left_share")
    assert lines[1].startswith('3,"front, left",6,6,0,0.1666')


def test_no_voxel(atlas):
    table = region_table(image(np.zeros((6, 3, 2), dtype=np.int8)), atlas)
    assert table.regions == ()
    assert table.n_voxels == 0
    assert table.to_frame().empty


def test_atlas_of_probabilities(atlas):
    found = image(np.ones((6, 3, 2), dtype=np.int8))
    with pytest.raises(ValueError, match="whole numbers.*not that with probabilities"):
        region_table(found, image(atlas.get_fdata() * 0.3))


def test_atlas_with_several_volumes(atlas):
    found = image(np.ones((6, 3, 2), dtype=np.int8))
    with pytest.raises(ValueError, match="atlas_img must be one 3-D image; got the shape 6 x 3"):
        region_table(found, image(np.ones((6, 3, 2, 4), dtype=np.int8)))


def test_names_in_one_string(atlas):
    with pytest.raises(TypeError, match="a dict or a sequence of names"):
        region_table(image(np.ones((6, 3, 2), dtype=np.int8)), atlas, "front")
