"""A sample's result never depends on its neighbours: gaps are filled in from training samples."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import pandas
import pytest
from sklearn.impute import SimpleImputer

import fewest
from fewest.panels import panel_report
from fewest.significance import compare_methods, learning_curve, permutation_test

FEATURES = [f"g{at}" for at in range(6)]


def make_gaps(n=36, share=0.25):
    """Two classes that overlap, and gaps in every feature."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    X = rng.standard_normal((n, len(FEATURES)))
    X[:, :2] += 1.2 * y[:, np.newaxis]
    X[rng.random(X.shape) < share] = np.nan
    return X, y


def write(path, X, y):
    table = pandas.DataFrame(X, columns=FEATURES)
    table["outcome"] = np.where(y, "ill", "well")
    table.to_csv(path, index=False)
    return path


def select(run, path, *more):
    """The validation of a run, and the samples of every fold, as the result lists them."""
    call = ("select", path, "--target", "outcome", "--missing", "median", "--json", "-", "--cv", 4)
    ran = run(*call, *more)
    assert ran.code == 0, ran.err
    found = json.loads(ran.out)["trust"]["validation"]
    ends = np.cumsum([one["n_test"] for one in found["folds"]])
    return found, np.split(np.array(found["samples"]), ends[:-1])


METHODS = {
    "sfm": ("--C", 2),
    "sfm-cv": (),
    "liknon": ("--method", "liknon"),
    "weston": ("--method", "weston", "--C", 10, "--max-features", 2),
    "psvm": ("--method", "psvm"),
    "sizes": ("--method", "sfm", "--max-features", "1-3"),
}


@pytest.mark.parametrize("method", METHODS)
def test_a_held_out_sample_does_not_change_its_neighbours(tmp_path, run, method):
    X, y = make_gaps()
    before, folds = select(run, write(tmp_path / "data.csv", X, y), *METHODS[method])
    one = folds[0][0]
    X[one] = 1e3
    after, _ = select(run, write(tmp_path / "data.csv", X, y), *METHODS[method])
    assert after["samples"] == before["samples"]
    others = slice(1, len(folds[0]))
    assert after["decisions"][others] == before["decisions"][others]
    assert after["decisions"][0] != before["decisions"][0]


def test_folds_are_those_of_an_imputer_in_a_pipeline(tmp_path, run):
    """scikit-learn's imputer, fitted to the training samples of each fold, gives the same."""
    X, y = make_gaps()
    found, folds = select(run, write(tmp_path / "data.csv", X, y), "--C", 2)
    labels = np.where(y, "ill", "well")
    expected = []
    for test in folds:
        train = np.setdiff1d(np.arange(len(y)), test)
        imputer = SimpleImputer(strategy="median").fit(X[train])
        machine = fewest.SupportFeatureMachine(C=2, class_weight="balanced", refit="margin")
        machine.fit(imputer.transform(X[train]), labels[train])
        expected += machine.decision_function(imputer.transform(X[test])).tolist()
    assert np.ravel(found["decisions"]) == pytest.approx(expected, abs=1e-7)


def test_every_command_that_leaves_samples_out_fills_inside_its_folds(tmp_path, run):
    """A path has the errors of single selections, and all other commands take the same gaps."""
    X, y = make_gaps()
    path = write(tmp_path / "data.csv", X, y)
    call = (path, "--target", "outcome", "--missing", "median", "--cv", 4, "--json", "-")
    for point in json.loads(run("path", *call, "--values", 3).out)["costs"]["points"]:
        found, _ = select(run, path, "--method", "sfm", "--C", repr(point["C"]))
        assert found["over_folds"]["balanced_error"] == pytest.approx(point["balanced_error"])
    for command, more in {
        "panel": ("--features", "g0,g1", "--repeats", 1, "--permutations", 5, "--random", 5),
        "informative": ("--permutations", 5, "--C", 1),
        "diagnose": ("--permutations", 19),
    }.items():
        ran = run(command, *call, *more)
        assert ran.code == 0, ran.err


def test_comparisons_and_covariates_take_the_same_gaps(tmp_path, run):
    X, y = make_gaps()
    table = pandas.read_csv(write(tmp_path / "data.csv", X, y))
    table["age"] = np.random.default_rng(1).integers(30, 60, len(table))
    table.to_csv(tmp_path / "data.csv", index=False)
    more = ("--C", 2, "--compare", "liknon", "--covariates", "age")
    found, _ = select(run, tmp_path / "data.csv", *more)
    plain, _ = select(run, tmp_path / "data.csv", "--C", 2, "--drop", "age")
    assert found["decisions"] == plain["decisions"]


@pytest.mark.parametrize(
    "judge",
    [
        lambda machine, X, y: permutation_test(
            machine, X, y, n_permutations=4, cv=3, random_state=0
        ),
        lambda machine, X, y: learning_curve(machine, X, y, cv=3, random_state=0),
        lambda machine, X, y: compare_methods(
            machine, X, y, {"liknon": fewest.Liknon()}, cv=3, random_state=0
        ),
        lambda machine, X, y: panel_report(X, y, [0, 1], n_repeats=1, random_state=0, cv=3),
    ],
    ids=["permutations", "learning curve", "comparison", "panel"],
)
def test_functions_take_gaps(judge):
    X, y = make_gaps()
    with np.errstate(all="raise", under="ignore"):
        judge(fewest.SupportFeatureMachine(C=2), X, y)


# Prediction


@pytest.fixture
def model(tmp_path, run):
    """A model of samples with gaps that uses two features."""
    X, y = make_gaps()
    path = write(tmp_path / "train.csv", X, y)
    more = ("--missing", "median", "--max-features", 2, "--cv", 0)
    saved = ("--model", tmp_path / "model.fewest")
    assert run("select", path, "--target", "outcome", *more, *saved).code == 0
    return tmp_path / "model.fewest", X


def predict(run, model, path, X):
    pandas.DataFrame(X, columns=FEATURES).to_csv(path, index=False)
    ran = run("predict", model, path, "--missing", "median", "--json", "-")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def test_a_prediction_depends_on_its_sample_alone(model, tmp_path, run):
    path, X = model
    together = predict(run, path, tmp_path / "new.csv", X[:12])
    for at in range(12):
        alone = predict(run, path, tmp_path / "new.csv", X[[at]])
        assert alone["scores"][0] == pytest.approx(together["scores"][at], rel=1e-12)
    X[1:12] += 100
    assert predict(run, path, tmp_path / "new.csv", X[:12])["scores"][0] == together["scores"][0]


def test_gaps_are_filled_with_medians_of_the_training(model, tmp_path, run):
    path, X = model
    filled = SimpleImputer(strategy="median").fit(X).transform(X)
    with_gaps = predict(run, path, tmp_path / "new.csv", X)
    assert "by the feature's median over the training samples" in " ".join(with_gaps["notes"])
    whole = predict(run, path, tmp_path / "new.csv", filled)
    assert with_gaps["scores"] == pytest.approx(whole["scores"], rel=1e-9)


def test_a_feature_without_any_value_can_be_predicted(model, tmp_path, run):
    path, X = model
    assert len(predict(run, path, tmp_path / "new.csv", X[:3] * np.nan)["scores"]) == 3


def test_a_model_of_before_says_what_it_lacks(model, tmp_path, run):
    """Files without medians still load and predict; gaps they cannot fill in."""
    path, X = model
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    [name] = [name for name in members if name.endswith(".json")]
    document = json.loads(members[name])
    kept = find_attributes(document)
    for attribute in ("training_medians_", "training_percents_", "training_folded_case_"):
        value = kept.pop(attribute)
        if isinstance(value, dict):
            members = drop_members(members, value)
    members[name] = json.dumps(document).encode()
    with zipfile.ZipFile(tmp_path / "old.fewest", "w") as archive:
        for one, content in members.items():
            archive.writestr(one, content)
    pandas.DataFrame(X, columns=FEATURES).to_csv(tmp_path / "new.csv", index=False)
    call = ("predict", tmp_path / "old.fewest", tmp_path / "new.csv")
    said = run(*call, "--missing", "median").says()
    assert "the model does not hold the medians of its training samples" in said
    assert "Fit it again" in said
    assert run(*call, "--missing", "drop-samples").code == 0


def find_attributes(node):
    """The attributes of the model in its document."""
    if isinstance(node, dict):
        if "training_medians_" in node:
            return node
        node = list(node.values())
    found = [find_attributes(one) for one in node if isinstance(one, (dict, list))]
    return next((one for one in found if one is not None), None)


def drop_members(members, value):
    names = {str(one) for one in value.values()}
    return {name: content for name, content in members.items() if name not in names}


def test_a_second_table_is_filled_from_the_first(tmp_path, run):
    X, y = make_gaps()
    first = write(tmp_path / "first.csv", X, y)
    rng = np.random.default_rng(5)
    other = rng.standard_normal((30, len(FEATURES))) + 3
    other[::3, 0] = np.nan
    errors = []
    for second in (other, np.where(np.isnan(other), np.nanmedian(X, axis=0), other)):
        path = write(tmp_path / "second.csv", second, np.arange(30) % 2)
        call = ("panel", first, "--target", "outcome", "--features", "g0,g1", "--missing", "median")
        few = ("--repeats", 1, "--permutations", 5, "--random", 5, "--cv", 3)
        ran = run(*call, "--against", path, *few, "--json", "-")
        assert ran.code == 0, ran.err
        errors.append(json.loads(ran.out)["panel"]["against"])
    assert errors[0] == errors[1]
