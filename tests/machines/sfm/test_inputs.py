"""Forms of input that must give the same answer, and input that must be refused."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from fewest import NotSeparableError, SupportFeatureMachine
from fewest.datasets import make_gaussian, make_weston


@pytest.fixture(scope="module")
def data():
    # Multiples of 1/8 are the same in float32, and half of them are zero for the sparse forms.
    X, y = make_weston(n=60, n_noise=150, random_state=0)
    X = np.round(X * 8) / 8
    X[:, 6:][np.random.default_rng(0).random((60, 150)) < 0.5] = 0.0
    return X, y


@pytest.mark.parametrize("C", [0.5, np.inf])
@pytest.mark.parametrize(
    "form",
    [
        np.asfortranarray,
        lambda X: X.astype(np.float32),
        lambda X: (X * 8).astype(np.int32),
        sparse.csr_matrix,
        sparse.csc_matrix,
        sparse.csr_array,
        lambda X: np.repeat(X, 2, axis=1)[:, ::2],
        lambda X: pd.DataFrame(X, columns=[f"gene_{j}" for j in range(X.shape[1])]),
        lambda X: X.tolist(),
    ],
    ids=["fortran", "float32", "int32", "csr", "csc", "csr_array", "strided", "frame", "list"],
)
def test_every_form_of_X_gives_the_same_answer(data, form, C):
    X, y = data
    expected = SupportFeatureMachine(C=C).fit(X, y)
    given = form(X)
    machine = SupportFeatureMachine(C=C).fit(given, y)
    np.testing.assert_array_equal(machine.support_, expected.support_)
    np.testing.assert_allclose(
        machine.decision_function(given), expected.decision_function(X), atol=1e-6
    )
    assert machine.transform(given).shape == (60, expected.support_.sum())


def test_a_read_only_memory_map_is_enough(data, tmp_path):
    X, y = data
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    machine = SupportFeatureMachine().fit(mapped, y)
    np.testing.assert_array_equal(machine.support_, SupportFeatureMachine().fit(X, y).support_)


def test_feature_names_are_kept(data):
    X, y = data
    frame = pd.DataFrame(X, columns=[f"gene_{j}" for j in range(X.shape[1])])
    machine = SupportFeatureMachine(C=np.inf).fit(frame, y)
    names = machine.get_feature_names_out()
    assert list(names) == [f"gene_{j}" for j in np.flatnonzero(machine.support_)]
    selected = machine.set_output(transform="pandas").transform(frame)
    assert list(selected.columns) == list(names)


def test_constant_columns_are_never_selected_and_do_not_move_C(data):
    X, y = data
    padded = np.hstack([np.full((60, 40), 0.1), X, np.full((60, 40), 1e9 + 0.1)])
    machine = SupportFeatureMachine(C=0.3).fit(padded, y)
    np.testing.assert_array_equal(
        machine.support_[40:-40], SupportFeatureMachine(C=0.3).fit(X, y).support_
    )
    assert not machine.support_[:40].any()
    assert not machine.support_[-40:].any()


@pytest.mark.parametrize("C", [0.3, np.inf])
def test_weights_count_samples(data, C):
    X, y = data
    weight = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    weighted = SupportFeatureMachine(C=C).fit(X, y, sample_weight=weight)
    repeated = SupportFeatureMachine(C=C).fit(
        np.repeat(X, weight.astype(int), axis=0), np.repeat(y, weight.astype(int))
    )
    np.testing.assert_array_equal(weighted.support_, repeated.support_)
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-3, atol=1e-6)


def test_separate_classes_are_one_against_the_rest():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 20)
    X = rng.standard_normal((60, 300))
    for k, label in enumerate("abc"):
        X[y == label, k] += 6.0
    machine = SupportFeatureMachine(C=np.inf, multi_class="separate", n_jobs=2).fit(X, y)
    assert machine.supports_.shape == machine.coef_.shape == (3, 300)
    assert [np.flatnonzero(row).tolist() for row in machine.supports_] == [[0], [1], [2]]
    np.testing.assert_array_equal(machine.support_, machine.supports_.any(axis=0))
    assert machine.score(X, y) == 1.0
    assert len(machine.results_) == 3
    with pytest.raises(AttributeError, match="results_"):
        machine.result_  # noqa: B018
    for k, label in enumerate("abc"):
        single = SupportFeatureMachine(C=np.inf).fit(X, y == label)
        np.testing.assert_allclose(single.coef_[0], machine.coef_[k])


def test_verbose_prints_a_line_per_hyperplane(data, capsys):
    X, y = data
    SupportFeatureMachine(verbose=1).fit(X, y)
    assert capsys.readouterr().out == ""
    SupportFeatureMachine(verbose=2).fit(X, y)
    line = capsys.readouterr().out
    assert line.count("\n") == 1
    assert line.startswith("[SupportFeatureMachine] 1: 2 features")
    assert "gap" in line


def fit(X, y, **parameters):
    return SupportFeatureMachine(**parameters).fit(X, y)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("convert", [np.asarray, np.float32, np.asfortranarray, sparse.csr_matrix])
def test_values_that_are_not_finite(data, bad, convert):
    X, y = data
    X = X.copy()
    X[3, 4] = bad
    word = "NaN" if np.isnan(bad) else "infinity"
    with pytest.raises(ValueError, match=f"X contains {word}"):
        fit(convert(X), y)


def test_values_whose_squares_overflow(data):
    X, y = data
    with pytest.raises(ValueError, match="rescale"):
        fit(X * 1e200, y)


def test_one_class():
    with pytest.raises(ValueError, match="at least two classes.*only one class: 'ill'"):
        fit(np.eye(3), ["ill"] * 3)


def test_one_sample_and_empty():
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        fit(np.ones((1, 4)), [1])
    with pytest.raises(ValueError, match="0 sample"):
        fit(np.ones((0, 4)), [])
    with pytest.raises(ValueError, match="0 feature"):
        fit(np.ones((4, 0)), [0, 0, 1, 1])


def test_labels_of_the_wrong_length(data):
    X, y = data
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[60, 59\]"):
        fit(X, y[:-1])


def test_continuous_target(data):
    with pytest.raises(ValueError, match="continuous"):
        fit(data[0], np.linspace(0, 1, 60) ** 2)


def test_hard_and_not_separable_names_the_way_out():
    X, y = make_gaussian(n=100, d=5, k=2, mu=0.2, random_state=0)
    with pytest.raises(NotSeparableError, match="class 1 cannot be separated.*finite C"):
        fit(X, y, C=np.inf)
    assert issubclass(NotSeparableError, ValueError)


def test_class_means_that_coincide():
    X = np.array([[1.0], [-1.0], [1.0], [-1.0]])
    with pytest.raises(ValueError, match="equal in every feature"):
        fit(X, [0, 0, 1, 1])


def test_all_columns_constant():
    with pytest.raises(ValueError, match=r"all 7 feature\(s\) of X are constant.*right columns"):
        fit(np.full((6, 7), 0.1), [0, 1] * 3)


def test_text_in_X(data):
    y = data[1]
    with pytest.raises(ValueError, match=r"1 column\(s\) of X hold text.*patient.*Drop them"):
        fit(pd.DataFrame({"patient": ["p"] * 60, "gene": np.arange(60.0)}), y)
    with pytest.raises(ValueError, match="could not convert string to float|bytes/strings"):
        fit(np.array([["a", "b"]] * 60), y)
    with pytest.raises(ValueError, match="could not convert string to float"):
        fit(np.array([["a", 1.0]] * 60, dtype=object), y)


@pytest.mark.parametrize("C", [0, -1.0, np.nan, "1", None, True])
def test_C_that_is_no_cost(data, C):
    with pytest.raises(ValueError, match="C must be a positive number, or np.inf"):
        fit(*data, C=C)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"constraint": "median"}, "constraint must be one of 'class_means', 'mean_margin'"),
        ({"refit": "svm"}, "refit must be one of 'margin', None"),
        ({"tol": 0.0}, "tol must be a positive number"),
        ({"tol": np.inf}, "tol must be a positive number;"),
        ({"max_iter": 0}, "max_iter must be a whole number"),
        ({"max_iter": 2.5}, "max_iter must be a whole number"),
        ({"class_weight": "even"}, "class_weight must be"),
        ({"class_weight": {1: 0.0}}, "class_weight must be"),
    ],
)
def test_other_parameters(data, parameters, message):
    with pytest.raises(ValueError, match=message):
        fit(*data, **parameters)


def test_sample_weights_that_leave_nothing(data):
    X, y = data
    with pytest.raises(ValueError, match="zero for every sample"):
        SupportFeatureMachine().fit(X, y, sample_weight=np.zeros(60))
    with pytest.raises(ValueError, match="only one class"):
        SupportFeatureMachine().fit(X, y, sample_weight=(y > 0).astype(float))


def test_predicting_needs_a_fit_and_as_many_columns(data):
    from sklearn.exceptions import NotFittedError

    X, y = data
    with pytest.raises(NotFittedError):
        SupportFeatureMachine().predict(X)
    with pytest.raises(ValueError, match="155 features"):
        SupportFeatureMachine().fit(X, y).predict(X[:, :-1])
