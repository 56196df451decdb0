"""Samples of one patient belong together: nothing is judged in folds that tear them apart."""

from __future__ import annotations

import json

import numpy as np
import pandas
import pytest

from fewest.tables import InputError, read_table

JUDGING = ["select", "path", "panel", "informative", "diagnose"]
MORE = {"panel": ("--features", "g1"), "select": ("--C", 2), "path": ("--values", 3)}


def make_visits(n_visits=4, kind="text", name="patient"):
    """Noise of 12 patients who came several times: visits of one are alike, as are their labels."""
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(12), n_visits)
    noise = rng.standard_normal((12, 30))[who] + 0.1 * rng.standard_normal((len(who), 30))
    table = pandas.DataFrame(noise, columns=[f"g{at}" for at in range(30)])
    table.insert(0, name, [f"P{one:02d}" for one in who] if kind == "text" else 100 + 7 * who)
    table["outcome"] = np.where(who % 2, "ill", "well")
    return table


@pytest.fixture
def visits(tmp_path):
    make_visits().to_csv(tmp_path / "visits.csv", index=False)
    return tmp_path / "visits.csv"


@pytest.mark.parametrize("kind", ["text", "number"])
@pytest.mark.parametrize("command", [*JUDGING, "minimum", "rank"])
def test_the_advice_is_groups_and_never_to_drop(tmp_path, run, command, kind):
    path = tmp_path / "visits.csv"
    make_visits(kind=kind).to_csv(path, index=False)
    said = run(command, path, "--target", "outcome", *MORE.get(command, ())).says()
    assert "the values of 'patient' repeat" in said
    assert "See --groups patient" in said
    assert "drop" not in said
    assert "leave" not in said


@pytest.mark.parametrize("command", JUDGING)
def test_folds_without_groups_are_refused(visits, run, command):
    more = ("--target", "outcome", "--drop", "patient", *MORE.get(command, ()))
    said = run(command, visits, *more).says()
    assert "the values of 'patient' repeat" in said
    assert "See --groups patient" in said


@pytest.mark.parametrize("command", ["minimum", "rank"])
def test_a_page_without_groups_is_refused(visits, run, tmp_path, command):
    more = ("--target", "outcome", "--drop", "patient", "--quiet")
    page = ("--report", tmp_path / "page.json")
    assert "See --groups patient" in run(command, visits, *more, *page).says()
    assert not (tmp_path / "page.json").exists()
    assert run(command, visits, *more).code == 0  # nothing is judged


def test_all_text_left_out_is_no_way_around(visits, run):
    assert (
        "See --groups patient"
        in run("select", visits, "--target", "outcome", "--drop", "all-text").says()
    )


def test_groups_give_the_honest_error(visits, run):
    """Copies of patients are easy to recognise: the error without groups is that of copies."""
    more = ("--target", "outcome", "--json", "-")
    told = json.loads(run("select", visits, *more, "--groups", "patient").out)
    assert told["trust"]["validation"]["balanced_error"] > 0.25
    renamed = make_visits(name="g30x")  # a name that says nothing
    renamed["g30x"] = np.arange(len(renamed)) % 5 / 2
    renamed.to_csv(visits, index=False)
    blind = json.loads(run("select", visits, *more).out)
    assert blind["trust"]["validation"]["balanced_error"] < 0.1


@pytest.mark.parametrize(
    "name",
    [
        *("Patient", "patient_id", "PatientID", "Subject No.", "subject number", "donor", "ID"),
        *("participant id", "id_patient", "sample", "Sample ID", "MRN", "mouse", "animals"),
    ],
)
def test_names_of_those_whom_samples_are_of(tmp_path, name):
    make_visits(kind="number", name=name.rstrip(".")).to_csv(tmp_path / "visits.csv", index=False)
    with pytest.raises(InputError, match="repeat") as caught:
        read_table(tmp_path / "visits.csv", "outcome")
    assert caught.value.choices == ("groups", "keep")


@pytest.mark.parametrize("name", ["age", "case", "patience", "dose", "individual_dose", "stage"])
def test_names_of_measurements(tmp_path, name):
    make_visits(kind="number", name=name).to_csv(tmp_path / "visits.csv", index=False)
    assert name in read_table(tmp_path / "visits.csv", "outcome").feature_names


def test_a_few_patients_who_came_twice_are_enough(tmp_path, run):
    """Most ids stand once: they are neither an id to leave out in silence nor text to drop."""
    table = make_visits(1)
    table = pandas.concat([table, table.iloc[:3]])
    table.to_csv(tmp_path / "visits.csv", index=False)
    said = run("select", tmp_path / "visits.csv", "--target", "outcome").says()
    assert "See --groups patient." in said
    assert "drop" not in said


def test_one_sample_per_patient_needs_no_groups(tmp_path):
    make_visits(1).to_csv(tmp_path / "visits.csv", index=False)
    table = read_table(tmp_path / "visits.csv", "outcome")
    assert "patient" not in table.feature_names
    assert table.owners == []


def test_codes_under_another_name_may_be_either(tmp_path, run):
    """'T1', 'T2' may be stages or patients: both ways are named, that of groups first."""
    make_visits(name="code").to_csv(tmp_path / "visits.csv", index=False)
    path, more = tmp_path / "visits.csv", ("--target", "outcome")
    assert "See --groups code, or --drop code." in run("select", path, *more).says()
    for option in ("--groups", "--drop"):
        assert run("select", path, *more, "--C", 2, option, "code").code == 0


def test_a_number_can_be_kept_as_a_measurement(tmp_path):
    make_visits(kind="number").to_csv(tmp_path / "visits.csv", index=False)
    table = read_table(tmp_path / "visits.csv", "outcome", keep=["patient"])
    assert table.feature_names[0] == "patient"
    assert table.owners == []


def test_ids_beside_the_features_count_too(tmp_path, run):
    """In a sheet of a workbook, an array of .npz, obs of .h5ad, and a second table of classes."""
    table = make_visits()
    X, y, who = table.iloc[:, 1:-1].to_numpy(), table["outcome"], table["patient"]
    np.savez(tmp_path / "visits.npz", X=X, y=y.to_numpy(str), patient=who.to_numpy(str))
    table.to_excel(tmp_path / "visits.xlsx", sheet_name="all", index=False)
    features = table.iloc[:, 1:-1].assign(sample_id=[f"s{at}" for at in range(len(table))])
    features.to_csv(tmp_path / "values.csv", index=False)
    about = table[["patient", "outcome"]].assign(sample_id=features["sample_id"])
    about.to_csv(tmp_path / "about.csv", index=False)
    classes = ("--classes", f"{tmp_path / 'about.csv'}:outcome")
    for given in (
        ("visits.npz",),
        ("visits.xlsx", "--sheet", "all", "--target", "outcome", "--drop", "patient"),
        ("values.csv", *classes),
    ):
        call = ("select", tmp_path / given[0], *given[1:], "--C", 2)
        said = run(*call).says()
        assert "the values of 'patient' repeat" in said, given
        assert "See --groups patient." in said
        assert run(*call, "--groups", "patient").code == 0


def test_donors_of_cells_are_groups(tmp_path, run):
    anndata = pytest.importorskip("anndata")
    table = make_visits()
    obs = table[["patient", "outcome"]].rename(columns={"patient": "donor_id"})
    obs.index = [f"cell{at}" for at in range(len(obs))]
    cells = anndata.AnnData(table.iloc[:, 1:-1].to_numpy(np.float32), obs=obs.astype("category"))
    cells.write_h5ad(tmp_path / "cells.h5ad")
    call = ("select", tmp_path / "cells.h5ad", "--target", "outcome", "--C", 2)
    assert "See --groups donor_id" in run(*call).says()
    assert "See --groups donor_id" in run(*call, "--blocks").says()
    assert run(*call, "--groups", "donor_id").code == 0


def test_another_column_of_groups_is_enough(visits, run):
    """Whoever names groups has thought of it: patients of one clinic, for instance."""
    table = pandas.read_csv(visits)
    table["clinic"] = table["patient"].str[-1].map(lambda one: f"clinic {int(one) % 5}")
    table.to_csv(visits, index=False)
    call = ("select", visits, "--target", "outcome", "--drop", "patient", "--groups", "clinic")
    assert run(*call, "--C", 2).code == 0
