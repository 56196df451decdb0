"""The panel that a command is given: names on the line, in a text file, or in a result."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewest._cells import restore_cell
from fewest._estimators.rules import RULE_NAMES
from fewest._wording import visible
from fewest.cli._errors import CommandError
from fewest.cli._methods import METHODS

_NO_PANEL = "Name the features with --features A,B,C, or a file with them with --features-from."


@dataclass(frozen=True)
class GivenPanel:
    """Names of the features; `options` are those of the command that chose them, if known.

    `file` is what it chose them from.
    """

    names: list[str]
    options: argparse.Namespace | None = None
    file: str | None = None

    def check(self, names: Sequence[str]) -> GivenPanel:
        """The same; an error that lists near names if the table lacks one of them."""
        from fewest.panels._names import find_columns

        try:
            find_columns(self.names, names)
        except ValueError as error:
            raise CommandError(f"--features: {str(error).rstrip('.')}") from error
        return self


def read_panel(arguments: argparse.Namespace) -> GivenPanel:
    """The panel, from whichever option names it; an error if none or both do."""
    if (arguments.features is None) == (arguments.features_from is None):
        what = "no panel is named" if arguments.features is None else "two panels are named"
        raise CommandError(f"{what}.\n{_NO_PANEL}")
    if arguments.features is not None:
        names = [name.strip() for name in arguments.features.split(",")]
        return _require_names(GivenPanel([name for name in names if name]), "--features")
    path = Path(arguments.features_from)
    option = f"--features-from {visible(path)}"
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise CommandError(
            f"{option} cannot be read: {error.strerror or error}.\nName a file that exists."
        ) from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{option} is no text.\nName a text file, or a result.") from error
    if text.lstrip().startswith("{"):
        given = _require_names(_read_result(text, option), option)
        if arguments.chosen_elsewhere and given.file is not None:
            _refuse_same(given.file, arguments.data, option)
        return given
    lines = [restore_cell(line.strip()) for line in text.splitlines()]
    return _require_names(GivenPanel([line for line in lines if line]), option)


def _refuse_same(chosen_from: str, data: str, option: str) -> None:
    """Refuse to call a panel chosen elsewhere that was chosen on this very file."""
    if Path(chosen_from).resolve() == Path(data).resolve():
        raise CommandError(
            f"{option} was chosen on {visible(data)}, not elsewhere.\n"
            "Leave --chosen-elsewhere out; --choose repeats its choice in every fold."
        )


def _require_names(given: GivenPanel, option: str) -> GivenPanel:
    if not given.names:
        raise CommandError(f"{option} names no feature.\n{_NO_PANEL}")
    return given


def _read_result(text: str, option: str) -> GivenPanel:
    """The selection of a result, and the options of the command that made it."""
    try:
        result: dict[str, Any] = json.loads(text)
        schema = str(result.get("schema", ""))
        if schema == "fewest.panel":
            return GivenPanel([str(name) for name in result["panel"]["names"]])
        names = [str(name) for name in (result["answer"] or {})["selected"]]
        chosen = dict(result["question"]["options"])
        file = result["data"]["file"]
    except (ValueError, KeyError, TypeError) as error:
        raise CommandError(
            f"{option} holds no selection.\nName a result that fewest select --json has written."
        ) from error
    if chosen.get("method") not in METHODS:
        return GivenPanel(names, file=file)
    if chosen.get("C") == "inf":  # as JSON spells it
        chosen["C"] = math.inf
    options = argparse.Namespace(**{**dict.fromkeys(RULE_NAMES), **chosen})
    return GivenPanel(names, options, file)
