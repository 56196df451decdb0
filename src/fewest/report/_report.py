"""The finished report: one HTML page, the same as JSON, and where they go."""

from __future__ import annotations

import base64
import hashlib
import html
import os
import re
import tempfile
import webbrowser
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fewest._run.files import atomic_write
from fewest._run.json_text import to_json
from fewest._run.versions import require_package
from fewest.panels._points_card import CARD_STYLE, draw_card
from fewest.report import _wording as wording
from fewest.report._drawings import draw
from fewest.report._links import find_address
from fewest.report._methods import describe_methods
from fewest.report._nouns import Words, rename, rename_markup, rename_template
from fewest.report._trust_content import Validation
from fewest.report._verdict import judge_content
from fewest.report.content import Content

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fewest.informative import InformativeFeatures

_NOTEBOOK_HEIGHT = 800
_SHADES = 10  # of the confusion matrix
_SCRIPTS = ("table.js", "downloads.js", "scrolling.js")
_BREAKABLE = 24  # names longer than this may be broken after a sign between words
_OPTION = re.compile(r"(?<!\S)(--[\w-]+)")
_SIGNS = re.compile(r"(?<=[_.:;,|/\-])(?=\w)")


class Page:
    """One HTML page that needs no other file and no network."""

    @property
    def html(self) -> str:
        """The whole page."""
        raise NotImplementedError

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page, whole or not at all.

        Parameters
        ----------
        path : str or path-like
            The file; its folder must exist.
        """
        atomic_write(path, self.html)

    def open(self) -> Path:
        """Show the page in a browser, from a new file that stays; returns that file."""
        with tempfile.NamedTemporaryFile(suffix=".html", prefix="fewest-", delete=False) as file:
            path = Path(file.name)
        self.save(path)
        webbrowser.open(path.as_uri())
        return path

    def _repr_html_(self) -> str:
        """A frame of its own in a notebook, so neither page styles the other."""
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts allow-downloads" '
            f'title="fewest" width="100%" height="{_NOTEBOOK_HEIGHT}" frameborder="0"></iframe>'
        )


def fill_template(
    template: str,
    *,
    more_style: str = "",
    kind: str = "samples",
    links: str | None = None,
    **values: Any,
) -> str:
    """A page from one of the templates, with style, script, and a policy that allows both.

    It speaks of samples and features, or of what they are in this kind of data. `links` is a
    pattern of the addresses of pages about features.
    """
    style = _read_asset("style.css") + more_style
    script = "\n".join(map(_read_asset, _SCRIPTS))
    page: str = (
        _make_environment(kind, links)
        .get_template(template)
        .render(
            **{"words": Words(wording, kind), **values},
            style=_trust(style),
            script=_trust(script),
            policy=_make_policy(style, script),
        )
    )
    return page


@dataclass(eq=False, repr=False)
class Report(Page):
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

    content: Content
    informative: InformativeFeatures | None = None
    figures: list[Figure] = field(default_factory=list)

    @cached_property
    def html(self) -> str:
        """The whole page; it needs no other file and no network."""
        content, kind = self.content, self.content.data.kind
        labels = [wording.safe(one.label) for one in content.data.classes]
        card = "" if content.points is None else draw_card(content.points, heading="h3")
        return fill_template(
            "template.html",
            kind=kind,
            content=content,
            verdict=judge_content(content),
            methods=describe_methods(content),
            links=content.links,
            pictures=_rename(draw(content, self.informative, self.figures), kind, labels),
            card=_trust(rename_markup(card, kind, labels)),
            more_style="" if content.points is None else CARD_STYLE,
            shades=_find_shades(content.trust.validation),
        )

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

    def __repr__(self) -> str:
        data, n_selected = self.content.data, self.content.said.n_selected
        return f"<Report: {n_selected} of {data.n_features} features, {data.n_samples} samples>"


def require_jinja() -> None:
    """Raise an ImportError that says how to install what the page needs, if it is not there."""
    require_package("jinja2", "reports", "report")


def _rename(pictures: Any, kind: str, labels: list[str]) -> Any:
    """All figures in the words of this kind of data; those given have their own."""
    if isinstance(pictures, str):
        return rename_markup(pictures, kind, labels)
    if isinstance(pictures, list):
        return [_rename(one, kind, labels) for one in pictures]
    if isinstance(pictures, tuple):
        return tuple(_rename(one, kind, labels) for one in pictures)
    if isinstance(pictures, dict):
        return {
            name: one if name == "given" else _rename(one, kind, labels)
            for name, one in pictures.items()
        }
    return pictures


def _make_environment(kind: str, links: str | None) -> Any:
    require_jinja()
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(
            lambda name: rename_template(_read_asset(name), kind, Environment().lex)
        ),
    )
    environment.filters |= {"safe_name": wording.safe, "svg": _trust, "breakable": _break}
    environment.globals["address_of"] = lambda name: links and find_address(links, str(name))
    words = Words(wording, kind)
    for name in ("correlation", "number", "parameter", "percent"):
        environment.filters[name] = getattr(words, name)
    environment.filters["typeset"] = lambda text: _keep_options(words.typeset(text))
    environment.filters["reword"] = lambda text: rename(text, kind)
    return environment


def _trust(text: str | None) -> Any:
    """Text of our own making, which is not to be escaped."""
    from markupsafe import Markup

    return Markup(text or "")


def _break(text: str) -> Any:
    """The text, escaped; if it is long, lines may end after signs between its words."""
    from markupsafe import Markup, escape

    pieces = _SIGNS.split(text) if len(text) > _BREAKABLE else [text]
    return Markup("<wbr>").join(map(escape, pieces))


def _keep_options(text: str) -> Any:
    """The text, escaped; options of a command in it, such as --target, stay in one line."""
    from markupsafe import Markup, escape

    marked = _OPTION.sub(r'<span class="word">\1</span>', str(escape(text)))
    return Markup(marked)


def _make_policy(style: str, script: str) -> str:
    """No network at all; only this style and this script, which are named by their hashes."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _read_asset(name: str) -> str:
    return (files("fewest.report") / "assets" / name).read_text(encoding="utf-8")


def _find_shades(found: Validation | None) -> list[list[int]]:
    """Shares of the rows of the confusion matrix in tenths, for colours."""
    rows = [] if found is None else found.confusion
    return [[round(_SHADES * count / max(1, sum(row))) for count in row] for row in rows]
