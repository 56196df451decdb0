"""One small data set in every kind of file that is read, and how to read it back."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import fewest
from fewest.stores import open_store
from fewest.tables import read_table
from fuzzing.tables import NAMES, TARGET, run_command, small_table
from tests.stores import writers
from tests.tables.expression import write_series
from tests.tables.samples import write_csv

Files = dict[str, bytes]  # by their paths in a folder


@dataclass(frozen=True)
class Kind:
    """A kind of file, or of files that belong together.

    `read` gets their folder, and returns what it made of them: the same for the same files.
    """

    write: Callable[[Path], Any]
    read: Callable[[Path], Any]
    is_slow: bool = False  # tried less often
    may_refuse_by: tuple[type[Exception], ...] = ()  # beside errors that our own code raises


@cache
def files_of(name: str) -> Files:
    """The files of a kind, whole."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        KINDS[name].write(Path(folder))
        return {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(Path(folder).rglob("*"))
            if path.is_file()
        }


def put(files: Files, folder: Path) -> None:
    """Write files into a folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _table_of(name: str, **options: Any) -> Callable[[Path], Any]:
    def read(folder: Path) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = read_table(folder / name, options.get("target", TARGET), **_given(folder))
        X = table.X.toarray() if hasattr(table.X, "toarray") else np.asarray(table.X)
        assert np.isfinite(X).all()
        assert X.shape == (len(table.y), len(table.feature_names))
        return X, list(map(str, table.y))

    def _given(folder: Path) -> dict[str, Any]:
        given = {key: one for key, one in options.items() if key != "target"}
        if "classes" in given:
            given["classes"] = str(folder / given["classes"])
        return given

    return read


def _store_of(name: str) -> Callable[[Path], Any]:
    def read(folder: Path) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            store = open_store(folder / name, labels=("kind",) if "parquet" in name else ())
            values = store[:, list(range(min(store.shape[1], 6)))]
        values = values.toarray() if hasattr(values, "toarray") else np.asarray(values)
        assert values.shape == (store.shape[0], min(store.shape[1], 6))
        return values, []

    return read


def _data() -> tuple[Any, Any]:
    return small_table()


def _frame() -> Any:
    import pandas

    X, y = _data()
    return pandas.DataFrame(X, columns=NAMES).assign(**{TARGET: y})


def _save_npz(folder: Path) -> None:
    X, y = _data()
    np.savez(folder / "t.npz", **{"X": X, TARGET: y, "feature_names": np.array(NAMES)})


def _save_h5ad(folder: Path) -> None:
    import anndata
    import pandas
    from scipy import sparse

    X, y = _data()
    obs = pandas.DataFrame({TARGET: y}, index=[f"S{number}" for number in range(len(y))])
    cells = anndata.AnnData(sparse.csr_matrix(X), obs=obs, var=pandas.DataFrame(index=NAMES))
    cells.write_h5ad(folder / "t.h5ad", compression="lzf")


def _save_store(write: Callable[..., Any]) -> Callable[[Path], Any]:
    return lambda folder: write(folder, *_data())


def _save_chunks(folder: Path) -> None:
    settings = {"chunks": (5, 4), "compression": "lzf", "shuffle": True}
    writers.write_hdf5(folder, *_data(), **settings)


def _save_bed(folder: Path) -> None:
    genotypes = np.random.default_rng(0).integers(0, 3, (16, 9)) * 1.0
    genotypes[:, 0] = np.arange(16) % 3
    writers.write_bed(folder / "X.bed", genotypes, phenotypes=["1", "2"] * 8)


def _save_two(folder: Path) -> None:
    X, y = _data()
    ids = [f"S{number}" for number in range(len(y))]
    rows = [",".join(["id", *NAMES])]
    rows += [",".join([one, *map(repr, x)]) for one, x in zip(ids, X.tolist(), strict=True)]
    (folder / "t.csv").write_text("\n".join(rows) + "\n")
    about = [f"{one},{label},{50 + len(label)}" for one, label in zip(ids, y.tolist(), strict=True)]
    (folder / "about.csv").write_text(f"id,{TARGET},age\n" + "\n".join(about[::-1]) + "\n")


def _save_model(folder: Path) -> None:
    fewest.save(fewest.SupportFeatureMachine().fit(*_data()), folder / "m.fewest")


def _load_model(folder: Path) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fewest.load(folder / "m.fewest")
        return model.decision_function(np.zeros((4, model.n_features_in_))), []


def _keep(folder: Path) -> Any:
    found = fewest.RepetitiveSelector(n_subsets=3, checkpoint=folder / "kept").fit(*_data())
    return np.concatenate(found.subsets_), []


def _save_result(folder: Path) -> None:
    write_csv(folder / "t.csv", *_data(), names=NAMES)
    arguments = ["select", str(folder / "t.csv"), "--target", TARGET, "--cv", "0", "--C", "1"]
    run_command([*arguments, "--json", str(folder / "result.json")])
    result = json.loads((folder / "result.json").read_text())
    (folder / "result.json").write_text(json.dumps(result))  # without spaces: bytes that count


def _judge_result(folder: Path) -> Any:
    arguments = ["panel", str(folder / "t.csv"), "--target", TARGET, "--quiet", "--random", "0"]
    arguments += ["--repeats", "1", "--permutations", "0", "--stand-ins", "0"]
    code, out = run_command([*arguments, "--features-from", str(folder / "result.json")])
    return np.array([code if code == 0 else -1.0]), [out if code == 0 else ""]


def _save_images(folder: Path) -> None:
    import nibabel

    data = np.random.default_rng(0).normal(100.0, 3.0, size=(4, 3, 3, 16))
    data[2, 1, 1, 1::2] += 20.0
    image = nibabel.Nifti1Image(data.astype("f4"), np.diag([3.0, 3.0, 3.0, 1.0]))
    (folder / "bold.nii").write_bytes(image.to_bytes())


def _read_images(folder: Path) -> Any:
    from fewest.neuro import FewestVoxels

    with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        decoder = FewestVoxels(cv=0).fit(str(folder / "bold.nii"), ["face", "house"] * 8)
    weights = decoder.coef_img_.get_fdata()
    assert np.isfinite(weights).all()
    return weights, []


KINDS = {
    "csv": Kind(lambda f: write_csv(f / "t.csv", *_data(), names=NAMES), _table_of("t.csv")),
    "tsv": Kind(
        lambda f: write_csv(f / "t.tsv", *_data(), names=NAMES, delimiter="\t"), _table_of("t.tsv")
    ),
    "csv.gz": Kind(lambda f: _frame().to_csv(f / "t.csv.gz", index=False), _table_of("t.csv.gz")),
    "xlsx": Kind(lambda f: _frame().to_excel(f / "t.xlsx", index=False), _table_of("t.xlsx")),
    "npz": Kind(_save_npz, _table_of("t.npz")),
    "h5ad": Kind(_save_h5ad, _table_of("t.h5ad")),
    "parquet": Kind(lambda f: _frame().to_parquet(f / "t.parquet"), _table_of("t.parquet")),
    "series matrix": Kind(
        lambda f: write_series(f / "s_series_matrix.txt.gz"),
        _table_of("s_series_matrix.txt.gz", target="tissue"),
    ),
    "second file": Kind(_save_two, _table_of("t.csv", classes="about.csv", ids="id")),
    "covariates": Kind(
        _save_two, _table_of("t.csv", classes="about.csv", ids="id", covariates=["age"])
    ),
    "npy store": Kind(_save_store(writers.write_npy), _store_of("X.npy")),
    "hdf5 store": Kind(_save_chunks, _store_of("X.h5")),
    "h5ad store": Kind(_save_store(writers.write_csr), _store_of("X.h5ad")),
    "zarr store": Kind(_save_store(writers.write_zarr), _store_of("X.zarr")),
    "sparse zarr store": Kind(_save_store(writers.write_zarr_csr), _store_of("X.zarr")),
    "parquet store": Kind(_save_store(writers.write_parquet), _store_of("X.parquet")),
    "bed, bim, fam": Kind(_save_bed, _store_of("X.bed")),
    # A file that is not there is the system's own error.
    "model": Kind(_save_model, _load_model, may_refuse_by=(FileNotFoundError,)),
    "checkpoint": Kind(_keep, _keep, is_slow=True),
    "result": Kind(_save_result, _judge_result, is_slow=True),
    # Those of nilearn are ValueErrors, too.
    "nifti": Kind(_save_images, _read_images, True, (ValueError, FileNotFoundError)),
}
