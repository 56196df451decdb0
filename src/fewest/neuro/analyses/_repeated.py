"""Repetitive selection for pairs, one-vs-all, time slices and levels of a pyramid.

Klement's thesis (2013), figs. 6.9, 6.14, 6.17 to 6.19 and 6.21 to 6.23.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fewest._showing import Shown
from fewest._wording import aligned, cut
from fewest.exceptions import NotSeparableError
from fewest.informative import InformativeFeatures, informative_features
from fewest.neuro._grid import VoxelGrid
from fewest.neuro.analyses._consensus import Consensus, find_consensus
from fewest.neuro.analyses._map_overlap import MapOverlap, map_overlap
from fewest.neuro.analyses._one_vs_all import oppose_rest
from fewest.neuro.analyses._pairs import pair_up
from fewest.neuro.analyses._performance import TwoClasses
from fewest.neuro.analyses._series import cut_times, make_levels


@dataclass(frozen=True, eq=False, repr=False)
class RepeatedSelection(Shown):
    """Repetitive selection for two classes, at one time or level if there are several.

    Attributes
    ----------
    name : str
        The classes: "joy vs. sadness".
    place : object
        The time or level; None where there is only one.
    found : InformativeFeatures
        Curves, estimates and subsets of all folds.
    grid : VoxelGrid or None
        How voxels of a coarser level lie in the full mask.
    """

    name: str
    place: Any
    found: InformativeFeatures
    grid: VoxelGrid | None = None

    @property
    def smallest(self) -> float:
        """Number of voxels of the smallest subset, on average over the folds."""
        return float(np.mean([fold.sizes.min() for fold in self.found.folds]))

    @property
    def largest(self) -> float:
        """Number of voxels of the largest subset, on average over the folds."""
        return float(np.mean([fold.sizes.max() for fold in self.found.folds]))

    @property
    def informative(self) -> float:
        """Share of voxels that carry information, by the restricted sigmoid; NaN without a probe.

        Klement's thesis (2013, sec. 6.4.1) fits f(x) = 0.5 / (1 + exp(-(x - a) / b)) here: where
        the SVM is near chance from the start, the four parameters of 2013 are not determined.
        """
        sigmoid = self.found.restricted
        return float("nan") if sigmoid is None else sigmoid.estimate

    def find_consensus(self, share: float = 0.025, *, min_folds: int | float = 0.5) -> Consensus:
        """Voxels that enough folds find first, as voxels of the full mask.

        A voxel of a coarser level stands for all that are nearest to it.

        Parameters
        ----------
        share, min_folds
            As for `fewest.neuro.analyses.find_consensus`; the share is one of the level's voxels.

        Returns
        -------
        Consensus
        """
        consensus = find_consensus(self.found, share=share, min_folds=min_folds)
        if self.grid is None:
            return consensus
        counts = self.grid.copy_nearest(consensus.counts)
        expected = consensus.expected * len(counts) / len(consensus.counts)
        return replace(consensus, counts=counts, expected=expected)


@dataclass(frozen=True, eq=False, repr=False)
class RepeatedSelections(Shown):
    """Outcome of the functions `repeat_...`; print it for the table.

    `parts` holds one `RepeatedSelection` per pair (or condition) and time (or level).
    """

    parts: tuple[RepeatedSelection, ...]

    def compare_maps(
        self, reference: ArrayLike, share: float = 0.025, *, min_folds: int | float = 0.5
    ) -> list[MapOverlap]:
        """What the consensus of every part has in common with one map (thesis, fig. 6.19).

        Parameters
        ----------
        reference : array of shape (n_voxels,)
            A map of the same voxels, such as the consensus for whole trials.
        share, min_folds
            As for `find_consensus`.

        Returns
        -------
        list of MapOverlap
        """
        maps = (part.find_consensus(share, min_folds=min_folds) for part in self.parts)
        return [map_overlap(one.voxels, reference) for one in maps]

    def __str__(self) -> str:
        has_probe = all(part.found.probe_error is not None for part in self.parts)
        has_place = any(part.place is not None for part in self.parts)
        head = ["", *(["at"] if has_place else []), "voxels", "smallest", "largest", "error"]
        rows = [[*head, *(["SVM on all", "informative"] if has_probe else [])]]
        for part in self.parts:
            found = part.found
            place = [cut(part.place)] if has_place else []
            row = [part.name, *place, f"{found.n_features}", f"{part.smallest:.1f}"]
            row += [f"{part.largest:.1f}", f"{found.selection_error[0]:.2f}"]
            if found.probe_error is not None:
                row += [f"{found.probe_error[0]:.2f}", f"{part.informative:.0%}"]
            rows.append(row)
        return aligned(rows)


def repeat_pairs(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    groups: ArrayLike,
    conditions: Iterable[Any] | None = None,
    **settings: Any,
) -> RepeatedSelections:
    """Repetitive selection for each pair of conditions (Klement's thesis, figs. 6.9 to 6.12).

    In each fold one group is left out, voxels are selected and set aside again and again, and an
    SVM is tested on those that remain: see :func:`fewest.informative.informative_features`.

    Parameters
    ----------
    estimator : selecting classifier, RepetitiveSelector or None
        None stands for the hard Support Feature Machine; a `RepetitiveSelector` brings its limits.
    X, y, groups, conditions
        As for `all_pairs`.
    **settings
        As for :func:`fewest.informative.informative_features`; without labels permuted for a band
        of chance (``n_permutations=0``) unless asked for. A `checkpoint` holds one folder per part.

    Returns
    -------
    RepeatedSelections

    References
    ----------
    S. Klement: The support feature machine, PhD thesis, Universität zu Lübeck, sec. 6.4.1.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.neuro.analyses import repeat_pairs
    >>> rng = np.random.default_rng(0)
    >>> y, groups = np.tile(["joy", "fear"], 20), np.repeat(np.arange(4), 10)
    >>> X = rng.standard_normal((40, 80))
    >>> X[y == "joy", :20] += 1.5
    >>> found = repeat_pairs(None, X, y, groups=groups, every=1)
    >>> print(found)
                    voxels  smallest  largest  error  SVM on all  informative
      fear vs. joy      80       2.0     14.2   0.05        0.00          43%
    """
    names, data_sets = pair_up([("", X)], y, groups, conditions)
    pairs = [_name_pair(*pair) for pair in combinations(names, 2)]
    return _repeat(estimator, data_sets, pairs, [None] * len(pairs), settings)


def repeat_one_vs_all(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    groups: ArrayLike,
    blocks: ArrayLike | None = None,
    average: str | None = "rest",
    conditions: Iterable[Any] | None = None,
    **settings: Any,
) -> RepeatedSelections:
    """Repetitive selection for each condition against all others (Klement's thesis, fig. 6.14).

    Parameters
    ----------
    estimator, settings
        As for `repeat_pairs`.
    X, y, groups, blocks, average, conditions
        As for `one_vs_all`.

    Returns
    -------
    RepeatedSelections

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.neuro.analyses import repeat_one_vs_all
    >>> rng = np.random.default_rng(0)
    >>> y, groups = np.tile(["joy", "anger", "fear"], 24), np.repeat(np.arange(6), 12)
    >>> X = rng.standard_normal((72, 60))
    >>> X[y == "joy", :20] += 1.0
    >>> found = repeat_one_vs_all(None, X, y, groups=groups, conditions=["joy"], probe=None)
    >>> found.parts[0].name
    'joy vs. all others'
    """
    names, data_sets = oppose_rest(X, y, groups, blocks, average, conditions)
    parts = [_name_pair(name, "all others") for name in names]
    return _repeat(estimator, data_sets, parts, [None] * len(parts), settings)


def repeat_time_slices(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    groups: ArrayLike,
    times: Sequence[Any] | None = None,
    conditions: Iterable[Any] | None = None,
    **settings: Any,
) -> RepeatedSelections:
    """Repetitive selection at each time by itself (Klement's thesis, figs. 6.17 to 6.19).

    `RepeatedSelections.compare_maps` says how much the maps share with that of whole trials.

    Parameters
    ----------
    estimator, settings
        As for `repeat_pairs`.
    X, y, groups, times, conditions
        As for `time_slices`.

    Returns
    -------
    RepeatedSelections
        All pairs at the first time, then at the second, and so on.

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.neuro.analyses import repeat_time_slices
    >>> rng = np.random.default_rng(0)
    >>> y, groups = np.tile(["joy", "fear"], 20), np.repeat(np.arange(4), 10)
    >>> X = rng.standard_normal((40, 2, 80))
    >>> X[y == "joy", 1, :20] += 1.5
    >>> found = repeat_time_slices(None, X, y, groups=groups, times=["-2 s", "6 s"], every=1)
    >>> print(found)
                      at  voxels  smallest  largest  error  SVM on all  informative
      fear vs. joy  -2 s      80       6.2     15.5   0.55        0.53           0%
      fear vs. joy   6 s      80       2.2     15.5   0.15        0.00          33%
    """
    own_times, named = cut_times(X, times)
    names, data_sets = pair_up(named, y, groups, conditions)
    pairs = [_name_pair(*pair) for pair in combinations(names, 2)]
    places = [time for time in own_times for _ in pairs]
    return _repeat(estimator, data_sets, pairs * len(own_times), places, settings)


def repeat_resolutions(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike,
    mask: ArrayLike,
    *,
    groups: ArrayLike,
    n_levels: int = 3,
    already_smooth: bool = False,
    conditions: Iterable[Any] | None = None,
    **settings: Any,
) -> RepeatedSelections:
    """Repetitive selection at full and coarser resolution (Klement's thesis, figs. 6.21 to 6.23).

    Maps of a coarser level are given at full resolution: each of its voxels stands for those of the
    mask that are nearest to it. (The thesis interpolates, which blurs the borders of the map.)

    Parameters
    ----------
    estimator, settings
        As for `repeat_pairs`.
    X, y, mask, groups, n_levels, already_smooth, conditions
        As for `resolutions`.

    Returns
    -------
    RepeatedSelections
        All pairs at level 0, then at level 1, and so on.

    Examples
    --------
    >>> from fewest.datasets import make_brain
    >>> from fewest.neuro.analyses import repeat_resolutions
    >>> maps = make_brain(4, 4, n_voxels=500, strength=2.0, informative=0.3, random_state=0)
    >>> found = repeat_resolutions(
    ...     None, maps.X, maps.y, maps.mask, groups=maps.groups, n_levels=1, probe=None
    ... )
    >>> [part.found.n_features for part in found.parts]
    [500, 54]
    >>> [part.find_consensus(0.05).counts.shape for part in found.parts]
    [(500,), (500,)]
    """
    masks, named = make_levels(X, mask, n_levels, already_smooth)
    names, data_sets = pair_up(named, y, groups, conditions)
    pairs = [_name_pair(*pair) for pair in combinations(names, 2)]
    places = [level for level in range(n_levels + 1) for _ in pairs]
    found = _repeat(estimator, data_sets, pairs * (n_levels + 1), places, settings)
    grids = [VoxelGrid(masks[0], level) for level in range(n_levels + 1)]
    return RepeatedSelections(tuple(replace(part, grid=grids[part.place]) for part in found.parts))


def _name_pair(first: Any, second: Any) -> str:
    return f"{cut(first)} vs. {cut(second)}"


def _repeat(
    estimator: Any,
    data_sets: Sequence[TwoClasses],
    names: Sequence[str],
    places: Sequence[Any],
    settings: dict[str, Any],
) -> RepeatedSelections:
    """One data set after the other; the folds of each may run at the same time."""
    settings = {"n_permutations": 0, **settings}
    checkpoint = settings.pop("checkpoint", None)
    parts = []
    for number, data in enumerate(data_sets):
        folder = None if checkpoint is None else Path(checkpoint) / f"part-{number:03d}"
        samples = data.X[data.rows], data.y[data.rows]
        try:
            found = informative_features(
                estimator, *samples, groups=data.groups[data.rows], checkpoint=folder, **settings
            )
        except NotSeparableError as error:
            raise NotSeparableError(f"{data.name}: {error}") from error
        parts.append(RepeatedSelection(names[number], places[number], found))
    return RepeatedSelections(tuple(parts))
