"""`fewest select --covariates`: could something else explain the result?"""

import numpy as np
import pandas
import pytest

from fewest.datasets import make_confounded

pytestmark = pytest.mark.usefixtures("little_work")


@pytest.fixture
def study(tmp_path):
    X, y, covariates = make_confounded(n=80, d=60, effect=0.0, random_state=1)
    frame = pandas.DataFrame(X, columns=[f"g{column}" for column in range(X.shape[1])])
    frame = frame.assign(**covariates, diagnosis=y)
    frame.to_csv(tmp_path / "study.csv", index=False)
    return tmp_path / "study.csv"


def test_a_study_whose_classes_differ_by_batch_only(run, study, tmp_path):
    page = tmp_path / "page.html"
    ran = run(
        *("select", study, "--target", "diagnosis", "--covariates", "batch,age", "--C", 1),
        *("--report", page),
    )
    assert ran.code == 0
    assert "80 samples, 60 features" in ran.out
    first, *_, verdict = [part for part in ran.out.split("\n\n") if "guessing 50.0 %" in part]
    verdict = verdict.splitlines()[0]
    # The answer does not wait for the tests.
    assert "Not finished yet: the test of the covariates and the permutation test" in first
    # What decides comes first.
    assert verdict.startswith("The features do not tell the classes apart better than chance among")
    assert "What they show may be batch." in verdict
    assert "Could it be something else?" in ran.out
    text = page.read_text(encoding="utf-8")
    assert text.count("What they show may be batch.") == 2  # in the verdict, and where it is shown
    assert "features were selected" in " ".join(text.split())
    assert "was not tested" not in text
    assert "fewest diagnose" not in ran.out.rpartition("Could it be something else?")[2]


def test_what_cannot_test_covariates_is_not_advised(run, tmp_path):
    """Age differs between the classes even in its ranges, and `diagnose` knows nothing of age."""
    rng = np.random.default_rng(0)
    y = np.arange(24) % 2
    frame = pandas.DataFrame(rng.standard_normal((24, 5)) + 3 * y[:, None]).add_prefix("g")
    frame = frame.assign(age=50 + 10 * y + rng.standard_normal(24) * 6, group=y)
    frame.to_csv(tmp_path / "old.csv", index=False)
    ran = run(
        *("select", tmp_path / "old.csv", "--target", "group", "--covariates", "age", "--C", 1)
    )
    known = " ".join(ran.out.rpartition("Could it be something else?")[2].split())
    assert "is not known: even in the same range, age differs" in known
    assert "fewest diagnose" not in known


def test_covariates_of_a_second_file(run, study, tmp_path):
    frame = pandas.read_csv(study)
    frame.insert(0, "who", [f"P{row}" for row in range(len(frame))])
    about = ["who", "batch", "age", "diagnosis"]
    frame[about].sample(frac=1, random_state=0).to_csv(tmp_path / "about.csv", index=False)
    frame.drop(columns=about[1:]).to_csv(tmp_path / "values.csv", index=False)
    options = ("--covariates", "batch", "--C", 1, "--json", "-")
    files = (tmp_path / "values.csv", "--classes", f"{tmp_path / 'about.csv'}:diagnosis")
    joined = run("select", *files, *options).json["trust"]["confounding"]
    together = run("select", study, "--target", "diagnosis", "--drop", "age", *options)
    assert joined == together.json["trust"]["confounding"]
    assert [one["name"] for one in joined["covariates"]] == ["batch"]


@pytest.fixture
def visits(tmp_path):
    """Twelve patients of one class each, seen four times."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(12), 4)
    frame = pandas.DataFrame(rng.standard_normal((48, 6))).add_prefix("g")
    frame = frame.assign(
        age=rng.normal(50, 10, 48),
        batch=rng.choice(["b1", "b2"], 48),
        site=np.where(patient < 7, "here", "there"),
        device="only one",
        sample=[f"S{row}" for row in range(48)],
        patient=patient,
        ill=patient % 2,
    )
    frame.to_csv(tmp_path / "visits.csv", index=False)
    return tmp_path / "visits.csv"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("age,site", "age differs between samples of the same group"),
        ("age,batch,site", "age and batch differ between samples of the same group"),
        ("device", "the covariate device is the same for all samples"),
        ("sample", "the covariate sample has 48 categories for 48 samples, so hardly two"),
    ],
)
def test_covariates_that_cannot_be_tested_are_refused_before_the_fit(run, visits, names, message):
    others = {"age", "batch", "site", "device", "sample"} - set(names.split(","))
    asked = ("select", visits, "--target", "ill", "--groups", "patient", "--C", 1)
    ran = run(*asked, "--covariates", names, "--drop", ",".join(others))
    assert ran.code == 2
    assert "Method" not in ran.out
    assert message in ran.err
    assert "becomes a feature, unless --drop names it." in ran.err


def test_ranges_count_not_measurements(run, visits):
    """Patients grow older between visits, but stay within their range of ages."""
    frame = pandas.read_csv(visits).drop(columns=["device", "sample", "batch", "site"])
    frame["age"] = 40 + 20 * (frame["patient"] // 2 % 2) + frame.index * 0.01
    frame.to_csv(visits, index=False)
    asked = ("select", visits, "--target", "ill", "--groups", "patient", "--C", 1)
    ran = run(*asked, "--covariates", "age")
    assert ran.code == 0, ran.err
    assert "Could it be something else?" in ran.out


def test_groups_in_which_no_class_can_move(run, visits):
    frame = pandas.read_csv(visits)[["g0", "g1", "g2", "patient"]]
    frame["ill"] = frame.index % 2
    frame["visit"] = np.where((frame["ill"] == 1) ^ (frame["patient"] < 6), "first", "second")
    frame.to_csv(visits, index=False)
    asked = ("select", visits, "--target", "ill", "--groups", "patient", "--C", 1)
    ran = run(*asked, "--covariates", "visit")
    assert ran.code == 2
    assert "Method" not in ran.out
    assert "samples of the same group that are alike in visit are all of one class" in ran.err


@pytest.mark.parametrize("names", [",", "", " , "])
def test_covariates_without_a_name(refused, study, names):
    message = refused(study, "--target", "diagnosis", f"--covariates={names}")
    assert "--covariates names no column.\nName some, as in --covariates age,sex" in message


def test_how_long_covariates_take_is_said_before(run, study):
    asked = ("select", study, "--target", "diagnosis", "--covariates", "batch,age", "--C", 1)
    before, _, after = run(*asked).out.partition("Covariates  101 further cross-validations (about")
    assert "Cross-validated error" in before
    assert "Could it be something else?" in after
    assert "Covariates  " not in run(*asked, "--quiet").out


def test_bad_covariates(refused, study):
    assert "Did you mean 'batch'?" in refused(
        study, "--target", "diagnosis", "--covariates", "bach"
    )
    message = refused(study, "--target", "diagnosis", "--covariates", "age,batch", "--cv", 0)
    assert "--covariates needs a cross-validation" in message
