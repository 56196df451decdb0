"""A page of a fitted decoder: the report of its machine, with voxels for features, and its maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fewest.neuro._figures import draw_maps, draw_regions
from fewest.neuro._tables import name_voxels
from fewest.report import make_report

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fewest._estimators.held_out import HeldOut
    from fewest.report import Report

_SENTENCES = {
    "coef": "Weights of the selected voxels, on the mean of all volumes.",
    "support": "The voxels that the machine uses, on the mean of all volumes.",
    "consistency": "In how many folds each voxel was selected, on the mean of all volumes.",
    "ranking": "When repetitive selection found each voxel: those found so far are set aside, and "
    "the selection is repeated.",
}
_REGIONS = "Where in the atlas the voxels are that were found, by hemisphere."


def make_page(
    decoder: Any,
    volumes: tuple[Any, Any, Any],
    held_out: HeldOut | None,
    settings: dict[str, Any],
) -> Report:
    """The report on the matrix of the volumes; settings are those of `make_report`."""
    X, y, groups = volumes
    usual = {
        "also": [one for one in (decoder.selector_, decoder.informative_) if one is not None],
        "groups": groups,
        "feature_names": name_voxels(decoder),
        "title": "The fewest voxels that tell conditions apart",
        "cv": decoder._folds(groups),
        "held_out": None if "cv" in settings else held_out,
    }
    if "figures" not in settings:
        usual["figures"] = _list_figures(decoder)
    return make_report(decoder.estimator_, X, y, **{**usual, **settings})


def _list_figures(decoder: Any) -> list[tuple[str, str, Figure]]:
    figures = [
        (title, _SENTENCES[name.partition("-")[0]], figure)
        for name, title, figure in draw_maps(decoder)
    ]
    if decoder.regions_ is not None:
        figures.append(("Regions", _REGIONS, draw_regions(decoder.regions_)))
    return figures
