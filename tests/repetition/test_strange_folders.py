"""Checkpoint folders of strangers: an error that says what to do, or the same result as ever."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

from fewest import Liknon, PotentialSelector, RepetitiveSelector
from fewest._run import checkpoint as module
from fewest._run.checkpoint import Checkpoint, CheckpointError
from fewest.datasets import make_gaussian
from fewest.informative import informative_features
from tests.platforms import needs

X, Y = make_gaussian(n=24, d=300, k=40, mu=0.8, random_state=0)


@pytest.fixture
def kept(tmp_path):
    """A folder of four repetitions."""
    folder = tmp_path / "kept"
    RepetitiveSelector(n_subsets=4, checkpoint=folder).fit(X, Y)
    return folder


def fit(folder, estimator=None):
    return RepetitiveSelector(estimator, n_subsets=5, checkpoint=folder).fit(X, Y)


def lines(folder):
    return (folder / "results.log").read_bytes().splitlines(keepends=True)


def forge(folder, change):
    """The same folder with other results, and checksums that fit."""
    contents = [line.split(b" ", 2)[2].rstrip(b"\n") for line in lines(folder)]
    identity = json.loads((folder / "run.json").read_text())
    chain, forged = module._digest(json.dumps(identity, sort_keys=True).encode()), b""
    for number, content in enumerate(change(contents), start=1):
        start = module._start_of_line(number, chain, content)
        chain = start.split()[1].decode()
        forged += start + content + b"\n"
    (folder / "results.log").write_bytes(forged)


def edit(change, place=1):
    """Change one record, which `change` gets and may return anew."""

    def apply(contents):
        record = json.loads(contents[place])
        changed = change(record)
        contents[place] = json.dumps(record if changed is None else changed).encode()
        return contents

    return apply


def put(**entries):
    return edit(lambda record: record.update(entries))


def put_state(**entries):
    return edit(lambda record: record["states"][0].update(entries))


def put_near(**entries):
    """The first record has the columns at hand."""
    return edit(lambda record: record["states"][0]["near"].update(entries), place=0)


FORGERIES = {
    "{}": edit(lambda _: {}),
    "null": lambda contents: [b"null", *contents],
    "a number": lambda contents: [b"1" * 5000, *contents],
    "a list": lambda contents: [b"[]", *contents],
    "deep nesting": lambda contents: [b"[" * 100_000 + b"]" * 100_000],
    "no JSON": lambda contents: [b"{", *contents],
    "not text": lambda contents: [b"\xff\xfe", *contents],
    "large numbers": put(features=[10**9]),
    "numbers below zero": put(features=[-1]),
    "fractions": put(features=[1.5]),
    "text": put(features=["1"]),
    "truth values": put(features=[True]),
    "no features": put(features=[], coef=[[]]),
    "features out of order": edit(lambda record: record["features"].reverse()),
    "features as an object": put(features={"0": 1}),
    "no coefficients": put(coef=None),
    "coefficients of another length": put(coef=[[1.0]] * 2),
    "coefficients as text": edit(lambda r: r.update(coef=[["a"] * len(r["features"])])),
    "an intercept that is none": put(intercept=3.5),
    "a very large number": put(objective=10**400),
    "an error above one": put(error=1.5),
    "an error that is none": put(error=None),
    "another entry": put(more=1),
    "no states": put(states=[]),
    "states as text": put(states="none"),
    "a state of nothing": put(states=[{}]),
    "a start outside": put_state(start=[300]),
    "samples outside": put_state(samples=[24]),
    "half a corner": put_state(corner=[[1]]),
    "a corner outside": put_state(corner=[[1], [10**9]]),
    "features at hand outside": put_near(features=[10**12]),
    "a reference of another length": put_near(reference=[1.0]),
    "a reference that is not finite": put_near(reference=[float("nan")] * 24),
    "a cut below zero": put_near(cut=-1.0),
    "not complete": put_near(features=[0, 1], complete=True),
    "a repetition twice": lambda contents: [contents[0], contents[0], *contents[1:]],
}


@pytest.mark.parametrize("how", FORGERIES)
def test_records_that_no_run_has_written(kept, how):
    before = lines(kept)
    forge(kept, FORGERIES[how])
    assert lines(kept) != before
    with pytest.raises(CheckpointError, match=r"line \d of .* nothing that this run has written"):
        fit(kept)


def test_forging_nothing_changes_nothing(kept):
    before = lines(kept)
    forge(kept, lambda contents: contents)
    assert lines(kept) == before


@pytest.mark.parametrize("estimator", [Liknon(C=0.5), PotentialSelector(n_features=5)])
def test_records_of_other_estimators(tmp_path, estimator):
    whole = fit(tmp_path / "whole", estimator)
    fit(tmp_path, estimator)
    again = fit(tmp_path, estimator)
    assert [one.tolist() for one in whole.subsets_] == [one.tolist() for one in again.subsets_]
    forge(tmp_path, put(features=[10**9]))
    with pytest.raises(CheckpointError, match="line 2 of .* whole numbers from 0 to 299"):
        fit(tmp_path, estimator)


@pytest.mark.parametrize("order", [[1, 0, 2, 3], [0, 1, 1, 2, 3], [0, 2, 3], [3], [0, 1, 3, 2]])
def test_lines_in_another_order_are_computed_again(kept, tmp_path, order):
    expected = fit(tmp_path / "other")
    before = lines(kept)
    (kept / "results.log").write_bytes(b"".join(before[place] for place in order))
    found = fit(kept)
    for one, two in zip(expected.subsets_, found.subsets_, strict=True):
        assert one.tolist() == two.tolist()
    assert lines(kept) == lines(tmp_path / "other")


def test_lines_of_another_run_are_computed_again(kept, tmp_path):
    turned = RepetitiveSelector(n_subsets=4, checkpoint=tmp_path / "b").fit(X[:, ::-1].copy(), Y)
    (kept / "results.log").write_bytes((tmp_path / "b" / "results.log").read_bytes())
    found = fit(kept)
    assert found.subsets_[0].tolist() != turned.subsets_[0].tolist()
    assert lines(kept)[:4] != lines(tmp_path / "b")


@pytest.mark.parametrize("name", ["run.json", "results.log"])
@pytest.mark.parametrize("kind", ["folder", "link", "pipe", "link to nothing"])
@needs("POSIX permissions")
def test_what_is_no_file(kept, tmp_path, name, kind):
    other = tmp_path / "precious"
    other.write_text("mine")
    (kept / name).unlink()
    if kind == "folder":
        (kept / name).mkdir()
    elif kind == "pipe":
        os.mkfifo(kept / name)
    else:
        (kept / name).symlink_to(other if kind == "link" else tmp_path / "nowhere")
    with pytest.raises(CheckpointError, match="is not an ordinary file. Name an empty or new"):
        fit(kept)
    assert other.read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    "content", [b"{", b"null", b"[" * 100_000, b"\xff", b" " * 2_000_000, b"1" * 5000]
)
def test_a_description_that_is_none(kept, content):
    (kept / "run.json").write_bytes(content)
    with pytest.raises(CheckpointError, match="is not the description of a run"):
        fit(kept)


def test_what_a_description_says_is_shown_without_harm(kept):
    identity = json.loads((kept / "run.json").read_text())
    identity["the shape of X"] = "\x1b[2J" + "x" * 1000
    identity["\x1b[31m"] = [1] * 1000
    (kept / "run.json").write_text(json.dumps(identity))
    with pytest.raises(CheckpointError, match="belongs to another run") as caught:
        fit(kept)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_a_log_that_would_not_fit_into_memory(kept, monkeypatch):
    monkeypatch.setenv("FEWEST_MAX_GB", "0.000001")
    with pytest.raises(CheckpointError, match=r"results.log cannot be read: .*FEWEST_MAX_GB"):
        fit(kept)


@needs("/dev/full")
def test_a_full_disk(tmp_path):
    with Checkpoint(tmp_path, {}) as checkpoint, open("/dev/full", "ab", buffering=0) as full:
        log, checkpoint._log = checkpoint._log, full
        with pytest.raises(CheckpointError, match="No space left on device.*on a disk with room"):
            checkpoint.append({"a": 1})
        checkpoint._log = log


def test_folds_of_informative_features(tmp_path):
    how = {"cv": 2, "n_permutations": 0, "random_state": 0, "probe": None}
    first = informative_features(RepetitiveSelector(n_subsets=3), X, Y, checkpoint=tmp_path, **how)
    assert np.isfinite(first.agreement).all()
    forge(tmp_path / "fold-001", edit(lambda _: {}))
    with pytest.raises(CheckpointError, match="line 2 of .*fold-001"):
        informative_features(RepetitiveSelector(n_subsets=3), X, Y, checkpoint=tmp_path, **how)
