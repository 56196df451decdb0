"""Figures as files."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

from fewest._wording import visible
from fewest.cli._errors import CommandError
from fewest.cli._output import require_writable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FORMATS = (".png", ".svg", ".pdf")


def check_plot(path: str | None) -> None:
    """What would make the figure fail is said before the long work."""
    if path is None:
        return
    if os.path.splitext(path)[1].lower() not in _FORMATS:
        raise CommandError(
            f"--plot {visible(path)}: the name must end in {', '.join(_FORMATS[:-1])} or "
            f"{_FORMATS[-1]}."
        )
    require_writable("--plot", path)
    from fewest.plotting import require_matplotlib

    try:
        require_matplotlib()
    except ImportError as error:
        raise CommandError(f"--plot: {error}") from error


def encode_figure(figure: Figure, path: str) -> bytes:
    """The figure in the format that the name of its file asks for."""
    content = io.BytesIO()
    figure.savefig(content, format=os.path.splitext(path)[1].lower()[1:], dpi=150)
    return content.getvalue()
