"""The volumes that a command works on: images, and what the options say about each of them."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fewest._types import FloatArray
from fewest._wording import counted, listed, visible
from fewest.cli._errors import CommandError
from fewest.cli._labels import LabelFile, convert_numbers
from fewest.neuro import label_volumes
from fewest.neuro._confounds import read_confounds
from fewest.neuro._images import find_t_r, load_images
from fewest.neuro._labelled import find_blocks, find_missing

Labels: TypeAlias = NDArray[Any]
_FEW_LABELLINGS = 20  # fewer cannot show p = 0.05


@dataclass(eq=False)
class Series:
    """Volumes in their order; None in `y` for those that are not used."""

    images: Any
    sizes: list[int]
    y: Labels
    groups: Labels | None
    blocks: Labels | None
    confounds: FloatArray | None
    t_r: float | None
    notes: list[str]

    @property
    def used(self) -> NDArray[np.bool_]:
        return ~find_missing(self.y)


def read_series(arguments: argparse.Namespace) -> Series:
    """Everything that `fewest brain` reads; errors name the option that helps."""
    files, notes = arguments.images, list[str]()
    images, sizes = read_images(files)
    t_r = arguments.t_r
    if t_r is None and (arguments.events or arguments.high_pass or arguments.low_pass):
        t_r = saying(find_t_r, files[0])
        if t_r is None:
            raise CommandError(
                "the header of the images does not say how many seconds there are from one volume "
                "to the next.\nAdd --t-r SECONDS."
            )
        notes.append(f"By the header of the images, a volume takes {t_r:g} s (--t-r).")
    groups = _read_groups(arguments, sum(sizes))
    if groups is None:
        groups = name_runs(sizes)
        if groups is not None:
            notes.append("Every image is one group: its volumes are left out together.")
    if arguments.events:
        y, blocks = _read_events(arguments, sizes, t_r, notes)
    else:
        table = LabelFile.read(arguments.labels)
        y = table.column(arguments.labels_column, sum(sizes), "--labels-column").astype(object)
        blocks = None
    _keep_only(y, arguments.only)
    in_time = max(sizes) > 1
    if (arguments.permute or ("blocks" if in_time else "volumes")) == "volumes":
        blocks = None
    elif blocks is None:
        blocks = find_blocks(y, groups)
    if not find_missing(y).any():
        y = np.array(y.tolist())
    found = Series(images, sizes, y, groups, blocks, None, t_r, notes)
    found.confounds = read_confounds_option(arguments, sum(sizes))
    _describe_blocks(found)
    return found


def read_images(files: Sequence[str]) -> tuple[Any, list[int]]:
    """All volumes as one image, and how many every file has."""
    if len(files) == 1:
        images = saying(load_images, files[0])
        return images, [images.shape[3]]
    loaded = [saying(load_images, file) for file in files]
    return saying(load_images, loaded), [image.shape[3] for image in loaded]


def name_runs(sizes: Sequence[int]) -> Labels | None:
    """Several series are a run each; volumes in files of their own are not."""
    if len(sizes) == 1 or min(sizes) == 1:
        return None
    return np.repeat(np.arange(1, len(sizes) + 1), sizes)


def name_volumes(files: Sequence[str], sizes: Sequence[int]) -> list[str]:
    """bold.nii.gz[12] for a volume of a series, counted from 0; a file of its own as it is."""
    names: list[str] = []
    for file, size in zip(files, sizes, strict=True):
        name = visible(Path(file).name)
        names += [name] if size == 1 else [f"{name}[{number}]" for number in range(size)]
    return names


def read_confounds_option(arguments: argparse.Namespace, n_volumes: int) -> FloatArray | None:
    """The tables of --confounds as numbers."""
    if not arguments.confounds:
        return None
    files = list(arguments.confounds)
    return saying(read_confounds, files, n_volumes, arguments.confounds_columns)


def saying(action: Callable[..., Any], *given: Any) -> Any:
    """What the action returns; errors of the library as errors of the command."""
    try:
        return action(*given)
    except (ValueError, TypeError, OSError) as error:
        raise CommandError(as_sentence(error)) from error


def as_sentence(error: Any) -> str:
    """The message of an error or warning of a library, in one line with a full stop."""
    return f"{' '.join(str(error).split()).rstrip('.')}."


def _read_groups(arguments: argparse.Namespace, n_volumes: int) -> Labels | None:
    if arguments.groups is None and arguments.groups_column is None:
        return None
    file = arguments.labels if arguments.groups is None else arguments.groups
    if file is None:
        raise CommandError("--groups-column names a column.\nAdd the file with --groups FILE.")
    column = LabelFile.read(file).column(arguments.groups_column, n_volumes, "--groups-column")
    return convert_numbers(column)


def _read_events(
    arguments: argparse.Namespace, sizes: list[int], t_r: float, notes: list[str]
) -> tuple[Labels, Labels]:
    """Condition and event of every volume."""
    files = arguments.events
    runs = sizes if max(sizes) > 1 else [sum(sizes)]
    if len(files) != len(runs):
        raise CommandError(
            f"--events names {counted(len(files), 'file')} for {counted(len(runs), 'run')}.\n"
            "Give one per 4-D image, in the same order."
        )
    found = saying(lambda: label_volumes(list(files), runs, t_r=t_r, lag=arguments.lag))
    text = (
        f"Volumes are labelled by events, {arguments.lag:g} s after their onset (--lag); "
        f"{counted(found.n_rest, 'volume')} between them, or of rest, "
        f"{'is' if found.n_rest == 1 else 'are'} left out"
    )
    if found.n_shared:
        text += f", as {'is' if found.n_shared == 1 else 'are'} {found.n_shared} of two conditions"
    notes.append(f"{text}.")
    return found.y, found.blocks


def _keep_only(y: Labels, only: Sequence[str]) -> None:
    """No label where it is none of those asked for."""
    if not only:
        return
    known = [str(label) for label in y[~find_missing(y)].tolist()]
    unknown = [label for label in only if label not in known]
    if unknown:
        raise CommandError(
            f"--only {visible(unknown[0])}: no volume has this label.\n"
            f"The labels are: {listed(np.unique(known), 12)}."
        )
    y[[label is None or str(label) not in only for label in y.tolist()]] = None


def _describe_blocks(found: Series) -> None:
    """Say how labels are permuted, where that is not volume by volume, and if in too few ways."""
    if found.blocks is None:
        return
    used = found.used
    names, first = np.unique(found.blocks[used], return_index=True)
    if len(names) == used.sum():
        found.blocks = None
        return
    groups = np.zeros(len(names)) if found.groups is None else found.groups[used][first]
    n_ways = _count_labellings(found.y[used][first].astype(str), groups)
    found.notes.append(
        f"Volumes of a block have the same label in every permutation: {len(names)} blocks of "
        f"{used.sum()} volumes (--permute)."
    )
    if n_ways < _FEW_LABELLINGS:
        found.notes.append(
            f"Only {counted(n_ways, 'labelling')} of the blocks {'is' if n_ways == 1 else 'are'} "
            "possible, too few for a permutation test: more blocks per run, or more runs, are "
            "needed."
        )


def _count_labellings(labels: Labels, groups: NDArray[Any]) -> int:
    """In how many ways blocks can exchange their labels within groups."""
    ways = 1
    for group in np.unique(groups):
        _, counts = np.unique(labels[groups == group], return_counts=True)
        ways *= math.factorial(int(counts.sum())) // math.prod(map(math.factorial, counts.tolist()))
    return ways
