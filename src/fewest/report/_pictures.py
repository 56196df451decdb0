"""Matplotlib figures as SVG that lives in a page: its colours, its fonts, its security policy.

What matplotlib writes into `style` attributes becomes attributes of its own, because the page
allows no inline styles; black and grey become the colour of the page's text, so figures are
readable on dark paper too; and identifiers get a prefix, because a page has many figures.
"""

from __future__ import annotations

import io
import re
import warnings
import xml.etree.ElementTree as ElementTree
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_PIXELS_PER_POINT = 96 / 72
_RASTER_DPI = 150
# Groups whose identifier begins with this keep their colours, on top of an image for instance.
KEEP = "keep-colours"
_DROPPED = (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style")
_SIZE = re.compile(r"([\d.]+)px")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_HEX = re.compile(r"#([0-9a-fA-F]{2})([0-9a-fA-F]{2})([0-9a-fA-F]{2})")


def to_svg(figure: Figure, prefix: str, label: str, *, keep_colours: bool = False) -> str:
    """The figure as an element for a page.

    Parameters
    ----------
    figure : matplotlib Figure
        Drawn without its background.
    prefix : str
        For the identifiers in it; a different one for each figure of a page.
    label : str
        What it shows, for those who do not see it.
    keep_colours : bool
        Leave black and grey as they are: the page must give it white paper then.

    Returns
    -------
    str
        An svg element.
    """
    from matplotlib import rc_context

    drawn = io.BytesIO()
    # Text stays text: small, searchable, and in the fonts of the page. A fixed salt makes equal
    # figures equal files.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "fewest"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # the browser has it
        figure.savefig(drawn, format="svg", transparent=True, dpi=_RASTER_DPI)
    ElementTree.register_namespace("", _SVG)
    root = ElementTree.fromstring(drawn.getvalue())
    _translate(root, prefix, keep=keep_colours)
    width = float(root.get("viewBox", "0 0 0 0").split()[2]) * _PIXELS_PER_POINT
    root.attrib.pop("height", None)
    root.attrib |= {"width": f"{width:.0f}", "role": "img", "aria-label": label}
    root.set("stroke-linejoin", "round")
    text = ElementTree.tostring(root, encoding="unicode")
    # Within a page the elements need no namespace.
    return re.sub(r' xmlns(:\w+)?="[^"]*"', "", text)


def _translate(element: ElementTree.Element, prefix: str, *, keep: bool) -> None:
    keep = keep or element.get("id", "").startswith(KEEP)
    for declaration in element.attrib.pop("style", "").split(";"):
        name, _, value = declaration.partition(":")
        _set(element, name.strip(), value.strip())
    link = element.attrib.pop(f"{{{_XLINK}}}href", None)
    if link is not None:
        element.set("href", f"#{prefix}{link[1:]}" if link.startswith("#") else link)
    if "id" in element.attrib:
        element.set("id", prefix + element.attrib["id"])
    for name, value in list(element.attrib.items()):
        if "url(#" in value:
            element.set(name, _REFERENCE.sub(rf"url(#{prefix}\1)", value))
    if not keep:
        for paint in ("fill", "stroke"):
            _follow_page(element, paint)
        if element.tag == f"{{{_SVG}}}text" and "fill" not in element.attrib:
            element.set("fill", "currentColor")
    for child in list(element):
        if child.tag in _DROPPED:
            element.remove(child)
        else:
            _translate(child, prefix, keep=keep)


def _set(element: ElementTree.Element, name: str, value: str) -> None:
    """A declaration as an attribute; of fonts only the size counts."""
    if name in ("font", "font-size"):
        if size := _SIZE.search(value):
            element.set("font-size", size.group(1))
    elif name and name != "font-family":
        element.set(name, value)


def _follow_page(element: ElementTree.Element, paint: str) -> None:
    """Black becomes the colour of the text, and grey a thinner shade of it."""
    colour = _HEX.fullmatch(element.get(paint, ""))
    if colour is None or len(set(colour.groups())) > 1 or colour.group(1).lower() == "ff":
        return
    lightness = int(colour.group(1), 16) / 255
    element.set(paint, "currentColor")
    opacity = (1.0 - lightness) * float(element.get(f"{paint}-opacity", 1.0))
    if opacity < 1.0:
        element.set(f"{paint}-opacity", f"{opacity:.2f}")
