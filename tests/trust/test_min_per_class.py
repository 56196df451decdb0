"""`min_per_class` is kept, or refused where no panel can keep it: brute force over all panels."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from fewest import Liknon, PanelSizeCV, SupportFeatureMachine, ZeroNormSVM


def highest_class(X, y, weight):
    """For every feature, the class whose mean is largest; -1 where two are equal."""
    means = np.array(
        [np.average(X[y == label], axis=0, weights=weight[y == label]) for label in np.unique(y)]
    )
    ordered = np.sort(means, axis=0)
    return np.where(ordered[-1] - ordered[-2] > 1e-6, means.argmax(axis=0), -1)


def keeps(columns, highest, rules, n_classes, least):
    """Whether these features have `least` of every class, and follow the rules."""
    columns = list(columns)
    if not set(rules.get("include", [])) <= set(columns) or set(rules.get("exclude", [])) & set(
        columns
    ):
        return False
    groups = [rules["feature_groups"][j] for j in columns] if "feature_groups" in rules else []
    named = [one for one in groups if one is not None]
    if len(named) > len(set(named)):
        return False
    counts = np.bincount(highest[columns][highest[columns] >= 0], minlength=n_classes)
    return bool(counts.min() >= least)


def draw(seed):
    """Few samples of two to four classes, rules, and a number of features that may be too small."""
    rng = np.random.default_rng([32, seed])
    n_classes, d = int(rng.integers(2, 5)), int(rng.integers(4, 9))
    y = np.append(np.arange(n_classes), rng.integers(0, n_classes, 10))
    X = rng.integers(-2, 3, (len(y), d)) if seed % 3 == 0 else rng.standard_normal((len(y), d))
    weight = rng.integers(1, 4, len(y)).astype(float) if seed % 4 == 0 else np.ones(len(y))
    order, rules = rng.permutation(d).tolist(), {}
    if rng.random() < 0.6:
        rules["include"] = order[: int(rng.integers(1, 3))]
    if rng.random() < 0.3:
        rules["exclude"] = order[-1:]
    if rng.random() < 0.4:
        labels = rng.integers(0, 4, d).tolist()
        groups = [None if one == 3 or j in order[:2] else str(one) for j, one in enumerate(labels)]
        rules |= {"feature_groups": groups, "one_per_group": True}
    least = int(rng.integers(1, 3)) if n_classes == 2 else 1
    return X.astype(float), y, weight, rules, least, int(rng.integers(2, d + 1))


def is_kept_or_refused(machine, seed):
    """Fit to a random case; says whether the fit refused, which only impossible cases allow."""
    X, y, weight, rules, least, most = draw(seed)
    n_classes, d = len(np.unique(y)), X.shape[1]
    highest = highest_class(X, y, weight)
    panels = [
        columns
        for size in range(1, most + 1)
        for columns in combinations(range(d), size)
        if keeps(columns, highest, rules, n_classes, least)
    ]
    machine = machine(max_features=most, min_per_class=least, **rules)
    if not panels:
        too_many = len(rules.get("include", [])) > most
        with pytest.raises(ValueError, match="include" if too_many else "min_per_class"):
            machine.fit(X, y, sample_weight=weight)
        return False
    machine.fit(X, y, sample_weight=weight)
    found = np.flatnonzero(machine.support_)
    assert tuple(found.tolist()) in panels, f"case {seed}: {found} does not keep it"
    return True


@pytest.mark.parametrize("machine", [SupportFeatureMachine, ZeroNormSVM, Liknon])
def test_panels_of_few_features_keep_it_or_refuse(machine):
    extra = {"C": 2.0} if machine is ZeroNormSVM else {}
    kept = [is_kept_or_refused(lambda **given: machine(**extra, **given), k) for k in range(60)]
    assert 12 < sum(kept) < 48  # both happen


@pytest.mark.slow
def test_many_panels_keep_it_or_refuse():
    for seed in range(60, 400):
        is_kept_or_refused(SupportFeatureMachine, seed)


@pytest.fixture
def three_classes():
    """Features 0 and 1 are high in class 0, 2 in class 1, 3 in class 2, the rest is noise."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 8)), np.repeat([0, 1, 2], 20)
    for feature, of in enumerate([0, 0, 1, 2]):
        X[y == of, feature] += 2.0 - 0.3 * feature
    return X, y


def test_an_included_feature_leaves_room_or_the_fit_is_refused(three_classes):
    X, y = three_classes
    machine = SupportFeatureMachine(max_features=3, min_per_class=1, include=[0])
    assert np.flatnonzero(machine.fit(X, y).support_).tolist() == [0, 2, 3]  # 0 counts
    X[:, 7] = np.tile([0.0, 1.0], 30)  # as high in all classes
    with pytest.raises(ValueError, match=r"besides the features of include makes 4 features, more"):
        SupportFeatureMachine(max_features=3, min_per_class=1, include=[7]).fit(X, y)


def test_a_class_without_features_of_its_own_is_named(three_classes):
    X, y = three_classes
    y = np.array(["a", "b", "c"])[y]
    with pytest.raises(ValueError, match="have none whose mean is largest in 'c'"):
        SupportFeatureMachine(max_features=6, min_per_class=1).fit(X[:, [0, 1, 2]], y)
    low = [j for j in range(8) if highest_class(X, y, np.ones(60))[j] == 1 and j != 2]
    rules = {"exclude": [2, *low]}
    with pytest.raises(ValueError, match="have none whose mean is largest in 'b'"):
        SupportFeatureMachine(max_features=6, min_per_class=1, **rules).fit(X, y)


def test_the_choice_of_a_size_starts_where_all_classes_have_room(three_classes):
    X, y = three_classes
    machine = PanelSizeCV(SupportFeatureMachine(min_per_class=1, include=[1]), cv=3).fit(X, y)
    for panel in machine.panels_:
        assert {0, 1, 2} <= set(highest_class(X, y, np.ones(60))[panel].tolist())


def test_panels_of_cells_keep_it_or_refuse(three_classes):
    anndata = pytest.importorskip("anndata")
    pandas = pytest.importorskip("pandas")
    from fewest.single_cell import fit, select_panel

    X, y = three_classes
    types, cells = np.array(["B", "NK", "T"])[y], [f"c{i}" for i in range(60)]
    cells = anndata.AnnData(
        X - X.min(),
        obs=pandas.DataFrame({"type": types}, index=cells),
        var=pandas.DataFrame(index=[f"g{j}" for j in range(8)]),
    )
    machine = SupportFeatureMachine(max_features=3, min_per_class=1, include=[1])
    for panel in (
        select_panel(cells, "type", estimator=machine, cv=None, key_added=None),
        fit(cells, "type", machine, cv=None, key_added=None),
    ):
        assert sorted(panel.genes) == ["g1", "g2", "g3"]
    machine = SupportFeatureMachine(max_features=2, min_per_class=1)
    with pytest.raises(ValueError, match="more than max_features=2"):
        select_panel(cells, "type", estimator=machine, cv=None, key_added=None)
