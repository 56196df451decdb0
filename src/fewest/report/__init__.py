"""One self-contained page of a fitted result, and the same content as JSON.

Needs jinja2 and matplotlib (``pip install "fewest[report]"``), which the first page imports.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fewest.report._make import make_report
    from fewest.report._panel_page import PanelPage, make_panel_page
    from fewest.report._report import Report

__all__ = ["PanelPage", "Report", "make_panel_page", "make_report"]

# Imported on first use: the command line takes plain values from `content` and should not wait.
_HOMES = {
    "PanelPage": "fewest.report._panel_page",
    "Report": "fewest.report._report",
    "make_panel_page": "fewest.report._panel_page",
    "make_report": "fewest.report._make",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'fewest.report' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
