"""Series matrix files of GEO."""

import gzip

import numpy as np
import pytest

from fewest.tables import InputError, read_table
from tests.tables.expression import IDS, PROBES, TISSUES, values, write_patients, write_series


@pytest.fixture
def series(tmp_path):
    return write_series(tmp_path / "GSE1_series_matrix.txt.gz")


def refuse(*arguments, **options):
    with pytest.raises(InputError) as caught:
        read_table(*arguments, **options)
    return str(caught.value)


def test_characteristics_are_classes(series):
    table = read_table(series, "tissue")
    np.testing.assert_array_equal(table.X, values())
    assert table.y.tolist() == TISSUES.tolist()
    assert table.feature_names == PROBES
    assert table.ids.tolist() == IDS


def test_what_may_be_the_class_is_listed(series):
    message = refuse(series, None)
    assert "say which characteristic of " in message
    assert "  tissue: kidney 12, liver 12\n  Sex: m 12, f 11" in message
    assert "organism" not in message


def test_a_sample_without_the_characteristic(series):
    assert "'Sex' of " in refuse(series, "Sex")
    table = read_table(series, "Sex", missing="drop-samples")
    assert table.ids.tolist() == [one for one in IDS if one != IDS[3]]


def test_classes_from_another_file(series, tmp_path):
    patients = write_patients(tmp_path / "patients.csv")
    assert read_table(series, "tissue", classes=patients).y.tolist() == TISSUES.tolist()


def test_a_series_without_values(tmp_path):
    path = write_series(tmp_path / "seq_series_matrix.txt.gz", table=False)
    assert "holds no values, only a description of the samples" in refuse(path, "tissue")


def test_a_file_that_ends_early(tmp_path):
    path = write_series(tmp_path / "short_series_matrix.txt.gz", end=False)
    assert "ends within its table" in refuse(path, "tissue")
    with gzip.open(tmp_path / "about.txt.gz", "wt") as stream:
        stream.write('!Series_title\t"x"\n!Sample_title\t"a"\t"b"\n')
    assert "has no line !series_matrix_table_begin" in refuse(tmp_path / "about.txt.gz", "tissue")


def test_samples_that_do_not_fit_the_table(series, tmp_path):
    with gzip.open(series, "rt") as stream:
        text = stream.read().replace('!Sample_title\t"sample 0"\t', "!Sample_title\t")
    path = tmp_path / "wrong_series_matrix.txt"
    path.write_text(text)
    assert "describes 23 samples in its line !Sample_title, but has values of 24" in (
        refuse(path, "tissue")
    )
