"""Checkpoint folders of strangers: once tracebacks, or another result with exit 0."""

from __future__ import annotations

import hashlib
import json
import zlib

import numpy as np
import pytest

DEEP = b"[" * 100_000 + b"]" * 100_000


@pytest.fixture
def command(run, tmp_path):
    """A run of which the folder holds four results."""
    rng = np.random.default_rng(0)
    y = np.arange(24) % 2
    X = rng.standard_normal((24, 60))
    X[:, :8] += 1.5 * y[:, None]
    np.savez(tmp_path / "data.npz", X=X, y=y)
    start = ["rank", tmp_path / "data.npz", "--checkpoint"]
    assert run(*start, tmp_path / "kept", "--subsets", 4).code == 0
    return start


def sign(folder, contents):
    """Lines with these contents, and checksums that fit.

    Lines of the first format had a checksum of their own content only; they are written too, so
    that the code of that time can be tried.
    """
    lines = (folder / "results.log").read_bytes().splitlines()
    if len(lines[0].split(b" ", 1)[0]) == 8:
        return b"".join(b"%08x %s\n" % (zlib.crc32(one), one) for one in contents)
    identity = json.loads((folder / "run.json").read_bytes())
    chain, signed = digest(json.dumps(identity, sort_keys=True).encode()), b""
    for number, content in enumerate(contents, start=1):
        chain = digest(f"{number} {chain} ".encode() + content)
        signed += f"{number} {chain} ".encode() + content + b"\n"
    return signed


def digest(content):
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def content_of(line):
    return line[line.index(b"{") :]


@pytest.mark.parametrize(
    "content", [b"{}", b"null", DEEP, None], ids=["{}", "null", "deep nesting", "feature 1e9"]
)
def test_records_that_no_run_has_written(run, command, tmp_path, content):
    log = tmp_path / "kept" / "results.log"
    contents = [content_of(line) for line in log.read_bytes().splitlines()]
    if content is None:
        content = json.dumps({**json.loads(contents[1]), "features": [10**9]}).encode()
    log.write_bytes(sign(tmp_path / "kept", [contents[0], content, *contents[2:]]))
    ran = run(*command, tmp_path / "kept", "--subsets", 5)
    assert ran.code == 2
    assert "nothing that this run has written" in ran.says()


def test_a_description_that_is_a_folder(run, command, tmp_path):
    (tmp_path / "kept" / "run.json").unlink()
    (tmp_path / "kept" / "run.json").mkdir()
    ran = run(*command, tmp_path / "kept", "--subsets", 5)
    assert ran.code == 2
    assert "is not an ordinary file" in ran.says()


@pytest.mark.parametrize("order", [[0, 2, 3], [0, 1, 1, 2, 3]], ids=["left out", "doubled"])
def test_lines_in_another_order_give_the_same_result(run, command, tmp_path, order):
    log = tmp_path / "kept" / "results.log"
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[place] for place in order))
    expected = run(*command, tmp_path / "fresh", "--subsets", 5, "--quiet")
    found = run(*command, tmp_path / "kept", "--subsets", 5, "--quiet")
    assert (found.code, found.out) == (expected.code, expected.out)
