"""A points score as text for the terminal, and the words that its printed card shares."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from itertools import groupby

from fewest._wording import aligned, counted, cut, listed, percent
from fewest.panels._errors import bracketed
from fewest.panels._points_result import PointsScore, RiskRow

_WIDTH = 98
_LONGEST_LABEL = 24


@dataclass(frozen=True)
class TotalLine:
    """Neighbouring totals that are shown with the same risk, and the samples that have them."""

    totals: str
    risk: str
    n_samples: int
    n_positive: int
    is_predicted: bool


def score_text(score: PointsScore) -> str:
    """The card, and what it loses."""
    blocks = [_card_text(score), _loss_text(score), _wrap(warn_of_panel(score))]
    return "\n\n".join(blocks)


def _wrap(text: str) -> str:
    return textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _card_text(score: PointsScore) -> str:
    label = cut(score.positive, _LONGEST_LABEL)
    lines = [f"Points for {label}, from {counted(score.n_samples, 'sample')}"]
    rules = [rule for rule in list_rules(score) if rule]
    lines += [f"  {name} above {limit}: {points}" for name, limit, points in rules]
    if dropped := say_dropped(score):
        lines.append(_wrap(dropped))
    rows = [["total", f"risk of {label}", "observed"]]
    rows += [
        [one.totals, one.risk, f"{one.n_positive} of {one.n_samples}" if one.n_samples else "-"]
        for one in join_totals(score)
    ]
    return "\n".join([*lines, "", aligned(rows), _wrap(say_limit(score))])


def list_rules(score: PointsScore) -> list[tuple[str, str, str]]:
    """Name, cut and points of every feature that has points."""
    return [
        (cut(one.name), show_number(one.cut), show_points(one.points))
        for one in score.features
        if one.points and one.cut is not None
    ]


def show_number(value: float) -> str:
    """The number with all its digits: one that is rounded again might change sides."""
    return repr(float(value)).removesuffix(".0")


def show_points(points: int) -> str:
    """'+2 points', '-1 point'."""
    return f"{points:+d} {'point' if abs(points) == 1 else 'points'}"


def say_dropped(score: PointsScore) -> str:
    """The features without points, or nothing."""
    names = [one.name for one in score.features if not one.points]
    return f"Left out, because they would have no points: {listed(names, 20)}." if names else ""


def show_risk(risk: float) -> str:
    """'37 %', '<1 %', '>99 %': more digits than samples can tell would mislead."""
    if risk < 0.005:
        return "<1 %"
    return ">99 %" if risk >= 0.995 else f"{100 * risk:.0f} %"


def join_totals(score: PointsScore) -> list[TotalLine]:
    """The table, with totals of the same shown risk and the same prediction in one line."""

    def look(row: RiskRow) -> tuple[str, bool]:
        return show_risk(row.risk), score.limit is not None and row.total >= score.limit

    lines, ends = [], (score.table[0].total, score.table[-1].total)
    for (risk, is_predicted), found in groupby(score.table, look):
        rows = list(found)
        n_positive = sum(round((row.observed or 0.0) * row.n_samples) for row in rows)
        lines.append(
            TotalLine(
                totals=_name_totals(rows[0].total, rows[-1].total, ends),
                risk=risk,
                n_samples=sum(row.n_samples for row in rows),
                n_positive=n_positive,
                is_predicted=is_predicted,
            )
        )
    return lines


def _name_totals(first: int, last: int, ends: tuple[int, int]) -> str:
    if first == last:
        return str(first)
    if (first, last) == ends:
        return "any"
    if first == ends[0]:
        return f"{last} or fewer"
    return f"{first} or more" if last == ends[1] else f"{first} to {last}"


def say_limit(score: PointsScore) -> str:
    """From which total on the class is predicted, and why from there."""
    label = cut(score.positive, _LONGEST_LABEL)
    if score.limit is None:
        return (
            f"No limit: points say nothing about {label} on samples that had no part in the score."
        )
    return (
        f"Predicted as {label}: {score.limit} or more, where the risk is at least "
        f"{percent(score.share)}, the share of {label} among the samples."
    )


def list_measures(score: PointsScore) -> list[tuple[str, str, str, str]]:
    """Name, score, classifier and loss of every measure."""
    own, other, loss = score.held_out, score.held_out_of_classifier, score.loss
    spread = 100 * score.loss_of_balanced_error.standard_error
    first = (
        "balanced error",
        percent(own.balanced_error),
        percent(other.balanced_error),
        f"{100 * loss.balanced_error:+.1f} % +- {spread:.1f} %",
    )
    others = [
        (name, *(f"{value:.3f}" for value in values[:2]), f"{values[2]:+.3f}")
        for name, values in (
            ("Brier score", (own.brier, other.brier, loss.brier)),
            ("log loss", (own.log_loss, other.log_loss, loss.log_loss)),
            ("area under ROC", (own.auc, other.auc, loss.auc)),
        )
    ]
    return [first, *[(name, one, two, three) for name, one, two, three in others]]


def say_how(score: PointsScore) -> str:
    """What was left out when both were judged."""
    out = "samples" if score.n_groups is None else f"{score.n_groups} groups"
    made = "features, cuts and points" if score.chosen_in_folds else "cuts and points"
    folds = f"{counted(score.n_folds, 'fold')}; {made} made in each"
    return f"On {out} left out in {folds}{bracketed(score.held_out.caveat)}"


def _loss_text(score: PointsScore) -> str:
    rows = [["", "points", score.classifier, "points lose"], *map(list, list_measures(score))]
    return f"{_wrap(say_how(score))}\n{aligned(rows)}"


def warn_of_panel(score: PointsScore) -> str:
    """What the measures contain of the choice of the panel, and where risks come from."""
    if score.chosen_in_folds:
        text = (
            "Features were chosen again in every fold, so these numbers are those to expect of new "
            "samples; the risks are corrected on the same folds."
        )
    elif score.chosen_elsewhere:
        text = "The panel was chosen without these samples, as was said."
    else:
        text = (
            "The panel was the same in all folds. If it was chosen on these samples, all of these "
            "numbers, and the risks, are better than those of new samples."
        )
    if score.calibrated:
        return f"{text} Risks are those of samples in which the classes have the same shares."
    return f"{text} A class is too small to correct the risks on other samples: they are extreme."
