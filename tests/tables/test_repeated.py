"""Features that share a name, names that are dates, and columns to leave out."""

import numpy as np
import pandas
import pytest

from fewest.tables import InputError, read_samples, read_table
from tests.tables.expression import IDS, PROBES, SYMBOLS, TISSUES, values, write_expression
from tests.tables.expression import write_patients as patients

SHARED = ["TP53", "A", "TP53", "B", "B", "C", "TP53", *SYMBOLS[7:]]


@pytest.fixture
def read(tmp_path):
    write_expression(tmp_path / "expression.tsv", SHARED)
    patients(tmp_path / "patients.csv")

    def call(**options):
        return read_table(
            tmp_path / "expression.tsv",
            "tissue",
            classes=tmp_path / "patients.csv",
            names="symbol",
            **options,
        )

    return call


def test_repeated_names_are_an_error(read):
    with pytest.raises(InputError, match="2 row names more than once: TP53, B") as caught:
        read()
    assert caught.value.argument == "duplicates"


@pytest.mark.parametrize(
    ("how", "merge"),
    [
        ("mean", lambda columns: columns.mean(axis=1)),
        ("max", lambda columns: columns.max(axis=1)),
        ("first", lambda columns: columns[:, 0]),
    ],
)
def test_one_column_per_name(how, merge, read):
    table = read(duplicates=how)
    assert table.feature_names == ["TP53", "A", "B", "C", *SYMBOLS[7:]]
    X = values()
    np.testing.assert_allclose(table.X[:, 0], merge(X[:, [0, 2, 6]]), rtol=1e-15)
    np.testing.assert_allclose(table.X[:, 2], merge(X[:, [3, 4]]), rtol=1e-15)
    np.testing.assert_array_equal(table.X[:, [1, 3]], X[:, [1, 5]])
    assert any(note.startswith("2 names had several columns") for note in table.notes)


def test_numbers_after_names(read):
    table = read(duplicates="suffix")
    assert table.feature_names == [
        *("TP53", "A", "TP53.2", "B", "B.2", "C", "TP53.3"),
        *SYMBOLS[7:],
    ]
    np.testing.assert_array_equal(table.X, values())


def test_new_samples_are_merged_in_the_same_way(read, tmp_path):
    samples = read_samples(
        tmp_path / "expression.tsv",
        ["B", "TP53"],
        transpose=True,
        names="symbol",
        duplicates="mean",
    )
    table = read(duplicates="mean")
    np.testing.assert_array_equal(samples.X, table.X[:, [2, 0]])


def test_unknown_way(read):
    with pytest.raises(ValueError, match="duplicates must be one of error, mean"):
        read(duplicates="median")


@pytest.mark.parametrize(
    "name", ["2-Sep", "Sep-02", "2. Mär", "1-Dec", "2023-09-02", "2023-09-02 00:00:00"]
)
def test_dates_among_gene_names_are_said(name, tmp_path):
    frame = pandas.DataFrame(values(), columns=[name, *SYMBOLS[1:]])
    frame["tissue"] = TISSUES
    frame.to_csv(tmp_path / "rows.csv", index=False)
    table = read_table(tmp_path / "rows.csv", "tissue")
    assert any(f"(2-Sep was SEPT2, now SEPTIN2): {name}." in note for note in table.notes)


def test_genes_and_years_are_no_dates(tmp_path):
    names = ["SEPTIN2", "MARCHF1", "DEC1", "H2-Aa", "1007_s_at", "2023", *SYMBOLS[6:]]
    frame = pandas.DataFrame(values(), columns=names)
    frame["tissue"] = TISSUES
    frame.to_csv(tmp_path / "rows.csv", index=False)
    assert not any("dates" in note for note in read_table(tmp_path / "rows.csv", "tissue").notes)


@pytest.fixture
def mixed(tmp_path):
    frame = pandas.DataFrame(values(), columns=PROBES, index=pandas.Index(IDS, name="who"))
    frame["site"] = np.where(np.arange(len(IDS)) % 3, "north", "south")
    frame["a,b"] = 1.5 * np.arange(len(IDS))
    frame["tissue"] = TISSUES
    frame.to_csv(tmp_path / "mixed.csv")
    return tmp_path / "mixed.csv"


@pytest.mark.parametrize(
    ("drop", "left"),
    [
        (["site,a,b", "0_at"], None),
        (["site, 0_at,1_at", "a,b"], PROBES[2:]),
        (["all-text", "a,b"], PROBES),
        (["all-text,1*_at", "a,b"], [*PROBES[:1], *PROBES[2:10]]),
        (["*_at", "site"], ["a,b"]),
    ],
)
def test_lists_patterns_and_all_text(drop, left, mixed):
    if left is None:
        with pytest.raises(InputError, match="has no column 'a'"):
            read_table(mixed, "tissue", drop)
    else:
        assert read_table(mixed, "tissue", drop).feature_names == left


def test_a_pattern_keeps_the_class(mixed):
    table = read_table(mixed, "tissue", ["t*", "s*", "a,b"])
    assert table.y.tolist() == TISSUES.tolist()
    with pytest.raises(InputError, match="would leave out the class column itself"):
        read_table(mixed, "tissue", ["tissue"])
    with pytest.raises(InputError, match="has no column 'zz"):
        read_table(mixed, "tissue", ["zz*"])
