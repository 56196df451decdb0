"""Files that cannot be read: each gets a message that says so."""

from __future__ import annotations

import gzip
import subprocess
import sys

import numpy as np
import pandas
import pytest

from fewest.tables import read_table
from tests.ordinary_user import as_ordinary_user
from tests.tables.samples import two_classes, write_csv


def test_missing_file(refused, tmp_path):
    assert "does not exist" in refused(tmp_path / "nothing.csv")
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "nothing.csv", "group")


def test_folder(refused, tmp_path):
    assert "is a folder" in refused(tmp_path)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".npz"])
def test_empty_file(refused, tmp_path, suffix):
    path = tmp_path / f"empty{suffix}"
    path.touch()
    assert "is empty" in refused(path)


def test_no_permission(tmp_path):
    names = [f"table{suffix}" for suffix in (".csv", ".npz", ".parquet", ".xlsx", ".h5ad")]
    for name in names:
        (tmp_path / name).write_text("anything")
        (tmp_path / name).chmod(0)
    script = """if True:
        import sys
        from fewest.tables import InputError, read_table
        for name in sys.argv[1:]:
            try:
                read_table(name, "group")
            except InputError as error:
                print(error)
    """
    done = subprocess.run(
        [*as_ordinary_user(), sys.executable, "-c", script, *names],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    assert done.stdout.splitlines() == [
        f"{name} cannot be read: Permission denied" for name in names
    ]


@pytest.mark.parametrize(("name", "hint"), [("data.xls", "Save it as .xlsx or CSV"), ("data", "")])
def test_unknown_suffix_lists_the_supported_ones(refused, tmp_path, name, hint):
    (tmp_path / name).write_text("a,b\n1,2\n")
    message = refused(tmp_path / name, "b")
    assert hint in message
    assert ".csv .tsv .txt .csv.gz .tsv.gz .txt.gz .parquet .npz .h5ad .xlsx .xlsm" in message


@pytest.mark.parametrize(
    "content", [bytes(range(256)) * 20, b"\xff\xfe\xfd" * 999, "ä\n".encode("latin-1")]
)
def test_binary_in_a_csv(refused, tmp_path, content):
    path = tmp_path / "binary.csv"
    path.write_bytes(content)
    message = refused(path)
    assert "is not a text table" in message
    assert "CSV UTF-8" in message


def test_bytes_that_are_no_text_far_down(refused, tmp_path):
    path = tmp_path / "odd.csv"
    path.write_bytes(b"a,group\n" + b"1,x\n" * 50_000 + b"2,s\x81\x8d\n")
    assert "is not a text table in UTF-8" in refused(path)


@pytest.mark.parametrize("part", [0.5, 0.999])
def test_truncated_gzip(refused, tmp_path, part):
    content = gzip.compress(write_csv(tmp_path / "table.csv", *two_classes()).read_bytes())
    path = tmp_path / "table.csv.gz"
    path.write_bytes(content[: int(part * len(content))])
    assert "damaged, or not a gzip file" in refused(path)


def test_text_named_gz(refused, tmp_path, table):
    path = table.rename(tmp_path / "table.csv.gz")
    assert "damaged, or not a gzip file" in refused(path)


@pytest.mark.parametrize("truncated", [True, False])
def test_damaged_parquet(refused, tmp_path, truncated):
    path = tmp_path / "table.parquet"
    pandas.DataFrame({"a": np.arange(1000.0), "group": 1}).to_parquet(path)
    path.write_bytes(path.read_bytes()[:-200] if truncated else b"no table at all")
    assert "damaged, or not a Parquet file" in refused(path)


@pytest.mark.parametrize("truncated", [True, False])
def test_damaged_npz(refused, tmp_path, truncated):
    path = tmp_path / "table.npz"
    np.savez(path, X=np.eye(50), y=np.arange(50) % 2)
    path.write_bytes(path.read_bytes()[:-200] if truncated else b"no archive at all")
    message = refused(path, None)
    assert "damaged, or not an .npz file" in message
    assert "pickle" not in message


def test_npz_with_a_broken_array(refused, tmp_path):
    path = tmp_path / "table.npz"
    np.savez(path, X=np.eye(50), y=np.arange(50) % 2)
    content = bytearray(path.read_bytes())
    content[5000] ^= 255
    path.write_bytes(content)
    message = refused(path, None)
    assert "damaged, or not an .npz file" in message
    assert "pickle" not in message


def test_one_array_named_npz(refused, tmp_path):
    with open(tmp_path / "table.npz", "wb") as file:
        np.save(file, np.eye(3))
    message = refused(tmp_path / "table.npz", None)
    assert "not an .npz file" in message
    assert "not with numpy.save." in message


def test_header_only(refused, tmp_path):
    path = tmp_path / "header.csv"
    path.write_text("a,b,group\n")
    assert "has a header but no rows" in refused(path)


def test_empty_lines_only(refused, tmp_path):
    path = tmp_path / "blank.csv"
    path.write_text("\n\n\n")
    assert "holds no table" in refused(path)


def test_row_names_without_a_header(refused, tmp_path):
    path = tmp_path / "from_r.csv"
    path.write_text("a,group\nr1,1,x\nr2,2,y\n")
    message = refused(path)
    assert "has 2 names, but a row has 3 cells (comma as delimiter)" in message
    assert "row.names = FALSE or col.names = NA" in message


@pytest.mark.parametrize("delimiter", [" ", ":"])
def test_delimiter_that_is_not_known(refused, tmp_path, delimiter):
    path = write_csv(tmp_path / "table.csv", *two_classes(), delimiter=delimiter)
    message = refused(path)
    assert "hold one cell each: gene_0" in message
    assert "Write commas, tabs, semicolons or | between the cells" in message


def test_long_row_far_down(refused, tmp_path):
    path = tmp_path / "ragged.csv"
    path.write_text("a,group\n" + "1,x\n" * 20 + "1,y,9\n")
    message = refused(path)
    assert "is not a regular table: Expected 2 fields in line 22, saw 3" in message


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_without_pandas(refused, tmp_path, monkeypatch, suffix):
    path = tmp_path / f"table{suffix}"
    path.write_text("a,group\n1,x\n")
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert 'needs pandas: pip install "fewest[cli]"' in refused(path)
    with pytest.raises(ImportError):
        read_table(path, "group")


def test_parquet_without_pyarrow(refused, tmp_path, monkeypatch):
    path = tmp_path / "table.parquet"
    path.write_text("anything")

    def no_engine(*arguments):
        raise ImportError("no engine")

    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    monkeypatch.setattr(pandas, "read_parquet", no_engine)
    assert 'needs pyarrow: pip install "fewest[cli]"' in refused(path)
