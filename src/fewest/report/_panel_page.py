"""A judged panel as one page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from fewest import plotting
from fewest._run.versions import versions
from fewest._showing import Shown
from fewest.panels import PanelReport, PointsScore
from fewest.panels._points_card import CARD_STYLE, draw_card
from fewest.report import _panel_wording
from fewest.report._links import read_links
from fewest.report._pictures import to_svg
from fewest.report._report import Page, fill_template
from fewest.report._verdict import judge_panel
from fewest.report.content import DataSummary


@dataclass(eq=False, repr=False)
class PanelPage(Page, Shown):
    """What `make_panel_page` returns.

    Parameters
    ----------
    found : PanelReport
        The judged panel.
    title, origin, second : str
        Title of the page, and what the data sets are called.
    command : str
        How to repeat it.
    notes : sequence of str
        What the page should say first.
    points : PointsScore or None
        The panel as points, as a card of the page.
    links : str or None
        Pattern of the addresses of pages about features.
    verdict : str
        Whether the panel is better than chance, in a sentence.
    """

    found: PanelReport
    title: str
    origin: str
    second: str
    command: str
    notes: Sequence[str]
    points: PointsScore | None = None
    links: str | None = None
    verdict: str = ""

    @cached_property
    def html(self) -> str:
        """The whole page."""
        return fill_template(
            "panel.html",
            words=_panel_wording,
            found=self.found,
            verdict=self.verdict,
            title=self.title,
            origin=self.origin,
            origin_of_second=self.second,
            command=self.command,
            notes=[*self.notes, *self.found.notes],
            versions=versions(),
            links=self.links,
            picture=_draw(self.found),
            card="" if self.points is None else draw_card(self.points, heading="h3"),
            more_style="" if self.points is None else CARD_STYLE,
        )


def make_panel_page(
    found: PanelReport,
    *,
    title: str = "A panel, judged",
    origin: str = "arrays",
    second: str = "",
    command: str = "",
    notes: Sequence[str] = (),
    points: PointsScore | None = None,
    links: str | None = None,
    data: DataSummary | None = None,
) -> PanelPage:
    """Make one self-contained page of a judged panel.

    Parameters
    ----------
    found : PanelReport
        From `fewest.panels.panel_report`.
    title, origin, second : str
        Title of the page, and what the first and the second data set are called.
    command : str
        How to repeat it, a line for the terminal for instance.
    notes : sequence of str
        What the page should say first.
    points : PointsScore, optional
        From `fewest.panels.points_score`: its card is put on the page, too.
    links : str, optional
        Makes names of features links, as `make_report` does.
    data : DataSummary, optional
        What is known of the file; the verdict then names the command that tests it.

    Returns
    -------
    PanelPage
        With `html`, `save` and `open`; a notebook shows it.

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.panels import panel_report
    >>> from fewest.report import make_panel_page
    >>> X, y = make_gaussian(n=40, d=20, k=2, mu=1.0, random_state=0)
    >>> found = panel_report(X, y, [0, 1], n_repeats=1, n_random=5, n_stand_ins=0, best=False)
    >>> "What each feature adds" in make_panel_page(found).html
    True
    """
    pattern = None if links is None else read_links(links)
    verdict = judge_panel(found, data).text
    return PanelPage(found, title, origin, second, command, notes, points, pattern, verdict)


def _draw(found: PanelReport) -> str:
    plotting.require_matplotlib()
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.6, 1.2 + 0.32 * (len(found.names) + 4)), layout="constrained")
    plotting.plot_panel_report(found, ax=figure.subplots())
    return to_svg(figure, "panel-", "Balanced errors of the panel and of others")
