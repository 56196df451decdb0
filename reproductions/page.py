"""The page of the documentation, from the CSV files of all studies."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Sequence
from pathlib import Path

from fewest._run.files import atomic_write
from reproductions.study import Study

DOCS = Path(__file__).resolve().parent.parent / "docs"
_HEAD = """# Reproductions

Published tables and figures beside what this package computes. `make reproduce` writes this page:
the papers' numbers are typed into `reproductions/`, ours never are. Two numbers agree if they
differ by no more than the paper's rounding and twice the standard error of the difference of the
two averages; the column "allowed" is that difference. The standard deviation of one run is ours, or
the paper's where it prints a larger one. So about one number in twenty-two would disagree by chance
alone.

"""


def write(studies: Sequence[Study], folder: Path, docs: Path = DOCS) -> None:
    """One section per study that has results; figures are copied beside the page."""
    kept = [(study, _read(folder / f"{study.name}.csv")) for study in studies]
    kept = [(study, rows) for study, rows in kept if rows]
    parts = [_HEAD, _summary(kept)]
    for study, rows in kept:
        picture = folder / f"{study.name}.png"
        if picture.exists():
            target = docs / "_static" / "reproductions" / picture.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(picture, target)
        parts.append(_section(study, rows, picture.exists()))
    atomic_write(docs / "reproductions.md", "".join(parts).rstrip() + "\n")


def _read(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _count(rows: list[dict[str, str]]) -> tuple[int, int]:
    compared = [row for row in rows if row["agrees"]]
    return sum(row["agrees"] == "yes" for row in compared), len(compared)


def _summary(kept: list[tuple[Study, list[dict[str, str]]]]) -> str:
    lines = ["| study | source | numbers that agree |\n|---|---|---|\n"]
    agreeing = total = 0
    for study, rows in kept:
        here, of = _count(rows)
        agreeing, total = agreeing + here, total + of
        share = f"{here} of {of}" if of else "ours only"
        lines.append(f"| [{study.title}](#{study.name}) | {study.source} | {share} |\n")
    lines.append(f"| all | | {agreeing} of {total} |\n\n")
    return "".join(lines)


def _section(study: Study, rows: list[dict[str, str]], has_picture: bool) -> str:
    parts = [f"({study.name})=\n## {study.title}\n\n{study.source}. "]
    parts.append(f"`python -m reproductions {study.name}`\n\n")
    if study.notes:
        parts.append(f"{study.notes}\n\n")
    if has_picture:
        parts.append(f"![{study.title}](_static/reproductions/{study.name}.png)\n\n")
    compared = [row for row in rows if row["agrees"]]
    if compared:
        parts.append(
            "| where | quantity | paper | ours | allowed | agrees |\n|---|---|---|---|---|---|\n"
        )
        parts += [
            f"| {row['cell']} | {row['quantity']} | {row['paper']} | {_short(row['ours'])} | "
            f"{row['allowed']} | {row['agrees']} |\n"
            for row in compared
        ]
        parts.append("\n")
    parts += _reasons(study, compared)
    alone = [row for row in rows if not row["agrees"]]
    if alone and not has_picture:
        parts.append("Without a published number:\n\n| where | quantity | ours |\n|---|---|---|\n")
        parts += [
            f"| {row['cell']} | {row['quantity']} | {_short(row['ours'])} |\n" for row in alone
        ]
        parts.append("\n")
    return "".join(parts)


def _reasons(study: Study, rows: list[dict[str, str]]) -> list[str]:
    """The sentences that say why numbers differ, each with the numbers it is about."""
    about: dict[str, list[str]] = {}
    for row in rows:
        if row["agrees"] == "no":
            why = study.explain(row["cell"], row["quantity"])
            about.setdefault(why, []).append(f"{row['cell']}: {row['quantity']}")
    return [
        f"*{'; '.join(places)}*: {why or 'not explained yet.'}\n\n" for why, places in about.items()
    ]


def _short(number: str) -> str:
    return f"{float(number):.4g}"
