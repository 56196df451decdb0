"""Public data sets of the papers: from a file of one's own, a folder of files, or OpenML.

The library ships no data. Each loader takes the first of

1. `path`: an .npz file with arrays X and y, or a CSV or TSV file (.gz too) and its class column;
2. `<name>.npz` in the folder that the environment variable FEWEST_DATA names;
3. the data set on OpenML, through `sklearn.datasets.fetch_openml`.
"""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sklearn.utils import Bunch

FOLDER_VARIABLE = "FEWEST_DATA"

_SEPARATORS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t"}
_NAME_KEYS = ("feature_names", "gene_id", "gene_name")  # the first one present is taken
_HOW_TO_SAVE = "save it with numpy.savez(path, X=X, y=y)"


@dataclass(frozen=True)
class _Source:
    """A data set: where it is on OpenML, and a size that tells whether it is the right one."""

    name: str
    openml_id: int
    n_samples: int
    description: str


@dataclass(frozen=True)
class _Table:
    """What every way of loading ends in; `origin` names the file or page in error messages."""

    origin: str
    X: NDArray[Any]
    y: NDArray[Any]
    feature_names: NDArray[Any] | None = None
    split: NDArray[Any] | None = None


_LEUKEMIA = _Source(
    "leukemia", 1104, 72, "Golub et al. (1999), Science 286: ALL or AML; 72 x 7,129 expressions."
)
_COLON = _Source(
    "colon", 45087, 62, "Alon et al. (1999), PNAS 96: tumour or normal colon; 62 x 2,000 genes."
)
_BRAIN_TUMOR = _Source(
    "brain_tumor",
    1107,
    60,
    "Pomeroy et al. (2002), Nature 415: outcome of embryonal brain tumours; 60 x 7,128 genes.",
)
_MADELON = _Source(
    "madelon", 1485, 2600, "Guyon (2003), NIPS challenge: artificial, not linear; 2,600 x 500."
)


def load_leukemia(
    *,
    path: str | os.PathLike[str] | None = None,
    target: str | None = None,
    data_home: str | os.PathLike[str] | None = None,
    return_X_y: bool = False,
) -> Bunch | tuple[NDArray[Any], NDArray[Any]]:
    """Leukemia: acute lymphoblastic or myeloid, 72 samples x 7,129 expression values.

    Parameters
    ----------
    path : str or path-like, optional
        Your own file: .npz with arrays `X` and `y` (and, if there, `feature_names`, `gene_id` or
        `gene_name`, and `split`), or .csv, .tsv, .csv.gz, .tsv.gz with one sample a row. Without
        it, `leukemia.npz` in the folder named by the environment variable FEWEST_DATA is taken,
        and where there is none, OpenML.
    target : str, optional
        Name of the class column of a CSV or TSV file. All other columns must be numbers.
    data_home : str or path-like, optional
        Where `sklearn.datasets.fetch_openml` keeps what it downloads.
    return_X_y : bool
        Return `(data, target)` only.

    Returns
    -------
    Bunch
        With `data` (n, d) in the type it is stored in, `target` (n,) with the labels as the source
        spells them, `feature_names` (d,), `target_names` (the sorted labels), `split` (n,) or None,
        and `DESCR`.

    References
    ----------
    Golub et al. (1999). Molecular classification of cancer. Science 286.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from fewest.datasets import load_leukemia
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "mine.npz")
    ...     np.savez(path, X=np.eye(4), y=["ALL", "ALL", "AML", "AML"], gene_id=list("abcd"))
    ...     bunch = load_leukemia(path=path)
    >>> bunch.data.shape, bunch.target_names.tolist(), bunch.feature_names.tolist()
    ((4, 4), ['ALL', 'AML'], ['a', 'b', 'c', 'd'])
    """
    return _load(_LEUKEMIA, path, target, data_home, return_X_y)


def load_colon(
    *,
    path: str | os.PathLike[str] | None = None,
    target: str | None = None,
    data_home: str | os.PathLike[str] | None = None,
    return_X_y: bool = False,
) -> Bunch | tuple[NDArray[Any], NDArray[Any]]:
    r"""Colon: tumour or normal tissue, 62 samples x 2,000 genes.

    Parameters
    ----------
    path, target, data_home, return_X_y
        As for `load_leukemia`; the file in the folder FEWEST_DATA is `colon.npz`.

    Returns
    -------
    Bunch
        As from `load_leukemia`.

    References
    ----------
    Alon et al. (1999). Broad patterns of gene expression revealed by clustering analysis of tumor
    and normal colon tissues probed by oligonucleotide arrays. PNAS 96.

    Examples
    --------
    >>> import os, tempfile
    >>> from fewest.datasets import load_colon
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "mine.csv")
    ...     with open(path, "w") as file:
    ...         _ = file.write("tissue,g1,g2\ntumour,1.5,2\nnormal,0.5,3\n")
    ...     bunch = load_colon(path=path, target="tissue")
    >>> bunch.data.tolist(), bunch.target.tolist(), bunch.feature_names.tolist()
    ([[1.5, 2.0], [0.5, 3.0]], ['tumour', 'normal'], ['g1', 'g2'])
    """
    return _load(_COLON, path, target, data_home, return_X_y)


def load_brain_tumor(
    *,
    path: str | os.PathLike[str] | None = None,
    target: str | None = None,
    data_home: str | os.PathLike[str] | None = None,
    return_X_y: bool = False,
) -> Bunch | tuple[NDArray[Any], NDArray[Any]]:
    """Brain tumour: outcome of treatment, 60 samples x 7,128 genes (OpenML: tumors_C).

    Parameters
    ----------
    path, target, data_home, return_X_y
        As for `load_leukemia`; the file in the folder FEWEST_DATA is `brain_tumor.npz`.

    Returns
    -------
    Bunch
        As from `load_leukemia`.

    References
    ----------
    Pomeroy et al. (2002). Prediction of central nervous system embryonal tumour outcome based on
    gene expression. Nature 415.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from fewest.datasets import load_brain_tumor
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "mine.npz")
    ...     np.savez(path, X=np.eye(2, 3), y=["survived", "died"])
    ...     X, y = load_brain_tumor(path=path, return_X_y=True)
    >>> X.shape, y.tolist()
    ((2, 3), ['survived', 'died'])
    """
    return _load(_BRAIN_TUMOR, path, target, data_home, return_X_y)


def load_madelon(
    *,
    path: str | os.PathLike[str] | None = None,
    target: str | None = None,
    data_home: str | os.PathLike[str] | None = None,
    return_X_y: bool = False,
) -> Bunch | tuple[NDArray[Any], NDArray[Any]]:
    """Madelon: artificial, 2,600 samples x 500 features, not linearly separable by design.

    Parameters
    ----------
    path, target, data_home, return_X_y
        As for `load_leukemia`; the file in the folder FEWEST_DATA is `madelon.npz`.

    Returns
    -------
    Bunch
        As from `load_leukemia`.

    References
    ----------
    Guyon (2003). Design of experiments of the NIPS 2003 variable selection benchmark.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from fewest.datasets import load_madelon
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "mine.npz")
    ...     np.savez(path, X=np.eye(2, 3), y=[-1, 1])
    ...     bunch = load_madelon(path=path)
    >>> bunch.feature_names.tolist(), bunch.target.tolist()
    (['x0', 'x1', 'x2'], [-1, 1])
    """
    return _load(_MADELON, path, target, data_home, return_X_y)


def _load(
    source: _Source,
    path: str | os.PathLike[str] | None,
    target: str | None,
    data_home: str | os.PathLike[str] | None,
    return_X_y: bool,
) -> Bunch | tuple[NDArray[Any], NDArray[Any]]:
    from sklearn.utils import Bunch

    file = _file_in_folder(source) if path is None else Path(path)
    if file is None:
        _refuse_target(target)
        table = _from_openml(source, data_home)
    else:
        table = _from_file(file, target)
    _check(table)
    if return_X_y:
        return table.X, table.y
    names = table.feature_names
    if names is None:
        names = np.array([f"x{j}" for j in range(table.X.shape[1])])
    return Bunch(
        data=table.X,
        target=table.y,
        feature_names=names,
        target_names=np.unique(table.y),
        split=table.split,
        DESCR=f"{source.description} Loaded from {table.origin}.",
    )


def _file_in_folder(source: _Source) -> Path | None:
    """`<name>.npz` in the folder FEWEST_DATA, where both are there."""
    folder = os.environ.get(FOLDER_VARIABLE)
    if not folder:
        return None
    if not Path(folder).is_dir():
        raise FileNotFoundError(
            f"the environment variable {FOLDER_VARIABLE} names {folder}, which is not a folder: "
            "correct it or unset it"
        )
    file = Path(folder) / f"{source.name}.npz"
    return file if file.is_file() else None


def _from_file(file: Path, target: str | None) -> _Table:
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {file}: give the path of your own data file")
    name = file.name.lower()
    if name.endswith(".npz"):
        _refuse_target(target)
        return _from_npz(file)
    for suffix, separator in _SEPARATORS.items():
        if name.endswith(suffix):
            return _from_text(file, separator, target)
    raise ValueError(f"cannot read {file}: its name must end in .npz, {', '.join(_SEPARATORS)}")


def _from_npz(file: Path) -> _Table:
    if not zipfile.is_zipfile(file):
        raise ValueError(f"{file} is damaged or not an .npz file: {_HOW_TO_SAVE}")
    with np.load(file, allow_pickle=False) as stored:
        missing = [key for key in ("X", "y") if key not in stored.files]
        if missing:
            raise ValueError(
                f"{file} has no array {' and no '.join(missing)}, only {sorted(stored.files)}: "
                f"{_HOW_TO_SAVE}"
            )
        names = next((key for key in _NAME_KEYS if key in stored.files), None)
        return _Table(
            str(file),
            _stored_array(file, stored, "X"),
            _stored_array(file, stored, "y"),
            None if names is None else _stored_array(file, stored, names),
            _stored_array(file, stored, "split") if "split" in stored.files else None,
        )


def _stored_array(file: Path, stored: Any, key: str) -> NDArray[Any]:
    try:
        return np.asarray(stored[key])
    except ValueError as error:
        # Reading Python objects means unpickling them, and that can run any code.
        raise ValueError(
            f"array {key} of {file} holds Python objects, which are not read for safety: save it "
            f"as numbers or text, for instance numpy.asarray({key}, dtype=str)"
        ) from error


def _from_text(file: Path, separator: str, target: str | None) -> _Table:
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            f'reading {file} needs pandas: pip install "fewest[cli]", or save the data as .npz'
        ) from error

    try:
        frame = pandas.read_csv(file, sep=separator)
    except ValueError as error:
        raise ValueError(
            f"{file} is not a table with a header line and {separator!r} between columns ({error})"
        ) from error
    if target not in frame.columns:
        found = "no class column is named" if target is None else f"there is no column {target!r}"
        raise ValueError(
            f"{found} for {file}: pass target= with one of its {len(frame.columns)} columns, the "
            f"last of which is {frame.columns[-1]!r}"
        )
    labels = frame.pop(target)
    if labels.isna().any():
        raise ValueError(
            f"column {target!r} of {file} is empty in {labels.isna().sum()} rows: remove them"
        )
    is_number = pandas.api.types.is_numeric_dtype
    text = [name for name, kind in frame.dtypes.items() if not is_number(kind)]
    if text:
        raise ValueError(
            f"{len(text)} columns of {file} are not numbers, {text[0]!r} for one: remove or encode "
            "them"
        )
    return _Table(
        str(file),
        frame.to_numpy(dtype=np.float64),
        labels.to_numpy() if is_number(labels) else labels.to_numpy(dtype=str),
        np.array(frame.columns, dtype=str),
    )


def _from_openml(source: _Source, data_home: str | os.PathLike[str] | None) -> _Table:
    from sklearn.datasets import fetch_openml

    origin = f"OpenML data set {source.openml_id}"
    instead = (
        f"give your own file with path=, or put {source.name}.npz into a folder and name that "
        f"folder in the environment variable {FOLDER_VARIABLE}"
    )
    try:
        # liac-arff is slower than pandas but always there.
        fetched = fetch_openml(
            data_id=source.openml_id, data_home=data_home, as_frame=False, parser="liac-arff"
        )
    except (OSError, ValueError) as error:
        raise OSError(
            f"{source.name}: {origin} could not be fetched ({error}); {instead}"
        ) from error
    X, y = fetched.data, np.asarray(fetched.target)
    if X.shape[0] != source.n_samples:
        raise ValueError(
            f"{source.name}: {origin} has {X.shape[0]} samples, not {source.n_samples}, so that it "
            f"is another data set; {instead}"
        )
    labels = y.astype(str) if y.dtype == object else y
    return _Table(origin, X, labels, np.array(fetched.feature_names, dtype=str))


def _refuse_target(target: str | None) -> None:
    if target is not None:
        raise ValueError(
            f"target={target!r} names the class column of a CSV or TSV file: give that file with "
            "path=, or leave target out"
        )


def _check(table: _Table) -> None:
    """Shapes must agree and X must be numbers; what is in them is for the estimators to judge."""
    X, y = table.X, table.y
    if X.ndim != 2 or not np.issubdtype(X.dtype, np.number):
        raise ValueError(
            f"X of {table.origin} has shape {X.shape} and type {X.dtype}: it must be a table of "
            "numbers, one sample a row"
        )
    n, d = X.shape
    _check_length(table.origin, "y", y, n, "one label a sample")
    _check_length(table.origin, "the feature names", table.feature_names, d, "one name a column")
    _check_length(table.origin, "split", table.split, n, "one entry a sample")


def _check_length(
    origin: str, what: str, values: NDArray[Any] | None, length: int, meaning: str
) -> None:
    if values is not None and values.shape != (length,):
        raise ValueError(
            f"{what} of {origin} must have shape ({length},), {meaning}, not {values.shape}"
        )
