"""Commands that a text suggests: they read the data as the command did that suggests them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from fewest._wording import visible
from fewest.report.content import DataSummary


def find_test(data: DataSummary | None) -> str:
    """What to type, or to call, for a permutation test."""
    if data is not None and data.kind == "volumes":
        return "fewest brain with its page and --permutations N, or generate_report in Python"
    if data is None or data.file is None:
        return "fewest.diagnostics.diagnose"
    if data.in_blocks:
        return "fewest diagnose, with a table of these samples that fits in memory"
    return write_command("diagnose", data.file, data.reading)


def write_command(command: str, file: str, options: Sequence[str]) -> str:
    """A command on a file, as one types it; `options` say how to read the file, among others."""
    name = f"./{file}" if file.startswith("-") else file
    return f"fewest {command} {shlex.join(map(visible, [name, *options]))}"
