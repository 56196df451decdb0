"""Runs in time with drifts and events: one voxel responds to houses."""

import nibabel
import numpy as np
import pandas as pd

T_R = 2.0
N_VOLUMES = 40
AFFINE = np.diag([3.0, 3.0, 3.0, 1.0])
MASK = nibabel.Nifti1Image(np.ones((3, 3, 2), dtype=np.int8), AFFINE)


def make_events(n_events=6):
    return pd.DataFrame(
        {
            "onset": 4.0 + 12.0 * np.arange(n_events),
            "duration": 6.0,
            "trial_type": ["face", "house"] * (n_events // 2),
        }
    )


def make_run(seed, y, *, t_r=T_R, unit="sec"):
    """A run with drifts, in which voxel (1, 2, 0) responds to houses."""
    rng = np.random.default_rng(seed)
    data = rng.normal(100.0, 1.0, size=(3, 3, 2, len(y)))
    data += np.linspace(0, 20, len(y)) * rng.normal(size=(3, 3, 2, 1))
    data[1, 2, 0, np.asarray(y) == "house"] += 8.0
    image = nibabel.Nifti1Image(data, AFFINE)
    image.header.set_zooms((3.0, 3.0, 3.0, t_r))
    image.header.set_xyzt_units("mm", unit)
    return image
