"""Labels of volumes from events, against a loop over all volumes and events."""

import numpy as np
import pandas as pd
import pytest

from fewest.neuro import label_volumes


def by_hand(events, n_volumes, t_r, lag):
    labels = []
    for volume in range(n_volumes):
        found = {
            event.trial_type
            for event in events.itertuples()
            if event.onset + lag <= volume * t_r < event.onset + lag + max(event.duration, t_r)
        }
        labels.append(found.pop() if len(found) == 1 else None)
    return labels


@pytest.mark.parametrize("seed", range(5))
def test_same_as_by_hand(seed):
    rng = np.random.default_rng(seed)
    events = pd.DataFrame(
        {
            "onset": rng.uniform(0, 90, size=8),
            "duration": rng.uniform(0, 12, size=8),
            "trial_type": rng.choice(["face", "house"], size=8),
        }
    )
    found = label_volumes(events, 60, t_r=1.7, lag=4.5)
    assert found.y.tolist() == by_hand(events, 60, 1.7, 4.5)
    missing = np.array([label is None for label in found.y])
    np.testing.assert_array_equal(found.blocks == 0, missing)
    assert found.n_rest + found.n_shared == missing.sum()
    for block in np.unique(found.blocks[~missing]):
        assert len(set(found.y[found.blocks == block])) == 1


def test_runs_and_their_blocks_are_counted_on(tmp_path):
    table = pd.DataFrame({"onset": [0, 6], "duration": 3, "trial_type": ["a", "b"]})
    table.to_csv(tmp_path / "events.tsv", sep="\t", index=False)
    table.to_csv(tmp_path / "events.csv", index=False)
    files = [tmp_path / "events.tsv", tmp_path / "events.csv"]
    found = label_volumes(files, [4, 3], t_r=3.0, lag=0.0)
    assert found.y.tolist() == ["a", None, "b", None, "a", None, "b"]
    assert found.runs.tolist() == [1, 1, 1, 1, 2, 2, 2]
    assert found.blocks.tolist() == [1, 0, 2, 0, 3, 0, 4]


def test_rest_and_unnamed_events_are_no_conditions():
    table = pd.DataFrame(
        {"onset": [0, 2, 4, 6], "duration": 2, "trial_type": ["Rest", np.nan, "a", "b"]}
    )
    found = label_volumes(table, 5, t_r=2.0, lag=0.0)
    assert found.y.tolist() == [None, None, "a", "b", None]
    assert (found.n_rest, found.n_shared) == (3, 0)


def test_volumes_of_two_conditions_have_none():
    table = pd.DataFrame({"onset": [0, 2], "duration": 4, "trial_type": ["a", "b"]})
    found = label_volumes(table, 4, t_r=2.0, lag=0.0)
    assert found.y.tolist() == ["a", None, "b", None]
    assert (found.n_rest, found.n_shared) == (1, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"onset": [500.0]}, "no volume of run 0 lies within an event: the run ends at 20 s"),
        ({"onset": ["n/a"]}, "no numbers of seconds in the column onset"),
        ({"duration": [np.nan]}, "no numbers of seconds in the column duration"),
        ({"trial_type": None}, "missing: trial_type"),
    ],
)
def test_tables_that_cannot_be_used(change, message):
    columns = {"onset": [0.0], "duration": [2.0], "trial_type": ["a"]} | change
    table = pd.DataFrame({name: value for name, value in columns.items() if value is not None})
    with pytest.raises(ValueError, match=message):
        label_volumes(table, 10, t_r=2.0)


def test_wrong_numbers_of_tables_and_times():
    table = pd.DataFrame({"onset": [0.0], "duration": [2.0], "trial_type": ["a"]})
    with pytest.raises(ValueError, match="1 table of events for 2 runs"):
        label_volumes(table, [5, 5], t_r=2.0)
    with pytest.raises(ValueError, match="t_r must be a positive number"):
        label_volumes(table, 5, t_r=0)
    with pytest.raises(ValueError, match="lag must be a number of seconds"):
        label_volumes(table, 5, t_r=2, lag=np.inf)
    with pytest.raises(FileNotFoundError, match=r"nothing.tsv, do not exist"):
        label_volumes("nothing.tsv", 5, t_r=2)
