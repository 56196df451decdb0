"""Files that would take more memory than there is are refused before they are unpacked."""

from __future__ import annotations

import gzip
import io
import zipfile

import numpy as np
import pytest

from fewest import _memory
from fewest.tables import InputError, read_table
from fewest.tables._sizes import _measure_sheet
from tests.memory import traced_memory
from tests.tables.samples import two_classes

HEADER = b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }"


def refuse(path, **how):
    """The message, and that it cost next to nothing to find out."""
    with traced_memory() as memory, pytest.raises(InputError) as caught:
        read_table(path, how.pop("target", "group"), **how)
    assert memory.peak < 30e6
    assert str(caught.value).count("\n") == 1
    return str(caught.value)


def npy_header(shape: bytes) -> bytes:
    start = HEADER % shape
    return start.ljust(127) + b"\n"


def write_npz(path, shape: bytes, content: bytes = b"", **members: bytes):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("X.npy", npy_header(shape) + content)
        for name, held in members.items():
            archive.writestr(f"{name}.npy", held)
    return path


@pytest.mark.parametrize("shape", [b"1000000, 1000000000", b"10" + b"0" * 30 + b", 2"])
def test_a_header_of_very_many_values(tmp_path, shape):
    message = refuse(write_npz(tmp_path / "x.npz", shape), target=None)
    assert "the array 'X' would take" in message
    assert "FEWEST_MAX_GB" in message


def test_a_member_that_unpacks_to_more_than_is_allowed(tmp_path, monkeypatch):
    path = write_npz(tmp_path / "x.npz", b"1000, 1000", bytes(8_000_000))
    assert path.stat().st_size < 20_000
    monkeypatch.setenv("FEWEST_MAX_GB", "0.001")
    assert "would take 0.0075 GB of memory, and at most 0.001 GB are" in refuse(path, target=None)


@pytest.mark.parametrize(
    "header",
    [
        npy_header(b"40, 30")[:60],
        npy_header(b"40, 30")[:9],
        npy_header(b"-3, 30"),
        npy_header(b"'a', 30"),
        npy_header(b"40, 30"),  # without the values
        npy_header(b"40, 30").replace(b"<f8", b"<q9"),
        b"",
        b"\x93NUMPY\x03\x00" + npy_header(b"40, 30")[8:],
    ],
)
def test_truncated_headers_are_damage_and_not_python_objects(tmp_path, header):
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", header)
    message = refuse(path, target=None)
    assert "is damaged, or not an .npz file" in message
    assert "Python objects" not in message


def test_python_objects_are_still_called_that(tmp_path):
    path = tmp_path / "x.npz"
    np.savez(path, X=np.eye(3), y=np.array([1, "a", None], dtype=object))
    assert "the array 'y' of" in (message := refuse(path, target=None))
    assert "holds Python objects" in message


def write_sheet(path, cells: str, dimension: str = ""):
    """A workbook of one sheet, written by hand."""
    office = "http://schemas.openxmlformats.org"
    main = f"{office}/spreadsheetml/2006/main"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{office}/package/2006/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-'
        'officedocument.spreadsheetml.sheet.main+xml"/>'
        '<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.'
        'openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{office}/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{office}/officeDocument/2006/relationships/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" '
        f'xmlns:r="{office}/officeDocument/2006/relationships"><sheets>'
        '<sheet name="one" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{office}/package/2006/'
        f'relationships"><Relationship Id="r1" Type="{office}/officeDocument/2006/relationships/'
        'worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}">{dimension}<sheetData>{cells}'
        "</sheetData></worksheet>",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def test_a_value_in_the_last_cell_of_a_sheet(tmp_path):
    pytest.importorskip("openpyxl")
    row = '<row r="{0}"><c r="{1}{0}"><v>1</v></c></row>'
    cells = row.format(1, "A") + row.format(1048576, "XFD")
    path = write_sheet(tmp_path / "x.xlsx", cells, '<dimension ref="A1:B2"/>')
    assert path.stat().st_size < 7000
    message = refuse(path)
    assert "a sheet of " in message
    assert "(1,048,576 rows and 16,384 columns) would take 1,024 GB of memory" in message


def test_sheets_are_measured_as_they_are_read(tmp_path):
    pytest.importorskip("openpyxl")
    cells = '<row><c><v>1</v></c><c><v>2</v></c></row><row><c/><c s="1"/><c/><c/></row>'
    assert _measure_sheet(io.BytesIO(f"<a><sheetData>{cells}</sheetData></a>".encode())) == (1, 2)
    spread = b'<x:a xmlns:x="u"><x:row r="7"><x:c r="AB7"><x:v>1</x:v></x:c></x:row></x:a>'
    assert _measure_sheet(io.BytesIO(spread)) == (7, 28)


def test_an_excel_file_that_unpacks_to_more_than_is_allowed(tmp_path, monkeypatch):
    path = write_sheet(tmp_path / "x.xlsx", " " * 3_000_000)
    monkeypatch.setenv("FEWEST_MAX_GB", "0.001")
    assert "would take 0.0028 GB of memory" in refuse(path)


def test_a_text_file_that_unpacks_to_more_than_is_allowed(tmp_path, monkeypatch):
    path = tmp_path / "x.csv.gz"
    parts = gzip.compress(b"group,a\n") + gzip.compress(b"1,2\n" * 750_000)
    path.write_bytes(parts)
    monkeypatch.setenv("FEWEST_MAX_GB", "0.002")
    assert "at most 0.002 GB are allowed" in refuse(path)
    monkeypatch.setenv("FEWEST_MAX_GB", "0.003")
    with pytest.raises(InputError, match="only one class"):
        read_table(path, "group")
    path.write_bytes(parts[:-30])
    assert "cannot be unpacked to its end" in refuse(path)


def test_a_parquet_file_of_very_many_equal_values(tmp_path, monkeypatch):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    values = np.zeros(1_000_000, dtype=np.int8)
    path = tmp_path / "x.parquet"
    parquet.write_table(pyarrow.table({"a": values, "group": values}), path)
    assert path.stat().st_size < 20_000
    monkeypatch.setenv("FEWEST_MAX_GB", "0.01")
    assert "would take 0.015 GB of memory" in refuse(path)


def test_a_member_longer_than_the_workbook(tmp_path):
    """`zipfile` would reserve the two gigabytes that the directory speaks of."""
    path = tmp_path / "x.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
        archive.writestr("[Content_Types].xml", "<Types/>")
    content = bytearray(path.read_bytes())
    packed_size = content.rindex(b"PK\x01\x02") + 20
    content[packed_size : packed_size + 4] = (2**31 - 1).to_bytes(4, "little")
    path.write_bytes(content)
    assert "a member of 2,147,483,647 bytes is longer than the file" in refuse(path)
    np.savez(tmp_path / "x.npz", X=two_classes()[0])
    message = refuse(tmp_path / "x.npz", target=None, classes=f"{path}:Genes")
    assert "is longer than the file" in message


@pytest.mark.parametrize("given", ["0", "-1", "many", "nan"])
def test_a_limit_that_is_none(tmp_path, monkeypatch, given):
    X, y = two_classes()
    np.savez(tmp_path / "x.npz", X=X, y=y)
    monkeypatch.setenv("FEWEST_MAX_GB", given)
    message = refuse(tmp_path / "x.npz", target=None)
    assert (
        f"FEWEST_MAX_GB must be a number of gigabytes above zero, such as 8; it is '{given}'"
        in (message)
    )


def test_the_limit_is_half_of_the_memory(tmp_path, monkeypatch):
    monkeypatch.delenv("FEWEST_MAX_GB", raising=False)
    assert _memory.get_limit() == _memory.get_memory() / 2
    group = tmp_path / "memory.max"
    monkeypatch.setattr(_memory, "_GROUP_LIMIT", group)
    for content, there in (("1000000\n", 1e6), ("max\n", _memory.get_memory())):
        group.write_text(content)
        assert _memory.get_memory() == there
    monkeypatch.setenv("FEWEST_MAX_GB", "1.5")
    assert _memory.get_limit() == 1.5 * 2**30
