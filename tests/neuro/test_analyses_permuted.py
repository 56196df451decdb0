"""Pairs of conditions beside permuted labels."""

import numpy as np
import pytest

from fewest import SupportFeatureMachine
from fewest.neuro.analyses import all_pairs, permuted_pairs


def test_permutations_are_those_of_labels_within_groups(trials):
    """The same permutations by hand, each through `all_pairs`."""
    rows = np.isin(trials.y, ["joy", "fear"])
    X, y, groups = trials.X[rows], trials.y[rows], trials.groups[rows]
    found = permuted_pairs(None, X, y, groups=groups, n_permutations=5, random_state=3).pairs[0]
    rng = np.random.RandomState(3)
    features, errors = [], []
    for _ in range(5):
        permuted = y.copy()
        for group in np.unique(groups):
            permuted[groups == group] = rng.permutation(y[groups == group])
        performance = all_pairs(None, X, permuted, groups=groups).pairs[0].performance
        features.append(performance.n_features)
        errors.append(performance.error)
    np.testing.assert_allclose(found.features.chance, features)
    np.testing.assert_allclose(found.error.chance, errors)
    plain = all_pairs(None, X, y, groups=groups).pairs[0].performance
    assert found.features.observed == plain.n_features
    assert found.error.observed == plain.error
    assert found.features.p_value == (1 + np.sum(np.array(features) <= plain.n_features)) / 6
    assert found.error.p_value == (1 + np.sum(np.array(errors) <= plain.error)) / 6


def test_planted_pairs_are_beyond_chance_and_the_other_is_not(trials):
    found = permuted_pairs(
        None, trials.X, trials.y, groups=trials.groups, n_permutations=19, random_state=0
    )
    p_values = {(pair.first, pair.second): pair.p_value for pair in found.pairs}
    assert p_values["anger", "joy"] == p_values["fear", "joy"] == 0.05
    assert p_values["anger", "fear"] > 0.1
    np.testing.assert_allclose([pair.error.chance.mean() for pair in found.pairs], 0.5, atol=0.1)


def test_inseparable_permutations_count_as_worse(trials):
    """Three voxels separate joy from the rest, but not permuted labels."""
    X = trials.X[:, :3].copy()
    X[trials.y == "joy"] += 6.0
    found = permuted_pairs(
        None,
        X,
        trials.y,
        groups=trials.groups,
        conditions=["joy", "fear"],
        n_permutations=19,
        random_state=0,
    )
    pair = found.pairs[0]
    assert np.isinf(pair.features.chance).all()
    assert pair.features.p_value == 0.05
    assert "inf" in str(found)


def test_table(trials):
    soft = SupportFeatureMachine(C=1.0)
    found = permuted_pairs(
        soft, trials.X, trials.y, groups=trials.groups, n_permutations=3, random_state=0
    )
    lines = str(found).splitlines()
    assert lines[0].split() == ["features", "permuted", "p", "error", "permuted", "p", "both", "p"]
    assert len(lines) == 5
    assert "over 3 permutations; the least p they allow is 0.25" in lines[-1]


def test_spread_is_that_of_a_sample(trials):
    found = permuted_pairs(
        None,
        trials.X,
        trials.y,
        groups=trials.groups,
        conditions=["joy", "fear"],
        n_permutations=2,
        random_state=0,
    )
    chance = found.pairs[0].features.chance
    assert chance[0] != chance[1]
    assert f"{chance.mean():.1f} ± {chance.std(ddof=1):.1f}" in str(found)
    alone = permuted_pairs(
        None, trials.X, trials.y, groups=trials.groups, conditions=["joy", "fear"], n_permutations=1
    )
    assert "± 0.0" in str(alone)


def test_messages(trials):
    with pytest.raises(ValueError, match="n_permutations must be a whole number of at least one"):
        permuted_pairs(None, trials.X, trials.y, groups=trials.groups, n_permutations=0)
