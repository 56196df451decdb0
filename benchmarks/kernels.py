"""Classes that no hyperplane separates: kernels, products of features, and noise features.

The class is the sign of the product of two features; the others are noise. Test accuracies, and how
many samples (kernels) or columns (products) each machine uses; 200 training samples.
"""

from __future__ import annotations

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures
from sklearn.svm import SVC

from fewest import KernelFeatureMachine, SupportFeatureMachine

NOISE = (0, 2, 8, 32, 128)
RUNS = 10
N_TRAIN, N_TEST = 200, 1000


def measure(n_noise: int, seed: int) -> list[float]:
    X = np.random.default_rng(seed).uniform(-1.0, 1.0, (N_TRAIN + N_TEST, 2 + n_noise))
    y = X[:, 0] * X[:, 1] > 0
    train, test = (X[:N_TRAIN], y[:N_TRAIN]), (X[N_TRAIN:], y[N_TRAIN:])
    linear = SupportFeatureMachine().fit(*train)
    kernel = KernelFeatureMachine().fit(*train)
    svm = SVC(C=10.0).fit(*train)
    products = make_pipeline(
        PolynomialFeatures(2, include_bias=False), SupportFeatureMachine()
    ).fit(*train)
    return [
        linear.score(*test),
        svm.score(*test),
        len(svm.support_),
        kernel.score(*test),
        len(kernel.support_samples_),
        products.score(*test),
        int(products[-1].support_.sum()),
    ]


def main() -> None:
    print(__doc__)
    names = ("noise", "linear", "SVC", "samples", "kernel SFM", "samples", "products", "columns")
    print("".join(f"{name:>12}" for name in names))
    for n_noise in NOISE:
        means = np.mean([measure(n_noise, seed) for seed in range(RUNS)], axis=0)
        print(f"{n_noise:>12}" + "".join(f"{value:>12.2f}" for value in means), flush=True)


if __name__ == "__main__":
    main()
