"""Files with damage anywhere: read to something sane, or refused by an error of our own."""

from __future__ import annotations

import random
import tempfile
import traceback
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fewest
from fuzzing.mutations.raw import damage
from tests.fuzzing import examples
from tests.readers.kinds import KINDS, files_of, put

PACKAGE = str(Path(fewest.__file__).parent)


def is_ours(error: Exception) -> bool:
    """Whether our own code has raised it, as a ValueError or OSError with a sentence."""
    raised_in = traceback.extract_tb(error.__traceback__)[-1].filename
    return (
        raised_in.startswith(PACKAGE)
        and isinstance(error, (ValueError, OSError))
        and " " in str(error)
    )


def read_or_refuse(name, files):
    """What the reader made of the files, or None."""
    kind = KINDS[name]
    with tempfile.TemporaryDirectory() as folder:
        put(files, Path(folder))
        try:
            return kind.read(Path(folder))
        except Exception as error:
            if not is_ours(error) and not isinstance(error, kind.may_refuse_by):
                raise
        return None


def check(name, rng):
    files = dict(files_of(name))
    damaged = rng.choice(sorted(files))
    if rng.random() < 0.1:
        del files[damaged]
    else:
        files[damaged] = damage(rng, files[damaged])
    read_or_refuse(name, files)


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if not kind.is_slow])
@examples(10)
@given(seed=st.integers(0, 2**32))
def test_damaged_files(name, seed):
    check(name, random.Random(f"{name} {seed}"))


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.is_slow])
@examples(3)
@given(seed=st.integers(0, 2**32))
def test_damaged_files_that_take_longer(name, seed):
    check(name, random.Random(f"{name} {seed}"))


@pytest.mark.parametrize("name", KINDS)
def test_whole_files_are_read_twice_the_same(name):
    first, second = (read_or_refuse(name, files_of(name)) for _ in range(2))
    assert first is not None
    assert (first[0] == second[0]).all()
    assert first[1] == second[1]
