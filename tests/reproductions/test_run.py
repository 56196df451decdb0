"""The CSV files, the figure, the page and the command, from toy studies."""

import csv
from dataclasses import replace
from functools import partial

import pytest

from reproductions import __main__ as command
from reproductions import cache, page, run
from reproductions.catalogue import STUDIES
from reproductions.study import Cell, Measured, Published, Study


def measure(number, quick):
    return {"size": Measured(number, 0.5, 4), "error": 0.25, "seconds": 1.0}


def draw(figure, results):
    figure.subplots().plot([numbers["size"].value for numbers in results.values()])


PUBLISHED = {"size": Published(2.0, 1, 4), "error": Published(0.1, 1)}


@pytest.fixture
def toy():
    return Study(
        "toy",
        "A toy",
        "Somebody (2000), table 1",
        [Cell("small", partial(measure, 2.0), PUBLISHED), Cell("large", partial(measure, 9.0))],
        why={"small: error": "The toy errs more often."},
        notes="Toys only.",
        draw=draw,
    )


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "FOLDER", tmp_path / "cache")


def test_csv_has_every_number(toy, tmp_path):
    run.write(toy, run.compute(toy, quick=True, n_jobs=1), tmp_path)
    with (tmp_path / "toy.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["cell"], row["quantity"], row["agrees"]) for row in rows] == [
        ("small", "size", "yes"),
        ("small", "error", "no"),
        ("small", "seconds", ""),
        ("large", "size", ""),
        ("large", "error", ""),
        ("large", "seconds", ""),
    ]
    assert rows[0] | {"allowed": ""} == {
        "cell": "small",
        "quantity": "size",
        "paper": "2.0",
        "ours": "2",
        "sd": "0.5",
        "runs": "4",
        "allowed": "",
        "agrees": "yes",
        "why": "",
    }
    assert float(rows[0]["allowed"]) == pytest.approx(0.05 + 2 * 0.5 * 0.5**0.5, abs=0.005)
    assert rows[1]["why"] == "The toy errs more often."
    assert (tmp_path / "toy.png").read_bytes().startswith(b"\x89PNG")


def test_page_shows_numbers_reasons_and_figure(toy, tmp_path):
    results, docs = tmp_path / "results", tmp_path / "docs"
    docs.mkdir()
    run.write(toy, run.compute(toy, quick=True, n_jobs=1), results)
    page.write([toy], results, docs)
    text = (docs / "reproductions.md").read_text()
    assert "| [A toy](#toy) | Somebody (2000), table 1 | 1 of 2 |" in text
    assert "| all | | 1 of 2 |" in text
    assert "| small | size | 2.0 | 2 |" in text
    assert "*small: error*: The toy errs more often." in text
    assert "Toys only." in text
    assert (docs / "_static" / "reproductions" / "toy.png").exists()
    assert "![A toy](_static/reproductions/toy.png)" in text


def test_page_says_that_a_difference_is_unexplained(toy, tmp_path):
    plain = Study(toy.name, toy.title, toy.source, toy.cells)
    run.write(plain, run.compute(plain, quick=True, n_jobs=1), tmp_path)
    page.write([plain], tmp_path, tmp_path)
    assert "*small: error*: not explained yet." in (tmp_path / "reproductions.md").read_text()


def test_studies_without_data_are_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("FEWEST_DATA", str(tmp_path))
    study = Study("absent", "Absent", "nowhere", [Cell("cell", partial(measure, 1.0), {}, ("no",))])
    results = run.compute(study, quick=True, n_jobs=1)
    assert results == {}
    assert "data are missing" in run.summarize(study, run.list_comparisons(study, results))


def test_cells_whose_package_is_not_installed_are_left_out(capsys):
    cells = [
        Cell("here", partial(measure, 1.0), packages=("json",)),
        Cell("there", partial(measure, 1.0), packages=("no_such_package",)),
    ]
    results = run.compute(Study("some", "Some", "nowhere", cells), quick=True, n_jobs=1)
    assert list(results) == ["here"]
    line = "some: skipped what needs the package no_such_package, which is not installed"
    assert line in capsys.readouterr().out


def test_a_whole_name_is_no_beginning(toy, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "STUDIES", [toy, replace(toy, name="toy_2")])
    for given, expected in [("toy", ["toy"]), ("toy_2", ["toy_2"]), ("to", ["toy", "toy_2"])]:
        command.main([given, "--list"])
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[0] for line in lines] == expected


def test_command_runs_studies_by_the_beginning_of_their_names(toy, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "STUDIES", [toy])
    assert command.main(["to", "--quick", "--jobs", "1", "--results", str(tmp_path)]) == 0
    assert "1 of 2 agree" in capsys.readouterr().out
    assert (tmp_path / "toy.csv").exists()


def test_command_prints_the_seconds_of_each_study_and_of_all(toy, tmp_path, monkeypatch, capsys):
    other = replace(toy, name="other")
    ticks = iter([0.0, 1.0, 3.5, 4.0, 10.0, 11.0])
    monkeypatch.setattr(command, "STUDIES", [toy, other])
    monkeypatch.setattr(command, "perf_counter", lambda: next(ticks))
    assert command.main(["--quick", "--jobs", "1", "--results", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["toy", "other", "all"]
    assert [line.split()[-2:] for line in lines] == [["2.5", "s"], ["6.0", "s"], ["11.0", "s"]]


def test_command_names_what_there_is(capsys):
    with pytest.raises(SystemExit):
        command.main(["nothing"])
    assert "klement2013_table1, " in capsys.readouterr().err
    assert command.main(["--list"]) == 0
    assert "thesis_fig_4_17" in capsys.readouterr().out


def test_catalogue_is_consistent():
    names = [study.name for study in STUDIES]
    assert len(set(names)) == len(names)
    for study in STUDIES:
        cells = [cell.name for cell in study.cells]
        assert len(set(cells)) == len(cells), study.name
        labels = [f"{cell.name}: {label}" for cell in study.cells for label in cell.published]
        for start in study.why:
            assert any(label.startswith(start) for label in labels), (study.name, start)


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("klement2013_table1", "n = 20, 10 noise features"),
        ("klement2010_table1", "n = 50, 8 noise features"),
        ("klement2013_fig2", "many relevant, C = 0.01"),
    ],
)
def test_small_cells_run_and_have_all_published_numbers(name, cell):
    study = next(one for one in STUDIES if one.name == name)
    small = Study(name, study.title, study.source, [c for c in study.cells if c.name == cell])
    results = run.compute(small, quick=True, n_jobs=1)
    found = run.list_comparisons(small, results)
    assert found
    assert all(one.ours.runs > 1 for one in found)


@pytest.mark.slow
def test_all_studies_run_quickly(tmp_path):
    assert command.main(["--quick", "--jobs", "2", "--results", str(tmp_path)]) == 0
    assert {path.stem for path in tmp_path.glob("*.csv")} == {study.name for study in STUDIES}
