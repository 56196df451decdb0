"""Classes in a second file, joined by the ids of the samples."""

import numpy as np
import pandas
import pytest

from fewest.tables import InputError, read_samples, read_table
from tests.tables.expression import (
    IDS,
    N_SAMPLES,
    PROBES,
    SYMBOLS,
    TISSUES,
    values,
    write_expression,
    write_patients,
    write_series,
)


@pytest.fixture
def expression(tmp_path):
    return write_expression(tmp_path / "expression.tsv")


@pytest.fixture
def patients(tmp_path):
    return write_patients(tmp_path / "patients.csv")


def assert_joined(table, names=PROBES, ids=IDS):
    places = [IDS.index(one) for one in ids]
    np.testing.assert_array_equal(table.X, values()[places])
    assert table.y.tolist() == TISSUES[places].tolist()
    assert table.feature_names == names
    assert table.ids.tolist() == ids


def test_samples_in_columns_are_found_in_any_order(expression, patients):
    table = read_table(expression, "tissue", classes=patients)
    assert_joined(table)
    assert table.target == "tissue"
    assert f"Joined with {patients} by 'sample': 24 samples." in table.notes
    assert (
        f"Columns that are not used, because {patients} has no such sample: symbol, about."
        in table.notes
    )


def test_column_after_the_file(expression, patients):
    assert_joined(read_table(expression, None, classes=f"{patients}:tissue"))


def test_names_from_an_annotation(expression, patients):
    assert_joined(read_table(expression, "tissue", classes=patients, names="symbol"), SYMBOLS)


def test_groups_come_from_the_second_file(expression, patients):
    table = read_table(expression, "tissue", groups="sex", classes=patients)
    assert table.groups.tolist() == ["mf"[number // 2 % 2] for number in range(N_SAMPLES)]


def test_samples_in_rows(patients, tmp_path):
    frame = pandas.DataFrame(values(), columns=SYMBOLS)
    frame.insert(2, "who", IDS)
    frame["tissue"] = 1.5  # the class is that of the second file; this is a feature
    frame.to_csv(tmp_path / "rows.csv", index=False)
    table = read_table(tmp_path / "rows.csv", "tissue", classes=patients)
    assert table.feature_names == [*SYMBOLS, "tissue"]
    assert table.y.tolist() == TISSUES.tolist()
    assert table.ids.tolist() == IDS


def test_ids_that_are_numbers_are_no_feature(tmp_path):
    numbers = np.arange(N_SAMPLES) * 7 + 1000
    frame = pandas.DataFrame(values(), columns=SYMBOLS)
    frame.insert(0, "patient", numbers)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    write_patients(tmp_path / "patients.csv", numbers.astype(str).tolist())
    table = read_table(tmp_path / "rows.csv", "tissue", classes=tmp_path / "patients.csv")
    assert table.feature_names == SYMBOLS
    assert table.y.tolist() == TISSUES.tolist()


def test_other_sheet_of_the_same_workbook(patients, tmp_path):
    book = tmp_path / "study.xlsx"
    frame = pandas.DataFrame(values().T, columns=IDS)
    frame.insert(0, "probe", PROBES)
    with pandas.ExcelWriter(book) as writer:
        frame.to_excel(writer, sheet_name="values", index=False)
        pandas.read_csv(patients).to_excel(writer, sheet_name="patients", index=False)
    assert_joined(read_table(book, None, classes=f"{book}:patients:tissue"))
    assert_joined(read_table(book, "tissue", classes=f"{book}:patients"))
    message = refuse(book, None, classes=f"{book}:people:tissue")
    assert "has no sheet 'people'" in message


def test_two_columns_need_no_name(expression, patients, tmp_path):
    pandas.read_csv(patients)[["tissue", "sample"]].to_csv(tmp_path / "two.csv", index=False)
    assert_joined(read_table(expression, None, classes=tmp_path / "two.csv"))


def test_classes_from_a_series_matrix(expression, tmp_path):
    series = write_series(tmp_path / "series_matrix.txt.gz")
    assert_joined(read_table(expression, "tissue", classes=series))


def test_unmatched_samples_are_named(expression, tmp_path):
    write_patients(tmp_path / "some.csv", [*IDS[:-2], "GSM1", "GSM2"])
    table = read_table(expression, "tissue", classes=tmp_path / "some.csv")
    assert_joined(table, ids=IDS[:-2])
    assert any("Only there: " in note and "GSM1" in note for note in table.notes)
    frame = pandas.DataFrame(values(), columns=SYMBOLS, index=IDS)
    frame.to_csv(tmp_path / "rows.csv")
    table = read_table(tmp_path / "rows.csv", "tissue", classes=tmp_path / "some.csv")
    assert any(
        f"Left out, because it does not have them: {', '.join(IDS[-2:])}." in note
        for note in table.notes
    )


def refuse(*arguments, **options):
    with pytest.raises(InputError) as caught:
        read_table(*arguments, **options)
    return str(caught.value)


def test_no_sample_in_common(tmp_path):
    pandas.DataFrame(values(), columns=SYMBOLS, index=IDS).to_csv(tmp_path / "rows.csv")
    write_patients(tmp_path / "other.csv", [f"P{number}" for number in range(N_SAMPLES)])
    message = refuse(tmp_path / "rows.csv", "tissue", classes=tmp_path / "other.csv")
    assert "no sample of " in message
    assert "the samples are called GSM100, GSM101, GSM102 and 21 more" in message
    assert "'sample' holds P" in message


def test_no_column_of_ids(patients, tmp_path):
    pandas.DataFrame(values(), columns=SYMBOLS).to_csv(tmp_path / "rows.csv", index=False)
    message = refuse(tmp_path / "rows.csv", "tissue", classes=patients)
    assert "has no column of ids to find its samples in " in message


def test_repeated_ids_in_the_second_file(expression, tmp_path):
    write_patients(tmp_path / "twice.csv", [*IDS[:-1], IDS[0]])
    message = refuse(expression, "tissue", classes=tmp_path / "twice.csv")
    assert "has 1 id in more than one row: GSM100.\nKeep one row per sample." in message


@pytest.mark.parametrize(
    ("target", "classes", "part"),
    [
        (None, "patients.csv", "say which column of "),
        ("tisue", "patients.csv", "Did you mean 'tissue'?"),
        (None, "patients.csv:tisue", "Did you mean 'tissue'?"),
        (None, "nowhere.csv:tissue", "nowhere.csv does not exist"),
        (None, "patients.csv:a:b:tissue", "has too many colons"),
    ],
)
def test_wrong_names(target, classes, part, expression, patients, monkeypatch):
    monkeypatch.chdir(patients.parent)
    assert part in refuse(expression, target, classes=classes)


def test_ids_must_be_there(expression, patients, tmp_path):
    pandas.DataFrame(values(), columns=SYMBOLS, index=IDS).to_csv(tmp_path / "rows.csv")
    message = refuse(tmp_path / "rows.csv", "tissue", classes=patients, ids="GENE")
    assert "has no column 'GENE' among its " in message
    message = refuse(expression, "tissue", classes=patients, names="symbols")
    assert "Did you mean 'symbol'?" in message


def test_truth_of_new_samples(expression, patients):
    samples = read_samples(
        expression, ["GENE5", "GENE2"], classes=f"{patients}:tissue", names="symbol"
    )
    np.testing.assert_array_equal(samples.X, values()[:, [5, 2]])
    assert samples.truth.tolist() == TISSUES.tolist()
    assert samples.ids.tolist() == IDS


def test_annotations_need_no_second_file(expression):
    samples = read_samples(expression, ["5_at"], transpose=True)
    np.testing.assert_array_equal(samples.X[:, 0], values()[:, 5])
    assert samples.ids.tolist() == IDS
    assert "Columns that are not used, because there is text in them: symbol, about." in (
        samples.notes
    )
