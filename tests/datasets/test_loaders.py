"""The loaders: own files, the folder FEWEST_DATA, OpenML (never the network), and every refusal."""

from __future__ import annotations

import builtins
import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from fewest import datasets

LOADERS = {
    "leukemia": (datasets.load_leukemia, 1104, 72),
    "colon": (datasets.load_colon, 45087, 62),
    "brain_tumor": (datasets.load_brain_tumor, 1107, 60),
    "madelon": (datasets.load_madelon, 1485, 2600),
}
X = np.arange(12, dtype=np.int16).reshape(4, 3)
Y = np.array(["b", "a", "b", "a"])
TABLE = "gene 1,class,g2\n1,b,0.5\n2,a,1.5\n3,b,2.5\n"


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """No folder of data, and no network, unless a test says so."""

    def unreachable(**_):
        raise AssertionError("a test reached for OpenML")

    monkeypatch.delenv("FEWEST_DATA", raising=False)
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", unreachable)


@pytest.fixture
def save(tmp_path):
    """Write arrays to an .npz file and return its path."""

    def write(name: str = "mine.npz", **arrays) -> Path:
        np.savez(tmp_path / name, **arrays)
        return tmp_path / name

    return write


@pytest.fixture
def write(tmp_path):
    """Write a text file and return its path."""

    def write_text(name: str, text: str) -> Path:
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write_text


class TestNpz:
    @pytest.mark.parametrize("name", LOADERS)
    def test_bunch(self, save, name):
        path = save(X=X, y=Y, feature_names=list("pqr"), split=["train"] * 3 + ["test"])
        bunch = LOADERS[name][0](path=path)
        np.testing.assert_array_equal(bunch.data, X)
        assert bunch.data.dtype == X.dtype
        np.testing.assert_array_equal(bunch.target, Y)
        assert bunch.target_names.tolist() == ["a", "b"]
        assert bunch.feature_names.tolist() == ["p", "q", "r"]
        assert bunch.split.tolist() == ["train", "train", "train", "test"]
        assert str(path) in bunch.DESCR

    def test_return_X_y(self, save):
        data, target = datasets.load_colon(path=str(save(X=X, y=Y)), return_X_y=True)
        np.testing.assert_array_equal(data, X)
        np.testing.assert_array_equal(target, Y)

    def test_defaults(self, save):
        bunch = datasets.load_colon(path=save(X=X, y=Y))
        assert bunch.split is None
        assert bunch.feature_names.tolist() == ["x0", "x1", "x2"]

    @pytest.mark.parametrize(
        ("keys", "taken"),
        [
            (("gene_name",), "gene_name"),
            (("gene_name", "gene_id"), "gene_id"),
            (("gene_name", "gene_id", "feature_names"), "feature_names"),
        ],
    )
    def test_names_of_features(self, save, keys, taken):
        path = save(X=X, y=Y, **{key: [f"{key} {j}" for j in range(3)] for key in keys})
        assert datasets.load_leukemia(path=path).feature_names[1] == f"{taken} 1"

    def test_arrays_that_are_not_used_may_hold_anything(self, save):
        path = save(X=X, y=Y, notes=np.array([{"a": 1}], dtype=object))
        assert datasets.load_leukemia(path=path).data.shape == (4, 3)

    @pytest.mark.parametrize(
        ("arrays", "message"),
        [
            ({"X": X}, r"say which array of .*mine\.npz holds the classes \(target\)"),
            ({"data": X}, r"mine\.npz has no array 'X'; it has: data\.\nSave the numbers as X"),
            (
                {"X": X[0], "y": Y},
                r"X of .*mine\.npz has shape \(3,\) and type int16\.\nIt must be",
            ),
            ({"X": X.astype(str), "y": Y}, r"X of .*mine\.npz has shape \(4, 3\) and type <U"),
            (
                {"X": X, "y": Y[:3]},
                r"'y' of .*mine\.npz has shape \(3,\)\.\n.* each of the 4 rows",
            ),
            ({"X": X, "y": Y[:, None]}, r"'y' of .* has shape \(4, 1\)"),
            (
                {"X": X, "y": Y, "gene_id": ["a", "b"]},
                r"'gene_id' of .*mine\.npz has shape \(2,\)\.\n.* each of the 3 columns",
            ),
            (
                {"X": X, "y": Y, "split": ["train"]},
                r"'split' of .*mine\.npz has shape \(1,\)\.\nIt must hold one entry for each",
            ),
            (
                {"X": X, "y": Y.astype(object)},
                r"'y' of .*mine\.npz holds Python objects, .*\n.*numpy\.asarray\(y, dtype=str\)",
            ),
        ],
    )
    def test_refuses(self, save, arrays, message):
        with pytest.raises(ValueError, match=message):
            datasets.load_leukemia(path=save(**arrays))

    def test_refuses_what_is_no_npz(self, write):
        with pytest.raises(ValueError, match=r"mine\.npz is damaged, or not an \.npz file"):
            datasets.load_leukemia(path=write("mine.npz", "X, y"))

    def test_classes_in_another_array(self, save):
        path = save(X=X, tissue=Y)
        np.testing.assert_array_equal(datasets.load_colon(path=path, target="tissue").target, Y)


class TestText:
    @pytest.mark.parametrize("separator", [",", "\t"])
    @pytest.mark.parametrize("packed", [False, True])
    def test_table(self, tmp_path, separator, packed):
        pytest.importorskip("pandas")
        path = tmp_path / (("Mine.csv" if separator == "," else "mine.TSV") + packed * ".gz")
        content = TABLE.replace(",", separator).encode()
        path.write_bytes(gzip.compress(content) if packed else content)
        bunch = datasets.load_colon(path=path, target="class")
        assert bunch.data.tolist() == [[1.0, 0.5], [2.0, 1.5], [3.0, 2.5]]
        assert bunch.target.tolist() == ["b", "a", "b"]
        assert bunch.target.dtype.kind == "U"
        assert bunch.feature_names.tolist() == ["gene 1", "g2"]
        assert bunch.split is None

    def test_parquet(self, tmp_path):
        pandas = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        pandas.DataFrame({"a": [1.5, 2.5], "y": ["u", "v"]}).to_parquet(tmp_path / "mine.parquet")
        bunch = datasets.load_colon(path=tmp_path / "mine.parquet", target="y")
        assert (bunch.data.tolist(), bunch.target.tolist()) == ([[1.5], [2.5]], ["u", "v"])

    def test_labels_that_are_numbers_stay_numbers(self, write):
        pytest.importorskip("pandas")
        path = write("mine.csv", "y,a,flag\n-1,0.5,True\n1,1.5,False\n")
        data, target = datasets.load_madelon(path=path, target="y", return_X_y=True)
        assert target.tolist() == [-1, 1]
        assert target.dtype.kind == "i"
        assert data.tolist() == [[0.5, 1.0], [1.5, 0.0]]

    @pytest.mark.parametrize(
        ("text", "target", "message"),
        [
            (TABLE, None, r"say which column of .*mine\.csv holds the classes \(target\)"),
            (TABLE, "y", r"mine\.csv has no column 'y' among its 3 columns\.\nThe columns are"),
            (
                "y,a\nu,1\nv,b\n",
                "y",
                r"mine\.csv has text instead of numbers in 1 feature column: a",
            ),
            ("a,y\n1,u\n2,\n", "y", r"class column 'y' of .*mine\.csv has no value in 1 row"),
            ("", "y", r"mine\.csv is empty \(0 bytes\)"),
        ],
    )
    def test_refuses(self, write, text, target, message):
        pytest.importorskip("pandas")
        with pytest.raises(ValueError, match=message):
            datasets.load_colon(path=write("mine.csv", text), target=target)

    def test_says_how_to_get_pandas(self, write, monkeypatch):
        genuine = builtins.__import__

        def without_pandas(name, *rest, **named):
            if name == "pandas":
                raise ImportError(name)
            return genuine(name, *rest, **named)

        monkeypatch.setattr(builtins, "__import__", without_pandas)
        with pytest.raises(ImportError, match=r'needs pandas: pip install "fewest\[cli\]"'):
            datasets.load_colon(path=write("mine.csv", TABLE), target="class")


class TestWhere:
    def test_missing_file(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"the file .*none\.npz does not exist: check"):
            datasets.load_colon(path=tmp_path / "none.npz")

    def test_unknown_kind_of_file(self, write):
        with pytest.raises(
            ValueError, match=r"mine\.xls has a suffix .*\nSupported: \.csv .*\.npz"
        ):
            datasets.load_colon(path=write("mine.xls", TABLE))

    def test_folder(self, save, tmp_path, monkeypatch):
        save("colon.npz", X=X, y=Y)
        monkeypatch.setenv("FEWEST_DATA", str(tmp_path))
        np.testing.assert_array_equal(datasets.load_colon().data, X)

    def test_path_comes_before_folder(self, save, tmp_path, monkeypatch):
        save("colon.npz", X=X, y=Y)
        monkeypatch.setenv("FEWEST_DATA", str(tmp_path))
        own = datasets.load_colon(path=save("own.npz", X=X + 1, y=Y))
        np.testing.assert_array_equal(own.data, X + 1)

    def test_folder_that_is_none(self, tmp_path, monkeypatch):
        monkeypatch.setenv("FEWEST_DATA", str(tmp_path / "none"))
        with pytest.raises(FileNotFoundError, match=r"FEWEST_DATA names .*none, which is not a fo"):
            datasets.load_colon()


def openml(n: int, calls: list | None = None):
    """A stand-in for `fetch_openml` that returns n samples."""

    def fetch(**arguments):
        if calls is not None:
            calls.append(arguments)
        labels = np.array(["1", "2"] * n, dtype=object)[:n]
        return Bunch(data=np.ones((n, 2)), target=labels, feature_names=["V1", "V2"])

    return fetch


class TestOpenML:
    @pytest.mark.parametrize("name", LOADERS)
    def test_fetches(self, name, monkeypatch, tmp_path):
        load, number, n = LOADERS[name]
        calls = []
        monkeypatch.setattr(sklearn.datasets, "fetch_openml", openml(n, calls))
        bunch = load(data_home=tmp_path)
        assert bunch.data.shape == (n, 2)
        assert bunch.target.dtype.kind == "U"
        assert bunch.target_names.tolist() == ["1", "2"]
        assert bunch.feature_names.tolist() == ["V1", "V2"]
        assert f"OpenML data set {number}" in bunch.DESCR
        assert [call["data_id"] for call in calls] == [number]
        assert calls[0]["data_home"] == tmp_path

    def test_folder_without_the_file(self, monkeypatch, tmp_path):
        monkeypatch.setenv("FEWEST_DATA", str(tmp_path))
        monkeypatch.setattr(sklearn.datasets, "fetch_openml", openml(62))
        assert datasets.load_colon().data.shape == (62, 2)

    def test_another_data_set(self, monkeypatch):
        monkeypatch.setattr(sklearn.datasets, "fetch_openml", openml(102))
        with pytest.raises(ValueError, match=r"1107 has 102 samples, not 60, .* own file with pat"):
            datasets.load_brain_tumor()

    @pytest.mark.parametrize("error", [OSError("no route"), ValueError("no such data")])
    def test_out_of_reach(self, monkeypatch, error):
        def fetch(**_):
            raise error

        monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
        with pytest.raises(OSError, match=rf"colon: .* \({error}\); give .* colon\.npz into a fol"):
            datasets.load_colon()

    def test_refuses_a_class_column(self):
        with pytest.raises(ValueError, match=r"target='y' .* give that file with path="):
            datasets.load_colon(target="y")


def test_importing_is_cheap():
    code = "import sys, fewest.datasets; print({'sklearn', 'pandas', 'scipy'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "set()"


REAL = Path(os.environ.get("FEWEST_DATA") or Path(__file__).parents[2] / "shared" / "data")


@pytest.mark.parametrize(
    ("name", "shape", "counts"),
    [
        ("leukemia", (72, 7129), {"ALL": 47, "AML": 25}),
        ("colon", (62, 2000), {"n": 22, "t": 40}),
        ("brain_tumor", (60, 7128), {"died": 21, "survived": 39}),
        ("madelon", (2600, 500), {-1: 1300, 1: 1300}),
    ],
)
def test_real_files(name, shape, counts, monkeypatch):
    if not (REAL / f"{name}.npz").is_file():
        pytest.skip(f"{name}.npz is not in {REAL}: name a folder that has it in FEWEST_DATA")
    monkeypatch.setenv("FEWEST_DATA", str(REAL))
    bunch = LOADERS[name][0]()
    labels, sizes = np.unique(bunch.target, return_counts=True)
    assert bunch.data.shape == shape
    assert dict(zip(labels.tolist(), sizes.tolist(), strict=True)) == counts
    if name == "leukemia":
        assert np.sum(bunch.split == "train") == 38
        assert bunch.feature_names[0] == "AFFX-BioB-5_at"
