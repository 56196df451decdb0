"""Labels of blocks move together: volumes that follow each other are no independent evidence."""

import numpy as np
import pytest

from fewest._estimators.splits import permute_labels
from fewest.diagnostics import diagnose
from fewest.significance import permutation_test

RNG = np.random.RandomState


def test_blocks_move_as_a_whole_within_their_groups():
    blocks = np.repeat(np.arange(12), 3)
    groups = np.repeat([0, 1, 2], 12)
    y = np.repeat([0, 1, 0, 1] * 3, 3)
    permuted = permute_labels(y, groups, 200, RNG(0), blocks=blocks)
    of_blocks = permuted.reshape(200, 12, 3)
    assert (of_blocks == of_blocks[:, :, :1]).all()
    assert (permuted.reshape(200, 3, 12).sum(axis=2) == 6).all()
    ways = {tuple(row) for row in of_blocks[:, :4, 0].tolist()}
    assert len(ways) == 6  # of two among four blocks
    assert len(np.unique(permuted, axis=0)) > 100


def test_blocks_within_strata():
    blocks = np.repeat(np.arange(8), 2)
    strata = np.repeat(["old", "young"], 8)
    y = np.repeat([0, 1] * 4, 2)
    permuted = permute_labels(y, None, 50, RNG(0), parts=strata, blocks=blocks)
    assert len(permuted) == 35  # 6 ways in each stratum, but for the true one
    assert (permuted.reshape(35, 2, 8).sum(axis=2) == 4).all()


@pytest.mark.parametrize("what", ["classes", "groups", "strata"])
def test_blocks_that_cannot_move_as_a_whole(what):
    whole, parted = np.repeat([0, 1, 0, 1], 2), np.arange(8) % 2
    given = {"classes": whole, "groups": np.zeros(8), "strata": np.zeros(8), what: parted}
    with pytest.raises(ValueError, match=f"a block lies in several {what}"):
        permute_labels(
            given["classes"],
            given["groups"],
            5,
            RNG(0),
            parts=given["strata"],
            blocks=np.repeat(np.arange(4), 2),
        )


def test_a_block_for_every_sample():
    X, y = np.random.default_rng(0).normal(size=(10, 3)), np.arange(10) % 2
    with pytest.raises(ValueError, match="blocks must name a block for each of the 10 samples"):
        permutation_test(None, X, y, blocks=[1, 2])


def test_noise_of_blocks_is_found_by_volumes_but_not_by_blocks():
    """Every block is one random pattern, ten times with little noise: nothing belongs to a class.

    Single volumes with permuted labels need more features than blocks, which looks like a result.
    """
    rng = np.random.default_rng(3)
    y, blocks = np.repeat(np.arange(12) % 2, 5), np.repeat(np.arange(12), 5)
    X = rng.normal(size=(12, 60))[blocks] + 0.05 * rng.normal(size=(60, 60))
    settings = {"statistics": "features", "n_permutations": 39, "random_state": 0}
    single = permutation_test(None, X, y, **settings)
    together = permutation_test(None, X, y, blocks=blocks, **settings)
    assert single.p_value == 1 / 40
    assert together.p_value > 0.1
    found = diagnose(X, y, cv=None, n_permutations=39, blocks=blocks, random_state=0)
    assert found.test.features.p_value == together.features.p_value
