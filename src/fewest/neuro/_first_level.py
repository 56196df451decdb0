"""From raw runs to activation maps: one per condition, trial or time slice, by nilearn's GLM."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fewest._estimators.validation import check_choice, check_positive
from fewest._showing import Shown
from fewest._types import FloatArray, IndexArray
from fewest._wording import counted, listed
from fewest.neuro._events import COLUMNS, read_events
from fewest.neuro._images import load_image, load_images, match_grid, require_nilearn

if TYPE_CHECKING:
    from nibabel.spatialimages import SpatialImage

_UNITS = ("condition", "trial")
# Condition, trial, time, and the onsets and durations of its boxcars.
_Regressor = tuple[Any, int, float, list[tuple[float, float]]]
_EARLIEST = -24.0  # seconds; nilearn leaves earlier events out


@dataclass(frozen=True, eq=False, repr=False)
class FirstLevelMaps(Shown):
    """Activation maps, with what `FewestVoxels` and the analyses need to know about them.

    Attributes
    ----------
    images : 4-D image
        One map per volume.
    y : array of shape (n_maps,)
        The condition of each.
    runs : array of shape (n_maps,)
        Its run, counted from 0.
    trials : array of shape (n_maps,)
        Its trial within the run, in order of time and counted from 0; -1 for maps of conditions.
    times : array of shape (n_maps,)
        The middle of its slice, in seconds from the onset; NaN for whole trials.
    mask_img : 3-D image
        The voxels that were estimated.
    """

    images: SpatialImage
    y: NDArray[Any]
    runs: IndexArray
    trials: IndexArray
    times: FloatArray
    mask_img: SpatialImage

    def at(self, time: float) -> FirstLevelMaps:
        """The maps of one time slice.

        Parameters
        ----------
        time : float
            One of `times`.

        Returns
        -------
        FirstLevelMaps
        """
        from nilearn.image import index_img

        own = self.times == time
        if not own.any():
            raise ValueError(
                f"there is no slice at {time!r} s; the times are: {listed(np.unique(self.times))}"
            )
        rows = self.y[own], self.runs[own], self.trials[own], self.times[own]
        return FirstLevelMaps(index_img(self.images, own), *rows, self.mask_img)


def estimate_maps(
    runs: Any,
    events: Any,
    *,
    t_r: float,
    each: str = "condition",
    slices: ArrayLike | None = None,
    mask: Any = None,
    confounds: Sequence[Any] | None = None,
    **settings: Any,
) -> FirstLevelMaps:
    r"""Activation maps of raw runs, by nilearn's general linear model of each run.

    The signal of a voxel is a sum of regressors, each of which is a boxcar convolved with the
    hemodynamic response h, of drifts, confounds and noise,

    .. math:: x(t) = \sum_k \beta_k \, (h * b_k)(t) + \text{drift}(t) + \text{noise}(t) ,

    and a map holds one :math:`\beta_k` of all voxels. There is one regressor k for each condition
    (as in Klement, Anders & Martinetz 2013, sec. 4.1), for each trial, or for each slice of each
    trial (Klement's thesis 2013, secs. 6.4 and 6.4.3).

    Parameters
    ----------
    runs : list of 4-D images or files
        The runs of one participant, motion-corrected and on one grid.
    events : list of DataFrames or files
        For each run a table with the columns onset and duration (in seconds) and trial_type, as in
        BIDS; files are separated by tabs, or by commas if they end in .csv.
    t_r : float
        Seconds from one volume to the next.
    each : {"condition", "trial"}
        What gets a map of its own in every run.
    slices : array of shape (n_slices + 1,), optional
        Edges of time slices, in seconds from the onset: ``np.arange(-4, 33, 4)`` is the thesis'
        choice. Each slice gets a regressor in place of the trial's own duration.
    mask : 3-D image or file, optional
        The voxels; by default computed by nilearn from all runs.
    confounds : list of DataFrames, arrays or files, optional
        For each run what else to remove, motion for instance; one row per volume.
    **settings
        Parameters of nilearn's ``FirstLevelModel``, such as ``high_pass``, ``noise_model`` and
        ``smoothing_fwhm``; the default for ``hrf_model`` is "spm".

    Returns
    -------
    FirstLevelMaps

    Notes
    -----
    Each run has a model of its own, so its maps can be left out as a whole. Single trials and
    slices have few volumes each, and their maps are noisy.

    Examples
    --------
    Two voxels, of which the first one responds to faces with 5 and to houses with 0:

    >>> import nibabel
    >>> import numpy as np
    >>> import pandas as pd
    >>> from nilearn.glm.first_level import compute_regressor
    >>> from fewest.neuro import estimate_maps
    >>> events = pd.DataFrame(
    ...     {"onset": [10, 50, 90, 130], "duration": 8, "trial_type": ["face", "house"] * 2}
    ... )
    >>> face = [[10, 90], [8, 8], [1, 1]]
    >>> signal, _ = compute_regressor(np.array(face), "spm", np.arange(90) * 2.0)
    >>> run = 100 + 0.5 * np.random.default_rng(0).normal(size=(2, 1, 1, 90))
    >>> run[0] += 5 * signal.ravel()
    >>> image = nibabel.Nifti1Image(run, np.eye(4))
    >>> mask = nibabel.Nifti1Image(np.ones((2, 1, 1), "int8"), np.eye(4))
    >>> maps = estimate_maps([image], [events], t_r=2.0, mask=mask, signal_scaling=False)
    >>> maps.y.tolist()
    ['face', 'house']
    >>> [f"{beta:.1f}" for beta in maps.images.get_fdata()[0].ravel()]
    ['4.9', '-0.3']
    """
    require_nilearn()
    check_choice("each", each, _UNITS)
    check_positive("t_r", t_r)
    edges = None if slices is None else _check_edges(slices)
    images = [load_images(one) for one in _as_list(runs)]
    images = [
        match_grid(one, images[0], f"run {number}", "run 0") for number, one in enumerate(images)
    ]
    tables = [read_events(one, number) for number, one in enumerate(_as_list(events))]
    noise = [None] * len(images) if confounds is None else list(confounds)
    for name, values in (("events", tables), ("confounds", noise)):
        if len(values) != len(images):
            raise ValueError(
                f"{name}: {len(values)} given for {counted(len(images), 'run')}. Give one for "
                "each run"
            )
    mask_img = _find_mask(mask, images)
    settings = {"hrf_model": "spm", **settings, "t_r": t_r, "mask_img": mask_img}
    maps: list[Any] = []
    rows: list[tuple[Any, int, int, float]] = []
    for number, image in enumerate(images):
        regressors = _list_regressors(tables[number], each, edges)
        maps += _fit_run(image, regressors, noise[number], settings, number)
        rows += [(condition, number, trial, time) for condition, trial, time, _ in regressors]
    from nilearn.image import concat_imgs

    y, own_runs, trials, times = (np.array(column) for column in zip(*rows, strict=True))
    return FirstLevelMaps(concat_imgs(maps), y, own_runs, trials, times, mask_img)


def _as_list(values: Any) -> list[Any]:
    """Several runs, or a single one."""
    if isinstance(values, (list, tuple)):
        return list(values)
    return [values]


def _check_edges(slices: ArrayLike) -> FloatArray:
    edges = np.asarray(slices, dtype=np.float64)
    if edges.ndim != 1 or len(edges) < 2 or not np.all(np.diff(edges) > 0):
        raise ValueError(
            "slices must be increasing times in seconds, at least two, such as [0, 4, 8]; got "
            f"{slices!r}"
        )
    return edges


def _find_mask(mask: Any, images: Sequence[SpatialImage]) -> SpatialImage:
    from nilearn.masking import compute_multi_epi_mask

    if mask is None:
        return compute_multi_epi_mask(list(images))
    return match_grid(load_image(mask, "mask"), images[0], "the mask", "the runs")


def _list_regressors(events: Any, each: str, edges: FloatArray | None) -> list[_Regressor]:
    """What is estimated in a run, one map each."""
    trials = list(events.itertuples(index=False))
    if each == "trial":
        units = [(trial.trial_type, place, [trial]) for place, trial in enumerate(trials)]
    else:
        names = sorted(set(events["trial_type"]))
        units = [(name, -1, [one for one in trials if one.trial_type == name]) for name in names]
    found = []
    for condition, place, own in units:
        if edges is None:
            found.append((condition, place, np.nan, [(one.onset, one.duration) for one in own]))
            continue
        for start, stop in pairwise(edges):
            boxes = [(one.onset + start, stop - start) for one in own]
            found.append((condition, place, float(start + stop) / 2, boxes))
    return found


def _fit_run(
    image: SpatialImage,
    regressors: Sequence[_Regressor],
    confounds: Any,
    settings: dict[str, Any],
    number: int,
) -> Iterable[Any]:
    """The map of every regressor."""
    import pandas as pd
    from nilearn.glm.first_level import FirstLevelModel

    names = [f"regressor_{place:05d}" for place in range(len(regressors))]
    rows = [
        (onset, duration, name)
        for name, (*_, boxes) in zip(names, regressors, strict=True)
        for onset, duration in boxes
    ]
    _check_times(regressors, (image.shape[3] - 1) * settings["t_r"], number)
    model = FirstLevelModel(**settings)
    with warnings.catch_warnings():
        # The mask is meant; what is singular is said below.
        warnings.filterwarnings("ignore", message=".*Given mask will be used")
        warnings.filterwarnings("ignore", message="Matrix is singular")
        warnings.filterwarnings("ignore", message="divide by zero", category=RuntimeWarning)
        model.fit(image, events=pd.DataFrame(rows, columns=list(COLUMNS)), confounds=confounds)
    design = model.design_matrices_[0]
    _check_rank(design, len(names), number)
    contrasts = np.eye(design.shape[1])
    places = [design.columns.get_loc(name) for name in names]
    return [model.compute_contrast(contrasts[one], output_type="effect_size") for one in places]


def _check_times(regressors: Sequence[_Regressor], end: float, number: int) -> None:
    """Every regressor must begin before the last volume, and not long before the first."""
    for condition, trial, time, boxes in regressors:
        if not any(_EARLIEST <= onset < end for onset, _ in boxes):
            where = "" if trial < 0 else f", trial {trial}"
            slice_ = "" if np.isnan(time) else f", slice at {time:g} s"
            raise ValueError(
                f"run {number}: nothing of {condition}{where}{slice_} is within the volumes. Check "
                "onsets and t_r, or take fewer slices"
            )


def _check_rank(design: Any, n_maps: int, number: int) -> None:
    """Every map must be determined by the volumes of the run."""
    columns = design.to_numpy()
    scaled = columns / np.linalg.norm(columns, axis=0)
    if np.linalg.matrix_rank(scaled) < design.shape[1]:
        raise ValueError(
            f"run {number}: {counted(n_maps, 'map')} cannot be told apart by {len(design)} "
            "volumes. Take each='condition', fewer slices, or slices that do not overlap between "
            "trials"
        )
