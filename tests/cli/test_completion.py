"""Completion in real shells: what Tab makes of a few letters."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

from tests.platforms import require

pexpect = pytest.importorskip("pexpect")
pytest.importorskip("shtab")


def need(shell):
    require("pseudo-terminals")
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")


@pytest.fixture
def script(run, tmp_path):
    """Function that writes the script of a shell to a file."""

    def write(shell):
        ran = run("completion", shell)
        assert (ran.code, ran.err) == (0, "")
        path = tmp_path / "_fewest"  # where zsh looks for it
        path.write_text(ran.out)
        return path

    return write


def tab_and_enter(shell, script, typed):
    """What the command gets when Tab is pressed behind `typed` in an interactive shell."""
    need(shell)
    arguments = {"bash": ["--norc", "--noprofile", "-i"], "zsh": ["-f", "-i"]}[shell]
    child = pexpect.spawn(
        shell,
        arguments,
        cwd=str(script.parent),
        encoding="utf-8",
        timeout=20,
        dimensions=(40, 200),
        env={"PATH": "/usr/bin:/bin", "TERM": "vt100", "PS1": "> ", "HOME": str(script.parent)},
    )
    if shell == "zsh":
        child.sendline(f"fpath=({script.parent} $fpath); autoload -U compinit; compinit -u -D")
        child.sendline("zstyle ':completion:*' insert-tab false")
    else:
        child.sendline(f"source {script}")
    child.sendline("fewest() { echo \"GOT:$*.\"; }; echo re''ady")
    child.expect("ready")
    child.send(f"{typed}\t")
    child.send("\r")
    child.expect(r"GOT:(.*?)\.\r\n")
    child.close(force=True)
    return child.match.group(1)


TYPED = [
    ("fewest sel", "select"),
    ("fewest comp", "completion"),
    ("fewest select --tra", "select --transpose"),
    ("fewest select --missing drop-f", "select --missing drop-features"),
    ("fewest completion f", "completion fish"),
    ("fewest select expr", "select expression_csv"),
]


@pytest.mark.parametrize("shell", ["bash", "zsh"])
@pytest.mark.parametrize(("typed", "completed"), TYPED)
def test_tab(script, tmp_path, shell, typed, completed):
    (tmp_path / "expression_csv").touch()
    assert tab_and_enter(shell, script(shell), typed) == completed


@pytest.mark.parametrize(("typed", "completed"), TYPED)
def test_fish(script, tmp_path, typed, completed):
    need("fish")
    (tmp_path / "expression_csv").touch()
    done = subprocess.run(
        ["fish", "--no-config", "-c", f"source {script('fish')}; complete -C '{typed}'"],
        capture_output=True,
        text=True,
        timeout=20,
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "TERM": "dumb"},
        check=True,
    )
    offered = dict(line.partition("\t")[::2] for line in done.stdout.splitlines())
    assert completed.split()[-1] in offered
    if typed == "fewest sel":
        assert offered["select"] == "select features in your own data"


def test_without_shtab(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "shtab", None)
    ran = run("completion", "bash")
    assert ran.code == 2
    assert 'fewest completion needs shtab: pip install "fewest[cli]"' in ran.err


def test_unknown_shell(run):
    ran = run("completion", "cmd")
    assert ran.code == 2
    assert "invalid choice: 'cmd'" in ran.err
