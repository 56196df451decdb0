"""Arrays outside numpy: a strict library of the array API, and torch and CuPy where they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

LIBRARIES = ("array_api_strict", "torch", "cupy")


def put(library: str, X: np.ndarray) -> Any:
    """X as an array of this library; on a graphics processor, if there is one."""
    module = pytest.importorskip(library)
    if library == "torch":
        device = "cuda" if module.cuda.is_available() else "cpu"
        return module.from_numpy(np.ascontiguousarray(X)).to(device)
    if library == "cupy" and not module.cuda.is_available():
        pytest.skip("there is no device for CuPy")
    return module.asarray(X)
