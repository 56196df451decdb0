"""Uneven light, and what happens at the border
===============================================

The effect of the boundary on an image whose light is corrected by a Gaussian pyramid
(:func:`~fewest.imaging.correct_illumination`).

The image shows natural vignetting (the cosine fourth law, 1280 x 1024 pixels, at most 200 grey
levels), corrected with five levels of the pyramid. Only the boundary differs: with the replicate
boundary the image gets an edge, where the lines of equal brightness run along the frame. The number
is the largest change, in grey levels, over the outermost 20 pixels across any side. The lower
figures show the brightness next to the lower border, relative to that 60 pixels inside.
"""

from __future__ import annotations

import argparse

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.imaging import change_at_border, cosine_fourth
from examples._deliver import deliver
from fewest.imaging import correct_illumination

# Okabe and Ito's colours, which people with any colour vision can tell apart.
_COLOURS = {"replicate": "#D55E00", "linear": "#0072B2", "polynomial": "#009E73"}
_EDGE = 20
_SHOWN = 60


def draw(image: np.ndarray, levels: int) -> Figure:
    corrected = {name: correct_illumination(image, levels, name) for name in _COLOURS}
    figure = plt.figure(figsize=(14, 7.5), layout="constrained")
    axes = figure.subplot_mosaic([["input", *_COLOURS], ["middle", "middle", "aside", "aside"]])
    shown = axes["input"].imshow(image, cmap="gray", vmin=0, vmax=image.max())
    axes["input"].set_title("vignetting", fontsize=11)
    figure.colorbar(shown, ax=axes["input"], location="bottom", label="grey level")
    whole = _whole_levels(corrected)
    for name, values in corrected.items():
        shown = _picture(axes[name], values, whole)
        change = change_at_border(values, _EDGE)
        axes[name].set_title(f"{name}: {change:.2f} at the border", fontsize=11)
    label = "grey level after correction (lines: one apart)"
    panels = [axes[name] for name in _COLOURS]
    figure.colorbar(shown, ax=panels, location="bottom", label=label, aspect=60)
    _across(axes["middle"], corrected, image.shape[1] // 2, "in the middle")
    _across(axes["aside"], corrected, image.shape[1] // 4, "a quarter from the left")
    axes["aside"].legend(loc="lower right", frameon=False)
    return figure


def _whole_levels(corrected: dict[str, np.ndarray]) -> np.ndarray:
    lowest = min(values.min() for values in corrected.values())
    highest = max(values.max() for values in corrected.values())
    return np.arange(np.floor(lowest), np.ceil(highest) + 1)


def _picture(ax: Axes, values: np.ndarray, levels: np.ndarray) -> object:
    image = ax.imshow(values, cmap="cividis", vmin=levels[0], vmax=levels[-1])
    ax.contour(values, levels=levels, colors="white", linewidths=0.8)
    return image


def _across(ax: Axes, corrected: dict[str, np.ndarray], column: int, title: str) -> None:
    for name, values in corrected.items():
        line = values[::-1, column][:_SHOWN]
        ax.plot(line - line[-1], color=_COLOURS[name], linewidth=1.8, label=name)
    ax.axvspan(0, _EDGE, color="0.93", zorder=0)
    ax.set_xlim(0, _SHOWN - 1)
    ax.set(xlabel="pixels from the border", ylabel="change, grey levels")
    ax.set_title(f"across the lower border, {title}", fontsize=11)


def main() -> None:
    parser = argparse.ArgumentParser(description="Uneven light, and the border.")
    parser.add_argument("file", nargs="?", help="a .png, .svg or .pdf file (default: show)")
    parser.add_argument("--levels", type=int, default=5, help="depth of the pyramid (default: 5)")
    arguments = parser.parse_args()
    deliver(draw(cosine_fourth(), arguments.levels), arguments.file)


if __name__ == "__main__":
    main()
