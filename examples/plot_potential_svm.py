"""The Potential Support Vector Machine in figures
==================================================

Classification, regression with an outlier, and feature selection, on toy data like those of
Hochreiter & Obermayer (2004, figures 3 to 7). Run it with a folder to save the figures there as
PNG; otherwise they are shown.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from fewest import PotentialSVC, PotentialSVR

SHADES = ["#dfe7f1", "#f6ead8"]
INKS = ["#27548a", "#c2691c"]


def rbf(sigma):
    """Parameters of exp(-|x - z|^2 / (2 sigma^2))."""
    return {"kernel": "rbf", "gamma": 1 / (2 * sigma**2)}


def draw_regions(ax, machine, reach):
    """Shade the regions of the two classes, and draw the boundary."""
    line = np.linspace(-reach, reach, 200)
    points = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    values = machine.decision_function(points).reshape(200, 200)
    ax.contourf(line, line, values, levels=[-np.inf, 0, np.inf], colors=SHADES)
    ax.contour(line, line, values, levels=[0], colors="0.35", linewidths=1)
    ax.set(aspect="equal", xlim=(-reach, reach), ylim=(-reach, reach), xticks=[], yticks=[])


def draw_samples(ax, X, y):
    """Samples of the two classes: open and solid circles."""
    for label, ink in zip((-1, 1), INKS, strict=True):
        face = ink if label > 0 else "white"
        ax.scatter(*X[y == label].T, s=26, facecolor=face, edgecolor=ink, linewidth=1.2, zorder=3)


# %%
# Matrix data and three kernels
# -----------------------------
# 34 samples of two classes are described by their relations with 50 other objects, shown as
# crosses. Black crosses are support features. The kernel need not be positive definite: the sine
# kernel is indefinite.


def matrix_data():
    rng = np.random.default_rng(1)
    angle = rng.uniform(0, 2 * np.pi, 34)
    y = np.repeat([-1, 1], 17)
    radius = np.where(y < 0, rng.uniform(0, 0.7, 34), rng.uniform(1.1, 1.7, 34))
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return X, y, rng.uniform(-2, 2, (50, 2))


def plot_three_kernels():
    X, y, Z = matrix_data()
    settings = {
        "polynomial, degree 3": {"kernel": "poly", "gamma": 1.0, "degree": 3},
        r"RBF, $\sigma = 0.7$": rbf(0.7),
        r"sine, $\theta = 1.5$": {"kernel": "sine", "theta": 1.5},
    }
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.9), layout="constrained")
    for ax, (title, kernel) in zip(axes, settings.items(), strict=True):
        machine = PotentialSVC(C=5.0, epsilon=0.3, row_objects=Z, **kernel).fit(X, y)
        draw_regions(ax, machine, 2.05)
        draw_samples(ax, X, y)
        used = machine.support_features_
        ax.scatter(*Z.T, marker="+", s=22, color="0.6", linewidth=0.8)
        ax.scatter(*Z[used].T, marker="x", s=46, color="black", linewidth=1.6, zorder=4)
        ax.set_title(f"{title}\n{len(used)} of 50 support features", fontsize=10)
    return figure


# %%
# Pairwise data and the sine kernel
# ---------------------------------
# 70 samples are described by their relations with each other. Where the classes alternate, a kernel
# that oscillates needs fewer support vectors and makes fewer errors.


def alternating_rings(n, seed):
    rng = np.random.default_rng(seed)
    radius, angle = 2.2 * np.sqrt(rng.uniform(size=n)), rng.uniform(0, 2 * np.pi, n)
    y = np.where((radius / 0.55).astype(int) % 2 == 1, 1, -1)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), y


def plot_pairwise():
    X, y = alternating_rings(70, seed=6)
    new = alternating_rings(3000, seed=9)
    settings = {
        r"RBF, $\sigma = 0.3$": rbf(0.3),
        r"sine, $\theta = 5.7$": {"kernel": "sine", "theta": 5.7},
    }
    figure, axes = plt.subplots(1, 2, figsize=(7.6, 4.3), layout="constrained")
    for ax, (title, kernel) in zip(axes, settings.items(), strict=True):
        machine = PotentialSVC(C=10.0, epsilon=0.6, **kernel).fit(X, y)
        draw_regions(ax, machine, 2.3)
        draw_samples(ax, X, y)
        used = machine.support_features_
        ax.scatter(*X[used].T, s=95, facecolor="none", edgecolor="black", zorder=4)
        error = 1 - machine.score(*new)
        ax.set_title(f"{title}\n{len(used)} support vectors, test error {error:.0%}", fontsize=10)
    return figure


# %%
# Regression with an outlier
# --------------------------
# A small C limits the influence of a single point (local smoothing); a wide kernel smooths
# everywhere.


def curve_with_outlier():
    rng = np.random.default_rng(5)
    x = np.sort(rng.uniform(-10, 10, 50))
    y = np.sinc(x / np.pi) * 2 + 0.2 * rng.standard_normal(50)
    nearest = np.argmin(np.abs(x))
    x[nearest], y[nearest] = 0.0, 5.0
    return x, y


def draw_curve(ax, machine, x, y, true):
    """Points, true and fitted function, and circles around the support vectors."""
    line = np.linspace(x.min(), x.max(), 400)
    used = machine.support_features_
    ax.plot(line, true(line), "--", color="0.55", linewidth=1.2, label="true function")
    ax.plot(line, machine.predict(line[:, None]), color=INKS[0], linewidth=1.8, label="P-SVM")
    ax.plot(x, y, ".", color="black", markersize=4)
    circles = {"facecolor": "none", "edgecolor": INKS[1], "linewidth": 1.2}
    ax.scatter(x[used], y[used], s=55, zorder=3, label="support vectors", **circles)
    ax.spines[["top", "right"]].set_visible(False)


def add_legend(figure, ax):
    """One legend for all panels, below them."""
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False, fontsize=9)


def plot_outlier():
    x, y = curve_with_outlier()
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.9), sharey=True, layout="constrained")
    for ax, (C, sigma) in zip(axes, [(20, 2), (20, 0.7), (0.6, 0.7)], strict=True):
        machine = PotentialSVR(C=C, epsilon=0.1, **rbf(sigma)).fit(x[:, None], y)
        draw_curve(ax, machine, x, y, lambda t: 2 * np.sinc(t / np.pi))
        count = len(machine.support_features_)
        ax.set_title(rf"$C = {C}$, $\sigma = {sigma}$: {count} support vectors", fontsize=10)
        ax.set_xlabel("x")
    add_legend(figure, axes[0])
    return figure


# %%
# Feature selection for classes
# -----------------------------
# There are four groups of samples and 100 candidate features. A large epsilon leaves a few features
# in each group.


def plot_selected_for_classes():
    rng = np.random.default_rng(0)
    corners = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    label_of = np.array([1, -1, -1, 1])
    corner = rng.integers(0, 4, 50)
    X, y = corners[corner] + 0.1 * rng.standard_normal((50, 2)), label_of[corner]
    Z = rng.uniform(-1.2, 1.2, (100, 2))
    machine = PotentialSVC(C=np.inf, epsilon=1.8, row_objects=Z, refit=True, **rbf(0.2)).fit(X, y)
    used = machine.support_features_
    figure, ax = plt.subplots(figsize=(5, 5.2), layout="constrained")
    draw_regions(ax, machine, 1.5)
    draw_samples(ax, X, y)
    ax.scatter(*Z.T, marker="+", s=22, color="0.6", linewidth=0.8)
    ax.scatter(*Z[used].T, marker="x", s=60, color="black", linewidth=1.8, zorder=4)
    ax.set_title(f"{len(used)} of 100 features (black crosses) tell the classes apart", fontsize=10)
    return figure


# %%
# Feature selection for a curve
# -----------------------------
# With a larger epsilon fewer support vectors are left, and these are at maxima and minima.


def plot_selected_for_curve():
    rng = np.random.default_rng(2)

    def true(t):
        return 40 * np.sin(0.7 * t) + 2 * t

    x = np.sort(rng.uniform(-10, 10, 100))
    y = true(x) + 10 * rng.standard_normal(100)
    figure, axes = plt.subplots(1, 3, figsize=(11, 3.9), sharey=True, layout="constrained")
    for ax, epsilon in zip(axes, (0.1, 20.0, 45.0), strict=True):
        machine = PotentialSVR(C=np.inf, epsilon=epsilon, **rbf(2)).fit(x[:, None], y)
        draw_curve(ax, machine, x, y, true)
        count = len(machine.support_features_)
        ax.set_title(rf"$\epsilon = {epsilon:g}$: {count} support vectors", fontsize=10)
        ax.set_xlabel("x")
    add_legend(figure, axes[0])
    return figure


PICTURES = {
    "three_kernels": plot_three_kernels,
    "pairwise": plot_pairwise,
    "outlier": plot_outlier,
    "selected_for_classes": plot_selected_for_classes,
    "selected_for_curve": plot_selected_for_curve,
}


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    for name, plot in PICTURES.items():
        figure = plot()
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            figure.savefig(folder / f"potential_svm_{name}.png", dpi=110)
            plt.close(figure)
    if folder is None:
        plt.show()


if __name__ == "__main__":
    main()
