"""Several figures of one example, written into a folder."""

from __future__ import annotations

import io
from pathlib import Path

from matplotlib import pyplot
from matplotlib.figure import Figure

from fewest._run.files import atomic_write

_DPI = 110


def write_pictures(folder: Path | None, figures: dict[str, Figure]) -> None:
    """Write each figure as `name`.png, and close it; without a folder, show them."""
    if folder is None:
        pyplot.show()
        return
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in figures.items():
        content = io.BytesIO()
        figure.savefig(content, format="png", dpi=_DPI)
        pyplot.close(figure)
        atomic_write(folder / f"{name}.png", content.getvalue())
