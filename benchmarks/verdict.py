"""How often noise is called better than guessing, when no permutation test was asked for.

The width of the interval in the verdict was chosen on other data sets: the seeds here are new.
"""

from __future__ import annotations

import argparse

import numpy as np

from fewest import SupportFeatureMachine
from fewest._estimators.intervals import wilson_interval
from fewest.report import make_report
from fewest.report._verdict import judge_content
from fewest.significance import run_held_out

FIRST_SEED = 50_000
EVERY = 50  # data sets between two lines
# Samples, features and classes: the shapes are tried in turn.
SHAPES = ((40, 60, 2), (30, 200, 2), (60, 40, 2), (48, 60, 3), (100, 20, 2))


def is_claimed(seed: int) -> bool:
    """Whether the verdict on one noise data set is a claim."""
    n, d, n_classes = SHAPES[seed % len(SHAPES)]
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, d)), np.arange(n) % n_classes
    held_out = run_held_out(SupportFeatureMachine(), X, y, cv=5, random_state=0)
    machine = SupportFeatureMachine().fit(X, y)
    page = make_report(machine, X, y, held_out=held_out, parts=())
    return bool(judge_content(page.content).is_better)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=1000, help="data sets (default: 1000)")
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    arguments = parser.parse_args()
    shapes = ", ".join(f"{n} x {d} ({k} classes)" for n, d, k in SHAPES)
    print(f"Noise, {shapes}; seeds from {arguments.first_seed}")
    claimed = []
    for n_sets in range(1, arguments.sets + 1):
        seed = arguments.first_seed + n_sets - 1
        if is_claimed(seed):
            claimed.append(seed)
        if n_sets % EVERY == 0 or n_sets == arguments.sets:
            share = wilson_interval(len(claimed), n_sets, 0.95)
            print(
                f"Called better than guessing: {len(claimed)} of {n_sets} data sets (95 % interval "
                f"{share.low:.1%} to {share.high:.1%}); their seeds: {claimed}",
                flush=True,
            )


if __name__ == "__main__":
    main()
