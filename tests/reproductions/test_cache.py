"""Results are kept by content: what changes is computed again, what does not is not."""

import importlib.util
import sys
from functools import partial

import pytest

from reproductions import cache, run
from reproductions.study import Cell, Measured, Published, Study

SOURCE = """
FACTOR = {factor}
WHY = "{why}"


def scale(number):
    return FACTOR * number


def measure(number, quick):
    return {{"result": scale(number)}}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "FOLDER", tmp_path / "cache")
    monkeypatch.setattr(cache, "_digest_package", lambda: "package")
    return tmp_path


def load_module(folder, factor=2, why="none"):
    """A module with a function to run, loaded as if the program had been started again."""
    path = folder / "toy_module.py"
    path.write_text(SOURCE.format(factor=factor, why=why))
    spec = importlib.util.spec_from_file_location("toy_module", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["toy_module"] = module
    spec.loader.exec_module(module)
    cache._parse.cache_clear()
    cache._digest.cache_clear()
    return module


def keep(cell, value=1.0, quick=False, data=None):
    cache.save(cell, quick, data or {}, {"result": Measured(value, 0.5, 3)})


def test_what_was_kept_comes_back(folder):
    cell = Cell("cell", partial(load_module(folder).measure, 3))
    assert cache.load(cell, False, {}) is None
    keep(cell)
    assert cache.load(cell, False, {}) == {"result": Measured(1.0, 0.5, 3)}


def test_another_argument_is_another_result(folder):
    module = load_module(folder)
    keep(Cell("cell", partial(module.measure, 3)))
    assert cache.load(Cell("cell", partial(module.measure, 4)), False, {}) is None


def test_quick_and_full_are_kept_apart(folder):
    cell = Cell("cell", partial(load_module(folder).measure, 3))
    keep(cell, quick=True)
    assert cache.load(cell, False, {}) is None


def test_a_constant_behind_the_function_changes_it(folder):
    keep(Cell("cell", partial(load_module(folder).measure, 3)))
    changed = load_module(folder, factor=5)
    assert cache.load(Cell("cell", partial(changed.measure, 3)), False, {}) is None


def test_names_numbers_and_sentences_of_the_study_do_not_change_it(folder):
    keep(Cell("cell", partial(load_module(folder).measure, 3)))
    changed = load_module(folder, why="found out")
    cell = Cell("another name", partial(changed.measure, 3), {"result": Published(7.0)})
    assert cache.load(cell, False, {}) is not None


def test_changed_data_and_a_changed_package_change_it(folder, monkeypatch):
    cell = Cell("cell", partial(load_module(folder).measure, 3), data=("numbers",))
    file = folder / "numbers.npz"
    file.write_bytes(b"first")
    keep(cell, data={"numbers": file})
    assert cache.load(cell, False, {"numbers": file}) is not None
    file.write_bytes(b"second")
    cache._digest.cache_clear()
    assert cache.load(cell, False, {"numbers": file}) is None
    keep(cell, data={"numbers": file})
    monkeypatch.setattr(cache, "_digest_package", lambda: "another package")
    assert cache.load(cell, False, {"numbers": file}) is None


def test_code_of_other_modules_here_is_followed():
    """A study that uses a function of another module depends on it, and on what that one uses."""
    module = cache.ROOT / "klement_soft.py"
    code = "\n".join(cache._trace(module, "measure", set()))
    assert "SeedSequence" in code  # in helpers.seed_run
    assert "from_runs" in code  # in study.Measured, by helpers.average
    assert "twinx" not in code  # drawing


def test_a_study_is_computed_once(folder):
    calls = folder / "calls"
    calls.mkdir()

    def measure(number, quick):
        (calls / f"{number}").touch(exist_ok=False)
        return {"result": number}

    study = Study("toy", "title", "source", [Cell("one", partial(measure, 1))])
    first = run.compute(study, quick=False, n_jobs=1)
    assert run.compute(study, quick=False, n_jobs=1) == first == {"one": {"result": Measured(1.0)}}
    more = Study("toy", "title", "source", [*study.cells, Cell("two", partial(measure, 2))])
    assert list(run.compute(more, quick=False, n_jobs=1)) == ["one", "two"]
