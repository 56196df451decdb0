"""Thousands of damaged files: each loads to the same estimator, or says what is wrong with it."""

from __future__ import annotations

import copy
import json
import random
import tracemalloc
import warnings

import numpy as np
import pytest

import fewest
from fewest.model_files._model import VERSION, load_bytes
from tests.fuzzing import many
from tests.model_files.models import assert_same_estimator, fitted, new_samples
from tests.model_files.tampering import archive_of, members, with_document

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


def flip_bits(rng, content):
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 3, 20))):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def truncate(rng, content):
    return content[: rng.randrange(len(content))]


def cut_out(rng, content):
    start = rng.randrange(len(content))
    return content[:start] + content[start + rng.randrange(1, 200) :]


def insert(rng, content):
    start = rng.randrange(len(content))
    return content[:start] + rng.randbytes(rng.randrange(1, 50)) + content[start:]


def overwrite(rng, content):
    start = rng.randrange(len(content))
    filling = rng.choice((b"\0", b"\xff", b"PK\x01\x02", b"PK\x05\x06")) * 8
    return (content[:start] + filling + content[start + len(filling) :])[: len(content)]


def swap_ends(rng, content):
    middle = rng.randrange(1, len(content))
    return content[middle:] + content[:middle]


@pytest.mark.parametrize("name", BASES)
def test_damaged_bytes(name, base):
    """A checksum guards every member, so what loads is the same estimator."""
    rng, content = random.Random(f"bytes {name}"), base(name)
    ways = (flip_bits, flip_bits, truncate, cut_out, insert, overwrite, swap_ends)
    refused = 0
    for _ in range(BYTE_MUTATIONS):
        estimator = tried(rng.choice(ways)(rng, content))
        if estimator is None:
            refused += 1
        else:
            assert_same_estimator(fitted(name), estimator)
    assert refused > BYTE_MUTATIONS / 2


ODD_VALUES = (
    None,
    True,
    -1,
    0,
    1,
    2,
    10**30,
    1e308,
    0.5,
    "",
    "x",
    "../../../etc/passwd",
    "os.system",
    "SupportFeatureMachine",
    "Result",
    "a0.npy",
    "a1.npy",
    "<f8",
    "|O",
    "optimal",
    [],
    [[]],
    {},
    [2, 2],
    [10**12, 10**12],
    {"float": "nan"},
    {"float": "inf"},
    {"int": "-0x1" + 40 * "0"},
    {"tuple": []},
    {"dict": []},
    {"dict": [["a", 1], ["a", 2]]},
    {"dict": [[{"tuple": []}, 1]]},
    {"objects": ["a", None]},
    {"numpy": "int8", "value": 300},
    {"numpy": "object", "value": 1},
    {"status": "wonderful"},
    {"record": "Popen", "fields": {"args": "true"}},
    {"record": "WarmStart", "fields": {"features": None, "samples": 3}},
    {"estimator": "Liknon", "parameters": {}, "fitted": {}},
    {"estimator": "Pipeline", "parameters": {"steps": [], "memory": "/", "verbose": 0}},
    {"array": "a0.npy", "dtype": "<i8", "shape": [2]},
    {"array": "a1.npy", "dtype": "<f8", "shape": [1]},
    {"array": "a99.npy", "dtype": "<f8", "shape": [1]},
)


def places(node, found):
    """All containers of a document, each with all keys."""
    for key, entry in node.items() if isinstance(node, dict) else enumerate(node):
        found.append((node, key))
        if isinstance(entry, (dict, list)):
            places(entry, found)
    return found


def change_document(rng, document):
    container, key = rng.choice(places(document, []))
    way = rng.randrange(5)
    if way == 0:
        del container[key]
    elif way == 1:
        other, other_key = rng.choice(places(document, []))
        one, two = copy.deepcopy(container[key]), copy.deepcopy(other[other_key])
        container[key], other[other_key] = two, one
    elif way == 2 and isinstance(container, dict):
        container[rng.choice(("_tree", "predict", "__class__", "classes_", "x"))] = container.pop(
            key
        )
    else:
        container[key] = copy.deepcopy(rng.choice(ODD_VALUES))
    return document


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


def change_header(rng, array):
    """Another shape, type or order in the header, the bytes as they are."""
    header, end = array[10 : array.index(b"\n") + 1], array.index(b"\n") + 1
    old, new = rng.choice(
        (
            (b"<f8", b"|O8"),
            (b"<f8", b"<f4"),
            (b"<f8", b"<i8"),
            (b"<f8", b"<c8"),
            (b"<f8", b"<M8"),
            (b"<i8", b"<f8"),
            (b"<i8", b"<U2"),
            (b"|b1", b"|i1"),
            (b"False", b"True "),
            (b"'shape': (", b"'shape': (9"),
            (b"'shape': (", b"'shape': (-"),
            (b"'shape': (", b"'shape': (__import__('os').system('true'),"),
            (b"'shape'", b"'shaqe'"),
            (b"{", b"[" * 80),
        )
    )
    header = header.replace(old, new)[: len(header)].rstrip().ljust(len(header) - 1) + b"\n"
    return array[:10] + header + array[end:]


def change_arrays(rng, parts):
    name, other = rng.choice(list(parts)), rng.choice(list(parts))
    way = rng.randrange(4)
    if way == 0 and name != "model.json":
        parts[name] = change_header(rng, parts[name])
    elif way == 1:
        parts[name], parts[other] = parts[other], parts[name]
    elif way == 2:
        del parts[name]
    elif name != "model.json":
        content = bytearray(parts[name])
        for _ in range(8):
            content[rng.randrange(len(content))] = rng.choice((0, 1, 2, 0x7F, 0xFF))
        parts[name] = bytes(content)
    return archive_of(parts.items())


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
