"""Print the lowest version of every dependency that pyproject.toml declares, as pip constraints.

What only tests, checks and documentation need is left out: its newest version is good for users.
"""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = {"test", "lint", "docs", "dev"}


def minimum_versions() -> dict[str, str]:
    """Names of packages and their lowest versions."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = list(project["dependencies"])
    for extra, requirements in project["optional-dependencies"].items():
        if extra not in TOOLS:
            declared += requirements
    lowest: dict[str, str] = {}
    for requirement in declared:
        name, bound = re.fullmatch(r"([\w.-]+)(?:\[.*\])?(?:>=([\d.]+))?", requirement).groups()
        if name == "fewest":
            continue
        if bound is None or lowest.setdefault(name, bound) != bound:
            raise SystemExit(f"pyproject.toml: {name} needs one lowest version everywhere")
    return lowest


if __name__ == "__main__":
    for name, version in sorted(minimum_versions().items()):
        print(f"{name}=={version}")
