"""Illumination correction and downsampling: the borders, the voxels left, and the speed.

python -m benchmarks.imaging
"""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.ndimage import gaussian_filter

from benchmarks.timing import row, side_by_side
from fewest.imaging import correct_illumination, downsample, downsampled_mask, upsample

BOUNDARIES = ("replicate", "circular", "linear", "polynomial")
_VOXELS = 50_989


def cosine_fourth(height: int = 1024, width: int = 1280, brightest: float = 200.0) -> np.ndarray:
    """Natural vignetting, I0 cos^4(angle): a sensor of 36 x 24 mm behind a lens of 10 mm."""
    y = ((np.arange(height) + 0.5) / height - 0.5) * 24.0
    x = ((np.arange(width) + 0.5) / width - 0.5) * 36.0
    return brightest * (1 + (y[:, None] ** 2 + x**2) / 10.0**2) ** -2.0


def change_at_border(image: np.ndarray, width: int = 20) -> float:
    """The largest change along a line across the outermost `width` pixels, over all four sides."""
    turned = (np.rot90(image, quarter) for quarter in range(4))
    return max(float(np.ptp(side[:width], axis=0).max()) for side in turned)


def brain_like_mask(voxels: int = _VOXELS, shape: tuple[int, ...] = (53, 63, 46)) -> np.ndarray:
    """An ellipsoid: the voxels nearest to the centre of a box, in units of its sides."""
    axes = [(np.arange(size) - (size - 1) / 2) / size for size in shape]
    distance = sum(np.square(part) for part in np.meshgrid(*axes, indexing="ij"))
    mask = np.zeros(shape, dtype=bool)
    mask.ravel()[np.argsort(distance, axis=None, kind="stable")[:voxels]] = True
    return mask


def vignetting() -> None:
    image = cosine_fourth()
    asked = {"replicate": "visibly more", "linear": "below 1", "polynomial": "below 1"}
    for boundary in BOUNDARIES:
        change = change_at_border(correct_illumination(image, levels=5, boundary=boundary))
        what = f"grey levels across 20 pixels at the border, {boundary}"
        row(what, f"{change:.2f}", asked.get(boundary, ""))


def voxels_left() -> None:
    mask = brain_like_mask()
    counts = [int(downsampled_mask(mask, level).sum()) for level in range(4)]
    row("voxels of an ellipsoid at levels 0 to 3", " ".join(map(str, counts)), "6,400 790 100")
    ramp = np.einsum("ijkl,i->jkl", np.indices(mask.shape), [1.0, -2.0, 0.5])
    for name, volume in (("constant", np.full(mask.shape, 7.0)), ("ramp", ramp)):
        small = downsampled_mask(mask, 3)
        down = downsample(volume, 3, mask=mask)
        error = np.abs(down - volume[::8, ::8, ::8])[small].max()
        row(f"largest error of a {name} downsampled three times", f"{error:.1e}", "below 1e-12")
        back = np.abs(upsample(down, 3, mask.shape, mask=mask) - volume)[mask]
        row(f"largest error of a {name} upsampled again", f"{back.max():.1e}")


def speed() -> None:
    image = np.random.default_rng(0).uniform(0, 255, (4096, 4096))
    taken = side_by_side(
        {
            "gaussian": partial(gaussian_filter, image, sigma=32),
            **{name: partial(correct_illumination, image, boundary=name) for name in BOUNDARIES},
        },
        rounds=3,
    )
    for name in BOUNDARIES:
        row(
            f"correction, {name} / gaussian_filter(sigma=32), 4096 x 4096",
            f"{taken[name] / taken['gaussian']:.2f}",
            "below 4",
        )


def main() -> None:
    print("Images")
    vignetting()
    voxels_left()
    speed()


if __name__ == "__main__":
    main()
