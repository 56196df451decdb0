"""Liknon as a filter on gene expression data.

Genes are selected with the default values of C, and with those of the rule of Pranckeviciene &
Somorjai (2011, sec. 8.5.4) alone. Their banana data and Madelon are in `reproductions`.
Data are looked for in $FEWEST_DATA and in ../shared/data; what is missing is skipped.
Every choice is made on training samples; validation samples only measure the error.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from benchmarks.real_files import find
from fewest.machines.liknon_cv import LiknonCV
from fewest.machines.transvariation import transvariation_C

WIDE, WIDE_SEEDS = ("leukemia", "colon"), range(10)


def wide() -> None:
    """The default values of C on wide data compared with the rule of sec. 8.5.4 alone."""
    for name in WIDE:
        path = find(name)
        if path is None:
            continue
        data = np.load(path)
        X, y = data["X"], data["y"]
        print(f"{name}, {X.shape[0]} x {X.shape[1]}, {len(WIDE_SEEDS)} seeds, five folds each")
        for outcome, Cs in product(("profile", "best", "ensemble"), (transvariation_C, None)):
            machines = [
                LiknonCV(50, Cs=Cs, outcome=outcome, random_state=seed).fit(X, y)
                for seed in WIDE_SEEDS
            ]
            errors = [machine.validation_ber_.mean() for machine in machines]
            counts = [machine.fold_supports_.sum(axis=1).mean() for machine in machines]
            print(
                f"  {outcome:<9}{'8.5.4  ' if Cs else 'default'}: BER {np.mean(errors):.3f} "
                f"(standard error {np.std(errors) / np.sqrt(len(errors)):.3f}), "
                f"{np.mean(counts):.1f} features per fold",
                flush=True,
            )


def main() -> None:
    wide()


if __name__ == "__main__":
    main()
