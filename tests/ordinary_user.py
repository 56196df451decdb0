"""A way for root to run commands without the right to read and write everything."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from tests.platforms import require

_WITHOUT_THE_RIGHT = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


def as_ordinary_user() -> list[str]:
    """What to put before a command, so that it obeys the permissions of files."""
    require("POSIX permissions")
    if os.geteuid() != 0:
        return []
    if not shutil.which("setpriv"):
        pytest.skip("root may read and write everything, and setpriv is not installed")
    if subprocess.run([*_WITHOUT_THE_RIGHT, "true"], capture_output=True, check=False).returncode:
        pytest.skip("root may read and write everything, and may not give that up here")
    return _WITHOUT_THE_RIGHT
