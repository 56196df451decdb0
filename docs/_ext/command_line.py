"""The directive `command-line`: every command of `fewest` and its options, from the parser."""

from __future__ import annotations

import argparse
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from fewest.cli._parser import build_parser

_NO_GROUPS = ("positional arguments", "options")


class CommandLine(SphinxDirective):
    """One section a command, so that the page cannot say other things than ``--help``."""

    def run(self) -> list[nodes.Node]:
        """The sections."""
        parser = build_parser()
        commands = next(
            action for action in parser._actions if isinstance(action, argparse._SubParsersAction)
        )
        summaries = {choice.dest: choice.help for choice in commands._choices_actions}
        return [
            _section(name, summaries[name], command) for name, command in commands.choices.items()
        ]


def _section(name: str, summary: str, parser: argparse.ArgumentParser) -> nodes.section:
    section = nodes.section(ids=[f"fewest-{name}"], names=[f"fewest {name}"])
    section += nodes.title(text=f"fewest {name}")
    section += nodes.paragraph(text=f"{summary[0].upper()}{summary[1:]}.")
    section += _verbatim(parser.description)
    for group in parser._action_groups:
        actions = [action for action in group._group_actions if action.help != argparse.SUPPRESS]
        if group.title in _NO_GROUPS:
            actions = [action for action in actions if not isinstance(action, argparse._HelpAction)]
        if actions:
            section += _options(group.title if group.title not in _NO_GROUPS else None, actions)
    section += _verbatim(parser.epilog)
    return section


def _options(title: str | None, actions: list[argparse.Action]) -> list[nodes.Node]:
    listed = nodes.definition_list(classes=["options"])
    for action in actions:
        term = nodes.term("", "", nodes.literal(text=_spelling(action)))
        meaning = nodes.definition("", nodes.paragraph(text=(action.help or "") % vars(action)))
        listed += nodes.definition_list_item("", term, meaning)
    return [*([nodes.rubric(text=title.capitalize())] if title else []), listed]


def _spelling(action: argparse.Action) -> str:
    if not action.option_strings:
        return str(action.metavar or action.dest)
    value = action.metavar
    if value is None and action.choices:
        value = "{" + ",".join(map(str, action.choices)) + "}"
    if value is None and action.nargs != 0:
        value = action.dest.upper()
    return ", ".join(action.option_strings) + (f" {value}" if value else "")


def _verbatim(text: str) -> nodes.literal_block:
    block = nodes.literal_block(text=text.strip())
    block["language"] = "text"
    return block


def setup(app: Any) -> dict[str, Any]:
    """Register the directive with Sphinx."""
    app.add_directive("command-line", CommandLine)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
