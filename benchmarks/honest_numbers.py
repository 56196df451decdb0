"""Errors reported on noise, where guessing has 50 %: `python -m benchmarks.honest_numbers`.

The bootstrap with its three ways to weigh test and training errors, and a panel that was chosen on
the samples that judge it, as given and with its choice repeated in every fold.
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.feature_selection import SelectKBest

from fewest import Liknon, SupportFeatureMachine
from fewest.panels import panel_report
from fewest.significance import Bootstrap632, bootstrap_632

N_SAMPLES, N_FEATURES = 60, 500
INSIDE = 0.632  # the probability that a sample is in a bootstrap sample, 1 - 1/e
MACHINES = {
    "SupportFeatureMachine(C=2.0)": SupportFeatureMachine(C=2.0),
    "SupportFeatureMachine(max_features=5)": SupportFeatureMachine(max_features=5),
    "Liknon(C=1.0)": Liknon(C=1.0),
}


def draw(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Samples of two classes that do not differ."""
    rng = np.random.default_rng([32, seed])
    return rng.standard_normal((N_SAMPLES, N_FEATURES)), np.arange(N_SAMPLES) % 2


def weigh(found: Bootstrap632) -> tuple[float, float, float]:
    """The error on samples left out, and those of the .632 and .632+ weights.

    Efron & Tibshirani (1997): the larger the share R of possible overfitting, the larger the weight
    of the error on samples left out.
    """
    test, training, guessing = found.test_error, found.training_error, 0.5
    test_cut = min(test, guessing)
    share = (test_cut - training) / (guessing - training) if test_cut > training else 0.0
    weight = INSIDE / (1.0 - (1.0 - INSIDE) * share)
    return (
        test,
        INSIDE * test + (1.0 - INSIDE) * training,
        weight * test_cut + (1.0 - weight) * training,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10, help="data sets of noise")
    runs = range(parser.parse_args().runs)
    print(f"{len(runs)} data sets of {N_SAMPLES} x {N_FEATURES} numbers of noise: mean errors\n")
    print("| bootstrap of | left out (reported) | .632 | .632+ | training |\n|---|---|---|---|---|")
    for name, machine in MACHINES.items():
        found = [bootstrap_632(machine, *draw(k), n_resamples=20, random_state=k) for k in runs]
        means = np.mean([weigh(one) for one in found], axis=0)
        training = np.mean([one.training_error for one in found])
        print(f"| {name} | {' | '.join(f'{one:.2f}' for one in (*means, training))} |")
    print("\n| panel of 4 | as given (optimistic) | choice repeated (reported) |\n|---|---|---|")
    chooser, errors = SelectKBest(k=4), []
    few = {"n_repeats": 2, "n_random": 0, "n_stand_ins": 0, "best": False, "n_resamples": 1}
    for k in runs:
        X, y = draw(k)
        panel = chooser.fit(X, y).get_support(indices=True)
        report = panel_report(X, y, panel, estimator=chooser, random_state=k, **few)
        errors.append([report.as_given.balanced_error, report.errors.balanced_error])
    print(f"| SelectKBest | {' | '.join(f'{one:.2f}' for one in np.mean(errors, axis=0))} |")


if __name__ == "__main__":
    main()
