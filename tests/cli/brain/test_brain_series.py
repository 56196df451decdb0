"""`fewest brain` on runs with events, and `fewest predict` with the decoder it saved."""

from __future__ import annotations

import csv
import json

import nibabel
import numpy as np
import pandas as pd
import pytest

import fewest
from fewest.neuro import FewestVoxels, label_volumes
from tests.cli.brain.scans import write_scan
from tests.neuro.series import AFFINE, N_VOLUMES, T_R, make_events, make_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three runs with events and confounds, and a fourth to predict."""
    folder = tmp_path_factory.mktemp("series")
    events = make_events()
    y = label_volumes(events, N_VOLUMES, t_r=T_R).y
    for run in range(4):
        nibabel.save(make_run(run, y), folder / f"run{run}.nii.gz")
        events.to_csv(folder / f"run{run}.tsv", sep="\t", index=False)
        motion = np.random.default_rng(run).normal(size=(N_VOLUMES, 2))
        table = pd.DataFrame(motion, columns=["trans_x", "rot_x"])
        table.loc[0, "empty"] = np.nan
        table.to_csv(folder / f"motion{run}.tsv", sep="\t", index=False)
    whole = nibabel.Nifti1Image(np.ones((3, 3, 2), dtype=np.int8), AFFINE)
    nibabel.save(whole, folder / "mask.nii.gz")
    return folder


def files(folder, pattern, runs=range(3)):
    return [folder / pattern.format(run) for run in runs]


@pytest.fixture
def arguments(folder, tmp_path):
    """Of three runs; `more` comes last."""

    def listed(*more):
        return [
            *["brain", *files(folder, "run{}.nii.gz"), "--events", *files(folder, "run{}.tsv")],
            *["--mask", folder / "mask.nii.gz", "--out", tmp_path / "found", "--subsets", 0],
            *["--no-report", "--no-figures", *more],
        ]

    return listed


PREPARED = ("--detrend", "--high-pass", 0.01, "--standardize", "zscore_sample")


def test_events_and_preparation_as_in_python(run, folder, arguments, tmp_path):
    confounds = ["--confounds", *files(folder, "motion{}.tsv")]
    columns = ["--confounds-columns", "trans_x", "rot_x"]
    model = tmp_path / "faces.fewest"
    ran = run(*arguments(*PREPARED, *confounds, *columns, "--model", model))
    assert (ran.code, ran.err) == (0, "")
    labels = label_volumes(files(folder, "run{}.tsv"), [N_VOLUMES] * 3, t_r=T_R)
    motion = np.concatenate(
        [
            pd.read_csv(file, sep="\t")[["trans_x", "rot_x"]]
            for file in files(folder, "motion{}.tsv")
        ]
    )
    decoder = FewestVoxels(
        fewest.SupportFeatureMachine(C=2.0),
        mask=folder / "mask.nii.gz",
        detrend=True,
        high_pass=0.01,
        standardize="zscore_sample",
        n_subsets=0,
        random_state=0,
    ).fit(files(folder, "run{}.nii.gz"), labels.y, groups=labels.runs, confounds=motion)
    result = json.loads((tmp_path / "found" / "result.json").read_text())
    assert result["trust"]["validation"]["balanced_error"] == decoder.error_
    assert (result["data"]["kind"], result["data"]["n_blocks"]) == ("volumes", 18)
    written = nibabel.load(tmp_path / "found" / "coef.nii.gz").get_fdata()
    np.testing.assert_allclose(written, decoder.coef_img_.get_fdata(), rtol=1e-6)
    used, rest = (labels.blocks > 0).sum(), labels.n_rest
    assert f"3 images: {used} volumes of 3 x 3 x 2 voxels; {rest} volumes of other" in ran.out
    assert "By the header of the images, a volume takes 2 s (--t-r)." in ran.out
    assert "Every image is one group" in ran.out
    assert f"5 s after their onset (--lag); {rest} volumes between them" in ran.out
    assert "same label in every permutation: 18 blocks of 54 volumes" in ran.out
    assert f"Written: {model}" in ran.out
    new = folder / "run3.nii.gz"
    loaded = fewest.load(model)
    np.testing.assert_array_equal(
        loaded.decision_function(new, confounds=np.ones((N_VOLUMES, 2))),
        decoder.decision_function(new, confounds=np.ones((N_VOLUMES, 2))),
    )


@pytest.fixture(scope="module")
def model(folder):
    """A decoder without confounds."""
    labels = label_volumes(files(folder, "run{}.tsv"), [N_VOLUMES] * 3, t_r=T_R)
    decoder = FewestVoxels(mask=folder / "mask.nii.gz", standardize="psc", n_subsets=0)
    decoder.fit(files(folder, "run{}.nii.gz"), labels.y, groups=labels.runs)
    fewest.save(decoder, folder / "model.fewest")
    return decoder


def test_predict_new_images(run, folder, model, tmp_path):
    out = tmp_path / "predicted.csv"
    new = folder / "run3.nii.gz"
    ran = run("predict", folder / "model.fewest", new, "--out", out)
    assert (ran.code, ran.err) == (0, "")
    with out.open() as stream:
        rows = list(csv.DictReader(stream))
    assert [row["volume"] for row in rows[:2]] == ["run3.nii.gz[0]", "run3.nii.gz[1]"]
    assert [row["predicted"] for row in rows] == model.predict(new).tolist()
    shares = [[float(row[f"probability {name}"]) for name in model.classes_] for row in rows]
    np.testing.assert_allclose(shares, model.predict_proba(new))
    scores = [float(row["score"]) for row in rows]
    np.testing.assert_allclose(scores, model.decision_function(new))
    n_used = int(model.support_img_.get_fdata().sum())
    assert f"FewestVoxels, uses {n_used} of 18 voxels" in ran.out
    assert "run3.nii.gz: 40 volumes" in ran.out
    assert "28 more volumes" in ran.out
    assert "sample" not in ran.out
    assert "feature" not in ran.out


def test_predict_several_runs_and_compare(run, folder, model, tmp_path):
    """Every file is a run, and prepared by itself."""
    runs = files(folder, "run{}.nii.gz", (3, 0))
    single = [model.predict(file).tolist() for file in runs]
    truth = [str(label) for label in np.concatenate(single)]
    truth[0] = "house" if truth[0] == "face" else "face"
    (tmp_path / "truth.txt").write_text("\n".join(truth))
    labels = ["--labels", tmp_path / "truth.txt"]
    ran = run("predict", folder / "model.fewest", *runs, *labels, "--json", "-")
    assert ran.code == 0
    assert ran.json["predictions"] == [*single[0], *single[1]]
    assert (ran.json["kind"], ran.json["errors"]["n_errors"]) == ("volumes", 1)
    quiet = run("predict", folder / "model.fewest", *runs, "--quiet")
    assert quiet.out.split() == [*single[0], *single[1]]


def test_what_predict_refuses(run, fails, folder, model, tmp_path):
    moved = nibabel.load(folder / "run3.nii.gz")
    nibabel.save(nibabel.Nifti1Image(moved.get_fdata(), np.eye(4)), tmp_path / "moved.nii.gz")
    name, new = folder / "model.fewest", folder / "run3.nii.gz"
    assert "a voxel is not the same place" in fails("predict", name, tmp_path / "moved.nii.gz")
    assert "--target is about tables" in fails("predict", name, new, "--target", "x")
    assert "is not a NIfTI file" in fails("predict", name, folder / "run3.tsv")
    assert "name the model first" in fails("predict", new, name)
    ran = run("predict", name, new, "--confounds", folder / "motion3.tsv")
    assert "cells that are no numbers in empty" in ran.err
    more = ["--confounds", folder / "motion3.tsv", "--confounds-columns", "rot_x"]
    ran = run("predict", name, new, *more)
    assert "Warning: the decoder was fitted without confounds" in ran.out
    table = tmp_path / "table.csv"
    table.write_text("a,b,class\n" + "".join(f"{n},{n % 3},{'xy'[n > 4]}\n" for n in range(10)))
    run("select", table, "--target", "class", "--C", 1, "--model", tmp_path / "t.fewest")
    assert "is a model of tables" in fails("predict", tmp_path / "t.fewest", new, new)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--labels", "labels.txt"], "must be said once.\nAdd --labels FILE"),
        (["--standardize", "psc", "--standardize-runs"], "exclude each other"),
        (["--confounds-columns", "x"], "Add --confounds FILE"),
        (["--high-pass", "0.01", "--low-pass", "0.001"], "High pass cutoff frequency"),
        (["--high-pass", "0"], "must be a number above zero"),
        (["--lag", "500"], "no volume of run 0 lies within an event"),
        (["--mask-strategy", "brain"], "invalid choice: 'brain'"),
        (["--only", "cat", "face"], "--only cat: no volume has this label"),
        (["--groups-column", "run"], "Add the file with --groups FILE"),
    ],
)
def test_options_that_make_no_sense(fails, arguments, more, message):
    assert message in fails(*arguments(*more))


def test_events_for_some_of_the_runs(fails, folder, tmp_path):
    images, events = files(folder, "run{}.nii.gz"), files(folder, "run{}.tsv", [0])
    message = fails("brain", *images, "--events", *events, "--out", tmp_path / "found")
    assert "--events names 1 file for 3 runs.\nGive one per 4-D image" in message


def test_header_without_a_time(run, fails, tmp_path):
    scan = write_scan(tmp_path)
    message = fails(*scan.arguments("--high-pass", "0.01"))
    assert "does not say how many seconds" in message
    assert "Add --t-r SECONDS." in message
    assert "length of the input vector" in fails(*scan.arguments("--high-pass", "0.01", "--t-r", 2))


def test_missing_groups_are_warned_of(run, tmp_path):
    scan = write_scan(tmp_path)
    arguments = scan.arguments("--no-figures", "--subsets", 0, "--cv", 2)
    place = arguments.index("--groups-column")
    ran = run(*arguments[:place], *arguments[place + 2 :])
    assert ran.code == 0
    assert "Warning: groups are not given. Volumes that are neighbours in time are alike" in ran.out
    assert "Add --groups or --groups-column." in ran.out


def test_few_blocks_are_said(run, tmp_path):
    scan = write_scan(tmp_path)
    y, runs = np.tile(np.repeat(["face", "house"], 12), 2), np.repeat([1, 2], 24)
    lines = ["labels chunks", *(f"{label} {number}" for label, number in zip(y, runs, strict=True))]
    scan.table.write_text("\n".join(lines))
    ran = run(*scan.arguments("--no-figures", "--subsets", 0))
    assert "same label in every permutation: 4 blocks of 48 volumes" in ran.out
    assert "Only 4 labellings of the blocks are possible" in ran.out
    ran = run(
        *scan.arguments("--no-figures", "--subsets", 0, "--overwrite", "--permute", "volumes")
    )
    assert ran.code == 0
    assert "same label in every permutation" not in ran.out


def test_the_model_does_not_replace_what_is_read(fails, folder, arguments):
    message = fails(*arguments("--model", folder / "run0.tsv"))
    assert "would replace the events" in message
