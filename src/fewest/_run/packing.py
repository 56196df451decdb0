"""Jobs pickled without their large arrays, which are sent apart from them; for Dask only."""

from __future__ import annotations

import io
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
from cloudpickle import CloudPickler  # comes with Dask
from joblib import parallel_config

# Bytes from which an array is sent apart from the jobs that hold it.
_LARGE = 1 << 14


def run_packed(packed: bytes, places: Sequence[int], *arrays: Any) -> Any:
    """Run a job on a worker, where its arrays are; what is parallel within it stays there."""
    reader = _Unpickler(io.BytesIO(packed))
    reader.arrays = dict(zip(places, arrays, strict=True))
    function, job = reader.load()
    # Joblib would spread parts of the job over the cluster again, and X with each of them.
    with parallel_config(backend="threading", n_jobs=1):
        return function(*job)


class Arrays:
    """The large arrays of all jobs, each once."""

    def __init__(self) -> None:
        self.found: list[Any] = []
        self._places: dict[int, int] = {}

    def pack(self, job: Any) -> tuple[bytes, list[int]]:
        """The job without its large arrays, and their places among those of all jobs."""
        out = io.BytesIO()
        pickler = _Pickler(out, protocol=pickle.HIGHEST_PROTOCOL)
        pickler.arrays, pickler.used = self, set()
        pickler.dump(job)
        return out.getvalue(), sorted(pickler.used)

    def find_place(self, array: Any) -> int:
        """Its place in the list; arrays are told apart by identity, and kept alive by the list."""
        place = self._places.setdefault(id(array), len(self.found))
        if place == len(self.found):
            self.found.append(array)
        return place


class _Pickler(CloudPickler):
    arrays: Arrays
    used: set[int]

    def persistent_id(self, value: Any) -> int | None:
        """The place of a large array, which is left out; None for all that is pickled."""
        if not isinstance(value, np.ndarray) or value.dtype.hasobject or value.nbytes < _LARGE:
            return None
        place = self.arrays.find_place(value)
        self.used.add(place)
        return place


class _Unpickler(pickle.Unpickler):
    arrays: dict[int, Any]

    def persistent_load(self, place: int) -> Any:
        """The array that was left out."""
        return self.arrays[place]
