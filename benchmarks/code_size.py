"""Lines of code of the package per room: blank lines, comments and docstrings do not count.

python -m benchmarks.code_size [--since REVISION]
"""

from __future__ import annotations

import argparse
import ast
import io
import subprocess
import tarfile
import tokenize
from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = PurePosixPath("src/fewest")
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def count_code_lines(source: str) -> int:
    """How many lines hold code."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, documented) and ast.get_docstring(node, clean=False) is not None:
            docstring = node.body[0]
            lines -= set(range(docstring.lineno, docstring.end_lineno + 1))
    return len(lines)


def count_rooms(sources: Iterable[tuple[PurePosixPath, str]]) -> Counter[str]:
    """Lines of code per folder of the package; loose modules together."""
    rooms: Counter[str] = Counter()
    for path, source in sources:
        folder = path.relative_to(PACKAGE).parts[0]
        rooms[folder if "." not in folder else "(loose modules)"] += count_code_lines(source)
    return rooms


def read_tree() -> Iterable[tuple[PurePosixPath, str]]:
    """Modules of the package as they are now."""
    for path in (ROOT / PACKAGE).rglob("*.py"):
        yield PurePosixPath(path.relative_to(ROOT).as_posix()), path.read_text(encoding="utf-8")


def read_revision(revision: str) -> Iterable[tuple[PurePosixPath, str]]:
    """Modules of the package as they were in a revision of git."""
    command = ["git", "archive", "--format=tar", revision, str(PACKAGE)]
    archive = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for member in files:
            if member.name.endswith(".py"):
                yield PurePosixPath(member.name), files.extractfile(member).read().decode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--since", metavar="REVISION", help="compare with a revision of git")
    since = parser.parse_args().since
    now = count_rooms(read_tree())
    before = Counter() if since is None else count_rooms(read_revision(since))
    for room in sorted({*now, *before}, key=lambda room: (-now[room], room)):
        _print_line(room, now[room], before[room], since is not None)
    _print_line("total", now.total(), before.total(), since is not None)


def _print_line(room: str, now: int, before: int, compared: bool) -> None:
    change = f"{now / before - 1:+.1%}" if before else "new"
    print(f"{room:<18}{now:>7,}" + (f"{before:>9,}{change:>9}" if compared else ""))


if __name__ == "__main__":
    main()
