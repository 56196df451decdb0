"""Names in messages are safe to print and short."""

from __future__ import annotations

import pytest

from fewest._wording import counted, cut, four_digits, listed, near, visible


def test_control_characters_are_spelled_out():
    assert visible("a\nb\x1b[0m\u202eµ") == "a\\nb\\x1b[0m\\u202eµ"


def test_cut():
    assert cut("a" * 40) == "a" * 40
    assert cut("a" * 41) == "a" * 37 + "..."


@pytest.mark.parametrize(("names", "expected"), [(["a"], "a"), (list("abcde"), "a, b, c, d, e")])
def test_listed(names, expected):
    assert listed(names) == expected
    assert listed("abcdefg") == "a, b, c, d, e and 2 more"


def test_counted():
    assert [counted(number, "row") for number in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]


def test_near_ignores_case():
    assert near("CLASS", ["x", "class", "klass"]) == "Did you mean 'class' or 'klass'?"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (-1.57, "-1.570"),
        (-1.4531, "-1.453"),
        (0.84, "0.8400"),
        (225.0, "225.0"),
        (2303.1, "2303"),
        (12345.6, "12346"),
        (9.99996, "10.00"),
        (0.0001234, "0.0001234"),
        (1.2341e-7, "1.234e-07"),
        (1.2341e9, "1.234e+09"),
        (0.0, "0"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
    ],
)
def test_four_digits(value, shown):
    assert four_digits(value) == shown
