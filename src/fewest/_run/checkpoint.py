"""Results of a long run, kept on disk one by one: a killed run continues where it stopped.

A folder holds `run.json`, which says what the results belong to, and `results.log` with one line
per result: its number, a checksum, and the result as JSON (its numbers are read back exactly).
Lines are only ever appended. Each checksum covers the one before it, and the first one covers
`run.json`: lines of another run, or in another order, do not pass. A line that is incomplete after
a kill fails its checksum too, and the file is cut before it.

Checksums are no signatures, so whoever uses the results must check what they say.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from fewest._memory import TooLargeError, check_size
from fewest._run.files import atomic_write
from fewest._wording import cut, visible

FORMAT = 2
# A kill loses nothing that was written; only a power failure loses what is not synced yet.
_SECONDS_BETWEEN_SYNCS = 1.0
_LARGEST_DESCRIPTION = 2**20  # bytes of run.json


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
        self._identity = {"the format of the folder": FORMAT, **identity}
        self._synced = 0.0
        self._log: IO[bytes]  # since `__enter__`
        self._n_lines, self._chain = 0, ""
        self.results: list[Any] = []

    def __enter__(self) -> Checkpoint:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for name in ("run.json", "results.log"):
                self._require_file(self._folder / name)
            self._log = open(self._folder / "results.log", "a+b")
        except OSError as error:
            raise self._cannot_write(error) from error
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
        start = _start_of_line(self._n_lines + 1, self._chain, content)
        try:
            self._log.write(start + content + b"\n")
            self._log.flush()
            self._go_on(start)
            if time.monotonic() - self._synced > _SECONDS_BETWEEN_SYNCS:
                os.fsync(self._log.fileno())
                self._synced = time.monotonic()
        except OSError as error:
            raise self._cannot_write(error) from error

    def _go_on(self, start: bytes) -> None:
        """The next line continues this one."""
        self._n_lines, self._chain = self._n_lines + 1, start.split()[1].decode()

    def refuse(self, number: int, reason: object) -> CheckpointError:
        """The error for a result, counted from 1, that this run cannot have written."""
        return CheckpointError(
            f"line {number} of {visible(self._folder / 'results.log')} is nothing that this run "
            f"has written: {visible(reason)}. Name an empty or new folder"
        )

    def _cannot_write(self, error: OSError) -> CheckpointError:
        return CheckpointError(
            f"nothing can be kept in the checkpoint folder {visible(self._folder)} "
            f"({error.strerror or visible(error)}). Name a folder that you may write to, on a disk "
            "with room"
        )

    def _require_file(self, path: Path) -> None:
        """A link would lead writing elsewhere; reading a pipe would wait for ever."""
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise CheckpointError(
                f"{visible(path)} is not an ordinary file. Name an empty or new folder"
            )

    def _check_identity(self) -> None:
        path = self._folder / "run.json"
        if not path.exists():
            if os.path.getsize(self._folder / "results.log"):
                raise CheckpointError(
                    f"the checkpoint folder {visible(self._folder)} holds results, but no run.json "
                    "that says what they belong to. Name an empty or new folder"
                )
            try:
                atomic_write(path, json.dumps(self._identity, indent=1) + "\n")
            except OSError as error:
                raise self._cannot_write(error) from error
        wanted = json.loads(json.dumps(self._identity))
        differences = _differences(_read_description(path), wanted)
        if differences:
            raise CheckpointError(
                f"the checkpoint folder {visible(self._folder)} belongs to another run, which "
                f"differs in {'; '.join(differences)}. Name another folder, or repeat the run as "
                "it was"
            )
        self._chain = _digest(json.dumps(wanted, sort_keys=True).encode())

    def _read(self) -> None:
        try:
            check_size(os.path.getsize(self._folder / "results.log"), "it")
        except TooLargeError as error:
            raise CheckpointError(
                f"{visible(self._folder / 'results.log')} cannot be read: {error}. Name an empty "
                "or new folder"
            ) from error
        self._log.seek(0)
        whole = 0
        for line in self._log:
            number, content = self._n_lines + 1, line.removesuffix(b"\n").split(b" ", 2)[-1]
            start = _start_of_line(number, self._chain, content)
            if line != start + content + b"\n":
                break
            try:
                self.results.append(json.loads(content))
            except (ValueError, RecursionError) as error:
                raise self.refuse(number, "it is not JSON, or nested too deeply") from error
            self._go_on(start)
            whole += len(line)
        self._log.truncate(whole)
        self._log.seek(0, os.SEEK_END)


def _start_of_line(number: int, chain: str, content: bytes) -> bytes:
    """Number and checksum; the checksum goes on from that of the line before."""
    checksum = _digest(f"{number} {chain} ".encode() + content)
    return f"{number} {checksum} ".encode()


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def _read_description(path: Path) -> dict[str, Any]:
    """What a folder says about its run."""
    try:
        if path.stat().st_size > _LARGEST_DESCRIPTION:
            raise ValueError("too long")
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, dict):
            raise ValueError("not an object")
    except (ValueError, RecursionError, OSError) as error:
        raise CheckpointError(
            f"{visible(path)} is not the description of a run. Name an empty or new folder"
        ) from error
    return found


def _differences(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """'C (there 1.0, here inf)' for every entry in which two identities differ."""
    names = [*wanted, *(name for name in found if name not in wanted)]
    return [
        f"{cut(name, 60)} (there {cut(found.get(name, 'none'), 60)}, here "
        f"{cut(wanted.get(name, 'none'), 60)})"
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
            f"the checkpoint folder {visible(folder)} is in use by another process. Wait for it, "
            "or name another folder"
        ) from error
