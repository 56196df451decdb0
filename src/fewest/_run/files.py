"""Files and folders that are either written completely or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import secrets
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def atomic_write(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Replace the file at `path` by `content` (text as UTF-8) in one step.

    The content goes to a temporary file in the same folder first. If anything goes wrong, an
    existing file stays as it is, and no incomplete file is left behind.

    Parameters
    ----------
    path : str or path-like
        The file; its folder must exist. Links are followed.
    content : str or bytes
        The new content.
    """
    target = _regular_file(path)
    temporary = _temporary_beside(target)
    try:
        with open(temporary, "xb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:  # an interrupt must clean up as well
        with suppress(OSError):  # on a read-only disk this fails too, and would hide why
            temporary.unlink(missing_ok=True)
        raise
    _remove_stale(target)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise an OSError that says why `atomic_write` to this path would fail; call it early.

    Parameters
    ----------
    path : str or path-like
        The file that is to be written later.
    """
    target = _regular_file(path)
    _refuse_read_only(target.parent)
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(f"the file {target} is write-protected")
    _check_room_beside(target)


def _regular_file(path: str | os.PathLike[str]) -> Path:
    """The file behind links; replacing a folder or a device such as /dev/null is refused."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder, not a file")
    if target.exists() and not target.is_file():
        raise OSError(f"{target} is not an ordinary file")
    return target


def _check_room_beside(target: Path) -> None:
    if not target.parent.is_dir():
        raise FileNotFoundError(f"the folder {target.parent} does not exist")
    # Checking permissions is not enough: read-only and full disks are noticed only by writing.
    _refuse_read_only(target.parent)
    probe = _temporary_beside(target)
    try:
        probe.mkdir()
    except OSError as error:
        raise OSError(f"nothing can be written to {target.parent} ({error.strerror})") from error
    finally:  # an interrupt must clean up as well
        with suppress(OSError):
            probe.rmdir()


def _refuse_read_only(folder: Path) -> None:
    """There, a file looks write-protected, which no right to it would change."""
    try:
        is_read_only = bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except (AttributeError, OSError):  # this system does not say, or there is no such folder
        return
    if is_read_only:
        raise OSError(errno.EROFS, f"{folder} is on a read-only file system")


def _temporary_beside(target: Path) -> Path:
    return target.with_name(f"{_prefix(target)}{os.getpid()}-{secrets.token_hex(8)}.tmp")


def _prefix(target: Path) -> str:
    """How temporary files for this target on this computer begin."""
    place = f"{platform.node()} {target.name}".encode("utf-8", "surrogateescape")
    return f".fewest-{hashlib.blake2b(place, digest_size=6).hexdigest()}-"


def _remove_stale(target: Path) -> None:
    """Remove what processes have left that were killed while they wrote this target."""
    if os.name != "posix":  # others cannot be asked whether a process lives
        return
    prefix = _prefix(target)
    with suppress(OSError):
        for entry in os.scandir(target.parent):
            if entry.name.startswith(prefix) and entry.name.endswith(".tmp"):
                owner = entry.name.removeprefix(prefix).partition("-")[0]
                if owner.isdecimal() and not _is_alive(int(owner)):
                    _remove(entry)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it lives, and belongs to somebody else
        return True
    except OverflowError:
        return False
    return True


def _remove(entry: os.DirEntry[str]) -> None:
    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.path, ignore_errors=True)
    else:
        with suppress(OSError):
            os.unlink(entry.path)


def check_new_folder(path: str | os.PathLike[str], *, replaceable: Collection[str] = ()) -> None:
    """Raise an OSError that says why `whole_folder` at this path would fail; call it early.

    Parameters
    ----------
    path : str or path-like
        The folder that is to appear later; the one above it must exist.
    replaceable : collection of str, optional
        Names of files: a folder that holds no others may be replaced. By default only empty folders
        may.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_dir():
        raise FileExistsError(f"{target} is a file, not a folder")
    held = {entry.name for entry in target.iterdir()} if target.is_dir() else set()
    if others := held.difference(replaceable):
        raise FileExistsError(
            f"the folder {target} is not empty: it holds {min(others)}, which would be lost"
        )
    _check_room_beside(target)


@contextmanager
def whole_folder(
    path: str | os.PathLike[str], *, replaceable: Collection[str] = ()
) -> Iterator[Path]:
    """An empty folder to write files to, which appears at `path` when everything is written.

    After an error or an interrupt it is gone, and what was at `path` before is still there.

    Parameters
    ----------
    path, replaceable
        As in `check_new_folder`.
    """
    check_new_folder(path, replaceable=replaceable)
    target = Path(os.path.realpath(path))
    temporary, aside = _temporary_beside(target), _temporary_beside(target)
    temporary.mkdir()
    try:
        yield temporary
        if target.exists():
            os.rename(target, aside)
        os.rename(temporary, target)
    finally:  # after any interrupt, one complete folder is left
        shutil.rmtree(temporary, ignore_errors=True)
        if target.exists():
            shutil.rmtree(aside, ignore_errors=True)
        elif aside.exists():
            os.rename(aside, target)
    _remove_stale(target)
