"""Results kept by content: of the code that computes them, of the package, and of the data."""

from __future__ import annotations

import ast
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

    The study is no part of it: a table and a figure may show the same runs. Nor are the paper's
    numbers and the sentences about them.
    """
    is_partial = isinstance(cell.run, partial)
    run = cell.run.func if is_partial else cell.run
    arguments = f"{cell.run.args} {cell.run.keywords}" if is_partial else ""
    module = Path(str(sys.modules[run.__module__].__file__))
    code = "\n".join(sorted(_trace(module, run.__name__, set())))
    parts = [run.__qualname__, arguments, str(quick), _digest_package(), code]
    parts += [_digest((path,)) for path in data.values()]
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]
    return FOLDER / f"{module.stem}-{key}.json"


def _trace(module: Path, name: str, seen: set[tuple[Path, str]]) -> list[str]:
    """What a name at the top of a module stands for, and all that this uses in turn."""
    known = _parse(module)
    if (module, name) in seen or name not in known:
        return []
    seen.add((module, name))
    found = []
    for statement in known[name]:
        found.append(ast.dump(statement))
        if isinstance(statement, ast.ImportFrom):
            found += _trace_import(statement, name, seen)
        used = {one.id for one in ast.walk(statement) if isinstance(one, ast.Name)}
        for other in used:
            found += _trace(module, other, seen)
    return found


def _trace_import(statement: ast.ImportFrom, name: str, seen: set[tuple[Path, str]]) -> list[str]:
    """What was imported from another file here; the package is digested as a whole."""
    source = ROOT.parent / str(statement.module).replace(".", "/")
    original = next(one.name for one in statement.names if (one.asname or one.name) == name)
    if source == ROOT:  # from reproductions import module
        return [_digest((ROOT / f"{original}.py",))]
    file = source.with_suffix(".py")
    return _trace(file, original, seen) if file.exists() else []


@cache
def _parse(module: Path) -> Mapping[str, list[ast.stmt]]:
    """The statements at the top of a module by the names that they bind."""
    known: dict[str, list[ast.stmt]] = {}
    for statement in ast.parse(module.read_text(encoding="utf-8")).body:
        for name in _list_bound(statement):
            known.setdefault(name, []).append(statement)
    return known


def _list_bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {one.asname or one.name.split(".")[0] for one in statement.names}
    stored = (one for one in ast.walk(statement) if isinstance(one, ast.Name))
    return {one.id for one in stored if isinstance(one.ctx, ast.Store)}


@cache
def _digest_package() -> str:
    """Of all that a result may depend on: what computes, not what reads, writes and draws."""
    source = ROOT.parent / "src" / "fewest"
    package = [
        path
        for path in sorted(source.rglob("*.py"))
        if path.relative_to(source).parts[0] not in _NOT_COMPUTING
    ]
    return _digest(tuple(package))


@cache
def _digest(paths: tuple[Path, ...]) -> str:
    total = hashlib.sha256()
    for path in paths:
        total.update(path.read_bytes())
    return total.hexdigest()
