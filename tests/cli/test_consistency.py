"""The commands speak one language: the same options mean the same everywhere."""

from __future__ import annotations

import re
import shlex

import pytest

from fewest.cli._parser import build_parser, subcommands

COMMANDS = subcommands(build_parser())
READING = (
    *("--drop", "--transpose", "--sheet", "--layer", "--missing"),
    *("--classes", "--ids", "--names", "--duplicates"),
)
# Images have no columns, and many maps are not one file.
OF_IMAGES = {("brain", "--groups"), ("brain", "--out")}
OUTPUT = ("--json", "--quiet")


def options(command):
    """The options of a command by name, without --help."""
    return {
        name: action
        for action in COMMANDS[command]._actions
        for name in action.option_strings
        if action.dest != "help"
    }


def reads_a_table(command):
    return any(action.metavar == "DATA" for action in COMMANDS[command]._actions)


@pytest.mark.parametrize("command", list(filter(reads_a_table, COMMANDS)))
def test_commands_that_read_a_table_read_it_alike(command):
    assert set(READING + OUTPUT) <= set(options(command))


@pytest.mark.parametrize("command", [name for name in COMMANDS if "--json" in options(name)])
def test_results_can_be_had_in_every_form(command):
    assert set(OUTPUT) <= set(options(command))


def test_the_main_commands_read_tables():
    main = {"select", "path", "rank", "informative", "minimum", "panel", "diagnose"}
    assert main <= {name for name in COMMANDS if reads_a_table(name)}
    for command in main:
        assert "--target" in options(command)


def test_an_option_takes_the_same_values_everywhere():
    first = {}
    for command in COMMANDS:
        for name, action in options(command).items():
            if (command, name) in OF_IMAGES:
                continue
            kind = (action.metavar, action.nargs, type(action))
            if first.setdefault(name, (command, kind))[1] != kind:
                pytest.fail(f"{name} differs in {command} and {first[name][0]}")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_argument_is_explained(command):
    for action in COMMANDS[command]._actions:
        assert action.help, action.dest
    for name in options(command):
        assert re.fullmatch(r"--[a-z]+(-[a-z]+)*|--C", name)


def _examples(parser):
    block = parser.epilog.split("examples:\n")[1].split("\n\n")[0]
    return [line.strip() for line in block.replace("\\\n", "").split("\n")]


@pytest.mark.parametrize(
    "example",
    [
        *_examples(build_parser()),
        *(line for parser in COMMANDS.values() for line in _examples(parser)),
    ],
)
def test_examples_can_be_typed_in(example):
    program, *arguments = shlex.split(re.split(r"[>|]", example)[0])
    assert program == "fewest"
    if arguments[-1] == "--help":
        assert arguments[0] in COMMANDS
    else:
        assert build_parser().parse_args(arguments).command == arguments[0]
