"""Limits of time are kept within two seconds, however many samples and features there are."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import threading
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import fewest
from fewest import (
    FeatureSelectionConcave,
    Liknon,
    SupportFeatureMachine,
    UnionFeatureMachine,
    ZeroNormSVM,
    error_front,
    minimum_features,
    near_optimal_sets,
)
from fewest.cli import main
from fewest.cli._parser import build_parser, subcommands
from fewest.diagnostics import diagnose
from fewest.panels import feature_statements, panel_report
from fewest.report import make_report
from fewest.report._make import _Parts
from fewest.report._report import Report
from fewest.significance import permutation_test
from fewest.single_cell import select_panel

MOST_OVER = 2.0  # seconds
TOO_LATE = "no permutation was done|did not fit into the time|the time is up"
PRICES = {0: 2.0, 3: 5.0}


def seconds_over(limit: float, call: Callable[[], Any]) -> float:
    """How long a call goes on after its limit, as a computer with nothing else to do would see it.

    On the clock or in seconds of the processor, whichever is less: on a busy computer a second on
    the clock may hold little work.
    """
    at_limit: list[float] = []

    def look() -> None:
        late = time.perf_counter() - started - limit  # Python itself may have been held up
        at_limit.append(time.process_time() - max(0.0, late))

    timer = threading.Timer(limit, look)
    started = time.perf_counter()
    timer.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call()
    timer.cancel()
    timer.join()
    on_the_clock = time.perf_counter() - started - limit
    return min(on_the_clock, time.process_time() - at_limit[0]) if at_limit else 0.0


def draw(n: int, d: int, kind: str = "noise", n_classes: int = 2) -> tuple[Any, Any]:
    """Samples of labels that are noise, or the sum of five features, with noise or without."""
    rng = np.random.default_rng([n, d])
    X = rng.standard_normal((n, d))
    if kind == "sparse":
        X *= rng.random((n, d)) < 0.05
    if kind == "tied":
        X = np.outer(X[:, 0], np.arange(1.0, d + 1.0))
    if kind in ("noise", "sparse", "tied"):
        y = rng.permutation(np.arange(n) % n_classes)
        return (sparse.csr_matrix(X) if kind == "sparse" else X), y
    if kind == "ranges":  # of the first column, but for a few samples
        y = np.argsort(np.argsort(X[:, 0])) * n_classes // n
        y[:20] = rng.integers(0, n_classes, 20)
        return X, y
    z = X[:, :5].sum(axis=1) + (0.8 * rng.standard_normal(n) if kind == "errors" else 0.0)
    return X, np.digitize(z, np.quantile(z, np.arange(1, n_classes) / n_classes))


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """Load what is compiled: each way of searching once."""
    for n_classes in (2, 3):
        X, y = draw(24, 12, "errors", n_classes)
        for rules in ({}, {"feature_cost": PRICES}):
            minimum_features(X, y, max_seconds=5, **rules)
            minimum_features(X, y, max_seconds=5, max_errors=2, **rules)
            error_front(X, y, max_features=4, max_seconds=5, **rules)
            near_optimal_sets(X, y, max_seconds=5, **rules)


def search(
    function: Callable[..., Any], n: int, d: int, kind: str, n_classes: int, **settings: Any
) -> tuple[float, Callable[[], Any]]:
    limit = float(settings.pop("limit", 0.5))
    X, y = draw(n, d, kind, n_classes)
    return limit, lambda: function(X, y, max_seconds=limit, **settings)


SEARCHES = {
    "minimum, wide": (minimum_features, 60, 20_000, "noise", 2),
    "minimum, long": (minimum_features, 20_000, 20, "errors", 2),
    "minimum, three classes": (minimum_features, 300, 1_000, "signal", 3),
    "minimum, sparse": (minimum_features, 1_000, 2_000, "sparse", 2),
    "minimum, errors": (partial(minimum_features, max_errors=4), 300, 1_000, "errors", 2),
    "minimum, prices": (partial(minimum_features, feature_cost=PRICES), 400, 1_000, "signal", 2),
    "minimum, prices, errors, three classes": (
        partial(minimum_features, feature_cost=PRICES, max_errors=4), 200, 1_000, "errors", 3,
    ),
    "front": (error_front, 400, 1_000, "errors", 2),
    "front, four features": (partial(error_front, max_features=4), 100, 3_000, "signal", 2),
    "front, long": (error_front, 20_000, 20, "errors", 2),
    "front, many features": (partial(error_front, max_features=12), 200, 20, "noise", 2),
    "front, many features, three classes": (
        partial(error_front, max_features=20), 200, 60, "noise", 3,
    ),
    "front, many features, prices": (
        partial(error_front, max_features=20, feature_cost=PRICES), 200, 60, "noise", 2,
    ),
    "front, equal columns": (
        partial(error_front, max_features=1, n_solutions=None), 20_000, 20, "tied", 2,
    ),
    "minimum, errors, equal columns": (
        partial(minimum_features, max_errors=9_995, n_solutions=None), 20_000, 20, "tied", 2,
    ),
    "minimum, very many errors": (
        partial(minimum_features, max_errors=4_000), 20_000, 30, "errors", 2,
    ),
    "minimum, very many errors, three classes": (
        partial(minimum_features, max_errors=4_000), 20_000, 30, "errors", 3,
    ),
    "minimum, eight classes on a line": (
        partial(minimum_features, max_errors=30), 5_000, 2, "ranges", 8,
    ),
    "front, five classes on a line": (partial(error_front, max_features=1), 20_000, 2, "ranges", 5),
    "front, all sets": (partial(error_front, n_solutions=None), 200, 1_000, "noise", 2),
    "front, prices": (partial(error_front, feature_cost=PRICES), 200, 1_000, "errors", 2),
    "front, three classes": (error_front, 300, 1_000, "errors", 3),
    "near": (near_optimal_sets, 100, 1_000, "signal", 2),
    "near, three classes": (near_optimal_sets, 200, 500, "errors", 3),
}  # fmt: skip
HUGE = {
    "front, 400 x 2,000, two features": (
        partial(error_front, max_features=2, limit=2.0), 400, 2_000, "errors", 2,
    ),
    "minimum, 5,000 x 3,000": (partial(minimum_features, limit=1.0), 5_000, 3_000, "noise", 2),
    "minimum, 400 x 60,000": (partial(minimum_features, limit=3.0), 400, 60_000, "noise", 2),
    "front, 100 x 3,000, four features": (
        partial(error_front, max_features=4, limit=1.0), 100, 3_000, "errors", 2,
    ),
    "front that meets conflicts for long": (
        partial(error_front, limit=8.0), 168, 2_905, "errors", 2,
    ),
    "minimum, 400 x 60,000, prices, three classes": (
        partial(minimum_features, feature_cost=PRICES, limit=3.0), 400, 60_000, "noise", 3,
    ),
    "near, 3,000 x 300": (partial(near_optimal_sets, limit=3.0), 3_000, 300, "errors", 2),
    "near, 20,000 x 300": (partial(near_optimal_sets, limit=2.0), 20_000, 300, "noise", 2),
    "minimum, 60,000 x 100, prices": (
        partial(minimum_features, feature_cost=PRICES, limit=2.0), 60_000, 100, "noise", 2,
    ),
    "front, 60 x 60,000": (partial(error_front, limit=3.0), 60, 60_000, "errors", 2),
}  # fmt: skip


def check_search(function: Any, n: int, d: int, kind: str, n_classes: int) -> None:
    settings = dict(function.keywords) if isinstance(function, partial) else {}
    function = function.func if isinstance(function, partial) else function
    assert seconds_over(*search(function, n, d, kind, n_classes, **settings)) < MOST_OVER


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_ends(name: str) -> None:
    check_search(*SEARCHES[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", HUGE)
def test_a_search_of_large_data_ends(name: str) -> None:
    check_search(*HUGE[name])


def test_a_search_whose_decisions_take_long_ends() -> None:
    """A few hundred conflicts that many samples meet, which one by one take for ever."""
    X, y = draw(168, 400, "noise")
    limit = 1.0
    over = seconds_over(limit, lambda: error_front(X, y, max_features=3, max_seconds=limit))
    assert over < MOST_OVER


def test_thousands_of_pairs_that_separate_end_in_time() -> None:
    """One column and almost any other one separate: each of these pairs takes a program."""
    rng = np.random.default_rng(0)
    y = np.arange(26) % 2
    X = rng.standard_normal((26, 60_000))
    X[:, 0] = y + 0.1 * X[:, 0]
    X[0, 0] = 1.5
    limit = 0.5
    found: list[Any] = []
    for _ in range(2):  # what is compiled takes its time once
        found.clear()
        over = seconds_over(limit, lambda: found.append(minimum_features(X, y, max_seconds=limit)))
    assert over < MOST_OVER
    assert found[0].verify(X, y)


def fit(machine: Any, n: int, d: int) -> Callable[..., Any]:
    X, y = draw(n, d)
    return lambda limit: machine.set_params(max_seconds=limit).fit(X, y)


def report(limit: float) -> Any:
    X, y = draw(150, 1_500, "errors")
    machine = SupportFeatureMachine(C=2).fit(X, y)
    parts = ("permutation", "front", "minimum", "alternatives", "costs", "points")
    return lambda: make_report(machine, X, y, parts=parts, max_seconds=limit, random_state=0)


def select_cells(limit: float) -> Any:
    anndata = pytest.importorskip("anndata")
    X, y = draw(400, 3_000)
    cells = anndata.AnnData(np.abs(X))
    cells.obs["kind"] = [f"kind {label}" for label in y]
    # The limit is that of each fit: one on all cells, and two folds.
    return lambda: select_panel(cells, "kind", n_genes=5, max_seconds=limit / 3, cv=2)


SOFT = SupportFeatureMachine(C=1.0)
# Name of what has a limit: a call with the limit, made before the clock runs.
WITH_LIMIT: dict[str, Callable[[float], Callable[[], Any]]] = {
    "error_front": lambda limit: search(error_front, 60, 500, "errors", 2, limit=limit)[1],
    "minimum_features": lambda limit: search(minimum_features, 60, 500, "noise", 2, limit=limit)[1],
    "near_optimal_sets": lambda limit: search(
        near_optimal_sets, 60, 500, "noise", 2, limit=limit
    )[1],
    "SupportFeatureMachine": lambda limit: partial(
        fit(SupportFeatureMachine(C=np.inf, certify=True), 300, 3_000), limit
    ),
    "Liknon": lambda limit: partial(fit(Liknon(C=1.0), 600, 3_000), limit),
    "ZeroNormSVM": lambda limit: partial(fit(ZeroNormSVM(C=1.0), 600, 3_000), limit),
    "FeatureSelectionConcave": lambda limit: partial(
        fit(FeatureSelectionConcave(), 600, 3_000), limit
    ),
    "UnionFeatureMachine": lambda limit: partial(
        fit(UnionFeatureMachine(C=1.0), 600, 3_000), limit
    ),
    "permutation_test": lambda limit: partial(
        permutation_test, SOFT, *draw(200, 500), statistics=("features", "error"),
        n_permutations=999, max_seconds=limit, random_state=0,
    ),
    "diagnose": lambda limit: partial(
        diagnose, *draw(200, 2_000), n_permutations=999, max_seconds=limit, random_state=0
    ),
    "feature_statements": lambda limit: partial(
        feature_statements, SOFT, *draw(200, 500), max_seconds=limit, n_permutations=9,
    ),
    "panel_report": lambda limit: partial(
        panel_report, *draw(400, 1_000), [0, 1], estimator=SOFT, n_repeats=1,
        max_seconds=limit, random_state=0, n_permutations=9,
    ),
    "make_report": report,
    "select_panel": select_cells,
}  # fmt: skip
# What is not limited, and is measured without the limit first: (name, why).
BESIDES = {
    "diagnose": "the first fit and the geometry of the data",
    "panel_report": "the error, and what each feature adds",
}


def list_with_limit() -> set[str]:
    """Every public function and estimator that takes a number of seconds."""
    modules = ["fewest", *(f"fewest.{one.name}" for one in pkgutil.iter_modules(fewest.__path__))]
    found = set()
    for module in map(importlib.import_module, modules):
        if module.__name__.rpartition(".")[2].startswith("_"):
            continue
        for name in getattr(module, "__all__", ()):
            one = getattr(module, name)
            if not callable(one) or hasattr(one, "seconds") or name.startswith("_"):
                continue
            try:
                parameters = inspect.signature(one).parameters
            except ValueError:
                continue
            found |= {name for parameter in parameters if parameter == "max_seconds"}
    return found


def test_nothing_with_a_limit_lacks_a_case() -> None:
    assert list_with_limit() == set(WITH_LIMIT)


@pytest.mark.parametrize("name", WITH_LIMIT)
def test_the_limit_is_kept(name: str) -> None:
    limit = 1.0
    call, besides = WITH_LIMIT[name](limit), 0.0
    if name in BESIDES:  # that much has to be there without any limited part
        before = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            WITHOUT[name]()
        besides = time.process_time() - before

    def end() -> None:
        try:
            call()
        except ValueError as error:  # a busy computer may not have done anything by then
            if not re.search(TOO_LATE, str(error)):
                raise

    assert seconds_over(limit, end) < MOST_OVER + besides


QUICK_PANEL = {"n_repeats": 1, "n_random": 0, "n_stand_ins": 0, "best": False}
WITHOUT: dict[str, Callable[[], Any]] = {
    "diagnose": lambda: diagnose(*draw(200, 2_000), n_permutations=1, cv=None),
    "panel_report": lambda: panel_report(
        *draw(400, 1_000), [0, 1], n_permutations=9, **QUICK_PANEL
    ),
}  # fmt: skip


def test_points_of_many_samples_end_in_time() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((5_000, 15))
    y = (X.sum(axis=1) + 2.0 * rng.standard_normal(5_000) > 0.0).astype(int)
    machine, found = SupportFeatureMachine(C=2).fit(X, y), []

    def call() -> None:
        found.append(make_report(machine, X, y, parts=("points",), max_seconds=1.0, cv=2))

    assert seconds_over(1.0, call) < MOST_OVER
    (reason,) = (one.reason for one in found[0].content.left_out if one.part == "points")
    assert "did not fit into the time for this report" in reason


def test_permutations_of_features_end_in_time() -> None:
    X, y = draw(200, 20)
    found: list[Any] = []
    settings: Any = {**QUICK_PANEL, "n_permutations": 10**6, "max_seconds": 0.5}
    over = seconds_over(0.5, lambda: found.append(panel_report(X, y, [0, 1, 2], **settings)))
    assert over < MOST_OVER
    (report,) = found
    n_done = report.statements.n_permutations
    assert 0 < n_done < 10**6
    assert (
        f"{10**6 - n_done} of {10**6} permutations for p-values did not fit" in report.left_out[0]
    )


def test_folds_that_look_for_smallest_sets_share_the_time_of_the_page() -> None:
    X, y = draw(100, 2_000)
    minimum = minimum_features(X, y, max_seconds=1.0)
    over = seconds_over(1.0, lambda: make_report(minimum, X, y, max_seconds=1.0, random_state=0))
    assert over < MOST_OVER


@pytest.mark.parametrize("name", ["permutation_test", "feature_statements"])
def test_a_first_fit_that_takes_too_long_is_given_up(name: str) -> None:
    """Where not even one permutation or resample fits, that is said in time."""
    X, y = draw(1_500, 6_000)
    function: Any = {"permutation_test": permutation_test, "feature_statements": feature_statements}

    def call() -> None:
        with pytest.raises(ValueError, match=TOO_LATE):
            function[name](SOFT, X, y, max_seconds=0.2)

    assert seconds_over(0.2, call) < MOST_OVER


def test_permutations_that_advance_together_end_in_time() -> None:
    X, y = draw(60, 2_000)
    machine = SupportFeatureMachine(C=np.inf)
    found: list[Any] = []
    settings: Any = {"n_permutations": 20_000, "max_seconds": 1.0, "random_state": 0}
    over = seconds_over(1.0, lambda: found.append(permutation_test(machine, X, y, **settings)))
    assert over < MOST_OVER
    assert 1 <= found[0].n_permutations < 20_000


# Commands with options that limit seconds of work, and what makes each of them short or possible.
COMMANDS: dict[str, tuple[set[str], list[str]]] = {
    "select": ({"report_seconds"}, ["--C", "2", "--cv", "2"]),
    "path": ({"report_seconds"}, ["--cv", "2"]),
    "rank": ({"report_seconds"}, ["--subsets", "2"]),
    "informative": ({"report_seconds"}, ["--permutations", "1", "--cv", "2"]),
    "minimum": ({"report_seconds", "max_seconds"}, ["--max-seconds", "0.5"]),
    "panel": ({"max_seconds"}, ["--features", "x0,x1", "--max-seconds", "0.5"]),
    "diagnose": ({"report_seconds"}, ["--permutations", "1", "--cv", "2"]),
    "brain": ({"report_seconds"}, []),  # tests/cli/brain has images
    "demo": ({"report_seconds"}, []),  # has data of its own
}


def test_no_option_with_a_limit_lacks_a_case() -> None:
    found = {
        name: {one.dest for one in parser._actions if one.dest.endswith("_seconds")}
        for name, parser in subcommands(build_parser()).items()
    }
    assert {name: options for name, options in found.items() if options} == {
        name: options for name, (options, _) in COMMANDS.items()
    }


def mark_page(monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, float]]:
    """Clock and processor where the time of a page begins, and where the page is drawn."""
    marks: list[tuple[float, float]] = []
    drawn = Report.__dict__["html"]

    def mark() -> None:
        marks.append((time.perf_counter(), time.process_time()))

    def mark_before(name: str) -> None:
        begin = getattr(_Parts, name)
        monkeypatch.setattr(_Parts, name, lambda *a, **k: (mark(), begin(*a, **k))[1])

    mark_before("announce_folds")  # where folds count
    mark_before("plan_test")
    html = property(lambda report: (mark(), drawn.__get__(report, Report))[1])
    monkeypatch.setattr(Report, "html", html)
    return marks


@pytest.mark.parametrize(
    "name",
    [
        name if name == "select" else pytest.param(name, marks=pytest.mark.slow)
        for name, (options, _) in COMMANDS.items()
        if "report_seconds" in options and name != "brain"
    ],
)
def test_a_page_is_computed_within_its_seconds(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    X, y = draw(150, 1_500, "errors")
    np.savez(tmp_path / "data.npz", X=X, y=y)
    marks = mark_page(monkeypatch)
    given = [] if name == "demo" else [str(tmp_path / "data.npz"), *COMMANDS[name][1]]
    page = tmp_path / "page.html"
    assert main([name, *given, "--report", str(page), "--report-seconds", "1"]) == 0
    assert page.stat().st_size
    (began, _), (ended, _) = marks[0], marks[-1]
    busy = marks[-1][1] - marks[0][1]
    assert min(ended - began, busy) < 1.0 + MOST_OVER
    capsys.readouterr()


def test_a_panel_ends_by_its_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = draw(150, 600, "errors")
    np.savez(tmp_path / "data.npz", X=X, y=y)
    for name in ("panel", "minimum"):
        options = COMMANDS[name][1][:-2]
        began = time.process_time()
        main([name, str(tmp_path / "data.npz"), *options, "--max-seconds", "0.001"])
        least = time.process_time() - began  # reading, the error of the panel, checking proofs
        began = time.process_time()
        assert main([name, str(tmp_path / "data.npz"), *options, "--max-seconds", "1"]) in (0, 3)
        assert time.process_time() - began < least + 1.0 + MOST_OVER
    capsys.readouterr()
