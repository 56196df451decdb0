"""Reading a wide text table, against pandas on the same file."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas

from benchmarks.timing import row, side_by_side
from fewest.tables import read_table

SAMPLES, FEATURES = 100, 50_000


def write_tables(folder: Path) -> tuple[Path, Path]:
    """The same noise with samples as rows and as columns, all digits of every number."""
    X = np.random.default_rng(0).standard_normal((SAMPLES, FEATURES))
    names = [f"gene_{number}" for number in range(FEATURES)]
    labels = ["control" if sample % 2 else "patient" for sample in range(SAMPLES)]
    usual, turned = folder / "usual.csv", folder / "turned.csv"
    with usual.open("w") as file:
        print(*names, "class", sep=",", file=file)
        for x, label in zip(X.tolist(), labels, strict=True):
            print(*x, label, sep=",", file=file)
    with turned.open("w") as file:
        print("gene", *(f"sample_{sample}" for sample in range(SAMPLES)), sep=",", file=file)
        print("class", *labels, sep=",", file=file)
        for name, x in zip(names, X.T.tolist(), strict=True):
            print(name, *x, sep=",", file=file)
    return usual, turned


def main() -> None:
    print(f"Reading CSV, {SAMPLES} samples x {FEATURES} features")
    with tempfile.TemporaryDirectory() as folder:
        usual, turned = write_tables(Path(folder))
        taken = side_by_side(
            {
                "pandas": partial(pandas.read_csv, usual),
                "ours": partial(read_table, usual, "class"),
            },
            rounds=5,
        )
        row("read_table / pandas.read_csv", f"{taken['ours'] / taken['pandas']:.2f}", "at most 2")
        taken = side_by_side(
            {
                "pandas": partial(pandas.read_csv, turned, low_memory=False),
                "ours": partial(read_table, turned, "class", transpose=True),
            },
            rounds=5,
        )
        row(
            "samples as columns: read_table / pandas.read_csv(low_memory=False)",
            f"{taken['ours'] / taken['pandas']:.2f}",
        )


if __name__ == "__main__":
    main()
