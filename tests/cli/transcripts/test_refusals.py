"""Each kind of bad file at a terminal: two lines that say what is wrong and what to do."""

from __future__ import annotations

import gzip

import numpy as np
import pandas
import pytest

from tests.ordinary_user import as_ordinary_user
from tests.tables.samples import NAMES, two_classes, write_csv


def _frame():
    X, y = two_classes()
    return pandas.DataFrame(X, columns=NAMES).assign(group=y)


def _turned(path):
    _frame().T.to_csv(path)


def _with_hole(path):
    frame = _frame()
    frame.loc[4, "gene_2"] = np.nan
    frame.to_csv(path, index=False)


def _cut_gzip(path):
    path.write_bytes(gzip.compress(_frame().to_csv(index=False).encode())[:-500])


def _named_twice(path):
    path.write_text("a,a,group\n1,2,x\n3,4,y\n")


KINDS = {
    "absent.csv": (lambda path: None, "does not exist: check its name and folder"),
    "folder.csv": (lambda path: path.mkdir(), "is a folder: name a file in it"),
    "empty.csv": (lambda path: path.touch(), "is empty (0 bytes)"),
    "header.csv": (lambda path: path.write_text("a,group\n"), "has a header but no rows"),
    "binary.csv": (lambda path: path.write_bytes(bytes(range(256))), "Save it as 'CSV UTF-8'"),
    "cut.csv.gz": (_cut_gzip, "Copy or download it again"),
    "spaces.csv": (
        lambda path: write_csv(path, *two_classes(), delimiter=" "),
        "Write commas, tabs, semicolons or | between the cells",
    ),
    "ragged.csv": (
        lambda path: path.write_text("a,group\n" + "1,x\n2,y\n" * 9 + "1,2,x\n"),
        "Every row must have as many cells as the header",
    ),
    "twice.csv": (_named_twice, "Give every column its own name"),
    "no_target.csv": (lambda path: path.write_text("a,b\n1,x\n2,y\n"), "has no column 'group'"),
    "one_class.csv": (lambda path: path.write_text("a,group\n1,x\n2,x\n"), "only one class"),
    "hole.csv": (
        _with_hole,
        "See --missing drop-samples (for gaps in features also drop-features or median)",
    ),
    "turned.csv": (_turned, "Then read it transposed. See --transpose"),
    "broken.xlsx": (lambda path: path.write_text("no workbook"), "Save it again as .xlsx"),
    "broken.h5ad": (lambda path: path.write_text("no cells"), "Write it again with anndata"),
    "broken.npz": (lambda path: path.write_text("no archive"), "Write it again with numpy.savez"),
    "broken.parquet": (lambda path: path.write_text("no table"), "Copy or write it again"),
    "table.docx": (lambda path: path.write_text("a letter"), "Supported: .csv .tsv"),
}


@pytest.mark.parametrize("name", KINDS)
def test_bad_file(show, tmp_path, name):
    make, advice = KINDS[name]
    make(tmp_path / name)
    options = () if name.endswith(".npz") else ("--target", "group")
    seen = show("select", name, *options, "--json", "out.json")
    assert seen.code == 2
    # Reading that takes seconds, on a busy computer, says so.
    lines = [line for line in seen.text.splitlines() if not line.startswith("Reading ")]
    assert lines[0].startswith("fewest: error: ")
    assert advice in " ".join(lines)
    assert "Traceback" not in seen.text
    assert len(lines) <= 2
    assert not (tmp_path / "out.json").exists()


def test_file_without_permission(start, finish, table):
    table.chmod(0)
    arguments = ("select", table.name, "--target", "group")
    seen = finish(start(*arguments, before=as_ordinary_user()))
    assert seen.code == 2
    assert "table.csv cannot be read: Permission denied" in seen.text
    assert "Traceback" not in seen.text
