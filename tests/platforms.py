"""What only some systems have: tests that need it are skipped elsewhere, with the reason."""

from __future__ import annotations

import os
import shutil
import sys

import pytest

# `/dev/full` and `/proc` are Linux's own; Windows has neither POSIX signals nor terminals, and its
# files are protected by lists of rights, which chmod does not change.
_IS_HERE = {
    "POSIX signals": os.name == "posix",
    "POSIX permissions": os.name == "posix",
    "pseudo-terminals": os.name == "posix",
    "device files": os.path.exists("/dev/null"),
    "bash": os.name == "posix" and shutil.which("bash") is not None,
    "/dev/full": os.path.exists("/dev/full"),
    "single reads": hasattr(os, "pread"),
    "/proc": os.path.exists("/proc/self"),
    "limits on the size of files": sys.platform == "linux" and shutil.which("bash") is not None,
}


def needs(what: str) -> pytest.MarkDecorator:
    """Mark of tests that are skipped where the system lacks this."""
    return pytest.mark.skipif(not _IS_HERE[what], reason=_reason(what))


def require(what: str) -> None:
    """Skip the present test where the system lacks this."""
    if not _IS_HERE[what]:
        pytest.skip(_reason(what))


def _reason(what: str) -> str:
    return f"this system has no {what}"
