"""Formulas as MathML, converted at build time.

Browsers draw MathML by themselves, so that pages need neither a script nor a network to show it.
"""

from __future__ import annotations

import html
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging

_LOGGER = logging.getLogger(__name__)
_CONSTRAINTS = r"\quad \text{subject to} \quad"


def as_mathml(formula: str, *, display: str, where: nodes.Node | None = None) -> str:
    """A formula in LaTeX as MathML; as text, with a warning, where it cannot be converted."""
    try:
        return convert(_plain(formula), display=display)
    except Exception as error:  # the converter has no common error of its own
        _LOGGER.warning("cannot convert the formula %r: %s", formula, error, location=where)
        return f"<code>{html.escape(formula)}</code>"


def _plain(formula: str) -> str:
    """The formula in commands that the converter knows."""
    for known, command in (("\\frac", "\\tfrac"), ("(", "\\Big("), (")", "\\Big)")):
        formula = formula.replace(command, known)
    formula = " ".join(formula.split())
    aim, found, constraints = formula.partition(_CONSTRAINTS)
    if not found:
        return formula
    # Browsers do not break formulas, and a program in one line is wider than most screens.
    return rf"\begin{{array}}{{l}} {aim} \\ \text{{subject to}} \quad {constraints} \end{{array}}"


def _visit_inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(as_mathml(node.astext(), display="inline", where=node))
    raise nodes.SkipNode


def _visit_block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(translator.starttag(node, "div", CLASS="math"))
    translator.body.append(as_mathml(node.astext(), display="block", where=node))
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Register the renderer with Sphinx."""
    app.add_html_math_renderer("mathml", (_visit_inline, None), (_visit_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
