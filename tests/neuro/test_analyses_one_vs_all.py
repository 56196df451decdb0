"""One condition against the averages of all others."""

import numpy as np
import pytest
from scipy import sparse

from fewest import SupportFeatureMachine
from fewest.neuro.analyses import all_pairs, average_rest, one_vs_all


def averages_by_hand(trials, condition):
    """The thesis: each trial of the condition; of all others the mean of a run's trials."""
    X, own, groups = [], [], []
    for group in np.unique(trials.groups):
        for row in np.flatnonzero((trials.groups == group) & (trials.y == condition)):
            X.append(trials.X[row])
            own.append(True)
            groups.append(group)
        for other in np.unique(trials.y[trials.y != condition]):
            for run in np.unique(trials.runs):
                rows = (trials.groups == group) & (trials.y == other) & (trials.runs == run)
                X.append(trials.X[rows].mean(axis=0))
                own.append(False)
                groups.append(group)
    return np.array(X), np.array(own), np.array(groups)


def ordered(X, own, groups):
    order = np.lexsort((X[:, 0], own, groups))
    return X[order], own[order], groups[order]


def test_averages_are_those_of_the_thesis(trials):
    found = average_rest(trials.X, trials.y, "joy", groups=trials.groups, blocks=trials.runs)
    expected = averages_by_hand(trials, "joy")
    for one, other in zip(ordered(*found), ordered(*expected), strict=True):
        np.testing.assert_allclose(one, other)


def test_classes_are_balanced_and_the_performance_is_that_of_the_averages(trials):
    found = one_vs_all(None, trials.X, trials.y, groups=trials.groups, blocks=trials.runs)
    assert found.conditions == ("anger", "fear", "joy")
    # 4 trials of the condition, and 2 runs of 2 other conditions, for each of 4 participants.
    assert found.class_sizes == ((16, 16),) * 3
    X, own, groups = averages_by_hand(trials, "joy")
    plain = all_pairs(None, X, own, groups=groups).pairs[0].performance
    np.testing.assert_allclose(found.performances[2].errors, plain.errors)
    assert found.performances[2].n_features == pytest.approx(plain.n_features, abs=0.5)
    errors = [one.error for one in found.performances]
    assert np.argmin(errors) == 2


def test_both_sides_averaged_or_none(trials):
    both = one_vs_all(
        None, trials.X, trials.y, groups=trials.groups, blocks=trials.runs, average="all"
    )
    assert both.class_sizes == ((8, 16),) * 3
    none = one_vs_all(
        None, trials.X, trials.y, groups=trials.groups, average=None, conditions=["joy", "fear"]
    )
    assert none.conditions == ("joy", "fear")
    assert none.class_sizes == ((16, 32),) * 2
    whole = one_vs_all(None, sparse.csr_array(trials.X), trials.y, groups=trials.groups)
    assert whole.class_sizes == ((16, 8),) * 3


def test_averages_alone_can_be_told_from_trials():
    """Why average="all" is there: without any effect, the noise differs."""
    rng = np.random.default_rng(0)
    y, groups = np.repeat(["a", "b"], 20), np.tile(np.arange(4), 10)
    X = rng.standard_normal((40, 300))
    samples, own, _ = average_rest(X, y, "a", groups=groups)
    assert samples[~own].std() < 0.6 * samples[own].std()
    samples, own, _ = average_rest(X, y, "a", groups=groups, average="all")
    assert samples[~own].std() == pytest.approx(samples[own].std(), rel=0.1)


def test_table_and_messages(trials):
    soft = SupportFeatureMachine(C=1.0)
    text = str(one_vs_all(soft, trials.X, trials.y, groups=trials.groups, blocks=trials.runs))
    assert text.splitlines()[0].split() == ["samples", "features", "error"]
    assert text.splitlines()[3].split()[:7] == ["joy", "vs.", "all", "others", "16", "+", "16"]
    with pytest.raises(ValueError, match="average must be one of 'rest', 'all', None; got 'both'"):
        one_vs_all(None, trials.X, trials.y, groups=trials.groups, average="both")
    alone = one_vs_all(soft, trials.X, trials.y, groups=trials.groups, conditions=["joy"])
    assert alone.conditions == ("joy",)
    with pytest.raises(ValueError, match="at least 1 different classes of y; got none"):
        one_vs_all(None, trials.X, trials.y, groups=trials.groups, conditions=[])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        one_vs_all(None, trials.X, trials.y, groups=trials.groups, blocks=trials.runs[1:])
