"""What pyproject.toml, the workflows and the citation say agrees with the code."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib import metadata

import pytest

import fewest
from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PACKAGE = ROOT / "src" / "fewest"
# Names under which packages are imported, where these differ from those they are installed by.
INSTALLED_AS = {"sklearn": "scikit-learn"}
TOOLS = {"test", "lint", "docs", "dev"}


def name_of(requirement: str) -> str:
    return re.match(r"[\w.-]+", requirement)[0].lower()


def declared(extras):
    requirements = list(PROJECT["dependencies"])
    for extra in extras:
        requirements += PROJECT["optional-dependencies"][extra]
    return {name_of(requirement) for requirement in requirements}


def third_party_imports():
    """Packages that modules of ours import, and one module that does."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            for name in names:
                top = name.partition(".")[0]
                if top not in sys.stdlib_module_names and top not in ("fewest", "_typeshed"):
                    found[INSTALLED_AS.get(top, top)] = path.relative_to(ROOT).as_posix()
    return found


def test_all_that_is_imported_is_declared():
    extras = set(PROJECT["optional-dependencies"]) - TOOLS
    known = declared(extras)
    known |= {"torch", "cupy"}  # imported only where somebody hands over one of their arrays
    missing = {name: path for name, path in third_party_imports().items() if name not in known}
    assert not missing, "add them to dependencies or to an extra"


def test_the_search_for_imports_finds_some():
    assert {"numpy", "scikit-learn", "highspy", "nibabel"} <= set(third_party_imports())


def test_the_core_imports_no_extra():
    """`import fewest` and the estimators need the dependencies only, in a process of their own."""
    optional = declared(set(PROJECT["optional-dependencies"]) - TOOLS) - declared([])
    blocked = sorted(optional - {"fewest", "cloudpickle"})  # joblib needs the latter itself
    script = f"""if True:
        import sys
        for name in {blocked}:
            sys.modules[name] = None
        import fewest
        for name in fewest.__all__:
            getattr(fewest, name)
    """
    subprocess.run([sys.executable, "-c", script], check=True)


def test_lowest_versions_are_printed_for_pip():
    script = ROOT / ".ci" / "minimum_versions.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    lines = done.stdout.split()
    assert len(lines) == len(declared(set(PROJECT["optional-dependencies"]) - TOOLS) - {"fewest"})
    assert all(re.fullmatch(r"[\w-]+==[\d.]+", line) for line in lines)
    lowest = dict(line.split("==") for line in lines)
    assert f"matplotlib>={lowest['matplotlib']}" in PROJECT["optional-dependencies"]["plot"]


def test_the_version_is_in_one_place():
    assert "version" not in PROJECT
    assert "version" in PROJECT["dynamic"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.+)$", citation, re.MULTILINE)[1] == fewest.__version__


def test_the_installed_package_has_that_version():
    try:
        installed = metadata.version("fewest")
    except metadata.PackageNotFoundError:
        pytest.skip("the package is not installed")
    assert installed == fewest.__version__


def test_the_citation_names_the_five_papers():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert citation.count("  - type: ") == 5


def test_workflows_test_the_versions_that_are_claimed():
    claimed = [
        classifier.rpartition(" ")[2]
        for classifier in PROJECT["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", classifier)
    ]
    assert PROJECT["requires-python"] == f">={claimed[0]}"
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    matrix = re.search(r"^ +python: \[(.*)\]$", workflow, re.MULTILINE)[1]
    assert re.findall(r"[\d.]+", matrix) == claimed


@pytest.mark.parametrize("workflow", ["tests.yml", "nightly.yml"])
def test_workflows_call_targets_that_exist(workflow):
    text = (ROOT / ".github" / "workflows" / workflow).read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"\bmake ([\w-]+)", text)
    assert targets
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"make {target} does not exist"


def test_the_changelog_keeps_its_form():
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    headings = [line for line in lines if line.startswith("#")]
    assert headings[:2] == ["# Changelog", "## [Unreleased]"]
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    for heading in headings[1:]:
        if heading.startswith("## "):
            assert re.fullmatch(r"## \[(Unreleased|\d+\.\d+\.\d+)\]( - \d{4}-\d\d-\d\d)?", heading)
        else:
            assert heading.removeprefix("### ") in kinds


@pytest.mark.parametrize("name", ["requirements.lock", "runtime.lock"])
def test_lock_files_have_hashes_and_no_addresses(name):
    text = (ROOT / ".ci" / name).read_text(encoding="utf-8")
    assert "Python 3.11 on Linux x86-64" in text
    assert not re.search(r"://|--index|--find-links|@ |file:", text)
    packages = re.findall(r"^(\S+)==\S+ \\\n    --hash=sha256:[0-9a-f]{64}$", text, re.MULTILINE)
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert len(lines) == 2 * len(packages)
    assert packages == sorted(set(packages))


def test_lock_files_have_all_that_is_declared():
    extras = {"requirements.lock": {"test", "lint", "docs", "dev"}, "runtime.lock": {"report"}}
    for name, wanted in extras.items():
        text = (ROOT / ".ci" / name).read_text(encoding="utf-8")
        locked = set(re.findall(r"^(\S+)==", text, re.MULTILINE))
        needed = {re.sub(r"[-_.]+", "-", one).lower() for one in declared(wanted)} - {"fewest"}
        assert needed <= locked, f"run make lock: {needed - locked}"
