"""`fewest informative`: estimates, curves, figure, groups and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from fewest import SupportFeatureMachine
from fewest.datasets import make_brain
from fewest.informative import informative_features, informative_share, t_map
from tests.tables.samples import three_classes, write_csv

SHORT = ("--every", 3, "--permutations", 5)


@pytest.fixture(scope="module")
def maps():
    return make_brain(4, 2, n_voxels=60, informative=0.3, strength=2.5, random_state=1)


@pytest.fixture
def archive(tmp_path, maps):
    path = tmp_path / "maps.npz"
    np.savez(path, X=maps.X, y=maps.y, participant=maps.groups)
    return path


@pytest.fixture
def table(tmp_path, maps):
    names = [f"v{column}" for column in range(60)]
    rows = [",".join([*names, "condition", "who"])]
    for x, label, group in zip(maps.X.tolist(), maps.y, maps.groups, strict=True):
        rows.append(",".join([*map(repr, x), "left" if label < 0 else "right", f"p{group}"]))
    path = tmp_path / "maps.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def shares(informative):
    """The estimates by name."""
    return {one["name"]: one["share"] for one in informative["estimates"]}


def test_agrees_with_the_function(run, archive, maps):
    ran = run("informative", archive, "--groups", "participant", *SHORT, "--json", "-")
    assert ran.code == 0
    report = ran.json["informative"]
    found = informative_features(
        None, maps.X, maps.y, groups=maps.groups, every=3, n_permutations=5, random_state=0
    )
    np.testing.assert_allclose(report["probe_error"], found.probe_error)
    univariate = informative_share(t_map(maps.X, maps.y, groups=maps.groups).p_value)
    assert shares(report) == {
        "sigmoid": pytest.approx(found.estimate),
        "restricted": pytest.approx(found.restricted.estimate),
        "purified": pytest.approx(found.purity.estimate),
        "chance": pytest.approx(found.band.estimate),
        "univariate": pytest.approx(univariate),
    }
    assert report["restricted"]["estimate"] == pytest.approx(found.restricted.estimate)
    assert [fold["n_test"] for fold in report["folds"]] == [4] * 4
    assert report["n_folds_planned"] == 4
    assert ran.json["question"]["options"]["groups"] == "participant"
    assert ran.json["data"]["n_groups"] == 4


def test_text_figure_and_checkpoint(run, table, tmp_path):
    figure, kept, written = tmp_path / "f.png", tmp_path / "kept", tmp_path / "r.json"
    arguments = ("informative", table, "--target", "condition", "--groups", "who", *SHORT)
    first = run(*arguments, "--plot", figure, "--checkpoint", kept, "--json", written, "--jobs", 2)
    assert first.code == 0, first.err
    assert "the papers' rule" in first.out
    assert "in the top of the t-map" in first.out
    assert "60 features" in first.out
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert len(list(kept.iterdir())) == 4
    again = run(*arguments, "--checkpoint", kept, "--quiet")
    kept_shares = shares(json.loads(written.read_text())["informative"])
    assert float(again.out) == pytest.approx(kept_shares["purified"], abs=1e-4)
    other = run(*arguments, "--checkpoint", kept, "--C", 1)
    assert other.code == 2
    assert "--checkpoint: the checkpoint folder" in other.err


def test_folds_without_groups(run, table):
    ran = run(
        "informative", table, "--target", "condition", "--drop", "who", *SHORT, "--cv", 3,
        "--permutations", 0, "--json", "-",
    )  # fmt: skip
    found = ran.json["informative"]
    assert (len(found["folds"]), found["n_folds_planned"]) == (3, 3)
    assert "chance" not in shares(found)
    assert found["chance_lower"] is None
    assert ran.json["question"]["options"]["groups"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--groups", "where"), "has no column 'where'"),
        (("--groups", "condition"), "cannot hold the classes and the groups"),
        (("--drop", "who", "--cv", 0), "without folds nothing can be tested"),
        (("--groups", "who", "--every", 0), "must be 1 or more"),
        (("--groups", "who", "--permutations", -1), "must be 0 or more"),
        (("--groups", "who", "--plot", "x.bmp"), "must end in .png"),
    ],
)
def test_refused(run, table, arguments, message):
    ran = run("informative", table, "--target", "condition", *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_groups_of_one_class_are_refused(run, tmp_path, maps):
    path = tmp_path / "maps.npz"
    np.savez(path, X=maps.X, y=maps.y, side=maps.y, one=np.zeros(16), short=np.zeros(3))
    for name, message in (
        ("side", "one class only"),
        ("one", "at least two different groups"),
        ("short", "one entry for each of the 16 rows"),
        ("none", "has no array 'none'"),
    ):
        ran = run("informative", path, "--groups", name)
        assert (ran.code, message in ran.err) == (2, True), ran.err


def test_interrupted_run_reports_what_is_there(run, archive, monkeypatch):
    original = informative_features

    def cut_short(*arguments, **settings):
        return replace(original(*arguments, **settings), n_folds_planned=9)

    monkeypatch.setattr("fewest.informative.informative_features", cut_short)
    ran = run("informative", archive, "--groups", "participant", *SHORT)
    assert ran.code == 130
    assert "the papers' rule" in ran.out


def test_patients_of_one_class_each_need_folds_of_several(run, tmp_path):
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(8), 3)
    y = np.where(patient % 2 == 0, "ill", "well")
    X = rng.normal(size=(24, 20))
    X[y == "ill", :4] += 3.0
    path = tmp_path / "patients.npz"
    np.savez(path, X=X, y=y, patient=patient)
    refused = run("informative", path, "--groups", "patient", *SHORT)
    assert refused.code == 2
    assert "leave out several groups at a time: --cv 5" in refused.err
    assert "cv=5" not in refused.err
    page = tmp_path / "page.html"
    ran = run(
        "informative",
        path,
        "--groups",
        "patient",
        "--cv",
        4,
        *SHORT,
        "--json",
        "-",
        "--report",
        page,
    )
    assert ran.code == 0, ran.err
    curves = ran.json["informative"]
    # Permuted patients: chance is another labelling, not the true one again.
    assert curves["probe_error"][0] < curves["chance_upper"][0]
    assert "not in this report" not in page.read_text("utf-8").split("carry information?")[1]


def test_more_than_two_classes(run, tmp_path):
    X, y = three_classes()
    path = write_csv(tmp_path / "three.csv", X, y)
    arguments = ("informative", path, "--target", "group", "--C", 1, *SHORT)
    ran = run(*arguments, "--plot", tmp_path / "curves.png")
    assert ran.code == 0
    assert "Classes   1 (15), 2 (15), 3 (15)\n" in ran.out
    assert "sigmoid from 0 to 0.667, line through its inflexion; an upper limit" in ran.out
    assert "Guessing has an error of 66.7 %." in ran.out
    assert "t-map" not in ran.out  # it compares two classes
    report = run(*arguments, "--json", "-").json["informative"]
    found = informative_features(
        SupportFeatureMachine(C=1), X, y, every=3, n_permutations=5, random_state=0
    )
    np.testing.assert_allclose(report["probe_error"], found.probe_error)
    assert set(shares(report)) == {"sigmoid", "restricted", "purified", "chance"}
    assert report["overlap"] == []


def test_groups_without_a_class(run, tmp_path):
    X, y = three_classes()
    names = [*(f"g{column}" for column in range(29)), "who"]
    X[:, 29] = np.arange(45) // 9
    X[0, 29] = 7
    path = write_csv(tmp_path / "three.csv", X, y, names)
    ran = run("informative", path, "--target", "group", "--groups", "who")
    assert ran.code == 2
    assert "group 7.0 has no samples of class 2" in ran.err
