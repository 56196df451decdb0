"""A page of a fitted decoder: the report of its machine, with voxels for features, and its maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest.neuro._cross_validation import usual_cv
from fewest.neuro.figures import decoder_figures, region_figure
from fewest.report import make_report

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fewest.report import Report

_WEIGHTS = "Weights of the selected voxels, on the mean of all volumes."
_REGIONS = "Where in the atlas the voxels are that were found, by hemisphere."
_RANKING = (
    "When repetitive selection found each voxel: those found so far are set aside, and the "
    "selection is repeated."
)
_CONSISTENCY = "In how many folds each voxel was selected, on the mean of all volumes."


def voxel_report(
    decoder: Any,
    X: NDArray[np.floating],
    y: ArrayLike,
    groups: ArrayLike | None,
    **settings: Any,
) -> Report:
    """The report of a decoder on the matrix of its volumes; settings are those of `make_report`."""
    without_folds = isinstance(decoder.cv, int) and decoder.cv == 0
    cv = usual_cv(None if without_folds else decoder.cv, groups)
    further = [one for one in (decoder.selector_, decoder.informative_) if one is not None]
    return make_report(
        decoder.estimator_,
        X,
        y,
        **{
            "also": further,
            "groups": groups,
            "feature_names": voxel_names(decoder),
            "title": "The fewest voxels that tell conditions apart",
            "figures": _maps(decoder),
            "cv": cv,
            **settings,
        },
    )


def voxel_names(decoder: Any) -> list[str]:
    """Where every feature is, in millimetres."""
    places = np.argwhere(decoder.grid_.small_mask) * 2**decoder.grid_.levels
    affine = decoder.mask_img_.affine
    millimetres = places @ affine[:3, :3].T + affine[:3, 3]
    # Through three digits, as everywhere else: 17.05 must not become 17.0 here and 17.1 there.
    return [f"{x:.1f}, {y:.1f}, {z:.1f} mm" for x, y, z in millimetres.round(3) + 0.0]


def _maps(decoder: Any) -> list[tuple[str, str, Figure]]:
    labels = decoder.classes_.tolist()
    maps = []
    for number, (name, figure) in enumerate(decoder_figures(decoder).items()):
        if name == "consistency":
            maps.append(("Folds", _CONSISTENCY, figure))
        elif name == "ranking":
            maps.append(("Repetitions", _RANKING, figure))
        else:
            of_what = f"{labels[1]} against {labels[0]}"
            title = of_what if name == "coef" else f"{labels[number]} against the rest"
            maps.append((title, _WEIGHTS, figure))
    if decoder.regions_ is not None:
        maps.append(("Regions", _REGIONS, region_figure(decoder.regions_)))
    return maps
