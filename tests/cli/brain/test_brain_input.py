"""`fewest brain`: label files, images and options, read or refused."""

from __future__ import annotations

import sys

import nibabel
import numpy as np
import pytest

from tests.cli.brain.scans import AFFINE, changed


def test_column_is_not_named(fails, scan):
    message = fails(*changed(scan, labels_column=None))
    assert "attributes.txt has 2 columns; the first line is: labels, chunks" in message
    assert "--labels-column NAME, or --labels-column 1" in message


def test_column_that_is_not_there(fails, scan):
    message = fails(*changed(scan, labels_column=["label"]))
    assert "has no column 'label'.\nDid you mean 'labels'?" in message
    message = fails(*changed(scan, groups_column=["3"]))
    assert "--groups-column 3: " in message
    assert "has 2 columns.\nColumns are counted from 1." in message


def test_labels_without_a_header(run, fails, scan):
    lines = scan.table.read_text().split("\n")
    scan.table.write_text("\n".join(lines[1:]))
    message = fails(*changed(scan))
    assert "has 48 lines, which leaves none for a header" in message
    by_number = changed(scan, labels_column=["1"], groups_column=["2"], no_figures=[])
    assert run(*by_number).code == 0


@pytest.mark.slow
def test_labels_with_commas(run, scan):
    scan.table.write_text(scan.table.read_text().replace(" ", ", "))
    assert run(*changed(scan, no_figures=[])).code == 0


@pytest.mark.parametrize("change", [-2, 2])
def test_labels_that_do_not_fit(fails, scan, change):
    lines = scan.table.read_text().splitlines()
    lines = lines[:change] if change < 0 else [*lines, *lines[-change:]]
    scan.table.write_text("\n".join(lines))
    message = fails(*changed(scan, labels_column=["1"], groups_column=["2"]))
    assert f"has {49 + change} lines, but the images have 48 volumes" in message


@pytest.mark.parametrize("column", [["1"], ["2"]])
def test_one_label_too_many_is_no_header(fails, scan, column):
    lines = scan.table.read_text().splitlines()
    scan.table.write_text("\n".join(["house 11", *lines[1:]]))
    message = fails(*changed(scan, labels_column=column, groups_column=None))
    assert "has 49 lines, but the images have 48 volumes" in message


@pytest.mark.parametrize("labels", [["1"], ["2"]])
def test_header_in_place_of_the_last_label_is_no_volume(fails, scan, labels):
    lines = scan.table.read_text().splitlines()
    scan.table.write_text("\n".join(lines[:-1]))
    message = fails(*changed(scan, labels_column=labels, groups_column=["2"]))
    assert "48 lines (the first looks like a header), but the images have 48 volumes" in message


@pytest.mark.parametrize("name", ["labels", "Condition"])
def test_header_in_place_of_the_last_label_of_a_list(fails, scan, name):
    scan.table.write_text("\n".join([name, *scan.y[:-1]]))
    message = fails(*changed(scan, labels_column=None, groups_column=None))
    assert "(the first looks like a header)" in message


def test_header_in_place_of_the_last_run(fails, scan):
    runs = scan.folder / "runs.txt"
    runs.write_text("\n".join(["part", *map(str, scan.runs[:-1])]))
    message = fails(*changed(scan, groups=[runs], groups_column=None))
    assert "runs.txt has 48 lines (the first looks like a header)" in message


@pytest.mark.slow
def test_a_label_of_the_first_volume_only_is_no_header(run, scan):
    labels = scan.folder / "labels.txt"
    labels.write_text("\n".join(["dummy", *scan.y[1:]]))
    without_groups = changed(scan, labels=[labels], labels_column=None, groups_column=None)
    assert run(*without_groups, "--no-figures").code == 0
    lines = [f"{label} {delay}" for label, delay in zip(scan.y, ["n/a", *[0.5] * 47], strict=True)]
    labels.write_text("\n".join(lines))
    by_number = changed(scan, labels=[labels], labels_column=["1"], groups_column=None)
    assert run(*by_number, "--no-figures", "--overwrite").code == 0


def test_empty_line_between_labels(fails, scan):
    scan.table.write_text("\n".join(["labels", *scan.y[:10], "", *scan.y[11:]]))
    message = fails(*changed(scan, labels_column=None, groups_column=None))
    assert "line 12 of" in message
    assert "is empty.\nEvery volume needs a value" in message


def test_line_without_a_cell(fails, scan):
    lines = scan.table.read_text().splitlines()
    lines[5] = "face"
    scan.table.write_text("\n".join(lines))
    assert "line 6 of" in fails(*changed(scan))


def test_missing_and_odd_label_files(fails, scan):
    assert "nothing.txt does not exist" in fails(*changed(scan, labels=["nothing.txt"]))
    scan.table.write_text("\n\n")
    assert "is empty.\nWrite one label per line" in fails(*changed(scan))
    scan.table.write_bytes(b"\xff\xfe\x00")
    assert "is not a text file in UTF-8" in fails(*changed(scan))
    assert "cannot be read: Is a directory" in fails(*changed(scan, labels=[scan.folder]))


def test_unknown_label(fails, scan):
    message = fails(*changed(scan, only=["face", "horse"]))
    assert "--only horse: no volume has this label.\nThe labels are: face, house, rest." in message


def test_one_label_only(fails, scan):
    message = fails(*changed(scan, only=["face"]))
    assert "at least two classes, but y contains only one class: 'face'" in message


def test_runs_are_needed_to_standardize_them(fails, scan):
    arguments = changed(scan, groups_column=None, standardize_runs=[])
    assert "Add --groups or --groups-column" in fails(*arguments)


def test_atlas_labels_without_an_atlas(fails, scan):
    assert "Add --atlas." in fails(*changed(scan, atlas_labels=["names.txt"]))


def test_images_that_cannot_be_read(fails, scan):
    assert "does not exist: check its name" in fails("brain", "no.nii", *changed(scan)[2:])
    assert "is not a NIfTI file, or damaged" in fails("brain", scan.table, *changed(scan)[2:])


def test_mask_on_another_grid(fails, scan):
    mask = nibabel.Nifti1Image(np.ones((3, 3, 3), dtype=np.int8), AFFINE)
    nibabel.save(mask, scan.folder / "mask.nii")
    message = fails(*changed(scan, mask=[scan.folder / "mask.nii"]))
    assert "the mask: 3 x 3 x 3 voxels; the images: 6 x 5 x 4 voxels." in message


def test_options_that_make_no_sense(fails, scan):
    assert "liknon needs a finite --C" in fails(*changed(scan, method=["liknon"], C=["inf"]))
    assert "must be a number above zero" in fails(*changed(scan, smoothing=["0"]))
    assert "the following arguments are required: --out" in fails("brain", "x.nii")
    assert "must be said once" in fails("brain", "x.nii", "--out", scan.folder / "found")


def test_without_nilearn(fails, scan, monkeypatch):
    monkeypatch.setitem(sys.modules, "nilearn", None)
    assert 'pip install "fewest[neuro]"' in fails(*changed(scan))
