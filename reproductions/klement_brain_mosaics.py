"""Illumination correction: vignetting and mosaics of textures.

Klement's thesis (2013), figs. 5.2 and 5.3.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.ndimage import gaussian_filter

from benchmarks.imaging import change_at_border, cosine_fourth
from fewest.imaging import correct_illumination, make_mosaic, measure_seams
from reproductions.helpers import seed_run
from reproductions.study import Cell, Published, Study

LEVELS = 5
BOUNDARIES = ("replicate", "linear", "polynomial")
_WIDTH = 2**LEVELS  # of the strips at a seam: what the correction takes for light is wider
_YES = Published(1, 0)


def correct_vignette(boundary: str, quick: bool) -> dict[str, float]:
    """Change of brightness over the outermost pixels, and where boundaries do not matter."""
    image = cosine_fourth()
    flat = correct_illumination(image, LEVELS, boundary)
    others = [
        correct_illumination(image, LEVELS, other) for other in BOUNDARIES if other != boundary
    ]
    centre = (slice(256, -256), slice(256, -256))
    change = change_at_border(flat)
    row = {
        "change at the border": change,
        "before the correction": change_at_border(image),
        "the centre is that of the other boundaries": float(
            max(np.abs(flat - other)[centre].max() for other in others) < 0.01
        ),
    }
    if boundary == "replicate":
        row["drops at the border, by more than 1"] = float(change > 1)
    else:
        row["less than 1 at the border"] = float(change < 1)
    return row


def make_texture(name: str, height: int = 1040, width: int = 1392) -> np.ndarray:
    """A colour image with uneven light, in place of the thesis' photographs."""
    rng = seed_run(53, len(name))
    grain = {"paper towel": (2.0, 2.0), "green linoleum": (4.0, 4.0), "wood": (1.0, 60.0)}[name]
    colours = {
        "paper towel": (210, 205, 195),
        "green linoleum": (90, 150, 95),
        "wood": (170, 120, 75),
    }
    field = gaussian_filter(rng.standard_normal((height, width)), grain, mode="wrap")
    texture = 12 * field / field.std()
    if name == "paper towel":  # bumps in rows
        y, x = np.indices((height, width))
        texture += 10 * np.sin(2 * np.pi * x / (width / 40)) * np.sin(2 * np.pi * y / (height / 30))
    light = (cosine_fourth(height, width) / 200) ** 0.15  # 59 % of the brightness in the corners
    return light[..., None] * (np.array(colours[name]) + texture[..., None])


def correct_texture(image: np.ndarray, boundary: str) -> np.ndarray:
    """Each channel by itself, with the histogram of the central quarter."""
    return correct_illumination(image, LEVELS, boundary, channel_axis=2, histogram="central")


def measure_mosaics(name: str, quick: bool) -> dict[str, float]:
    """The darkest seam of the mosaics in the three columns of the figure."""
    size = (520, 696) if quick else (1040, 1392)
    image = make_texture(name, *size)
    images = {"as it is": image} | {
        boundary: correct_texture(image, boundary) for boundary in ("replicate", "polynomial")
    }
    found = {
        what: measure_seams(one, width=_WIDTH, channel_axis=2).min() for what, one in images.items()
    }
    return {
        "replicate leaves a darker seam than polynomial": float(
            found["replicate"] < found["polynomial"]
        ),
        "vignetting is most obvious without correction": float(
            found["as it is"] < min(found["replicate"], found["polynomial"])
        ),
    } | {f"seam, {what}": float(value) for what, value in found.items()}


def draw_vignette(figure: Any, results: Any) -> None:
    """Figure 5.2: the image, and lines of equal brightness one grey level apart."""
    figure.set_size_inches(11, 3)
    image = cosine_fourth()
    axes = figure.subplots(1, 4)
    axes[0].imshow(image, cmap="gray", vmin=0, vmax=255)
    axes[0].set_title("(a) vignetting", fontsize=9)
    for ax, letter, boundary in zip(axes[1:], "bcd", BOUNDARIES, strict=True):
        flat = correct_illumination(image, LEVELS, boundary)
        lines = np.arange(np.floor(flat.min()), np.ceil(flat.max()))
        ax.imshow(flat, cmap="gray", vmin=flat.min() - 3, vmax=flat.max() + 3)
        ax.contour(flat, lines, colors="black", linewidths=0.6)
        change = results[boundary]["change at the border"].value if boundary in results else np.nan
        ax.set_title(f"({letter}) {boundary}: {change:.2f} at the border", fontsize=9)
    for ax in axes:
        ax.set_axis_off()


def draw_mosaics(figure: Any, results: Any) -> None:
    """Figure 5.3: mosaics of two by two copies."""
    names = list(results)
    figure.set_size_inches(9, 2.5 * len(names))
    grid = figure.subplots(len(names), 3, squeeze=False)
    for axes, name in zip(grid, names, strict=True):
        image = make_texture(name, 520, 696)
        columns = {"as it is": image} | {
            boundary: correct_texture(image, boundary) for boundary in ("replicate", "polynomial")
        }
        for ax, (what, one) in zip(axes, columns.items(), strict=True):
            ax.imshow(np.clip(make_mosaic(one, channel_axis=2) / 255, 0, 1))
            seam = results[name][f"seam, {what}"].value
            ax.set_title(f"{name}, {what}: seam {seam:+.2f}", fontsize=8)
            ax.set_axis_off()


STUDIES = [
    Study(
        "thesis_fig_5_2",
        "Vignetting and the boundary of the pyramid",
        "Klement's thesis (2013), fig. 5.2 and sec. 5.2",
        [
            Cell(
                boundary,
                partial(correct_vignette, boundary),
                {
                    "drops at the border, by more than 1"
                    if boundary == "replicate"
                    else "less than 1 at the border": _YES,
                    "the centre is that of the other boundaries": _YES,
                },
            )
            for boundary in BOUNDARIES
        ],
        notes=(
            "The image is that of the thesis: cosine fourth law, 1280 x 1024 pixels, at most 200 "
            "grey levels, 5 levels of the pyramid. The thesis prints no numbers but says what can "
            "be seen; 1 stands for a statement that holds. Lines are one grey level apart."
        ),
        draw=draw_vignette,
    ),
    Study(
        "thesis_fig_5_3",
        "Mosaics of textures",
        "Klement's thesis (2013), fig. 5.3",
        [
            Cell(
                name,
                partial(measure_mosaics, name),
                {
                    "replicate leaves a darker seam than polynomial": _YES,
                    "vignetting is most obvious without correction": _YES,
                },
            )
            for name in ("paper towel", "green linoleum", "wood")
        ],
        notes=(
            "Stand-ins: the photographs are not public, so generated textures of their size with "
            "uneven light take their place, and only the shape of the result can be compared. A "
            "seam is how much darker (negative) its 32 pixels on either side are than the next 32, "
            "in grey levels; 1 stands for a statement of the thesis that holds."
        ),
        draw=draw_mosaics,
    ),
]
