"""A noise data set through every command: none claims anything, and each says so first."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.tables.samples import two_classes, write_csv

# No word of these may stand without a "not" before it where the data are noise.
CLAIM = re.compile(r"(?<!be )\b[Bb]etter than (chance|guessing)|differ by more than chance")
FIRST = re.compile(
    r"^(Not shown to be better|Not tested against chance|Nothing can be concluded)", re.M
)
COMMANDS = {
    "select": [],
    "select hard": ["--C", "inf", "--cv", 0],
    "select many": ["--max-features", "1-4"],
    "rank": ["--subsets", 3],
    "minimum": ["--max-seconds", 1],
    "path": ["--values", 5],
    "informative": ["--every", 2, "--permutations", 20, "--cv", 3],
    "panel": ["--features", "n3,n5", "--permutations", 19, "--random", 5, "--repeats", 1],
    "diagnose": ["--permutations", 19],
}
# It makes its own data; it writes a script for the shell.
OTHERS = {"demo", "completion"}


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    """Features that have nothing to do with the classes."""
    path = tmp_path_factory.mktemp("noise") / "noise.npz"
    X = np.random.default_rng(2).standard_normal((40, 60))
    names = [f"n{j}" for j in range(60)]
    np.savez(path, X=X, y=np.repeat(["ill", "well"], 20), feature_names=names)
    return path


def check_no_claim(text):
    assert not CLAIM.search(text), CLAIM.search(text)


@pytest.mark.parametrize("command", COMMANDS)
def test_noise_claims_nothing(run, noise, command):
    ran = run(command.split()[0], noise, *COMMANDS[command])
    assert ran.code == 0, ran.err
    check_no_claim(ran.out + ran.err)
    first = ran.out.split("\n\n")[1] if command != "diagnose" else ran.out
    assert FIRST.search(first), first


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "diagnose"])
def test_quiet_says_it_on_standard_error(run, noise, command):
    ran = run(command.split()[0], noise, *COMMANDS[command], "--quiet")
    assert ran.code == 0, ran.err
    check_no_claim(ran.out + ran.err)
    assert FIRST.match(ran.err), ran.err
    assert ran.err.count("\n") == 1
    assert "chance" not in ran.out
    if command == "informative":
        assert ran.out == "nan\n"


def test_quiet_diagnosis_is_the_sentence(run, noise):
    ran = run("diagnose", noise, *COMMANDS["diagnose"], "--quiet")
    assert (ran.out, ran.err) == ("Nothing can be concluded from these data.\n", "")


def test_noise_predicted_by_a_model_of_noise(run, noise, tmp_path):
    """`predict` counts errors where classes are given; it says nothing beyond them."""
    model = tmp_path / "noise.fewest"
    assert run("select", noise, "--cv", 0, "--model", model, "--quiet").code == 0
    ran = run("predict", model, noise, "--target", "y", "--out", tmp_path / "out.csv")
    assert ran.code == 0, ran.err
    check_no_claim(ran.out + ran.err)


def test_images_of_noise(run, tmp_path):
    nibabel = pytest.importorskip("nibabel")
    pytest.importorskip("nilearn")
    data = np.random.default_rng(3).normal(100.0, 3.0, (4, 4, 4, 40)).astype("f4")
    nibabel.save(nibabel.Nifti1Image(data, np.diag([3.0, 3, 3, 1])), tmp_path / "bold.nii")
    (tmp_path / "labels.txt").write_text("face\nhouse\n" * 20)
    command = ["brain", tmp_path / "bold.nii", "--labels", tmp_path / "labels.txt", "--no-report"]
    ran = run(*command, "--no-figures", "--out", tmp_path / "found")
    assert ran.code == 0, ran.err
    check_no_claim(ran.out + ran.err)
    assert FIRST.search(ran.out), ran.out


def test_every_command_is_here(run):
    with pytest.raises(SystemExit):
        run("--help")
    # What the parser itself offers, by its own complaint about a command that is none.
    offered = set(re.findall(r"'?(\w+)'?(?=[,)])", run_unknown(run)))
    tried = {name.split()[0] for name in COMMANDS} | {"predict", "brain"}
    assert offered == tried | OTHERS


def run_unknown(run):
    ran = run("nothing-of-that-name")
    assert ran.code == 2
    return ran.err.partition("(")[2]


def test_signal_is_said_to_be_better(run, tmp_path):
    table = write_csv(tmp_path / "table.csv", *two_classes())
    ran = run("select", table, "--target", "group", "--quiet")
    assert ran.err.startswith("Better than guessing: balanced error on samples left out")
    assert "gene_4" in ran.out.splitlines()
    assert "Better" not in ran.out


def test_the_best_calibrated_estimate_comes_first(run, tmp_path):
    # 12 of 200 features carry information: the papers' rule is an upper limit.
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.standard_normal((60, 200))
    X[:, :12] += 1.5 * y[:, None]
    np.savez(tmp_path / "data.npz", X=X, y=y)
    command = ["informative", tmp_path / "data.npz", "--every", 2, "--permutations", 10, "--cv", 3]
    ran = run(*command, "--quiet")
    assert float(ran.out) < 0.2  # the papers' rule: 0.9 and more
    assert "(the papers' rule); an upper limit" in run(*command).out
