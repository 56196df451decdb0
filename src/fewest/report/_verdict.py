"""The first thing to know of a result: are its features better than chance, and how to find out."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from fewest._estimators.intervals import average_interval, wilson_interval
from fewest._wording import counted, percent, visible
from fewest.panels import PanelReport
from fewest.panels._errors import PanelError
from fewest.report._nouns import rename
from fewest.report._trust_content import Permutation, Validation
from fewest.report.content import Content, DataSummary

_LEVEL = 0.05
# Folds share samples, so their errors on noise vary by about a third more than independent ones:
# 95 % intervals were below guessing in 40 of 463 noise data sets, those of 99.9 % in 2, and in 3 of
# 600 others (`python -m benchmarks.verdict`). Without a permutation test, the latter decides.
_CONFIDENCE = 0.999


_MEAN_NOTHING = (
    "All features together are not better than permuted labels, so the shares of informative "
    "features mean nothing"
)


@dataclass(frozen=True)
class Verdict:
    """One line; `is_better` is None where nothing was tested."""

    is_better: bool | None
    text: str


def judge_content(content: Content) -> Verdict:
    """What is known of the features of a result, and whether something else explains it."""
    found, confounding = _judge_chance(content), content.trust.confounding
    is_better, sentences = found.is_better, [rename(found.text, content.data.kind)]
    if confounding is not None:
        is_better = False if confounding.is_explained else is_better
        sentences.append(confounding.verdict)
    elif is_better:  # otherwise there is nothing to explain
        sentences.append(_say_untested(content))
    if content.trust.permutation is None and content.informative is None:
        sentences.append(f"To test it: {_find_command(content.data)}")
    *others, last = sentences
    return Verdict(is_better, " ".join([*(f"{one.removesuffix('.')}." for one in others), last]))


def _judge_chance(content: Content) -> Verdict:
    """By the strongest evidence there is."""
    trust = content.trust
    if trust.permutation is not None:
        found = _judge_permutation(trust.permutation, trust.validation, _guessing(content))
        if content.informative is None or _judge_informative(content).is_better is not False:
            return found
        return Verdict(False, f"{found.text}. {_MEAN_NOTHING}")
    if content.informative is not None:
        return _judge_informative(content)
    if trust.validation is not None and not _is_best_of_many(content):
        sizes = [one.n_samples for one in content.data.classes]
        errors = [one.error for one in trust.validation.classes]
        return _judge_errors(errors, sizes, "")
    return Verdict(None, f"Not tested against chance: {_why_untested(content)}")


def judge_panel(found: PanelReport, data: DataSummary | None) -> Verdict:
    """What is known of a panel that was given: only a choice repeated in the folds can say."""
    guessing = 1.0 - 1.0 / len(found.classes)
    if found.against is not None:
        return _judge_classes(found.against.as_fitted, " on the second data")
    if found.choice is not None:
        return _judge_classes(found.choice.errors, " with the choice repeated in every fold")
    return Verdict(
        None,
        f"Not tested against chance: {_say_error(found.errors)}, guessing {percent(guessing)}, "
        "says little if the panel was chosen on these samples. To test it: --against with other "
        f"samples, or --choose with the method that chose it, or {_find_command(data)}",
    )


def _judge_informative(content: Content) -> Verdict:
    found = content.informative
    assert found is not None
    guessing = f"guessing {percent(_guessing(content))}"
    if found.probe_error is None or found.chance_lower is None:
        return Verdict(
            None, "Not tested against chance: no permutations. To test it: --permutations 100"
        )
    error, limit = found.probe_error[0], found.chance_lower[0]
    if error < limit:
        return Verdict(
            True,
            f"Better than chance: all features together have an error of {percent(error)} on "
            f"samples left out, permuted labels {percent(limit)} or more, {guessing}",
        )
    return Verdict(
        False,
        f"Not shown to be better than chance: all features together have an error of "
        f"{percent(error)} on samples left out, permuted labels {percent(limit)} or more, "
        f"{guessing}. The shares of informative features mean nothing then",
    )


def _judge_permutation(
    found: Permutation, validation: Validation | None, guessing: float
) -> Verdict:
    known = f"p = {found.p_value:.2g}, {counted(found.n_permutations, 'permutation')}"
    if not found.is_of_method:
        known += f" of {found.tested.partition(',')[0]}"
    if validation is not None:
        known += f"; balanced error on samples left out {percent(validation.balanced_error)}, "
        known += f"guessing {percent(guessing)}"
    if found.p_value <= _LEVEL:
        return Verdict(True, f"Better than chance: {known}")
    if 1.0 / (found.n_permutations + 1) > _LEVEL:
        return Verdict(None, f"Not tested against chance: too few permutations ({known})")
    return Verdict(False, f"Not shown to be better than chance: {known}")


def _judge_classes(errors: PanelError, where: str) -> Verdict:
    shares = [one.error for one in errors.classes]
    return _judge_errors(shares, [one.n_samples for one in errors.classes], where)


def _judge_errors(shares: Sequence[float | None], sizes: Sequence[int], where: str) -> Verdict:
    """By the errors of the classes on samples left out."""
    known = [(share, n) for share, n in zip(shares, sizes, strict=True) if share is not None]
    intervals = [wilson_interval(share * n, n, _CONFIDENCE) for share, n in known]
    interval = average_interval([share for share, _ in known], intervals)
    error, guessing = fmean(share for share, _ in known), 1.0 - 1.0 / len(shares)
    found = (
        f"balanced error on samples left out {percent(error)}{where} "
        f"({100 * _CONFIDENCE:g} % interval {percent(interval.low)} to {percent(interval.high)}), "
        f"guessing {percent(guessing)}"
    )
    is_better = interval.high < guessing
    start = "Better than guessing" if is_better else "Not shown to be better than chance"
    return Verdict(is_better, f"{start}: {found}")


def _say_untested(content: Content) -> str:
    """That nothing is known about confounding, and how to know."""
    how = {"select": ": see --covariates", "make_report": ": see fewest.significance.confounding"}
    return f"Confounding (age, sex, batch) was not tested{how.get(content.command, '')}"


def _guessing(content: Content) -> float:
    return 1.0 - 1.0 / len(content.data.classes)


def _say_error(errors: PanelError) -> str:
    low, high = percent(errors.interval.low), percent(errors.interval.high)
    return f"a balanced error of {percent(errors.balanced_error)} ({low} to {high})"


def _is_best_of_many(content: Content) -> bool:
    """Whether C was chosen by the very errors that would have to judge it."""
    costs = content.costs
    return costs is not None and costs.chosen is not None and costs.n_folds is not None


def _why_untested(content: Content) -> str:
    if content.costs is not None:
        return "the smallest error of many values of C is too optimistic for that"
    if content.alternatives is not None and content.answer is None:
        return "with many features, some subsets separate any samples"
    if content.trust.minima or content.trust.error_front is not None:
        return "with many features, a small set separates any samples"
    return "nothing was left out of the selection to judge it by"


def _find_command(data: DataSummary | None) -> str:
    """What to type, or to call, for a permutation test."""
    if data is not None and data.kind == "volumes":
        return "fewest brain with its page and --permutations N, or generate_report in Python"
    if data is None or data.file is None:
        return "fewest.diagnostics.diagnose"
    if data.in_blocks:
        return "fewest diagnose, with a table of these samples that fits in memory"
    target = "" if data.target is None else f" --target {shlex.quote(visible(data.target))}"
    return f"fewest diagnose {shlex.quote(visible(data.file))}{target}"
