"""Data that `fewest select` reads in blocks: files that are larger than memory."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fewest._wording import counted, listed, quoted, visible
from fewest.cli._errors import CommandError
from fewest.cli._reading import naming_options, narrow, split_names
from fewest.stores import Store, open_store
from fewest.tables import InputError, Table
from fewest.tables._arrays import check_classes
from fewest.tables._classes import make_class_table, match_samples, split_classes
from fewest.tables._frame import Header, Request, make_ids
from fewest.tables._labels import tidy_labels
from fewest.tables._read import read_frame
from fewest.tables._suffixes import ALWAYS_IN_BLOCKS
from fewest.tables._together import is_owner, repeats
from fewest.tables._written import CLASSES

# These are read in blocks if they take more than this share of memory.
_IF_LARGE = (".h5ad", ".parquet")
_SHARE = 1 / 4
_Labels: TypeAlias = NDArray[Any]
_Notes: TypeAlias = list[str]


def is_for_blocks(arguments: argparse.Namespace) -> bool:
    """Whether the file is to be read in blocks: by its kind, by its size, or by request."""
    path = Path(arguments.data)
    suffix = path.suffix.lower()
    if arguments.blocks or suffix in ALWAYS_IN_BLOCKS:
        return True
    memory = _find_memory()
    if suffix not in _IF_LARGE or memory is None or not path.is_file():
        return False
    return path.stat().st_size > _SHARE * memory


def _find_memory() -> int | None:
    """Bytes of memory of this computer, where the system tells."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def read_blocks(arguments: argparse.Namespace) -> Table:
    """The table whose X is not read yet."""
    _refuse_options(arguments)
    with naming_options():
        store = _open(arguments)
        target = _find_target(arguments) or _default_target(store)
        covariates = split_names(arguments.covariates)
        others = [_find_beside(store, name, arguments) for name in covariates]
        groups = [_find_beside(store, name, arguments) for name in filter(None, [arguments.groups])]
        read = [_read_labels(store, name) for name in (target, *groups, *others)]
        X, names = _choose_features(store, arguments.drop, arguments.keep)
        unknown = _find_unlabelled([values for values, _ in read], target, arguments)
        kept = np.flatnonzero(~unknown)
        labels = [np.array(values[kept].tolist()) for values, _ in read]
        notes = [_say_blocks(store), *dict.fromkeys(note for _, more in read for note in more)]
        for place, name in enumerate((target, *groups, *others)):
            labels[place], tidied = tidy_labels(labels[place], name, arguments.fold_case)
            notes += tidied
        check_classes(labels[0], target, store.source.name)
    if covariates:
        notes.append("The test of the covariates reads the file many times.")
    if arguments.data.lower().endswith(".bed"):
        notes.append("Missing genotypes count as the mean of their variant.")
    if unknown.any():
        notes.append(
            f"Left out, because they have no class: {unknown.sum()} of {len(unknown)} samples."
        )
    table = Table(
        X=X[kept] if unknown.any() else X,
        y=labels[0],
        feature_names=names,
        origin=visible(arguments.data),
        file=arguments.data,
        target=target,
        dropped=list(arguments.drop),
        notes=notes,
        groups=labels[1] if groups else None,
        owners=[] if groups else _find_owners(store, target),
        covariates=dict(zip(covariates, labels[1 + len(groups) :], strict=True)),
    )
    with naming_options():
        return narrow(table, arguments)


def _find_target(arguments: argparse.Namespace) -> str | None:
    """What --target names, or a column of the file of --classes."""
    if arguments.classes is None or arguments.target is None:
        return arguments.classes or arguments.target
    return f"{arguments.classes}:{arguments.target}"


def _find_beside(store: Store, name: str, arguments: argparse.Namespace) -> str:
    """A label as it is named, or, if the file has none, a column of the file of --classes."""
    if arguments.classes is None or name in store.label_names or _split_file(name) is not None:
        return name
    return f"{split_classes(arguments.classes)[0]}:{name}"


def _find_owners(store: Store, target: str) -> list[str]:
    """Labels that seem to say which samples belong together."""
    return [
        name
        for name in store.label_names
        if name != target and is_owner(name) and repeats(store.read_label(name).tolist())
    ]


def _say_blocks(store: Store) -> str:
    n_blocks = (len(store.source.row_edges) - 1) * (len(store.source.column_edges) - 1)
    return f"Read in {counted(n_blocks, 'block')}, and not kept in memory."


def _refuse_options(arguments: argparse.Namespace) -> None:
    for option, is_given in {
        "--report": arguments.report is not None,
        "--transpose": arguments.transpose,
        "--sheet": arguments.sheet is not None,
        "--names": arguments.names is not None,
        "--ids": arguments.ids is not None,
        "--duplicates": arguments.duplicates != "error",
        f"--missing {arguments.missing}": arguments.missing in ("drop-features", "median"),
        "--certify": arguments.certify,
        "--method psvm": arguments.method == "psvm",
        "--max-features with a range": isinstance(arguments.max_features, list),
    }.items():
        if is_given:
            raise CommandError(
                f"{option} needs all of the data in memory, but {visible(arguments.data)} is read "
                "in blocks.\nLeave it out, or save a smaller table."
            )


def _open(arguments: argparse.Namespace) -> Store:
    path = Path(arguments.data)
    labels: list[str] = []
    if path.suffix.lower() == ".parquet":
        target = _find_target(arguments)
        given = [target, arguments.groups, *split_names(arguments.covariates)]
        labels = [name for name in given if name is not None and _split_file(name) is None]
        if target is None:
            raise InputError(
                f"say which column of {visible(path)} holds the classes (target).", "target"
            )
    key = None if arguments.layer is None else f"layers/{arguments.layer}"
    return open_store(path, key, labels=labels)


def _default_target(store: Store) -> str:
    if "phenotype" in store.label_names:
        return "phenotype"
    known = f"It has: {listed(store.label_names)}." if store.label_names else "It has no labels."
    raise InputError(
        f"say what holds the classes of {store.source.name}: a label, or a table and its column, "
        f"as in --target phenotypes.tsv:case. {known}",
        "target",
    )


def _split_file(name: str) -> tuple[Path, str] | None:
    """The file and the column of FILE:COLUMN; None for anything else."""
    file, colon, column = name.rpartition(":")
    return (Path(file), column) if colon and Path(file).is_file() else None


def _read_labels(store: Store, name: str) -> tuple[_Labels, _Notes]:
    """One value per sample, None if it has none, from the file itself or a table beside it."""
    beside = _split_file(name)
    if beside is not None:
        return _match(store, *beside)
    if ":" in name and name not in store.label_names:
        file = name.rpartition(":")[0]
        raise InputError(f"the file {visible(file)} of {quoted(name)} does not exist.", "target")
    return _with_none(store.read_label(name)), []


def _match(store: Store, file: Path, column: str) -> tuple[_Labels, _Notes]:
    """A column of another table, in the order of the samples; None for those it lacks."""
    frame = read_frame(file, Request(None, needs_classes=False, beside={column: CLASSES}))
    classes = make_class_table(frame)
    classes.header.require(column, "target")
    label: Any = classes.get_label(column)
    values, n = _with_none(np.asarray(label)), store.shape[0]
    if store.sample_names is None:
        if len(values) != n:
            raise InputError(
                f"{visible(file)} has {len(values):,} rows for {n:,} samples.", "target"
            )
        return values, [f"Classes of {visible(file)} are taken in its order: one row per sample."]
    ids = make_ids(None, store.sample_names)
    _, of_classes, rows = match_samples([ids], store.source.name, classes)
    found = np.full(n, None, dtype=object)
    found[rows >= 0] = values[rows[rows >= 0]]
    by = quoted(of_classes.name or "its names")
    return found, [f"Classes of {visible(file)} are matched by {by}."]


def _with_none(labels: NDArray[Any]) -> _Labels:
    """Labels as objects, with None where there is no value."""
    values = labels.tolist()
    missing = ("", "nan", "NA", "None", "<NA>")
    return np.array([None if str(value) in missing else value for value in values], dtype=object)


def _choose_features(
    store: Store, drop: Sequence[str], keep: Sequence[str]
) -> tuple[Any, list[str]]:
    """All columns but those to leave out, with their names.

    Nothing is left out for what it looks like, so what is to be kept has to be there, no more.
    """
    given = store.feature_names
    names = [f"x{place}" for place in range(store.shape[1])] if given is None else given.tolist()
    header = Header(store.source.name, names, "feature")
    for option, asked in (("drop", drop), ("keep", keep)):
        for name in asked:
            header.require(name, option)
    if not drop:
        return store, names
    left_out = set(drop)
    kept = np.array([place for place, name in enumerate(names) if name not in left_out])
    if not len(kept):
        raise InputError(f"{store.source.name} has no features but those left out.", "drop")
    return store.keep(kept), [names[place] for place in kept.tolist()]


def _find_unlabelled(labels: Sequence[_Labels], target: str, arguments: Any) -> NDArray[np.bool_]:
    """Samples without a class or group; an error unless they may be left out.

    PLINK has codes of its own for people without a phenotype.
    """
    unknown = np.any([[value is None for value in of_all] for of_all in labels], axis=0)
    is_usual = arguments.data.lower().endswith(".bed") and target == "phenotype"
    if unknown.any() and not is_usual and arguments.missing != "drop-samples":
        raise InputError(
            f"{quoted(target)} has no value for {counted(int(unknown.sum()), 'sample')} "
            f"({listed(np.flatnonzero(unknown) + 1)}).\nFill it in.",
            "missing",
        )
    return np.asarray(unknown)
