"""Files that are whole as files, with content that no reader expects: each gets a sentence."""

from __future__ import annotations

import io

import numpy as np
import pandas
import pyarrow
import pytest
from pyarrow import parquet

from fewest.tables import InputError, read_table
from fuzzing.mutations.archives import archive_of, members
from tests.tables.samples import NAMES, two_classes


def save_npz(path, **changes):
    X, y = two_classes()
    arrays = {"X": X, "group": y, "feature_names": np.array(NAMES)} | changes
    np.savez(path, **arrays)
    return path


def save_excel(path, change):
    """A workbook, its members changed in place."""
    X, y = two_classes()
    stream = io.BytesIO()
    pandas.DataFrame(X, columns=NAMES).assign(group=y).to_excel(stream, index=False)
    parts = dict(members(stream.getvalue()))
    change(parts)
    path.write_bytes(archive_of(parts.items()))
    return path


def save_parquet(path, *, metadata=None, **columns):
    X, y = two_classes()
    table = pyarrow.table({**dict(zip(NAMES, X.T, strict=True)), "group": y, **columns})
    parquet.write_table(table.replace_schema_metadata(metadata), path)
    return path


def test_names_in_bytes(tmp_path):
    names = np.array([f"gène_{number}".encode() for number in range(30)])
    assert read_table(save_npz(tmp_path / "t.npz", feature_names=names), "group").feature_names[
        :2
    ] == ["gène_0", "gène_1"]
    broken = np.array([b"\xff\xfe%d" % number for number in range(30)])
    table = read_table(save_npz(tmp_path / "t.npz", feature_names=broken), "group")
    assert table.feature_names[0] == "\ufffd\ufffd0"
    table = read_table(save_npz(tmp_path / "t.npz", group=np.array([b"\xff", b"a"] * 20)), "group")
    assert set(table.y) == {"\ufffd", "a"}


def test_names_of_an_odd_type(tmp_path):
    pairs = np.zeros(30, dtype=[("a", "f8"), ("b", "i4")])
    with pytest.raises(
        InputError, match=r"(?s)'feature_names' of .* has the type .*Names must be text"
    ):
        read_table(save_npz(tmp_path / "t.npz", feature_names=pairs), "group")


def test_characters_that_do_not_exist(tmp_path):
    words = np.array(["ill", "fit"] * 20)
    words.view("u4")[0] = 0x7F000000
    with pytest.raises(InputError, match="holds characters that do not exist"):
        read_table(save_npz(tmp_path / "t.npz", group=words), "group")


@pytest.mark.parametrize("header", [b"{'descr': '<f8', \x7f", b"{'descr': ('", b"{" * 60, b"((("])
def test_headers_that_are_not_python(tmp_path, header):
    path = save_npz(tmp_path / "t.npz")
    parts = dict(members(path.read_bytes()))
    array = parts["X.npy"]
    end = array.index(b"\n")
    parts["X.npy"] = array[:10] + header.ljust(end - 10)[: end - 10] + array[end:]
    path.write_bytes(archive_of(parts.items()))
    with pytest.raises(InputError, match="damaged"):
        read_table(path, "group")


def point_to_lost_text(parts):
    name = "xl/worksheets/sheet1.xml"
    parts[name] = parts[name].replace(b't="inlineStr"><is><t>gene_1</t></is>', b't="s"><v>9</v>')


def swap_members(parts):
    one, two = "[Content_Types].xml", "xl/workbook.xml"
    parts[one], parts[two] = parts[two], parts[one]


def odd_number(parts):
    name = "xl/styles.xml"
    parts[name] = parts[name].replace(b'<sz val="11"', b'<sz val="x"')


@pytest.mark.parametrize("change", [point_to_lost_text, swap_members, odd_number])
def test_workbooks(tmp_path, change):
    path = save_excel(tmp_path / "t.xlsx", change)
    with pytest.raises(InputError, match=r"damaged, or not an Excel workbook"):
        read_table(path, "group")


def test_reasons_are_cut(tmp_path):
    def change(parts):
        parts["xl/worksheets/sheet1.xml"] = parts["xl/worksheets/sheet1.xml"].replace(
            b't="n"', b't="%s"' % (b"n" * 5000)
        )

    path = save_excel(tmp_path / "t.xlsx", change)
    with pytest.raises(InputError) as caught:
        read_table(path, "group")
    assert len(str(caught.value)) < 700


@pytest.mark.parametrize("cell", [[1.0, 2.0], {"a": 1}])
def test_nested_columns_of_parquet(tmp_path, cell):
    path = save_parquet(tmp_path / "t.parquet", gene_3=[cell] * 40)
    with pytest.raises(InputError, match="has text instead of numbers in 1 feature column: gene_3"):
        read_table(path, "group")


@pytest.mark.parametrize("metadata", [b"[]", b'{"index_columns": ["gone"], "columns": []}', b"{"])
def test_metadata_of_parquet(tmp_path, metadata):
    path = save_parquet(tmp_path / "t.parquet", metadata={b"pandas": metadata})
    with pytest.raises(InputError, match="damaged, or not a Parquet file"):
        read_table(path, "group")


@pytest.mark.parametrize("unit", ["date", "duration"])
def test_moments_in_a_transposed_table(tmp_path, unit):
    """To pandas they are numbers; a machine could use none of them, so that is no sample."""
    X, _ = two_classes()
    moment = {"date": pyarrow.date32(), "duration": pyarrow.duration("s")}[unit]
    table = pyarrow.table(
        {
            "name": [*NAMES, "group"],
            "S1": [*map(str, X[0]), "ill"],
            "S2": [*map(str, X[1]), "healthy"],
            "S3": pyarrow.array(range(31), moment),
        }
    )
    parquet.write_table(table, tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet", "group", transpose=True)
    assert table.ids.tolist() == ["S1", "S2"]
    assert "Columns that are not used, because there is text in them: S3." in table.notes
