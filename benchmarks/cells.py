"""A gene panel for many cells: error on the donor left out, time, peak memory, and growth.

``python -m benchmarks.cells`` takes 100,000 cells and 20,000 genes, generated and sparse, with 12
types and two donors; ``--cells`` and ``--genes`` take fewer, and ``--growth`` repeats it with a
quarter and a half of the cells.
"""

from __future__ import annotations

import argparse
import resource
import time

import anndata
import numpy as np
import pandas
from scipy import sparse
from sklearn.metrics import f1_score

from fewest.significance import run_held_out
from fewest.single_cell import select_panel

N_TYPES, N_DONORS = 12, 2
MARKERS = 30  # genes that are higher in a type, each by a factor of its own
READS = 800  # per cell
_BLOCK = 5_000


def make_atlas(n_cells: int, n_genes: int, seed: int = 0) -> anndata.AnnData:
    """Log-normalised reads of cells whose types and donors differ in some of the genes."""
    rng = np.random.default_rng(seed)
    base = rng.lognormal(0.0, 1.5, n_genes)
    profiles = np.tile(base, (N_TYPES, 1))
    for profile in profiles:
        profile[rng.choice(n_genes, MARKERS, replace=False)] *= rng.uniform(2.0, 12.0, MARKERS)
    effects = rng.lognormal(0.0, 0.3, (N_DONORS, n_genes))
    shares = rng.dirichlet(np.full(N_TYPES, 2.0))
    types = rng.choice(
        N_TYPES, n_cells, p=np.maximum(shares, 0.01) / np.maximum(shares, 0.01).sum()
    )
    donors = rng.integers(N_DONORS, size=n_cells)
    blocks = []
    for start in range(0, n_cells, _BLOCK):
        rows = np.arange(start, min(start + _BLOCK, n_cells))
        blocks.append(_draw_reads(profiles, effects, types[rows], donors[rows], rng))
    X = sparse.vstack(blocks, format="csr")
    obs = {"celltype": [f"type {code:02}" for code in types], "donor": donors.astype(str)}
    return anndata.AnnData(X, obs=pandas.DataFrame(obs, index=np.arange(n_cells).astype(str)))


def _draw_reads(profiles, effects, types, donors, rng) -> sparse.csr_matrix:
    genes = np.empty((len(types), READS), dtype=np.int32)
    for code in np.unique(types):
        for donor in np.unique(donors):
            inside = np.flatnonzero((types == code) & (donors == donor))
            ends = np.cumsum(profiles[code] * effects[donor])
            drawn = rng.random((len(inside), READS)) * ends[-1]
            genes[inside] = np.minimum(np.searchsorted(ends, drawn), len(ends) - 1)
    rows = np.repeat(np.arange(len(types)), READS)
    ones = np.ones(genes.size, dtype=np.float32)
    counts = sparse.csr_matrix((ones, (rows, genes.ravel())), shape=(len(types), len(effects[0])))
    counts.data = np.log1p(counts.data * (1e4 / READS)).astype(np.float32)
    return counts


def run(n_cells: int, n_genes: int, panel_size: int, *, judge: bool) -> float:
    """Print one selection, and its error if asked for; returns the seconds of the former."""
    atlas = make_atlas(n_cells, n_genes)
    size = 12 * atlas.X.nnz / 2**20
    before = _peak()
    print(
        f"{n_cells:,} cells x {n_genes:,} genes, {atlas.X.nnz / n_cells / n_genes:.1%} stored "
        f"({size:,.0f} MB), {N_TYPES} types, {N_DONORS} donors",
        flush=True,
    )
    started = time.perf_counter()
    alone = select_panel(atlas, "celltype", n_genes=panel_size, cv=None, key_added=None)
    fitted = time.perf_counter() - started
    print(f"  panel of {len(alone.genes)} genes: {fitted:.1f} s, gap {alone.gap:.1e}", flush=True)
    if judge:
        types = atlas.obs["celltype"].to_numpy()
        held_out = run_held_out(
            alone.estimator, atlas.X, types, cv=N_DONORS, groups=atlas.obs["donor"].to_numpy()
        )
        seconds = time.perf_counter() - started - fitted
        print(
            f"  its error, selected again without each donor: {seconds:.1f} s; error "
            f"{np.mean(held_out.predicted != held_out.true):.3f}, macro-F1 "
            f"{f1_score(held_out.true, held_out.predicted, average='macro'):.3f}",
            flush=True,
        )
    print(f"  peak memory {_peak():,.0f} MB ({before:,.0f} MB with the cells alone)", flush=True)
    return fitted


def _peak() -> float:
    """Megabytes that this process had in use at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description="A gene panel for many cells.")
    parser.add_argument("--cells", type=int, default=100_000)
    parser.add_argument("--genes", type=int, default=20_000)
    parser.add_argument("--panel", type=int, default=20, help="most genes of the panel")
    parser.add_argument("--growth", action="store_true", help="a quarter and a half first")
    arguments = parser.parse_args()
    parts = (4, 2, 1) if arguments.growth else (1,)
    sizes = [arguments.cells // part for part in parts]
    seconds = [
        run(size, arguments.genes, arguments.panel, judge=size == arguments.cells) for size in sizes
    ]
    if arguments.growth:
        slope = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
        print(f"seconds grow like n^{slope:.2f}")


if __name__ == "__main__":
    main()
