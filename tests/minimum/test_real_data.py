"""Answers that are known for the public data sets."""

import numpy as np
import pytest

from fewest import minimum_features


def test_leukemia(real_data):
    data = real_data("leukemia")
    X, y, train = data["X"], data["y"], data["split"] == "train"
    one = minimum_features(X[train], y[train], n_solutions=None)
    assert (one.size, one.certified, one.complete) == (1, True, True)
    assert [str(data["gene_name"][subset[0]]) for subset in one.subsets] == ["Zyxin"]
    two = minimum_features(X, y, n_solutions=None, n_jobs=2)
    assert (two.size, two.certified, two.n_found, len(two.subsets)) == (2, True, 62, 62)
    assert two.verify(X, y, search=True)


@pytest.mark.slow
def test_colon(real_data):
    data = real_data("colon")
    X, y = data["X"], data["y"]
    result = minimum_features(X, y)
    assert (result.size, result.lower_bound, result.certified) == (3, 3, True)
    assert result.searched[1].complete
    assert result.searched[1].n_found == 0
    assert result.verify(X, y, search=True)


@pytest.mark.slow
def test_brain_tumor(real_data):
    data = real_data("brain_tumor")
    result = minimum_features(data["X"], data["y"], max_size=2)
    assert result.lower_bound == 3
    assert result.size <= 6
    assert np.all(np.diff(result.subsets[0]) > 0)
    assert result.verify(data["X"], data["y"], search=True)
