"""Data sets of the NIPS 2003 and agnostic learning challenges, from your own folder.

The challenges provide text files that must not be redistributed: `<name>_train.data` with one
sample per line, `<name>_train.labels` with one -1 or 1 per line, the same for `valid` and (mostly
without labels) `test`, and `<name>.param`. Samples are written in one of three ways: all values
(ARCENE, GISETTE, MADELON, ADA, GINA, HIVA, SYLVA), `place:value` of those that are not zero
(DEXTER), or the places of the ones (DOROTHEA, NOVA); places count from one.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest._types import IndexArray

if TYPE_CHECKING:
    from sklearn.utils import Bunch

__all__ = ["load_challenge"]

_PARTS = ("train", "valid", "test")


def load_challenge(
    name: str, folder: str | os.PathLike[str], *, n_features: int | None = None
) -> Bunch:
    r"""A data set of the feature selection or the agnostic learning challenge, from its own files.

    Parameters
    ----------
    name : str
        Beginning of the file names, such as "arcene", "dexter", "dorothea", "gisette", "madelon",
        "ada", "gina", "hiva", "nova" or "sylva".
    folder : str or path-like
        Where `<name>_train.data` and `<name>_train.labels` are; the parts `valid` and `test` and
        the file `<name>.param` are used if they exist.
    n_features : int, optional
        Number of features of data written by places. By default what `<name>.param` says, or else
        the largest place that occurs.

    Returns
    -------
    Bunch
        With `data` (n, d), a CSR matrix if the file has places; `target` (n,) with -1 and 1;
        `split` (n,), the part that each sample belongs to; `unlabelled`, the samples of parts
        without labels by their names; `feature_names`, `target_names` and `DESCR`.

    References
    ----------
    Guyon, Gunn, Nikravesh, Zadeh (2006). Feature extraction, foundations and applications. Guyon,
    Saffari, Dror, Cawley (2007). Agnostic learning vs. prior knowledge challenge. The sets that
    Pranckeviciene & Somorjai (2011) use in sec. 8.6.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from fewest.datasets import load_challenge
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "toy_train.data").write_text("1:5 3:2\n2:7\n")
    ...     _ = Path(folder, "toy_train.labels").write_text("1\n-1\n")
    ...     bunch = load_challenge("toy", folder)
    >>> bunch.data.toarray().tolist(), bunch.target.tolist(), bunch.split.tolist()
    ([[5.0, 0.0, 2.0], [0.0, 7.0, 0.0]], [1, -1], ['train', 'train'])
    """
    from scipy import sparse
    from sklearn.utils import Bunch

    place = Path(folder)
    files = {part: place / f"{name}_{part}.data" for part in _PARTS}
    if not files["train"].is_file():
        raise FileNotFoundError(
            f"there is no file {files['train'].name} in {place}: name the data set as its files "
            "begin, and unpack the archive of the challenge there"
        )
    described = place / f"{name}.param"
    params = described.read_text(encoding="utf-8", errors="replace") if described.is_file() else ""
    lines = {part: _read_lines(path) for part, path in files.items() if path.is_file()}
    kind = _find_kind(params, lines["train"])
    parsed = {part: _parse(kind, rows, files[part]) for part, rows in lines.items()}
    width = _find_width(kind, parsed, params, n_features, files["train"])
    labels = {part: _read_labels(place / f"{name}_{part}.labels", parsed[part]) for part in parsed}
    known = [part for part in parsed if labels[part] is not None]
    if "train" not in known:
        raise FileNotFoundError(f"there is no file {name}_train.labels in {place}")
    matrices = {part: _fill(kind, rows, width) for part, rows in parsed.items()}
    stacked = [matrices[part] for part in known]
    return Bunch(
        data=np.vstack(stacked) if kind == "dense" else sparse.vstack(stacked, format="csr"),
        target=np.concatenate([labels[part] for part in known]),
        split=np.repeat(known, [len(parsed[part]) for part in known]),
        unlabelled={part: one for part, one in matrices.items() if part not in known},
        feature_names=np.array([f"x{column}" for column in range(width)]),
        target_names=np.array([-1, 1]),
        DESCR=f"{name}, read from {place}.",
    )


def _read_lines(path: Path) -> list[list[str]]:
    """The words of every line; empty lines at the end do not count."""
    lines = path.read_text(encoding="ascii", errors="replace").rstrip().split("\n")
    return [line.split() for line in lines]


def _find_kind(params: str, rows: list[list[str]]) -> str:
    """How the samples are written: "dense", "sparse" (place:value) or "binary" (places)."""
    if any(":" in row[0] for row in rows if row):
        return "sparse"
    stated = re.search(r"data type\s*[:=]\s*(\S+)", params, re.IGNORECASE)
    if stated is not None:
        word = stated.group(1).lower()
        return "dense" if word.startswith(("non", "dense")) else "binary"
    return "dense" if len({len(row) for row in rows}) == 1 else "binary"


def _parse(kind: str, rows: list[list[str]], path: Path) -> list[tuple[IndexArray, Any]]:
    """Places (from zero) and values of every sample."""
    found = []
    for number, row in enumerate(rows, start=1):
        try:
            if kind == "dense":
                values = np.array(row, dtype=np.float64)
                places = np.arange(len(values))
            elif kind == "binary":
                places = np.array(row, dtype=np.intp) - 1
                values = np.ones(len(places))
            else:
                pairs = [word.split(":") for word in row]
                places = np.array([pair[0] for pair in pairs], dtype=np.intp) - 1
                values = np.array([pair[1] for pair in pairs], dtype=np.float64)
        except (ValueError, IndexError):
            raise ValueError(
                f"{path.name}, line {number}: cannot be read as {_WAYS[kind]}"
            ) from None
        if len(places) and places.min() < 0:
            raise ValueError(f"{path.name}, line {number}: places count from 1, but one is below")
        found.append((places, values))
    return found


_WAYS = {
    "dense": "numbers, one for each feature",
    "sparse": "place:value pairs",
    "binary": "places, whole numbers from 1",
}


def _find_width(
    kind: str,
    parsed: dict[str, list[tuple[IndexArray, Any]]],
    params: str,
    n_features: int | None,
    train: Path,
) -> int:
    rows = [places for part in parsed.values() for places, _ in part]
    largest = max((int(places.max()) + 1 for places in rows if len(places)), default=0)
    if kind == "dense":
        if len({len(places) for places in rows}) > 1:
            raise ValueError(
                f"{train.name}: lines have different numbers of values, but all features are "
                "written out"
            )
        return largest
    stated = re.search(
        r"(?:number of features|feature number|feat_num)\s*[:=]\s*(\d+)", params, re.IGNORECASE
    )
    width = n_features or (int(stated.group(1)) if stated else largest)
    if width < largest:
        raise ValueError(
            f"{train.name}: place {largest} occurs, but there are {width} features: correct "
            "n_features or the .param file"
        )
    return width


def _read_labels(path: Path, rows: list[Any]) -> NDArray[np.intp] | None:
    if not path.is_file():
        return None
    try:
        labels = np.array(path.read_text(encoding="ascii").split(), dtype=np.intp)
    except ValueError:
        raise ValueError(f"{path.name} must hold -1 and 1, one per line") from None
    if len(labels) != len(rows) or not np.isin(labels, (-1, 1)).all():
        raise ValueError(
            f"{path.name} must hold -1 or 1 for each of {len(rows)} samples; it has {len(labels)} "
            "labels" + ("" if np.isin(labels, (-1, 1)).all() else ", others among them")
        )
    return labels


def _fill(kind: str, rows: list[tuple[IndexArray, Any]], width: int) -> Any:
    if kind == "dense":
        return np.array([values for _, values in rows])
    from scipy import sparse  # importing the generators should not wait for it

    ends = np.cumsum([0, *(len(places) for places, _ in rows)])
    places = np.concatenate([places for places, _ in rows])
    values = np.concatenate([values for _, values in rows])
    matrix = sparse.csr_matrix((values, places, ends), shape=(len(rows), width))
    matrix.sort_indices()
    return matrix
