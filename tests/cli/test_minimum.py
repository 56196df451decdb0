"""`fewest minimum`: report, JSON, and what it refuses."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from fewest import SupportFeatureMachine, error_front, minimum_features, near_optimal_sets
from fewest.report import make_report
from fuzzing.oracles.errors import tossed
from fuzzing.oracles.subsets import brute_force
from tests.tables.samples import NAMES, three_classes, write_csv


@pytest.fixture
def hidden(tmp_path):
    """A table in which three of 30 columns separate."""
    X = np.random.default_rng(0).standard_normal((22, 30))
    y = np.where(X[:, 7] + X[:, 11] - X[:, 20] > 0, "ill", "healthy")
    return write_csv(tmp_path / "hidden.csv", X, y)


def test_report(run, hidden):
    ran = run("minimum", hidden, "--target", "group")
    assert ran.code == 0
    assert ran.err == ""
    assert "22 samples, 30 features" in ran.out
    assert "Smallest set: 3 features, certified" in ran.out
    assert "Checked in exact arithmetic: these features separate the classes." in ran.out
    assert "linear programs  " not in ran.out
    ran = run("minimum", hidden, "--target", "group", "--verbose")
    assert "hold in exact arithmetic" in ran.out
    assert "linear programs  " in ran.out


def test_all_solutions_as_json(run, hidden):
    ran = run("minimum", hidden, "--target", "group", "--solutions", "all", "--json", "-")
    (report,) = ran.json["trust"]["minima"]
    assert (report["size"], report["lower_bound"]) == (3, 3)
    assert report["certified"]
    assert report["verified"]
    assert report["complete"]
    assert len(report["sets"]) == report["n_found"]
    assert [NAMES[column] for column in (7, 11, 20)] in [
        subset["features"] for subset in report["sets"]
    ]
    assert [step["size"] for step in report["searched"]] == [1, 2, 3]
    assert all(len(leaf["samples"]) == len(leaf["shares"]) for leaf in report["ruled_out"])


def test_json_file_and_quiet(run, hidden, tmp_path):
    file = tmp_path / "out.json"
    ran = run("minimum", hidden, "--target", "group", "--quiet", "--json", file)
    names = ran.out.split()
    assert json.loads(file.read_text())["trust"]["minima"][0]["sets"][0]["features"] == names
    assert len(names) == 3


def test_limits(run, hidden):
    ran = run("minimum", hidden, "--target", "group", "--max-size", 1, "--jobs", 1)
    assert "proven: at least 2" in ran.out
    assert "there may be more" in ran.out


def test_classes_that_overlap(run, tmp_path):
    X = np.ones((8, 2))
    X[:, 1] = [0, 1, 2, 3, 0, 1, 2, 3]
    path = write_csv(tmp_path / "same.csv", X, np.repeat(["a", "b"], 4), ["u", "v"])
    ran = run("minimum", path, "--target", "group")
    assert ran.code == 3
    assert "no set of features separates the classes without error" in ran.err


def test_more_than_two_classes(run, tmp_path):
    X, y = three_classes()
    path = write_csv(tmp_path / "three.csv", X, y)
    ran = run("minimum", path, "--target", "group", "--solutions", "all", "--json", "-")
    assert ran.code == 0
    (report,) = ran.json["trust"]["minima"]
    assert (report["size"], report["certified"], report["verified"]) == (2, True, True)
    assert report["positive_class"] is None
    assert report["inseparable"] == []
    size, subsets = brute_force(X, y)
    assert size == 2
    assert sorted(subset["columns"] for subset in report["sets"]) == [[*one] for one in subsets]


@pytest.mark.usefixtures("little_work")
def test_text_and_page_of_many_classes(run, tmp_path):
    path = write_csv(tmp_path / "three.csv", *three_classes())
    page = tmp_path / "page.html"
    ran = run("minimum", path, "--target", "group", "--report", page)
    assert ran.code == 0
    assert "Classes   1 (15), 2 (15), 3 (15)\n" in ran.out
    assert "Smallest set: 2 features for every two of the 3 classes, certified: no" in ran.out
    shown = " ".join(page.read_text().split())
    assert "2 features can separate each two of the classes without error" in shown


def test_which_of_many_classes_overlap(run, tmp_path):
    X, y = three_classes()
    X[np.flatnonzero(y == 3)[:5]] = X[np.flatnonzero(y == 2)[:5]]
    path = write_csv(tmp_path / "three.csv", X, y)
    ran = run("minimum", path, "--target", "group")
    assert ran.code == 3
    assert "no set of features separates these classes without error: 2 and 3." in ran.err
    assert "Merge such classes, or leave their samples out." in ran.err
    page = make_report(SupportFeatureMachine().fit(X, y), X, y, parts=("minimum",)).html
    shown = " ".join(re.sub("<[^>]*>", "", page).split())
    assert "No set of features separates 2 from 3 without error; this is proven." in shown


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--solutions", "some", "must be a whole number, not 'some'"),
        ("--max-seconds", "0", "must be a number above zero, or inf; not '0'"),
        ("--max-size", "0", "must be 1 or more, not '0'"),
    ],
)
def test_usage_errors(run, hidden, option, value, message):
    ran = run("minimum", hidden, "--target", "group", option, value)
    assert ran.code == 2
    assert message in ran.err


@pytest.fixture
def noisy(tmp_path):
    """A table of 18 samples whose classes are drawn by coin."""
    X, y, wanted = tossed()
    return write_csv(tmp_path / "noisy.csv", X, y, NAMES[: X.shape[1]]), wanted


def test_sets_that_leave_errors(run, noisy):
    path, wanted = noisy
    ran = run("minimum", path, "--target", "group", "--max-errors", wanted[3])
    assert ran.code == 0
    assert "Smallest set: 3 features with at most 2 errors, certified" in ran.out
    assert "wrong samples, counted from 1" in ran.out
    assert "arithmetic: these features leave no more than 2 samples wrong." in ran.out
    ran = run("minimum", path, "--target", "group", "--max-errors", wanted[3], "--json", "-")
    (found,) = ran.json["trust"]["minima"]
    assert (found["size"], found["max_errors"], found["verified"]) == (3, 2, True)
    assert all(len(one["wrong"]) <= 2 for one in found["sets"])


def test_no_features_are_needed_where_a_class_may_be_wrong(run, noisy):
    path, wanted = noisy
    ran = run("minimum", path, "--target", "group", "--max-errors", wanted[0])
    assert "Smallest set: 0 features with at most 7 errors, certified" in ran.out


def test_front(run, noisy, tmp_path):
    path, wanted = noisy
    figure = tmp_path / "front.svg"
    ran = run("minimum", path, "--target", "group", "--front", 3, "--plot", figure)
    assert ran.code == 0
    assert "Fewest training errors for each number of features" in ran.out
    lines = [line.split() for line in ran.out.splitlines() if line.startswith("  at most")]
    assert [[line[2], line[3], line[4]] for line in lines] == [
        [str(size), str(errors), "proven"] for size, errors in enumerate(wanted)
    ]
    assert "<svg" in figure.read_text()
    ran = run("minimum", path, "--target", "group", "--front", 3, "--json", "-")
    found = ran.json["trust"]["error_front"]
    assert [point["errors"] for point in found["points"]] == wanted
    assert found["verified"]
    assert [len(point["sets"][0]["wrong"]) for point in found["points"]] == wanted
    ran = run("minimum", path, "--target", "group", "--front", 2, "--quiet")
    assert ran.out.split() == found["points"][2]["sets"][0]["features"]


def test_errors_that_no_set_avoids(run, tmp_path):
    X = np.ones((8, 2))
    X[:, 1] = [0, 1, 2, 3, 0, 1, 2, 3]
    path = write_csv(tmp_path / "same.csv", X, np.repeat(["a", "b"], 4), ["u", "v"])
    ran = run("minimum", path, "--target", "group", "--max-errors", 3)
    assert ran.code == 3
    assert "every set of features leaves more than 3 samples wrong (proven)" in ran.err
    assert "--front 3" in ran.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--plot", "a.png"), "Give both, or neither; or --front 3"),
        (("--all", "--max-errors", "1"), "--all lists sets that leave no error"),
        (("--front", "2", "--max-errors", "1"), "Leave out --max-errors and --max-size"),
    ],
)
def test_options_that_exclude_each_other(run, hidden, options, message):
    ran = run("minimum", hidden, "--target", "group", *options)
    assert ran.code != 0
    assert message in ran.err


def test_errors_of_three_classes(run, tmp_path):
    X, y = three_classes()
    path = write_csv(tmp_path / "three.csv", X, y)
    ran = run("minimum", path, "--target", "group", "--max-errors", 1)
    wanted = minimum_features(X, y, max_errors=1)
    assert ran.code == 0
    assert f"Smallest set: {wanted.size} feature" in ran.out
    assert "with at most 1 error, certified" in ran.out


def test_rules_and_errors(run, hidden, tmp_path):
    prices = tmp_path / "prices.csv"
    prices.write_text(f"feature,cost\n{NAMES[0]},4\n")
    asked = ("minimum", hidden, "--target", "group", "--include", NAMES[1])
    ran = run(*asked, "--front", 1, "--feature-cost", prices)
    assert ran.code == 0
    assert "Lowest price for each number of training errors, up to 1 feature, besides" in ran.out
    ran = run(*asked, "--max-errors", 1)
    assert ran.code == 0
    assert f"besides {NAMES[1]} with at most 1 error" in ran.out
    ran = run(*asked, "--front", 1, "--feature-groups", write_group(tmp_path))
    assert ran.code != 0
    assert "paid for once cannot be combined with errors" in ran.err


def write_group(tmp_path):
    path = tmp_path / "groups.csv"
    path.write_text(f"feature,group\n{NAMES[2]},chip\n{NAMES[3]},chip\n")
    return path


def test_a_page_of_errors(run, hidden, tmp_path):
    for options in (("--front", 1), ("--max-errors", 1, "--include", NAMES[1])):
        page = tmp_path / "page.html"
        ran = run("minimum", hidden, "--target", "group", *options, "--report", page)
        assert ran.code == 0
        shown = " ".join(re.sub("<[^>]*>", "", page.read_text(encoding="utf-8")).split())
        assert "The fewest training errors" in shown
    assert "with at most 1 error, fewer cannot: proven" in shown
    assert f"Always in, at no cost: {NAMES[1]}. The other features add to them." in shown


def test_a_page_of_errors_alone():
    X, y, fewest = tossed()
    front = error_front(X, y, max_features=1)
    assert re.search(rf"at most 1 ?{fewest[1]} ?proven", on_page(X, y, front))
    everything_wrong = minimum_features(X, y, max_errors=7)
    assert everything_wrong.size == 0
    assert "0 features can separate" in on_page(X, y, everything_wrong)


def write_rules(tmp_path, **columns):
    """One small table for each option."""
    files = {}
    for name, rows in columns.items():
        file = tmp_path / f"{name}.csv"
        file.write_text("\n".join(["feature,value", *(f"{j},{v}" for j, v in rows.items())]))
        files[name] = file
    return files


def test_features_that_are_always_in_or_out(run, hidden):
    include, exclude = NAMES[7], NAMES[27]
    ran = run(
        *("minimum", hidden, "--target", "group", "--solutions", "all", "--json", "-"),
        *("--include", include, "--exclude", exclude),
    )
    (found,) = ran.json["trust"]["minima"]
    assert (found["size"], found["certified"], found["verified"]) == (2, True, True)
    assert found["included"] == [include]
    assert found["price"] is None
    assert all(include in one["features"] for one in found["sets"])
    assert not any(exclude in one["features"] for one in found["sets"])
    shown = run("minimum", hidden, "--target", "group", "--include", include).out
    assert f"Smallest set: 2 features besides {include}, certified" in shown


def test_prices(run, hidden, tmp_path):
    files = write_rules(tmp_path, cost={NAMES[20]: 5, NAMES[7]: 2.5})
    asked = ("minimum", hidden, "--target", "group", "--feature-cost", files["cost"])
    (found,) = run(*asked, "--json", "-").json["trust"]["minima"]
    assert found["certified"]
    assert found["price"] == found["price_bound"]
    assert all(step["price"] > 0 for step in found["searched"])
    ran = run(*asked, "--verbose")
    assert f"Cheapest set: price {found['price']:g} (" in ran.out
    assert "of this price" in ran.out
    assert "price up to" in ran.out
    ended = run(*asked, "--max-size", 1)
    assert "; proven: at least 1.5. The search ended" in ended.out


def test_groups_and_signs(run, hidden, tmp_path):
    files = write_rules(
        tmp_path, groups={NAMES[j]: "chip" for j in (7, 11, 20)}, signs={NAMES[20]: "up"}
    )
    asked = ("minimum", hidden, "--target", "group", "--feature-groups", files["groups"])
    (found,) = run(*asked, "--json", "-").json["trust"]["minima"]
    assert (found["price"], found["sets"][0]["columns"]) == (1.0, [7, 11, 20])
    ran = run(*asked, "--one-per-group", "--signs", files["signs"], "--json", "-")
    (found,) = ran.json["trust"]["minima"]
    assert len({7, 11, 20} & set(found["sets"][0]["columns"])) < 2
    assert found["verified"]


def on_page(X, y, *results):
    """The text of a page about these results only."""
    page = make_report(results[0], X, y, also=results[1:], parts=()).html
    return " ".join(re.sub("<[^>]*>", "", page).split())


def test_rules_on_the_page():
    X = np.random.default_rng(0).standard_normal((22, 30))
    y = X[:, 7] + X[:, 11] - X[:, 20] > 0
    result = minimum_features(X, y, include=[7], feature_cost={20: 5.0})
    shown = on_page(X, y, result)
    assert f"A set of price {result.price:g} ({result.size} features besides" in shown
    assert "separates these samples without error, and none is cheaper: proven" in shown
    assert "Always in, at no cost: feature 7. The other features add to them." in shown
    assert "under the same rules about features" in shown
    ended = minimum_features(X, y, feature_cost={20: 5.0}, max_size=1)
    assert "without error, and none below 2 does (proven)" in on_page(X, y, ended)
    near = near_optimal_sets(X, y, extra=0)
    shown = on_page(X, y, near.minimum, near)
    assert f"{near.n_found} sets within 0 of the minimum separate the classes" in shown


def test_all_sets_near_the_minimum(run, hidden, tmp_path):
    figure = tmp_path / "sets.png"
    asked = ("minimum", hidden, "--target", "group", "--all", "--extra", 0)
    ran = run(*asked, "--plot", figure)
    assert ran.code == 0
    assert "4 sets within 0 of the minimum, of which no part separates the classes." in ran.out
    assert "can be replaced by" in ran.out
    assert figure.read_bytes().startswith(b"\x89PNG")
    near = run(*asked, "--json", "-").json["trust"]["near_optimal"]
    assert (near["n_found"], near["complete"], len(near["sets"])) == (4, True, 4)
    assert [NAMES[j] for j in (7, 11, 20)] == near["sets"][0]["features"]
    assert near["in_all"] == [NAMES[20]]
    assert {one["name"] for one in near["features"]} >= {NAMES[7], NAMES[20]}
    assert all(one["n_pairs"] > 0 for one in near["exchanges"])


def test_a_figure_needs_the_sets(run, hidden, tmp_path):
    ran = run("minimum", hidden, "--target", "group", "--plot", tmp_path / "sets.png")
    assert ran.code == 2
    assert "--plot draws the sets of --all." in ran.err


def test_contradicting_rules(run, hidden):
    both = ("--include", NAMES[1], "--exclude", NAMES[1])
    ran = run("minimum", hidden, "--target", "group", *both)
    assert ran.code == 2
    assert f"feature {NAMES[1]}: in include and in exclude" in ran.err


def test_rules_that_leave_nothing(run, hidden):
    ran = run("minimum", hidden, "--target", "group", "--exclude", ",".join(NAMES[2:]))
    assert ran.code == 3
    assert "no set of features that follows the rules separates the classes" in ran.err
    assert "Leave out some of the rules" in ran.err


def test_rules_and_no_time(run, tmp_path):
    """Far too many features for a proof, and no time for a set."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((220, 80)), np.array(["a", "b"])[np.arange(220) % 2]
    path = write_csv(tmp_path / "noise.csv", X, y, [f"g{j}" for j in range(80)])
    ran = run("minimum", path, "--target", "group", "--exclude", "g0", "--max-size", 1)
    assert ran.code == 3
    assert "nor a proof that there is none" in ran.err


@pytest.mark.parametrize("options", [[], ["--front", "2"], ["--all"], ["--max-errors", "1"]])
def test_that_word_is_printed_only_where_the_search_was_repeated(run, table, options):
    command = ["minimum", table, "--target", "group", *options]
    plain, whole = run(*command), run(*command, "--verify")
    assert plain.code == whole.code == 0
    assert "Verified" not in plain.out
    assert "Not checked a second time: that there is no better set. --verify" in plain.out
    assert "Verified. It holds. Not checked: " in whole.out
    assert "no better set" not in whole.out


def test_a_result_that_does_not_verify(run, table, monkeypatch):
    from fewest.minimum import MinimumResult, Verification

    monkeypatch.setattr(MinimumResult, "verify", lambda *_, **__: Verification(holds=False))
    ran = run("minimum", table, "--target", "group", "--verify")
    assert ran.code == 2
    assert "the result does not verify: a second search contradicts it." in ran.err


def test_the_cross_validation_of_a_page_is_announced(run, hidden, tmp_path):
    page = tmp_path / "page.json"
    asked = ("minimum", hidden, "--target", "group", "--report", page)
    ran = run(*asked, "--permutations", 1)
    assert "Page      cross-validation (at most 15 s)\nPage      1 permutation of" in ran.out
    ran = run(*asked, "--report-seconds", 2)
    assert "Page      cross-validation (at most 2 s)\nPage      up to " in ran.out
    assert "as far as what is left of 2 s allows\n" in ran.out
    notes = json.loads(page.read_text())["notes"]
    assert any("of its own for at most 0.4 seconds" in note for note in notes)
