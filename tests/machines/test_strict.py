"""The hard machines' promise: no training error by the rule of predict, or NotSeparableError.

The oracle decides in fractions whether classes are strictly separable.
"""

import warnings
from fractions import Fraction

import numpy as np
import pytest

from fewest import (
    NotSeparableError,
    RepetitiveSelector,
    SupportFeatureMachine,
    SupportFeatureMachineCV,
    UnionFeatureMachine,
    ZeroNormSVM,
    decide_separability,
    minimum_features,
)
from fewest.cli import main
from fewest.minimum._leaves import as_integers, decide
from fewest.significance import permutation_test
from tests.fuzzing import many

HARD = {
    "class means": SupportFeatureMachine(C=np.inf),
    "mean margin": SupportFeatureMachine(C=np.inf, constraint="mean_margin"),
    "at most three": SupportFeatureMachine(C=np.inf, max_features=3),
    "zero norm": ZeroNormSVM(C=np.inf),
    "zero norm, margin": ZeroNormSVM(C=np.inf, refit="margin"),
    "union": UnionFeatureMachine(C=np.inf),
}
JOINT = {
    "class means": SupportFeatureMachine(C=np.inf),
    "zero norm": ZeroNormSVM(C=np.inf),
}


def draw_tied(rng, n_classes=2, n=(4, 13), d=(1, 6)):
    """Few different values, so that samples of different classes coincide or touch."""
    n, d = rng.integers(*n), rng.integers(*d)
    X = rng.integers(0, rng.integers(2, 4), (n, d)).astype(float)
    X[0, 0], X[1, 0] = 0.0, 1.0
    if rng.random() < 0.4:
        y = rng.integers(0, n_classes, n)
    else:
        y = (X @ rng.integers(-2, 3, (d, n_classes)) + rng.integers(-1, 2, n_classes)).argmax(1)
    y[:n_classes] = np.arange(n_classes)
    return X, y


def is_separable_jointly(X, y):
    """Whether any scores have every sample's own class strictly first; checked in fractions."""
    classes = np.unique(y)
    rows = []
    for x, own in zip(np.column_stack([X, np.ones(len(X))]), y, strict=True):
        for rival in classes[classes != own]:
            rows.append(np.concatenate([((c == own) - float(c == rival)) * x for c in classes]))
    rows = np.array(rows)
    signs = np.repeat([1.0, -1.0], len(rows))
    separable, numbers = decide(as_integers(np.vstack([rows, -rows])), signs)
    exact = np.array([[Fraction(v) for v in row] for row in rows], dtype=object)
    if separable:
        assert min(exact @ np.array(numbers, dtype=object)) > 0
    else:
        shares = np.array(numbers, dtype=object)
        shares = shares[: len(rows)] + shares[len(rows) :]
        assert min(shares) >= 0
        assert max(shares) > 0
        assert not any(shares @ exact)
    return separable


def check_promise(machine, X, y, separable):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # more features than asked for, for instance
        if not separable:
            with pytest.raises(NotSeparableError):
                machine.fit(X, y)
            return
        machine.fit(X, y)
    np.testing.assert_array_equal(machine.predict(X), y)


@pytest.mark.fuzz
@pytest.mark.parametrize("name", HARD)
def test_two_classes_with_ties(name):
    rng = np.random.default_rng(0)
    answers = []
    for _ in range(many(60 if name == "at most three" else 120)):
        X, y = draw_tied(rng)
        truth = decide_separability(X, y)
        assert truth.verify(X, y)
        check_promise(HARD[name], X, y, bool(truth))
        answers.append(bool(truth))
    assert 10 < sum(answers) < len(answers) - 10  # both happen


@pytest.mark.fuzz
def test_features_of_the_papers_hyperplane_separate_strictly():
    # It may pass through samples, but some hyperplane on its features does not.
    rng = np.random.default_rng(1)
    for _ in range(many(100)):
        X, y = draw_tied(rng)
        machine = SupportFeatureMachine(C=np.inf, refit=None)
        if not decide_separability(X, y):
            with pytest.raises(NotSeparableError):
                machine.fit(X, y)
        else:
            assert decide_separability(X[:, machine.fit(X, y).support_], y)


@pytest.mark.fuzz
@pytest.mark.parametrize("name", JOINT)
def test_many_classes_jointly(name):
    rng = np.random.default_rng(2)
    answers = []
    for _ in range(many(25)):
        X, y = draw_tied(rng, n_classes=3, n=(5, 9), d=(1, 4))
        answers.append(is_separable_jointly(X, y))
        check_promise(JOINT[name], X, y, answers[-1])
    assert 4 < sum(answers) < len(answers) - 4


@pytest.mark.fuzz
def test_many_classes_one_against_the_rest():
    rng = np.random.default_rng(3)
    answers = []
    for _ in range(many(40)):
        X, y = draw_tied(rng, n_classes=3)
        answers.append(all(decide_separability(X, y == label) for label in range(3)))
        machine = SupportFeatureMachine(C=np.inf, multi_class="separate")
        check_promise(machine, X, y, answers[-1])
    assert any(answers)
    assert not all(answers)


@pytest.mark.parametrize("machine", [SupportFeatureMachine(C=np.inf), ZeroNormSVM(C=np.inf)])
@pytest.mark.parametrize("gap", [1e-1, 1e-3, 1e-6, 1e-8, 1e-10])
def test_a_tiny_distance_is_enough(gap, machine):
    rng = np.random.default_rng(4)
    for _ in range(5):
        X = rng.standard_normal((12, 2))
        side = X @ [1.0, 2.0]
        y = np.arange(12) % 2
        X[:, 0] += np.where(y == 1, gap, -gap) * rng.uniform(1, 2, 12) - side  # all near one line
        assert decide_separability(X, y)
        check_promise(machine, X, y, separable=True)


def test_an_outlier_does_not_hide_what_separates():
    X, y = np.array([[0.0], [1.0], [2.0], [1e10]]), np.array([0, 0, 1, 1])
    check_promise(SupportFeatureMachine(C=np.inf), X, y, separable=True)


def test_the_certified_minimum_agrees():
    X = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    y = np.array([0, 0, 1, 1])
    assert minimum_features(X, y).size is None
    with pytest.raises(NotSeparableError, match="cannot be separated without error"):
        SupportFeatureMachine(C=np.inf).fit(X, y)


def test_chance_may_be_inseparable_too():
    # Permuted labels of repeated samples are inseparable: infinitely many features.
    X = np.repeat(np.eye(4), 5, axis=0)
    y = np.repeat([0, 1, 0, 1], 5)
    found = permutation_test(
        SupportFeatureMachine(C=np.inf), X, y, statistics="features", n_permutations=19
    )
    assert np.all(np.isinf(found.features.chance))


def test_repetition_ends_where_the_rest_only_touches():
    rng = np.random.default_rng(5)
    y = np.arange(20) % 2
    X = np.column_stack([y, 1 - y, rng.integers(0, 2, (20, 3))]).astype(float)
    found = RepetitiveSelector().fit(X, y)
    assert {feature for subset in found.subsets_ for feature in subset.tolist()} == {0, 1}
    assert found.stop_reason_ == "inseparable"


def test_a_search_over_costs_leaves_the_hard_machine_out():
    X = np.array([[0.0], [1.0], [1.0], [2.0]] * 6)
    y = np.array([0, 0, 1, 1] * 6)
    machine = SupportFeatureMachineCV(Cs=[1.0, np.inf], cv=3).fit(X, y)
    assert np.isfinite(machine.C_)  # divided by the share of samples that a fold trains on


def test_exit_code_at_the_terminal(tmp_path, capsys):
    table = tmp_path / "tied.csv"
    table.write_text("a,b,class\n" + "0,1,x\n1,0,x\n1,0,y\n1,1,y\n" * 3)
    assert main(["select", str(table), "--target", "class", "--C", "inf"]) == 3
    assert "separates the classes without error (proven)" in capsys.readouterr().err
