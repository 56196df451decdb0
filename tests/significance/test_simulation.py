"""Random data of the same shape."""

import numpy as np
import pytest
from scipy import sparse

from fewest.datasets import make_gaussian
from fewest.significance import chance_simulation
from fewest.significance._permutation import _draw_like
from tests.significance.half_space import in_half_space


def test_signal_needs_fewer_features_than_chance():
    X, y = make_gaussian(n=30, d=100, k=2, mu=1.5, random_state=0)
    found = chance_simulation(
        None, X, y, statistics=("features", "error"), n_simulations=19, cv=3, random_state=0
    )
    assert found.features.p_value == found.error.p_value == 0.05
    assert found.separable == 1.0
    assert found.features.chance_median > found.features.observed
    assert found.error.chance_median == pytest.approx(0.5, abs=0.15)


def test_share_of_separable_data():
    X, y = make_gaussian(n=16, d=7, k=0, random_state=0)
    found = chance_simulation(None, X, y, n_simulations=200, random_state=1)
    assert np.isinf(found.features.chance).mean() == pytest.approx(1 - found.separable)
    rng = np.random.default_rng(0)
    lifted = (np.column_stack([np.ones(16), rng.standard_normal((16, 7))]) for _ in range(1000))
    expected = np.mean([in_half_space(y[:, None] * Z) for Z in lifted])
    assert found.separable == pytest.approx(expected, abs=3 * np.sqrt(0.25 / 200))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_covariance_within_classes_is_kept(kind):
    rng = np.random.RandomState(0)
    mixing = rng.standard_normal((3, 3))
    codes = np.repeat([0, 1], 20)
    X = rng.standard_normal((40, 3)) @ mixing + 100.0 * codes[:, None]
    within = X - np.array([X[codes == code].mean(axis=0) for code in (0, 1)])[codes]
    expected = within.T @ within / 38
    drawn = np.vstack([_draw_like(kind(X), codes, rng) for _ in range(500)])
    np.testing.assert_allclose(np.cov(drawn.T), expected, atol=0.05 * np.abs(expected).max())
    np.testing.assert_allclose(drawn.mean(axis=0), 0.0, atol=0.1)


def test_correlated_features_need_no_fewer_than_one():
    X, y = make_gaussian(n=20, d=50, k=0, random_state=0)
    found = chance_simulation(None, X, y, covariance="within", n_simulations=5, random_state=0)
    assert np.all(found.features.chance >= 1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_simulations": 0}, "n_simulations must be a whole number"),
        ({"covariance": "full"}, "covariance must be one of"),
    ],
)
def test_bad_input(settings, message):
    with pytest.raises(ValueError, match=message):
        chance_simulation(None, *make_gaussian(n=10, d=5, random_state=0), **settings)
