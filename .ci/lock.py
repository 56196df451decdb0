"""Write the lock files: every package that CI installs, with its version and the hash of its wheel.

`pip` resolves what pyproject.toml declares and reports the files that it would install; nothing is
installed here. The lock files hold for the system they were made on, Python 3.11 on Linux x86-64,
and name no place to download from: pip takes any index, and refuses a file with another hash.
"""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What each file installs: groups of optional dependencies in pyproject.toml, and tools beside them.
LOCKS = {
    "requirements.lock": (("dev", "docs"), ("hatchling>=1.24", "editables>=0.5")),
    "runtime.lock": (("cli", "report"), ()),
}
HEADER = """\
# Made by `make lock` for Python 3.11 on Linux x86-64 (glibc); do not edit.
# {what}
# Install with: python -m pip install --no-deps --require-hashes -r .ci/{name}
"""
WHAT = {
    "requirements.lock": "All that CI installs to test, check, document and build the project.",
    "runtime.lock": "What the command `fewest` needs to run: the extras cli and report.",
}


def read_requirements(extras: tuple[str, ...]) -> list[str]:
    """What the project and these extras need; an extra may name others of the project."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional, found, waiting, seen = project["optional-dependencies"], [], list(extras), set()
    declared = list(project["dependencies"])
    while waiting:
        extra = waiting.pop()
        if extra not in seen:
            seen.add(extra)
            declared += optional[extra]
            waiting += [
                name.strip()
                for requirement in optional[extra]
                if (own := re.fullmatch(r"fewest\[(.*)\]", requirement))
                for name in own[1].split(",")
            ]
    found = [one for one in declared if not one.startswith("fewest[")]
    return sorted(set(found))


def resolve(requirements: list[str]) -> dict[str, tuple[str, str]]:
    """Version and sha256 of every package that pip would install into an empty environment."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed"]
        command += ["-qq", "--disable-pip-version-check", "--only-binary", ":all:"]
        subprocess.run([*command, "--report", str(report), *requirements], check=True)
        installs = json.loads(report.read_text(encoding="utf-8"))["install"]
    found = {}
    for one in installs:
        name = re.sub(r"[-_.]+", "-", one["metadata"]["name"]).lower()
        sha256 = one["download_info"]["archive_info"]["hashes"]["sha256"]
        found[name] = (one["metadata"]["version"], sha256)
    return found


def format_lock(name: str, packages: dict[str, tuple[str, str]]) -> str:
    """The text of a lock file."""
    lines = [
        f"{package}=={version} \\\n    --hash=sha256:{sha256}"
        for package, (version, sha256) in sorted(packages.items())
    ]
    return HEADER.format(name=name, what=WHAT[name]) + "\n".join(lines) + "\n"


def main() -> None:
    """Write all lock files; refuse a system that they do not hold for."""
    system = sys.version_info[:2], platform.system(), platform.machine()
    if system != ((3, 11), "Linux", "x86_64"):
        raise SystemExit("make lock: the lock files are for Python 3.11 on Linux x86-64, as CI is")
    for name, (extras, tools) in LOCKS.items():
        packages = resolve([*read_requirements(extras), *tools])
        (ROOT / ".ci" / name).write_text(format_lock(name, packages), encoding="utf-8")
        print(f".ci/{name}: {len(packages)} packages")


if __name__ == "__main__":
    main()
