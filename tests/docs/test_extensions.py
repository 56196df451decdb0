"""The documentation's own extensions of Sphinx."""

import importlib.util

import pytest

from fewest.cli._parser import build_parser
from tests.docs.pages import ROOT


def _extension(name):
    path = ROOT / "docs" / "_ext" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"docs_extension_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("weights |w| of coef_", r"weights \|w\| of coef\_"),
        ("shape (n_features_in_,)", r"shape (n_features_in\_,)"),
        ("as in `coef_` and ``|w|``", "as in `coef_` and ``|w|``"),
        (r"a formula :math:`\|w\|_0`", r"a formula :math:`\|w\|_0`"),
        ("of shape (n, *grid)", r"of shape (n, \*grid)"),
        ("a *bad* pair, **C** : float", "a *bad* pair, **C** : float"),
        ("see [2]_ for it", "see [2]_ for it"),
    ],
)
def test_text_of_docstrings_means_itself(line, expected):
    assert _extension("plain_docstrings").escaped([line]) == [expected]


def test_formulas_and_examples_stay_as_they_are():
    lines = [".. math::", "", "    |w|_1", "", ">>> machine.coef_", "|a_|", ""]
    assert _extension("plain_docstrings").escaped(lines) == lines
    after = [*lines, "and |w| again"]
    assert _extension("plain_docstrings").escaped(after)[-1] == r"and \|w\| again"


def test_formulas_become_mathml():
    pytest.importorskip("latex2mathml")
    pytest.importorskip("sphinx")
    program = r"\min \; \|w\|_0 \quad \text{subject to} \quad y_i (w^\top x_i + b) \ge 1"
    written = _extension("mathml").as_mathml(program, display="block")
    assert written.startswith("<math")
    assert written.count("<mtr>") == 2  # the aim and the constraints, one below the other
    assert "<mfrac>" in _extension("mathml").as_mathml(r"\tfrac12", display="inline")


def test_the_page_of_the_command_line_has_every_command_and_option():
    pytest.importorskip("sphinx")

    extension = _extension("command_line")
    text = "\n".join(node.astext() for node in extension.CommandLine.run(None))
    parser = build_parser()
    commands = parser._subparsers._group_actions[0].choices
    for name, command in commands.items():
        assert f"fewest {name}" in text
        for action in command._actions:
            assert all(
                spelling in text for spelling in action.option_strings if action.dest != "help"
            )
