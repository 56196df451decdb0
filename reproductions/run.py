"""Compute studies, with progress and from the cache, and write CSV files, figures and the page."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from joblib import Parallel, delayed
from tqdm import tqdm

from benchmarks.real_files import find
from fewest._run.files import atomic_write
from reproductions import cache
from reproductions.study import Cell, Comparison, Measured, Study, compare

RESULTS = Path(__file__).resolve().parent / "results"
Results = Mapping[str, Mapping[str, Measured]]


def compute(study: Study, *, quick: bool, n_jobs: int) -> Results:
    """Our numbers of all cells that can be computed, from the cache where nothing has changed."""
    ready, missing = {}, []
    absent = _list_absent(study)
    for cell in study.cells:
        if absent.intersection(cell.packages):
            continue
        data = {name: find(name) for name in cell.data}
        if None in data.values():
            continue
        known = cache.load(cell, quick, data)
        if known is None:
            missing.append((cell, data))
        else:
            ready[cell.name] = known
    jobs = (delayed(_compute_cell)(cell, quick) for cell, _ in missing)
    found = Parallel(n_jobs=n_jobs, return_as="generator")(jobs)
    bar = tqdm(found, study.name, total=len(missing), unit="cell", leave=False)
    for (cell, data), ours in zip(missing, bar, strict=True):
        cache.save(cell, quick, data, ours)
        ready[cell.name] = ours
    return {cell.name: ready[cell.name] for cell in study.cells if cell.name in ready}


def _list_absent(study: Study) -> set[str]:
    """Packages of its cells that are not installed, each with a printed line."""
    wanted = dict.fromkeys(package for cell in study.cells for package in cell.packages)
    absent = [package for package in wanted if find_spec(package) is None]
    for package in absent:
        print(
            f"{study.name}: skipped what needs the package {package}, which is not installed "
            "(pip install 'fewest[reproduce]')"
        )
    return set(absent)


def _compute_cell(cell: Cell, quick: bool) -> dict[str, Measured]:
    found = cell.run(quick)
    return {
        label: one if isinstance(one, Measured) else Measured(float(one))
        for label, one in found.items()
    }


def list_comparisons(study: Study, results: Results) -> list[Comparison]:
    """Every number of the study that could be computed."""
    cells = {cell.name: cell for cell in study.cells}
    return [one for name, ours in results.items() for one in compare(cells[name], ours)]


def write(study: Study, results: Results, folder: Path = RESULTS) -> None:
    """The comparison as CSV, and the figure where the study has one."""
    folder.mkdir(parents=True, exist_ok=True)
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["cell", "quantity", "paper", "ours", "sd", "runs", "allowed", "agrees", "why"])
    for one in list_comparisons(study, results):
        table.writerow([one.cell, one.label, *_numbers(one), _reason(study, one)])
    atomic_write(folder / f"{study.name}.csv", text.getvalue())
    if study.draw is not None and results:
        _draw(study.draw, results, folder / f"{study.name}.png")


def _numbers(one: Comparison) -> list[Any]:
    ours = [f"{one.ours.value:.6g}", f"{one.ours.sd:.4g}", one.ours.runs]
    if one.paper is None:
        return ["", *ours, "", ""]
    return [one.paper.value, *ours, f"{one.allowed:.3g}", "yes" if one.agrees else "no"]


def _reason(study: Study, one: Comparison) -> str:
    return study.explain(one.cell, one.label) if one.agrees is False else ""


def _draw(draw: Any, results: Results, path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    draw(figure, results)
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=90)
    atomic_write(path, image.getvalue())


def summarize(study: Study, comparisons: Sequence[Comparison]) -> str:
    """One line: how many of the published numbers agree."""
    published = [one for one in comparisons if one.agrees is not None]
    agreeing = sum(bool(one.agrees) for one in published)
    skipped = "" if comparisons else "  (its data are missing)"
    share = f"{agreeing} of {len(published)} agree" if published else "nothing published to compare"
    return f"{study.name:<32} {share}{skipped}"
