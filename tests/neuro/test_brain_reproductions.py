"""What the reproductions on brain maps are made of: stand-ins and kept curves."""

import numpy as np
import pytest

from benchmarks.real_files import find
from fewest.datasets import make_brain
from fewest.informative import informative_features
from reproductions.curves import keep_curve, keep_repetitions, read_curve
from reproductions.klement_brain_buttonpress import load
from reproductions.klement_brain_emotions import EMOTIONS, TIMES, make_trials, respond
from reproductions.klement_brain_mosaics import correct_vignette, make_texture
from reproductions.study import Measured


def test_curves_come_back():
    x, values = np.linspace(0, 0.8, 21), np.random.default_rng(0).normal(size=21)
    kept = {label: Measured(value) for label, value in keep_curve("sizes", x, values).items()}
    kept |= {"sizes": Measured(3.0), "other sizes @ 0.1": Measured(4.0)}
    places, again = read_curve(kept, "sizes")
    np.testing.assert_allclose(places, x, atol=1e-4)
    np.testing.assert_array_equal(again, values)
    assert read_curve(kept, "errors")[0].shape == (0,)


def test_repetitions_are_kept():
    maps = make_brain(3, 3, n_voxels=60, strength=2.0, random_state=0)
    found = informative_features(None, maps.X, maps.y, groups=maps.groups, n_permutations=0)
    kept = keep_repetitions(found, "joy, ")
    kept = {label: Measured(value) for label, value in kept.items()}
    for name, curve in (("sizes", found.sizes), ("SVM", found.probe_error)):
        x, values = read_curve(kept, f"joy, {name}")
        np.testing.assert_array_equal(values[[0, -1]], curve[[0, -1]])
        assert x[-1] == pytest.approx(found.fraction[-1], abs=1e-4)


def test_trials_have_the_layout_of_the_thesis():
    data = make_trials(80)
    assert data.X.shape == (240, 80)
    for group in range(6):
        for emotion in EMOTIONS:
            own = (data.groups == group) & (data.y == emotion)
            assert np.bincount(data.runs[own]).tolist() == [4, 4]


def test_emotions_differ_by_their_patterns_alone():
    with_pattern, without = make_trials(200, 1.0), make_trials(200, 0.0)
    np.testing.assert_array_equal(with_pattern.y, without.y)
    joy = with_pattern.X[with_pattern.y == "joy"] - without.X[without.y == "joy"]
    assert np.ptp(joy, axis=0).max() < 1e-12  # the same in all trials
    np.testing.assert_allclose(np.unique(np.abs(joy[0]).round(9)), [0, 1.4])
    assert np.mean(joy[0] != 0) == pytest.approx(0.7)
    half = make_trials(200, 0.5).X - without.X
    np.testing.assert_allclose(2 * half, with_pattern.X - without.X, atol=1e-12)


def test_the_response_rises_and_falls():
    response = dict(zip(TIMES, respond(), strict=True))
    assert response[-2] == 0
    assert response[2] < response[6] < response[10] <= 1
    assert min(response[time] for time in (10, 14, 18, 22)) > 0.85
    assert response[22] > response[26] > response[30]


def test_halves_of_blocks_are_averaged(real_file):
    real_file("haxby_slice_bold.nii.gz")
    X, y, runs = load("Haxby slice, face and house", quick=True)
    assert X.shape == (48, 530)
    assert all(
        np.sum((runs == run) & (y == name)) == 2 for run in range(12) for name in np.unique(y)
    )


def test_data_files_of_any_kind_are_found(monkeypatch, tmp_path):
    (tmp_path / "some.npz").touch()
    (tmp_path / "slice.nii.gz").touch()
    monkeypatch.setenv("FEWEST_DATA", str(tmp_path))
    assert find("some") == tmp_path / "some.npz"
    assert find("slice.nii.gz") == tmp_path / "slice.nii.gz"
    assert find("slice") is None


def test_textures_are_darker_in_the_corners():
    for name in ("paper towel", "green linoleum", "wood"):
        image = make_texture(name, 104, 140)
        centre, corner = image[42:62, 60:80].mean(), image[:10, :10].mean()
        assert 0.5 < corner / centre < 0.75


def test_the_vignette_of_the_thesis():
    row = correct_vignette("linear", quick=True)
    assert row["change at the border"] < 1 < row["before the correction"]
    assert row["the centre is that of the other boundaries"] == 1
