"""What candidates decided on held-out samples, how much they lose by it, and which is chosen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

from fewest._estimators.decisions import choose_classes
from fewest._estimators.probabilities import fit_temperature, pair_scores
from fewest._estimators.splits import balanced_error
from fewest._types import FloatArray, IndexArray

# Larger factors change the loss of no sample that matters.
_LARGEST_LOG_FACTOR = 6.0


@dataclass(frozen=True, eq=False)
class Trial:
    """Decisions of one candidate on the test part of a split: one column per hyperplane."""

    decisions: FloatArray
    n_features: int

    @property
    def decided(self) -> IndexArray:
        """Code of the class of every sample."""
        return choose_classes(self.decisions)


@dataclass(frozen=True, eq=False)
class Judgement:
    """The trials of all candidates in one split; None where one could not be trained."""

    codes: IndexArray
    trials: list[Trial | None]
    failures: list[ValueError]

    @property
    def scores(self) -> FloatArray:
        """Balanced accuracy of every candidate."""
        return np.array(
            [
                np.nan if t is None else 1.0 - balanced_error(self.codes, t.decided)
                for t in self.trials
            ]
        )

    @property
    def sizes(self) -> FloatArray:
        """Number of features of every candidate."""
        return np.array([np.nan if one is None else one.n_features for one in self.trials])


def find_temperature_of(judged: list[Judgement], candidate: int) -> float:
    """The temperature of a candidate's decisions in the splits, whose selection had no part."""
    known = [(one.trials[candidate], one.codes) for one in judged]
    pairs = [(trial.decisions, codes) for trial, codes in known if trial is not None]
    scores, codes = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return fit_temperature(pair_scores(scores), codes)


def measure_log_losses(judged: list[Judgement]) -> FloatArray:
    """Logistic loss with equal class weights: one row per split, one column per candidate.

    The decision values of a candidate are multiplied by one factor in all splits, the best one that
    is at least one. So a machine whose errors cost little, and whose decision values are therefore
    small, has no disadvantage; one that is overconfident does.
    """
    weights = [_class_weights(one.codes) for one in judged]
    losses = np.full((len(judged), len(judged[0].trials)), np.nan)
    for place in range(losses.shape[1]):
        trials = [found for one in judged if (found := one.trials[place]) is not None]
        if len(trials) < len(judged):
            continue
        margins = [_margins(one.codes, t.decisions) for one, t in zip(judged, trials, strict=True)]
        factor = _best_factor(np.concatenate(margins), np.concatenate(weights))
        losses[:, place] = [
            weight @ _loss(factor * margin) for weight, margin in zip(weights, margins, strict=True)
        ]
    return losses


def choose_fewest_of_the_best(loss: FloatArray, sizes: FloatArray, one_standard_error: bool) -> int:
    """The candidate of smallest mean loss, or the smallest one that is not clearly worse.

    Clearly worse is more than one standard error of the difference; the splits (rows of `loss`)
    are the same for all candidates.
    """
    mean = loss.mean(axis=0)
    # A machine without any feature only guesses; it is chosen if there is no other.
    if np.any(sizes >= 1.0):
        mean = np.where(sizes >= 1.0, mean, np.nan)
    top = int(np.nanargmin(mean))
    allowed = np.zeros_like(mean)
    if one_standard_error:
        behind = loss - loss[:, [top]]
        allowed = behind.std(axis=0) / np.sqrt(max(1, len(loss) - 1))
    with np.errstate(invalid="ignore"):
        good = np.flatnonzero(mean - mean[top] <= allowed + 1e-12)
    # Of equally small ones the better, then the one with the smaller C.
    order = np.lexsort((good, mean[good].round(12), sizes[good].round(12)))
    return int(good[order[0]])


def _class_weights(codes: IndexArray) -> FloatArray:
    """Weights of the samples that sum to one, equally over the classes at hand."""
    counts = np.bincount(codes)
    return 1.0 / (np.count_nonzero(counts) * counts[codes])


def _margins(codes: IndexArray, decisions: FloatArray) -> FloatArray:
    """Decisions, negative where they are for the wrong side."""
    positives = [1] if decisions.shape[1] == 1 else range(decisions.shape[1])
    return np.where(codes[:, None] == np.asarray(positives), decisions, -decisions)


def _loss(margins: FloatArray) -> FloatArray:
    """Logistic loss of every sample, averaged over the hyperplanes."""
    return np.logaddexp(0.0, -margins).mean(axis=1)


def _best_factor(margins: FloatArray, weights: FloatArray) -> float:
    found = minimize_scalar(
        lambda log_factor: weights @ _loss(np.exp(log_factor) * margins),
        bounds=(0.0, _LARGEST_LOG_FACTOR),
        method="bounded",
        options={"xatol": 1e-3},
    )
    # The search never ends exactly at a bound.
    return float(np.exp(found.x)) if found.fun < weights @ _loss(margins) else 1.0
