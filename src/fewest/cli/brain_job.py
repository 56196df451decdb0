"""The fewest voxels of images that were read: the decoder, and its results as plain values."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fewest._estimators.abilities import certificates_of, selection_of
from fewest._estimators.splits import balanced_error
from fewest._run.versions import versions
from fewest._wording import counted
from fewest.cli._errors import CommandError, InseparableError
from fewest.cli.brain_report import (
    BrainData,
    BrainFold,
    BrainMachine,
    BrainReport,
    BrainValidation,
    InformativeVoxels,
    Repetition,
    Voxel,
)
from fewest.report.content import ClassSize, TrainingError

if TYPE_CHECKING:
    import argparse

    from fewest.neuro import FewestVoxels


@dataclass(frozen=True, eq=False)
class Volumes:
    """One 4-D image, a label a volume, and a group a volume or None."""

    images: Any
    y: NDArray[Any]
    groups: NDArray[Any] | None


def fitted_decoder(
    volumes: Volumes,
    arguments: argparse.Namespace,
    estimator: Any,
    *,
    atlas_labels: dict[int, str] | None,
    show_progress: bool,
) -> tuple[FewestVoxels, list[str]]:
    """The decoder, and what it warned of."""
    from fewest.exceptions import NotSeparableError
    from fewest.neuro import FewestVoxels

    decoder = FewestVoxels(
        estimator,
        mask=arguments.mask,
        smoothing_fwhm=arguments.smoothing,
        standardize="groups" if arguments.standardize_runs else None,
        downsample=arguments.downsample,
        cv=arguments.cv,
        n_repetitions=arguments.repetitions,
        # The band of chance is not reported, and would take most of the time.
        informative={"n_permutations": 0} if arguments.informative else False,
        atlas=arguments.atlas,
        atlas_labels=atlas_labels,
        n_jobs=arguments.jobs,
        random_state=arguments.seed,
        verbose=int(show_progress),
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            decoder.fit(volumes.images, volumes.y, volumes.groups)
        except NotSeparableError as error:
            raise InseparableError(
                f"no hyperplane on {counted(decoder.n_features_, 'voxel')} separates the "
                "conditions without error (proven).\n"
                "Allow errors with a finite cost, for example --C 1"
            ) from error
        except (ValueError, TypeError, OSError) as error:
            raise CommandError(sentence(error)) from error
    messages = dict.fromkeys(sentence(warning.message) for warning in caught)
    return decoder, [f"Warning: {message}" for message in messages]


def sentence(error: Exception | str) -> str:
    """The message of an error of the library, with a full stop."""
    return f"{str(error).rstrip('.')}."


def brain_report(
    decoder: FewestVoxels,
    volumes: Volumes,
    arguments: argparse.Namespace,
    *,
    files: list[str],
    seconds_reading: float,
    seconds_fitting: float,
    notes: list[str],
) -> BrainReport:
    """All results as plain values."""
    regions = decoder.regions_
    selector = decoder.selector_
    return BrainReport(
        data=_data(decoder, volumes, arguments),
        parameters=decoder.estimator_.get_params(False),
        selected=_voxels(decoder),
        machines=_machines(decoder, volumes),
        training=_training_error(decoder, volumes),
        cross_validation=_validation(decoder),
        repetitions=None if arguments.repetitions == 0 else _repetitions(selector),
        stop_reason=None if selector is None else selector.stop_reason_,
        informative=_informative(decoder),
        regions=None if regions is None else list(regions.regions),
        files=files,
        seconds={"reading": seconds_reading, "fitting": seconds_fitting},
        versions={**versions(), **_versions_of_nilearn()},
        notes=notes,
        chosen_C=selection_of(decoder.estimator_).chosen.get("C"),
    )


def _data(decoder: FewestVoxels, volumes: Volumes, arguments: argparse.Namespace) -> BrainData:
    labels, counts = np.unique(volumes.y, return_counts=True)
    return BrainData(
        images=list(arguments.images),
        labels=arguments.labels,
        groups=arguments.groups,
        only=list(arguments.only),
        mask=arguments.mask,
        smoothing_mm=arguments.smoothing,
        standardized_runs=arguments.standardize_runs,
        downsampled=arguments.downsample,
        shape=list(decoder.mask_img_.shape),
        n_volumes=len(volumes.y),
        n_groups=None if volumes.groups is None else len(np.unique(volumes.groups)),
        n_voxels=decoder.n_elements_,
        n_features=decoder.n_features_,
        classes=[
            ClassSize(label, count)
            for label, count in zip(labels.tolist(), counts.tolist(), strict=True)
        ],
    )


def _voxels(decoder: FewestVoxels) -> list[Voxel]:
    places = np.argwhere(decoder.grid_.small_mask) * 2**decoder.downsample
    coef = decoder.estimator_.coef_
    return [
        Voxel(
            index=places[column].tolist(),
            position_mm=(decoder.mask_img_.affine @ [*places[column], 1.0])[:3].round(3).tolist(),
            coefficients=coef[:, column].tolist(),
            folds_selected=_folds_selected(decoder, places[column]),
        )
        for column in np.flatnonzero(coef.any(axis=0))
    ]


def _folds_selected(decoder: FewestVoxels, place: NDArray[np.intp]) -> int | None:
    if decoder.consistency_img_ is None:
        return None
    return int(np.asanyarray(decoder.consistency_img_.dataobj)[tuple(place)])


def _machines(decoder: FewestVoxels, volumes: Volumes) -> list[BrainMachine]:
    machine, labels = decoder.estimator_, decoder.classes_.tolist()
    positives = labels[1:] if len(labels) == 2 else labels
    signs = np.array([np.where(volumes.y == label, 1.0, -1.0) for label in positives])
    proofs = certificates_of(machine, signs)
    found = []
    for row, coef in enumerate(machine.coef_):
        positive, negative = (labels[1], labels[0]) if len(labels) == 2 else (labels[row], None)
        found.append(
            BrainMachine(
                positive_class=positive,
                negative_class=negative,
                intercept=float(machine.intercept_[row]),
                n_voxels=int(np.count_nonzero(coef)),
                certificate=proofs[row],
            )
        )
    return found


def _training_error(decoder: FewestVoxels, volumes: Volumes) -> TrainingError:
    predicted = decoder.predict(volumes.images, volumes.groups)
    wrong = predicted != volumes.y
    return TrainingError(
        int(wrong.sum()), float(wrong.mean()), balanced_error(volumes.y, predicted)
    )


def _validation(decoder: FewestVoxels) -> BrainValidation | None:
    results = decoder.cv_results_
    if results is None:
        return None
    columns = [results[name].tolist() for name in ("fold", "left_out", "n_train", "n_test")]
    columns += [results[name].tolist() for name in ("error", "balanced_error", "n_features")]
    return BrainValidation(
        decoder.error_, decoder.error_sd_, [BrainFold(*row) for row in zip(*columns, strict=True)]
    )


def _repetitions(selector: Any) -> list[Repetition]:
    if selector is None:  # nothing was selected
        return []
    return [
        Repetition(number, int(size), float(error))
        for number, (size, error) in enumerate(
            zip(selector.sizes_, selector.training_errors_, strict=True), start=1
        )
    ]


def _informative(decoder: FewestVoxels) -> InformativeVoxels | None:
    found = decoder.informative_
    if found is None:
        return None
    return InformativeVoxels(
        found.estimate, None if found.purity is None else float(found.purity.estimate)
    )


def _versions_of_nilearn() -> dict[str, str]:
    import nibabel
    import nilearn

    return {"nilearn": nilearn.__version__, "nibabel": nibabel.__version__}
