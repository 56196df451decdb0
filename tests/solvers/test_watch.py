"""A time limit and a listener for solvers, per thread."""

from threading import Thread

import pytest

from fewest._solvers.watch import Watch, current_watch, watching


def test_nobody_waits_by_default():
    assert not current_watch().is_over
    current_watch().tell(gap=0.1)


def test_is_over_when_the_time_is():
    assert Watch(0.0).is_over
    assert not Watch(60.0).is_over
    assert not Watch().is_over


def test_holds_within_and_in_this_thread_only():
    outside, seen = current_watch(), []
    with watching(Watch(0.0)) as watch:
        assert current_watch() is watch
        thread = Thread(target=lambda: seen.append(current_watch()))
        thread.start()
        thread.join()
    assert seen == [outside]
    with pytest.raises(RuntimeError), watching(watch):
        raise RuntimeError
    assert current_watch() is outside


def test_notes():
    notes = []
    watch = Watch(tell=notes.append)
    watch.tell(gap=0.00123)
    watch.tell(undecided=12345)
    watch.tell(0.5, 3)
    assert notes == ["gap 1e-03", "12,345 samples undecided", "gap 5e-01, 3 samples undecided"]
