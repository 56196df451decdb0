"""Resampling, sigmoids and the band of chance."""

from __future__ import annotations

import numpy as np
import pytest

from fewest.informative import chance_band, fit_sigmoid
from fewest.informative._estimates import Sigmoid
from fewest.informative._fold_run import count_removed, resample


def test_resampling_follows_the_papers_rule():
    """Feature x = 1, ..., d gets the value of the last run that began with fewer than x removed."""
    sizes = np.array([2, 3, 5])
    removed = count_removed(sizes)
    np.testing.assert_array_equal(removed, [0, 2, 5])
    fraction = np.arange(1, 11) / 10
    expected = []
    for x in range(1, 11):
        run = max(place for place in range(3) if removed[place] < x)
        expected.append(sizes[run])
    np.testing.assert_array_equal(resample(removed, sizes, fraction, 10), expected)
    assert expected == [2, 2, 3, 3, 3, 5, 5, 5, 5, 5]
    np.testing.assert_array_equal(resample(removed, sizes, np.zeros(1), 10), [2])


def test_resampling_of_several_values_a_run():
    values = np.array([[1.0, 2.0], [3.0, 4.0]])
    found = resample([0, 4], values, np.array([0.0, 0.4, 0.5, 1.0]), 10)
    np.testing.assert_array_equal(found, values[[0, 0, 1, 1]])


@pytest.mark.parametrize("truth", [(0.02, 0.45, 0.3, 0.05), (0.2, 0.3, 0.7, 0.02)])
def test_free_sigmoid_finds_its_parameters(truth):
    x = np.linspace(0, 1, 201)
    noise = np.random.default_rng(0).normal(0, 0.005, 201)
    found = fit_sigmoid(x, Sigmoid(*truth, residual=0.0)(x) + noise)
    parameters = (found.bottom, found.height, found.position, found.width)
    np.testing.assert_allclose(parameters, truth, atol=0.01)
    assert found.residual == pytest.approx(0.005, rel=0.2)


def test_restricted_sigmoid_goes_from_zero_to_chance():
    x = np.linspace(0, 1, 101)
    found = fit_sigmoid(x, 0.5 / (1 + np.exp(-(x - 0.4) / 0.06)), restricted=True)
    assert (found.bottom, found.height) == (0.0, 0.5)
    assert found.crossing == pytest.approx(0.4 + 2 * 0.06, abs=1e-4)


def test_line_touches_the_inflexion_and_meets_chance_at_the_crossing():
    curve = Sigmoid(0.1, 0.35, 0.3, 0.05, residual=0.0)
    step = 1e-6
    slope = (curve(0.3 + step) - curve(0.3 - step)) / (2 * step)
    assert curve.slope == pytest.approx(slope, rel=1e-6)
    assert curve.line(0.3) == pytest.approx(curve(0.3))
    assert curve.line(curve.crossing) == pytest.approx(0.5)
    assert curve.estimate == curve.crossing


def test_inflexion_outside_of_what_is_seen():
    x = np.linspace(0, 1, 101)
    found = fit_sigmoid(x, 0.5 / (1 + np.exp(-(x + 0.1) / 0.15)), restricted=True)
    assert found.position == pytest.approx(-0.1, abs=0.01)
    assert found.estimate == pytest.approx(0.2, abs=0.02)


@pytest.mark.parametrize(("level", "estimate"), [(0.1, 1.0), (0.5, 0.0)])
def test_flat_curves_say_all_or_nothing(level, estimate):
    found = fit_sigmoid(np.linspace(0, 1, 50), np.full(50, level))
    assert np.isnan(found.crossing)
    assert found.estimate == estimate


def test_bad_curves():
    with pytest.raises(ValueError, match="must be lists of the same length, at least 4"):
        fit_sigmoid([0, 1, 2], [0, 0, 1])
    with pytest.raises(ValueError, match="must be finite"):
        fit_sigmoid([0, 1, 2, 3], [0, 0, np.nan, 1])


def test_band_is_a_quantile_and_single_dips_do_not_count():
    fraction = np.linspace(0, 1, 11)
    permuted = np.tile(np.linspace(0.4, 0.6, 101), (11, 1))
    error = np.array([0.1, 0.1, 0.2, 0.3, 0.45, 0.5, 0.39, 0.5, 0.5, 0.39, 0.5])
    band = chance_band(fraction, error, permuted)
    np.testing.assert_allclose(band.lower, 0.408)
    np.testing.assert_allclose(band.upper, 0.592)
    assert band.estimate == pytest.approx(0.4)
    assert chance_band(fraction, np.full(11, 0.5), permuted).estimate == 0.0
    assert chance_band(fraction, np.full(11, 0.1), permuted).estimate == 1.0


def test_bands_are_exact_whatever_the_number_of_permutations():
    """Of N permutations and the true labels, the k first are k / (N + 1) of all."""
    for number, rank in ((19, 1), (20, 1), (39, 2), (100, 5), (5, 1)):
        permuted = np.tile(np.arange(number, dtype=float), (2, 1))
        band = chance_band([0, 1], [0, 1], permuted)
        assert band.lower.tolist() == [rank - 1] * 2
        assert band.upper.tolist() == [number - rank] * 2
        assert band.level == max(0.05, rank / (number + 1))


def test_bad_bands():
    with pytest.raises(ValueError, match="one row for each point"):
        chance_band([0, 1], [0, 1], [[0.5]])
    with pytest.raises(ValueError, match="level must lie"):
        chance_band([0, 1], [0, 1], [[0.5], [0.5]], level=0.7)
