"""Some of the classes, or one against the rest."""

import numpy as np
import pytest

from fewest.tables import InputError, read_table
from fewest.tables._narrow import keep_classes, oppose_rest
from tests.cli.conftest import run as run
from tests.tables.samples import three_classes, write_csv


@pytest.fixture
def table(tmp_path):
    return read_table(write_csv(tmp_path / "three.csv", *three_classes()), "group")


def test_some_of_the_classes(table):
    X, y = three_classes()
    kept = keep_classes(table, ["3", "1"])
    np.testing.assert_array_equal(kept.X, X[y != 2])
    assert kept.y.tolist() == y[y != 2].tolist()
    assert kept.notes[-1] == "Left out: 15 samples of other classes (2)."
    assert keep_classes(table, ["1", "2", "3"]) is table


def test_one_class_against_the_rest(table):
    _, y = three_classes()
    opposed = oppose_rest(table, "2")
    assert opposed.y.tolist() == np.where(y == 2, "2", "rest").tolist()
    assert opposed.notes[-1] == "The class 2 against the rest: 1, 3."


def test_unknown_classes_are_refused(table):
    with pytest.raises(InputError, match="has no class '4' in 'group'.\nThe classes are: 1, 2, 3"):
        oppose_rest(table, "4")
    with pytest.raises(InputError, match="has no class 'x'"):
        keep_classes(table, ["1", "x"])
    with pytest.raises(InputError, match="leaves one class"):
        keep_classes(table, ["1"])


def test_commands_take_both(run, tmp_path):
    path = write_csv(tmp_path / "three.csv", *three_classes())
    ran = run("select", path, "--target", "group", "--only", "1", "2", "--json", "-")
    assert [one["label"] for one in ran.json["data"]["classes"]] == [1, 2]
    assert "gene_5" in str(ran.json["answer"]["selected"])
    for command in ("minimum", "rank"):
        ran = run(command, path, "--target", "group", "--one-vs-rest", "3", "--json", "-")
        assert ran.code == 0
        assert [one["label"] for one in ran.json["data"]["classes"]] == ["3", "rest"]
    ran = run("select", path, "--target", "group", "--only", "1", "9")
    assert ran.code == 2
    assert "See --only A B." in ran.err
