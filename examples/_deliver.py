"""Write or show a figure that a script has drawn."""

from __future__ import annotations

import io

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from fewest._run.files import atomic_write


def deliver(figure: Figure, file: str | None) -> None:
    """Write a figure to a file (.png, .svg or .pdf), or show it if none is given."""
    if file is None:
        plt.show()
        return
    content = io.BytesIO()
    figure.savefig(content, format=file.rsplit(".", 1)[-1].lower(), dpi=150)
    atomic_write(file, content.getvalue())
    plt.close(figure)
