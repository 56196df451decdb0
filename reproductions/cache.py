"""Results kept by content: of the module that computes them, of the package, and of the data."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from fewest._run.files import atomic_write
from reproductions.study import Cell, Measured

ROOT = Path(__file__).resolve().parent
FOLDER = ROOT / ".cache"
_NOT_COMPUTING = {"cli", "report", "plotting", "tables", "model_files"}


def load(cell: Cell, quick: bool, data: Mapping[str, Path]) -> Any:
    """Our numbers of a cell, if nothing that they depend on has changed; else None."""
    path = _path(cell, quick, data)
    if not path.exists():
        return None
    kept = json.loads(path.read_text(encoding="utf-8"))
    return {label: Measured(*numbers) for label, numbers in kept.items()}


def save(cell: Cell, quick: bool, data: Mapping[str, Path], ours: Mapping[str, Measured]) -> None:
    """Keep our numbers of a cell."""
    FOLDER.mkdir(exist_ok=True)
    rows = {label: (one.value, one.sd, one.runs) for label, one in ours.items()}
    atomic_write(_path(cell, quick, data), json.dumps(rows) + "\n")


def _path(cell: Cell, quick: bool, data: Mapping[str, Path]) -> Path:
    """A name that depends on the function, its arguments, the code behind it and the data.

    The study is no part of it: a table and a figure may show the same runs.
    """
    is_partial = isinstance(cell.run, partial)
    run = cell.run.func if is_partial else cell.run
    arguments = f"{cell.run.args} {cell.run.keywords}" if is_partial else ""
    module = Path(str(sys.modules[run.__module__].__file__))
    parts = [run.__qualname__, arguments, str(quick), _digest_package(), _digest((module,))]
    parts += [_digest((path,)) for path in data.values()]
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]
    return FOLDER / f"{module.stem}-{key}.json"


@cache
def _digest_package() -> str:
    """Of all that a result may depend on: what computes, not what reads, writes and draws."""
    source = ROOT.parent / "src" / "fewest"
    package = [
        path
        for path in sorted(source.rglob("*.py"))
        if path.relative_to(source).parts[0] not in _NOT_COMPUTING
    ]
    return _digest((*package, ROOT / "helpers.py"))


@cache
def _digest(paths: tuple[Path, ...]) -> str:
    total = hashlib.sha256()
    for path in paths:
        total.update(path.read_bytes())
    return total.hexdigest()
