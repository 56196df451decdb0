"""Results of a long run, kept on disk one by one: a killed run continues where it stopped.

A folder holds `run.json`, which says what the results belong to, and `results.log` with one line
per result: a checksum and the result as JSON (its numbers are read back exactly). Lines are only
ever appended. A line that is incomplete after a kill fails its checksum, and the file is cut before
it.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from fewest._run.files import atomic_write

# A kill loses nothing that was written; only a power failure loses what is not synced yet.
_SECONDS_BETWEEN_SYNCS = 1.0


class CheckpointError(ValueError):
    """The folder holds results of another run, or cannot be used."""


class Checkpoint:
    """The results in a folder, and a place for more; use it as a context manager.

    Parameters
    ----------
    folder : str or path-like
        Created if it does not exist.
    identity : mapping of str to what JSON can hold
        What the results depend on. A folder with another identity is refused, and the error names
        the entries in which they differ; entries therefore have readable names ("values of X").

    Attributes
    ----------
    results : list
        The results of earlier runs.
    """

    def __init__(self, folder: str | os.PathLike[str], identity: Mapping[str, Any]) -> None:
        self._folder = Path(folder)
        self._identity = dict(identity)
        self._synced = 0.0
        self._log: IO[bytes]  # since `__enter__`
        self.results: list[Any] = []

    def __enter__(self) -> Checkpoint:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._log = open(self._folder / "results.log", "a+b")
        except OSError as error:
            raise CheckpointError(
                f"nothing can be kept in the checkpoint folder {self._folder} ({error.strerror}). "
                "Name a folder that you may write to"
            ) from error
        try:
            _lock(self._log, self._folder)
            self._check_identity()
            self._read()
        except BaseException:
            self._log.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            os.fsync(self._log.fileno())
        self._log.close()

    def append(self, result: Any) -> None:
        """Keep one more result; once this returns, a kill does not lose it."""
        content = json.dumps(result, separators=(",", ":")).encode()
        self._log.write(b"%08x %s\n" % (zlib.crc32(content), content))
        self._log.flush()
        if time.monotonic() - self._synced > _SECONDS_BETWEEN_SYNCS:
            os.fsync(self._log.fileno())
            self._synced = time.monotonic()

    def _check_identity(self) -> None:
        path = self._folder / "run.json"
        if not path.exists():
            if os.path.getsize(self._folder / "results.log"):
                raise CheckpointError(
                    f"the checkpoint folder {self._folder} holds results, but no run.json that "
                    "says what they belong to. Name an empty or new folder"
                )
            atomic_write(path, json.dumps(self._identity, indent=1) + "\n")
            return
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            assert isinstance(found, dict)
        except (ValueError, AssertionError) as error:
            raise CheckpointError(
                f"{path} is not the description of a run. Name an empty or new folder"
            ) from error
        differences = _differences(found, json.loads(json.dumps(self._identity)))
        if differences:
            raise CheckpointError(
                f"the checkpoint folder {self._folder} belongs to another run, which differs in "
                f"{'; '.join(differences)}. Name another folder, or repeat the run as it was"
            )

    def _read(self) -> None:
        self._log.seek(0)
        whole = 0
        for line in self._log:
            checksum, separator, content = line.removesuffix(b"\n").partition(b" ")
            is_whole = separator and line.endswith(b"\n")
            if not is_whole or checksum != b"%08x" % zlib.crc32(content):
                break
            self.results.append(json.loads(content))
            whole += len(line)
        self._log.truncate(whole)
        self._log.seek(0, os.SEEK_END)


def _differences(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """'C (there 1.0, here inf)' for every entry in which two identities differ."""
    names = [*wanted, *(name for name in found if name not in wanted)]
    return [
        f"{name} (there {found.get(name, 'none')}, here {wanted.get(name, 'none')})"
        for name in names
        if found.get(name) != wanted.get(name)
    ]


def _lock(file: IO[bytes], folder: Path) -> None:
    """Refuse a folder in use; the lock ends with the process, however that ends."""
    try:
        import fcntl
    except ImportError:  # this system has no such locks
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise CheckpointError(
            f"the checkpoint folder {folder} is in use by another process. Wait for it, or name "
            "another folder"
        ) from error
