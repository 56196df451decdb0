"""`fewest diagnose`: the summary, its JSON, and its errors."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fewest.diagnostics import diagnose
from tests.tables.samples import two_classes, write_csv

SHORT = ("--permutations", 19, "--cv", 3)


@pytest.fixture
def diagnosed(run, table):
    def call(*arguments):
        return run("diagnose", table, "--target", "group", *SHORT, *arguments)

    return call


def test_says_what_the_library_says(diagnosed):
    X, y = two_classes()
    ran = diagnosed("--seed", 3)
    assert ran.code == 0
    found = diagnose(X, y, n_permutations=19, cv=3, random_state=3)
    main, _, rest = found.summary.partition("\n\nWhat to know about these data\n")
    assert main in ran.out
    assert "hubs" not in ran.out
    assert rest not in ran.out
    assert found.summary in diagnosed("--seed", 3, "--verbose").out
    assert "as far as so few permutations can show" in ran.out  # 19 show no more
    assert ran.out.startswith("Data ")
    assert "Time: reading" in ran.out


def test_json(diagnosed, tmp_path):
    report = diagnosed("--json", "-").json
    assert (report["schema"], report["schema_version"]) == ("fewest.result", 1)
    found = report["trust"]["diagnostics"]
    assert found["conclusive"] is True
    features, error = found["test"]["comparisons"]
    assert error["p_value"] <= 0.05
    assert (features["statistic"], error["statistic"]) == ("features", "error")
    assert len(features["chance"]) == found["test"]["n_permutations"] == 19
    assert found["leave_one_out"]["verdict"] in ("zero", "close", "pessimistic")
    assert found["distances"]["p"] == 2
    assert set(found["norm_variation"]) == {"1", "2"}
    file = tmp_path / "diagnosis.json"
    ran = diagnosed("--json", file)
    assert f"Written: {file}" in ran.out
    assert json.loads(file.read_text())["trust"]["diagnostics"] == found


def test_noise_and_quiet(run, tmp_path):
    X, y = np.random.default_rng(0).standard_normal((20, 200)), np.arange(20) % 2
    np.savez(tmp_path / "noise.npz", X=X, y=y)
    ran = run("diagnose", tmp_path / "noise.npz", *SHORT, "--quiet")
    assert ran.out == "Nothing can be concluded from these data.\n"
    ran = run("diagnose", tmp_path / "noise.npz", "--permutations", 9, "--cv", 0, "--json", "-")
    (comparison,) = ran.json["trust"]["diagnostics"]["test"]["comparisons"]
    assert comparison["statistic"] == "features"


def test_small_class(run, tmp_path):
    X, y = two_classes()
    kept = np.concatenate([np.flatnonzero(y == y[0])[:6], np.flatnonzero(y != y[0])[:2]])
    file = write_csv(tmp_path / "small.csv", X[kept], y[kept])
    ran = run("diagnose", file, "--target", "group", *SHORT)
    assert "2 folds instead of 3: class 'ill' has only 2 samples" in ran.out
    file = write_csv(tmp_path / "smaller.csv", X[kept[:-1]], y[kept[:-1]])
    ran = run("diagnose", file, "--target", "group", *SHORT)
    assert ran.code == 2
    assert "diagnose needs at least two classes with two samples each" in ran.err


def test_keeps_the_data(diagnosed, table):
    ran = diagnosed("--json", table)
    assert ran.code == 2
    assert "would replace the data" in ran.err


def test_bad_number(diagnosed):
    assert "must be 1 or more" in diagnosed("--permutations", "0").err
