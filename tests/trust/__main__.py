"""Run the tests of this folder on an earlier revision and on today's code: which failed before.

For example `python -m tests.trust --before REVISION --why tests/trust/test_forks.py`.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]


def run_tests(source: Path, chosen: Sequence[str]) -> dict[tuple[str, str], list[str]]:
    """How the cases of each test end with the package of this folder: '' or why they fail."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        # A worker that crashes is replaced, and the test that it was at has failed.
        command = [sys.executable, "-m", "pytest", "-q", "-n", "1", f"--junitxml={report}"]
        subprocess.run(
            [*command, "--max-worker-restart=99", *chosen],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(source)},
            stdout=subprocess.DEVNULL,
            check=False,
        )
        return read_report(report)


def read_report(path: Path) -> dict[tuple[str, str], list[str]]:
    """By file and test, why each case failed."""
    found = defaultdict(list)
    for case in ElementTree.parse(path).iter("testcase"):
        file = re.search(r"trust\.test_(\w+)", case.get("classname", ""))
        if file is None or case.find("skipped") is not None:
            continue
        name = case.get("name", "").rpartition("::")[2].partition("[")[0]
        problems = [part for kind in ("failure", "error") for part in case.findall(kind)]
        why = problems[0].get("message", "failed").splitlines()[0] if problems else ""
        found[file.group(1), name].append(why)
    return dict(found)


def as_markdown(
    before: dict[tuple[str, str], list[str]], now: dict[tuple[str, str], list[str]]
) -> str:
    """One line per test: of how many cases, how many failed before and pass now."""
    lines = ["| of | test | before | now |", "|---|---|---|---|"]
    for (file, name), cases in sorted(now.items()):
        earlier = before.get((file, name), [])
        failed = [why for why in earlier if why]
        then = f"{len(failed)} of {len(earlier)} fail" if earlier else "not run"
        passed = sum(not why for why in cases)
        of, what = (one.removeprefix("test_").replace("_", " ") for one in (file, name))
        lines.append(f"| {of} | {what} | {then} | {passed} of {len(cases)} pass |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", required=True, metavar="REVISION", help="the earlier code")
    parser.add_argument("--why", action="store_true", help="print why each case failed before")
    parser.add_argument("tests", nargs="*", default=[str(Path(__file__).parent)])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        old = Path(folder) / "before"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", "--quiet", old, arguments.before], check=True)
        try:
            before = run_tests(old / "src", arguments.tests)
        finally:
            subprocess.run([*git, "remove", "--force", old], check=True)
    if arguments.why:
        for (file, name), cases in before.items():
            for why in cases:
                print(f"{file} {name}: {why or 'passed'}", flush=True)
    print(as_markdown(before, run_tests(ROOT / "src", arguments.tests)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
