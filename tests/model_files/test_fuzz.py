"""Thousands of damaged files: each loads to the same estimator, or says what is wrong with it."""

from __future__ import annotations

import json
import random
import tracemalloc
import warnings

import numpy as np
import pytest

import fewest
from fewest.model_files._model import VERSION, load_bytes
from fuzzing.mutations.archives import archive_of, members, with_document
from fuzzing.mutations.arrays import change_arrays
from fuzzing.mutations.documents import change_document
from fuzzing.mutations.raw import damage, flip_bits
from tests.fuzzing import many
from tests.model_files.models import assert_same_estimator, fitted, new_samples

# Small files that together hold every kind of node, record and inner classifier.
BASES = (
    "sfm",
    "sfm, certified",
    "sfm_cv, one subset",
    "liknon_cv",
    "accumulated",
    "repetitive, three classes",
    "psvc, sparse",
    "psvr",
    "potential selector",
    "min_over, kernel",
)
# For each of the files.
BYTE_MUTATIONS, DOCUMENT_MUTATIONS, ARRAY_MUTATIONS = map(many, (120, 150, 60))
pytestmark = pytest.mark.fuzz
MOST_MEMORY = 30 * 2**20


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")

    def content(name):
        path = folder / f"{name}.fewest"
        if not path.exists():
            fewest.save(fitted(name), path)
        return path.read_bytes()

    return content


def tried(content):
    """The estimator, or None for a ModelFileError; any other error fails the test.

    `fewest.load` would turn other errors into this one, but there should be none to turn.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return load_bytes(content)
    except fewest.ModelFileError:
        return None


@pytest.mark.parametrize("name", BASES)
def test_damaged_bytes(name, base):
    """A checksum guards every member, so what loads is the same estimator."""
    rng, content = random.Random(f"bytes {name}"), base(name)
    refused = 0
    for _ in range(BYTE_MUTATIONS):
        estimator = tried(damage(rng, content))
        if estimator is None:
            refused += 1
        else:
            assert_same_estimator(fitted(name), estimator)
    assert refused > BYTE_MUTATIONS / 2


@pytest.mark.parametrize("name", BASES)
def test_changed_documents(name, base):
    """Checksums are right: what loads is another model perhaps, but one that works."""
    rng, content = random.Random(f"document {name}"), base(name)
    refused = 0
    for _ in range(DOCUMENT_MUTATIONS):
        changed = with_document(content, lambda document: change_document(rng, document))
        refused += not works(name, tried(changed))
    assert refused > DOCUMENT_MUTATIONS / 2


def works(name, estimator):
    """Whether there is an estimator; one that loads must also answer."""
    if estimator is None:
        return False
    samples = new_samples(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method in ("predict", "decision_function", "transform"):
            if hasattr(estimator, method):
                assert getattr(estimator, method)(samples).shape[0] == samples.shape[0]
    return True


@pytest.mark.parametrize("name", BASES)
def test_changed_arrays(name, base):
    rng, content = random.Random(f"arrays {name}"), base(name)
    for _ in range(ARRAY_MUTATIONS):
        estimator = tried(change_arrays(rng, dict(members(content))))
        if estimator is not None:
            answers_or_refuses(name, estimator)


def answers_or_refuses(name, estimator):
    """NaN among the weights is for the classifiers inside to refuse; nothing else may happen."""
    try:
        works(name, estimator)
    except ValueError as error:
        if "NaN" not in str(error) and "infin" not in str(error):
            raise


@pytest.mark.slow
def test_memory_stays_bounded(base):
    rng, content = random.Random("memory"), base("sfm")
    tried(content)
    tracemalloc.start()
    for _ in range(100):
        tried(flip_bits(rng, content))
        tried(with_document(content, lambda document: change_document(rng, document)))
        tried(change_arrays(rng, dict(members(content))))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MOST_MEMORY


def test_enough_mutations():
    assert len(BASES) * (BYTE_MUTATIONS + DOCUMENT_MUTATIONS + ARRAY_MUTATIONS) > 2000


def test_base_files_are_of_this_version(base):
    for name in BASES:
        assert json.loads(dict(members(base(name)))["model.json"])["version"] == VERSION


def test_unchanged_files_load(base):
    for name in BASES:
        assert_same_estimator(fitted(name), tried(base(name)))
        again = archive_of(members(base(name)))
        assert_same_estimator(fitted(name), tried(again))
    assert np.isfinite(fitted("sfm").coef_).all()
