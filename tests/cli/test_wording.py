"""What is printed reads as English, and help breaks no option."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from fewest.cli._parser import build_parser, subcommands

PACKAGE = Path(__file__).parents[2] / "src" / "fewest"
# Where text for the terminal is made.
PRINTING = [
    *sorted((PACKAGE / "cli").glob("*.py")),
    *(PACKAGE / "panels" / name for name in ("_text.py", "_points_text.py")),
    PACKAGE / "report" / "_verdict.py",
    PACKAGE / "diagnostics" / "_summary.py",
]
# What an English-speaking reader stumbles over, and jargon that only --verbose may print.
ODD = re.compile(
    r"\bso that\b|\btaken for\b|\banew\b|\bdear(er)?\b|\b(is|are) no features?\b|\bcumulated\b"
    r"|\b(once|twice|times|samples|features) an? (class|sample|fold|feature|row|gene)\b"
    r"|\bFarkas\b|\bpricing\b|\btells? nothing\b"
)


def list_texts(path):
    """String constants of a module, without docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in documented
        and len(node.value.split()) > 2
    ]


@pytest.mark.parametrize("path", PRINTING, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_nothing_odd_is_printed(path):
    found = [text for text in list_texts(path) if ODD.search(text)]
    assert found == []


@pytest.mark.parametrize("columns", ["60", "80", "100"])
@pytest.mark.parametrize("command", [None, *subcommands(build_parser())])
def test_help_breaks_no_option(command, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    parser = build_parser() if command is None else subcommands(build_parser())[command]
    text = parser.format_help()
    body = text.split("examples:")[0].split("\n\n", 1)[1]
    assert not re.search(r"^\s*[,;]", body, re.M)
    assert not re.search(r"--[\w-]*-$", body, re.M)
    for action in parser._actions:  # every option that its help names stands in one line
        for name in re.findall(r"--[\w-]+ [A-Z\d][\w-]*|--[\w-]+", action.help or ""):
            assert name in text, f"{name} is broken"
