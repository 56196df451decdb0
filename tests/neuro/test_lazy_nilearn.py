"""Nilearn is loaded on use, and its absence is explained."""

import subprocess
import sys

HIDDEN = """
import sys
sys.modules["nilearn"] = None
"""


def run(code):
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )


def test_import_does_not_load_nilearn():
    code = "import sys, fewest, fewest.neuro; from fewest.neuro import FewestVoxels, region_table\n"
    done = run(code + "print({'nilearn', 'nibabel', 'matplotlib'} & set(sys.modules))")
    assert done.stdout == "set()\n", done.stderr


def test_without_nilearn():
    code = HIDDEN + (
        "from fewest.neuro import FewestVoxels, region_table\n"
        "for call in (lambda: FewestVoxels().fit('x.nii', [0, 1]), lambda: region_table(1, 2)):\n"
        "    try:\n"
        "        call()\n"
        "    except ImportError as error:\n"
        "        print(error)\n"
    )
    done = run(code)
    assert done.stdout.count('not installed: pip install "fewest[neuro]"') == 2, done.stderr


def test_unknown_name():
    done = run("import fewest.neuro; fewest.neuro.Fewest")
    assert "module 'fewest.neuro' has no attribute 'Fewest'" in done.stderr
    assert "FewestVoxels" in run("import fewest.neuro; print(dir(fewest.neuro))").stdout
