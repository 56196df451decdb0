"""Files that are either written completely or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import IO, Any


def atomic_write(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Replace the file at `path` by `content` (text as UTF-8) in one step.

    The content goes to a temporary file in the same folder first, so that an existing file stays as
    it is if anything goes wrong, and no half-written file is ever left behind.

    Parameters
    ----------
    path : str or path-like
        The file; its folder must exist. A link is followed.
    content : str or bytes
        The new content.
    """
    target = _regular_file(path)
    temporary = _temporary_beside(target)
    try:
        with _opened(temporary, content) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:  # an interrupt must clean up as well
        temporary.unlink(missing_ok=True)
        raise


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise an OSError that says why `atomic_write` to this path would fail; call it early.

    Parameters
    ----------
    path : str or path-like
        The file that is to be written later.
    """
    target = _regular_file(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"the folder {target.parent} does not exist")
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(f"the file {target} is write-protected")
    # Asking for permissions is not enough: read-only and full disks show only when one writes.
    probe = _temporary_beside(target)
    try:
        probe.touch(exist_ok=False)
    except OSError as error:
        raise OSError(f"nothing can be written to {target.parent} ({error.strerror})") from error
    finally:
        probe.unlink(missing_ok=True)


def _opened(path: Path, content: str | bytes) -> IO[Any]:
    if isinstance(content, bytes):
        return open(path, "xb")
    return open(path, "x", encoding="utf-8")


def _regular_file(path: str | os.PathLike[str]) -> Path:
    """The file behind links; replacing a folder or a device such as /dev/null is refused."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder, not a file")
    if target.exists() and not target.is_file():
        raise OSError(f"{target} is not an ordinary file")
    return target


def _temporary_beside(target: Path) -> Path:
    return target.with_name(f".fewest-{secrets.token_hex(8)}.tmp")
