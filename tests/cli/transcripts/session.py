"""Runs `fewest` again and again in one process: its libraries take a second to load.

One line of JSON in for each run, with folder, environment and arguments; a line with the exit code
after all that the run printed.
"""

from __future__ import annotations

import json
import os
import sys

from fewest.cli import main


def serve() -> None:
    for line in sys.stdin:
        wanted = json.loads(line)
        os.chdir(wanted["folder"])
        before = dict(os.environ)
        os.environ.update(wanted["environment"])
        code = main(wanted["arguments"])
        os.environ.clear()
        os.environ.update(before)
        print(f"[exit code {code}]", flush=True)


if __name__ == "__main__":
    serve()
