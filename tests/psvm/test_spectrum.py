"""Singular maps, clipped and flipped spectra, and the best threshold."""

import numpy as np
import pytest
from sklearn.metrics import accuracy_score

from fewest.psvm import clip_spectrum, find_best_threshold, find_singular_maps, flip_spectrum


@pytest.mark.parametrize("shape", [(5, 8), (8, 5), (6, 6)])
def test_inner_products_of_singular_maps_are_the_relations(shape):
    K = np.random.default_rng(0).standard_normal(shape)
    K[:, 0] = K[:, 1]
    maps = find_singular_maps(K)
    np.testing.assert_allclose(maps.samples @ maps.row_objects.T, K, atol=1e-12)
    np.testing.assert_allclose(
        maps.row_objects.T @ maps.row_objects, np.eye(min(shape[0], shape[1] - 1)), atol=1e-12
    )
    np.testing.assert_allclose(maps.map_samples(K[:2]), maps.samples[:2], atol=1e-12)
    values = np.sqrt(np.linalg.eigvalsh(K.T @ K)[::-1][: len(maps.singular_values)])
    np.testing.assert_allclose(maps.singular_values, values)


def test_few_dimensions_are_the_best_approximation():
    K = np.random.default_rng(1).standard_normal((9, 7))
    maps = find_singular_maps(K, n_dimensions=3)
    left = np.linalg.norm(maps.samples @ maps.row_objects.T - K) ** 2
    assert left == pytest.approx(np.sum(find_singular_maps(K).singular_values[3:] ** 2))
    with pytest.raises(ValueError, match="from 1 to 7"):
        find_singular_maps(K, n_dimensions=8)
    with pytest.raises(ValueError, match="4 columns, but there are 7 row objects"):
        maps.map_samples(K[:, :4])


def test_clipping_is_the_nearest_semidefinite_matrix():
    rng = np.random.default_rng(2)
    K = rng.standard_normal((6, 6))
    K = K + K.T
    clipped = clip_spectrum(K)
    assert np.linalg.eigvalsh(clipped).min() > -1e-12
    # Nearest: the difference is negative semidefinite and orthogonal to the result (Moreau).
    assert np.linalg.eigvalsh(K - clipped).max() < 1e-12
    assert np.sum((K - clipped) * clipped) == pytest.approx(0.0, abs=1e-10)


def test_flipping_keeps_the_square():
    rng = np.random.default_rng(3)
    K = rng.standard_normal((6, 6))
    K = K + K.T
    flipped = flip_spectrum(K)
    assert np.linalg.eigvalsh(flipped).min() > 0
    np.testing.assert_allclose(flipped @ flipped, K @ K, atol=1e-10)


@pytest.mark.parametrize("mend", [clip_spectrum, flip_spectrum])
def test_new_samples_follow_the_training_samples(mend):
    rng = np.random.default_rng(4)
    K = rng.standard_normal((6, 6))
    K = K + K.T
    mended, new = mend(K, K[2:4])
    np.testing.assert_allclose(new, mended[2:4], atol=1e-12)
    definite = K @ K
    np.testing.assert_allclose(mend(definite), definite, atol=1e-10)
    with pytest.raises(ValueError, match="must be a symmetric matrix"):
        mend(np.arange(9.0).reshape(3, 3))
    with pytest.raises(ValueError, match="K_new has 5 columns, but K has 6 samples"):
        mend(K, K[:, :5])


def test_best_threshold_against_all_thresholds():
    rng = np.random.default_rng(5)
    for _ in range(30):
        y = rng.permutation(np.r_[0, 1, rng.integers(0, 2, 13)])
        scores = np.round(rng.standard_normal(15) + y, 1)
        cuts = np.r_[-np.inf, np.unique(scores), np.inf]
        errors = [1 - accuracy_score(y, scores > cut) for cut in cuts]
        best = find_best_threshold(y, scores)
        assert best.error == pytest.approx(min(errors))
        assert np.mean((scores > best.threshold) != y) == pytest.approx(best.error)


def test_best_threshold_refuses_other_input():
    with pytest.raises(ValueError, match="one number per sample"):
        find_best_threshold([0, 1], [[0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(ValueError, match="inconsistent numbers"):
        find_best_threshold([0, 1], [0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match="two classes|2 classes"):
        find_best_threshold([0, 1, 2], [0.0, 1.0, 2.0])
