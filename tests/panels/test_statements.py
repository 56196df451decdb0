"""p-values given the others, and how often features or their stand-ins are chosen."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats
from sklearn.feature_selection import SelectKBest

from fewest import SupportFeatureMachine, _interrupts
from fewest._run.budget import Budget
from fewest.panels import feature_statements
from fewest.panels._given_others import measure_given_others
from fewest.significance import stability


def p_value(x, others, y, *, groups=None, n_permutations=199, seed=0):
    values = np.column_stack([x, others]) if len(others) else x[:, None]
    codes = np.unique(y, return_inverse=True)[1]
    rng = np.random.RandomState(seed)
    settings = {"n_permutations": n_permutations, "rng": rng, "budget": Budget(None)}
    (found,), n_done = measure_given_others(values, codes, groups, [0], **settings)
    assert n_done == n_permutations
    return found


def draw(rng, n=40, n_classes=2, effect=0.0, noise=None):
    """A feature that depends on two others, which depend on the class."""
    y = np.arange(n) % n_classes
    others = rng.standard_normal((n, 2)) + 1.5 * y[:, None]
    noise = rng.standard_exponential if noise is None else noise
    return others @ [1.0, -0.7] + noise(n) + effect * y, others, y


def f_test(x, others, y):
    """The classical test of the classes in a linear model, by two least-squares fits."""
    ones = np.ones((len(y), 1))
    small = np.column_stack([ones, others]) if len(others) else ones
    large = np.column_stack([small, np.eye(int(y.max()) + 1)[y][:, 1:]])
    left = [
        np.sum((x - one @ np.linalg.lstsq(one, x, rcond=None)[0]) ** 2) for one in (small, large)
    ]
    more, free = large.shape[1] - small.shape[1], len(y) - large.shape[1]
    return stats.f.sf((left[0] - left[1]) / more / (left[1] / free), more, free)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_agrees_with_the_classical_test_on_normal_data(n_classes):
    rng = np.random.default_rng(n_classes)
    for effect in (0.0, 0.1, 0.3):
        x, others, y = draw(rng, n=100, n_classes=n_classes, effect=effect, noise=rng.normal)
        expected = f_test(x, others, y)
        found = p_value(x, others, y, n_permutations=4_999)
        assert found == pytest.approx(expected, abs=0.004 + 4 * np.sqrt(expected / 5_000))


def test_without_others_it_is_the_permutation_test_of_a_mean():
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal(7), np.array([0, 0, 0, 1, 1, 1, 1])

    def distance(values):
        return abs(values[y == 0].mean() - values[y == 1].mean())

    every = [distance(np.array(one)) for one in permutations(x)]
    exact = np.mean(np.array(every) >= distance(x) - 1e-12)
    assert p_value(x, [], y, n_permutations=20_000) == pytest.approx(exact, abs=0.015)


@pytest.mark.parametrize("kind", ["skewed", "three classes", "few samples"])
def test_a_useless_feature_has_uniform_p_values(kind):
    rng = np.random.default_rng(7)
    how = {"skewed": {}, "three classes": {"n_classes": 3}, "few samples": {"n": 14}}[kind]
    found = [p_value(*draw(rng, **how), seed=seed) for seed in range(250)]
    assert stats.kstest(found, "uniform").statistic < 1.63 / np.sqrt(250)  # the level of 1 %
    assert np.mean(np.array(found) <= 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 250)
    useful = [p_value(*draw(rng, effect=3.0, **how), seed=seed) for seed in range(20)]
    assert np.median(useful) < 0.05


HARD_NOISE = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "skewed": lambda rng, n: np.exp(1.5 * rng.standard_normal(n)),
    "heavy tails": lambda rng, n: rng.standard_t(2, n),
    "counts": lambda rng, n: rng.poisson(1.0, n).astype(float),
}


@pytest.mark.slow
@pytest.mark.parametrize("noise", HARD_NOISE)
@pytest.mark.parametrize(("n_small", "n_others"), [(7, 4), (5, 3)])
def test_uniform_with_few_samples_uneven_classes_and_odd_noise(noise, n_small, n_others):
    rng, found = np.random.default_rng(0), []
    y = np.repeat([0, 1], [20 - n_small, n_small])
    for seed in range(1_500):
        others = rng.standard_normal((20, n_others)) + 1.5 * y[:, None]
        x = others.sum(axis=1) + HARD_NOISE[noise](rng, 20)
        found.append(p_value(x, others, y, seed=seed))
    assert stats.kstest(found, "uniform").statistic < 1.95 / np.sqrt(1_500)  # level of 0.1 %
    for level in (0.01, 0.05, 0.1):
        reach = 4 * np.sqrt(level * (1.0 - level) / 1_500)
        assert np.mean(np.array(found) <= level) < level + reach


def test_the_others_count():
    """A copy with noise differs between classes, but says nothing beyond the original."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    original = rng.standard_normal(60) + 2.0 * y
    copy = original + 0.5 * rng.standard_normal(60)
    assert p_value(copy, [], y) < 0.01
    assert p_value(copy, original[:, None], y) > 0.1
    # The other way round: no difference alone, but one at equal values of the other.
    hidden = rng.standard_normal(60)
    masked = hidden + y
    assert p_value(hidden, [], y) > 0.1
    assert p_value(hidden, masked[:, None], y) < 0.01


def test_what_the_others_explain_makes_no_difference():
    rng = np.random.default_rng(0)
    x, others, y = draw(rng, effect=0.5)
    shifted = 3.0 * x + 100.0 * others[:, 0] - 7.0
    assert p_value(shifted, others, y) == p_value(x, others, y)
    assert p_value(others @ [1.0, 2.0], others, y) == 1.0


def test_too_few_samples_have_no_p_value():
    rng = np.random.default_rng(0)
    y = np.arange(6) % 2
    x, others = rng.standard_normal(6), rng.standard_normal((6, 4))
    assert p_value(x, others, y) is None
    assert p_value(x, others[:, :3], y) is not None


def test_an_end_in_time_keeps_what_is_done():
    """All features have as many permutations, which are the first of those without a limit."""
    rng = np.random.default_rng(0)
    x, others, y = draw(rng, n=100, effect=0.3)
    values = np.column_stack([x, others])
    settings = {"codes": y, "groups": None, "places": range(3)}

    def measure(n_permutations, seconds):
        drawn, budget = np.random.RandomState(0), Budget(seconds)
        return measure_given_others(
            values, n_permutations=n_permutations, rng=drawn, budget=budget, **settings
        )

    found, n_done = measure(10**6, 0.3)
    assert 1 < n_done < 10**6
    assert found[0] == p_value(x, others, y, n_permutations=n_done)
    assert all((p * (n_done + 1)) == pytest.approx(round(p * (n_done + 1))) for p in found)
    assert measure(99, 60.0) == measure(99, None)
    assert measure(99, 0.0) == ([None] * 3, 0)


def test_a_lost_interrupt_ends_permutations():
    """One that arrived where Python could not raise it."""
    rng = np.random.default_rng(0)
    _interrupts._pressed.set()
    try:
        with pytest.raises(KeyboardInterrupt):
            p_value(*draw(rng))
    finally:
        _interrupts.settle_interrupt()


def test_groups_of_one_class_count_as_one_sample():
    rng = np.random.default_rng(0)
    x, others, y = draw(rng, n=24)
    groups = np.repeat(np.arange(24), 4)
    repeated = [np.repeat(one, 4, axis=0) for one in (x, others, y)]
    assert p_value(*repeated, groups=groups) == p_value(x, others, y)
    assert p_value(*repeated) < p_value(x, others, y)  # what happens without groups


def test_groups_of_several_classes_are_compared_within():
    rng = np.random.default_rng(0)
    groups, y = np.repeat(np.arange(20), 2), np.tile([0, 1], 20)
    of_group = 10.0 * rng.standard_normal(20)[groups]
    x = rng.standard_normal(40) + 1.5 * y + of_group
    assert p_value(x, [], y) > 0.1
    assert p_value(x, [], y, groups=groups) < 0.01
    paired = stats.ttest_rel(x[::2], x[1::2]).pvalue
    assert p_value(x, [], y, groups=groups, n_permutations=4_999) == pytest.approx(paired, abs=0.01)


def test_uniform_within_groups_too():
    rng = np.random.default_rng(3)
    groups, y = np.repeat(np.arange(15), 3), np.tile([0, 1, 0], 15)
    found = []
    for seed in range(250):
        others = rng.standard_normal((45, 1)) + y[:, None]
        x = others[:, 0] + rng.standard_normal(45) + 3.0 * rng.standard_normal(15)[groups]
        found.append(p_value(x, others, y, groups=groups, seed=seed))
    assert stats.kstest(found, "uniform").statistic < 1.63 / np.sqrt(250)


def test_a_choice_on_the_same_samples_makes_p_values_too_small():
    """As the documentation says: they do not know of the choice."""
    rng = np.random.default_rng(0)
    found = []
    for seed in range(20):
        X, y = rng.standard_normal((30, 200)), np.arange(30) % 2
        said = feature_statements(
            SelectKBest(k=2), X, y, n_resamples=1, n_permutations=99, random_state=seed
        )
        found += [one.p_value for one in said.statements]
    assert np.mean(np.array(found) <= 0.05) > 0.9


def test_shares_are_those_of_the_resamples():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 12)), np.arange(50) % 2
    X[y == 1, 0] += 1.5
    X[:, 7] = X[:, 0] + 0.05 * X[:, 7]  # either may be chosen, never both by one feature alone
    chooser = SelectKBest(k=1)
    found = feature_statements(chooser, X, y, features=[0], n_resamples=30, random_state=0)
    frequency = stability(chooser, X, y, n_resamples=30, random_state=0).frequency
    (said,) = found.statements
    assert said.chosen == frequency[0]
    assert said.chosen_or_stand_in == pytest.approx(frequency[0] + frequency[7])
    assert [one.column for one in said.stand_ins] == [7]
    assert said.n_stand_ins == 1
    assert said.stand_ins[0].chosen == frequency[7]
    assert said.stand_ins[0].correlation == pytest.approx(np.corrcoef(X[:, 0], X[:, 7])[0, 1])
    assert 0.1 < said.chosen < said.chosen_or_stand_in
    strict = feature_statements(
        chooser, X, y, features=[0], n_resamples=30, min_correlation=0.9999, random_state=0
    )
    assert strict.statements[0].chosen_or_stand_in == said.chosen


def test_members_of_the_panel_are_no_stand_ins_of_each_other():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 5)), np.arange(40) % 2
    X[:, 1] = -X[:, 0] + 0.01 * X[:, 1]
    found = feature_statements(None, X, y, features=[0, 1], n_permutations=9, random_state=0)
    assert [one.n_stand_ins for one in found.statements] == [0, 0]
    (alone,) = feature_statements(None, X, y, features=[0], n_permutations=9).statements
    assert alone.stand_ins[0].column == 1
    assert alone.stand_ins[0].chosen is None


def test_the_panel_is_what_the_estimator_chooses():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((45, 8)), np.arange(45) % 3
    X[np.arange(45), y] += 3.0
    machine = SupportFeatureMachine(max_features=2)
    found = feature_statements(
        machine,
        X,
        y,
        feature_names=list("abcdefgh"),
        n_resamples=4,
        resample="half",
        groups=np.arange(45) // 3,
        n_permutations=19,
        random_state=0,
    )
    chosen = machine.fit(X, y).get_support(indices=True)
    assert [one.column for one in found.statements] == chosen.tolist()
    assert [one.name for one in found.statements] == ["abcdefgh"[column] for column in chosen]
    text = str(found)
    assert "4 halves of the samples" in text
    assert "Support Feature Machine" in text
    assert "p is too small" in text


def test_time_limit_leaves_fewer_resamples():
    X, y = np.random.default_rng(0).standard_normal((20, 4)), np.arange(20) % 2
    found = feature_statements(SelectKBest(k=1), X, y, max_seconds=1e-9, n_permutations=9)
    assert found.n_resamples == 1
    with pytest.raises(ValueError, match="max_seconds must be"):
        feature_statements(SelectKBest(k=1), X, y, max_seconds=-1)


def test_bad_input():
    X, y = np.random.default_rng(0).standard_normal((20, 4)), np.arange(20) % 2
    with pytest.raises(ValueError, match="features must name the panel"):
        feature_statements(None, X, y)
    with pytest.raises(ValueError, match="chose no feature"):
        feature_statements(SelectKBest(k=0), X, y)
    with pytest.raises(ValueError, match="resample must be one of"):
        feature_statements(None, X, y, features=[0], resample="twice")
    with pytest.raises(ValueError, match="min_correlation must be"):
        feature_statements(None, X, y, features=[0], min_correlation=1.5)
    with pytest.raises(ValueError, match="n_permutations must be"):
        feature_statements(None, X, y, features=[0], n_permutations=0)
    with pytest.raises(ValueError, match="the data do not have: g1"):
        feature_statements(None, X, y, features=["g1"])
