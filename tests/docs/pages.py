"""The pages of the documentation, as the tests see them."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BUILT = ("_build", "gallery", "generated")
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(r"`(fewest [a-z]+ [^`]+)`|^ {4}(fewest [a-z]+ [^#\n]+)", re.MULTILINE)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_SNIPPETS = re.compile(r"^(```|~~~).*?^\1$", re.DOTALL | re.MULTILINE)


def pages() -> list[Path]:
    """README, the other files at the top, and the sources of the pages."""
    sources = [
        path
        for path in (ROOT / "docs").rglob("*.md")
        if not set(path.relative_to(ROOT / "docs").parts).intersection(_BUILT)
    ]
    return sorted([*ROOT.glob("*.md"), *sources])


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def commands(text: str) -> list[tuple[str, str]]:
    """Commands at the terminal, and what they print."""
    found = []
    for block in _CONSOLE.findall(text):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return [(command, "\n".join(lines)) for command, lines in found]


def mentioned_commands(text: str) -> list[str]:
    """Whole commands in the text, and in indented lines."""
    return [between or indented for between, indented in _COMMAND.findall(text)]


def internal_links(text: str) -> list[str]:
    """Targets of the links and pictures that are files, without anchors."""
    targets = [target.split("#")[0] for target in _LINK.findall(prose(text))]
    return [target for target in targets if target and "://" not in target]


def anchors(text: str) -> list[tuple[str, str]]:
    """Pairs of a linked file (empty: the page itself) and the heading it names."""
    targets = _LINK.findall(prose(text))
    return [tuple(t.split("#", 1)) for t in targets if "#" in t and "://" not in t]


def reference() -> set[str]:
    """Full names in the API reference: those in autosummary tables, and those in the text."""
    names = set()
    for page in (ROOT / "docs/api").glob("*.md"):
        module = "fewest"
        for line in page.read_text(encoding="utf-8").splitlines():
            if match := re.match(r"\.\. currentmodule:: (\S+)", line):
                module = match.group(1)
            elif match := re.match(r"   (\w[\w.]*)$", line):
                names.add(f"{module}.{match.group(1)}")
            names.update(re.findall(r"`(fewest\.[\w.]+)`", line))
    return names


def prose(text: str) -> str:
    """A page without its snippets."""
    return _SNIPPETS.sub("", text)
