"""Text tables, packed or not: damaged bytes, and cells, lines and headers of every odd kind."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from fewest.tables import read_table
from fuzzing.mutations import wording
from fuzzing.mutations.raw import damage
from fuzzing.outcome import require
from fuzzing.tables import NAMES, TARGET, check_file, run_command, small_table

_SUFFIXES = (".csv", ".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz")
_CELLS = (
    *("", " ", "NA", "nan", "inf", "-Infinity", "1e999", "1e308", "-1.7e308", "1e-400", "0x10"),
    *("1_000", "1,5", "1.5.2", "--1", "1 2", "ill", "healthy", "True", "None", "#REF!", "=1+1"),
    *("'", '"', '""', '"a', 'a"b', "\0", "\r", "\n", '"x\ny"', "\ufeff", "ä", "\u2028", "💥"),
    *("2020-01-01", "9" * 400, "x" * 200_000, "1" * 5000, "\ud800", "−1.5", "１２", "1e5e5"),
)
_ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252", "latin-1", "cp037")


def check(case: int, folder: Path) -> None:
    _check_damaged(case, folder)
    rng = random.Random(f"csv in other words {case}")
    if rng.random() < 0.1:
        rng.choice((_check_same, _check_same, _check_case, _check_ids, _check_gaps))(rng, folder)


def _check_damaged(case: int, folder: Path) -> None:
    rng = random.Random(f"csv {case}")
    path = folder / f"table{rng.choice(_SUFFIXES)}"
    transpose = rng.random() < 0.25
    table = _transposed() if transpose else _table()
    lines = [list(line) for line in table]
    ways = rng.randrange(4)
    if ways:
        for _ in range(rng.choice((1, 1, 2, 5))):
            rng.choice(_WAYS)(rng, lines)
    content = _write(rng, lines)
    if ways == 0 or rng.random() < 0.2:
        content = damage(rng, content)
    if path.suffix == ".gz":
        content = gzip.compress(content, mtime=0)
        if rng.random() < 0.5:
            content = damage(rng, content)
        elif rng.random() < 0.1:
            content += rng.choice((content, b"\0" * 100, b"garbage"))
    path.write_bytes(content)
    check_file(path, rng, transpose=transpose)


def _check_same(rng: random.Random, folder: Path) -> None:
    """The same values and classes, whatever they are written like."""
    path = folder / "same.csv"
    _write_plainly(path)
    wanted = read_table(path, TARGET)
    way = rng.choice((wording.as_percent, wording.with_blanks, wording.written_otherwise))
    _write_plainly(path, way, rng)
    found = read_table(path, TARGET)
    same = np.array_equal(found.X, wanted.X) and np.array_equal(found.y, wanted.y)
    require(same, f"{way.__name__}: other values or classes")
    require(list(found.feature_names) == NAMES, f"{way.__name__}: {found.feature_names}")


def _check_case(rng: random.Random, folder: Path) -> None:
    """Labels that differ in case are different classes, which is said, or one, if asked for."""
    path = folder / "case.csv"
    _write_plainly(path, wording.with_case, rng)
    found, folded = (read_table(path, TARGET, fold_case=fold) for fold in (False, True))
    require(any("--fold-case" in note for note in found.notes), f"nothing is said: {found.notes}")
    require(set(folded.y.tolist()) == {"healthy", "ill"}, f"classes {set(folded.y.tolist())}")


def _check_ids(rng: random.Random, folder: Path) -> None:
    """Patients with several samples: nobody leaves out samples of patients who stay."""
    path = folder / "ids.csv"
    _write_plainly(path, wording.with_repeated_ids, rng)
    command = ["select", str(path), "--target", TARGET, "--C", "1", "--cv", "2", "--quiet"]
    code, _ = run_command(command)
    require(code == 2, f"ids that repeat are no groups, and exit code {code}")
    code, _ = run_command([*command, "--groups", "patient"])
    require(code == 0, f"with groups: exit code {code}")


def _check_gaps(rng: random.Random, folder: Path) -> None:
    """What is predicted of a sample does not depend on the others in its file."""
    path, model, whole = folder / "gaps.csv", folder / "m.fewest", folder / "whole.csv"
    lines = _write_plainly(path, wording.with_gaps, rng)
    command = ["select", str(path), "--target", TARGET, "--missing", "median", "--C", "1"]
    code, _ = run_command([*command, "--cv", "2", "--quiet", "--model", str(model)])
    require(code == 0, f"missing values: exit code {code}")
    few = [lines[0], *rng.sample(lines[1:], rng.randrange(1, 6))]
    said: dict[str, tuple[str, list[float]]] = {}
    for chosen in (lines, few):
        path.write_text(_as_text(chosen))
        code, _ = run_command(
            ["predict", str(model), str(path), "--missing", "median", "--out", str(whole)]
        )
        require(code == 0, f"predict: exit code {code}")
        for line in whole.read_text().splitlines()[1:]:
            _, name, label, *numbers = line.split(",")
            first = said.setdefault(name, (label, list(map(float, numbers))))
            same = first[0] == label and np.allclose(first[1], list(map(float, numbers)))
            require(same, f"{name}: {first} became {line}")


def _write_plainly(
    path: Path,
    way: Callable[[random.Random, list[list[str]]], None] | None = None,
    rng: random.Random | None = None,
) -> list[list[str]]:
    lines = [list(line) for line in _table()]
    if way is not None and rng is not None:
        way(rng, lines)
    path.write_text(_as_text(lines))
    return lines


def _as_text(lines: list[list[str]]) -> str:
    return "".join(",".join(line) + "\n" for line in lines)


@cache
def _table() -> tuple[tuple[str, ...], ...]:
    X, y = small_table()
    rows = [
        (f"P{number}", *map(repr, x), label)
        for number, (x, label) in enumerate(zip(X.tolist(), y.tolist(), strict=True))
    ]
    return (("patient", *NAMES, TARGET), *rows)


@cache
def _transposed() -> tuple[tuple[str, ...], ...]:
    return tuple(zip(*_table(), strict=True))


def _write(rng: random.Random, lines: list[list[str]]) -> bytes:
    delimiter = rng.choice((",", ",", ",", "\t", ";", "|", " ", "::"))
    end = rng.choice(("\n", "\n", "\r\n", "\r"))
    text = end.join(delimiter.join(line) for line in lines) + rng.choice((end, "", end * 3))
    if delimiter == ";" and rng.random() < 0.5:
        text = text.replace(".", ",")
    encoding = rng.choice(_ENCODINGS) if rng.random() < 0.15 else "utf-8"
    return text.encode(encoding, errors="replace")


def _change_cell(rng: random.Random, lines: list[list[str]]) -> None:
    line = rng.choice(lines)
    if line:
        line[rng.randrange(len(line))] = rng.choice(_CELLS)


def _change_column(rng: random.Random, lines: list[list[str]]) -> None:
    place, cell = rng.randrange(8), rng.choice(_CELLS)
    for line in lines[rng.choice((0, 1)) :]:
        if place < len(line):
            line[place] = cell


def _change_line(rng: random.Random, lines: list[list[str]]) -> None:
    line = rng.choice(lines)
    line[:] = rng.choice(
        ([], [""], line * 2, line[:-1], line[:1], [*line, ""], [rng.choice(_CELLS)])
    )


def _move_lines(rng: random.Random, lines: list[list[str]]) -> None:
    match rng.randrange(5):
        case 0:
            del lines[rng.randrange(len(lines))]
        case 1:
            lines.insert(rng.randrange(len(lines)), list(rng.choice(lines)))
        case 2:
            rng.shuffle(lines)
        case 3 if len(lines) > 1:
            del lines[rng.randrange(1, len(lines)) :]
        case 4:
            lines.insert(0, ["# a remark"])
    if not lines:
        lines.append([""])


def _change_header(rng: random.Random, lines: list[list[str]]) -> None:
    header = lines[0]
    if header:
        header[rng.randrange(len(header))] = rng.choice((*header, "", "gene_1.1", "Unnamed: 0"))


_WAYS = (_change_cell, _change_cell, _change_column, _change_line, _move_lines, _change_header)
