"""Pictures of voxels: two maps and their overlap, maps along a ranking, curves of repetitions.

Needs nilearn and matplotlib (``pip install "fewest[neuro]"``), imported by the first picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.validation import check_choice
from fewest._wording import counted
from fewest.informative._univariate import SHARES, share_count
from fewest.neuro._curves import plot_repeated
from fewest.neuro._images import load_image, make_image, match_grid, require_nilearn, values_of
from fewest.plotting._figures import require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["PALETTES", "plot_ranking", "plot_repeated", "plot_two_maps"]

# Colours of the first map, of the second, and of both. Red and green, as in Klement et al. (2013),
# look alike to one man in twelve; the others, Okabe and Ito's, differ in brightness as well.
PALETTES = {
    "safe": {"vermilion": "#D55E00", "sky blue": "#56B4E9", "yellow": "#F0E442"},
    "papers": {"red": "#E8262A", "green": "#1FA83A", "yellow": "#FFE800"},
}
_SIZES = {"slices": (12.0, 2.6), "glass": (10.0, 3.6)}
_FLAT_SIZE = (8.0, 4.6)
_INK = "white"  # on black, where yellow can be seen
_CUTS = 7
_SIDES = (("L", "R"), ("P", "A"), ("I", "S"))
_PLACE = (0.02, 0.14, 0.96, 0.84)  # of the brain in the figure, above a legend


def plot_two_maps(
    first: Any,
    second: Any,
    *,
    names: tuple[str, str] = ("first map", "second map"),
    kind: str = "slices",
    palette: str = "safe",
    background: Any = None,
    figure: Figure | None = None,
) -> Figure:
    """Voxels of two maps in two colours, and of both in a third (Klement et al. 2013, fig. 5).

    Parameters
    ----------
    first, second : 3-D images or files on the same grid
        Maps; voxels that are not zero are in the map.
    names : tuple of str
        What to call them in the legend, which also names the colours and counts the voxels.
    kind : {"slices", "glass"}
        Horizontal slices on the background, or a glass brain, which is in MNI space; there the
        second map is drawn over the first, and voxels of both over either. Images that are one
        slice thick are always drawn as that slice.
    palette : {"safe", "papers"}
        "safe" can be told apart with any colour vision; "papers" is red, green and yellow.
    background : 3-D image or file, optional
        What slices are drawn on: nilearn's MNI template by default, which fits maps in MNI space
        only (or nothing, for one slice). Take the mean image for maps in another space.
    figure : matplotlib Figure, optional
        Where to draw; a new one by default.

    Returns
    -------
    matplotlib Figure

    Examples
    --------
    >>> import nibabel
    >>> import numpy as np
    >>> from fewest.neuro.pictures import plot_two_maps
    >>> first, second = np.zeros((2, 12, 10, 1))
    >>> first[2:6, 2:6], second[4:8, 4:8] = 1, 1
    >>> images = [nibabel.Nifti1Image(one, np.eye(4)) for one in (first, second)]
    >>> figure = plot_two_maps(*images, names=("joy", "fear"))
    >>> for text in figure.legends[0].get_texts():
    ...     print(text.get_text())
    joy only (vermilion): 12 voxels
    fear only (sky blue): 12 voxels
    both (yellow): 4 voxels
    """
    check_choice("kind", kind, tuple(_SIZES))
    check_choice("palette", palette, tuple(PALETTES))
    require_nilearn()
    require_matplotlib()
    from matplotlib.colors import ListedColormap

    maps = _load_pair(first, second, "the first map", "the second map")
    one, other = (np.nan_to_num(values_of(each)) != 0 for each in maps)
    codes = make_image(maps[0], (one + 2 * other).astype(np.uint8))  # 3 for voxels of both
    colours = ListedColormap(list(PALETTES[palette].values()))
    figure = _black(figure, _FLAT_SIZE if _is_flat(codes) else _SIZES[kind])
    if _is_flat(codes):
        axes = figure.add_axes((0.02, 0.22, 0.96, 0.76))
        _draw_flat(axes, codes, colours, background, vmin=1, vmax=3)
    elif kind == "glass":
        _draw_glass(figure, codes, colours)
    else:
        _draw_slices(figure, codes, colours, background)
    _add_legend(figure, codes, names, palette)
    return figure


def plot_ranking(
    ranking: Any,
    mask: Any,
    shares: Sequence[float] = SHARES,
    *,
    background: Any = None,
    figure: Figure | None = None,
) -> Figure:
    """The voxels that selection found first, for growing shares (Klement et al. 2013, fig. 6).

    A map takes whole repetitions, and as many as it takes to reach its share of the voxels of the
    mask; its title says how many voxels that are. The brighter a voxel, the earlier it was found.

    Parameters
    ----------
    ranking : 3-D image or file
        The repetition that found each voxel, from 1; 0 where none did.
    mask : 3-D image or file on the same grid
        The voxels that were ranked.
    shares : sequence of float
        Parts of the voxels of the mask, above zero and at most one; 1, 2.5, 5, 20, 34 and 50 % by
        default. Where the ranking ends before a share, its map shows all of it.
    background : 3-D image or file, optional
        For images that are one slice thick; others are drawn on a glass brain.
    figure : matplotlib Figure, optional
        Where to draw; a new one by default.

    Returns
    -------
    matplotlib Figure

    Examples
    --------
    >>> import nibabel
    >>> import numpy as np
    >>> from fewest.neuro.pictures import plot_ranking
    >>> ranking = nibabel.Nifti1Image(np.arange(100.0).reshape(10, 10, 1), np.eye(4))
    >>> mask = nibabel.Nifti1Image(np.ones((10, 10, 1)), np.eye(4))
    >>> figure = plot_ranking(ranking, mask, shares=[0.05, 0.2])
    >>> [ax.get_title() for ax in figure.axes[:2]]
    ['5 %: 5 voxels', '20 %: 20 voxels']
    """
    require_nilearn()
    require_matplotlib()
    maps, last = _cut_ranking(ranking, mask, shares)
    colours = _early_bright()
    darkest = 1.0 / max(last, 2.0)  # brightness of the last repetition, where the scale ends
    n_rows = -(-len(maps) // 2)
    figure = _black(figure, (10.0, 2.7 * n_rows + 0.9))
    below = 0.9 / figure.get_size_inches()[1]
    height = (1.0 - below) / n_rows
    for place, (title, image) in enumerate(maps):
        left, bottom = 0.5 * (place % 2), 1.0 - (place // 2 + 1) * height
        axes = figure.add_axes((left + 0.01, bottom + 0.01, 0.48, 0.86 * height - 0.01))
        if _is_flat(image):
            _draw_flat(axes, image, colours, background, vmin=darkest, vmax=1.0)
        else:
            _draw_ranked_glass(axes, image, colours, darkest)
        axes.set_title(title, color=_INK, fontsize=11)
    _add_scale(figure, below, last)
    return figure


def _black(figure: Figure | None, size: tuple[float, float]) -> Figure:
    """A black figure of the size; that of the caller keeps its own size."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=size) if figure is None else figure
    figure.set_facecolor("black")
    return figure


def _load_pair(first: Any, second: Any, *names: str) -> tuple[Any, Any]:
    """Two 3-D images on one grid; the names say in messages what they are."""
    images = load_image(first, names[0]), load_image(second, names[1])
    return match_grid(*images, *names), images[1]


def _cut_ranking(
    ranking: Any, mask: Any, shares: Sequence[float]
) -> tuple[list[tuple[str, Any]], float]:
    """Maps of brightness with their titles, and the last repetition."""
    order, inside = _load_pair(ranking, mask, "the ranking", "the mask")
    member = values_of(inside) != 0
    values = np.where(member, np.nan_to_num(values_of(order).astype(np.float64)), 0.0)
    found = np.sort(values[values > 0])
    if not len(found):
        raise ValueError(
            "ranking names no voxel of the mask: it holds the repetition that found each voxel, "
            "from 1"
        )
    maps = []
    for share in shares:
        asked = share_count(share, int(member.sum()))
        limit = found[min(asked, len(found)) - 1]
        chosen = (values > 0) & (values <= limit)
        brightness = np.where(chosen, 1.0 - (values - 1.0) / found[-1], 0.0)
        all_of_it = " (all that were found)" if asked > len(found) else ""
        title = f"{100 * share:g} %: {counted(int(chosen.sum()), 'voxel')}{all_of_it}"
        maps.append((title, make_image(order, brightness.astype(np.float32))))
    return maps, float(found[-1])


def _early_bright() -> Any:
    """Colours of brightness; the darkest can still be seen on black."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps["inferno"](np.linspace(0.3, 1.0, 256)))


def _add_scale(figure: Figure, height: float, last: float) -> None:
    """A bar of colours at the foot of the figure."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    axes = figure.add_axes((0.3, 0.55 * height, 0.4, 0.15 * height))
    colours = ScalarMappable(Normalize(1.0, max(last, 2.0)), _early_bright().reversed())
    bar = figure.colorbar(colours, cax=axes, orientation="horizontal")
    bar.set_label("repetition that found the voxel", color=_INK)
    axes.tick_params(colors=_INK)


def _add_legend(figure: Figure, codes: Any, names: tuple[str, str], palette: str) -> None:
    from matplotlib.patches import Patch

    counts = np.bincount(values_of(codes).ravel(), minlength=4)[1:].tolist()
    words = (f"{names[0]} only", f"{names[1]} only", "both")
    texts = [
        f"{name} ({colour}): {counted(count, 'voxel')}"
        for name, colour, count in zip(words, PALETTES[palette], counts, strict=True)
    ]
    # Small enough for one line: about 0.58 of the size per letter, and room for patches and gaps.
    letters = sum(map(len, texts))
    size = min(10.0, 72.0 * figure.get_size_inches()[0] / (0.58 * letters + 16.0))
    figure.legend(
        [Patch(color=colour) for colour in PALETTES[palette].values()],
        texts,
        loc="lower center",
        ncols=3,
        frameon=False,
        labelcolor=_INK,
        fontsize=size,
    )


def _draw_slices(figure: Figure, labels: Any, colours: Any, background: Any) -> None:
    """Horizontal slices through the voxels of a label image."""
    from nilearn.plotting import plot_roi

    plot_roi(
        labels,
        **({} if background is None else {"bg_img": background}),
        display_mode="z",
        cut_coords=_heights(labels),
        cmap=colours,
        vmin=1,
        vmax=colours.N,
        alpha=1.0,
        colorbar=False,
        black_bg=True,
        figure=figure,
        axes=_PLACE,
    )


def _draw_glass(figure: Figure, labels: Any, colours: Any) -> None:
    """All voxels of a label image through a glass brain, those of the last label on top."""
    from matplotlib.colors import ListedColormap
    from nilearn.plotting import plot_glass_brain

    display = plot_glass_brain(None, display_mode="lyrz", black_bg=True, figure=figure, axes=_PLACE)
    values = values_of(labels)
    for code in range(1, colours.N + 1):
        if np.any(values == code):
            image = make_image(labels, (values == code).astype(np.float32))
            colour = ListedColormap([colours.colors[code - 1]])
            display.add_overlay(image, threshold=0.5, cmap=colour, vmin=0, vmax=1)


def _draw_ranked_glass(axes: Axes, image: Any, colours: Any, darkest: float) -> None:
    """The brightest voxel on each line of sight through a glass brain."""
    from nilearn.plotting import plot_glass_brain

    plot_glass_brain(
        image,
        display_mode="xz",
        threshold=np.finfo(np.float32).tiny,
        cmap=colours,
        vmin=darkest,
        vmax=1.0,
        plot_abs=False,
        resampling_interpolation="nearest",
        colorbar=False,
        black_bg=True,
        figure=axes.figure,
        axes=axes,
    )


def _heights(labels: Any) -> list[float]:
    """Where to cut: evenly from the lowest voxels to the highest, without stray ones."""
    from nibabel.affines import apply_affine

    places = np.argwhere(values_of(labels))
    if not len(places):
        places = np.array([[size // 2 for size in labels.shape]])
    low, high = np.quantile(apply_affine(labels.affine, places)[:, 2], [0.03, 0.97])
    return np.unique(np.linspace(low, high, _CUTS).round(1)).tolist()


def _is_flat(image: Any) -> bool:
    """Whether some axis of the image has a single voxel."""
    return 1 in image.shape[:3]


def _draw_flat(ax: Axes, image: Any, colours: Any, background: Any, **limits: Any) -> None:
    """The voxels of one slice that are not zero, on grey values of that shape or on nothing."""
    values, sides, aspect = _turn(image)
    drawn: dict[str, Any] = {"origin": "lower", "aspect": aspect}
    if background is not None:
        background = load_image(background, "the background")
        grey = np.nan_to_num(_turn(background)[0], posinf=0.0, neginf=0.0)
        if grey.shape != values.shape:
            raise ValueError(
                f"the background has shape {background.shape[:3]}, but the map has "
                f"{image.shape[:3]}: resample it to the grid of the map"
            )
        ax.imshow(np.ma.masked_equal(grey, 0), cmap="gray", vmin=0, vmax=1.1 * grey.max(), **drawn)
    shown = np.ma.masked_equal(values, 0)
    ax.imshow(shown, cmap=colours, interpolation="nearest", **drawn, **limits)
    ax.set_axis_off()
    for place, side in zip((0.02, 0.98), sides, strict=True):
        ax.text(place, 0.5, side, color="white", transform=ax.transAxes, ha="center", va="center")


def _turn(image: Any) -> tuple[NDArray[Any], tuple[str, str], float]:
    """One row per line of the picture, its two sides, and height by width of a voxel."""
    import nibabel

    canonical = nibabel.as_closest_canonical(image)
    flat = max(axis for axis in range(3) if canonical.shape[axis] == 1)
    across, up = (axis for axis in range(3) if axis != flat)
    sizes = canonical.header.get_zooms()
    values = np.squeeze(values_of(canonical), axis=flat).T
    return values, _SIDES[across], float(sizes[up] / sizes[across])
