"""`fewest rank`: table, CSV and JSON of disjoint subsets."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from fewest import Liknon, RepetitiveSelector, SupportFeatureMachine, ZeroNormSVM
from fewest.repetition import selector as module
from tests.tables.samples import NAMES, three_classes, two_classes, write_csv


@pytest.fixture
def data(tmp_path):
    return write_csv(tmp_path / "data.csv", *two_classes(shift=2.0))


@pytest.fixture
def rank(run, data):
    def call(*arguments):
        return run("rank", data, "--target", "group", *arguments)

    return call


@pytest.mark.filterwarnings("ignore:no feature was selected")
@pytest.mark.parametrize(
    ("arguments", "machine"),
    [
        ((), SupportFeatureMachine(C=np.inf, refit=None)),
        (("--C", 1), SupportFeatureMachine(C=1.0, refit=None)),
        (("--C", 1, "--refit", "margin"), SupportFeatureMachine(C=1.0)),
        (("--method", "weston"), ZeroNormSVM()),
        (("--method", "liknon"), Liknon(class_weight="balanced")),
    ],
)
def test_agrees_with_the_selector(rank, arguments, machine):
    report = rank(*arguments, "--subsets", 5, "--json", "-").json
    selector = RepetitiveSelector(machine, n_subsets=5).fit(*two_classes(shift=2.0))
    found = report["alternatives"]
    assert found["stop_reason"] == selector.stop_reason_
    assert found["n_remaining"] == len(selector.remaining_)
    assert found["ranking"] == [place + 1 for place in selector.ranking_]
    for place, subset in enumerate(found["subsets"]):
        columns = selector.subsets_[place]
        assert subset["number"] == place + 1
        assert subset["columns"] == columns.tolist()
        assert subset["features"] == [NAMES[column] for column in columns]
        assert subset["coefficients"][0] == pytest.approx(selector.coefs_[place])
        assert subset["intercepts"] == pytest.approx([selector.intercepts_[place]])
        assert subset["training_error"] == selector.training_errors_[place]
        assert subset["objective"] == pytest.approx(selector.objectives_[place])
        assert 0 <= subset["relative_gap"] < 1e-6


def test_table_and_names(rank):
    ran = rank("--C", 2, "--subsets", 3)
    lines = ran.out.splitlines()
    assert ran.code == 0
    assert any(line.split()[:3] == ["gene_4,", "gene_17", "1"] for line in lines)
    assert "The search ended: as many subsets as --subsets asks for." in ran.out
    names = rank("--C", 2, "--subsets", 3, "--quiet").out.split()
    assert names[:2] == ["gene_4", "gene_17"]
    assert len(names) == len(set(names))


def test_csv_has_a_row_a_feature(rank, tmp_path):
    ran = rank("--csv", tmp_path / "out.csv", "--json", tmp_path / "out.json")
    assert f"Written: {tmp_path / 'out.csv'}" in ran.out
    report = json.loads((tmp_path / "out.json").read_text())
    with open(tmp_path / "out.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    expected = [
        (str(place), str(subset["number"]), name, str(column))
        for place, subset in enumerate(_ranked(report), start=1)
        for name, column in zip(subset["features"], subset["columns"], strict=True)
    ]
    assert expected == [
        (row["rank"], row["repetition"], row["feature"], row["column"]) for row in rows
    ]
    # Weights are for features divided by their standard deviations.
    deviations = np.std(two_classes(shift=2.0)[0], axis=0)
    weights = [
        coefficient * deviations[column]
        for subset in _ranked(report)
        for column, coefficient in zip(subset["columns"], subset["coefficients"][0], strict=True)
    ]
    np.testing.assert_allclose([float(row["weight"]) for row in rows], weights)


def _ranked(report):
    found = report["alternatives"]
    return [found["subsets"][number - 1] for number in found["ranking"]]


def test_more_than_two_classes(run, tmp_path):
    data = write_csv(tmp_path / "three.csv", *three_classes())
    ran = run(
        "rank", data, "--target", "group", "--C", 1, "--subsets", 2, "--jobs", 2,
        "--csv", tmp_path / "out.csv",
    )  # fmt: skip
    assert ran.code == 0
    assert "Classes   1 (15), 2 (15), 3 (15)\n" in ran.out
    header, *rows = (tmp_path / "out.csv").read_text().splitlines()
    assert header.endswith("column,weight 1,weight 2,weight 3")
    selector = RepetitiveSelector(SupportFeatureMachine(C=1), n_subsets=2).fit(*three_classes())
    columns = {int(row.split(",")[5]) for row in rows}
    assert columns == set(np.concatenate(selector.subsets_).tolist())


def test_checkpoint_goes_on_and_refuses_other_settings(rank, tmp_path):
    kept = tmp_path / "kept"
    first = rank("--C", 1, "--subsets", 2, "--checkpoint", kept, "--json", "-").json
    longer = rank("--C", 1, "--subsets", 5, "--checkpoint", kept, "--json", "-").json
    fresh = rank("--C", 1, "--subsets", 5, "--json", "-").json
    assert longer["alternatives"] == fresh["alternatives"]
    assert longer["alternatives"]["subsets"][:2] == first["alternatives"]["subsets"]
    other = rank("--C", 2, "--checkpoint", kept)
    assert other.code == 2
    assert "--checkpoint: the checkpoint folder" in other.err
    assert "differs in its parameter C (there 1.0, here 2.0)" in other.err


def test_interrupt_reports_what_is_there(rank, monkeypatch, tmp_path):
    class Interrupted(module.Progress):
        def advance(self, amount, *, note=""):
            raise KeyboardInterrupt

    monkeypatch.setattr(module, "Progress", Interrupted)
    ran = rank("--C", 2, "--csv", tmp_path / "out.csv")
    assert ran.code == 130
    assert "The search ended: interrupted." in ran.out
    assert "fewest: interrupted" in ran.err
    assert (tmp_path / "out.csv").read_text().count("\n") == 3


def test_limits(rank):
    few = rank("--C", 2, "--min-features", 25, "--json", "-").json
    assert few["alternatives"]["stop_reason"] == "features used up"
    strict = rank("--C", 5, "--refit", "margin", "--max-training-error", 0.05, "--json", "-").json
    assert strict["alternatives"]["stop_reason"] == "training error"
    assert all(subset["training_error"] <= 0.05 for subset in _ranked(strict))


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--subsets", 0), 2, "must be 1 or more, not '0'"),
        (("--max-training-error", 2), 2, "must be a number from 0 to 1, not '2'"),
        (("--method", "liknon", "--C", "inf"), 2, "--method liknon needs a finite --C"),
        (("--method", "sfm-cv"), 2, "invalid choice: 'sfm-cv'"),
        (("--csv", "nowhere/out.csv"), 2, "--csv nowhere/out.csv: the folder"),
        (
            ("--C", 1, "--max-training-error", 0),
            2,
            "above --max-training-error 0: allow more, or take a larger C than --C 1, or take "
            "--refit margin\n",
        ),
        (
            ("--C", 1, "--refit", "margin", "--max-training-error", 0),
            2,
            "above --max-training-error 0: allow more, or take a larger C than --C 1\n",
        ),
    ],
)
def test_errors(rank, arguments, code, message):
    ran = rank(*arguments)
    assert ran.code == code
    assert message in ran.err


def test_inseparable_data(run, tmp_path):
    X, y = two_classes(shift=0.2)
    data = write_csv(tmp_path / "few.csv", X[:, :5], y, NAMES[:5])
    ran = run("rank", data, "--target", "group")
    assert ran.code == 3
    assert "for example --C 1" in ran.err


def test_results_must_not_replace_the_data_or_each_other(rank, data, tmp_path):
    assert "would replace the data" in rank("--csv", data).err
    same = tmp_path / "same"
    assert "name the same file" in rank("--csv", same, "--json", same).err


def test_a_limit_that_no_larger_C_can_keep(run, tmp_path):
    """The hard machine leaves samples on the hyperplane; the one with the largest margin none."""
    X, names = np.random.default_rng(0).standard_normal((40, 40)), [f"g{j}" for j in range(40)]
    path = write_csv(tmp_path / "wide.csv", X, np.arange(40) % 2, names)
    asked = ("rank", path, "--target", "group", "--max-training-error", 0, "--subsets", 1)
    ran = run(*asked)
    assert ran.code == 2
    assert ran.err.endswith("above --max-training-error 0: allow more, or take --refit margin\n")
    assert run(*asked, "--refit", "margin").code == 0
