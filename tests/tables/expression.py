"""An expression table, a table about its samples, and a series matrix, all of the same values."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

N_SAMPLES, N_PROBES = 24, 12
IDS = [f"GSM{100 + number}" for number in range(N_SAMPLES)]
PROBES = [f"{number}_at" for number in range(N_PROBES)]
SYMBOLS = [f"GENE{number}" for number in range(N_PROBES)]
TISSUES = np.where(np.arange(N_SAMPLES) % 2, "liver", "kidney")


def values() -> NDArray[Any]:
    """Samples in rows; the probe 5 carries the tissue."""
    X = np.random.default_rng(0).standard_normal((N_SAMPLES, N_PROBES)).round(4)
    X[:, 5] += 5.0 * (TISSUES == "liver")
    return X


def write_expression(path: Path, symbols: list[str] = SYMBOLS) -> Path:
    """Probes in rows, with annotations beside the values."""
    rows = [["probe", "symbol", "about", *IDS]]
    for number, column in enumerate(values().T.tolist()):
        rows.append([PROBES[number], symbols[number], f"it is {number}", *map(str, column)])
    path.write_text("\n".join("\t".join(row) for row in rows) + "\n", encoding="utf-8")
    return path


def write_patients(path: Path, ids: list[str] = IDS, order: int = 1) -> Path:
    """One row per sample, in another order."""
    rows = [
        f"{ids[place]},{TISSUES[place]},{'mf'[place // 2 % 2]}\n"
        for place in np.random.default_rng(order).permutation(len(ids)).tolist()
    ]
    path.write_text("sample,tissue,sex\n" + "".join(rows), encoding="utf-8")
    return path


def write_series(path: Path, *, table: bool = True, end: bool = True) -> Path:
    """A series matrix file as GEO writes them."""

    def line(name: str, entries: list[str]) -> str:
        return "\t".join([name, *(f'"{entry}"' for entry in entries)])

    sexes = [f"Sex: {'mf'[number // 2 % 2]}" for number in range(N_SAMPLES)]
    sexes[3] = "age: 44"  # lines of some series mix what they describe
    lines = [
        '!Series_title\t"A series, made up"',
        "",
        line("!Sample_title", [f"sample {number}" for number in range(N_SAMPLES)]),
        line("!Sample_geo_accession", IDS),
        line("!Sample_organism_ch1", ["Homo sapiens"] * N_SAMPLES),
        line("!Sample_characteristics_ch1", [f"tissue: {tissue}" for tissue in TISSUES]),
        line("!Sample_characteristics_ch1", sexes),
        "!series_matrix_table_begin",
        line('"ID_REF"', IDS),
    ]
    if table:
        for probe, column in zip(PROBES, values().T.tolist(), strict=True):
            lines.append("\t".join([f'"{probe}"', *map(str, column)]))
    lines += ["!series_matrix_table_end"] if end else []
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.write("\n".join(lines) + "\n")
    return path
