"""Build sdist and wheel, twice and equal, and use the wheel in an empty environment.

On the system that the lock files are for, what the wheel needs comes from `runtime.lock`.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The time that is written into the archives, unless a release sets another: 2024-01-01.
USUAL_EPOCH = "1704067200"
# What a source distribution must have beside the package itself, to be tested by whoever gets it.
IN_SDIST = ("pyproject.toml", "README.md", "LICENSE", "SECURITY.md", "tests/conftest.py")
USE = """
import numpy, fewest
from fewest.datasets import make_gaussian
X, y = make_gaussian(n=60, d=500, k=2, mu=1.5, random_state=0)
machine = fewest.SupportFeatureMachine(C=5.0).fit(X, y)
assert machine.score(X, y) > 0.9, machine.score(X, y)
print("fewest", fewest.__version__, "selects", numpy.flatnonzero(machine.support_).tolist())
"""


def build(source: Path, folder: Path) -> dict[str, str]:
    """Both archives of this source tree; their names and hashes."""
    environment = {"SOURCE_DATE_EPOCH": USUAL_EPOCH, **os.environ}
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    subprocess.run(command, cwd=source, check=True, env=environment, stdout=subprocess.DEVNULL)
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
    }


def check_archives(folder: Path) -> None:
    """Refuse archives that lack something, or have what is no part of the project."""
    [wheel], [sdist] = folder.glob("*.whl"), folder.glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        inside = archive.namelist()
    strange = [name for name in inside if not name.startswith(("fewest/", "fewest-"))]
    if strange or "fewest/py.typed" not in inside:
        raise SystemExit(f"{wheel.name}: wrong content: {strange or 'no py.typed'}")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    missing = [name for name in IN_SDIST if name not in names]
    if missing:
        raise SystemExit(f"{sdist.name} lacks {', '.join(missing)}")


def use_wheel(wheel: Path, folder: Path) -> None:
    """Install the wheel into an empty environment, and use library and command."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    system = sys.version_info[:2], platform.system(), platform.machine()
    if system == ((3, 11), "Linux", "x86_64"):
        lock = str(ROOT / ".ci" / "runtime.lock")
        pip.append("--no-deps")
        subprocess.run([*pip, "--require-hashes", "--only-binary", ":all:", "-r", lock], check=True)
        subprocess.run([*pip, str(wheel)], check=True)
    else:
        subprocess.run([*pip, f"{wheel}[cli,report]"], check=True)
    subprocess.run([str(python), "-m", "pip", "check"], check=True, stdout=subprocess.DEVNULL)
    away = folder.parent  # not the source tree
    subprocess.run([str(python), "-c", USE], check=True, cwd=away)
    command = python.with_name("fewest.exe" if os.name == "nt" else "fewest")
    subprocess.run([str(command), "--version"], check=True, cwd=away)
    page = away / "demo.html"
    subprocess.run([str(command), "demo", "--quiet", "--report", str(page)], check=True, cwd=away)
    if page.stat().st_size < 10_000:
        raise SystemExit("the demo made no page")


def main() -> None:
    """Build, compare, use; what was built is left in dist/."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        first, second = build(ROOT, folder / "first"), build(ROOT, folder / "second")
        [sdist] = (folder / "first").glob("*.tar.gz")
        shutil.unpack_archive(sdist, folder / "source", filter="data")
        [source] = (folder / "source").iterdir()
        third = build(source, folder / "third")
        for other, how in ((second, "built again"), (third, "built from the sdist")):
            if other != first:
                raise SystemExit(f"{how}, the archives differ: {first} and {other}")
        check_archives(folder / "first")
        use_wheel(next((folder / "first").glob("*.whl")), folder / "empty")
        shutil.copytree(folder / "first", ROOT / "dist", dirs_exist_ok=True)
    for archive, sha256 in first.items():
        print(f"dist/{archive}  sha256 {sha256}")


if __name__ == "__main__":
    main()
