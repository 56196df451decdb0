"""Checkpoint folders: a damaged one is refused or computed again; the result is always the same."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
import zlib
from functools import cache
from pathlib import Path

import numpy as np

from fewest import RepetitiveSelector
from fewest._run.checkpoint import CheckpointError
from fuzzing.mutations.documents import change_document
from fuzzing.mutations.raw import damage
from fuzzing.outcome import Failure, require
from fuzzing.tables import TARGET, run_command

_SUBSETS = 4
_FILES = ("run.json", "results.log")


def check(case: int, folder: Path) -> None:
    rng = random.Random(f"checkpoint {case}")
    kept = folder / "kept"
    for name, content in _whole().items():
        kept.mkdir(exist_ok=True)
        (kept / name).write_bytes(content)
    _change_folder(rng, kept)
    again = folder / "again"
    shutil.copytree(kept, again, symlinks=True)
    _check_library(kept)
    data = folder / "table.csv"
    data.write_text(_table_text())
    command = ["rank", str(data), "--target", TARGET, "--subsets", str(_SUBSETS)]
    run_command([*command, "--checkpoint", str(again), "--quiet"])


def _check_library(kept: Path) -> None:
    X, y = _data()
    try:
        found = _selector(kept).fit(X, y)
    except CheckpointError as error:
        require(str(error), "an error without a message")
        return
    wanted = _selector(None).fit(X, y)
    same = len(found.subsets_) == len(wanted.subsets_) and all(
        np.array_equal(one, two)
        for name in ("subsets_", "coefs_")
        for one, two in zip(getattr(found, name), getattr(wanted, name), strict=True)
    )
    if not same or not np.array_equal(found.ranking_, wanted.ranking_):
        raise Failure("wrong", "the damaged folder was used, and gave another result")


def _selector(kept: Path | None) -> RepetitiveSelector:
    return RepetitiveSelector(n_subsets=_SUBSETS, checkpoint=kept)


@cache
def _data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    y = np.arange(14) % 2
    X = rng.standard_normal((14, 60))
    X[:, :8] += 1.5 * y[:, None]
    return X, np.where(y > 0, "ill", "healthy")


@cache
def _table_text() -> str:
    X, y = _data()
    rows = [",".join([f"g{j}" for j in range(X.shape[1])] + [TARGET])]
    rows += [
        ",".join([*map(repr, x), label]) for x, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    return "\n".join(rows) + "\n"


@cache
def _whole() -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        _selector(Path(folder)).fit(*_data())
        return {name: (Path(folder) / name).read_bytes() for name in _FILES}


def _change_folder(rng: random.Random, kept: Path) -> None:
    path = kept / rng.choice((*_FILES, "results.log", "results.log"))
    content = path.read_bytes()
    match rng.randrange(6):
        case 0:
            path.write_bytes(damage(rng, content))
        case 1:
            path.unlink()
            match rng.randrange(4):
                case 0:
                    path.mkdir()
                case 1:
                    path.symlink_to(kept / "nowhere")
                case 2:
                    path.write_bytes(b"")
        case 2 if path.name == "run.json":
            document = change_document(rng, json.loads(content))
            path.write_text(rng.choice((json.dumps(document), "[" * 5000, "null", "{}", "1e999")))
        case _:
            (kept / "results.log").write_bytes(_change_lines(rng, (kept / "results.log")))


def _change_lines(rng: random.Random, log: Path) -> bytes:
    """Lines swapped, doubled or left out, or with other records whose checksums are right."""
    if not log.is_file():
        return b""
    lines = log.read_bytes().splitlines(keepends=True)
    if not lines:
        return b""
    place = rng.randrange(len(lines))
    match rng.randrange(5):
        case 0:
            rng.shuffle(lines)
        case 1:
            lines.insert(rng.randrange(len(lines) + 1), lines[place])
        case 2:
            del lines[place]
        case _:
            head, content = lines[place].rstrip(b"\n").rsplit(b" ", 1)
            try:
                document = json.loads(content)
            except ValueError:
                return b"".join(lines)
            if isinstance(document, (dict, list)) and document and rng.random() < 0.8:
                document = change_document(rng, document)
            else:
                document = rng.choice((None, {}, [], 1, "x"))
            text = json.dumps(document, separators=(",", ":")).encode()
            if rng.random() < 0.1:
                text = b"[" * 3000 + b"]" * 3000
            # Whatever precedes the checksum stays as it is.
            prefix = head[: -len(b"%08x" % 0)]
            lines[place] = prefix + b"%08x %s\n" % (zlib.crc32(text), text)
    return b"".join(lines)
