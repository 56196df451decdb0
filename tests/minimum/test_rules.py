"""The certified minimum under rules about features, against brute force over all subsets."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from fewest import RuledMinimum, minimum_features
from fewest._estimators.rules import read_rules
from fewest.minimum import _ruled
from fewest.minimum._claims import measure_set
from fewest.minimum._features import search_minimum
from fewest.minimum._leaves import RuledOut, Separation, settle
from fewest.minimum._signs import measure_margin
from fuzzing.oracles.ruled import paid_for, random_rules, separable, separating_sets
from fuzzing.oracles.subsets import random_problem
from tests.fuzzing import many

KINDS = ("include", "exclude", "feature_cost", "feature_groups", "one_per_group", "signs", "none")


def columns_of(result):
    return [tuple(subset.tolist()) for subset in result.subsets]


def spread(signs, d):
    """Signs of all columns from those that are given."""
    return np.array([signs.get(column, 0) for column in range(d)], dtype=np.int8)


def check(seed):
    """Compare one random case with brute force; says which kind of case it was."""
    X, y, rules = random_rules(seed)
    d = X.shape[1]
    wanted = separating_sets(X, y, rules)
    result = minimum_features(X, y, n_solutions=None, **rules)
    assert result.certified, seed
    assert result.verify(X, y), seed
    assert result.verify(X, y, search=True), seed
    signs = spread(rules.get("signs", {}), d)
    signs[rules.get("include", [])] = 0
    for leaf in result.ruled_out:
        chosen = list(leaf.columns)
        assert not separable(X[:, chosen], y, signs[chosen]), seed
    if not wanted:
        assert (result.size, result.price, result.price_bound) == (None, None, np.inf), seed
        return [*rules, "none"]
    price = min(wanted.values())
    assert result.price == float(price), seed
    assert result.price_bound == float(price), seed
    assert result.complete, seed
    best = {columns for columns, cost in wanted.items() if cost == price}
    assert set(columns_of(result)) <= best, seed
    if "feature_groups" in rules and not rules.get("one_per_group"):
        kinds = [paid_for(columns, rules, d) for columns in columns_of(result)]
        assert len(kinds) == len(set(kinds)) == result.n_found, seed
        assert set(kinds) == {paid_for(columns, rules, d) for columns in best}, seed
    else:
        assert sorted(columns_of(result)) == sorted(best), seed
    return [*rules, str(result.size)]


@pytest.mark.fuzz
def test_equals_brute_force():
    seen = Counter()
    for seed in range(many(16)):
        seen.update(check(seed))
    for kind in KINDS:
        assert seen[kind] >= 1, kind


@pytest.mark.parametrize("first", [pytest.param(k, marks=pytest.mark.slow) for k in (300, 400)])
def test_equals_brute_force_in_many_cases(first):
    seen = Counter()
    for seed in range(first, first + 100):
        seen.update(check(seed))
    for kind in (*KINDS, "0", "1", "2", "3"):
        assert seen[kind] >= 4, kind


def problem():
    X = np.random.default_rng(0).standard_normal((22, 30))
    return X, np.where(X[:, 7] + X[:, 11] - X[:, 20] > 0, "ill", "healthy")


def test_rules_that_change_nothing_give_the_same():
    X, y = problem()
    wanted = minimum_features(X, y, n_solutions=None)
    for rules in ({"exclude": []}, {"feature_cost": 2.0}, {"signs": 0}):
        result = minimum_features(X, y, n_solutions=None, **rules)
        assert isinstance(result, RuledMinimum)
        assert (result.size, result.lower_bound, result.certified) == (3, 3, True)
        assert columns_of(result) == columns_of(wanted)
        assert np.allclose(result.margins, wanted.margins)
        assert result.price == 3 * rules.get("feature_cost", 1.0)


def test_several_classes():
    X = np.random.default_rng(0).standard_normal((20, 10))
    y = 2 * (X[:, 7] > 0) + (X[:, 1] > 0)
    assert columns_of(minimum_features(X, y, include=[7])) == [(1, 7)]
    priced = minimum_features(X, y, feature_cost={7: 10.0})
    assert priced.price < 10
    assert 7 not in columns_of(priced)[0]
    assert priced.certified
    assert priced.verify(X, y, search=True)


def test_names_of_a_data_frame():
    pandas = pytest.importorskip("pandas")
    X, y = problem()
    frame = pandas.DataFrame(X, columns=[f"g{j}" for j in range(30)])
    result = minimum_features(frame, y, include=["g7"], exclude=["g11"])
    assert 7 in columns_of(result)[0]
    assert 11 not in columns_of(result)[0]
    with pytest.raises(ValueError, match="exclude names 'G11', .*Did you mean 'g11'"):
        minimum_features(frame, y, exclude=["G11"])


def test_equal_columns_of_other_prices_and_signs():
    X, y = problem()
    X = np.column_stack([X, -X[:, 11], X[:, 20]])
    both = minimum_features(X, y, n_solutions=None, signs={11: -1})
    assert (7, 20, 30) in columns_of(both)
    assert (7, 11, 20) not in columns_of(both)
    cheap = minimum_features(X, y, n_solutions=None, feature_cost={20: 2.0, 11: 1.5, 30: 1.25})
    assert all(20 not in columns and 11 not in columns for columns in columns_of(cheap))
    assert cheap.verify(X, y, search=True)


def test_included_features_may_have_no_use():
    X, y = problem()
    X[:, 3] = 1.0
    result = minimum_features(X, y, include=[3, 7, 11], signs={0: 1})
    assert (result.size, columns_of(result)) == (1, [(3, 7, 11, 20)])
    assert result.verify(X, y)


def test_limits_leave_an_honest_bound():
    X, y = problem()
    one = minimum_features(X, y, exclude=[7], max_size=1)
    assert (one.lower_bound, one.certified) == (2, False)
    assert one.verify(X, y, search=True)
    cost = np.random.default_rng(0).uniform(1, 2, 30)
    two = minimum_features(X, y, feature_cost=cost, max_size=2)
    assert not two.certified
    assert two.price_bound == 2.0 < two.price
    assert two.verify(X, y, search=True)
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 200)), np.arange(60) % 2
    for rules in ({"include": [0]}, {"feature_cost": {0: 0.5}}, {"feature_groups": {"a": [1, 2]}}):
        hasty = minimum_features(X, y, max_seconds=0.5, **rules)
        assert not hasty.certified
        assert 0 <= hasty.price_bound < hasty.price
        assert not hasty.complete
        assert hasty.verify(X, y)


def test_forged_results_are_found_out():
    X, y = problem()
    rules = {"include": [3], "exclude": [5], "signs": {7: 1}, "feature_cost": {11: 2.0}}
    result = minimum_features(X, y, **rules)
    assert result.verify(X, y, search=True)
    separation, read = result.separations[0], result.rules
    turned = replace(separation, weights=(tuple(-w for w in separation.weights[0]),))
    for forged in (
        replace(result, price=result.price + 1),
        replace(result, price_bound=result.price_bound - 1),
        replace(result, size=result.size + 1),
        replace(result, certified=False),
        replace(result, separations=(turned,)),
        replace(result, rules=replace(read, included=read.excluded, excluded=read.included)),
        replace(result, rules=replace(read, signs=-read.signs)),
        replace(result, rules=replace(read, groups=np.zeros(30, int), one_per_group=True)),
        replace(result, size=None, price=None, subsets=(), separations=()),
    ):
        assert not forged.verify(X, y)
    assert not result.verify(X[:, :-1], y)
    dearer = replace(read, price=2 * read.price)
    claimed = replace(result, rules=dearer, price=2 * result.price, price_bound=2 * result.price)
    assert claimed.verify(X, y, search=True)
    alone = minimum_features(X[:, [3, 7, 11, 20]], y, include=[0])
    assert alone.verify(X[:, [3, 7, 11, 20]], y, search=True)


@pytest.mark.parametrize(
    "rules", [{"exclude": [0]}, {"feature_cost": {0: 3.0}}, {"feature_groups": {"a": [0, 1]}}]
)
def test_a_bound_that_is_too_high_fails_the_repeated_search(rules):
    X, y = problem()
    result = minimum_features(X, y, **rules)
    idle = next(j for j in range(2, 30) if j not in columns_of(result)[0])
    columns = (*result.separations[0].columns, idle)
    order = np.argsort(columns)
    weights = (*(10**9 * one for one in result.separations[0].weights[0]), 1)
    separation = Separation(tuple(columns[k] for k in order), (tuple(weights[k] for k in order),))
    claimed = replace(
        result,
        size=result.size + 1,
        lower_bound=result.lower_bound + (not result.has_prices),
        price=result.price + 1,
        price_bound=result.price + 1,
        separations=(separation,),
        subsets=(np.array(separation.columns),),
        margins=np.array([measure_set(X, np.unique(y, return_inverse=True)[1], separation)]),
    )
    assert claimed.verify(X, y)
    assert not claimed.verify(X, y, search=True)


def test_nothing_that_follows_the_rules_separates():
    X, y = problem()
    few = [7, 11, 20]
    turned = minimum_features(X[:, few], y, signs={2: 1})
    assert (turned.size, turned.certified) == (None, True)
    assert turned.inseparable.tolist() == [["healthy", "ill"]]
    assert turned.verify(X[:, few], y)
    assert not replace(turned, rules=replace(turned.rules, signs=None)).verify(X[:, few], y)
    crowded = minimum_features(X[:, few], y, feature_groups=[0, 0, 1], one_per_group=True)
    assert (crowded.size, crowded.certified, crowded.price_bound) == (None, True, np.inf)
    assert crowded.verify(X[:, few], y, search=True)
    assert not replace(crowded, certified=False).verify(X[:, few], y)
    left = minimum_features(X[:, few], y, exclude=[0])
    assert (left.size, left.certified) == (None, True)
    assert left.inseparable.tolist() == [["healthy", "ill"]]
    assert left.verify(X[:, few], y)
    assert not replace(left, ruled_out=()).verify(X[:, few], y)


def test_equal_samples_in_the_columns_that_are_left():
    X = np.array([[0.0, 1.0], [0.0, 2.0]])
    assert minimum_features(X, [0, 1]).size == 1
    result = minimum_features(X, [0, 1], exclude=[1])
    assert (result.size, result.certified) == (None, True)
    assert result.verify(X, [0, 1])


def test_without_a_first_set(monkeypatch):
    X, y = problem()
    monkeypatch.setattr(_ruled, "find_ruled_set", lambda *given: None)
    assert minimum_features(X, y, include=[7]).size == 2
    grouped = minimum_features(X, y, feature_groups={"a": [7, 11]}, one_per_group=True)
    assert grouped.certified
    monkeypatch.setattr(_ruled, "LARGEST_SYSTEM", 0)
    priced = minimum_features(X, y, feature_cost={7: 2.0})
    assert priced.certified
    assert priced.verify(X, y, search=True)


@pytest.mark.parametrize(
    ("start", "is_used"), [((7, 11, 20, 3), True), ((0, 1), False), ((5, 7, 11, 20), False)]
)
def test_a_set_to_start_from(monkeypatch, start, is_used):
    """It is of use if it separates and follows the rules."""
    X, y = problem()
    monkeypatch.setattr(_ruled, "find_ruled_set", lambda *given: None)
    monkeypatch.setattr(_ruled, "LARGEST_SYSTEM", 0)
    rules = read_rules(30, exclude=[5])
    result = search_minimum(X, y, None, 1, rules=rules, start=start, max_size=1)
    assert (result.size == 3) == is_used
    assert (result.size is None) == (not is_used)


def test_a_first_set_without_two_of_a_group():
    X, y = problem()
    free = minimum_features(X, y, max_size=1, exclude=[])
    groups = np.arange(30)
    groups[free.subsets[0][1:]] = groups[free.subsets[0][0]]
    result = minimum_features(X, y, feature_groups=groups, one_per_group=True, max_size=1)
    assert len(set(groups[result.subsets[0]])) == result.size > 2
    assert result.verify(X, y)


def test_signs_in_single_decisions():
    """Programs and fractions agree with brute force where weights must have signs."""
    outcomes = Counter()
    for seed in range(60):
        X, y = random_problem(seed)
        X = np.asfortranarray(X[:, :3])
        signs = np.random.default_rng(seed).integers(-1, 2, X.shape[1]).astype(np.int8)
        wanted = separable(X, y, signs)
        for _ in range(2):
            answer = settle(X, y, range(X.shape[1]), signs=signs)
            assert isinstance(answer, Separation if wanted else RuledOut), seed
            assert answer.holds(X, y, signs), seed
        outcomes[wanted] += 1
    assert min(outcomes.values()) >= 8


def test_fractions_decide_where_the_program_fails(monkeypatch):
    def fail(block, y, signs):
        return np.zeros(block.shape[1]), np.zeros(len(y))

    monkeypatch.setattr("fewest.minimum._leaves.separate_with_signs", fail)
    outcomes = set()
    for seed in range(30):
        X, y = random_problem(seed)
        X = X[:10, :2]
        signs = np.array([1, -1], dtype=np.int8)[: X.shape[1]]
        answer = settle(X, y[:10], range(X.shape[1]), signs=signs)
        assert answer.holds(X, y[:10], signs), seed
        assert isinstance(answer, Separation) == separable(X, y[:10], signs), seed
        outcomes.add(type(answer))
    assert len(outcomes) == 2


def test_margins_respect_signs():
    """Without signs the margin is that of the machine; with them, of the best allowed direction."""
    X, y = problem()
    free = minimum_features(X, y, exclude=[0])
    columns = columns_of(free)[0]
    Z = (X[:, columns] - X[:, columns].mean(axis=0)) / X[:, columns].std(axis=0)
    side = np.where(y == "ill", 1.0, -1.0)
    assert measure_margin(Z, side, np.zeros(3, np.int8)) == pytest.approx(free.margins[0], rel=1e-4)
    ruled = minimum_features(X, y, signs=1)
    chosen = columns_of(ruled)[0]
    Z = (X[:, chosen] - X[:, chosen].mean(axis=0)) / X[:, chosen].std(axis=0)
    rng = np.random.default_rng(0)
    signs = np.ones(len(chosen))
    best = 0.0
    for _ in range(20_000):
        w = rng.standard_normal(len(chosen))
        w = np.where(signs != 0, np.abs(w), w)
        scores = Z @ w / np.linalg.norm(w)
        best = max(best, (scores[side > 0].min() - scores[side < 0].max()) / 2)
    assert best <= ruled.margins[0] * (1 + 1e-6)


def test_a_margin_that_cannot_be_computed(monkeypatch):
    def fail(*given, **settings):
        raise RuntimeError("maximum number of iterations reached")

    monkeypatch.setattr("fewest.minimum._signs.nnls", fail)
    X, y = problem()
    assert minimum_features(X, y, signs=1).margins.tolist() == [0.0]


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (
            {"include": range(9)},
            "include names 9 features, but the certified minimum can include 8",
        ),
        ({"include": [1], "exclude": [1]}, "feature 1: in include and in exclude"),
        ({"feature_cost": {3: -1.0}}, "feature_cost must be positive and finite, but it is -1"),
        ({"one_per_group": True}, "one_per_group needs feature_groups"),
        ({"signs": {0: 2}}, "signs must be 1"),
        (
            {"exclude": [30]},
            "exclude has 30; it must be a name, or the number of a column, 0 to 29",
        ),
    ],
)
def test_what_is_refused(rules, message):
    with pytest.raises(ValueError, match=message):
        minimum_features(*problem(), **rules)


def test_signs_are_about_two_classes():
    X, _ = problem()
    with pytest.raises(ValueError, match="signs are for two classes, but y has 3"):
        minimum_features(X, np.arange(22) % 3, signs={0: 1})
    assert minimum_features(X, np.arange(22) % 3, signs={0: 0}, max_size=1).lower_bound >= 2


def test_x_that_is_no_table():
    with pytest.raises(ValueError, match="2D array"):
        minimum_features([1.0, 2.0], [0, 1])
    with pytest.raises(ValueError, match="2D array"):
        minimum_features([1.0, 2.0], [0, 1], exclude=[])


def test_a_constant_feature_that_is_always_in_fills_its_group():
    rng = np.random.default_rng(0)
    X, y = np.ones((30, 4)), np.repeat([0, 1], 15)
    X[:, 1:] = rng.standard_normal((30, 3))
    X[:, 1] += 9.0 * y
    rules = {"include": [0], "feature_groups": {"a": [0, 1]}, "one_per_group": True}
    found = minimum_features(X, y, **rules)
    assert found.certified
    assert 1 not in {column for subset in found.subsets for column in subset}
    assert found.verify(X, y, search=True)
    assert columns_of(minimum_features(X, y, include=[0])) == [(0, 1)]
