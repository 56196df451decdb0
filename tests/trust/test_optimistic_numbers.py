"""Errors on noise: no number that is presented as an error on new samples is below guessing.

Every public function and command is listed here, with a case or with the reason why it has none.
"""

from __future__ import annotations

import inspect
import json
import math
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest

import fewest
from fewest import (
    Liknon,
    SupportFeatureMachine,
    diagnostics,
    filters,
    informative,
    panels,
    psvm,
    report,
    significance,
)
from fewest.cli._app import build_parser
from fewest.informative import informative_features, random_subset_errors
from fewest.panels import panel_report, points_score
from fewest.report import make_report
from fewest.significance import (
    bootstrap_632,
    compare_methods,
    confounding,
    learning_curve,
    permutation_test,
    run_held_out,
)

N_SAMPLES, N_FEATURES, N_SETS = 60, 300, 3
MACHINE, CHOOSER = SupportFeatureMachine(max_features=3), SelectKBest(k=8)


def lowest(n_samples):
    """Errors of guessing are above this in all but one of a thousand draws.

    Cross-validated errors vary by up to 1.35 times as much as those of independent samples, because
    training sets overlap.
    """
    return 0.5 - 3.1 * 1.35 * 0.5 / math.sqrt(n_samples)


def draw(seed):
    """Noise, and the features that look best on it."""
    rng = np.random.default_rng([32, seed])
    X, y = rng.standard_normal((N_SAMPLES, N_FEATURES)), np.arange(N_SAMPLES) % 2
    return X, y, np.flatnonzero(CHOOSER.fit(X, y).get_support())


def unless_marked(errors, caveat):
    """The errors, but for those that are marked."""
    return [] if "optimistic" in caveat else errors


def of_panel(X, y, panel):
    quick = {"n_repeats": 1, "n_random": 0, "n_permutations": 9, "n_resamples": 1}
    found = []
    for estimator in (None, CHOOSER):
        more = {"best": estimator is None, "n_stand_ins": int(estimator is not None)}
        one = panel_report(X, y, panel, estimator=estimator, random_state=0, **more, **quick)
        known = [one.errors, one.as_given, *([] if one.best is None else [one.best.errors])]
        for errors in known:
            found += unless_marked([errors.balanced_error, errors.error], errors.caveat)
        for feature in one.features:
            found += unless_marked([feature.error_without], feature.caveat)
            for other in feature.stand_ins:
                found += unless_marked([other.balanced_error], other.caveat)
    assert found
    return found


def of_points(X, y, panel):
    found = []
    folds = run_held_out(MACHINE, X, y, random_state=0)
    own = np.flatnonzero(clone(MACHINE).fit(X, y).support_)
    for features, held_out in ((panel, None), (own, folds)):
        one = points_score(X, y, features, held_out=held_out, random_state=0)
        for measures in (one.held_out, one.held_out_of_classifier):
            errors = [measures.balanced_error, 1.0 - measures.auc]
            found += unless_marked(errors, measures.caveat)
    assert found
    # The risks of the card are corrected by the folds, too: those of noise are near one half.
    assert np.abs(one.predict_proba(X) - 0.5).max() < 0.25
    return found


def of_methods(X, y, panel):
    found = compare_methods(MACHINE, X, y, others=("t-test",), cv=3, random_state=0)
    return [one.balanced_error for one in found.methods]


def of_curve(X, y, panel):
    few = {"n_sizes": 3, "n_repeats": 2, "cv": 3}
    return [one.error for one in learning_curve(MACHINE, X, y, random_state=0, **few).points]


def of_permutations(X, y, panel):
    found = permutation_test(MACHINE, X, y, n_permutations=3, cv=3, random_state=0)
    return [found.error.observed] if found.error is not None else []


def of_confounding(X, y, panel):
    found = confounding(MACHINE, X, y, {"age": X[:, 0]}, cv=3, n_permutations=1, random_state=0)
    return [found.error, found.covariates_error]


def of_informative(X, y, panel):
    few = {"cv": 3, "every": 25, "n_permutations": 1}
    found = informative_features(MACHINE, X[:, :50], y, **few, random_state=0)
    return [found.probe_error[0]]


def of_subsets(X, y, panel):
    found = random_subset_errors(X, y, n_features=[4, 32], n_subsets=9, random_state=0)
    return np.asarray(found.errors).mean(axis=-1).ravel().tolist()


def of_page(X, y, panel):
    machine = clone(MACHINE).fit(X, y)
    found = make_report(machine, X, y, parts=("validation", "points"), random_state=0).content
    points = found.points
    return [
        found.trust.validation.balanced_error,
        *(one.balanced_error for one in (points.held_out, points.held_out_of_classifier)),
        *(1.0 - one.auc for one in (points.held_out, points.held_out_of_classifier)),
    ]


# What gives errors on samples left out, as a list.
CASES = {
    "bootstrap_632": lambda X, y, panel: [
        bootstrap_632(machine, X, y, n_resamples=8, random_state=0).error
        for machine in (MACHINE, Liknon(C=1.0))
    ],
    "run_held_out": lambda X, y, panel: [run_held_out(MACHINE, X, y).balanced_error],
    "compare_methods": of_methods,
    "learning_curve": of_curve,
    "permutation_test": of_permutations,
    "confounding": of_confounding,
    "panel_report": of_panel,
    "points_score": of_points,
    "informative_features": of_informative,
    "random_subset_errors": of_subsets,
    "make_report": of_page,
}
# On one data set, which shows what they did wrong.
SLOW = {"panel_report", "points_score", "informative_features", "confounding", "make_report"}
# What has none, and what its numbers are instead.
WITHOUT = {
    "balanced_error": "predictions that are given",
    "balanced_error_scorer": "a fitted machine, on samples that are given",
    "chance_simulation": "errors of noise, by design",
    "compare_proportions": "counts that are given",
    "cross_validated_t_test": "errors that are given",
    "paired_t_test": "errors that are given",
    "signed_rank_test": "errors that are given",
    "separability_probability": "probabilities of noise",
    "simulate_separability": "probabilities of noise",
    "subset_separability_bounds": "probabilities of noise",
    "stability": "selections",
    "stability_index": "selections",
    "feature_statements": "p-values and shares of resamples",
    "make_panel_page": "those of panel_report, which the command's case reads",
    "decide_separability": "whether samples are separable",
    "minimum_features": "errors on the given samples, and it says so",
    "error_front": "training errors, and it says so",
    "near_optimal_sets": "sets that separate the given samples",
    "exact_liknon_path": "training errors",
    "exact_sfm_path": "training errors",
    "liknon_path": "training errors",
    "load": "a file",
    "save": "a file",
    "diagnose": "bounds and p-values, which the command's case reads",
    "distance_concentration": "distances",
    "relative_concentration": "distances",
    "hubness": "distances",
    "sphericity": "a test",
    "fat_shattering_bound": "a bound",
    "guaranteed_risk": "an upper bound of the error",
    "log_growth_bound": "a bound",
    "log_growth_function": "a bound",
    "vc_dimension_bound": "a bound",
    "loo_reliability": "whether an error can be trusted",
    "one_norm_condition": "a condition",
    "simulate_one_norm_condition": "a condition",
    "chance_band": "errors of permuted labels",
    "fit_sigmoid": "a curve through errors that are given",
    "informative_share": "a share of features",
    "overlap_curve": "a share of features",
    "overlap_table": "a share of features",
    "purify": "a choice of features",
    "t_map": "t statistics",
    "fisher_score": "scores of features",
    "golub_score": "scores of features",
    "r2w2": "a bound on given samples",
    "relief": "scores of features",
    "sequential_selection": "a choice of features",
    "svm_rfe": "a ranking",
    "choose_epsilon": "a parameter",
    "clip_spectrum": "a matrix",
    "flip_spectrum": "a matrix",
    "find_best_threshold": "scores that are given",
    "find_singular_maps": "vectors",
    "potential_path": "fits to all samples",
    "evaluate_panel": "tests/single_cell",
    "select_panel": "tests/single_cell",
}


def test_every_public_function_has_a_case_or_a_reason():
    public = [fewest, significance, panels, diagnostics, filters, informative, psvm, report]
    functions = {
        name
        for module in public
        for name in module.__all__
        if callable(getattr(module, name)) and not inspect.isclass(getattr(module, name))
    }
    assert functions - set(CASES) - set(WITHOUT) == set()
    assert not set(CASES) & set(WITHOUT)


@pytest.mark.parametrize("name", CASES)
def test_no_error_on_noise_is_below_guessing(name):
    errors = []
    for seed in range(1 if name in SLOW else N_SETS):
        found = CASES[name](*draw(seed))
        assert min(found) > lowest(N_SAMPLES), f"{name}: {min(found):.3f} on noise"
        errors.append(np.mean(found))
    # The mean over data sets is that of as many samples.
    mean = np.mean(errors)
    assert mean > lowest(len(errors) * N_SAMPLES), f"{name}: {mean:.3f} on noise"


@pytest.mark.parametrize(
    "name", [one for one in fewest.__all__ if one.endswith("CV") and "SVR" not in one]
)
def test_best_scores_of_searches_are_called_optimistic(name):
    """The best of several errors on samples left out took part in a choice."""
    doc = inspect.getdoc(getattr(fewest, name))
    assert "best_score_" not in doc or "optimistic" in doc


_FEW = ("--random", 0, "--stand-ins", 0, "--repeats", 1, "--permutations", 9)
COMMANDS = {
    "select": ["--max-features", 3],
    "select by sizes": ["--max-features", "1-3", "--cv", 3],
    "select by C": ["--method", "sfm-cv", "--cv", 3],
    "select and compare": ["--C", 1, "--compare", "t-test"],
    "rank": ["--C", 1, "--subsets", 2],
    "minimum": ["--max-seconds", 1],
    "path": ["--values", 4, "--cv", 3],
    "informative": ["--every", 20, "--permutations", 3, "--cv", 3],
    "panel": ["--random", 5, "--permutations", 9, "--repeats", 1, "--stand-ins", 1, "--points"],
    "panel chosen again": ["--choose", *_FEW, "--resamples", 1, "--points"],
    "diagnose": ["--permutations", 3],
}
NO_COMMANDS = {
    "brain": "volumes: tests/neuro",
    "completion": "a script for the shell",
    "demo": "data that differ",
    "predict": "a model that is given, on samples that are given",
}


def test_every_command_has_a_case_or_a_reason():
    (commands,) = (one for one in build_parser()._actions if one.dest == "command")
    assert set(commands.choices) == {name.split()[0] for name in COMMANDS} | set(NO_COMMANDS)


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    X, y, panel = draw(0)
    path = tmp_path_factory.mktemp("noise") / "noise.npz"
    names = [f"n{j}" for j in range(N_FEATURES)]
    np.savez(path, X=X, y=np.array(["ill", "well"])[y], feature_names=names)
    return path, ",".join(names[j] for j in panel)


def list_errors(value, path=()):
    """Every error on samples left out in a result file, by its path, unless it is marked."""
    if isinstance(value, dict):
        if "optimistic" in str(value.get("caveat", "")):
            return
        for key, inner in value.items():
            yield from list_errors(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from list_errors(inner, (*path, str(place)))
    elif isinstance(value, float):
        text = ".".join(path)
        # `single_error` and training errors are named as such, intervals and permutations are none.
        is_error = re.search(r"balanced_error(\.mean)?$|test_error$|\.error$|probe_error", text)
        if is_error and not re.search(r"training|interval|permuted|\.loss|front", text):
            yield text, value


@pytest.mark.parametrize("name", COMMANDS)
def test_no_error_of_a_command_is_below_guessing(run, noise, name):
    path, panel = noise
    command = name.split()[0]
    more = ["--features", panel] if command == "panel" else []
    ran = run(command, path, *more, *COMMANDS[name], "--json", "-")
    assert ran.code == 0, ran.err
    low = [one for one in list_errors(json.loads(ran.out)) if one[1] < lowest(N_SAMPLES)]
    assert not low
    ran = run(command, path, *more, *COMMANDS[name])
    assert ran.code == 0, ran.err
    said = re.findall(r"alanced error (?:on samples left out )?(\d+\.\d) %(?! \(optim)", ran.out)
    said += re.findall(r"Cross-validated error +balanced (\d+\.\d) %", ran.out)
    assert all(float(number) > 100 * lowest(N_SAMPLES) for number in said), said


def test_quiet_marks_the_error_of_a_panel(run, noise):
    path, panel = noise
    ran = run("panel", path, "--features", panel, *_FEW, "--quiet")
    number, _, mark = ran.out.strip().partition(" ")
    assert float(number) < lowest(N_SAMPLES)
    assert "optimistic" in mark
    ran = run("panel", path, "--features", panel, *_FEW, "--choose", "--resamples", 1, "--quiet")
    assert float(ran.out) > lowest(N_SAMPLES)


def test_pages_and_figures_of_a_panel_mark_its_error(run, noise, tmp_path):
    path, panel = noise
    page, figure = tmp_path / "panel.html", tmp_path / "panel.svg"
    files = ("--report", page, "--plot", figure)
    ran = run("panel", path, "--features", panel, *_FEW, *files)
    assert ran.code == 0, ran.err
    mark = "optimistic if the panel was chosen on these samples"
    html = page.read_text(encoding="utf-8")
    assert html.count(mark) >= 4  # first number, table of classes, features, other panels
    assert figure.stat().st_size


def test_a_panel_that_was_chosen_on_the_same_file_is_not_from_elsewhere(run, noise, tmp_path):
    path, result = noise[0], tmp_path / "result.json"
    ran = run("select", path, "--C", 2, "--cv", 3, "--json", result)
    assert ran.code == 0, ran.err
    ran = run("panel", path, "--features-from", result, "--chosen-elsewhere")
    assert ran.code == 2
    assert "not elsewhere.\nLeave --chosen-elsewhere out" in ran.err


def test_probabilities_of_selected_features_are_called_extreme(run, noise, tmp_path):
    for method, is_extreme in (("sfm", True), ("sfm-cv", False)):
        model = tmp_path / f"{method}.fewest"
        ran = run("select", noise[0], "--method", method, "--model", model)
        assert ran.code == 0, ran.err
        out = " ".join(run("predict", model, noise[0]).out.split())
        assert ("too close to 0 or 1, because it was calibrated on samples" in out) == is_extreme
