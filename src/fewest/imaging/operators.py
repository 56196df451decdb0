"""The pyramid's steps as linear operators: built once for a grid, applied to many images.

The filter is the binomial kernel (1, 4, 6, 4, 1) / 16 along each axis.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.ndimage import maximum_filter
from scipy.sparse.linalg import LinearOperator

from fewest._types import BoolArray, FloatArray
from fewest.imaging._checks import check_grid, halve_shape, level_grids, only_inside, reduce_mask
from fewest.imaging._extension import Extension

__all__ = ["Correction", "Expansion", "ImageOperator", "Reduction"]

_REACH = 2  # of the binomial kernel, on either side


class ImageOperator(ABC):
    """A linear map A from images of `shape` to images of `result_shape`.

    Images may have further axes after those of the grid (channels, volumes of a series); each is
    treated separately. Values outside a mask are not read, and are zero in results.
    """

    shape: tuple[int, ...]
    result_shape: tuple[int, ...]

    @abstractmethod
    def _forward(self, image: FloatArray) -> FloatArray: ...

    @abstractmethod
    def _adjoint(self, result: FloatArray) -> FloatArray: ...

    def forward(self, image: ArrayLike) -> FloatArray:
        """A applied to an image, or to each of several."""
        flat, behind = _with_one_axis_behind(image, self.shape)
        return self._forward(flat).reshape(self.result_shape + behind)

    def adjoint(self, result: ArrayLike) -> FloatArray:
        """The adjoint of A: <A f, g> = <f, A' g> for all images f and g."""
        flat, behind = _with_one_axis_behind(result, self.result_shape)
        return self._adjoint(flat).reshape(self.shape + behind)

    def as_linear_operator(self) -> LinearOperator:
        """The operator for images as vectors in C order, for the solvers of scipy."""
        return LinearOperator(
            (int(np.prod(self.result_shape)), int(np.prod(self.shape))),
            matvec=lambda f: self.forward(f.reshape(self.shape)).ravel(),
            rmatvec=lambda g: self.adjoint(g.reshape(self.result_shape)).ravel(),
            dtype=np.float64,
        )


class Reduction(ImageOperator):
    """Low-pass filter, then every second pixel: (reduce f)(x) = (h * f')(2 x).

    h is the binomial kernel (1, 4, 6, 4, 1) / 16 along each axis, and f' the image extended by the
    boundary rule.

    Parameters
    ----------
    shape : tuple of int
        Shape of the images; two or three dimensions.
    mask : array of that shape, optional
        The pixels to use; those of the result are every second of them.
    boundary : {"polynomial", "linear", "replicate", "circular"} or callable
        How the image is extended; see `fewest.imaging.boundaries`.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.imaging import Reduction
    >>> halve = Reduction((6, 6), boundary="linear")
    >>> ramp = np.arange(6.0) + np.zeros((6, 1))
    >>> halve.forward(ramp)[0]
    array([0., 2., 4.])
    """

    def __init__(
        self, shape: Any, mask: ArrayLike | None = None, boundary: Any = "polynomial"
    ) -> None:
        self.shape, self.mask = grid = check_grid(shape, mask)
        _, (self.result_shape, self.result_mask) = level_grids(grid, 1)
        needed = _touched_by_samples(self.shape, self.result_mask)
        self._extension = Extension(grid, needed, _REACH, boundary)

    def _forward(self, image: FloatArray) -> FloatArray:
        values = self._extension.forward(image)
        for axis, size in enumerate(self.result_shape):
            values = _sample(values, axis, size)
        return only_inside(values, self.result_mask)

    def _adjoint(self, result: FloatArray) -> FloatArray:
        values = only_inside(result, self.result_mask)
        for axis, length in enumerate(self._extension.extended_shape):
            values = _spread(values, axis, length)
        return self._extension.adjoint(values)


class Expansion(ImageOperator):
    """Back to twice the resolution: expand g = 2^d h * (g' with zeros in between).

    g' is the small image extended by the boundary rule. Extending the small image, and not the
    border of the large one, works for masks of any shape: all pixels that determine a pixel of the
    large image exist.

    Parameters
    ----------
    shape : tuple of int
        Shape of the large images, the results; two or three dimensions.
    mask : array of that shape, optional
        The pixels of the large images to use.
    boundary : {"polynomial", "linear", "replicate", "circular"} or callable
        How the small image is extended; see `fewest.imaging.boundaries`.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.imaging import Expansion
    >>> double = Expansion((5, 5), boundary="linear")
    >>> double.forward(np.arange(0.0, 6.0, 2.0) + np.zeros((3, 1)))[0]
    array([0., 1., 2., 3., 4.])
    """

    def __init__(
        self, shape: Any, mask: ArrayLike | None = None, boundary: Any = "polynomial"
    ) -> None:
        self.result_shape, self.result_mask = grid = check_grid(shape, mask)
        _, small = level_grids(grid, 1)
        self.shape, self.mask = small
        self._extension = Extension(small, _touched_by_all(*grid), 1, boundary)

    def _forward(self, image: FloatArray) -> FloatArray:
        values = self._extension.forward(image)
        for axis, size in enumerate(self.result_shape):
            values = _spread(2 * values, axis, self._spread_length(axis))
            values = values[(*(slice(None),) * axis, slice(4, 4 + size))]
        return only_inside(values, self.result_mask)

    def _adjoint(self, result: FloatArray) -> FloatArray:
        values = only_inside(result, self.result_mask)
        for axis, size in enumerate(self.result_shape):
            margins = [(0, 0)] * values.ndim
            margins[axis] = (4, self._spread_length(axis) - 4 - size)
            values = 2 * _sample(np.pad(values, margins), axis, self.shape[axis] + 2)
        return self._extension.adjoint(values)

    def _spread_length(self, axis: int) -> int:
        """The small image with one pixel more on each side begins four pixels before the large."""
        return 2 * (self.shape[axis] + 2) + 3


class Correction(ImageOperator):
    """The image without its low frequencies, with its original mean: f - low(f) + mean(f).

    low is `levels` reductions, followed by as many expansions.
    """

    def __init__(
        self,
        shape: Any,
        levels: int = 5,
        mask: ArrayLike | None = None,
        boundary: Any = "polynomial",
    ) -> None:
        self.shape, self.mask = grid = check_grid(shape, mask)
        self.result_shape = self.shape
        grids = level_grids(grid, levels, least=1)[:-1]
        down = [Reduction(*grid, boundary) for grid in grids]
        up = [Expansion(*grid, boundary) for grid in reversed(grids)]
        self._low_pass: list[ImageOperator] = [*down, *up]

    def _forward(self, image: FloatArray) -> FloatArray:
        low = image
        for step in self._low_pass:
            low = step._forward(low)
        return self._correct(image, low)

    def _adjoint(self, result: FloatArray) -> FloatArray:
        low = result
        for step in reversed(self._low_pass):
            low = step._adjoint(low)
        return self._correct(result, low)

    def _correct(self, image: FloatArray, low: FloatArray) -> FloatArray:
        grid = tuple(range(image.ndim - 1))
        mean = image.mean(axis=grid) if self.mask is None else image[self.mask].mean(axis=0)
        difference = np.subtract(image, low, out=low)
        difference += mean
        return only_inside(difference, self.mask)


def _with_one_axis_behind(
    image: ArrayLike, shape: tuple[int, ...]
) -> tuple[FloatArray, tuple[int, ...]]:
    array = np.asarray(image, dtype=np.float64)
    d = len(shape)
    if array.shape[:d] != shape:
        raise ValueError(f"this operator takes images of shape {shape}; got {array.shape}")
    return array.reshape(*shape, -1), array.shape[d:]


def _touched_by_samples(shape: tuple[int, ...], sampled_mask: BoolArray | None) -> BoolArray:
    """Pixels, with a margin, that the kernel reaches from the pixels of the reduced mask.

    With an even number of pixels, the last sample is the last pixel but one, so one pixel beyond
    the grid is enough.
    """
    extended = tuple(2 * size - 1 + 2 * _REACH for size in halve_shape(shape))
    if sampled_mask is None:
        return np.ones(extended, dtype=bool)
    centres = np.zeros(extended, dtype=bool)
    centres[tuple(slice(_REACH, _REACH + size, 2) for size in shape)] = sampled_mask
    return maximum_filter(centres, 2 * _REACH + 1, mode="constant")


def _touched_by_all(shape: tuple[int, ...], mask: BoolArray | None) -> BoolArray:
    """Pixels of the reduced grid, with a margin of one, that determine the mask's pixels."""
    if mask is None:
        return np.ones(tuple(size + 2 for size in halve_shape(shape)), dtype=bool)
    return reduce_mask(maximum_filter(np.pad(mask, _REACH), 2 * _REACH + 1, mode="constant"))


def _sample(values: FloatArray, axis: int, count: int) -> FloatArray:
    """Filter, keeping every second value: out[k] = sum_j h[j] values[2 k + j] for k < count."""
    first, second, middle, fourth, last = (_every_second(axis, j, count) for j in range(5))
    out = values[second] + values[fourth]
    out *= 4
    out += values[first]
    out += values[last]
    out += 6 * values[middle]
    out /= 16
    return out


def _spread(values: FloatArray, axis: int, length: int) -> FloatArray:
    """The adjoint of `_sample`: each value is spread over the places it was computed from."""
    count = values.shape[axis]
    out = np.zeros((*values.shape[:axis], length, *values.shape[axis + 1 :]))
    for j, weight in enumerate((1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16)):
        out[_every_second(axis, j, count)] += weight * values
    return out


def _every_second(axis: int, start: int, count: int) -> tuple[slice, ...]:
    return (*(slice(None),) * axis, slice(start, start + 2 * count - 1, 2))
