"""Pictures of voxels: two maps and their overlap, and maps along a ranking.

Needs nilearn and matplotlib (``pip install "fewest[neuro]"``), imported by the first picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fewest._estimators.validation import check_choice
from fewest._wording import counted
from fewest.informative._overlap import SHARES
from fewest.informative._univariate import share_count
from fewest.neuro._brain_picture import draw_glass, draw_ranked_glass, draw_slices
from fewest.neuro._checks import require_same_grid
from fewest.neuro._flat_picture import draw_flat, is_flat
from fewest.neuro._nilearn import require_nilearn
from fewest.plotting._figures import require_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PALETTES", "plot_ranking", "plot_two_maps"]

# Colours of the first map, of the second, and of both. Red and green, as in Klement et al. (2013),
# look alike to one man in twelve; the others, Okabe and Ito's, differ in brightness as well.
PALETTES = {
    "safe": {"vermilion": "#D55E00", "sky blue": "#56B4E9", "yellow": "#F0E442"},
    "papers": {"red": "#E8262A", "green": "#1FA83A", "yellow": "#FFE800"},
}
_SIZES = {"slices": (12.0, 2.6), "glass": (10.0, 3.6)}
_FLAT_SIZE = (8.0, 4.6)
_INK = "white"  # on black, where yellow can be seen


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

    labels = _labels(first, second)
    colours = ListedColormap(list(PALETTES[palette].values()))
    size = _FLAT_SIZE if is_flat(labels) else _SIZES[kind]
    figure = _black(figure, size)
    if is_flat(labels):
        axes = figure.add_axes((0.02, 0.22, 0.96, 0.76))
        draw_flat(axes, labels, colours, _loaded(background), vmin=1, vmax=3)
    elif kind == "glass":
        draw_glass(figure, labels, colours)
    else:
        draw_slices(figure, labels, colours, background)
    _add_legend(figure, labels, names, palette)
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
    maps, titles, last = _along(ranking, mask, shares)
    darkest = 1.0 / max(last, 2.0)  # brightness of the last repetition, where the scale ends
    n_rows = -(-len(maps) // 2)
    figure = _black(figure, (10.0, 2.7 * n_rows + 0.9))
    below = 0.9 / figure.get_size_inches()[1]
    height = (1.0 - below) / n_rows
    for place, (image, title) in enumerate(zip(maps, titles, strict=True)):
        left, bottom = 0.5 * (place % 2), 1.0 - (place // 2 + 1) * height
        axes = figure.add_axes((left + 0.01, bottom + 0.01, 0.48, 0.86 * height - 0.01))
        if is_flat(image):
            draw_flat(axes, image, _early_bright(), _loaded(background), vmin=darkest, vmax=1.0)
        else:
            draw_ranked_glass(figure, axes, image, _early_bright(), darkest)
        axes.set_title(title, color=_INK, fontsize=11)
    _add_scale(figure, below, last)
    return figure


def _loaded(image: Any) -> Any:
    if image is None:
        return None
    from nilearn.image import load_img

    return load_img(image)


def _black(figure: Figure | None, size: tuple[float, float]) -> Figure:
    """A black figure of the size; that of the caller keeps its own size."""
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=size) if figure is None else figure
    figure.set_facecolor("black")
    return figure


def _labels(first: Any, second: Any) -> Any:
    """An image of 1 for the first map only, 2 for the second only, and 3 for both."""
    from nilearn.image import new_img_like

    maps = [_loaded(one) for one in (first, second)]
    _check_same_grid(*maps, ("the first map", "the second map"))
    one, other = (np.nan_to_num(np.asarray(each.dataobj)) != 0 for each in maps)
    return new_img_like(maps[0], (one + 2 * other).astype(np.uint8))


def _check_same_grid(first: Any, second: Any, names: tuple[str, str]) -> None:
    for name, image in zip(names, (first, second), strict=True):
        if len(image.shape) != 3:
            raise ValueError(
                f"{name} must have three dimensions; got shape {image.shape}. Take one volume of "
                "it, with nilearn.image.index_img"
            )
    require_same_grid(first, second, *names)


def _along(ranking: Any, mask: Any, shares: Sequence[float]) -> tuple[list[Any], list[str], float]:
    """Maps of brightness, their titles, and the last repetition."""
    from nilearn.image import new_img_like

    order, inside = _loaded(ranking), _loaded(mask)
    _check_same_grid(order, inside, ("the ranking", "the mask"))
    member = np.asarray(inside.dataobj) != 0
    values = np.where(member, np.nan_to_num(np.asarray(order.dataobj, dtype=np.float64)), 0.0)
    found = np.sort(values[values > 0])
    if not len(found):
        raise ValueError(
            "ranking names no voxel of the mask: it holds the repetition that found each voxel, "
            "from 1"
        )
    maps, titles = [], []
    for share in shares:
        asked = share_count(share, int(member.sum()))
        limit = found[min(asked, len(found)) - 1]
        chosen = (values > 0) & (values <= limit)
        brightness = np.where(chosen, 1.0 - (values - 1.0) / found[-1], 0.0)
        maps.append(new_img_like(order, brightness.astype(np.float32)))
        all_of_it = " (all that were found)" if asked > len(found) else ""
        titles.append(f"{100 * share:g} %: {counted(int(chosen.sum()), 'voxel')}{all_of_it}")
    return maps, titles, float(found[-1])


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


def _add_legend(figure: Figure, labels: Any, names: tuple[str, str], palette: str) -> None:
    from matplotlib.patches import Patch

    values = np.asarray(labels.dataobj)
    shown = (f"{names[0]} only", f"{names[1]} only", "both")
    handles = [
        Patch(
            color=colour, label=f"{name} ({word}): {counted(int(np.sum(values == code)), 'voxel')}"
        )
        for code, (name, (word, colour)) in enumerate(
            zip(shown, PALETTES[palette].items(), strict=True), start=1
        )
    ]
    # Small enough for one line: about 0.58 of the size a letter, and room for patches and gaps.
    letters = sum(len(handle.get_label()) for handle in handles)
    size = min(10.0, 72.0 * figure.get_size_inches()[0] / (0.58 * letters + 16.0))
    figure.legend(
        handles=handles,
        loc="lower center",
        ncols=3,
        frameon=False,
        labelcolor=_INK,
        fontsize=size,
    )
