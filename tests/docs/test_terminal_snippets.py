"""What the pages show of the terminal is what the commands print."""

import contextlib
import doctest
import io
import shlex

import pytest

from fewest.cli import main
from fewest.cli._errors import CommandError
from fewest.cli._parser import build_parser
from tests.docs.pages import commands, mentioned_commands, name_of, pages

_RUN = [page for page in pages() if page.name not in ("CHANGELOG.md", "CONTRIBUTING.md")]
_SHOWN = [page for page in _RUN if commands(page.read_text(encoding="utf-8"))]
_WRITING = [page for page in _RUN if "# doctest: +SKIP" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", _SHOWN, ids=name_of)
def test_commands_print_what_the_page_shows(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    _write_files_of(text)
    for command, expected in commands(text):
        program, *arguments = shlex.split(command)
        assert program == "fewest", f"cannot run {command!r}"
        capsys.readouterr()
        assert main(arguments) == 0, capsys.readouterr().err
        printed = capsys.readouterr().out
        same = doctest.OutputChecker().check_output(
            expected.rstrip() + "\n", printed.rstrip() + "\n", doctest.ELLIPSIS
        )
        assert same, f"{command} prints\n{printed}"


@pytest.mark.parametrize("page", _WRITING, ids=name_of)
def test_snippets_that_write_files_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _write_files_of(page.read_text(encoding="utf-8"))
    assert list(tmp_path.iterdir())


@pytest.mark.parametrize("page", _RUN, ids=name_of)
def test_commands_in_the_text_have_these_options(page):
    for command in mentioned_commands(page.read_text(encoding="utf-8")):
        try:
            build_parser().parse_args(shlex.split(command)[1:])
        except CommandError as error:
            if "arguments are required" not in str(error):  # the text may leave the file out
                pytest.fail(f"{command}: {error}")


def test_the_tutorial_is_among_them():
    assert "docs/tutorial.md" in map(name_of, _SHOWN)


def _write_files_of(text):
    """Run a page up to the last snippet that writes a file; doctest skips those."""
    examples = doctest.DocTestParser().get_examples(text)
    writing = [place for place, one in enumerate(examples) if one.options.get(doctest.SKIP)]
    names: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for example in examples[: max(writing, default=-1) + 1]:
            exec(compile(example.source, "<snippet>", "single"), names)
