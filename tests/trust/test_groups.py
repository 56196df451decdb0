"""Noise whose labels belong to patients: nothing is claimed; verdicts are about held-out errors."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from fewest import SupportFeatureMachine
from fewest._estimators.splits import count_smaller
from fewest.diagnostics import diagnose
from fewest.panels import panel_report
from fewest.report import make_report
from fewest.report._wording import separability_meaning
from fewest.significance import (
    compare_methods,
    run_held_out,
    subset_separability_bounds,
)

# Seeds on which an interval that counts samples, even one of 99.9 %, ends below guessing.
CLAIMED = [(8, 10, 16), (8, 10, 26)]
CLAIMED += [(12, 5, 10), (12, 5, 32), (12, 5, 37), (12, 5, 46)]
GUESSING = 0.5


def make_noise(n_patients, size, seed):
    """Patients differ, and their classes are drawn without a look at them."""
    rng = np.random.default_rng([seed, n_patients])
    patients = np.repeat(np.arange(n_patients), size)
    X = rng.standard_normal((n_patients, 30))[patients]
    X += 0.5 * rng.standard_normal((len(patients), 30))
    return X, patients % 2, patients


def make_signal(n_patients, size):
    X, y, patients = make_noise(n_patients, size, 0)
    X[:, 0] += 8.0 * y
    return X, y, patients


def make_misleading():
    """One feature separates all samples; without a run, another one does, and errs in that run."""
    rng = np.random.default_rng(0)
    y, runs = np.arange(24) % 2, np.arange(24) // 6
    sign = 2.0 * y - 1.0
    X = rng.standard_normal((24, 12))
    X[:, 0] = sign * np.abs(X[:, 0])
    for run in range(4):
        X[:, run + 1] = np.where(runs == run, -sign, sign) + 0.01 * X[:, run + 1]
    return X, y, runs


def write(path, X, y, patients):
    names = [f"g{place}" for place in range(X.shape[1])]
    lines = [",".join(["patient", "group", *names])]
    for patient, label, row in zip(patients, y, X, strict=True):
        lines.append(",".join([f"p{patient}", "ab"[label], *(f"{value:.6g}" for value in row)]))
    path.write_text("\n".join(lines) + "\n")
    return path


def judge(X, y, patients, **asked):
    asked = {"parts": ("validation",), **asked}
    return make_report(SupportFeatureMachine().fit(X, y), X, y, groups=patients, **asked).content


def agree(content):
    """The verdict claims what the interval beside the error leaves no doubt of, and only that."""
    found = content.trust.validation
    if found.balanced_interval is None:
        return content.verdict.status == "not tested" and found.no_interval in content.verdict.text
    says = content.verdict.status == "better"
    return says == (found.balanced_interval.high < GUESSING)


@pytest.mark.parametrize(("n_patients", "size", "seed"), CLAIMED)
def test_noise_of_patients_is_never_called_better(n_patients, size, seed):
    content = judge(*make_noise(n_patients, size, seed))
    assert content.trust.validation.balanced_error < 0.35  # as if there were something
    assert content.verdict.status != "better"
    assert agree(content)


def test_nor_by_the_command(run, tmp_path):
    for place, (n_patients, size, seed) in enumerate((CLAIMED[0], CLAIMED[2])):
        path = write(tmp_path / f"{place}.csv", *make_noise(n_patients, size, seed))
        where = tmp_path / f"{place}.json"
        ran = run("select", path, "--target", "group", "--groups", "patient", "--json", where)
        assert ran.code == 0, ran.err
        assert "Better than" not in ran.out + ran.err
        found = json.loads(where.read_text())
        assert found["verdict"]["status"] != "better"
        interval = found["trust"]["validation"]["balanced_interval"]
        assert interval["high"] >= GUESSING


def test_few_noise_sets_are_called_better():
    """Twenty data sets; five of a hundred are allowed."""
    claims = 0
    for seed in range(20):
        X, y, patients = make_noise(8, 5, seed)
        held_out = run_held_out(SupportFeatureMachine(), X, y, groups=patients)
        content = judge(X, y, patients, parts=(), held_out=held_out)
        claims += content.verdict.status == "better"
        assert agree(content)
    assert claims <= 3  # four or more: p = 0.016


@pytest.mark.slow
def test_benchmark_of_verdicts_keeps_its_promise():
    from benchmarks.verdict import DESIGNS, find_faults, run_design

    tried = ("8 groups of 10", "12 groups of 5", "both in 20 groups of 4")
    found = {one.name: run_design(one, 60, 0, 1) for one in DESIGNS if one.name in tried}
    assert len(found) == len(tried)
    assert find_faults(found) == []


def test_a_signal_of_eight_patients_is_called_better_and_no_more():
    content = judge(*make_signal(8, 10))
    assert content.verdict.status == "better"
    assert agree(content)
    said = "8 groups of one class each allow 70 labellings, so no p-value can be below 1/35"
    assert said in content.verdict.text


def test_large_groups_of_one_class_are_not_exchanged_for_small_ones():
    """By whole groups, few permutations do as well; but errors of small groups vary more."""
    rng = np.random.default_rng(19)
    sizes = [20] * 4 + [2] * 8
    patients, y = np.repeat(np.arange(12), sizes), np.repeat([0] * 4 + [1] * 8, sizes)
    X = rng.standard_normal((12, 10))[patients] + 0.5 * rng.standard_normal((96, 10))
    parts = ("validation", "permutation")
    content = judge(X, y, patients, parts=parts, n_permutations=39, random_state=0)
    assert content.trust.permutation.of_error.p_value <= 0.05
    assert content.verdict.status == "not shown"
    assert "Groups of the classes differ much in size" in content.verdict.text
    assert agree(content)


def test_six_patients_allow_no_claim_whatever_the_error():
    content = judge(*make_signal(6, 10))
    assert content.trust.validation.balanced_error == 0.0
    assert content.trust.validation.balanced_interval is None
    assert content.verdict.status == "not tested"
    assert "20 ways only, so no p-value can be below 1/10" in content.verdict.text


def test_all_labellings_of_eight_patients_are_tried():
    X, y, patients = make_signal(8, 4)
    parts = ("validation", "permutation")
    content = judge(X[:, :5], y, patients, parts=parts, n_permutations=99)
    found = content.trust.permutation
    assert found.n_permutations == 69  # all but the true one
    (of_error,) = [one for one in found.comparisons if one.statistic == "error"]
    assert of_error.p_value == pytest.approx(1 / 35)
    assert content.verdict.status == "better"
    assert "no p-value can be below 1/35" in content.verdict.text


def test_folds_that_part_a_block_are_no_evidence():
    """Blocks whose samples are in training and left out: their errors are too small."""
    X, y, blocks = make_noise(10, 10, 0)
    content = make_report(
        SupportFeatureMachine().fit(X, y),
        X,
        y,
        blocks=blocks,
        parts=("validation",),
        random_state=0,
    ).content
    assert content.trust.validation.balanced_error < 0.3
    assert content.trust.validation.balanced_interval is None
    assert content.verdict.status == "not tested"
    assert "both in training and left out" in content.verdict.text


@pytest.fixture(scope="module")
def tested():
    """A page with a permutation test whose statistics disagree."""
    X, y, runs = make_misleading()
    return make_report(
        SupportFeatureMachine(C=np.inf).fit(X, y),
        X,
        y,
        groups=runs,
        parts=("validation", "permutation"),
        n_permutations=59,
        random_state=0,
    )


def test_worse_than_guessing_is_never_better(tested):
    """The features are few by chance, the error is large: the verdict is about the error."""
    content = tested.content
    statistics = {one.statistic: one for one in content.trust.permutation.comparisons}
    assert statistics["features"].p_value < 0.02
    assert content.trust.validation.balanced_error >= GUESSING
    assert content.verdict.status == "not shown"
    assert "By the number of features" in content.verdict.text


def test_p_values_name_their_statistic(tested):
    shown = " ".join(re.sub(r"<[^>]+>", " ", tested.html).replace("&nbsp;", " ").split())
    found = tested.content.trust.permutation
    for one in found.comparisons:
        assert f"p = {one.p_value:.2g} for {one.name}" in shown
    assert "By the balanced error on samples left out" in shown
    for text in re.findall(r"[^.]*did as well[^.]*\.", shown):
        assert "error" in text or "by that number" in text, text  # whichever it is, it is said


@pytest.mark.parametrize("grouped", [True, False])
def test_images_that_follow_each_other_are_never_called_better(run, tmp_path, grouped):
    """Neighbouring volumes of a block are alike, so folds that part blocks find any labels."""
    nibabel = pytest.importorskip("nibabel")
    pytest.importorskip("nilearn")
    rng, images = np.random.default_rng(0), []
    for _ in range(4):  # runs
        image = rng.standard_normal((3, 3, 3))
        for _ in range(20):
            image = 0.97 * image + np.sqrt(1 - 0.97**2) * rng.standard_normal((3, 3, 3))
            images.append(image)
    data = 100.0 + np.stack(images, axis=-1).astype("f4")
    nibabel.save(nibabel.Nifti1Image(data, np.eye(4)), tmp_path / "bold.nii")
    mask = nibabel.Nifti1Image(np.ones((3, 3, 3), np.uint8), np.eye(4))
    nibabel.save(mask, tmp_path / "mask.nii")
    labels = np.where(np.arange(80) // 10 % 2, "face", "house")
    (tmp_path / "labels.txt").write_text("\n".join(labels))
    (tmp_path / "runs.txt").write_text("\n".join(str(number // 20) for number in range(80)))
    command = ["brain", tmp_path / "bold.nii", "--labels", tmp_path / "labels.txt", "--no-report"]
    command += ["--mask", tmp_path / "mask.nii", "--no-figures", "--out", tmp_path / "found"]
    ran = run(*command, *(["--groups", tmp_path / "runs.txt"] if grouped else ["--seed", 0]))
    assert ran.code == 0, ran.err
    assert "Better than" not in ran.out
    expected = "Not shown to be better" if grouped else "one block were both in training and left"
    assert expected in ran.out
    if not grouped:  # volumes in files of their own, or taken for independent ones
        files = []
        for place, image in enumerate(images):
            files.append(tmp_path / f"{place:02d}.nii")
            nibabel.save(nibabel.Nifti1Image(100.0 + image.astype("f4"), np.eye(4)), files[-1])
        for given in (files, [tmp_path / "bold.nii", "--permute", "volumes"]):
            ran = run("brain", *given, *command[2:], "--overwrite", "--seed", 0)
            assert ran.code == 0, ran.err
            assert "Not tested against chance: neighbouring volumes are alike" in ran.out


@pytest.mark.parametrize("n_permutations", [5, 19])
def test_few_permutations_claim_nothing_about_informative_features(run, tmp_path, n_permutations):
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((30, 6)), np.arange(30) % 2
    X[:, 0] += 4.0 * y
    path = write(tmp_path / "data.csv", X, y, np.arange(30))
    asked = ["--drop", "patient", "--every", 1, "--cv", 3, "--permutations", n_permutations]
    ran = run("informative", path, "--target", "group", *asked)
    assert ran.code == 0, ran.err
    claims = "Better than chance" in ran.out
    assert claims == (n_permutations == 19)  # the smallest p-value is 1/20
    assert claims or "Not tested against chance: too few permutations" in ran.out


def test_differences_of_methods_count_patients():
    X, y, patients = make_noise(6, 10, 0)
    given = {"groups": patients, "random_state": 0}
    found = compare_methods(SupportFeatureMachine(), X, y, ["t-test"], **given)
    for one in found.methods:
        assert one.interval is None
        assert one.difference_interval is None
        assert one.p_value is None


FEW = {"n_repeats": 1, "n_random": 0, "n_stand_ins": 0, "best": False, "n_permutations": 1}


def test_a_panel_on_noise_of_other_patients_is_seldom_called_better():
    """The second data are of patients with several samples: these count, not the samples."""
    covered = claims = n_runs = 0
    for seed in range(40):
        X, y, patients = make_noise(12, 6, seed)
        second, labels, others = make_noise(8, 10, 1000 + seed)
        given = {"against": (second, labels), "against_groups": others, "chosen_elsewhere": True}
        found = panel_report(X, y, [0, 1], groups=patients, random_state=0, **given, **FEW).against
        assert found.n_groups == 8
        interval = found.as_fitted.interval
        claims += interval.high < GUESSING
        covered += interval.low <= GUESSING <= interval.high
        n_runs += 1
    assert covered >= 0.85 * n_runs
    assert claims <= 4  # five or more of 40 at 2.5 %: p = 0.003


def test_the_second_table_of_the_command_has_groups(run, tmp_path):
    first = write(tmp_path / "first.csv", *make_noise(12, 5, 0))
    second = write(tmp_path / "second.csv", *make_noise(8, 10, 1))
    plain = ["panel", first, "--target", "group", "--features", "g0,g1", "--chosen-elsewhere"]
    plain += ["--groups", "patient", "--random", 0, "--stand-ins", 0, "--permutations", 9]
    ran = run(*plain, "--against", second, "--json", tmp_path / "found.json")
    assert ran.code == 0, ran.err
    assert "Second data set, 80 samples in 8 groups" in ran.out
    found = json.loads((tmp_path / "found.json").read_text())["panel"]["against"]
    assert found["n_groups"] == 8
    interval = found["as_fitted"]["interval"]
    assert interval["high"] - interval["low"] > 0.4  # 80 samples would give 0.22 at the most


def test_a_second_table_whose_ids_repeat_is_refused_without_groups(run, tmp_path):
    X, y, patients = make_noise(12, 5, 0)
    first = write(tmp_path / "first.csv", X, y, np.arange(60))
    second = write(tmp_path / "second.csv", X, y, patients)
    plain = ["panel", first, "--target", "group", "--features", "g0,g1", "--chosen-elsewhere"]
    plain += ["--drop", "patient", "--random", 0, "--stand-ins", 0, "--permutations", 9]
    ran = run(*plain, "--against", second)
    assert ran.code == 2
    assert "second.csv: the values of 'patient' repeat" in ran.err
    assert "See --against-groups patient" in ran.err
    ran = run(*plain, "--against", second, "--against-groups", "patient")
    assert ran.code == 0, ran.err
    assert "in 12 groups" in ran.out
    ran = run(*plain, "--against", second, "--against-groups", "patent")
    assert ran.code == 2
    assert "--against-groups" in ran.err
    assert run(*plain, "--against-groups", "patient").code == 2


def test_theory_of_separability_counts_one_sample_of_each_group():
    X, y, patients = make_signal(40, 3)
    machine = SupportFeatureMachine(C=np.inf).fit(X, y)
    content = make_report(machine, X, y, groups=patients, parts=("validation",)).content
    known = {"intercept": True, "n_smaller": 20}
    bounds = subset_separability_bounds(40, 30, content.answer.n_selected, **known)
    found = content.trust.separability
    assert found.points[content.answer.n_selected - 1].log10_upper == bounds.log_upper / np.log(10)
    assert "separate one sample of each of 40 groups" in separability_meaning(content)
    asked = {"exchange": "whole", "n_permutations": 9, "cv": 2, "random_state": 0}
    diagnosis = diagnose(X, y, groups=patients, **asked)
    assert diagnosis.bounds.n == 40
    said = " ".join(str(diagnosis).split())
    assert "one sample of each of the 40 groups" in said
    assert "separate 120 samples" not in said
    alone = make_report(machine, X, y, parts=("validation",)).content
    assert "120 samples with shuffled classes" in separability_meaning(alone)


def test_theory_counts_the_groups_of_the_smaller_class():
    """Half of the samples, but in two of twelve groups: these are separated easily."""
    y = np.repeat([0, 1], 60)
    patients = np.concatenate([np.repeat([0, 1], 30), 2 + np.repeat(np.arange(10), 6)])
    assert count_smaller(y, patients, None) == 2
    assert count_smaller(y, None) == 60
    assert count_smaller(y, np.arange(120) // 2) == 30
    X = np.random.default_rng(0).standard_normal((120, 30))
    found = diagnose(X, y, groups=patients, exchange="whole", n_permutations=9, cv=2)
    assert found.bounds.upper > 0.5
