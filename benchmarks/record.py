"""The numbers of `make bench`, one JSON file per run, and how they compare with the last run's.

Only ratios are compared: seconds depend on the computer, and residuals of solvers are all noise.
"""

from __future__ import annotations

import json
import platform
import re
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fewest._run.versions import versions

FOLDER = Path(__file__).resolve().parent.parent / "bench"
# Medians of a few turns differ by less than this factor from run to run.
NOISE = 1.5
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)(% of X)?")


def ratios(rows: Sequence[Mapping[str, str]]) -> dict[str, float]:
    """The ratios among the rows by name: 'a / b', and shares of X."""
    found = {}
    for row in rows:
        number = _NUMBER.fullmatch(row["measured"])
        if number and (" / " in row["name"] or number[2]):
            found[row["name"]] = float(number[1])
    return found


def save(rows: Sequence[Mapping[str, str]], folder: Path = FOLDER) -> Path:
    """Write the rows of a run to a file that is named after its time and commit."""
    now, commit = datetime.now(UTC), _commit()
    run = {
        "date": now.isoformat(timespec="seconds"),
        "commit": commit,
        "computer": f"{platform.machine()}, {platform.system()}",
        "versions": versions(),
        "rows": list(rows),
    }
    folder.mkdir(exist_ok=True)
    path = folder / f"{now:%Y-%m-%d-%H%M%S}-{commit}.json"
    path.write_text(json.dumps(run, indent=1) + "\n", encoding="utf-8")
    return path


def last_run(folder: Path = FOLDER) -> dict[str, Any] | None:
    """The latest run in the folder; None if there is none."""
    paths = sorted(folder.glob("*.json"))
    return json.loads(paths[-1].read_text(encoding="utf-8")) if paths else None


def compare(
    rows: Sequence[Mapping[str, str]], before: Sequence[Mapping[str, str]], noise: float = NOISE
) -> list[str]:
    """Lines of a table: each ratio now, in the last run, and their quotient.

    A quotient beyond noise is marked as better or worse where the row asks for large or small
    values, and as changed where it asks for nothing.
    """
    old, asked = ratios(before), {row["name"]: row["asked"] for row in rows}
    lines = []
    for name, value in ratios(rows).items():
        if name not in old:
            lines.append(f"  {name:<66}{value:>8g}{'new':>18}")
            continue
        quotient = value / old[name] if old[name] else float("inf" if value else 1.0)
        mark = ""
        if not 1.0 / noise <= quotient <= noise:
            mark = _judge(asked[name], grown=quotient > 1.0)
        line = f"  {name:<66}{value:>8g}{old[name]:>9g}{quotient:>9.2f}  {mark}"
        lines.append(line.rstrip())
    return lines


def _judge(asked: str, *, grown: bool) -> str:
    if asked.startswith(("at least", "above")):
        return "BETTER" if grown else "WORSE"
    if asked.startswith(("at most", "below", "aim: at most")):
        return "WORSE" if grown else "BETTER"
    return "CHANGED"


def _commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    done = subprocess.run(command, cwd=FOLDER.parent, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"
