"""A run that is killed and started again gives the same result, bit by bit."""

import json
import pickle
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from fewest import Liknon, RepetitiveSelector, SupportFeatureMachine
from fewest._run.checkpoint import Checkpoint, CheckpointError
from fewest.datasets import make_gaussian
from tests.platforms import needs
from tests.repetition.long_run import maps

LONG_RUN = Path(__file__).with_name("long_run.py")


@pytest.fixture(scope="module")
def data():
    return make_gaussian(n=24, d=2500, k=60, mu=0.8, random_state=0)


def assert_identical(one, two):
    assert len(one["subsets_"]) == len(two["subsets_"])
    for name in ("subsets_", "coefs_"):
        for left, right in zip(one[name], two[name], strict=True):
            assert left.dtype == right.dtype
            assert left.tobytes() == right.tobytes()
    for name in (
        "sizes_",
        "training_errors_",
        "intercepts_",
        "objectives_",
        "gaps_",
        "ranking_",
        "remaining_",
        "support_",
    ):
        assert one[name].tobytes() == two[name].tobytes(), name
    assert one["stop_reason_"] == two["stop_reason_"]


def lines(folder):
    return (folder / "results.log").read_bytes().splitlines(keepends=True)


@needs("POSIX signals")
@pytest.mark.slow
def test_killed_at_three_random_moments(tmp_path):
    """Real processes, real SIGKILLs; the fourth process finishes what the three began."""
    folder, output = tmp_path / "kept", tmp_path / "output"
    command = [sys.executable, str(LONG_RUN), str(folder), str(output)]
    moments = random.Random(time.time_ns())
    so_far = 0
    for _ in range(3):
        process = subprocess.Popen(command)
        log = folder / "results.log"
        while not log.exists() or len(lines(folder)) <= so_far:  # it got further than the last one
            assert process.poll() is None, "the run ended before it could be killed"
            time.sleep(0.005)
        time.sleep(moments.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        assert not output.exists()
        so_far = len(lines(folder))
    subprocess.run(command, check=True, timeout=120)
    whole = maps()
    expected = vars(RepetitiveSelector().fit(whole.X, whole.y))
    assert so_far < len(expected["subsets_"])
    assert_identical(pickle.loads(output.read_bytes()), expected)


@pytest.mark.parametrize(
    "estimator",
    [
        None,
        SupportFeatureMachine(C=1.0, refit="margin"),
        Liknon(C=0.5),
    ],
)
def test_resumed_after_any_number_of_repetitions(tmp_path, data, estimator):
    X, y = data
    whole = RepetitiveSelector(estimator, n_subsets=20).fit(X, y)
    kept = RepetitiveSelector(estimator, n_subsets=20, checkpoint=tmp_path / "all").fit(X, y)
    assert_identical(vars(whole), vars(kept))
    for done in (0, 1, 6, 13, 19):
        folder = tmp_path / str(done)
        folder.mkdir()
        (folder / "run.json").write_bytes((tmp_path / "all" / "run.json").read_bytes())
        (folder / "results.log").write_bytes(b"".join(lines(tmp_path / "all")[:done]))
        again = RepetitiveSelector(estimator, n_subsets=20, checkpoint=folder).fit(X, y)
        assert_identical(vars(whole), vars(again))


def test_the_columns_at_hand_are_not_all_columns(data):
    """Otherwise the tests above would not see a wrong reference vector."""
    from fewest._solvers.columns import scale_columns
    from fewest._solvers.linear.repeat import Repeater
    from fewest._solvers.problem import support_feature_machine

    repeater = Repeater(scale_columns(data[0]))
    repeater.solve(support_feature_machine(data[1].astype(float)))
    assert len(repeater.state()["near"]["features"]) < data[0].shape[1] / 2


@pytest.mark.parametrize("cut", [1, 7, 30, -1])
def test_a_torn_line_is_dropped(tmp_path, data, cut):
    X, y = data
    whole = RepetitiveSelector(n_subsets=5, checkpoint=tmp_path).fit(X, y)
    kept = lines(tmp_path)
    (tmp_path / "results.log").write_bytes(b"".join(kept[:4]) + kept[4][:cut])
    again = RepetitiveSelector(n_subsets=5, checkpoint=tmp_path).fit(X, y)
    assert_identical(vars(whole), vars(again))
    assert lines(tmp_path) == kept


def test_a_damaged_line_and_all_after_it_are_computed_again(tmp_path, data):
    X, y = data
    whole = RepetitiveSelector(n_subsets=5, checkpoint=tmp_path).fit(X, y)
    kept = lines(tmp_path)
    damaged = kept[2].replace(b"features", b"fXatures")
    (tmp_path / "results.log").write_bytes(b"".join([*kept[:2], damaged, *kept[3:]]))
    again = RepetitiveSelector(n_subsets=5, checkpoint=tmp_path).fit(X, y)
    assert_identical(vars(whole), vars(again))
    assert lines(tmp_path) == kept


def test_limits_may_change_between_runs(tmp_path, data):
    X, y = data
    RepetitiveSelector(n_subsets=3, checkpoint=tmp_path).fit(X, y)
    longer = RepetitiveSelector(n_subsets=6, checkpoint=tmp_path, n_jobs=2).fit(X, y)
    assert_identical(vars(longer), vars(RepetitiveSelector(n_subsets=6).fit(X, y)))
    shorter = RepetitiveSelector(n_subsets=2, checkpoint=tmp_path).fit(X, y)
    assert_identical(vars(shorter), vars(RepetitiveSelector(n_subsets=2).fit(X, y)))


def changed(X):
    X = X.copy()
    X[3, 5] += 1e-9
    return X


@pytest.mark.parametrize(
    ("estimator", "change", "message"),
    [
        (None, lambda X, y: (changed(X), y), r"differs in the values of X \(there \w+, here \w+\)"),
        (None, lambda X, y: (X[:, :99], y), r"the shape of X \(there 24 x 2500, here 24 x 99\)"),
        (None, lambda X, y: (X.astype("f4"), y), r"the type of X \(there float64, here float32\)"),
        (None, lambda X, y: (X, np.where(y > 0, "b", "a")), r"differs in the labels"),
        (
            SupportFeatureMachine(C=2.0, refit=None),
            lambda X, y: (X, y),
            r"differs in its parameter C \(there inf, here 2.0\)\. Name another folder",
        ),
        (Liknon(), lambda X, y: (X, y), r"the estimator \(there SupportFeatureMachine, here Lik"),
    ],
)
def test_another_run_is_refused_with_what_differs(tmp_path, data, estimator, change, message):
    RepetitiveSelector(n_subsets=2, checkpoint=tmp_path).fit(*data)
    before = lines(tmp_path)
    with pytest.raises(CheckpointError, match=message):
        RepetitiveSelector(estimator, n_subsets=2, checkpoint=tmp_path).fit(*change(*data))
    assert lines(tmp_path) == before


def test_another_version_is_refused(tmp_path, data):
    RepetitiveSelector(n_subsets=2, checkpoint=tmp_path).fit(*data)
    identity = json.loads((tmp_path / "run.json").read_text())
    identity["the version of highspy"] = "0.9"
    (tmp_path / "run.json").write_text(json.dumps(identity))
    with pytest.raises(CheckpointError, match=r"the version of highspy \(there 0.9, here"):
        RepetitiveSelector(n_subsets=2, checkpoint=tmp_path).fit(*data)


def test_folders_that_cannot_be_used(tmp_path, data):
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(CheckpointError, match="nothing can be kept in the checkpoint folder"):
        RepetitiveSelector(checkpoint=file).fit(*data)
    (tmp_path / "results.log").write_text("something")
    with pytest.raises(CheckpointError, match=r"holds results, but no run\.json"):
        RepetitiveSelector(checkpoint=tmp_path).fit(*data)
    (tmp_path / "run.json").write_text("[]")
    with pytest.raises(CheckpointError, match="is not the description of a run"):
        RepetitiveSelector(checkpoint=tmp_path).fit(*data)


def test_a_folder_in_use_is_refused(tmp_path):
    pytest.importorskip("fcntl")
    with (
        Checkpoint(tmp_path, {}),
        pytest.raises(CheckpointError, match="in use by another process"),
        Checkpoint(tmp_path, {}),
    ):
        pass


def test_numbers_come_back_bit_by_bit(tmp_path):
    values = [0.1, 1 / 3, 5e-324, float("nan"), float("inf"), -0.0]
    with Checkpoint(tmp_path, {"a": 1}) as checkpoint:
        checkpoint.append({"values": values})
    with Checkpoint(tmp_path, {"a": 1}) as checkpoint:
        found = checkpoint.results[0]["values"]
    assert np.array(found).tobytes() == np.array(values).tobytes()
