"""What the command makes of the reader: notes, refusals, and the option that would help."""

from __future__ import annotations

import sys

import numpy as np
import pandas
import pytest
from tables.samples import NAMES, two_classes, write_csv


@pytest.fixture
def frame():
    X, y = two_classes()
    return pandas.DataFrame(X, columns=NAMES).assign(group=y)


def test_missing_file(refused, tmp_path):
    message = refused(tmp_path / "nothing.csv", "--target", "group")
    assert "does not exist" in message
    assert "See --" not in message


def test_without_pandas(refused, table, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert 'needs pandas: pip install "fewest[cli]"' in refused(table, "--target", "group")


def test_target_not_given(refused, table):
    message = refused(table)
    assert "the last one is: group. See --target COLUMN." in message


def test_target_not_in_npz(refused, tmp_path):
    np.savez(tmp_path / "table.npz", X=np.eye(2), labels=[0, 1])
    assert "the classes (target). See --target COLUMN." in refused(tmp_path / "table.npz")


def test_drop_of_the_target(refused, table):
    message = refused(table, "--target", "group", "--drop", "group")
    assert "would leave out the class column itself. See --drop COLUMN." in message


@pytest.mark.parametrize(
    ("value", "message"),
    [(np.nan, "1 missing cell"), (np.inf, "1 infinite value"), ("?", "(drop 'gene_3')")],
)
def test_cells_that_are_no_numbers(refused, tmp_path, frame, value, message):
    frame["gene_3"] = [value, *frame["gene_3"][1:]]
    frame.to_csv(tmp_path / "table.csv", index=False)
    shown = refused(tmp_path / "table.csv", "--target", "group")
    assert message in shown
    assert shown.endswith("See --drop COLUMN.\n")


def test_no_features(refused, tmp_path, frame):
    frame[["group"]].to_csv(tmp_path / "table.csv", index=False)
    message = refused(tmp_path / "table.csv", "--target", "group")
    assert "what is left out. See --drop COLUMN." in message


def test_constant_features(run, tmp_path):
    path = write_csv(tmp_path / "flat.csv", np.ones((4, 2)), np.array(list("abab")), ["u", "v"])
    ran = run("select", path, "--target", "group")
    assert ran.code == 2
    assert "are constant" in ran.err


def test_column_without_a_name_is_left_out_and_noted(run, tmp_path):
    X, y = two_classes()
    frame = pandas.DataFrame(X, columns=NAMES).assign(group=y)
    frame.to_csv(tmp_path / "index.csv")
    ran = run("select", tmp_path / "index.csv", "--target", "group", "--cv", 0)
    assert "Left out, because it has no name: column 1" in ran.out
    assert "40 samples, 30 features" in ran.out


def test_running_number_is_noted(run, tmp_path):
    X, y = two_classes()
    X[:, 0] = np.arange(1, 41)
    path = write_csv(tmp_path / "numbered.csv", X, y, ["patient", *NAMES[1:]])
    ran = run("select", path, "--target", "group", "--cv", 0)
    assert "'patient' just counts the rows" in ran.out
    assert "leave it out with --drop" in ran.out


def test_npz_needs_no_pandas(run, tmp_path, monkeypatch):
    X, y = two_classes()
    np.savez(tmp_path / "table.npz", X=X, y=y, feature_names=NAMES)
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert run("select", tmp_path / "table.npz", "--cv", 0).code == 0
