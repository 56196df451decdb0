"""Published tables and figures beside ours.

python -m reproductions [NAME ...] [--quick] [--list] [--jobs N]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import perf_counter

from reproductions import page, run
from reproductions.catalogue import STUDIES
from reproductions.study import Study


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m reproductions", description="Published tables and figures beside ours."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="studies, or beginnings of names")
    parser.add_argument("--quick", action="store_true", help="fewer runs: a rough look at all")
    parser.add_argument("--list", action="store_true", help="list the studies and stop")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (default: 2)")
    parser.add_argument("--results", type=Path, help="folder for CSV files and figures")
    given = parser.parse_args(arguments)
    chosen = _choose(given.names)
    if not chosen:
        known = ", ".join(study.name for study in STUDIES)
        parser.error(f"no study is called {' or '.join(given.names)}; there are {known}")
    if given.list:
        print("\n".join(f"{study.name:<32} {study.source}" for study in chosen))
        return 0
    # A quick look must not replace the full results.
    folder = given.results or (run.RESULTS / "quick" if given.quick else run.RESULTS)
    begun = perf_counter()
    for study in chosen:
        started = perf_counter()
        results = run.compute(study, quick=given.quick, n_jobs=given.jobs)
        run.write(study, results, folder)
        line = run.summarize(study, run.list_comparisons(study, results))
        print(f"{line:<64} {perf_counter() - started:>8.1f} s", flush=True)
    print(f"{'all':<64} {perf_counter() - begun:>8.1f} s")
    if folder == run.RESULTS:
        page.write(STUDIES, folder)
    return 0


def _choose(names: list[str]) -> list[Study]:
    """Studies of these names; a name that is no study's is the beginning of several."""
    whole = {study.name for study in STUDIES}.intersection(names)
    starts = tuple(name for name in names if name not in whole) if names else ("",)
    return [one for one in STUDIES if one.name in whole or one.name.startswith(starts)]


if __name__ == "__main__":
    sys.exit(main())
