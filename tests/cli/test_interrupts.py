"""Real processes, and real Ctrl-C at random moments: exit code 130 and one line, always."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.platforms import needs

# Says when its libraries are loaded: before that, Python itself ends on Ctrl-C.
START = (
    "import sys\n"
    "from fewest.cli import main\n"
    "import fewest.cli._job\n"
    "print('ready', flush=True)\n"
    "code = main(sys.argv[1:])\n"
    "sys.stdout.flush()\n"
    "sys.exit(code)\n"
)
COMMANDS = {
    "select": ["select", "noise.npz", "--repeats", "100000"],
    "hard": ["select", "noise.npz", "--C", "inf", "--repeats", "100000"],
    "sfm-cv": ["select", "noise.npz", "--method", "sfm-cv", "--repeats", "100000"],
    "liknon": ["path", "noise.npz", "--method", "liknon", "--values", "100000"],
    "minimum": ["minimum", "noise.npz", "--max-seconds", "inf"],
    "diagnose": ["diagnose", "noise.npz", "--permutations", "1000000"],
    "rank": ["rank", "wide.npz"],
}
# Ten times the processor time that ending may take, for a loaded computer.
PATIENCE = 60.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("interrupts")
    rng = np.random.default_rng(0)
    for name, d in (("noise", 300), ("wide", 20_000)):
        np.savez(folder / f"{name}.npz", X=rng.standard_normal((60, d)), y=np.arange(60) % 2)
    return folder


def interrupt_after(folder, command, seconds):
    """Send Ctrl-C so many seconds after the libraries are loaded.

    Returns exit code, standard error, and the seconds of the processor that it took to end.
    """
    start, before = os.times(), 0.0
    process = subprocess.Popen(
        [sys.executable, "-c", START, *COMMANDS[command]],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A test run in the background ignores Ctrl-C, and its children would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert process.stdout.readline() == "ready\n"
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            before = read_processor_time(process.pid)
            process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()
    end = os.times()
    spent = end.children_user + end.children_system - start.children_user - start.children_system
    return process.returncode, err, spent - before


def read_processor_time(pid):
    """Seconds of the processor that a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def check(folder, command, seconds):
    code, err, spent = interrupt_after(folder, command, seconds)
    where = f"{command} after {seconds:.3f} s"
    assert "Traceback" not in err, f"{where}: {err}"
    assert "Exception ignored" not in err, f"{where}: {err}"
    assert code == 130, f"{where}: {err}"
    assert err.rstrip().endswith("fewest: interrupted"), f"{where}: {err}"
    return spent


@needs("/proc")
@pytest.mark.parametrize(
    ("command", "seconds"), [("select", 0.3), ("minimum", 1.0), ("rank", 0.7), ("hard", 1.4)]
)
def test_ctrl_c(folder, command, seconds):
    check(folder, command, seconds)


# Presses Ctrl-C when a part of the program itself is about to be loaded.
EARLY = (
    "import signal, sys\n"
    "class Press:\n"
    "    @staticmethod\n"
    "    def find_spec(name, path=None, target=None):\n"
    "        if name == sys.argv[1]:\n"
    "            signal.raise_signal(signal.SIGINT)\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "sys.meta_path.insert(0, Press)\n"
    "from fewest.cli import main\n"
    "sys.exit(main(['demo']))\n"
)


@needs("POSIX signals")
@pytest.mark.parametrize(
    "module", ["argparse", "fewest.cli._app", "fewest.cli._parser", "fewest.cli.select"]
)
def test_ctrl_c_while_the_program_is_loaded(module):
    ran = subprocess.run(
        [sys.executable, "-c", EARLY, module], capture_output=True, text=True, timeout=120
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "fewest: interrupted\n")


# Presses Ctrl-C when a library is about to be loaded, and says whether all are loaded at the end.
BETWEEN = EARLY.replace(
    "sys.exit(main(['demo']))",
    "code = main(sys.argv[2:])\nprint('fewest.cli._job' in sys.modules)\nsys.exit(code)",
)


@needs("POSIX signals")
@pytest.mark.parametrize("library", ["scipy.stats", "sklearn.base"])
def test_ctrl_c_waits_for_one_library_only(library):
    ran = subprocess.run(
        [sys.executable, "-c", BETWEEN, library, "select", "nothing.csv"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "False\n", "fewest: interrupted\n")


@needs("/proc")
@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_ctrl_c_at_many_moments(folder, command):
    moments = np.random.default_rng(0).uniform(0.0, 3.0, 20)
    spent = [check(folder, command, float(seconds)) for seconds in moments]
    assert np.max(spent) < 2.0  # seconds of the processor, not on the clock
