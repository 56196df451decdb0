"""Draw the picture of README and of the first page: `python docs/make_picture.py`."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from fewest import SupportFeatureMachine
from fewest._run.files import atomic_write
from fewest.datasets import make_gaussian
from fewest.plotting import PathDisplay, plot_heat_map

_FILE = Path(__file__).resolve().parent / "_static" / "fewest.png"


def draw() -> Figure:
    """The selected features of generated data, and what C does to held-out samples."""
    X, y = make_gaussian(n=72, d=7000, k=3, mu=1.0, random_state=0)
    y = np.where(y > 0, "patient", "control")
    machine = SupportFeatureMachine(C=2.0).fit(X, y)
    selected = machine.get_support(indices=True)
    figure = Figure(figsize=(11, 3.3), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
    names = [f"gene {place}" for place in selected]
    decisions = machine.decision_function(X)
    plot_heat_map(X[:, selected], y, feature_names=names, scores=decisions, ax=left)
    left.set_title(f"{len(selected)} of {X.shape[1]:,} genes tell 72 samples apart")
    Cs = np.geomspace(0.05, 20, 16)
    PathDisplay.from_estimator(machine, X, y, Cs=Cs, random_state=0, ax=right)
    right.set_xlabel("C: what one training error may cost, in features")
    return figure


def main() -> None:
    """Draw it into docs/_static."""
    content = io.BytesIO()
    draw().savefig(content, format="png", dpi=110)
    atomic_write(_FILE, content.getvalue())


if __name__ == "__main__":
    main()
