"""`fewest select --method psvm`, on features and on matrices."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_score

from fewest import PotentialSVC
from tests.tables.samples import NAMES, two_classes, write_csv


@pytest.mark.parametrize(
    ("options", "settings"),
    [
        ((), {"C": np.inf, "epsilon": 1.0, "refit": True}),
        (("--epsilon", 3, "--C", 0.5, "--refit", "none"), {"C": 0.5, "epsilon": 3.0}),
    ],
)
def test_agrees_with_the_estimator(run, table, options, settings):
    X, y = two_classes()
    machine = PotentialSVC(kernel="precomputed", **settings).fit(X, y)
    arguments = ("--target", "group", "--method", "psvm", *options, "--cv", 0, "--json", "-")
    report = run("select", table, *arguments).json
    assert report["answer"]["selected"] == [NAMES[column] for column in machine.support_features_]
    assert {"gene_4", "gene_17"} <= set(report["answer"]["selected"])
    (written,) = report["answer"]["hyperplanes"]
    scores = np.full(len(y), written["intercept"])
    for feature in written["features"]:
        scores += feature["coefficient"] * X[:, feature["column"]]
    np.testing.assert_allclose(scores, machine.decision_function(X), atol=1e-6)
    assert written["certificate"]["relative_gap"] < 1e-6
    shrunken = PotentialSVC(kernel="precomputed", **settings | {"refit": False}).fit(X, y)
    wrong = np.sum(shrunken.predict(X) != y)
    assert written["certificate"]["samples_on_wrong_side"] == wrong


def test_without_a_feature(run, table):
    ran = run(
        "select", table, "--target", "group", "--method", "psvm", "--epsilon", 90, "--verbose"
    )
    assert ran.code == 0
    assert "None: no feature is that correlated with the class. Lower --epsilon." in ran.out
    assert "Certificate of the quadratic program, over all features" in ran.out


def test_folds_of_a_matrix_leave_out_columns(run, tmp_path):
    X, y = two_classes()
    S = 5.0 - np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=-1))
    names = [f"sample_{number}" for number in range(len(y))]
    path = write_csv(tmp_path / "similar.csv", S, y, names)
    arguments = ("--target", "group", "--method", "psvm", "--matrix", "--C", 1, "--epsilon", 0.1)
    report = run("select", path, *arguments, "--cv", 4, "--json", "-").json
    machine = PotentialSVC(1.0, 0.1, kernel="precomputed", row_objects="samples", refit=True)
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    expected = 1 - cross_val_score(machine, S, y, cv=folds)
    written = report["trust"]["validation"]["folds"]
    np.testing.assert_allclose([fold["error"] for fold in written], expected, atol=1e-12)
    for fold, (train, test) in zip(written, folds.split(S, y), strict=True):
        assert set(fold["features"]) <= {names[sample] for sample in train}
        assert fold["n_test"] == len(test)
    assert report["question"]["options"]["matrix"] is True


def test_a_matrix_must_be_square(refused, table):
    message = refused(table, "--target", "group", "--method", "psvm", "--matrix")
    assert "--matrix needs as many columns as rows" in message
    assert "40 rows and 30 columns" in message
