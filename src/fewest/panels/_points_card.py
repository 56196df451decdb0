"""A points score as a card to print: one self-contained HTML page without scripts."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from fewest._wording import counted, visible
from fewest.panels._points_result import PointsScore
from fewest.panels._points_text import (
    join_totals,
    list_measures,
    list_rules,
    say_dropped,
    say_how,
    say_limit,
    warn_of_panel,
)

_PAGE_STYLE = """\
:root { color-scheme: light; }
body { margin: 1.5rem; background: #fff; }
@page { margin: 12mm; }
@media print { body { margin: 0; } }
"""
CARD_STYLE = """\
.points-card { max-width: 36rem; margin: 0 auto; padding: 1.2rem 1.5rem; color: #1c2126;
  background: #fff; border: 1.5px solid #1c2126; border-radius: 8px;
  font: 0.95rem/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
.points-card .title { font-size: 1.35rem; margin: 0 0 0.2rem; line-height: 1.25; }
.points-card .title, .points-card th { overflow-wrap: anywhere; }
.points-card p { margin: 0.6rem 0; max-width: none; }
.points-card .small { font-size: 0.8rem; color: #56606b; }
.points-card table { width: 100%; border-collapse: collapse; margin: 0.8rem 0; }
.points-card th, .points-card td { padding: 0.3rem 0.4rem; border-bottom: 1px solid #d9dee3;
  text-align: right; font-variant-numeric: tabular-nums; background: none; color: inherit; }
.points-card th:first-child { text-align: left; font-weight: 550; }
.points-card thead th { font-size: 0.8rem; font-weight: 500; color: #56606b; }
.points-card thead th:nth-child(n + 3) { overflow-wrap: break-word; }
.points-card .box { width: 5.5rem; }
.points-card .box span { display: inline-block; width: 3.4rem; height: 1.5rem;
  border: 1px solid #56606b; border-radius: 4px; vertical-align: middle; }
.points-card .sum th, .points-card .sum td { border-bottom: 0; font-weight: 650; }
.points-card .predicted th, .points-card .predicted td { background: #e6f0f7;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.points-card .limit th, .points-card .limit td { border-top: 2px solid #005b8f; }
@media print {
  .points-card { font-size: 0.8rem; line-height: 1.3; break-inside: avoid; }
  .points-card th, .points-card td { padding: 0.15rem 0.4rem; }
}
"""


def make_card(score: PointsScore) -> str:
    """The whole page."""
    title = escape(visible(f"Points for {score.positive}"))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{_PAGE_STYLE}{CARD_STYLE}</style>\n</head>\n<body>\n"
        f"{draw_card(score)}\n</body>\n</html>\n"
    )


def draw_card(score: PointsScore, heading: str = "h1") -> str:
    """The card alone, for a page that has its own head and `CARD_STYLE` in it."""
    label = escape(visible(score.positive))
    rules = [
        _row(
            (name, f"above {_with_minus(limit)}", _with_minus(points)),
            '<td class="box"><span></span></td>',
        )
        for name, limit, points in list_rules(score)
    ]
    total = (
        '<tr class="sum"><th scope="row">Total</th><td></td><td></td>'
        '<td class="box"><span></span></td></tr>'
    )
    totals, was_predicted = [], False
    for one in join_totals(score):
        kind = "predicted" if one.is_predicted else ""
        if one.is_predicted and not was_predicted:
            kind += " limit"
        was_predicted = one.is_predicted
        observed = f"{one.n_positive} of {one.n_samples}" if one.n_samples else "–"
        totals.append(_row((_with_minus(one.totals), one.risk, observed), kind=kind))
    measures = [_row(map(_with_minus, row)) for row in list_measures(score)]
    dropped = say_dropped(score)
    parts = [
        f'<article class="points-card">\n<{heading} class="title">Points for {label}</{heading}>',
        f'<p class="small">From {counted(score.n_samples, "sample")}. Add up the points of every '
        "line that holds; a line that does not hold gives none.</p>",
        _table(("Feature", "Value", "Points", "Yours"), [*rules, total]),
        f'<p class="small">{escape(dropped)}</p>' if dropped else "",
        _table(("Total", f"Risk of {visible(score.positive)}", "Observed"), totals),
        f"<p><strong>{escape(say_limit(score))}</strong></p>",
        f'<p class="small">{escape(say_how(score))}:</p>',
        _table(("", "Points", score.classifier.capitalize(), "Points lose"), measures),
        f'<p class="small">{escape(warn_of_panel(score))}</p>\n</article>',
    ]
    return "\n".join(part for part in parts if part)


def _with_minus(text: str) -> str:
    """Minus signs that are as wide as digits."""
    return text.replace("+-", "±").replace("-", "−")


def _row(cells: Iterable[str], more: str = "", kind: str = "") -> str:
    first, *others = map(escape, cells)
    numbers = "".join(f"<td>{cell}</td>" for cell in others)
    opening = f'<tr class="{kind}">' if kind else "<tr>"
    return f'{opening}<th scope="row">{first}</th>{numbers}{more}</tr>'


def _table(heads: Iterable[str], rows: Iterable[str]) -> str:
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in heads)
    body = "\n".join(rows)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
