"""`fewest panel`: what it prints and writes, where features come from, and its errors."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from fewest.panels import _study, panel_report, points_score
from tests.panels.test_panel_report import make_data

NAMES = [f"g{place}" for place in range(6)]
SHORT = ("--cv", 2, "--repeats", 1, "--random", 2, "--stand-ins", 1, "--permutations", 19)


def write(path, X, y, names=NAMES, target="kind", **more):
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([target, *more, *names])
        for place, (label, values) in enumerate(zip(y, X, strict=True)):
            rows.writerow([label, *(column[place] for column in more.values()), *values])
    return path


@pytest.fixture
def first(tmp_path):
    return write(tmp_path / "first.csv", *make_data())


@pytest.fixture
def judged(run, first):
    def call(*arguments, features="g0,g1"):
        named = () if features is None else ("--features", features)
        return run("panel", first, "--target", "kind", *named, *SHORT, *arguments)

    return call


def test_says_what_the_library_says(judged, tmp_path):
    X2, y2 = make_data(seed=5)
    second = write(tmp_path / "second.csv", X2, y2)
    ran = judged("--against", second, "--seed", 2, features="g1, g0")
    assert ran.code == 0, ran.err
    X, y = make_data()
    found = panel_report(
        X,
        y,
        ["g1", "g0"],
        feature_names=NAMES,
        cv=2,
        n_repeats=1,
        n_random=2,
        n_stand_ins=1,
        n_permutations=19,
        against=(X2, y2, NAMES),
        random_state=2,
    )
    assert all(block in ran.out for block in str(found).split("\n\n"))
    assert ran.out.startswith("Data ")
    assert "Time: reading" in ran.out


@pytest.mark.parametrize(
    ("at", "options", "missing"),
    [
        ("fewest.panels._report.carry_over", ["--against"], "the second data, the other panels"),
        ("fewest.panels._report.draw_random_panels", [], "the other panels"),
        (
            "fewest.panels._report.judge_chooser",
            ["--choose", "--chosen-elsewhere"],
            "the choice in every fold, the other panels",
        ),
        ("fewest.panels.points_score", ["--points"], "the points, the other panels"),
    ],
)
def test_its_own_errors_come_before_the_rest(run, tmp_path, monkeypatch, at, options, missing):
    """Ctrl-C in what follows loses nothing of what is known of the panel itself."""

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    X, y = make_data(n_classes=2)
    first, file = write(tmp_path / "two.csv", X, y), tmp_path / "out.json"
    asked = ("panel", first, "--target", "kind", "--features", "g0,g1", *SHORT, "--seed", 2)
    asked += (*options, *([first] if "--against" in options else []))
    whole = run(*asked, "--json", "-").json
    monkeypatch.setattr(at, interrupt)
    ran = run(*asked, "--json", file, "--report", tmp_path / "page.html")
    assert ran.code == 130
    assert f"fewest: not finished: {missing}, the page." in ran.err
    assert "Balanced error" in ran.out
    assert "it adds" in ran.out
    found = json.loads(file.read_text())
    for part in ("as_given", "classifier", "n_folds"):
        assert found["panel"][part] == whole["panel"][part]
    assert [one["adds"] for one in found["panel"]["features"]] == [
        one["adds"] for one in whole["panel"]["features"]
    ]
    assert "the other panels: it was not finished" in found["panel"]["left_out"][-1]
    assert not (tmp_path / "page.html").exists()
    if "--against" in options:
        assert found["verdict"]["text"].endswith(
            "Not finished yet: the second data, the other panels"
        )
    if "--choose" in options:
        return  # that error is the result
    brief = run(*asked, "--quiet")
    assert (brief.code, brief.out) == (
        130,
        f"{whole['panel']['errors']['balanced_error']:.4f} "
        "(optimistic if the panel was chosen on these samples)\n",
    )


def test_nothing_is_computed_twice(judged, monkeypatch):
    """Neither the errors of the panel and without each feature, nor the permutations."""
    calls = []

    def count(name):
        compute = getattr(_study, name)
        monkeypatch.setattr(_study, name, lambda *a, **k: (calls.append(name), compute(*a, **k))[1])

    for name in ("judge_columns", "predict_columns", "measure_given_others"):
        count(name)
    ran = judged("--random", 0, "--stand-ins", 0)
    assert ran.code == 0, ran.err
    assert calls == ["judge_columns", "predict_columns", "predict_columns", "measure_given_others"]


def test_what_did_not_fit_into_the_time_is_said_once(judged):
    ran = judged("--max-seconds", 1e-6)
    assert ran.code == 0, ran.err
    for what in ("19 of 19 permutations for p-values", "the best panel", "stand-ins"):
        assert ran.out.count(f"Left out: {what} did not fit into the time for this panel") == 1
    assert "p: given the others" not in ran.out
    assert "it adds" in ran.out


def test_files(judged, tmp_path):
    files = {name: tmp_path / f"out.{name}" for name in ("json", "html", "png")}
    ran = judged("--json", files["json"], "--report", files["html"], "--plot", files["png"])
    assert ran.code == 0, ran.err
    for file in files.values():
        assert str(file) in ran.out
    result = json.loads(files["json"].read_text())
    assert (result["schema"], result["command"]) == ("fewest.panel", "panel")
    assert result["panel"]["names"] == ["g0", "g1"]
    assert result["data"]["n_samples"] == 60
    assert result["options"]["features"] == "g0,g1"
    assert "A panel, judged" in files["html"].read_text(encoding="utf-8")
    assert files["png"].read_bytes().startswith(b"\x89PNG")
    report = tmp_path / "report.json"
    assert judged("--report", report).code == 0
    assert json.loads(report.read_text())["panel"] == result["panel"]


def test_quiet_prints_the_error(judged):
    few = ("--random", 0, "--stand-ins", 0)
    whole = judged("--json", "-", *few).json["panel"]["errors"]["balanced_error"]
    mark = "optimistic if the panel was chosen on these samples"
    assert judged("--quiet", *few).out == f"{whole:.4f} ({mark})\n"
    assert judged("--quiet", "--chosen-elsewhere", *few).out == f"{whole:.4f}\n"


def test_names_from_a_file(judged, tmp_path):
    file = tmp_path / "names.txt"
    file.write_text("g1\n\n g0 \n")
    result = judged("--features-from", file, "--json", "-", features=None).json
    assert result["panel"]["names"] == ["g1", "g0"]


def test_names_and_choice_from_a_result(run, first, judged, tmp_path):
    file = tmp_path / "result.json"
    chosen = ("--target", "kind", "--max-features", 2, "--cv", 0)
    assert run("select", first, *chosen, "--json", file).code == 0
    few = ("--resamples", 2, "--choose", "--json", "-")
    result = judged("--features-from", file, *few, features=None).json["panel"]
    assert result["names"] == json.loads(file.read_text())["answer"]["selected"]
    assert result["choice"]["sizes"] == [2, 2]
    assert result["statements"]["n_resamples"] == 2
    # The machine is the one that chooses the best panel of this size, too.
    assert result["best"] == result["choice"]
    again = tmp_path / "panel.json"
    again.write_text(json.dumps({"schema": "fewest.panel", "panel": {"names": ["g0", "g1"]}}))
    names = judged("--features-from", again, "--json", "-", features=None).json["panel"]["names"]
    assert names == ["g0", "g1"]


def test_choose_by_the_options(judged):
    few = ("--resamples", 2, "--choose", "--json", "-")
    panel = judged(*few).json["panel"]
    assert max(panel["choice"]["sizes"]) == 2  # as many as the panel has
    other = judged(*few, "--method", "liknon", "--C", 1).json["panel"]
    assert other["choice"]["method"] != panel["choice"]["method"]


def test_choose_by_rules(run, first, judged, tmp_path):
    few = ("--resamples", 2, "--choose", "--json", "-", "--random", 0, "--stand-ins", 0)
    panel = judged(*few, "--exclude", "g0")
    assert panel.json["panel"]["choice"]["folds_with"][0] == 0
    file = tmp_path / "result.json"
    chosen = ("--target", "kind", "--max-features", 2, "--include", "g5", "--cv", 0)
    assert run("select", first, *chosen, "--json", file).code == 0
    result = judged("--features-from", file, *few, features=None).json["panel"]
    assert result["choice"]["folds_with"][result["names"].index("g5")] == 2


def test_groups_column(run, tmp_path):
    X, _ = make_data()
    patient = np.arange(60) // 4
    y = np.array(["a", "b", "c"])[patient % 3]
    file = write(tmp_path / "visits.csv", X, y, patient=patient)
    second = write(tmp_path / "second.csv", X, y)  # which has no such column
    arguments = ("--features", "g0", "--groups", "patient", "--against", second, "--json", "-")
    ran = run("panel", file, "--target", "kind", *SHORT, *arguments)
    assert ran.code == 0, ran.err
    assert ran.json["panel"]["n_groups"] == 15


def test_a_second_file_with_the_same_samples_tests_nothing(judged, tmp_path):
    X, y = make_data()
    order = np.random.default_rng(0).permutation(60)
    second = write(tmp_path / "second.csv", X[order].round(4), y[order])
    page = tmp_path / "page.html"
    ran = judged("--against", second, "--report", page)
    said = "60 of its 60 samples are also in the first data set"
    assert f"Not tested against chance: the error on the second data is optimistic: {said}" in (
        " ".join(ran.out.split())
    )
    assert page.read_text().count(said) == 2
    found = judged("--against", second, "--json", "-").json
    assert found["verdict"]["status"] == "not tested"
    assert found["panel"]["against"]["n_equal"] == 60


def test_second_file_needs_only_the_features(judged, tmp_path):
    X2, y2 = make_data(seed=5)
    words = np.array(["x", "y"])[np.arange(60) % 2]
    names = ["g0", "G1.", *"cdef"]
    second = write(tmp_path / "second.csv", X2, y2, names, comment=words)
    found = judged("--against", second, "--json", "-").json["panel"]["against"]
    assert found["features"] == ["g0"]
    assert found["missing"] == [{"name": "g1", "near": ["G1."]}]


def test_missing_cells_of_the_second_file(judged, tmp_path):
    X2, y2 = make_data(seed=5)
    X2 = X2.astype(object)
    X2[3, 0] = ""
    second = write(tmp_path / "second.csv", X2, y2)
    assert "--missing" in judged("--against", second).err
    ran = judged("--against", second, "--missing", "drop-samples", "--json", "-")
    assert ran.json["panel"]["against"]["n_samples"] == 59


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (None, "no panel is named"),
        (" , ", "--features names no feature"),
        ("g0,g0", "more than once"),
        ("g0,G3", "did you mean 'g3'"),
        ("zebra", "The first columns are: g0"),
    ],
)
def test_bad_features(judged, features, message):
    ran = judged(features=features)
    assert ran.code == 2
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_bad_files_with_features(judged, tmp_path):
    ran = judged("--features-from", tmp_path / "no.txt", features=None)
    assert "cannot be read" in ran.err
    assert "two panels are named" in judged("--features-from", tmp_path / "no.txt").err
    file = tmp_path / "names"
    for content, message in (
        (b"", "names no feature"),
        (b"\xff\xfe\x00", "is no text"),
        (b'{"schema": "fewest.result", "answer": null}', "holds no selection"),
        (b"{broken", "holds no selection"),
    ):
        file.write_bytes(content)
        ran = judged("--features-from", file, features=None)
        assert ran.code == 2
        assert message in ran.err


def test_bad_second_files(judged, tmp_path):
    X, y = make_data()
    file = tmp_path / "second.csv"
    ran = judged("--against", write(file, X, y, target="sort"))
    assert (ran.code, "has no column 'kind'" in ran.err) == (2, True)
    ran = judged("--against", write(file, X, np.where(y == "a", "aa", y)))
    assert (ran.code, "samples of 'aa', a class that the first" in ran.err) == (2, True)
    ran = judged("--against", write(file, X, ["a"] * 60))
    assert (ran.code, "only one class" in ran.err) == (2, True)
    ran = judged("--against", write(file, X, y, list("uvwxyz")))
    assert (ran.code, "has none of the features: g0, g1" in ran.err) == (2, True)
    ran = judged("--against", tmp_path / "no.csv")
    assert (ran.code, "does not exist" in ran.err) == (2, True)
    ran = judged("--against", write(file, X, y), "--json", file)
    assert "would replace the second data" in ran.err


def test_folds_are_needed(judged):
    ran = judged("--cv", 0)
    assert (ran.code, "without folds nothing can be judged" in ran.err) == (2, True)


def test_points(run, tmp_path):
    X, y = make_data(n_classes=2)
    first = write(tmp_path / "two.csv", X, y)
    files = {name: tmp_path / f"out.{name}" for name in ("json", "html")}
    asked = ("panel", first, "--target", "kind", "--features", "g1,g0", *SHORT, "--seed", 2)
    ran = run(*asked, "--points", 3, "--json", files["json"], "--report", files["html"])
    assert ran.code == 0, ran.err
    score = points_score(
        X, y, ["g1", "g0"], feature_names=NAMES, max_points=3, cv=2, random_state=2
    )
    assert str(score) in ran.out
    assert json.loads(files["json"].read_text())["points"] == json.loads(score.to_json())
    page = files["html"].read_text(encoding="utf-8")
    assert "Points for b" in page
    assert page.count("<h1") == 1
    assert ".points-card" in page
    assert run(*asked, "--points", "--json", files["json"]).code == 0
    assert json.loads(files["json"].read_text())["points"]["max_points"] == 5


def test_points_of_three_classes_are_refused(judged):
    ran = judged("--points")
    assert ran.code == 2
    assert "tells two classes apart, but the data have 3" in ran.err
    assert "--points: must be 1 or more" in judged("--points", 0).err


def test_classes_of_the_second_table_in_a_file_of_their_own(judged, run, tmp_path):
    X, y = make_data(seed=5)
    whole = judged("--against", write(tmp_path / "second.csv", X, y), "--json", "-").json
    ids = [f"s{place}" for place in range(len(y))]
    bare = tmp_path / "bare.csv"
    with bare.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", *NAMES])
        rows.writerows([name, *values] for name, values in zip(ids, X, strict=True))
    beside = tmp_path / "classes.csv"
    lines = [f"{name},{label}\n" for name, label in zip(ids, y, strict=True)]
    beside.write_text("id,kind\n" + "".join(reversed(lines)))
    given = ("--against", bare, "--against-classes", f"{beside}:kind", "--json", "-")
    found = judged(*given).json
    assert found["panel"]["against"] == whole["panel"]["against"]
    # Samples in columns, and the classes of both tables in one file.
    turned = tmp_path / "turned.tsv"
    table = [["gene", *ids], *([name, *column] for name, column in zip(NAMES, X.T, strict=True))]
    turned.write_text("\n".join("\t".join(map(str, row)) for row in table) + "\n")
    both = ("--classes", f"{beside}:kind", "--features", "g0,g1", *SHORT, "--json", "-")
    first = run("panel", turned, *both, "--against", turned)
    assert first.code == 0, first.err
    assert first.json["panel"]["against"]["n_samples"] == len(y)


def test_classes_without_a_second_table(judged):
    ran = judged("--against-classes", "classes.csv")
    assert ran.code == 2
    assert "Name it with --against." in ran.err


def test_the_page_begins_with_the_verdict(judged, tmp_path):
    page, result = tmp_path / "page.html", tmp_path / "result.json"
    ran = judged("--report", page, "--json", result)
    verdict = json.loads(result.read_text())["verdict"]
    assert verdict["status"] == "not tested"
    assert verdict["text"].startswith("Not tested against chance: ")
    assert verdict["text"] in ran.out
    header = page.read_text(encoding="utf-8").split("</header>")[0]
    start = header.index('<p class="verdict"><strong>Not tested against chance: ')
    assert start < header.index('class="facts"')
