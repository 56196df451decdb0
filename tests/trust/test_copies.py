"""Samples that were copied, as by oversampling a small class: they are in both parts of a fold."""

import numpy as np
import pytest

from fewest import SupportFeatureMachine
from fewest._estimators.copies import find_copies, join_copies
from fewest.diagnostics import diagnose
from fewest.report import make_report
from fewest.significance import bootstrap_632, learning_curve, permutation_test


def make_copies(seed):
    """Noise: the second class has ten samples, three times each."""
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.standard_normal((30, 100)), np.repeat(rng.standard_normal((10, 100)), 3, 0)])
    return X, np.repeat([0, 1], 30)


def write(path, X, y):
    lines = [",".join(["class", *(f"g{place}" for place in range(X.shape[1]))])]
    lines += [
        ",".join([f"c{label}", *map(repr, row.tolist())]) for label, row in zip(y, X, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_copies_are_of_the_same_class_and_the_same_values():
    X, y = make_copies(0)
    first = find_copies(X, y)
    assert first[:30].tolist() == list(range(30))
    assert first[30:].tolist() == np.repeat(np.arange(30, 60, 3), 3).tolist()
    X[31] = X[0]  # of the other class
    assert find_copies(X, y)[31] == 31


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", ["two values", "counts", "rounded", "one column", "measurements"])
def test_samples_that_are_equal_by_nature_are_no_copies(kind, seed):
    rng = np.random.default_rng(seed)
    y = np.arange(100) % 2
    X = {
        "two values": rng.integers(0, 2, (100, 6)),
        "counts": rng.poisson(0.1, (100, 12)),
        "rounded": rng.standard_normal((100, 2)).round(1),
        "one column": rng.standard_normal((100, 1)).round(1),
        "measurements": (5.0 + rng.standard_normal((100, 4)) * [0.8, 0.4, 1.7, 0.7]).round(1),
    }[kind].astype(float)
    assert np.array_equal(find_copies(X, y), np.arange(100))


def test_copies_join_the_groups_that_are_given():
    X, y = make_copies(1)
    n_copies, groups = join_copies(X, y, None)
    assert n_copies == 20
    assert len(np.unique(groups)) == 40
    own = np.array([f"p{place // 3}" for place in range(60)])
    assert join_copies(X, y, own)[0] == 0
    alone = np.array([f"p{place}" for place in range(60)])
    n_copies, joined = join_copies(X, y, alone)
    assert n_copies == 20
    assert joined[30:36].tolist() == ["p30"] * 3 + ["p33"] * 3


@pytest.mark.parametrize("seed", range(3))
def test_noise_with_copies_is_never_called_better(run, tmp_path, seed):
    X, y = make_copies(seed)
    path = write(tmp_path / "copies.csv", X, y)
    ran = run("select", path, "--target", "class", "--method", "sfm")
    assert ran.code == 0, ran.err
    assert "Better than" not in ran.out + ran.err
    said = " ".join(ran.out.split())
    assert "20 samples are copies of others, of the same class: they are kept together" in said


def test_the_library_says_so_and_claims_nothing():
    X, y = make_copies(0)
    machine = SupportFeatureMachine().fit(X, y)
    page = make_report(machine, X, y, parts=("validation",), random_state=0)
    assert page.content.trust.validation.balanced_error < 0.4  # too small
    assert page.content.verdict.status == "not tested"
    assert "20 samples are copies of others" in page.content.verdict.text
    groups = join_copies(X, y, None)[1]
    kept = make_report(machine, X, y, groups=groups, parts=("validation",), random_state=0).content
    assert kept.data.n_copies == 0
    assert kept.verdict.status == "not shown"
    few = {"random_state": 0, "n_permutations": 1}
    for call in (
        lambda: permutation_test(None, X, y, **few),
        lambda: diagnose(X, y, **few),
        lambda: bootstrap_632(SupportFeatureMachine(), X, y, n_resamples=2, random_state=0),
        lambda: learning_curve(None, X, y, n_sizes=3, n_repeats=1, random_state=0),
    ):
        with pytest.warns(UserWarning, match="20 samples are copies of others"):
            call()


def test_copies_in_two_files_are_not_of_the_same_samples(run, tmp_path):
    first, second = (write(tmp_path / f"{seed}.csv", *make_copies(seed)) for seed in (1, 2))
    few = ("--random", 0, "--stand-ins", 0, "--permutations", 3, "--repeats", 1)
    panel = ("panel", first, "--target", "class", "--features", "g0,g1", "--against", second, *few)
    ran = run(*panel)
    assert ran.code == 0, ran.err
    assert "also in the first data set" not in ran.out
    assert "20 samples are copies of others" in " ".join(ran.out.split())
