"""Leukemia: heat maps of Golub's genes and of those of the repeated machines.

Klement's thesis (2013), figs. 4.16, 4.19 and 4.20.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from fewest import RepetitiveSelector
from fewest.filters import golub_score
from reproductions.helpers import load_data
from reproductions.klement_leukemia import (
    REPETITIONS,
    find_golub_genes,
    load,
    make_machine,
)
from reproductions.study import Cell, Measured, Published, Study

_LONGEST = 44  # letters of a gene's name beside its row


def list_golub_genes(quick: bool) -> dict[str, float]:
    """Golub's score of his 25 genes at either end, and the mean size of the scores there."""
    (X, y), _ = load()
    scores = golub_score(X, y, signed=True)
    genes = sorted(find_golub_genes(X, y), key=lambda gene: -scores[gene])
    high, low = np.mean(scores[genes[:25]]), np.mean(-scores[genes[25:]])
    return {
        "genes": len(genes),
        "larger scores for AML than for ALL (1: yes)": float(high > low),
        "mean score of the 25 for AML": float(high),
        "mean score of the 25 for ALL": float(low),
    } | dict(zip(_list_names()[genes].tolist(), scores[genes].tolist(), strict=True))


def list_selected_genes(kind: str, quick: bool) -> dict[str, float]:
    """The genes of ten repetitions, each with its repetition."""
    (X, y), _ = load()
    found = RepetitiveSelector(make_machine(kind), n_subsets=REPETITIONS).fit(X, y)
    golub = find_golub_genes(X, y)
    places = {gene: place for place, subset in enumerate(found.subsets_) for gene in subset}
    return {
        "genes": len(places),
        "genes among Golub's 50": len(golub & set(places)),
    } | {str(_list_names()[gene]): place + 1 for gene, place in places.items()}


def draw(figure: Any, results: Mapping[str, Mapping[str, Measured]]) -> None:
    """Rows are genes, columns the training samples; red is above a gene's mean, blue below."""
    columns = {name: gene for gene, name in enumerate(_list_names().tolist())}
    shown = {
        title: [columns[label] for label in numbers if label in columns]
        for title, numbers in results.items()
    }
    (X, y), _ = load()
    golub = find_golub_genes(X, y)
    order = np.argsort(y, kind="stable")[::-1]  # AML first, as in the figure
    names = load_data("leukemia")["gene_name"]
    figure.set_size_inches(10, 1.2 + 0.17 * sum(map(len, shown.values())))
    rows = figure.subplots(len(shown), 1, height_ratios=[len(one) for one in shown.values()])
    for ax, (title, genes) in zip(np.atleast_1d(rows), shown.items(), strict=True):
        Z = (X[:, genes] - X[:, genes].mean(axis=0)) / X[:, genes].std(axis=0)
        ax.imshow(Z[order].T, aspect="auto", cmap="RdBu_r", vmin=-3, vmax=3)
        ax.axvline(np.sum(y == "AML") - 0.5, color="black")
        ax.set(title=title, yticks=range(len(genes)))
        n_aml = np.sum(y == "AML")
        ax.set_xticks([n_aml / 2, (n_aml + len(y)) / 2], ["AML", "ALL"])
        labels = ax.set_yticklabels([_shorten(names[gene]) for gene in genes], fontsize=6)
        for label, gene in zip(labels, genes, strict=True):
            label.set_color("black" if gene in golub else "tab:brown")
        ax.yaxis.tick_right()


def _list_names() -> np.ndarray:
    return np.asarray(load_data("leukemia")["gene_id"])


def _shorten(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 3]}..."


STUDIES = [
    Study(
        "thesis_fig_4_16",
        "Leukemia: Golub's genes",
        "Klement's thesis (2013), fig. 4.16",
        [
            Cell(
                "Golub's score",
                list_golub_genes,
                {
                    "genes": Published(50, 0),
                    "larger scores for AML than for ALL (1: yes)": Published(1, 0),
                },
                ("leukemia",),
            )
        ],
        notes="The scores of the genes are ours; the thesis shows the heat map only.",
        draw=draw,
    ),
    Study(
        "thesis_fig_4_19",
        "Leukemia: the genes of ten repetitions",
        "Klement's thesis (2013), figs. 4.19 and 4.20",
        [
            Cell(
                f"{kind} machine",
                partial(list_selected_genes, kind),
                {
                    "genes": Published(total, 0),
                    "genes among Golub's 50": Published(shared, 0),
                },
                ("leukemia",),
            )
            for kind, total, shared in (("hard", 27, 17), ("soft", 15, 15))
        ],
        notes="Genes in brown are not among Golub's 50.",
        draw=draw,
    ),
]
