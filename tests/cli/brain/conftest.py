"""A scan, and runs that must fail."""

import pytest

from tests.cli.brain.scans import write_scan


@pytest.fixture
def scan(tmp_path):
    return write_scan(tmp_path)


@pytest.fixture
def fails(run):
    """Run, and return the message of the error, which must be short and come without results."""

    def call(*arguments, code=2):
        ran = run(*arguments)
        assert ran.code == code
        assert "Selected" not in ran.out
        assert ran.err.startswith("fewest: error: ")
        assert ran.err.count("\n") <= 2
        return ran.err

    return call
