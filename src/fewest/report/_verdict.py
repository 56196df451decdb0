"""The first thing to know of a result: are its features better than chance, and how to find out."""

from __future__ import annotations

from dataclasses import dataclass

from fewest._estimators.copies import TOO_SMALL, WHAT_TO_DO, say_copies
from fewest._estimators.uncertainty import CONFIDENCE, Interval, Labellings
from fewest._wording import counted, percent
from fewest.panels import PanelReport
from fewest.panels._errors import PanelError
from fewest.report._commands import advise_test, find_test
from fewest.report._nouns import rename
from fewest.report._trust_content import Permutation, Validation
from fewest.report.content import NOT_FINISHED, Content, DataSummary

_LEVEL = 1.0 - CONFIDENCE + 1e-12  # of all tests: a p-value of 1/20 is at the level
_FEW_LABELLINGS = 1000  # fewer limit what can be claimed

# Tests that a verdict may have to wait for.
_AWAITED = {
    "validation": "the cross-validation",
    "confounding": "the test of the covariates",
    "permutation": "the permutation test",
}
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
    if content.data.n_copies:
        return Verdict(None, rename(_refuse_copies(content.data.n_copies), content.data.kind))
    found, confounding = _judge_chance(content), content.trust.confounding
    is_better, sentences = found.is_better, [rename(found.text, content.data.kind)]
    awaited = [part for part in _AWAITED if content.why_not(part) == NOT_FINISHED]
    is_explained = confounding is not None and confounding.is_explained
    # Other permutations know nothing of covariates, so they would not answer what is open.
    is_settled = is_explained or (confounding is not None and confounding.is_open)
    if confounding is not None:
        if is_explained:  # what decides comes first
            is_better, sentences = False, [confounding.verdict, *sentences]
        else:
            sentences.append(confounding.verdict)
            if confounding.is_open:
                is_better = None if is_better else is_better
    elif "confounding" in awaited:
        is_better = None if is_better else is_better
    elif is_better:  # otherwise there is nothing to explain
        sentences.append(_say_untested(content))
    why_not = content.why_not("permutation")
    if awaited:
        sentences.append(f"Not finished yet: {' and '.join(_AWAITED[one] for one in awaited)}")
    elif content.trust.permutation is None and content.informative is None and not is_settled:
        if why_not and content.data.kind == "volumes":  # there is no other command to test them
            sentences.append(f"Not tested by permutations: {why_not}")
        else:
            sentences.append(advise_test(content.data))
    *others, last = sentences
    return Verdict(is_better, " ".join([*(f"{one.removesuffix('.')}." for one in others), last]))


def _judge_chance(content: Content) -> Verdict:
    """By the strongest evidence there is."""
    trust = content.trust
    if content.data.is_series and content.data.n_blocks is None:  # blocks know of neighbours
        return Verdict(
            None,
            "Not tested against chance: neighbouring volumes are alike, and without groups the "
            "machine knows neighbours of the volumes that are left out. To test it: add --groups "
            "with the run, or the participant, of every volume",
        )
    if trust.permutation is not None:
        found = _judge_permutation(trust.permutation, trust.validation, _guessing(content))
        if content.informative is None or _judge_informative(content).is_better is not False:
            return found
        return Verdict(False, f"{found.text}. {_MEAN_NOTHING}")
    if content.informative is not None:
        return _judge_informative(content)
    if trust.validation is not None and not _is_best_of_many(content):
        known = trust.validation
        return _judge_interval(
            known.balanced_error,
            known.balanced_interval,
            _guessing(content),
            nothing=known.no_interval,
            labellings=known.labellings,
        )
    return Verdict(None, f"Not tested against chance: {_why_untested(content)}")


def judge_panel(found: PanelReport, data: DataSummary | None) -> Verdict:
    """What is known of a panel that was given: only a choice repeated in the folds can say."""
    guessing = 1.0 - 1.0 / len(found.classes)
    errors, where = None, ""
    if found.against is not None:
        errors, where = found.against.as_fitted, " on the second data"
        n_judged = sum(one.error is not None for one in errors.classes)
        if n_judged < 2:
            return Verdict(
                None,
                "Not tested against chance: the second data have samples of one class only, and "
                "who always names it makes no error",
            )
        if errors.caveat:
            return Verdict(
                None,
                f"Not tested against chance: the error{where} is {errors.caveat}. To test it: "
                "--against with other samples",
            )
        guessing = 1.0 - 1.0 / n_judged
    elif found.chosen_elsewhere:
        errors, where = found.errors, " of a panel that was chosen elsewhere"
    elif found.choice is not None and found.choice.is_given:
        errors, where = found.errors, " with the choice repeated in every fold"
    if found.against is None and data is not None and data.n_copies:
        return Verdict(None, _refuse_copies(data.n_copies))
    if errors is not None:
        return _judge_interval(errors.balanced_error, errors.interval, guessing, where=where)
    if found.choice is not None:
        return Verdict(
            None,
            f"Not tested against chance: {_say_error(found.errors)}, guessing {percent(guessing)}, "
            f"and {found.choice.method} chooses other features on these samples, so its error is "
            f"not that of this panel. To test it: --against with other samples, or "
            f"{find_test(data)}",
        )
    return Verdict(
        None,
        f"Not tested against chance: {_say_error(found.errors)}, guessing {percent(guessing)}, "
        "says little if the panel was chosen on these samples. To test it: --against with other "
        f"samples, or --choose with the method that chose it, or {find_test(data)}",
    )


def _refuse_copies(n_copies: int) -> str:
    return f"Not tested against chance: {say_copies(n_copies)}, so {TOO_SMALL}. {WHAT_TO_DO}"


def _judge_informative(content: Content) -> Verdict:
    found = content.informative
    assert found is not None
    guessing = f"guessing {percent(_guessing(content))}"
    if found.probe_error is None or found.chance_lower is None:
        return Verdict(
            None, "Not tested against chance: no permutations. To test it: --permutations 100"
        )
    error, limit = found.probe_error[0], found.chance_lower[0]
    known = (
        f"all features together have an error of {percent(error)} on samples left out, permuted "
        f"labels {percent(limit)} or more, {guessing}"
    )
    if found.chance_level is not None and found.chance_level > _LEVEL:
        return Verdict(None, f"Not tested against chance: too few permutations; {known}")
    if error < min(limit, _guessing(content)):
        return Verdict(True, f"Better than chance: {known}")
    return Verdict(
        False,
        f"Not shown to be better than chance: {known}. The shares of informative features mean "
        "nothing then",
    )


def _judge_permutation(
    found: Permutation, validation: Validation | None, guessing: float
) -> Verdict:
    """By the error on samples left out alone; a test of the number of features is named as such."""
    number = counted(found.n_permutations, "permutation")
    error, features = found.of_error, found.of_features
    shown = error.observed if error is not None else None
    if not found.is_of_method:
        number += f" of {found.tested.partition(',')[0]}"
        if error is not None and validation is not None:
            shown = validation.balanced_error
            number += f", whose error is {percent(error.observed)}"
    others = [] if features is None else [f"By {features.name}, p = {features.p_value:.2g}"]
    if error is None or shown is None:
        start = "Not tested against chance: no error on samples left out was compared with chance"
        return Verdict(None, ". ".join([f"{start} ({number})", *others]))
    labellings = None if validation is None else validation.labellings
    others += _say_few(labellings)
    known = (
        f"balanced error on samples left out {percent(shown)}, p = {error.p_value:.2g} "
        f"({number}), guessing {percent(guessing)}"
    )
    smallest = 1.0 / (found.n_permutations + 1)
    if labellings is not None:
        smallest = max(smallest, labellings.smallest_p)
    if smallest > _LEVEL:
        is_better, start = None, "Not tested against chance: too few permutations are possible"
        if labellings is None or labellings.smallest_p <= _LEVEL:
            start = "Not tested against chance: too few permutations"
    elif error.p_value <= _LEVEL and max(error.observed, shown) < guessing:
        is_better, start = True, "Better than chance"
        if (
            labellings is not None
            and not labellings.are_alike
            and not _is_below(validation, guessing)
        ):
            is_better, start = False, "Not shown to be better than chance"
            others.append(
                "Groups of the classes differ much in size, which permutations of whole groups "
                "cannot allow for, and the interval of the error reaches guessing"
            )
    else:
        is_better, start = False, "Not shown to be better than chance"
    return Verdict(is_better, ". ".join([f"{start}: {known}", *others]))


def _is_below(validation: Validation | None, guessing: float) -> bool:
    """Whether the interval of the error ends below guessing."""
    interval = None if validation is None else validation.balanced_interval
    return interval is not None and interval.high < guessing


def _judge_interval(
    error: float,
    interval: Interval | None,
    guessing: float,
    *,
    where: str = "",
    nothing: str = "",
    labellings: Labellings | None = None,
) -> Verdict:
    """By the very interval that is printed beside the error."""
    known = f"balanced error on samples left out {percent(error)}{where}"
    compared = f"guessing {percent(guessing)}"
    if interval is None:
        why = nothing or "too few groups for an interval"
        return Verdict(None, f"Not tested against chance: {why} ({known}, {compared})")
    level = f"{100 * interval.confidence:g} % interval"
    known += f" ({level} {percent(interval.low)} to {percent(interval.high)}), {compared}"
    is_better = interval.high < guessing
    start = "Better than guessing" if is_better else "Not shown to be better than chance"
    return Verdict(is_better, ". ".join([f"{start}: {known}", *_say_few(labellings)]))


def _say_few(found: Labellings | None) -> list[str]:
    """What so few groups leave open, where they are few."""
    if found is None or found.n_labellings > _FEW_LABELLINGS:
        return []
    return [
        f"{found.n_groups} groups of one class each allow {found.n_labellings} labellings, so no "
        f"p-value can be below 1/{found.n_different}: no more can be claimed without more groups"
    ]


def _say_untested(content: Content) -> str:
    """That nothing is known about confounding, and how to know."""
    how = {"select": ": see --covariates", "make_report": ": see fewest.significance.confounding"}
    return f"Confounding (age, sex, batch) was not tested{how.get(content.command, '')}"


def _guessing(content: Content) -> float:
    return 1.0 - 1.0 / len(content.data.classes)


def _say_error(errors: PanelError) -> str:
    text = f"a balanced error of {percent(errors.balanced_error)}"
    if errors.interval is None:
        return text
    return f"{text} ({percent(errors.interval.low)} to {percent(errors.interval.high)})"


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
