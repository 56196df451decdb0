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


def test_bad_covariates(refused, study):
    assert "Did you mean 'batch'?" in refused(
        study, "--target", "diagnosis", "--covariates", "bach"
    )
    message = refused(study, "--target", "diagnosis", "--covariates", "age,batch", "--cv", 0)
    assert "--covariates needs a cross-validation" in message
