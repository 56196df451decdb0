"""Tables that can be read but not used: each message names the place and the way out."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from scipy import sparse

from fewest.tables import InputError, read_samples, read_table
from tests.tables.samples import NAMES, two_classes, write_csv

BEYOND = 2**53  # the next whole number is no double


@pytest.fixture
def frame():
    X, y = two_classes()
    return pandas.DataFrame(X, columns=NAMES).assign(group=y)


@pytest.fixture
def refused_frame(refused, tmp_path):
    def call(frame, target="group", drop=()):
        frame.to_csv(tmp_path / "table.csv", index=False)
        return refused(tmp_path / "table.csv", target, drop)

    return call


def test_target_not_given(refused, table):
    message = refused(table, None)
    assert message.startswith(f"say which column of {table} holds the classes (target).")
    assert "The first columns are: gene_0, gene_1, gene_2; the last one is: group." in message


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_target_that_does_not_exist(refused, tmp_path, frame, suffix):
    path = tmp_path / f"table{suffix}"
    frame.to_csv(path, index=False) if suffix == ".csv" else frame.to_parquet(path)
    message = refused(path, "Groups")
    assert "has no column 'Groups' among its 31 columns" in message
    assert "Did you mean 'group'?" in message


def test_target_unlike_any_name(refused, tmp_path):
    path = tmp_path / "small.csv"
    path.write_text("a,b\n1,2\n")
    assert "The columns are: a, b." in refused(path, "diagnosis")


def test_drop_that_does_not_exist(refused, table):
    message = refused(table, drop=["gene_1O"])
    assert "has no column 'gene_1O'" in message
    assert "'gene_1" in message


def test_drop_of_the_target(refused, table):
    message = refused(table, drop=["group"])
    assert "would leave out the class column" in message


def test_missing_cells(refused_frame, frame):
    frame.loc[[2, 5, 7, 9], "gene_3"] = np.nan
    frame.loc[2, "gene_8"] = np.nan
    message = refused_frame(frame)
    assert "has 5 missing cells in 2 columns and 4 rows" in message
    assert "gene_3 (rows 3, 6, 8, ...), gene_8 (row 3)." in message
    assert "leave out the samples or the features, or take medians." in message


def test_many_columns_with_missing_cells(refused_frame, frame):
    frame.iloc[0, :8] = np.nan
    message = refused_frame(frame)
    assert "in 8 columns and 1 row: gene_0 (row 1)" in message
    assert "gene_4 (row 1), ..." in message
    assert "gene_5" not in message


def test_short_row_is_a_missing_cell(refused, tmp_path):
    path = tmp_path / "short.csv"
    path.write_text("group,a,b\nx,1,2\ny,3\n")
    assert "has 1 missing cell in 1 column and 1 row: b (row 2)" in refused(path)


def test_missing_class(refused_frame, frame):
    frame.loc[[0, 3], "group"] = None
    message = refused_frame(frame)
    assert "class column 'group'" in message
    assert "has no value in 2 rows (1, 4;" in message


def test_text_in_features(refused_frame, frame):
    frame.insert(0, "site", ["north", "south"] * (len(frame) // 2))
    frame["age"] = ["<18", *["40"] * (len(frame) - 1)]
    message = refused_frame(frame)
    assert "text instead of numbers in 2 feature columns: site ('north'), age ('<18')" in message
    assert "(drop 'site')" in message


def test_measurement_with_one_odd_cell_is_no_id(refused_frame, frame):
    frame["gene_3"] = ["?", *frame["gene_3"].astype(str)[1:]]
    assert "text instead of numbers in 1 feature column: gene_3 ('?')" in refused_frame(frame)


def test_first_odd_value_is_shown(refused_frame, frame):
    frame["age"] = [*["40"] * (len(frame) - 1), "?"]
    assert "age ('?')" in refused_frame(frame)


@pytest.mark.parametrize(
    "day", [pandas.Timestamp("2000-01-01"), "2000-01-01", "1.2.2000", "1/31/99 12:30"]
)
def test_dates_are_no_features(day, refused, tmp_path, frame):
    frame["born"] = day
    frame.to_parquet(tmp_path / "table.parquet")
    table = read_table(tmp_path / "table.parquet", "group")
    assert "born" not in table.feature_names
    assert "Left out, because there are dates in it: born." in table.notes
    with pytest.raises(InputError, match="text instead of numbers in 1 feature column: born"):
        read_table(tmp_path / "table.parquet", "group", keep=["born"])


def test_duplicate_names(refused, tmp_path):
    path = tmp_path / "twice.csv"
    path.write_text("a,b,a,group\n1,2,3,x\n4,5,7,y\n")
    assert "has 1 column name more than once: a." in refused(path)


def test_one_class(refused_frame, frame):
    frame["group"] = "ill"
    assert "holds only one class: 'ill'" in refused_frame(frame)


def test_continuous_target(refused, table):
    message = refused(table, "gene_3")
    assert "looks like a number, not like a class: it has 40 different values" in message


def test_age_as_target(refused_frame, frame):
    frame["age"] = np.arange(20, 60)
    message = refused_frame(frame, "age", drop=["group"])
    assert "looks like a number" in message


def test_few_fractions_as_target(refused_frame, frame):
    frame["dose"] = np.where(frame["group"] == "ill", 0.5, 1.5)
    message = refused_frame(frame, "dose", drop=["group"])
    assert "looks like a number" in message


def test_id_as_target(refused_frame, frame):
    frame["patient"] = [f"P{row}" for row in range(len(frame))]
    assert "looks like an id" in refused_frame(frame, "patient")


def test_infinite_values(refused_frame, frame):
    frame.loc[4, "gene_2"] = -np.inf
    message = refused_frame(frame)
    assert "has 1 infinite value in 1 column and 1 row: gene_2 (row 5)" in message


def test_no_features(refused_frame, frame):
    assert "has no feature columns" in refused_frame(frame[["group"]])
    both = frame[["group", "gene_0"]]
    assert "no feature columns" in refused_frame(both, drop=["gene_0"])


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"y": [0, 1]}, "has no array 'X'"),
        ({"X": np.eye(2), "labels": [0, 1]}, "holds the classes (target).\nThe arrays are: X, lab"),
        ({"X": np.ones(2), "y": [0, 1]}, "X of"),
        ({"X": [["a"], ["b"]], "y": [0, 1]}, "X of"),
        ({"X": np.eye(2), "y": [0, 1, 1]}, "one entry for each of the 2 rows of X."),
        (
            {"X": np.eye(2), "y": [0, 1], "gene_id": ["a"]},
            "one entry for each of the 2 columns of X.",
        ),
        ({"X": [[np.nan, 1], [2, 3]], "y": [0, 1]}, "1 missing cell in 1 column and 1 row: x0"),
        ({"X": np.eye(2), "y": [0.0, np.nan]}, "has no value in 1 row (2;"),
        ({"X": np.eye(2), "y": [1j, 2j]}, "has the type complex128.\nClasses and groups must be"),
        ({"X": np.eye(2), "y": np.array([None, 1], object)}, "holds Python objects"),
    ],
)
def test_bad_npz(refused, tmp_path, arrays, message):
    np.savez(tmp_path / "bad.npz", **arrays)
    assert message in refused(tmp_path / "bad.npz", None)


@pytest.mark.parametrize(
    ("target", "drop", "argument"),
    [(None, [], "target"), ("group", ["group"], "drop"), ("gene_1", [], None)],
)
def test_errors_say_which_argument_would_help(table, target, drop, argument):
    with pytest.raises(InputError) as caught:
        read_table(table, target, drop)
    assert caught.value.argument == argument


@pytest.mark.parametrize("written", ["{},25", "1.00{},5", "1 00{}"])
def test_number_in_another_notation_is_no_id(tmp_path, written):
    rows = [f"{place}.5;{written.format(place)};{'xy'[place % 2]}" for place in range(8)]
    path = tmp_path / "mixed.csv"
    path.write_text("a;b;class\n" + "\n".join(rows) + "\n", encoding="utf-8")
    with pytest.raises(
        InputError, match="text instead of numbers in 1 feature column: b"
    ) as caught:
        read_table(path, target="class")
    assert "Use one decimal sign in the whole file" in str(caught.value)


def test_dates_are_ids(tmp_path):
    rows = [f"{place}.5;0{place + 1}.02.2024;{'xy'[place % 2]}" for place in range(8)]
    path = tmp_path / "dates.csv"
    path.write_text("a;day;class\n" + "\n".join(rows) + "\n", encoding="utf-8")
    assert read_table(path, target="class").feature_names == ["a"]


@pytest.mark.parametrize("suffix", [".csv", ".npz"])
def test_classes_as_groups(tmp_path, suffix):
    X, y = two_classes()
    path = tmp_path / f"table{suffix}"
    write_csv(path, X, y) if suffix == ".csv" else np.savez(path, X=X, group=y)
    with pytest.raises(
        InputError, match="'group' cannot hold the classes and the groups"
    ) as caught:
        read_table(path, "group", (), "group")
    assert caught.value.argument == "groups"


@pytest.mark.parametrize(
    ("keywords", "argument"),
    [({"target": "x"}, "target"), ({"groups": "x"}, "groups"), ({"drop": ["x"]}, "drop")],
)
def test_name_that_does_not_exist_names_its_argument(table, keywords, argument):
    with pytest.raises(InputError, match="has no column 'x' among its 31 columns") as caught:
        read_table(table, **{"target": "group", **keywords})
    assert caught.value.argument == argument


def test_wrong_name_is_refused_before_the_cells_are_read(table, monkeypatch):
    original, options = pandas.read_csv, []

    def remember(file, **given):
        options.append(given)
        return original(file, **given)

    monkeypatch.setattr(pandas, "read_csv", remember)
    with pytest.raises(InputError, match="has no column 'grup'"):
        read_table(table, "grup")
    assert [given.get("usecols") for given in options] == [[0]]  # the names of rows, for a hint
    options.clear()
    with pytest.raises(InputError, match="has no column 'gene_99'"):
        read_table(table, "group", ["gene_99"])
    assert options == []


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".npz", ".T.csv", ".sparse.npz"])
@pytest.mark.parametrize("values", [(BEYOND, BEYOND + 1), (2, -BEYOND - 1)])
def test_whole_numbers_that_no_double_holds(refused, tmp_path, suffix, values):
    path, how = tmp_path / f"table{suffix}", {}
    frame = pandas.DataFrame({"amount": values, "other": [1.5, 2.5], "group": ["a", "b"]})
    if suffix == ".T.csv":
        frame.astype(object).T.to_csv(path, header=["s1", "s2"], index_label="name")
        how["transpose"] = True
    elif suffix == ".npz":
        np.savez(path, X=np.array([values]).T, y=["a", "b"], feature_names=["amount"])
    elif suffix == ".sparse.npz":
        sparse.save_npz(path, sparse.csr_matrix(np.array([values, values]).T))
        with pytest.raises(InputError, match="a double cannot hold"):
            read_samples(path, None)
        return
    elif suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path)
    message = refused(path, None if suffix == ".npz" else "group", **how)
    assert message.startswith(f"amount of {path} has {values[1]}, which a double cannot hold:")
    if suffix != ".npz":
        assert read_table(path, "group", ["amount"], **how).feature_names == ["other"]


def test_large_numbers_that_doubles_hold(tmp_path):
    frame = pandas.DataFrame({"a": [BEYOND + 2, 2**62], "b": [1e20, 3e300], "c": [0.5, 2**53]})
    frame.assign(group=["a", "b"]).to_csv(tmp_path / "table.csv", index=False)
    assert read_table(tmp_path / "table.csv", "group").X.tolist() == frame.to_numpy().tolist()
