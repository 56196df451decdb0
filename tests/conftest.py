"""Where the tests find the real data sets, which the project does not ship."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent

# Shells start commands in the background with Ctrl-C ignored, and all that these start inherits it:
# the tests that send one would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def real_file():
    """Function that finds a file of real data by name, or skips the test where it is absent."""
    folder = Path(os.environ.get("FEWEST_DATA", ROOT.parent / "shared" / "data"))

    def find(name):
        path = folder / name
        if not path.exists():
            pytest.skip(f"{path.name} is not in $FEWEST_DATA nor in ../shared/data")
        return path

    return find


@pytest.fixture(scope="session")
def real_data(real_file):
    """Function that opens a data set by name, or skips the test where it is absent."""

    def open_npz(name):
        return np.load(real_file(f"{name}.npz"))

    return open_npz
