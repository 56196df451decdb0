"""Agreement of training and left-out samples, and what it makes of an estimate."""

from __future__ import annotations

import numpy as np
import pytest

from fewest.datasets import make_brain
from fewest.informative import informative_features, purify


def test_agreement_is_counted_feature_by_feature():
    maps = make_brain(4, 2, n_voxels=80, informative=0.3, strength=2.0, random_state=3)
    found = informative_features(None, maps.X, maps.y, groups=maps.groups, probe=None)
    for fold in found.folds:
        seen = np.zeros(len(maps.y), dtype=bool)
        seen[fold.test] = True
        differences = [
            maps.X[rows & (maps.y > 0)].mean(axis=0) - maps.X[rows & (maps.y < 0)].mean(axis=0)
            for rows in (~seen, seen)
        ]
        same = np.sign(differences[0]) == np.sign(differences[1])
        expected = [same[subset].mean() for subset in fold.subsets]
        np.testing.assert_allclose(fold.agreements, expected)
    assert found.agreement[0] == pytest.approx(
        np.mean([fold.agreements[0] for fold in found.folds])
    )
    assert found.purity is None


def test_purity_takes_out_what_chance_has_removed():
    fraction = np.linspace(0, 1, 1001)
    # Up to 0.2 all removed features are informative, then every second one, from 0.4 on none.
    share = np.select([fraction < 0.2, fraction < 0.4], [1.0, 0.5], 0.0)
    found = purify(fraction, 0.5 + 0.3 * share, 0.5)
    assert found.plateau == pytest.approx(0.8)
    assert found.estimate == pytest.approx(0.3, abs=0.002)
    assert found.purity == pytest.approx(0.6, abs=0.004)


def test_nothing_agrees():
    found = purify(np.linspace(0, 1, 11), np.full(11, 0.5), 0.3)
    assert (found.purity, found.estimate) == (0.0, 0.0)
    rising = purify(np.linspace(0, 1, 11), np.linspace(0.6, 1.0, 11), 1.0)
    assert rising.purity == 1.0
    with pytest.raises(ValueError, match="fraction and agreement must be lists of the same length"):
        purify([0.0, 1.0], [0.5], 0.3)
