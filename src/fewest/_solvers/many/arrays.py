"""Arrays that live on a device: the few operations that are needed, for every library alike.

torch and CuPy have their own names for some of them; any other library is asked for its namespace
of the Python array API standard.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_device_array(X: Any) -> bool:
    """Whether X is a matrix of torch, CuPy or another library of the array API, but not numpy."""
    if isinstance(X, (np.ndarray, np.generic)):
        return False
    library = _library_of(X)
    has_namespace = library in _LIBRARIES or hasattr(X, "__array_namespace__")
    return has_namespace and getattr(X, "ndim", 0) == 2


def arrays_like(X: Any) -> Arrays:
    """The operations of the library that X is of, on its device."""
    kind = _LIBRARIES.get(_library_of(X), Arrays)
    return kind(X)


def _library_of(X: Any) -> str:
    return type(X).__module__.partition(".")[0]


class Arrays:
    """Operations of the array API standard, on the device of a given array."""

    def __init__(self, like: Any) -> None:
        self._device: Any = getattr(like, "device", None)
        self.xp = self._namespace(like)

    def _namespace(self, like: Any) -> Any:
        return like.__array_namespace__()

    @property
    def device_name(self) -> str:
        """The device, for people."""
        return str(self._device)

    def put(self, values: NDArray[Any]) -> Any:
        """A copy on the device."""
        return self.xp.asarray(values, device=self._device)

    def fetch(self, values: Any) -> NDArray[Any]:
        """A copy in memory."""
        return np.array(np.from_dlpack(values))

    def cast(self, values: Any, precision: str) -> Any:
        """The same in "float32" or "float64"; not copied if it is that already."""
        return self.xp.astype(values, getattr(self.xp, precision), copy=False)

    def take(self, values: Any, index: NDArray[Any], axis: int) -> Any:
        """Rows or columns with these indices."""
        return self.xp.take(values, self.put(index), axis=axis)

    def join(self, parts: list[Any]) -> Any:
        """Arrays side by side."""
        return parts[0] if len(parts) == 1 else self.xp.concat(parts, axis=1)

    def largest(self, values: Any, count: int) -> tuple[Any, Any]:
        """The largest values of every row, in any order, and their places."""
        places = self.xp.argsort(values, axis=1, descending=True)[:, :count]
        return self.xp.take_along_axis(values, places, axis=1), places

    def take_along(self, values: Any, places: Any) -> Any:
        """Of every row the values at its places."""
        return self.xp.take_along_axis(values, places, axis=1)

    def winners(self, values: Any) -> tuple[Any, Any]:
        """The largest value along the last of three axes, and its place."""
        return self.xp.max(values, axis=2), self.xp.argmax(values, axis=2)

    def places_of(self, mask: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """Rows and columns where a mask is true."""
        rows, columns = self.xp.nonzero(mask)
        return self.fetch(rows), self.fetch(columns)

    def wait(self) -> None:
        """Wait until the device has done all that it was told to do."""

    def free(self) -> None:
        """Give back memory that the library keeps for later."""


class _TorchArrays(Arrays):
    def _namespace(self, like: Any) -> Any:
        import torch

        return torch

    @property
    def device_name(self) -> str:
        if self._device.type == "cuda":
            return str(self.xp.cuda.get_device_name(self._device))
        return str(self._device)

    def put(self, values: NDArray[Any]) -> Any:
        return self.xp.from_numpy(np.ascontiguousarray(values)).to(self._device)

    def fetch(self, values: Any) -> NDArray[Any]:
        return np.array(values.detach().cpu().numpy())

    def cast(self, values: Any, precision: str) -> Any:
        return values.to(getattr(self.xp, precision))

    def take(self, values: Any, index: NDArray[Any], axis: int) -> Any:
        return values.index_select(axis, self.put(index.astype(np.int64)))

    def join(self, parts: list[Any]) -> Any:
        return parts[0] if len(parts) == 1 else self.xp.cat(parts, dim=1)

    def largest(self, values: Any, count: int) -> tuple[Any, Any]:
        found = self.xp.topk(values, count, dim=1, sorted=False)
        return found.values, found.indices

    def take_along(self, values: Any, places: Any) -> Any:
        return self.xp.gather(values, 1, places)

    def winners(self, values: Any) -> tuple[Any, Any]:
        found = values.max(dim=2)
        return found.values, found.indices

    def places_of(self, mask: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        rows, columns = self.xp.nonzero(mask, as_tuple=True)
        return self.fetch(rows), self.fetch(columns)

    def wait(self) -> None:
        if self._device.type == "cuda":
            self.xp.cuda.synchronize(self._device)

    def free(self) -> None:
        if self._device.type == "cuda":
            self.xp.cuda.empty_cache()


class _CupyArrays(Arrays):
    def _namespace(self, like: Any) -> Any:
        import cupy

        return cupy

    @property
    def device_name(self) -> str:
        name = self.xp.cuda.runtime.getDeviceProperties(self._device.id)["name"]
        return name.decode() if isinstance(name, bytes) else str(name)

    def put(self, values: NDArray[Any]) -> Any:
        with self._device:
            return self.xp.asarray(values)

    def fetch(self, values: Any) -> NDArray[Any]:
        return np.asarray(self.xp.asnumpy(values))

    def cast(self, values: Any, precision: str) -> Any:
        return values.astype(precision, copy=False)

    def join(self, parts: list[Any]) -> Any:
        return parts[0] if len(parts) == 1 else self.xp.concatenate(parts, axis=1)

    def largest(self, values: Any, count: int) -> tuple[Any, Any]:
        places = self.xp.argsort(values, axis=1)[:, -count:]
        return self.xp.take_along_axis(values, places, axis=1), places

    def wait(self) -> None:
        self._device.synchronize()

    def free(self) -> None:
        self.xp.get_default_memory_pool().free_all_blocks()


_LIBRARIES: dict[str, Callable[[Any], Arrays]] = {"torch": _TorchArrays, "cupy": _CupyArrays}


def is_out_of_memory(error: BaseException) -> bool:
    """Whether a device, or this computer, has not enough memory for what was tried."""
    return isinstance(error, MemoryError) or "out of memory" in str(error).lower()
