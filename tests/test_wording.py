"""Names in messages are safe to print and short; pages and docstrings are in plain English."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from fewest._wording import counted, cut, cut_apart, four_digits, listed, near, visible
from tests.docs.pages import ROOT, name_of, pages, prose, reference

# Words that were translated too literally, each with what to write instead.
_ODD = {
    r"\banew\b": "again",
    r"\bdear(er|est)?\b": "expensive",
    r"\bbe it\b": "such as",
    r"\bin for nothing\b": "included at no cost",
    r"\bone after the other\b": "one after another",
    r"\bwhoever\b": "anyone who, or the code that",
    r"\bso many are (drawn|taken|shown)\b": "that many are drawn",
    r"\bclasses in their shares\b|\bclasses' shares kept\b": "in proportion to the classes",
    r"\bmultipl(y|ied) with\b": "multiplied by",
    # "one machine a class", "two features a fold"
    r"\b(one|two|three|\d+) \w+ an? (class|feature|sample|fold|group|gene|voxel|split)\b": "per",
}
# Words that only developers and the pages of the methods explain.
_JARGON = r"\bfarkas\b|\bpricing\b|\bhubs?\b|\bcertificates?\b|\bdual variables?\b"
_FOR_EVERYONE = ("README", "index", "tutorial", "reading_data", "which_method", "honest_errors")
# History, and a page that a script writes.
_RECORDS = ("CHANGELOG", "reproductions")


def test_control_characters_are_spelled_out():
    assert visible("a\nb\x1b[0m\u202eµ") == "a\\nb\\x1b[0m\\u202eµ"


def test_cut():
    assert cut("a" * 40) == "a" * 40
    assert cut("a" * 41) == "a" * 37 + "..."


def test_names_stay_apart_when_they_are_cut():
    long = [f"a class with a long name, number {number}" for number in (1, 2, 2)]
    assert cut_apart(long, 16) == long
    assert cut_apart(["b" * 50, "short"], 16) == ["b" * 13 + "...", "short"]
    assert cut_apart(["same", "same"], 3) == ["...", "..."]
    assert cut_apart([]) == []


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


def _public_docstrings() -> Iterator[tuple[str, str]]:
    """Place and text of the docstrings in the API reference, public methods included."""
    public = {name.rpartition(".")[2] for name in reference()}
    for file in sorted((ROOT / "src/fewest").rglob("*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.ClassDef | ast.FunctionDef) or node.name not in public:
                continue
            methods = [
                one
                for one in getattr(node, "body", [])
                if isinstance(one, ast.FunctionDef) and not one.name.startswith("_")
            ]
            for one in [node, *(methods if isinstance(node, ast.ClassDef) else [])]:
                yield f"{file.name}: {node.name}.{one.name}", ast.get_docstring(one) or ""


def _find_odd(text: str) -> list[str]:
    return [
        f"{match.group(0)!r}: write {instead!r}"
        for pattern, instead in _ODD.items()
        if (match := re.search(pattern, text, re.IGNORECASE))
    ]


def test_odd_words_are_found():
    assert _find_odd("It has one machine a class.") == ["'one machine a class': write 'per'"]
    assert not _find_odd("One machine per class, and a class of its own.")


@pytest.mark.parametrize("page", [one for one in pages() if one.stem not in _RECORDS], ids=name_of)
def test_pages_are_in_plain_english(page):
    assert not _find_odd(prose(page.read_text(encoding="utf-8")))


def test_docstrings_are_in_plain_english():
    found = [f"{place}: {odd}" for place, text in _public_docstrings() for odd in _find_odd(text)]
    assert not found


@pytest.mark.parametrize("page", [one for one in pages() if one.stem in _FOR_EVERYONE], ids=name_of)
def test_pages_for_everyone_need_no_glossary(page):
    text = prose(page.read_text(encoding="utf-8"))
    assert not re.findall(_JARGON, text, re.IGNORECASE)
