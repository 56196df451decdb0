"""Random tables through every kind of file: what was written is read back, to the last digit."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fewest.stores import open_store
from fewest.tables import read_table
from tests.fuzzing import examples
from tests.stores import writers
from tests.tables.samples import write_csv

VALUES = st.floats(-1e100, 1e100, allow_subnormal=False) | st.sampled_from([0.1, -1e-300, 5e-324])
TABLES = arrays(np.float64, st.tuples(st.integers(4, 9), st.integers(1, 4)), elements=VALUES)
# Some of the files have chunks of up to 13 columns.
LARGER = arrays(np.float64, st.tuples(st.integers(9, 11), st.integers(13, 15)), elements=VALUES)
ENDS = st.text("abzÄß漢 _.-+()/|'", max_size=5)


def as_frame(X, y, names):
    import pandas

    return pandas.DataFrame(X, columns=names).assign(group=y)


def write_npz(path, X, y, names):
    np.savez(path, X=X, group=y, feature_names=np.array(names))


WRITERS = {
    ".csv": lambda path, X, y, names: write_csv(path, X, y, names),
    ".tsv": lambda path, X, y, names: write_csv(path, X, y, names, delimiter="\t"),
    ".csv.gz": lambda path, X, y, names: as_frame(X, y, names).to_csv(path, index=False),
    ".npz": write_npz,
    ".parquet": lambda path, X, y, names: as_frame(X, y, names).to_parquet(path),
    ".xlsx": lambda path, X, y, names: as_frame(X, y, names).to_excel(path, index=False),
}


@pytest.mark.parametrize("suffix", WRITERS)
@examples(15)
@given(X=TABLES, data=st.data())
def test_tables(suffix, X, data):
    n, d = X.shape
    names = [f"f{number}{data.draw(ENDS)}".strip() for number in range(d)]
    y = np.array(["ill", "well"])[np.arange(n) % 2]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder) / f"t{suffix}"
        WRITERS[suffix](path, X, y, names)
        found = read_table(path, "group", keep=names)
    assert list(found.feature_names) == names
    assert list(found.y) == list(y)
    # openpyxl, which writes Excel files here, writes 16 digits.
    np.testing.assert_allclose(found.X, X, rtol=1e-15 if suffix == ".xlsx" else 0.0)


@pytest.mark.parametrize("kind", writers.WRITERS)
@examples(4)
@given(X=LARGER)
def test_stores(kind, X):
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = writers.WRITERS[kind](Path(folder), X, np.arange(len(X)) % 2)
        labels = ("kind",) if kind == "parquet" else ()
        store = open_store(path, labels=labels, max_memory=200)
        found = store[:, list(range(X.shape[1]))]
        del store
    found = found.toarray() if hasattr(found, "toarray") else np.asarray(found)
    np.testing.assert_array_equal(found, X)


GENOTYPES = arrays(
    np.int8, st.tuples(st.integers(1, 9), st.integers(1, 5)), elements=st.integers(0, 2)
)


@examples(8)
@given(genotypes=GENOTYPES)
def test_genotypes(genotypes):
    with tempfile.TemporaryDirectory() as folder:
        path = writers.write_bed(Path(folder) / "X.bed", genotypes * 1.0)
        found = open_store(path)[:, list(range(genotypes.shape[1]))]
    np.testing.assert_array_equal(np.asarray(found), genotypes)
