"""The scripts that draw, on tiny settings."""

import sys

import numpy as np
import pytest

from examples import plot_chance_separation, plot_leave_one_out, plot_vignetting
from reproductions import klement_theory_loo


@pytest.fixture
def draw(monkeypatch, tmp_path):
    def call(script, *arguments):
        file = tmp_path / "figure.png"
        monkeypatch.setattr(sys, "argv", ["script", str(file), *arguments])
        script.main()
        return file.read_bytes()

    return call


def test_leave_one_out(draw, monkeypatch):
    monkeypatch.setattr(klement_theory_loo, "SIZES", np.array([4, 6, 10, 20]))
    monkeypatch.setattr(klement_theory_loo, "DIMENSIONS", np.array([30, 300, 3000]))
    monkeypatch.setattr(plot_leave_one_out, "_SHOWN", (6, 10, 20))
    monkeypatch.setattr(plot_leave_one_out, "_COLOURS", ("red", "green", "blue"))
    assert draw(plot_leave_one_out, "--runs", "1").startswith(b"\x89PNG")


def test_chance_separation(draw):
    assert draw(plot_chance_separation, "--runs", "1").startswith(b"\x89PNG")


def test_vignetting(draw):
    assert draw(plot_vignetting, "--levels", "2").startswith(b"\x89PNG")


def test_leave_one_out_error_is_that_of_libsvm():
    """The shortcut for machines with support vectors only, against the plain way."""
    rng = np.random.default_rng(0)
    for d in (5, 20, 400):
        X, y = rng.standard_normal((12, d)), np.where(np.arange(12) % 2, 1.0, -1.0)
        kernel = X @ X.T
        scores = [
            klement_theory_loo._by_libsvm(kernel, y, np.delete(np.arange(12), i), i)
            for i in range(12)
        ]
        expected = np.mean(y * np.array(scores) <= 0)
        with klement_theory_loo.quietly():
            assert klement_theory_loo.loo_error(kernel, y) == expected
