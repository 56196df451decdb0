"""The gallery draws what it says."""

import importlib.util
from pathlib import Path

import matplotlib as mpl
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def gallery():
    mpl.use("Agg", force=True)
    spec = importlib.util.spec_from_file_location("gallery", EXAMPLES / "plot_potential_svm.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_potential_svm_in_pictures(gallery, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["plot_potential_svm.py", str(tmp_path)])
    gallery.main()
    assert len(list(tmp_path.glob("*.png"))) == len(gallery.PICTURES) == 5


def test_six_of_a_hundred_features_are_selected(gallery):
    (ax,) = gallery.plot_selected_for_classes().axes
    assert ax.get_title().startswith("6 of 100 features")
