"""A run to be killed: `python long_run.py FOLDER OUTPUT`; the output appears at its end."""

import pickle
import sys

from fewest import RepetitiveSelector
from fewest._run.files import atomic_write
from fewest.datasets import make_brain


def maps():
    return make_brain(5, 3, n_voxels=2500, random_state=0)


if __name__ == "__main__":
    folder, output = sys.argv[1:]
    data = maps()
    selector = RepetitiveSelector(checkpoint=folder).fit(data.X, data.y)
    atomic_write(output, pickle.dumps(vars(selector)))
