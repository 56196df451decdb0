"""Maps of raw runs: planted amplitudes come back, and a least-squares fit by hand agrees."""

import nibabel
import numpy as np
import pandas as pd
import pytest
from nilearn.glm.first_level import compute_regressor
from scipy.special import gamma

from fewest.neuro import FewestVoxels, estimate_maps

AFFINE = np.diag([3.0, 3.0, 3.0, 1.0])
SHAPE = (3, 2, 2)
T_R, N_VOLUMES = 2.0, 120
EXACT = {"signal_scaling": False, "noise_model": "ols", "drift_model": None}


def make_events(onsets=(20.0, 70.0, 120.0, 170.0), duration=12.0, conditions=("joy", "fear")):
    names = np.tile(conditions, len(onsets) // len(conditions))
    return pd.DataFrame({"onset": onsets, "duration": duration, "trial_type": names})


def respond(boxes):
    """Boxcars convolved with SPM's hemodynamic response, in steps of 0.02 s."""
    step = 0.02
    t = np.arange(0, 32, step)
    response = t**5 * np.exp(-t) / gamma(6) - t**15 * np.exp(-t) / gamma(16) / 6
    response /= response.sum()
    fine = np.arange(-60, N_VOLUMES * T_R, step)
    box = np.zeros(len(fine))
    for onset, duration in boxes:
        box[(fine >= onset) & (fine < onset + duration)] += 1
    signal = np.convolve(box, response)[: len(fine)]
    return np.interp(np.arange(N_VOLUMES) * T_R, fine, signal)


def make_run(regressors, amplitudes, noise=0.0, seed=0):
    """100 + amplitudes (regressors x voxels) times regressors, and noise."""
    rng = np.random.default_rng(seed)
    series = 100 + np.asarray(amplitudes).T @ np.asarray(regressors)
    series = series + noise * rng.standard_normal(series.shape)
    return nibabel.Nifti1Image(series.reshape(*SHAPE, N_VOLUMES), AFFINE)


@pytest.fixture(scope="module")
def mask():
    return nibabel.Nifti1Image(np.ones(SHAPE, np.int8), AFFINE)


def values(maps):
    return maps.images.get_fdata().reshape(12, -1).T


def test_planted_amplitudes_of_trials_come_back(mask):
    events = make_events()
    regressors = [respond([(onset, 12.0)]) for onset in events["onset"]]
    amplitudes = np.random.default_rng(1).normal(5, 2, size=(4, 12))
    run = make_run(regressors, amplitudes)
    maps = estimate_maps([run], [events], t_r=T_R, each="trial", mask=mask, **EXACT)
    # nilearn samples the response more coarsely: two per cent.
    np.testing.assert_allclose(values(maps), amplitudes, atol=0.2)
    np.testing.assert_array_equal(maps.y, ["joy", "fear", "joy", "fear"])
    np.testing.assert_array_equal(maps.trials, [0, 1, 2, 3])
    assert np.isnan(maps.times).all()


def test_planted_amplitudes_of_slices_come_back(mask):
    events = make_events()
    edges = np.arange(-4, 17, 4)
    boxes = [(onset + start, 4.0) for onset in events["onset"] for start in edges[:-1]]
    amplitudes = np.random.default_rng(2).normal(5, 2, size=(20, 12))
    run = make_run([respond([box]) for box in boxes], amplitudes)
    maps = estimate_maps([run], [events], t_r=T_R, each="trial", slices=edges, mask=mask, **EXACT)
    np.testing.assert_allclose(values(maps), amplitudes, atol=0.5)
    np.testing.assert_array_equal(maps.times, np.tile([-2, 2, 6, 10, 14], 4))
    third = maps.at(6)
    np.testing.assert_allclose(values(third), values(maps)[2::5])
    np.testing.assert_array_equal(third.y, ["joy", "fear", "joy", "fear"])
    np.testing.assert_array_equal(third.trials, [0, 1, 2, 3])
    with pytest.raises(ValueError, match=r"no slice at 5 s; the times are: -2.0, 2.0"):
        maps.at(5)


def test_same_as_least_squares(mask):
    """One regressor per condition, beside a fit of nilearn's regressors by numpy."""
    runs, tables, expected = [], [], []
    for number in range(2):
        events = make_events(conditions=("joy", "fear") if number else ("fear", "joy"))
        columns = [np.ones(N_VOLUMES)]
        for name in ("fear", "joy"):
            own = events[events["trial_type"] == name]
            boxes = np.array([own["onset"], own["duration"], np.ones(len(own))])
            columns.append(compute_regressor(boxes, "spm", np.arange(N_VOLUMES) * T_R)[0].ravel())
        run = make_run(columns[1:], [[3.0] * 12, [1.0] * 12], noise=1.0, seed=number)
        series = run.get_fdata().reshape(12, -1)
        fit = np.linalg.lstsq(np.column_stack(columns), series.T, rcond=None)[0]
        expected += [fit[1], fit[2]]
        runs.append(run)
        tables.append(events)
    maps = estimate_maps(runs, tables, t_r=T_R, mask=mask, **EXACT)
    np.testing.assert_allclose(values(maps), expected, atol=1e-5)
    np.testing.assert_array_equal(maps.y, ["fear", "joy"] * 2)
    np.testing.assert_array_equal(maps.runs, [0, 0, 1, 1])
    np.testing.assert_array_equal(maps.trials, -1)


def test_confounds_are_removed(mask):
    events = make_events()
    regressors = [respond([(onset, 12.0)]) for onset in events["onset"]]
    motion = np.random.default_rng(3).standard_normal(N_VOLUMES).cumsum()
    run = make_run([*regressors, motion], [*np.full((4, 12), 2.0), np.full(12, 5.0)])
    how = {"t_r": T_R, "each": "trial", "mask": mask, **EXACT}
    clean = estimate_maps([run], [events], confounds=[motion[:, None]], **how)
    raw = estimate_maps([run], [events], **how)
    assert np.abs(values(clean) - 2).max() < 0.1 < np.abs(values(raw) - 2).max()


def test_from_runs_to_the_fewest_voxels(mask, tmp_path):
    """Six runs from files; one voxel responds to joy."""
    runs, tables = [], []
    for number in range(6):
        events = make_events()
        regressors = [respond([(onset, 12.0)]) for onset in events["onset"]]
        amplitudes = np.zeros((4, 12))
        amplitudes[::2, 7] = 8.0
        path = tmp_path / f"run-{number}.nii.gz"
        nibabel.save(make_run(regressors, amplitudes, noise=1.0, seed=number), path)
        table = tmp_path / f"run-{number}.{'csv' if number % 2 else 'tsv'}"
        events.to_csv(table, sep="," if number % 2 else "\t", index=False)
        runs.append(path)
        tables.append(table)
    maps = estimate_maps(runs, tables, t_r=T_R, each="trial", mask=mask)
    decoder = FewestVoxels(mask=maps.mask_img, n_subsets=0)
    decoder.fit(maps.images, maps.y, groups=maps.runs)
    assert decoder.error_ == 0
    assert np.flatnonzero(decoder.support_img_.get_fdata()).tolist() == [7]


def test_mask_is_computed(mask):
    """Only the middle of the image is bright."""
    rng = np.random.default_rng(0)
    volumes = rng.normal(5, 1, size=(16, 16, 16, N_VOLUMES))
    volumes[4:12, 4:12, 4:12] += 500
    run = nibabel.Nifti1Image(volumes, AFFINE)
    maps = estimate_maps(run, make_events(), t_r=T_R)
    inside = maps.mask_img.get_fdata() > 0
    assert inside[5:11, 5:11, 5:11].all()
    assert inside.sum() < 1000
    assert not maps.images.get_fdata()[~inside].any()


def test_messages(mask):
    run = make_run([np.zeros(N_VOLUMES)], [[0.0] * 12])
    events = make_events()
    how = {"t_r": T_R, "mask": mask, **EXACT}
    with pytest.raises(ValueError, match="events: 2 given for 1 run. Give one for each"):
        estimate_maps([run], [events, events], **how)
    with pytest.raises(ValueError, match="missing: duration"):
        estimate_maps([run], [events.drop(columns="duration")], **how)
    with pytest.raises(ValueError, match="at least one row; missing: rows"):
        estimate_maps([run], [events[:0]], **how)
    with pytest.raises(ValueError, match="slices must be increasing times"):
        estimate_maps([run], [events], slices=[4, 0], **how)
    with pytest.raises(ValueError, match="each must be"):
        estimate_maps([run], [events], each="volume", **how)
    with pytest.raises(ValueError, match="t_r must be"):
        estimate_maps([run], [events], **{**how, "t_r": -1})
    late = make_events(onsets=(20.0, 70.0, 120.0, 400.0))
    with pytest.raises(ValueError, match="run 0: nothing of fear, trial 3 is within the volumes"):
        estimate_maps([run], [late], each="trial", **how)
    with pytest.raises(ValueError, match="run 0: .* cannot be told apart by 120 volumes"):
        estimate_maps([run], [events], each="trial", slices=np.arange(0, 40, 1), **how)
