"""The challenge's files in their three ways of writing, and what may be wrong with them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from fewest.datasets import load_challenge

X = np.array([[1.0, 0, 3, 0], [0, 2, 0, 0], [0, 0, 0, 0], [1, 1, 0, 5]])
Y = np.array([1, -1, -1, 1])


def write(folder, part, X, y, kind):
    with open(folder / f"set_{part}.data", "w") as file:
        for row in X:
            if kind == "dense":
                words = [f"{value:g}" for value in row]
            elif kind == "sparse":
                words = [f"{place + 1}:{row[place]:g}" for place in np.flatnonzero(row)]
            else:
                words = [f"{place + 1}" for place in np.flatnonzero(row)]
            file.write(" ".join(words) + " \n")
    if y is not None:
        (folder / f"set_{part}.labels").write_text("".join(f"{label}\n" for label in y))


@pytest.mark.parametrize("kind", ["dense", "sparse", "binary"])
def test_three_ways_of_writing(tmp_path, kind):
    data = (X != 0).astype(float) if kind == "binary" else X
    write(tmp_path, "train", data, Y, kind)
    write(tmp_path, "valid", data[:2], Y[:2], kind)
    write(tmp_path, "test", data[[3]], None, kind)
    found = load_challenge("set", tmp_path)
    assert sparse.issparse(found.data) == (kind != "dense")
    dense = found.data.toarray() if kind != "dense" else found.data
    np.testing.assert_array_equal(dense, np.vstack([data, data[:2]]))
    assert found.target.tolist() == [*Y, *Y[:2]]
    assert found.split.tolist() == ["train"] * 4 + ["valid"] * 2
    assert list(found.unlabelled) == ["test"]
    assert found.unlabelled["test"].shape == (1, 4)
    assert found.feature_names.tolist() == ["x0", "x1", "x2", "x3"]


def test_number_of_features(tmp_path):
    write(tmp_path, "train", X, Y, "sparse")
    assert load_challenge("set", tmp_path, n_features=9).data.shape == (4, 9)
    (tmp_path / "set.param").write_text("Data type: sparse\nNumber of features: 7\n")
    assert load_challenge("set", tmp_path).data.shape == (4, 7)
    with pytest.raises(ValueError, match="place 4 occurs, but there are 3 features"):
        load_challenge("set", tmp_path, n_features=3)


def test_the_kind_may_be_stated(tmp_path):
    # Lines of equal length are taken for values, unless the description says otherwise.
    write(tmp_path, "train", np.array([[1, 1, 0], [0, 1, 1]]), [1, -1], "binary")
    np.testing.assert_array_equal(load_challenge("set", tmp_path).data, [[1, 2], [2, 3]])
    (tmp_path / "set.param").write_text("Data type: sparse-binary\n")
    found = load_challenge("set", tmp_path).data.toarray()
    np.testing.assert_array_equal(found, [[1, 1, 0], [0, 1, 1]])


def test_what_is_wrong(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file set_train.data"):
        load_challenge("set", tmp_path)
    write(tmp_path, "train", X, None, "dense")
    with pytest.raises(FileNotFoundError, match=r"no file set_train.labels"):
        load_challenge("set", tmp_path)
    labels = tmp_path / "set_train.labels"
    for text, message in [("1 -1", "it has 2 labels"), ("1 2 1 1", "others"), ("a", "-1 and 1")]:
        labels.write_text(text)
        with pytest.raises(ValueError, match=message):
            load_challenge("set", tmp_path)
    data = tmp_path / "set_train.data"
    for text, message in [
        ("1:5\n2:x\n", "line 2: cannot be read as place:value"),
        ("1:5\n0:1\n", "line 2: places count from 1"),
        ("1 2\nx 3\n", "line 2: cannot be read as numbers"),
        ("1.5 2\n3\n", "line 1: cannot be read as places"),
    ]:
        data.write_text(text)
        with pytest.raises(ValueError, match=message):
            load_challenge("set", tmp_path)
    data.write_text("1 2\n3 4\n")
    labels.write_text("1 -1")
    (tmp_path / "set_valid.data").write_text("1 2 3\n")
    with pytest.raises(ValueError, match="different numbers of values"):
        load_challenge("set", tmp_path)
