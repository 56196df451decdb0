"""Where the tests find the real data sets, which the project does not ship."""

import os
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def real_data():
    """Function that opens a data set by name, or skips the test where it is absent."""
    folder = Path(os.environ.get("FEWEST_DATA", ROOT.parent / "shared" / "data"))

    def open_npz(name):
        path = folder / f"{name}.npz"
        if not path.exists():
            pytest.skip(f"{path.name} is not in $FEWEST_DATA nor in ../shared/data")
        return np.load(path)

    return open_npz
