"""The finished report: a page, the same as JSON, and where they go."""

from __future__ import annotations

import html
import os
import tempfile
import webbrowser
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from fewest._run.files import atomic_write
from fewest._run.json_text import to_json
from fewest.report.content import Content

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fewest.informative import InformativeFeatures

_NOTEBOOK_HEIGHT = 800


class Report:
    """What `make_report` returns.

    Parameters
    ----------
    content : Content
        Everything that the page says, as plain values.
    informative : InformativeFeatures, optional
        For its figure.
    figures : list of matplotlib Figure
        One for each of `content.figures`.
    """

    def __init__(
        self,
        content: Content,
        informative: InformativeFeatures | None = None,
        figures: list[Figure] | None = None,
    ) -> None:
        self.content = content
        self._informative = informative
        self._figures = figures or []

    @cached_property
    def html(self) -> str:
        """The whole page; it needs no other file and no network."""
        from fewest.report._page import render

        return render(self.content, self._informative, self._figures)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page, whole or not at all.

        Parameters
        ----------
        path : str or path-like
            The file; its folder must exist.
        """
        atomic_write(path, self.html)

    def to_json(self) -> str:
        """The content as JSON; what is infinite is the text "inf"."""
        return to_json(self.content)

    def save_json(self, path: str | os.PathLike[str]) -> None:
        """Write the content as JSON, whole or not at all.

        Parameters
        ----------
        path : str or path-like
            The file; its folder must exist.
        """
        atomic_write(path, self.to_json() + "\n")

    def open(self) -> Path:
        """Show the page in a browser, from a new file that stays; returns that file."""
        with tempfile.NamedTemporaryFile(suffix=".html", prefix="fewest-", delete=False) as file:
            path = Path(file.name)
        self.save(path)
        webbrowser.open(path.as_uri())
        return path

    def _repr_html_(self) -> str:
        """A frame of its own in a notebook, so that neither page styles the other."""
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" title="fewest" '
            f'width="100%" height="{_NOTEBOOK_HEIGHT}" frameborder="0"></iframe>'
        )

    def __repr__(self) -> str:
        data, n_selected = self.content.data, self.content.said.n_selected
        return f"<Report: {n_selected} of {data.n_features} features, {data.n_samples} samples>"
