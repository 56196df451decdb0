"""Public data sets used in the papers: from your own file, a folder of files, or OpenML.

The library contains no data. Each loader uses the first of

1. `path`: an .npz file with arrays X and y, or a table (CSV, TSV, Parquet) and its class column;
2. `<name>.npz` in the folder that the environment variable FEWEST_DATA names;
3. the data set on OpenML, through `sklearn.datasets.fetch_openml`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest.tables import Table, read_extra, read_table

if TYPE_CHECKING:
    from sklearn.utils import Bunch

__all__ = ["load_brain_tumor", "load_colon", "load_leukemia", "load_madelon"]

_FOLDER_VARIABLE = "FEWEST_DATA"


@dataclass(frozen=True)
class _Source:
    """A data set: where it is on OpenML, and its size, to check that it is the right one."""

    name: str
    openml_id: int
    n_samples: int
    description: str


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
        Your own file: .npz with arrays `X` and `y` (and optionally `feature_names`, `gene_id` or
        `gene_name`, and `split`), or another format of `fewest.tables.read_table` with one row per
        sample. By default, `leukemia.npz` in the folder named by the environment variable
        FEWEST_DATA, or OpenML if there is no such file.
    target : str, optional
        Name of the class column; all other columns must be numbers. For .npz the name of the
        array with the classes (default there: y).
    data_home : str or path-like, optional
        Where `sklearn.datasets.fetch_openml` stores its downloads.
    return_X_y : bool
        Return `(data, target)` only.

    Returns
    -------
    Bunch
        With `data` (n, d) in the stored type, `target` (n,) with the labels as spelled in the
        source, `feature_names` (d,), `target_names` (the sorted labels), `split` (n,) or None, and
        `DESCR`.

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

    file = _find_file(source) if path is None else Path(path)
    if file is not None:
        table = read_table(file, target)
    elif target is None:
        table = _fetch(source, data_home)
    else:
        raise ValueError(
            f"target={target!r} names the class column of a file: give that file with path=, or "
            "leave target out"
        )
    if return_X_y:
        return table.X, table.y
    split = None  # which samples the authors trained on, if the file has it
    if file is not None and file.suffix.lower() == ".npz":
        split = read_extra(file, "split", len(table.y))
    return Bunch(
        data=table.X,
        target=table.y,
        feature_names=np.array(table.feature_names, dtype=str),
        target_names=np.unique(table.y),
        split=split,
        DESCR=f"{source.description} Loaded from {table.origin}.",
    )


def _find_file(source: _Source) -> Path | None:
    """`<name>.npz` in the folder FEWEST_DATA, if both exist."""
    folder = os.environ.get(_FOLDER_VARIABLE)
    if not folder:
        return None
    if not Path(folder).is_dir():
        raise FileNotFoundError(
            f"the environment variable {_FOLDER_VARIABLE} names {folder}, which is not a folder: "
            "correct it or unset it"
        )
    file = Path(folder) / f"{source.name}.npz"
    return file if file.is_file() else None


def _fetch(source: _Source, data_home: str | os.PathLike[str] | None) -> Table:
    from sklearn.datasets import fetch_openml

    origin = f"OpenML data set {source.openml_id}"
    instead = (
        f"give your own file with path=, or put {source.name}.npz into a folder and name that "
        f"folder in the environment variable {_FOLDER_VARIABLE}"
    )
    try:
        # liac-arff is slower than pandas, but always installed.
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
            f"{source.name}: {origin} has {X.shape[0]} samples, not {source.n_samples}, so it is "
            f"another data set; {instead}"
        )
    labels = y.astype(str) if y.dtype == object else y
    return Table(X, labels, list(fetched.feature_names), origin, file=None, target="class")
