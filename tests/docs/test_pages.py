"""Names, links and settings of the documentation; `make docs` builds it."""

import ast
import importlib
import pkgutil
import re
import sys

import pytest

import fewest
from tests.docs.pages import ROOT, anchors, internal_links, name_of, pages, reference

DOCS = ROOT / "docs"
_PUBLIC = sorted(
    module.name
    for module in pkgutil.walk_packages(fewest.__path__, "fewest.")
    if not any(part.startswith("_") for part in module.name.split("."))
    and not module.name.startswith("fewest.cli")
)


def _exported(module_name):
    """`__all__` of a public module, read without importing what it may need."""
    spec = importlib.util.find_spec(module_name)
    with open(spec.origin, encoding="utf-8") as source:
        tree = ast.parse(source.read())
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return ast.literal_eval(node.value)
    return []


@pytest.mark.parametrize("module_name", ["fewest", *_PUBLIC])
def test_every_public_name_is_in_the_reference(module_name):
    listed = reference()
    # A package may share names of its modules; they are listed once, at either place.
    parts = module_name.split(".")
    homes = [".".join(parts[:length]) for length in range(1, len(parts) + 1)]
    missing = [
        name
        for name in _exported(module_name)
        if not any(f"{home}.{name}" in listed for home in homes)
    ]
    assert not missing, f"add them to a page in docs/api: {module_name}: {missing}"


@pytest.mark.parametrize("name", sorted(reference()))
def test_the_reference_lists_what_there_is(name):
    module_name, _, attribute = name.rpartition(".")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        if module_name.startswith("fewest."):
            pytest.skip(f"needs an extra: {error}")
        raise
    assert hasattr(module, attribute) or importlib.util.find_spec(name)


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_links_lead_to_files(page):
    text = page.read_text(encoding="utf-8")
    for target in internal_links(text):
        if target.startswith(("gallery/", "../gallery/")):  # built from the examples
            script = ROOT / "examples" / f"{target.rsplit('/', 1)[-1].removesuffix('.rst')}.py"
            assert target.endswith("index.rst") or script.exists(), f"{target}: no {script.name}"
        else:
            assert (page.parent / target).exists(), f"{target} does not exist"


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_links_lead_to_headings(page):
    for target, heading in anchors(page.read_text(encoding="utf-8")):
        linked = page.parent / target if target else page
        text = linked.read_text(encoding="utf-8")
        titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        slugs = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
        slugs |= set(re.findall(r"^\((\w+)\)=$", text, re.MULTILINE))  # named places
        assert heading in slugs, f"{target}#{heading} does not exist"


def test_every_page_is_in_the_table_of_contents():
    listed = set()
    for page in pages():
        for block in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            lines = [line for line in block.splitlines() if line and not line.startswith(":")]
            listed.update((page.parent / line).resolve() for line in lines)
    for page in pages():
        if DOCS in page.parents and page != DOCS / "index.md":
            assert page.with_suffix("").resolve() in listed, f"{name_of(page)} is in no toctree"


def test_the_settings_need_no_network_and_hide_no_warning(monkeypatch):
    monkeypatch.setattr("sys.path", sys.path[:])
    settings: dict[str, object] = {"__file__": str(DOCS / "conf.py")}
    exec((DOCS / "conf.py").read_text(encoding="utf-8"), settings)
    assert "sphinx.ext.intersphinx" not in settings["extensions"]
    assert settings["html_math_renderer"] == "mathml"
    assert "suppress_warnings" not in settings
    assert settings["release"] == fewest.__version__
    for own in ("mathml", "command_line"):
        assert (DOCS / "_ext" / f"{own}.py").exists()


def test_make_docs_takes_warnings_for_errors():
    assert "sphinx-build -W --keep-going" in (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "make docs" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_make_docs_says_what_it_does_and_where_the_pages_are():
    """Sphinx is not silent, and the last line names the page to open."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"^docs: .*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    lines = recipe.strip().splitlines()
    assert not re.search(r"sphinx-build.* (-q|-Q|--quiet|--silent)\b", recipe)
    assert "docs/_build/html/index.html" in lines[-1]
    assert lines[-1].strip().startswith("@echo")


def test_the_picture_is_small():
    assert 10_000 < (DOCS / "_static" / "fewest.png").stat().st_size < 200_000
