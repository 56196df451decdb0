"""Rules about features: from names and numbers to arrays, and errors that say what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from fewest._estimators.rules import read_rules

NAMES = ["age", "sex", "CD3E", "CD8A", "MS4A1"]


def test_names_and_numbers_mean_the_same():
    by_name = read_rules(5, NAMES, include=["age"], exclude=["sex"], feature_cost={"CD8A": 2})
    by_number = read_rules(5, None, include=[0], exclude=[1], feature_cost={3: 2})
    for one in (by_name, by_number):
        np.testing.assert_array_equal(one.price, [0, 1, 1, 2, 1])
        np.testing.assert_array_equal(one.excluded, [False, True, False, False, False])
        assert one.n_included == 1


def test_masks_and_arrays_are_taken_as_they_are():
    mask = np.array([True, False, False, False, False])
    rules = read_rules(5, include=mask, feature_cost=[1, 2, 3, 4, 5], signs=[0, 0, 1, -1, 0])
    np.testing.assert_array_equal(rules.price, [0, 2, 3, 4, 5])
    np.testing.assert_array_equal(rules.signs, [0, 0, 1, -1, 0])
    assert mask.sum() == 1
    np.testing.assert_array_equal(read_rules(5, feature_cost=3.0).price, np.full(5, 3.0))


def test_groups_from_labels_and_from_lists():
    labels = ["T", None, "T", "", float("nan")]
    from_labels = read_rules(5, feature_groups=labels)
    from_lists = read_rules(5, NAMES, feature_groups={"T": ["age", "CD3E"]})
    for one in (from_labels, from_lists):
        np.testing.assert_array_equal(one.groups, [0, -1, 0, -1, -1])
        assert one.terms.total(np.array([0, 1, 2])) == 2.0


def test_a_group_is_paid_once_by_its_largest_price():
    rules = read_rules(4, feature_groups=[0, 0, 1, None], feature_cost=[1, 5, 2, 3])
    assert rules.terms.total(np.array([0, 1, 2, 3])) == 10.0
    assert rules.terms.total(np.array([0])) == 1.0


def test_the_largest_of_a_group_stays():
    rules = read_rules(5, feature_groups=[0, 0, 0, 1, None], one_per_group=True)
    crowded = rules.find_crowded(np.array([0, 1, 3, 4]), np.array([0.2, 0.5, 1.0, 1.0]))
    np.testing.assert_array_equal(crowded, [0])
    rules = read_rules(5, feature_groups=[0, 0, 0, 1, None], one_per_group=True, include=[0])
    crowded = rules.find_crowded(np.array([0, 1, 2]), np.array([0.2, 0.5, 0.1]))
    np.testing.assert_array_equal(crowded, [1, 2])
    np.testing.assert_array_equal(rules.excluded, [False, True, True, False, False])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"include": ["CD3"]},
            "include names 'CD3', which is not a feature of X. Did you mean 'CD3E",
        ),
        ({"exclude": [7]}, "exclude has 7; it must be a name, or the number of a column, 0 to 4"),
        ({"include": [True, False]}, r"include: mask of shape \(2,\), but X has 5 features"),
        ({"include": ["age"], "exclude": ["age", "sex"]}, "feature age: in include and in exclude"),
        ({"exclude": NAMES}, "exclude names every feature"),
        (
            {"feature_cost": {"age": -1}},
            "positive and finite, but it is -1 for feature age",
        ),
        ({"feature_cost": [1, 2]}, r"feature_cost: array of shape \(2,\)"),
        ({"feature_cost": "dear"}, "feature_cost must hold numbers; got 'dear'"),
        ({"feature_cost": {"age": 0}}, "Put features that cost nothing into include"),
        ({"feature_cost": [1, 2, float("nan"), 1, 1]}, "it is nan for feature CD3E"),
        ({"signs": {"age": 2}}, "signs must be 1 .* got 2"),
        ({"feature_groups": {"a": ["age"], "b": ["age"]}}, "feature age in two groups"),
        ({"feature_groups": {"a": ["agee"]}}, r"feature_groups\['a'\] names 'agee'"),
        ({"feature_groups": ["a"]}, r"feature_groups: list of labels of shape \(1,\)"),
        ({"one_per_group": True}, "one_per_group needs feature_groups"),
        (
            {
                "feature_groups": ["a", "a", "", "", ""],
                "one_per_group": True,
                "include": ["age", "sex"],
            },
            "include names features age, sex, which share groups",
        ),
    ],
)
def test_errors_say_what_is_wrong(given, message):
    with pytest.raises(ValueError, match=message):
        read_rules(5, NAMES, **given)


def test_names_need_names():
    with pytest.raises(ValueError, match="but X has no names: give the numbers of columns"):
        read_rules(5, include=["age"])
