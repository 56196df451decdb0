"""The verdict of `fewest select` on data of known truth: false claims and coverage are counted.

Noise and signal, with and without groups of dependent samples. One case says nothing; over all of
them, noise may be called better than guessing as often as stated, and an interval of the error may
miss it in one of ten cases (the issue of intervals that are only nearly exact). Noise beside
covariates that are noise is not said to add anything to them more often than stated, either.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

import fewest
from benchmarks.verdict_designs import DESIGNS, Design
from fewest import Liknon, SupportFeatureMachine
from fewest._estimators.splits import choose_exchange
from fewest.significance import confounding
from fuzzing.outcome import Chance, require
from fuzzing.tables import run_command

_MISSES = 0.1  # most cases whose interval may miss the error
_TARGET, _GROUP = "class", "patient"
_METHODS = (["--C", "1"], ["--C", "1"], ["--C", "0.1"], ["--max-features", "3"])


def check(case: int, folder: Path) -> Iterator[Chance]:
    rng = np.random.default_rng([12, case])
    design = DESIGNS[int(rng.integers(len(DESIGNS)))] if rng.random() < 0.5 else draw_design(rng)
    effect = 0.0 if rng.random() < 0.7 else float(rng.uniform(0.3, 1.5))
    X, y, groups = design.draw(rng, effect)
    if not effect:
        yield from _test_covariates(np.random.default_rng([18, case]), X, y, groups)
    result, model = _select(rng, folder, X, y, groups)
    status, found = result["verdict"]["status"], result["trust"]["validation"]
    interval = found["balanced_interval"]
    if interval is None:
        require(status == "not tested", f"no interval, but the verdict is {status}")
        require(found["no_interval"], "neither an interval nor a reason why there is none")
        return
    low, high, stated = interval["low"], interval["high"], round(1.0 - interval["confidence"], 9)
    require(low <= found["balanced_error"] <= high, f"{found['balanced_error']} in {interval}")
    true = error_of(model, design, rng, effect) if effect else 1.0 - 1.0 / design.n_classes
    for kind in ("all", _describe(design)):
        if not effect:
            yield Chance(f"noise is better than guessing, {kind}", stated, status == "better")
        yield Chance(f"interval misses the error, {kind}", _MISSES, not low <= true <= high)


def _test_covariates(
    rng: np.random.Generator, X: np.ndarray, y: np.ndarray, groups: Any
) -> Iterator[Chance]:
    """Whether noise is said to add something to a covariate, which is noise, too."""
    if rng.random() < 0.5:
        return
    machine = (
        Liknon(C=0.05),
        Liknon(C=0.05, class_weight=None),
        SupportFeatureMachine(C=0.3),
        LogisticRegression(C=0.01),
    )[int(rng.integers(4))]
    units = np.arange(len(y)) if groups is None else groups
    noise = rng.standard_normal(units.max() + 1)
    known = {"other": (noise if rng.random() < 0.5 else (noise > 0.0).astype(int))[units]}
    settings = {"groups": groups, "exchange": choose_exchange(y, groups), "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = confounding(machine, X, y, known, n_permutations=39, **settings)
        except ValueError:  # too few groups of a class, or a covariate that is the same for all
            return
    claims = not found.is_explained and not found.is_open
    yield Chance("noise adds something to a covariate", 0.05, claims)


def draw_design(rng: np.random.Generator) -> Design:
    """Samples, or few and many groups of any sizes, with labels per group or within."""
    n_classes = int(rng.choice([2, 2, 2, 3]))
    shares = tuple(range(n_classes)) + (n_classes - 1,) * int(rng.integers(3))
    n_groups = int(rng.choice([0, 8, 10, 15, 20, 30]))
    if not n_groups:
        n, is_heavy = int(rng.integers(8, 26)) * n_classes, bool(rng.random() < 0.3)
        return Design("drawn", (), shares, n_classes, n=n, d=_draw_width(rng), heavy=is_heavy)
    is_within = rng.random() < 0.4
    least = n_classes if is_within else 1
    sizes = rng.integers(least, least + max(2, 120 // n_groups), n_groups)
    if rng.random() < 0.4:
        sizes[:] = sizes[0]
    return Design(
        "drawn",
        tuple(sizes.tolist()),
        None if is_within else shares,
        n_classes,
        d=_draw_width(rng),
        between=float(rng.choice([0.3, 1.0, 3.0])),
        heavy=bool(rng.random() < 0.2),
    )


def _draw_width(rng: np.random.Generator) -> int:
    return int(rng.choice([10, 30, 60]))


def _describe(design: Design) -> str:
    if not design.has_groups:
        return "samples"
    return "classes within groups" if design.labels is None else "one class per group"


def _select(
    rng: np.random.Generator, folder: Path, X: np.ndarray, y: np.ndarray, groups: Any
) -> tuple[dict[str, Any], Any]:
    """The result and the model of the command, on a file as users have it."""
    data, output, model = (folder / name for name in ("data.csv", "result.json", "m.fewest"))
    ids = np.arange(len(y)) if groups is None else groups
    header = [_GROUP, *(f"g{j}" for j in range(X.shape[1])), _TARGET]
    rows = [
        [f"P{one}", *map(repr, x), "abc"[label]]
        for one, x, label in zip(ids, X.tolist(), y.tolist(), strict=True)
    ]
    data.write_text("\n".join(",".join(line) for line in [header, *rows]))
    command = ["select", str(data), "--target", _TARGET, "--cv", "5", "--quiet"]
    command += [*_METHODS[int(rng.integers(len(_METHODS)))], "--seed", "0"]
    command += ["--drop" if groups is None else "--groups", _GROUP]
    code, said = run_command([*command, "--json", str(output), "--model", str(model)])
    require(code == 0, f"exit code {code}: {said}")
    return json.loads(output.read_text()), fewest.load(model)


def error_of(model: Any, design: Design, rng: np.random.Generator, effect: float) -> float:
    """The balanced error of a fitted machine on samples of groups that were not seen."""
    X, y = design.draw_new(rng, effect)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        predicted = model.predict(X)
    labels = np.array(list("abc"))[y]
    return float(np.mean([np.mean(predicted[labels == one] != one) for one in np.unique(labels)]))
