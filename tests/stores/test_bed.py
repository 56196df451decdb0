"""PLINK's genotypes, against bed-reader and against the dense fit."""

from __future__ import annotations

import numpy as np
import pytest

from fewest import SupportFeatureMachine
from fewest.stores import open_store
from fewest.tables import InputError
from tests.stores.test_equal import assert_same_fit
from tests.stores.writers import write_bed


def read_with_peer(path):
    """Copies of the first allele by another reader, with the mean in place of missing ones."""
    bed_reader = pytest.importorskip("bed_reader")
    with bed_reader.open_bed(path, count_A1=True) as bed:
        X = bed.read(dtype="float32")
    mean = np.nanmean(X, axis=0, dtype=np.float64)
    return np.where(np.isnan(X), mean.astype(np.float32), X)


@pytest.mark.parametrize("n", [4, 5, 6, 7, 30])
def test_values_of_any_number_of_people(n, tmp_path):
    rng = np.random.default_rng(n)
    G = rng.integers(0, 3, (n, 40)).astype(float)
    G[rng.random(G.shape) < 0.1] = np.nan
    G[:, 3] = np.nan
    G[:, 4] = 1.0
    path = write_bed(tmp_path / "a.bed", G)
    store = open_store(path, max_memory=2_000)
    mean = np.nanmean(np.delete(G, 3, axis=1), axis=0)
    filled = np.where(np.isnan(G), np.insert(mean, 3, 0.0), G).astype(np.float32)
    np.testing.assert_allclose(store.take(np.arange(40)), filled, rtol=1e-6)
    np.testing.assert_allclose(store.products(np.ones(n)), filled.sum(axis=0), rtol=1e-5)
    assert store.feature_names[:2].tolist() == ["rs0", "rs1"]
    assert store.sample_names[0] == "I0"


def test_values_of_another_reader(tmp_path):
    rng = np.random.default_rng(0)
    G = rng.integers(0, 3, (33, 50)).astype(float)
    G[rng.random(G.shape) < 0.05] = np.nan
    path = write_bed(tmp_path / "a.bed", G)
    np.testing.assert_allclose(
        open_store(path).take(np.arange(50)), read_with_peer(path), rtol=1e-6
    )


@pytest.mark.parametrize("C", [np.inf, 1.0])
@pytest.mark.parametrize("target", ["phenotype", "population"])
def test_real_genotypes(C, target, real_file):
    path = real_file("genotypes.bed")
    store = open_store(path, max_memory=4e6)
    X = read_with_peer(path)
    y = store.read_label(target)
    if target == "phenotype":
        assert sorted(set(y)) == ["case", "control"]
    else:
        y = y == "POP1"
    found = SupportFeatureMachine(C=C).fit(store, y)
    expected = SupportFeatureMachine(C=C).fit(X, y)
    assert_same_fit(found, expected)
    assert len(store.source.column_edges) > 3


def test_variants_without_a_name(tmp_path):
    path = write_bed(tmp_path / "a.bed", np.zeros((4, 2)))
    path.with_suffix(".bim").write_text("1 . 0 77 A G\n2 rs5 0 90 A G\n")
    assert open_store(path).feature_names.tolist() == ["1:77", "rs5"]


@pytest.mark.parametrize("missing", [".bim", ".fam"])
def test_files_beside_it(missing, tmp_path):
    path = write_bed(tmp_path / "a.bed", np.zeros((4, 2)))
    path.with_suffix(missing).unlink()
    with pytest.raises(InputError, match=r"needs its \.bim and \.fam beside it"):
        open_store(path)


def test_files_that_do_not_belong_together(tmp_path):
    path = write_bed(tmp_path / "a.bed", np.zeros((5, 2)))
    path.with_suffix(".bim").write_text("1 a 0 7 A G\n" * 3)
    with pytest.raises(InputError, match="7 bytes, but 5 people .* 3 variants .* take 9"):
        open_store(path)
    path.with_suffix(".fam").write_text("F I0 0 0 1\n")
    with pytest.raises(InputError, match=r"line 1 of .*a\.fam has fewer than six fields"):
        open_store(path)


@pytest.mark.parametrize("start", [b"\x6c\x1b\x00", b"PLINK"])
def test_other_formats(start, tmp_path):
    path = write_bed(tmp_path / "a.bed", np.zeros((5, 2)))
    path.write_bytes(start + path.read_bytes()[len(start) :])
    with pytest.raises(InputError, match=r"is damaged, or not a PLINK 1 \.bed file"):
        open_store(path)
