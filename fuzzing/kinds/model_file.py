"""Model files: each loads to an estimator that answers, or says what is wrong with it."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import fewest
from fewest.exceptions import ModelFileError
from fuzzing.mutations.archives import members, with_document
from fuzzing.mutations.arrays import change_arrays
from fuzzing.mutations.documents import change_document
from fuzzing.mutations.raw import damage
from fuzzing.outcome import require
from fuzzing.tables import NAMES, run_command, small_table

_MODELS: dict[str, Callable[[], Any]] = {
    "sfm": lambda: fewest.SupportFeatureMachine(),
    "certified": lambda: fewest.SupportFeatureMachine(C=np.inf, certify=True),
    "liknon": lambda: fewest.Liknon(C=0.1),
    "zero norm": lambda: fewest.ZeroNormSVM(C=1.0),
    "psvc": lambda: fewest.PotentialSVC(epsilon=0.5),
    "selector": lambda: fewest.PotentialSelector(3, n_runs=2, random_state=0),
    "accumulated": lambda: fewest.AccumulatedClassifier(fewest.RepetitiveSelector(n_subsets=2)),
    "min over": lambda: fewest.SoftDoubleMinOver(kernel="rbf"),
    "sfm cv": lambda: fewest.SupportFeatureMachineCV([0.5, np.inf], n_subsets=1, cv=2),
}


def check(case: int, folder: Path) -> None:
    rng = random.Random(f"model {case}")
    name = rng.choice(list(_MODELS))
    content = _whole(name)
    match rng.randrange(4):
        case 0:
            content = damage(rng, content)
        case 1:
            content = change_arrays(rng, dict(members(content)))
        case _:
            for _ in range(rng.choice((1, 1, 2))):
                content = with_document(content, lambda document: change_document(rng, document))
    path = folder / "model.fewest"
    path.write_bytes(content)
    X, _ = small_table()
    try:
        estimator = fewest.load(path)
    except ModelFileError as error:
        require(str(error), "an error without a message")
        estimator = None
    if estimator is not None:
        _check_answers(estimator, X)
    samples = folder / "new.csv"
    rows = [",".join(NAMES), *(",".join(map(repr, x)) for x in X.tolist())]
    samples.write_text("\n".join(rows) + "\n")
    code, _ = run_command(["predict", str(path), str(samples)])
    if estimator is None:
        require(code == 2, f"the library refuses the model, the command ends with {code}")


def _check_answers(estimator: Any, X: np.ndarray) -> None:
    """One answer per sample, or a refusal of weights that are no numbers."""
    for method in ("predict", "decision_function", "transform"):
        if not hasattr(estimator, method):
            continue
        try:
            answer = getattr(estimator, method)(X)
        except ValueError as error:
            if "NaN" not in str(error) and "infin" not in str(error):
                raise
        else:
            require(answer.shape[0] == len(X), f"{method}: {answer.shape} for {len(X)} samples")


@cache
def _whole(name: str) -> bytes:
    import pandas

    X, y = small_table()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "whole.fewest"
        fewest.save(_MODELS[name]().fit(pandas.DataFrame(X, columns=NAMES), y), path)
        return path.read_bytes()
