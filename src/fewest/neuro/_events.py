"""Tables of events as BIDS has them, and the condition of every volume by them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.validation import check_positive
from fewest._types import IndexArray
from fewest._wording import counted, listed, visible
from fewest.neuro._confounds import read_table_file

COLUMNS = ("onset", "duration", "trial_type")
LAG = 5.0  # seconds from a stimulus to the peak of the hemodynamic response
_REST = ("rest", "baseline", "fixation")


@dataclass(frozen=True, eq=False)
class VolumeLabels:
    """What happened at every volume.

    Attributes
    ----------
    y : array of shape (n_volumes,)
        Its condition, None between events.
    runs : array of shape (n_volumes,)
        Its run, counted from 1.
    blocks : array of shape (n_volumes,)
        The event, counted from 1 over all runs; volumes between events are 0.
    n_rest : int
        Volumes between events, or in events of rest.
    n_shared : int
        Volumes that events of several conditions share; they have no condition.
    """

    y: NDArray[Any]
    runs: IndexArray
    blocks: IndexArray
    n_rest: int
    n_shared: int


def label_volumes(
    events: Any, n_volumes: Sequence[int] | int, *, t_r: float, lag: float = LAG
) -> VolumeLabels:
    """The condition of every volume, from tables of events as BIDS has them.

    A volume at time t belongs to the event with onset + lag <= t < onset + lag + duration. The
    first volume of a run has the time zero. An event shorter than `t_r` counts as if it were
    that long, so it has a volume.

    Parameters
    ----------
    events : DataFrame or file, or list of them
        One per run, with the columns onset and duration (in seconds) and trial_type. Files are
        separated by tabs, or by commas if they end in .csv.
    n_volumes : int or sequence of int
        Volumes of every run.
    t_r : float
        Seconds from one volume to the next.
    lag : float
        Seconds by which the response follows the stimulus. The default is about the time to the
        peak of the hemodynamic response; 0 labels volumes by what was shown at their time.

    Returns
    -------
    VolumeLabels
        `y` and `blocks` are for :meth:`FewestVoxels.fit`, and `runs` for its `groups`. Conditions
        called rest, baseline or fixation are no conditions here.

    Examples
    --------
    >>> import pandas as pd
    >>> from fewest.neuro import label_volumes
    >>> events = pd.DataFrame(
    ...     {"onset": [0.0, 8.0], "duration": 4.0, "trial_type": ["face", "house"]}
    ... )
    >>> found = label_volumes(events, 8, t_r=2.0, lag=4.0)
    >>> found.y.tolist()
    [None, None, 'face', 'face', None, None, 'house', 'house']
    >>> found.blocks.tolist(), found.n_rest
    ([0, 0, 1, 1, 0, 0, 2, 2], 4)
    """
    check_positive("t_r", t_r)
    if not np.isfinite(lag):
        raise ValueError(f"lag must be a number of seconds; got {lag!r}")
    tables = events if isinstance(events, (list, tuple)) else [events]
    sizes = [n_volumes] if isinstance(n_volumes, (int, np.integer)) else list(n_volumes)
    if len(tables) != len(sizes):
        raise ValueError(
            f"there are {counted(len(tables), 'table')} of events for "
            f"{counted(len(sizes), 'run')}: give one for each run"
        )
    y = np.full(sum(sizes), None, dtype=object)
    blocks = np.zeros(len(y), dtype=np.intp)
    runs = np.repeat(np.arange(1, len(sizes) + 1), sizes)
    n_shared, first_block = 0, 1
    for number, table in enumerate(tables):
        own = np.flatnonzero(runs == number + 1)
        found = _label_run(read_events(table, number), len(own), t_r, lag, number)
        y[own], places, shared = found
        blocks[own] = np.where(places >= 0, places + first_block, 0)
        n_shared += shared
        first_block += int(places.max(initial=-1)) + 1
    n_rest = int(np.sum(blocks == 0)) - n_shared
    return VolumeLabels(y, runs, blocks, n_rest, n_shared)


def read_events(table: Any, number: int) -> Any:
    """The three columns, in order of time; `number` is that of the run, from 0."""
    import pandas as pd

    name = f"the events of run {number}"
    if isinstance(table, (str, os.PathLike)):
        name += f", {visible(os.fspath(table))},"
        table = read_table_file(table, name)
    found = pd.DataFrame(table)
    missing = [column for column in COLUMNS if column not in found]
    if missing or not len(found):
        raise ValueError(
            f"{name} need the columns onset, duration and trial_type, and at least one row; "
            f"missing: {listed(missing) or 'rows'}"
        )
    found = found[list(COLUMNS)]
    for column in ("onset", "duration"):
        numbers = pd.to_numeric(found[column], errors="coerce")
        if not np.isfinite(numbers).all():
            raise ValueError(
                f"{name} have cells that are no numbers of seconds in the column {column}: fill "
                "them, or take these rows out"
            )
        found = found.assign(**{column: numbers})
    return found.sort_values("onset", kind="stable", ignore_index=True)


def _label_run(
    events: Any, n_volumes: int, t_r: float, lag: float, number: int
) -> tuple[NDArray[Any], IndexArray, int]:
    """Condition and event (-1 for none) of every volume, and how many have several conditions."""
    times = np.arange(n_volumes) * t_r
    labels = np.full(n_volumes, None, dtype=object)
    places = np.full(n_volumes, -1, dtype=np.intp)
    shared = np.zeros(n_volumes, dtype=bool)
    for place, event in enumerate(events.itertuples(index=False)):
        if _is_rest(event.trial_type):
            continue
        start = event.onset + lag
        # Onsets and times are sums of decimals: what differs by rounding is the same time.
        inside = times >= start - 1e-6
        inside &= times < start + max(event.duration, t_r) - 1e-6
        shared |= inside & (places >= 0) & (labels != event.trial_type)
        labels[inside], places[inside] = event.trial_type, place
    labels[shared], places[shared] = None, -1
    if (places < 0).all():
        raise ValueError(
            f"no volume of run {number} lies within an event: the run ends at "
            f"{n_volumes * t_r:g} s, and its events begin at {events['onset'].min():g} s. Check "
            "onsets, t_r and lag"
        )
    return labels, places, int(shared.sum())


def _is_rest(trial_type: Any) -> bool:
    """Also where nothing is said (n/a)."""
    return trial_type != trial_type or str(trial_type).strip().lower() in _REST
