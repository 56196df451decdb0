"""Pairs of conditions at each time."""

import numpy as np
import pytest

from fewest.neuro.analyses import all_pairs, time_slices


def test_each_slice_is_the_analysis_of_its_matrix(trials):
    rng = np.random.default_rng(1)
    matrices = [rng.standard_normal(trials.X.shape), trials.X]
    found = time_slices(None, np.stack(matrices, axis=1), trials.y, groups=trials.groups)
    assert found.times == (0, 1)
    for time, matrix in enumerate(matrices):
        plain = all_pairs(None, matrix, trials.y, groups=trials.groups)
        np.testing.assert_allclose(found.slices[time].errors(), plain.errors())
        np.testing.assert_allclose(found.slices[time].features(), plain.features())
        np.testing.assert_allclose(
            found.values("error")[:, time], [pair.performance.error for pair in plain.pairs]
        )
    listed = time_slices(None, matrices, trials.y, groups=trials.groups)
    np.testing.assert_allclose(listed.values("features"), found.values("features"))


def test_the_planted_time_is_found(trials):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((48, 5, 150))
    X[trials.y == "joy", 3, :4] += 2.0
    found = time_slices(
        None, X, trials.y, groups=trials.groups, times=["-2 s", "2 s", "6 s", "10 s", "14 s"]
    )
    for what in ("features", "error"):
        joy = [pair.name.endswith("joy") for pair in found.slices[0].pairs]
        assert np.all(found.values(what)[joy].argmin(axis=1) == 3)
    table = found.table("error").splitlines()
    assert table[0].split() == ["error", "-2", "s", "2", "s", "6", "s", "10", "s", "14", "s"]
    assert [line.split("  ")[1] for line in table[1:]] == [
        "anger vs. fear",
        "anger vs. joy",
        "fear vs. joy",
        "anger vs. any",
        "fear vs. any",
        "joy vs. any",
        "any vs. any",
    ]
    assert all(line.count("*") == 1 for line in table[1:])
    row = table[6].replace("*", "").split()[3:]  # joy vs. any
    expected = found.values("error")[joy].mean(axis=0)
    np.testing.assert_allclose([float(value) for value in row], expected, atol=0.0051)
    assert str(found) == f"{found.table('features')}\n\n{found.table('error')}"


def test_two_conditions_have_no_averages(trials):
    found = time_slices(
        None, [trials.X], trials.y, groups=trials.groups, conditions=["joy", "fear"]
    )
    assert len(found.table("error").splitlines()) == 2


def test_messages(trials):
    with pytest.raises(ValueError, match="samples x times x voxels, .* got an array of shape"):
        time_slices(None, trials.X, trials.y, groups=trials.groups)
    with pytest.raises(ValueError, match="times must name each of the 2 slices of X; got 1 names"):
        time_slices(None, [trials.X, trials.X], trials.y, groups=trials.groups, times=["2 s"])
    with pytest.raises(ValueError, match="what must be one of 'features', 'error'; got 'size'"):
        time_slices(None, [trials.X], trials.y, groups=trials.groups).values("size")
    with pytest.raises(ValueError, match="anger and fear at time 6 s, without group 0"):
        time_slices(None, [trials.X[:, :2]], trials.y, groups=trials.groups, times=["6 s"])
