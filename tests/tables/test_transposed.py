"""Samples as columns: read the right way round, or recognised and said."""

from __future__ import annotations

import gzip

import numpy as np
import pandas
import pytest

from fewest.tables import InputError, read_table
from tests.tables.samples import NAMES, two_classes, write_csv


def write_turned(path, X, y, names=NAMES, *, delimiter=",", rows=()):
    """Genes as rows, as repositories of expression data offer them; `rows` come first."""
    lines = [["gene", *(f"S{sample}" for sample in range(len(X)))]]
    lines += [[name, *map(str, cells)] for name, cells in rows]
    lines += [[name, *map(repr, x)] for name, x in zip(names, X.T.tolist(), strict=True)]
    lines += [["group", *map(str, y.tolist())]]
    text = "\n".join(delimiter.join(line) for line in lines) + "\n"
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.mark.parametrize("name", ["t.csv", "t.tsv.gz"])
@pytest.mark.parametrize("labels", ["text", "numbers"])
def test_text(tmp_path, name, labels):
    X, y = two_classes()
    y = y if labels == "text" else np.where(y == "ill", 5, 3)
    path = write_turned(tmp_path / name, X, y, delimiter="\t" if "tsv" in name else ",")
    table = read_table(path, "group", transpose=True)
    assert table.X.tolist() == X.tolist()  # exactly
    assert table.y.tolist() == y.tolist()
    assert table.feature_names == NAMES
    assert table.notes == [
        "Transposed: the rows of the file are the features, its columns the samples."
    ]


def test_groups_and_rows_left_out(tmp_path):
    X, y = two_classes()
    patients = [f"p{sample // 2}" for sample in range(len(X))]
    rows = [("patient", patients), ("tissue", ["skin"] * len(X))]
    path = write_turned(tmp_path / "t.csv", X, y, rows=rows)
    table = read_table(path, "group", ["tissue", "gene_3"], "patient", transpose=True)
    assert table.groups.tolist() == patients
    assert table.feature_names == [name for name in NAMES if name != "gene_3"]
    assert table.X.shape == (40, 29)


def test_another_row_of_text_is_refused_or_an_id(tmp_path):
    X, y = two_classes()
    rows = [("tissue", ["skin", "bone"] * 20)]
    path = write_turned(tmp_path / "t.csv", X, y, rows=rows)
    with pytest.raises(InputError, match="text instead of numbers in 1 feature column: tissue"):
        read_table(path, "group", transpose=True)
    rows = [("name", [f"sample {number}" for number in range(40)])]
    table = read_table(write_turned(tmp_path / "t.csv", X, y, rows=rows), "group", transpose=True)
    assert table.X.tolist() == X.tolist()
    assert "Left out as an id" in table.notes[-1]


def test_decimal_comma_and_missing_cells(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("gene;S1;S2;S3\na;1,5;2,5;-3,25\nb;4,0;;6,5\ngroup;x;y;x\n")
    table = read_table(path, "group", transpose=True, missing="drop-features")
    assert table.X.tolist() == [[1.5], [2.5], [-3.25]]
    assert table.feature_names == ["a"]


@pytest.mark.parametrize("suffix", [".parquet", ".xlsx"])
def test_parquet_and_excel(tmp_path, suffix):
    X, y = two_classes()
    frame = pandas.read_csv(write_turned(tmp_path / "t.csv", X, y))
    path = tmp_path / f"t{suffix}"
    if suffix == ".xlsx":
        rows = {"gene": frame["gene"]}
        for sample in frame.columns[1:]:  # numbers as numbers, as a spreadsheet has them
            cells = frame[sample]
            rows[sample] = [*map(float, cells[:-1]), cells.iloc[-1]]
        pandas.DataFrame(rows).to_excel(path, index=False)
    else:
        frame.to_parquet(path)
    table = read_table(path, "group", transpose=True)
    np.testing.assert_allclose(table.X, X, rtol=1e-15)  # workbooks keep 16 digits
    assert table.y.tolist() == y.tolist()
    assert table.feature_names == NAMES


def test_npz(tmp_path, refused):
    X, y = two_classes()
    np.savez(tmp_path / "t.npz", X=X.T, y=y, feature_names=NAMES)
    table = read_table(tmp_path / "t.npz", None, transpose=True)
    assert table.X.tolist() == X.tolist()
    message = refused(tmp_path / "t.npz", None)
    assert "one entry for each of the 40 columns of X. There is one for each row" in message
    assert argument_of(tmp_path / "t.npz", None) == "transpose"
    np.savez(tmp_path / "t.npz", X=X.T, y=y)
    message = refused(tmp_path / "t.npz", None)
    assert "one entry for each of the 30 rows of X. There is one for each column" in message
    assert argument_of(tmp_path / "t.npz", None) == "transpose"


def argument_of(path, target, **keywords):
    with pytest.raises(InputError) as caught:
        read_table(path, target, **keywords)
    return caught.value.argument


def test_target_that_is_a_row_is_recognised(tmp_path, refused):
    path = write_turned(tmp_path / "t.csv", *two_classes())
    message = refused(path)
    assert "has no column 'group' among its 41 columns" in message
    assert "But a row has that name, 'group': are the samples the columns?" in message
    assert argument_of(path, "group") == "transpose"


def test_many_named_rows_are_recognised(tmp_path, refused):
    rng = np.random.default_rng(0)
    names = [f"probe {number}" for number in range(200)]
    y = np.array(["a", "b"] * 3)
    path = write_turned(tmp_path / "t.csv", rng.standard_normal((6, 200)), y, names)
    for target in (None, "diagnosis"):
        message = refused(path, target)
        assert "It has 201 rows with names, and 7 columns: if the samples are" in message
        assert argument_of(path, target) == "transpose"


def test_target_that_is_a_column_is_recognised(table):
    with pytest.raises(
        InputError, match="But a column has that name, 'group': do not transpose"
    ) as caught:
        read_table(table, "group", transpose=True)
    assert caught.value.argument == "transpose"


def test_names_of_rows_are_checked(tmp_path):
    X, y = two_classes()
    path = write_turned(tmp_path / "t.csv", X, y, ["gene_1", "gene_1", *NAMES[2:]])
    with pytest.raises(InputError, match="has 1 row name more than once: gene_1"):
        read_table(path, "group", transpose=True)
    with pytest.raises(InputError, match="say which row of .* holds the classes"):
        read_table(write_turned(path, X, y), None, transpose=True)
    with pytest.raises(InputError, match="has no row 'x' among its 31 rows"):
        read_table(path, "group", ["x"], transpose=True)


def test_many_samples_with_an_id_in_front_are_noted(tmp_path):
    X, y = two_classes()
    path = write_csv(tmp_path / "long.csv", X[:, :3], y, NAMES[:3])
    lines = path.read_text().splitlines()
    ids = ["id", *(f"P{row}" for row in range(40))]
    path.write_text("\n".join(f"{name},{line}" for name, line in zip(ids, lines, strict=True)))
    notes = read_table(path, "group").notes
    assert notes == [
        "Left out as an id, because every sample has its own text there: id.",
        "There are 40 samples, and 3 features: if the samples are columns of the file, read it "
        "transposed.",
    ]


def test_long_file_comes_in_parts(tmp_path):
    rng = np.random.default_rng(0)
    names = [f"probe {number}" for number in range(4500)]
    X, y = rng.standard_normal((6, 4500)), np.array(["a", "b"] * 3)
    rows = [("batch", [1, 1, 1, 2, 2, 2]), ("site", list("uvwuvw"))]
    path = write_turned(tmp_path / "t.csv", X, y, names, rows=rows)
    table = read_table(path, "group", ["site"], "batch", transpose=True)
    assert table.X.tolist() == X.tolist()
    assert table.feature_names == names
    assert table.groups.tolist() == [1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize("text", ["gene,S1,S2\n", "gene,S1,S2\n\n\n"])
def test_header_only(tmp_path, text):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InputError, match="has a header but no rows"):
        read_table(tmp_path / "t.csv", "group", transpose=True)


def test_one_column_is_no_sample(tmp_path):
    (tmp_path / "t.csv").write_text("gene\na\ngroup\n")
    with pytest.raises(InputError, match="has no columns but the names"):
        read_table(tmp_path / "t.csv", "group", transpose=True)
