"""`--per-class`: each class against the rest, beside all of them together."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog

from fewest import SupportFeatureMachine, minimum_features
from fewest.informative import informative_features
from fewest.informative._order import removal_order
from fewest.report import make_report
from fewest.report._data import Data
from fewest.report._per_class import describe_class_minimum, gather_classes
from tests.tables.samples import write_csv

NAMES = [f"gene_{column}" for column in range(8)]
MINIMUM = ("minimum", "--target", "group", "--per-class", "--jobs", 1)
INFORMATIVE = ("informative", "--target", "group", "--per-class", "--cv", 2, "--every", 1)


@pytest.fixture(scope="module")
def samples():
    """Four classes, one of them small; the second lies between others and is not separable."""
    rng = np.random.default_rng(3)
    y = np.array(["a", "b", "c", "d"])[np.repeat(np.arange(4), [12, 12, 12, 4])]
    X = rng.standard_normal((len(y), len(NAMES)))
    for label, column in (("a", 0), ("c", 2), ("d", 3)):
        X[y == label, column] += 3.0
    return X, y


@pytest.fixture(scope="module")
def table(samples, tmp_path_factory):
    return write_csv(tmp_path_factory.mktemp("classes") / "four.csv", *samples, NAMES)


def is_separable(X, inside):
    """By a linear program for each side of a margin of one."""
    signs = np.where(inside, 1.0, -1.0)
    rows = -signs[:, None] * np.column_stack([X, np.ones(len(X))])
    return linprog(
        np.zeros(rows.shape[1]), A_ub=rows, b_ub=-np.ones(len(X)), bounds=(None, None)
    ).success


def smallest_size(X, separates):
    for size in range(1, X.shape[1] + 1):
        for columns in combinations(range(X.shape[1]), size):
            if separates(X[:, columns]):
                return size
    return None


def test_smallest_sets_agree_with_brute_force(run, table, samples):
    X, y = samples
    report = run(*MINIMUM[:1], table, *MINIMUM[1:], "--json", "-").json
    found = report["per_class"]
    assert [one["label"] for one in found["classes"]] == ["a", "b", "c", "d"]
    for one in found["classes"]:
        inside = y == one["label"]
        expected = smallest_size(X, lambda part, inside=inside: is_separable(part, inside))
        assert one["minimum"]["size"] == expected
        if expected is None:
            assert one["columns"] == []
            assert "no set of features separates it" in one["reason"]
            continue
        assert one["minimum"]["certified"]
        assert one["minimum"]["verified"]
        assert is_separable(X[:, one["columns"]], inside)
        assert one["features"] == [NAMES[column] for column in one["columns"]]
    assert [one["is_small"] for one in found["classes"]] == [False, False, False, True]

    def separates_all(part):
        return all(
            is_separable(part[np.isin(y, pair)], y[np.isin(y, pair)] == pair[0])
            for pair in combinations("abcd", 2)
        )

    (whole,) = report["trust"]["minima"]
    assert whole["size"] == smallest_size(X, separates_all)


def test_totals_are_those_of_the_sets(run, table):
    report = run(*MINIMUM[:1], table, *MINIMUM[1:], "--json", "-").json["per_class"]
    owners = {}
    for one in report["classes"]:
        for name in one["features"]:
            owners.setdefault(name, []).append(one["label"])
    assert report["n_distinct"] == len(owners)
    shared = {one["name"]: one["classes"] for one in report["shared"]}
    assert shared == {name: labels for name, labels in owners.items() if len(labels) > 1}
    text = run(*MINIMUM[:1], table, *MINIMUM[1:], "--verify").out
    assert f"Together: {len(owners)} different features" in text
    assert "(few samples)" in text
    assert "Verified. It holds." in text
    quiet = run(*MINIMUM[:1], table, *MINIMUM[1:], "--quiet").out
    pairs = [f"{one['label']}\t{name}" for one in report["classes"] for name in one["features"]]
    assert quiet.splitlines() == pairs


def test_two_classes_need_one_search(run, table):
    ran = run(*MINIMUM[:1], table, *MINIMUM[1:], "--only", "a", "c")
    assert ran.code == 0
    assert "There are two classes: what holds for one against the rest holds for both." in ran.out


def test_no_class_can_be_separated(run, tmp_path):
    X = np.tile([[0.0, 1.0], [1.0, 0.0]], (12, 1))
    path = write_csv(tmp_path / "same.csv", X, np.repeat(["a", "b", "c"], 8), ["f", "g"])
    ran = run(*MINIMUM[:1], path, *MINIMUM[1:])
    assert ran.code == 3
    assert "separates all classes, or any one from the rest, without error (proven)" in ran.err


@pytest.mark.parametrize("other", [["--all"], ["--front", 2]], ids=str)
def test_refused_together(run, table, other):
    ran = run(*MINIMUM[:1], table, *MINIMUM[1:], *other)
    assert ran.code == 2
    assert "--one-vs-rest" in ran.err


def test_informative_of_each_class(run, table, samples, tmp_path):
    X, y = samples
    given = (*INFORMATIVE[:1], table, *INFORMATIVE[1:], "--C", 1, "--permutations", 19)
    kept = tmp_path / "kept"
    report = run(*given, "--checkpoint", kept, "--json", "-").json
    found = {one["label"]: one for one in report["per_class"]["classes"]}
    assert list(found) == ["a", "b", "c", "d"]
    assert report["informative"]["estimates"]
    assert (kept / "class-004").is_dir()
    direct = informative_features(
        SupportFeatureMachine(C=1.0, refit=None),
        X,
        y == "a",
        cv=2,
        every=1,
        n_permutations=19,
        random_state=0,
    )
    shares = {one["name"]: one["share"] for one in found["a"]["informative"]["estimates"]}
    assert shares["purified"] == pytest.approx(direct.purity.estimate)
    assert found["a"]["verdict"]["status"] == "better"
    number = found["a"]["informative"]["estimates"][0]["n_features"]
    assert found["a"]["columns"] == removal_order(direct)[:number].tolist()
    assert found["a"]["columns"][0] == 0
    # The same command goes on from what was kept, and says the same.
    text = run(*given, "--checkpoint", kept).out
    assert "Features that carry information about each class" in text
    assert "Quote the first of these shares" in text
    quiet = run(*given, "--checkpoint", kept, "--quiet").out.splitlines()
    assert [line.split("\t")[0] for line in quiet] == ["a", "b", "c", "d"]
    assert float(quiet[0].split("\t")[1]) == pytest.approx(shares["purified"], abs=1e-4)


def test_order_of_removal_averages_the_folds(samples):
    X, y = samples
    found = informative_features(None, X, y == "a", cv=2, probe=None, random_state=0)
    orders = [np.concatenate(fold.subsets).tolist() for fold in found.folds]
    places = [
        [order.index(column) if column in order else len(NAMES) for order in orders]
        for column in range(len(NAMES))
    ]
    means = np.mean(places, axis=1)
    assert means[removal_order(found)].tolist() == sorted(means)


def test_the_page_has_a_row_per_class(samples):
    X, y = samples
    data = Data(X, y, feature_names=NAMES)
    parts = {label: data.against_rest(label) for label in data.labels}
    per_class = gather_classes(
        [
            describe_class_minimum(label, minimum_features(part.X, part.y), part)
            for label, part in parts.items()
        ]
    )
    machine = SupportFeatureMachine().fit(X, y)
    settings = {"also": [per_class], "parts": (), "feature_names": NAMES}
    page = make_report(machine, X, y, **settings).html
    section = page.split('<section id="per-class"')[1].split("</section>")[0]
    assert section.count("<tr>") == 1 + len(data.labels)
    assert section.count("few samples") == 1
    assert f"{per_class.n_distinct} different feature" in section
    for name in {name for one in per_class.classes for name in one.features}:
        assert f">{name}</bdi>" in section
    assert 'id="per-class"' not in make_report(machine, X, y, parts=()).html
