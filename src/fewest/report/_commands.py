"""Commands that a text suggests: they read the data as the command did that suggests them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from fewest._wording import listed, visible
from fewest.report.content import ClassSize, DataSummary

_FEWEST_SAMPLES = 5  # for `diagnose`


def advise_test(data: DataSummary | None) -> str:
    """How to test the features against chance, in a sentence that ends with the command."""
    if data is None or data.kind == "volumes":
        return f"To test it: {find_test(data)}"
    tested, unit = _find_tested(data), "sample" if data.n_groups is None else "group"
    if len(tested) < 2 or sum(one.n_samples for one in tested) < _FEWEST_SAMPLES:
        return (
            f"It cannot be tested: that takes two classes with two {unit}s each, and "
            f"{_FEWEST_SAMPLES} samples in all"
        )
    if data.single:
        without = f"To test it without classes of a single {unit} ({listed(data.single)})"
        return f"{without}: {find_test(data)}"
    return f"To test it: {find_test(data)}"


def _find_tested(data: DataSummary) -> list[ClassSize]:
    """Classes that a sample, or group, can be left out of."""
    return [one for one in data.classes if one.label not in data.single]


def find_test(data: DataSummary | None) -> str:
    """What to type, or to call, for a permutation test."""
    if data is not None and data.kind == "volumes":
        return "fewest brain with its page and --permutations N, or generate_report in Python"
    if data is None or data.file is None:
        return "fewest.diagnostics.diagnose"
    if data.in_blocks:
        return "fewest diagnose, with a table of these samples that fits in memory"
    labels = [str(one.label) for one in _find_tested(data)]
    only = ["--only", *labels] if data.single else []
    return write_command("diagnose", data.file, [*data.reading, *only])


def write_command(command: str, file: str, options: Sequence[str]) -> str:
    """A command on a file, as one types it; `options` say how to read the file, among others."""
    name = f"./{file}" if file.startswith("-") else file
    return f"fewest {command} {shlex.join(map(visible, [name, *options]))}"
