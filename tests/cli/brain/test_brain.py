"""`fewest brain`: a folder with maps and numbers, whole or not at all."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time

import nibabel
import numpy as np
import pytest
from nilearn.maskers import NiftiMasker

from fewest import SupportFeatureMachine
from fewest.cli import main
from fewest.neuro import FewestVoxels
from tests.cli.brain.scans import AFFINE, changed, write_scan
from tests.platforms import needs

MAPS = ["coef.nii.gz", "consistency.nii.gz", "mask.nii.gz", "ranking.nii.gz", "support.nii.gz"]


def test_folder(run, scan):
    ran = run(*scan.arguments())
    assert (ran.code, ran.err) == (0, "")
    found = scan.folder / "found"
    names = sorted(entry.name for entry in found.iterdir())
    assert names == sorted([*MAPS, "coef.png", "consistency.png", "ranking.png", "result.json"])
    result = scan.result
    brain = result["brain"]
    assert sorted(brain["files"]) == names
    assert [voxel["index"] for voxel in brain["voxels"]] == [[2, 3, 1]]
    assert brain["voxels"][0]["position_mm"] == [3.0, 9.0, 3.0]
    assert brain["voxels"][0]["folds_selected"] == 4
    assert brain["left_out"] == ["1", "2", "3", "10"]
    assert result["data"]["n_samples"] == 32
    assert (result["schema"], result["command"]) == ("fewest.result", "brain")
    assert result["question"]["options"]["only"] == ["face", "house"]
    assert {"nilearn", "nibabel", "fewest"} <= set(result["versions"])
    assert {"reading", "fitting"} <= set(result["seconds"])
    assert result["answer"]["hyperplanes"][0]["certificate"]["relative_gap"] < 1e-6
    assert result["answer"]["training"]["n_errors"] == 0
    assert f"Selected: 1 of {brain['n_voxels']} voxels" in ran.out
    assert "4 folds, whole groups left out" in ran.out
    assert scan.left_behind == ["found"]
    assert (found / "coef.png").read_bytes().startswith(b"\x89PNG")


def test_same_as_the_decoder(run, scan):
    from nilearn.image import index_img

    assert run(*scan.arguments("--standardize-runs", "--C", 2, "--subsets", 3)).code == 0
    kept = scan.y != "rest"
    decoder = FewestVoxels(
        SupportFeatureMachine(2.0), standardize="groups", n_subsets=3, random_state=0
    ).fit(index_img(str(scan.image), kept), scan.y[kept], groups=scan.runs[kept])
    for name in ("coef", "support", "ranking", "consistency", "mask"):
        written = nibabel.load(scan.folder / "found" / f"{name}.nii.gz")
        expected = getattr(decoder, f"{name}_img_")
        np.testing.assert_array_equal(written.get_fdata(), expected.get_fdata())
        np.testing.assert_array_equal(written.affine, AFFINE)
    validation = scan.result["trust"]["validation"]
    assert validation["balanced_error"] == decoder.error_
    assert validation["over_folds"]["balanced_error"]["sd"] == decoder.error_sd_
    subsets = scan.result["alternatives"]["subsets"]
    assert [len(one["columns"]) for one in subsets] == decoder.selector_.sizes_.tolist()


def test_several_files_and_plain_lists(run, scan):
    kept = np.flatnonzero(scan.y != "rest")
    files = [scan.folder / f"volume{number:02d}.nii" for number in kept]
    volumes = nibabel.four_to_three(nibabel.load(scan.image))
    for number, path in zip(kept, files, strict=True):
        nibabel.save(volumes[number], path)
    (scan.folder / "labels.txt").write_text("\n".join(scan.y[kept]))
    (scan.folder / "runs.txt").write_text("\n".join(map(str, scan.runs[kept])))
    arguments = ["--labels", scan.folder / "labels.txt", "--groups", scan.folder / "runs.txt"]
    one, two = scan.folder / "one", scan.folder / "found"
    assert run("brain", *files, *arguments, "--no-figures", "--no-report", "--out", one).code == 0
    assert run(*scan.arguments("--no-figures")).code == 0
    for name in MAPS:
        maps = [nibabel.load(folder / name).get_fdata() for folder in (one, two)]
        np.testing.assert_allclose(*maps)


def test_atlas(run, scan):
    atlas = np.ones((6, 5, 4), dtype=np.int16)
    atlas[2:4] = 5
    nibabel.save(nibabel.Nifti1Image(atlas, AFFINE), scan.folder / "atlas.nii.gz")
    (scan.folder / "names.txt").write_text("1 Frontal lobe\n5 Fusiform, middle\n")
    more = ["--atlas", scan.folder / "atlas.nii.gz", "--atlas-labels", scan.folder / "names.txt"]
    ran = run(*scan.arguments(*more, "--subsets", 1, "--no-figures"))
    assert ran.code == 0
    lines = (scan.folder / "found" / "regions.csv").read_text().splitlines()
    assert lines[1] == '5,"Fusiform, middle",0,1,0,0.0,1.0,0.0,40'
    assert "Fusiform, middle" in ran.out
    assert "100.0 % (1)" in ran.out


@pytest.mark.parametrize("names", ["Cortex\nFusiform\n", "Background\nCortex\nFusiform\n"])
def test_list_of_regions_with_and_without_the_background(run, scan, names):
    atlas = nibabel.Nifti1Image(np.full((6, 5, 4), 2, dtype=np.int16), AFFINE)
    nibabel.save(atlas, scan.folder / "atlas.nii.gz")
    (scan.folder / "names.txt").write_text(names)
    more = ["--atlas", scan.folder / "atlas.nii.gz", "--atlas-labels", scan.folder / "names.txt"]
    assert run(*scan.arguments(*more, "--subsets", 1, "--no-figures")).code == 0
    lines = (scan.folder / "found" / "regions.csv").read_text().splitlines()
    assert lines[1].startswith("2,Fusiform,")


def test_voxels_between_the_hemispheres_are_counted(run, scan):
    found = nibabel.load(scan.image)
    affine = AFFINE.copy()
    affine[0, 3] = 6.0  # x = 0 at the planted voxel
    nibabel.save(nibabel.Nifti1Image(found.get_fdata(), affine), scan.image)
    atlas = nibabel.Nifti1Image(np.ones((6, 5, 4), dtype=np.int16), affine)
    nibabel.save(atlas, scan.folder / "atlas.nii.gz")
    more = ["--atlas", scan.folder / "atlas.nii.gz", "--subsets", 1, "--no-figures"]
    lines = run(*scan.arguments(*more)).out.splitlines()
    place = next(number for number, line in enumerate(lines) if line.split()[:1] == ["region"])
    assert lines[place].split() == ["region", "left", "right", "midline"]
    assert lines[place + 1].split("  ")[-1].strip() == "100.0 % (1)"


def test_missing_atlas_is_found_before_the_work_starts(fails, scan, monkeypatch):
    monkeypatch.setattr(FewestVoxels, "_matrix", lambda *_: pytest.fail("the work has started"))
    message = fails(*changed(scan, atlas=["no.nii.gz"]))
    assert "atlas_img, no.nii.gz, does not exist" in message


def test_a_warning_of_nilearn_ends_with_one_full_stop(run, scan):
    mask = np.ones((6, 5, 4))
    mask[0] = np.nan
    nibabel.save(nibabel.Nifti1Image(mask, AFFINE), scan.folder / "mask.nii.gz")
    ran = run(*scan.arguments("--mask", scan.folder / "mask.nii.gz", "--no-figures"))
    assert ran.code == 0
    assert "Non-finite values detected" in ran.out
    assert ".." not in ran.out


def test_three_conditions(run, scan):
    arguments = [a for a in scan.arguments("--no-figures") if a not in ("--only", "face", "house")]
    ran = run(*arguments)
    assert ran.code == 0
    assert nibabel.load(scan.folder / "found" / "coef.nii.gz").shape == (6, 5, 4, 3)
    assert "coefficient face  coefficient house  coefficient rest" in ran.out


def test_informative_and_downsampled(run, scan):
    mask = nibabel.Nifti1Image(np.ones((6, 5, 4), dtype=np.int8), AFFINE)
    nibabel.save(mask, scan.folder / "mask.nii")
    more = ["--mask", scan.folder / "mask.nii", "--no-figures"]
    ran = run(*scan.arguments("--informative", "--downsample", 1, *more))
    assert ran.code == 0
    assert "(downsampled from 120)" in ran.out
    estimates = scan.result["informative"]["estimates"]
    assert len(estimates) >= 3
    assert "voxels that carry information" in ran.out
    for estimate in estimates:
        line = next(line for line in ran.out.splitlines() if estimate["rule"] in line)
        assert line.endswith(f" {100 * estimate['share']:.1f} %")
    assert scan.result["data"]["n_features"] == 3 * 3 * 2


def test_quiet(run, scan):
    ran = run(*scan.arguments("--quiet", "--no-figures"))
    error = scan.result["trust"]["validation"]["balanced_error"]
    assert ran.out == f"{error:.4f}\n"


def test_nothing_else_than_asked_for(run, scan):
    ran = run(*scan.arguments("--cv", 0, "--subsets", 0, "--no-figures"))
    assert ran.code == 0
    names = sorted(entry.name for entry in (scan.folder / "found").iterdir())
    assert names == ["coef.nii.gz", "mask.nii.gz", "result.json", "support.nii.gz"]
    assert scan.result["trust"]["validation"] is None
    assert scan.result["brain"]["left_out"] is None
    assert scan.result["alternatives"] is None
    assert "repetition" not in ran.out


def test_chosen_cost(run, scan):
    more = ["--method", "sfm-cv", "--C", 3, "--cv", 2, "--subsets", 0, "--no-figures"]
    ran = run(*scan.arguments(*more))
    assert ran.code == 0
    assert "Chosen C: " in ran.out
    assert "Note: --C is ignored: --method sfm-cv chooses C." in ran.out


def test_inseparable(fails, scan):
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(2, 2, 1, 48))
    nibabel.save(nibabel.Nifti1Image(noise, AFFINE), scan.image)
    mask = nibabel.Nifti1Image(np.ones((2, 2, 1), dtype=np.int8), AFFINE)
    nibabel.save(mask, scan.folder / "mask.nii")
    ran = fails(*scan.arguments("--C", "inf", "--mask", scan.folder / "mask.nii"), code=3)
    assert "no hyperplane on 4 voxels separates the conditions" in ran
    assert scan.left_behind == ["mask.nii"]


def test_folder_that_is_not_empty(run, fails, scan):
    (scan.folder / "found").mkdir()
    (scan.folder / "found" / "thesis.tex").write_text("years of work")
    assert "is not empty" in fails(*scan.arguments())
    message = fails(*scan.arguments("--overwrite"))
    assert "holds thesis.tex, which would be lost" in message
    assert (scan.folder / "found" / "thesis.tex").read_text() == "years of work"
    (scan.folder / "found" / "thesis.tex").unlink()
    assert run(*scan.arguments("--no-figures")).code == 0


def test_overwrite_replaces_an_earlier_result(run, fails, scan):
    assert run(*scan.arguments()).code == 0
    assert "add --overwrite" in fails(*scan.arguments())
    assert run(*scan.arguments("--overwrite", "--no-figures", "--subsets", 0)).code == 0
    names = sorted(entry.name for entry in (scan.folder / "found").iterdir())
    assert names == sorted([*(name for name in MAPS if "ranking" not in name), "result.json"])
    (scan.folder / "found" / "notes.txt").write_text("mine")
    assert "holds notes.txt, which would be lost" in fails(*scan.arguments("--overwrite"))
    assert scan.left_behind == ["found"]


FAILURES = [OSError("disk full"), KeyboardInterrupt()]


def fail_at(step, failure, monkeypatch):
    """Let one step of the command fail."""

    def fail(*_):
        raise failure

    monkeypatch.setattr(f"fewest.cli._brain.{step}", fail)


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("before", [False, True])
def test_failure_while_writing_leaves_nothing_behind(run, scan, monkeypatch, failure, before):
    if before:
        assert run(*scan.arguments("--no-figures")).code == 0
        old = (scan.folder / "found" / "result.json").read_text()
    fail_at("_write_maps", failure, monkeypatch)
    ran = run(*scan.arguments("--overwrite"))
    assert ran.code == (130 if isinstance(failure, KeyboardInterrupt) else 2)
    if isinstance(failure, OSError):
        assert "found could not be written: disk full." in ran.err
    assert scan.left_behind == (["found"] if before else [])
    if before:
        assert (scan.folder / "found" / "result.json").read_text() == old


@pytest.mark.parametrize("failure", FAILURES)
def test_failure_of_the_figures_loses_no_result(run, scan, monkeypatch, failure):
    fail_at("write_figures", failure, monkeypatch)
    ran = run(*scan.arguments())
    assert ran.code == (130 if isinstance(failure, KeyboardInterrupt) else 2)
    assert ran.out.count("Written: ") == 1
    assert scan.left_behind == ["found"]
    files = {entry.name for entry in (scan.folder / "found").iterdir()}
    assert files == set(scan.result["brain"]["files"])
    assert files > {"result.json"}
    assert not any(name.endswith(".png") for name in files)


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_a_full_disk_loses_no_result(run, scan, monkeypatch, quiet):
    fail_at("_write_maps", OSError(errno.ENOSPC, "No space left on device"), monkeypatch)
    ran = run(*scan.arguments("--json", scan.folder / "r.json", *quiet))
    assert ran.code == 1
    assert ran.out.startswith("0.") if quiet else "Selected: 1 of " in ran.out
    found = json.loads((scan.folder / "r.json").read_text())
    assert found["brain"]["voxels"]
    assert found["brain"]["files"] == []
    lost, *_, said, _ = ran.err[ran.err.index("fewest: not") :].splitlines()
    assert lost.startswith("fewest: not finished: the maps, the figures. What was found before is")
    assert lost.endswith("above and in " + str(scan.folder / "r.json") + ".")
    assert said.endswith("found could not be written: No space left on device.")
    assert scan.left_behind == ["r.json"]


@pytest.mark.parametrize("limit", ["--permutations", "--report-seconds"])
def test_limits_of_no_page(fails, scan, limit):
    assert "are for the page.\nLeave them out, or --no-report" in fails(*scan.arguments(limit, 3))


def test_folder_in_a_folder_that_does_not_exist(fails, scan):
    arguments = [*scan.arguments(), "--out", scan.folder / "nowhere" / "found"]
    assert "nowhere does not exist.\nName a folder inside one that exists" in fails(*arguments)


def test_folder_that_is_a_file(fails, scan):
    assert "is a file, not a folder" in fails(*scan.arguments(), "--out", scan.table)


@needs("/proc")
def test_folder_that_cannot_be_written(fails, scan):
    assert "nothing can be written to /proc" in fails(*scan.arguments(), "--out", "/proc/found")


@needs("POSIX signals")
def test_ctrl_c(tmp_path):
    """In the middle of the work: exit code 130, and nothing is left behind."""
    scan = write_scan(tmp_path, shape=(30, 30, 20))
    # The noise is told apart again and again until all voxels are used up.
    arguments = scan.arguments("--subsets", 1_000_000, "--cv", 0)
    process = subprocess.Popen(
        [sys.executable, "-m", "fewest", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A test run in the background ignores Ctrl-C, and its children would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    try:
        assert process.stdout.readline().startswith("Data")
        time.sleep(2.0)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 130
    assert errors == "fewest: interrupted\n"
    assert scan.left_behind == []


def test_face_and_house(run, real_file, tmp_path):
    """Real images: leave one run out."""
    labels = real_file("haxby_slice_attributes_literal.txt")
    ran = run(
        *["brain", real_file("haxby_slice_bold.nii.gz"), "--labels", labels, "--no-report"],
        *["--labels-column", 1, "--groups-column", 2, "--only", "face", "house"],
        *["--standardize-runs", "--out", tmp_path / "found"],
    )
    assert ran.code == 0
    result = json.loads((tmp_path / "found" / "result.json").read_text())
    assert result["trust"]["validation"]["n_folds"] == 12
    assert result["trust"]["validation"]["balanced_error"] < 0.1
    assert 2 <= len(result["brain"]["voxels"]) <= 5
    assert nibabel.load(tmp_path / "found" / "coef.nii.gz").shape == (40, 20, 1)


def test_help_does_not_load_nilearn(capsys):
    with pytest.raises(SystemExit):
        main(["brain", "--help"])
    assert "--standardize-runs" in capsys.readouterr().out
    code = "import sys; from fewest.cli._parser import build_parser; build_parser()\n"
    code += "print({'nilearn', 'nibabel', 'sklearn'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.parametrize("page", [False, True])
def test_images_are_masked_once_and_folds_run_once(run, scan, monkeypatch, page):
    """Fit, training error and page share one matrix; the page is handed the folds."""
    masked, fitted_to = [], []
    transform, fit = NiftiMasker.transform, SupportFeatureMachine.fit

    def count_masking(self, *arguments, **settings):
        masked.append(self)
        return transform(self, *arguments, **settings)

    def count_fit(self, X, y, *arguments, **settings):
        if self.C == 2.0:  # the diagnosis asks whether a machine without errors does better
            fitted_to.append(list(y))
        return fit(self, X, y, *arguments, **settings)

    monkeypatch.setattr(NiftiMasker, "transform", count_masking)
    monkeypatch.setattr(SupportFeatureMachine, "fit", count_fit)
    arguments = scan.arguments("--no-figures")
    if page:
        arguments = [a for a in arguments if a != "--no-report"] + ["--report-seconds", 1e-9]
    ran = run(*arguments)
    assert ran.code == 0, ran.err
    assert len(masked) == 1
    # Permuted classes have folds of their own; those of the true ones leave out 8 volumes each.
    assert fitted_to.count(["face", "house"] * 12) == 4
    assert len(scan.result["trust"]["validation"]["true"]) == 32


def test_nothing_selected(run, scan):
    ran = run(*scan.arguments("--method", "liknon", "--C", 1e-6))
    assert ran.code == 0, ran.err
    assert "None: a training error is cheaper than a voxel. Raise --C." in ran.out
    assert "Note: Warning: in a fold: no feature was selected" in ran.out
    assert scan.result["brain"]["voxels"] == []
    assert scan.result["alternatives"] is None


@pytest.mark.usefixtures("little_work")
def test_report_is_a_page_with_maps(run, scan):
    arguments = [a for a in scan.arguments("--no-figures") if a != "--no-report"]
    ran = run(*arguments)
    assert ran.code == 0, ran.err
    page = (scan.folder / "found" / "report.html").read_text(encoding="utf-8")
    assert '<section id="maps"' in page
    assert len(page.encode()) < 3_000_000
    assert "report.html" in scan.result["brain"]["files"]
    assert "report.html" in ran.out


def test_a_page_that_cannot_be_made_is_refused_before_the_images_are_read(run, scan, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    ran = run(*[a for a in scan.arguments() if a != "--no-report"])
    assert ran.code == 2
    assert 'pip install "fewest[report]"' in ran.err
    assert "Or leave the page out with --no-report." in ran.err
    assert not (scan.folder / "found").exists()


def test_json_comes_alone(run, scan):
    ran = run(*scan.arguments("--no-figures", "--json", "-"))
    assert ran.code == 0
    assert ran.json == scan.result


def test_noise_claims_nothing(run, scan):
    image = nibabel.load(scan.image)
    noise = np.random.default_rng(1).normal(100.0, 1.0, size=image.shape)
    nibabel.save(nibabel.Nifti1Image(noise, AFFINE), scan.image)
    ran = run(*scan.arguments("--quiet", "--no-figures"))
    assert ran.code == 0
    assert ran.err.startswith("Not shown to be better than chance: ")
    assert "Better than" not in ran.out + ran.err
