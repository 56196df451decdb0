"""Cells without a value: what each treatment leaves, and what it says about it."""

from __future__ import annotations

import numpy as np
import pandas
import pytest

from fewest.tables import InputError, read_table
from tests.tables.samples import NAMES, two_classes


@pytest.fixture
def holes(tmp_path):
    """Cells missing in gene_3 (samples 0 and 7) and gene_8 (sample 7)."""
    X, y = two_classes()
    X[[0, 7], 3] = np.nan
    X[7, 8] = np.nan
    path = tmp_path / "holes.csv"
    pandas.DataFrame(X, columns=NAMES).assign(group=y).to_csv(path, index=False)
    return path, X, y


def test_refused_by_default_with_number_and_place(refused, holes):
    message = refused(holes[0])
    assert "has 3 missing cells in 2 columns and 2 rows: gene_3 (rows 1, 8), gene_8" in message
    with pytest.raises(InputError) as caught:
        read_table(holes[0], "group")
    assert caught.value.argument == "missing"


def test_without_the_samples(holes):
    path, X, y = holes
    table = read_table(path, "group", missing="drop-samples")
    kept = ~np.isin(np.arange(40), [0, 7])
    assert table.X.tolist() == X[kept].tolist()
    assert table.y.tolist() == y[kept].tolist()
    assert table.notes == ["Left out for missing cells: 2 of 40 samples."]
    assert (table.missing.n_cells, table.missing.n_samples_left_out) == (3, 2)


def test_without_the_features(holes):
    path, X, _ = holes
    table = read_table(path, "group", missing="drop-features")
    assert table.X.tolist() == np.delete(X, [3, 8], axis=1).tolist()
    assert "gene_3" not in table.feature_names
    assert len(table.feature_names) == 28
    assert table.notes == ["Left out for missing cells: 2 features, gene_3, gene_8."]
    assert table.missing.features_left_out == ("gene_3", "gene_8")


def test_medians(holes):
    path, X, y = holes
    table = read_table(path, "group", missing="median")
    known = np.delete(X[:, 3], [0, 7])
    assert table.X[0, 3] == table.X[7, 3] == np.median(known)
    assert table.X[7, 8] == np.median(np.delete(X[:, 8], 7))
    present = ~np.isnan(X)
    assert np.array_equal(table.X[present], X[present])
    assert table.y.tolist() == y.tolist()
    [note] = table.notes
    assert note.startswith("Filled in: 3 missing cells in 2 features, by the feature's median")
    assert "in cross-validation those of its training part" in note
    assert np.array_equal(table.raw, X, equal_nan=True)  # what folds fill in by themselves


def test_median_does_not_depend_on_the_classes(holes, tmp_path):
    path, X, y = holes
    other = tmp_path / "other.csv"
    shuffled = np.random.default_rng(1).permutation(y)
    pandas.DataFrame(X, columns=NAMES).assign(group=shuffled).to_csv(other, index=False)
    one, two = (read_table(file, "group", missing="median") for file in (path, other))
    assert one.X.tolist() == two.X.tolist()


def test_feature_without_any_value_has_no_median(tmp_path):
    frame = pandas.DataFrame({"a": [1.0, None, 4.0], "b": [None] * 3, "group": ["x", "y", "y"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    table = read_table(tmp_path / "t.csv", "group", missing="median")
    assert table.X.tolist() == [[1.0], [2.5], [4.0]]
    assert table.notes[0] == "Left out, because they hold no value at all: b."
    assert table.missing.n_cells == 4
    assert table.missing.features_left_out == ("b",)


def test_groups_follow_the_samples(holes, tmp_path):
    path, _, _ = holes
    frame = pandas.read_csv(path).assign(patient=np.arange(40) // 2)
    frame.to_csv(tmp_path / "t.csv", index=False)
    table = read_table(tmp_path / "t.csv", "group", (), "patient", missing="drop-samples")
    assert table.groups.tolist() == np.delete(np.arange(40) // 2, [0, 7]).tolist()


@pytest.mark.parametrize("treatment", ["error", "drop-features", "median"])
def test_sample_without_a_class_is_refused(tmp_path, treatment):
    frame = pandas.DataFrame({"a": [1, 2, 3, 4], "group": ["x", "y", None, "y"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(InputError, match="has no value in 1 row \\(3;") as caught:
        read_table(tmp_path / "t.csv", "group", missing=treatment)
    assert caught.value.argument == "missing"


def test_sample_without_a_class_or_group_can_be_left_out(tmp_path):
    frame = pandas.DataFrame(
        {"a": [1, 2, 3, 4], "group": ["x", "y", None, "y"], "patient": [1, None, 2, 3]}
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    table = read_table(tmp_path / "t.csv", "group", ["patient"], missing="drop-samples")
    assert table.X.tolist() == [[1], [2], [4]]
    assert table.notes == ["Left out, because they have no class: 1 of 4 samples."]
    table = read_table(tmp_path / "t.csv", "group", (), "patient", missing="drop-samples")
    assert table.X.tolist() == [[1], [4]]
    assert table.groups.tolist() == [1, 3]
    assert table.notes == ["Left out, because they have no class or group: 2 of 4 samples."]


def test_nothing_left(tmp_path):
    frame = pandas.DataFrame({"a": [1, None], "b": [None, 2], "group": ["x", "y"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    for treatment, word in (("drop-samples", "sample"), ("drop-features", "feature")):
        with pytest.raises(InputError, match=f"every {word} of .* has a missing cell: none would"):
            read_table(tmp_path / "t.csv", "group", missing=treatment)
    frame = pandas.DataFrame({"a": [None, None], "group": ["x", "y"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(InputError, match="no value in any feature: there is no median"):
        read_table(tmp_path / "t.csv", "group", missing="median")


def test_one_class_left(tmp_path):
    frame = pandas.DataFrame({"a": [1, 2, None], "group": ["x", "x", "y"]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(InputError, match="without 1 sample with missing cells, holds only one"):
        read_table(tmp_path / "t.csv", "group", missing="drop-samples")


def test_integers_with_missing_cells(tmp_path):
    frame = pandas.DataFrame({"a": pandas.array([1, None, 4], dtype="Int64"), "group": [0, 1, 1]})
    frame.to_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet", "group", missing="median").X.tolist() == [
        [1.0],
        [2.5],
        [4.0],
    ]


def test_unknown_treatment(table):
    with pytest.raises(ValueError, match="missing must be one of error, drop-samples"):
        read_table(table, "group", missing="mean")


def test_sample_without_a_class_in_an_archive_can_be_left_out(tmp_path):
    np.savez(tmp_path / "t.npz", X=np.arange(8.0).reshape(4, 2), y=[0, 1, np.nan, 1])
    with pytest.raises(InputError, match="class array 'y' of .* has no value in 1 row \\(3;"):
        read_table(tmp_path / "t.npz", None)
    table = read_table(tmp_path / "t.npz", None, missing="drop-samples")
    assert table.X.tolist() == [[0, 1], [2, 3], [6, 7]]
    assert table.y.tolist() == [0, 1, 1]
    assert table.notes == ["Left out, because they have no class: 1 of 4 samples."]


def test_no_sample_has_a_class(tmp_path):
    (tmp_path / "t.csv").write_text("a,group\n1,\n2,\n")
    with pytest.raises(InputError, match="has no value in 2 rows \\(1, 2;"):
        read_table(tmp_path / "t.csv", "group", missing="drop-samples")
