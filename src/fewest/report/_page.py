"""From content to one HTML page."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from fewest.report import _wording as wording
from fewest.report._drawings import draw
from fewest.report.content import Content, Validation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fewest.informative import InformativeFeatures

_SHADES = 10  # of the confusion matrix


def render(content: Content, informative: InformativeFeatures | None, figures: list[Figure]) -> str:
    """The page, with styles, script and figures in it.

    Parameters
    ----------
    content : Content
        What it says.
    informative : InformativeFeatures or None
        For its figure.
    figures : list of matplotlib Figure
        One for each of `content.figures`.

    Returns
    -------
    str
        HTML.
    """
    template = _environment().from_string(_asset("template.html"))
    style, script = _asset("style.css"), _asset("table.js")
    return template.render(
        content=content,
        pictures=draw(content, informative, figures),
        words=wording,
        style=_trusted(style),
        script=_trusted(script),
        policy=_policy(style, script),
        shades=_shades(content.trust.validation),
    )


def require_jinja() -> None:
    """Raise an ImportError that says how to install what the page needs, if it is not there."""
    try:
        import jinja2  # noqa: F401
    except ImportError as error:
        raise ImportError(
            'reports need jinja2, which is not installed: pip install "fewest[report]"'
        ) from error


def _environment() -> Any:
    require_jinja()
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"safe_name": wording.safe, "svg": _trusted}
    for name in ("correlation", "number", "parameter", "percent", "typeset"):
        environment.filters[name] = getattr(wording, name)
    return environment


def _trusted(text: str | None) -> Any:
    """Text of our own making, which is not to be escaped."""
    from markupsafe import Markup

    return Markup(text or "")


def _policy(style: str, script: str) -> str:
    """No network at all; only this style and this script, which are named by their hashes."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _asset(name: str) -> str:
    return (files("fewest.report") / "assets" / name).read_text(encoding="utf-8")


def _shades(found: Validation | None) -> list[list[int]]:
    """Shares of the rows of the confusion matrix in tenths, for colours."""
    rows = [] if found is None else found.confusion
    return [[round(_SHADES * count / max(1, sum(row))) for count in row] for row in rows]
