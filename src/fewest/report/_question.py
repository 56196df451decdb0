"""What was asked, and how to ask it again."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from fewest._run.versions import versions
from fewest.report._data import Data
from fewest.report._subject import Subject
from fewest.report.content import ClassSize, Question

_METHODS = {
    "SupportFeatureMachine": "Support Feature Machine",
    "SupportFeatureMachineCV": "Support Feature Machine, C chosen by cross-validation",
    "UnionFeatureMachine": "Union of several Support Feature Machines",
    "ZeroNormSVM": "Weston's zero-norm support vector machine",
    "Liknon": "Liknon, the one-norm support vector machine",
    "LiknonCV": "Liknon, everything chosen by cross-validation",
    "PotentialSVC": "Potential Support Vector Machine",
    "PotentialSVCCV": "Potential Support Vector Machine, chosen by cross-validation",
    "PotentialSelector": "Potential Support Vector Machine as a selector",
    "FeatureSelectionConcave": "Feature selection by concave minimisation",
}


def question(
    subject: Subject,
    data: Data,
    *,
    origin: str | None,
    target: str | None,
    command: str | None,
    seconds: float,
) -> Question:
    """Data, method, versions, and the command to repeat it."""
    counts = np.bincount(data.codes).tolist()
    name = type(subject.estimator).__name__
    method = _METHODS.get(name, name)
    parameters = _parameters(subject)
    if subject.machine is None:
        method = "The certified smallest set of features"
    elif "C, chosen" in parameters or "C" in parameters:
        method += f", C = {parameters.get('C, chosen') or parameters['C']}"
    return Question(
        origin=origin or "arrays given to make_report",
        target=target,
        n_samples=data.X.shape[0],
        n_features=data.X.shape[1],
        classes=[ClassSize(label, count) for label, count in zip(data.labels, counts, strict=True)],
        n_groups=None if data.groups is None else len(np.unique(data.groups)),
        method=method,
        estimator=name,
        parameters=parameters,
        seed=data.seed,
        command=command or _python(subject, data),
        versions=versions(),
        created=time.strftime("%Y-%m-%d %H:%M %Z"),
        seconds=seconds,
    )


def _parameters(subject: Subject) -> dict[str, str]:
    found = {name: _plain(value) for name, value in subject.estimator.get_params(False).items()}
    if hasattr(subject.machine, "C_") and np.ndim(subject.machine.C_) == 0:
        found["C, chosen"] = f"{subject.machine.C_:.4g}"
    return found


def _python(subject: Subject, data: Data) -> str:
    return (
        "from fewest.report import make_report\n"
        f"machine = {subject.estimator!r}.fit(X, y)\n"
        f'make_report(machine, X, y, random_state={data.seed}).save("report.html")'
    )


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
