"""`python -m fuzzing`: try cases, print what failed, and a table; exit code 1 on any failure."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from fuzzing.kinds import BY_NAME, KINDS, Kind
from fuzzing.pool import try_cases
from fuzzing.schedule import count_cases, list_cases
from fuzzing.table import Tally
from fuzzing.worker import LIMITS, environment, try_case

_SECONDS_BETWEEN_LINES = 60.0


def main(argv: Sequence[str] | None = None) -> int:
    """Run with these arguments (default: those of the process)."""
    arguments = _read_arguments(argv)
    kinds = [BY_NAME[name] for name in arguments.only] if arguments.only else list(KINDS)
    if arguments.case is not None:
        return _repeat(kinds, arguments.case)
    seed = secrets.randbelow(2**31) if arguments.seed is None else arguments.seed
    print(f"seed {seed}, {arguments.jobs} jobs", flush=True)
    cases = list_cases(kinds, seed)
    if arguments.rounds is not None:
        cases = islice(cases, count_cases(kinds, arguments.rounds))
    started = time.monotonic()
    tally = _try_all(cases, arguments.jobs, started, arguments.seconds)
    print(f"\nseed {seed}, {time.monotonic() - started:.0f} s, {arguments.jobs} jobs")
    for statistic in tally.too_often:
        print(f"\n{statistic}\n")
    print(tally.as_text())
    if arguments.markdown is not None:
        arguments.markdown.write_text(tally.as_markdown() + "\n", encoding="utf-8")
    return 1 if tally.n_failed else 0


def _read_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzzing", description=__doc__)
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--seconds", type=float, help="how long cases begin (default: 60)")
    length.add_argument("--rounds", type=float, help="so many rounds of all kinds instead")
    parser.add_argument("--seed", type=int, help="where the numbers of cases begin; else random")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument(
        "--only", nargs="+", choices=list(BY_NAME), metavar="KIND", help=", ".join(BY_NAME)
    )
    parser.add_argument("--case", type=int, help="repeat this case of --only KIND, here and now")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write the table here")
    arguments = parser.parse_args(argv)
    if arguments.case is not None and len(arguments.only or ()) != 1:
        parser.error("--case needs one kind: --only KIND")
    if arguments.rounds is None and arguments.seconds is None:
        arguments.seconds = 60.0
    return arguments


def _repeat(kinds: Sequence[Kind], case: int) -> int:
    """One case in this process, where a debugger can look at it; files of the case stay."""
    folder = Path(tempfile.mkdtemp(prefix="fewest-fuzzing-"))
    with environment(LIMITS):
        outcome = try_case(kinds[0].name, case, folder)
    print(f"{outcome.sort or 'nothing wrong'}; files of the case are in {folder}")
    print(outcome.message)
    for chance in outcome.chances:
        print(f"{chance.what}: {'yes' if chance.happened else 'no'} (at most {chance.most:.3g})")
    return 1 if outcome.sort else 0


def _try_all(
    cases: Iterator[tuple[Kind, int]], jobs: int, started: float, seconds: float | None
) -> Tally:
    tally, told = Tally(), started

    def is_over() -> bool:
        return seconds is not None and time.monotonic() - started > seconds

    with tempfile.TemporaryDirectory(prefix="fewest-fuzzing-") as folder:
        for outcome in try_cases(cases, jobs, Path(folder), is_over):
            tally.add(outcome)
            if outcome.sort is not None:
                print(f"\n{outcome.sort}: {outcome.command}\n{outcome.message}", flush=True)
            if time.monotonic() - told > _SECONDS_BETWEEN_LINES:
                told = time.monotonic()
                print(
                    f"{told - started:.0f} s: {tally.cases.total():,} cases, "
                    f"{tally.n_failed} failed",
                    flush=True,
                )
    return tally


if __name__ == "__main__":
    sys.exit(main())
