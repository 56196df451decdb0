"""Every estimator in every meta-estimator, function, page, file and command: it works, or says why.

A refusal is a ValueError or TypeError that names the estimator and says what to do. Nothing else is
one: an AttributeError or KeyError from inside is a failure.
"""

import re
import warnings

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import Lasso
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

import fewest
import fewest.filters
from fewest import (
    AccumulatedClassifier,
    FeatureSelectionConcave,
    KernelFeatureMachine,
    Liknon,
    LiknonCV,
    PanelSizeCV,
    PotentialSelector,
    PotentialSVC,
    PotentialSVCCV,
    PotentialSVR,
    PotentialSVRCV,
    RepetitiveSelector,
    SoftDoubleMinOver,
    SupportFeatureMachine,
    SupportFeatureMachineCV,
    UnionFeatureMachine,
    ZeroNormSVM,
)
from fewest._estimators.abilities import abilities_of, selection_of
from fewest.cli import main
from fewest.datasets import make_gaussian
from fewest.filters import BestFirstSelector, RankingSelector, WeightedVoteClassifier
from fewest.plotting import (
    HeatMapDisplay,
    HeldOutConfusionDisplay,
    HeldOutRocDisplay,
    StabilityDisplay,
    WeightsDisplay,
)
from fewest.report import make_report
from fewest.report._make import PARTS
from fewest.significance import bootstrap_632, permutation_test, run_held_out, stability

mpl.use("Agg")
N = 30
# As many columns as samples, for the machine whose columns are the samples.
X, Y = make_gaussian(n=N, d=N, k=4, mu=1.5, random_state=0)

QUICK = {"n_splits": 2, "cv": 2, "random_state": 0}
ESTIMATORS = {
    "sfm": SupportFeatureMachine(),
    "sfm, hard": SupportFeatureMachine(C=np.inf),
    "sfm, certified": SupportFeatureMachine(C=np.inf, certify=True, max_seconds=1.0),
    "sfm-cv": SupportFeatureMachineCV([1.0, 4.0], cv=2),
    "panel-cv": PanelSizeCV(sizes=[1, 2, 4], cv=2),
    "union": UnionFeatureMachine(),
    "zero-norm": ZeroNormSVM(C=1.0),
    "fsv": FeatureSelectionConcave(),
    "liknon": Liknon(C=0.2),
    "liknon-cv": LiknonCV(3, **QUICK),
    "liknon-cv, best": LiknonCV(3, outcome="best", **QUICK),
    "liknon-cv, ensemble": LiknonCV(3, outcome="ensemble", **QUICK),
    "min-over": SoftDoubleMinOver(),
    "min-over, no bias": SoftDoubleMinOver(class_weight="balanced", fit_intercept=False),
    "min-over, rbf": SoftDoubleMinOver(kernel="rbf"),
    "vote": WeightedVoteClassifier(4),
    "ranking": RankingSelector(4),
    "best-first": BestFirstSelector(cv=2, patience=1),
    "kernel sfm": KernelFeatureMachine(),
    "psvc": PotentialSVC(C=np.inf, epsilon=2.0, kernel="precomputed"),
    "psvc, samples": PotentialSVC(kernel="precomputed", row_objects="samples", epsilon=1.0),
    "psvc, rbf": PotentialSVC(),
    "psvc-cv": PotentialSVCCV((10.0,), (1.0, 2.0), kernel="precomputed", cv=2),
    "psvc-cv, rbf": PotentialSVCCV((10.0,), (0.1,), cv=2),
    "psvr": PotentialSVR(kernel="precomputed"),
    "psvr-cv": PotentialSVRCV((10.0,), (0.1,), cv=2),
    "psvm-selector": PotentialSelector(3),
    "repetitive": RepetitiveSelector(SupportFeatureMachine(), n_subsets=2),
    "accumulated": AccumulatedClassifier(RepetitiveSelector(SupportFeatureMachine(), n_subsets=2)),
    "foreign l1": LinearSVC(C=0.1, penalty="l1", random_state=0),
    "foreign selector": SelectKBest(k=3),
    "foreign neighbours": KNeighborsClassifier(3),
    "foreign regression": Lasso(0.1),
}
REGRESSIONS = {"psvr", "psvr-cv", "foreign regression"}
KERNELS = {"kernel sfm", "min-over, rbf", "psvc, rbf", "psvc-cv, rbf"}
NO_SELECTION = REGRESSIONS | KERNELS | {"foreign neighbours"}
SELECTORS_ONLY = {"ranking", "best-first", "psvm-selector", "repetitive", "foreign selector"}
NO_PREDICTION = REGRESSIONS | SELECTORS_ONLY
NO_SCORES = NO_PREDICTION | {"liknon-cv", "foreign neighbours"}
NOT_LINEAR = NO_SELECTION | SELECTORS_ONLY | {"liknon-cv", "liknon-cv, ensemble", "accumulated"}
FOREIGN = {name for name in ESTIMATORS if name.startswith("foreign")}

pytestmark = pytest.mark.filterwarnings(
    "ignore::UserWarning", "ignore::FutureWarning", "ignore::RuntimeWarning"
)


@pytest.fixture(params=list(ESTIMATORS))
def name(request):
    return request.param


@pytest.fixture
def estimator(name):
    return clone(ESTIMATORS[name])


@pytest.fixture(scope="module")
def fitted():
    """Fitted estimators, each fitted once."""
    known = {}

    def fit(name):
        if name not in known:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                known[name] = clone(ESTIMATORS[name]).fit(X, Y)
        return known[name]

    return fit


def attempt(call, estimator, refused):
    """What the call returns; None if it is refused with a sentence, which it is to be."""
    if not refused:
        return call()
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    message = str(caught.value)
    people_name = abilities_of(estimator).name
    assert type(estimator).__name__ in message or people_name in message, message
    assert re.search(r"\b(give|use|take|save|fit|choose)\b", message, re.IGNORECASE), message
    assert len(message.split()) > 6, message
    return None


def test_every_class_is_in_the_matrix():
    exported = [getattr(room, name) for room in (fewest, fewest.filters) for name in room.__all__]
    classes = {one for one in exported if isinstance(one, type) and hasattr(one, "fit")}
    assert classes <= {type(estimator) for estimator in ESTIMATORS.values()}


def test_selection(name, fitted):
    found = attempt(lambda: selection_of(fitted(name)), ESTIMATORS[name], name in NO_SELECTION)
    if found is not None:
        assert found.support.shape == (N,)
        assert found.n_selected > 0
        assert (found.coef is None) == (name in NOT_LINEAR)
        if found.coef is not None:
            assert found.coef.shape == found.supports.shape == (len(found.intercept), N)
            scores = X @ found.coef.T + found.intercept
            np.testing.assert_allclose(scores.ravel(), fitted(name).decision_function(X), atol=1e-8)


def test_repetitive_selector(name, estimator):
    selector = RepetitiveSelector(estimator, n_subsets=2)
    found = attempt(lambda: selector.fit(X, Y), estimator, name in NO_SELECTION)
    if found is not None:
        subsets = found.subsets_
        assert len(subsets) >= 1
        assert len(np.unique(np.concatenate(subsets))) == sum(map(len, subsets))
        assert np.isnan(found.training_errors_).any() == (name in SELECTORS_ONLY)


def test_accumulated_classifier(name, estimator):
    machine = AccumulatedClassifier(RepetitiveSelector(estimator, n_subsets=2))
    found = attempt(lambda: machine.fit(X, Y), estimator, name in NO_SELECTION)
    if found is not None:
        assert found.score(X, Y) > 0.6
        assert found.transform(X).shape == (N, found.support_.sum())


def test_run_held_out(name, estimator):
    found = attempt(lambda: run_held_out(estimator, X, Y, cv=2), estimator, name in NO_PREDICTION)
    if found is not None:
        assert len(found.folds) == 2
        assert 0.0 <= found.balanced_error <= 1.0
        assert (found.decisions is None) == (name in NO_SCORES)
        assert (found.folds[0].supports is None) == (name in NO_SELECTION)


@pytest.mark.parametrize("statistic", ["features", "error"])
def test_permutation_test(name, estimator, statistic):
    def run():
        settings = {"statistics": statistic, "n_permutations": 3, "cv": 2, "random_state": 0}
        return permutation_test(estimator, X, Y, **settings)

    refused = name in (NO_SELECTION if statistic == "features" else NO_PREDICTION)
    found = attempt(run, estimator, refused)
    if found is not None:
        tested = getattr(found, statistic)
        assert 0.0 < tested.p_value <= 1.0


def test_stability(name, estimator):
    def run():
        return stability(estimator, X, Y, n_resamples=3, random_state=0)

    if name in ("min-over", "min-over, no bias"):  # use all features, always
        with pytest.raises(ValueError, match="all sets hold no feature or all of them"):
            run()
        return

    found = attempt(run, estimator, name in NO_SELECTION)
    if found is not None:
        assert found.frequency.shape == (N,)
        assert found.frequency.max() > 0


def test_bootstrap_632(name, estimator):
    def run():
        return bootstrap_632(estimator, X, Y, n_resamples=3, random_state=0)

    found = attempt(run, estimator, name in NO_PREDICTION)
    if found is not None:
        assert 0.0 <= found.error <= 1.0


@pytest.mark.parametrize(
    ("display", "refused"),
    [
        (HeldOutConfusionDisplay, NO_PREDICTION),
        (HeldOutRocDisplay, NO_SCORES),
        (StabilityDisplay, NO_PREDICTION | NO_SELECTION),
    ],
)
def test_held_out_displays(name, estimator, display, refused):
    def draw():
        return display.from_estimator(estimator, X, Y, cv=2, ax=Figure().subplots())

    found = attempt(draw, estimator, name in refused)
    if found is not None:
        assert found.ax_.has_data() or found.ax_.texts


def test_weights_display(name, fitted):
    def draw():
        return WeightsDisplay.from_estimator(fitted(name), X, ax=Figure().subplots())

    found = attempt(draw, ESTIMATORS[name], name in NOT_LINEAR)
    if found is not None:
        assert found.ax_.has_data()


def test_heat_map_display(name, fitted):
    def draw():
        return HeatMapDisplay.from_estimator(fitted(name), X, Y, ax=Figure().subplots())

    found = attempt(draw, ESTIMATORS[name], name in NO_SELECTION)
    if found is not None:
        assert found.ax_.has_data()


@pytest.mark.slow
def test_report(name, fitted):
    def run():
        settings = {"n_permutations": 3, "n_subsets": 2, "cv": 2, "random_state": 0}
        return make_report(fitted(name), X, Y, parts=PARTS, max_seconds=10.0, **settings)

    found = attempt(run, ESTIMATORS[name], name in NO_SELECTION)
    if found is None:
        return
    assert "<html" in found.html
    assert found.content.answer.hyperplanes[0].features
    for part in PARTS:
        where = found.content if part in ("alternatives", "costs") else found.content.trust
        if not getattr(where, "minima" if part == "minimum" else part):
            why = found.content.why_not(part)
            assert why is not None, part
            assert len(why.split()) > 4, why


def test_save_and_load(name, fitted, tmp_path):
    path = tmp_path / "machine.fewest"
    machine = fitted(name)
    attempt(lambda: fewest.save(machine, path), machine, name in FOREIGN)
    if name not in FOREIGN:
        loaded = fewest.load(path)
        assert type(loaded) is type(machine)
        if hasattr(machine, "predict"):
            np.testing.assert_array_equal(loaded.predict(X), machine.predict(X))
        else:
            np.testing.assert_array_equal(loaded.transform(X), machine.transform(X))


METHODS = ("sfm", "sfm-cv", "weston", "liknon", "psvm")
COMMANDS = {
    "select": (METHODS, ["--cv", "2"]),
    "path": (("sfm", "liknon"), ["--cv", "2", "--values", "3"]),
    "rank": (("sfm", "weston", "liknon"), ["--subsets", "2"]),
    "informative": (("sfm", "weston", "liknon"), ["--cv", "2", "--permutations", "1"]),
}


@pytest.fixture(scope="module", params=["separable", "overlapping"])
def table(request, tmp_path_factory):
    X, y = make_gaussian(n=24, d=8, k=2, mu=2.5, random_state=0)
    if request.param == "overlapping":
        y[:6] *= -1
    path = tmp_path_factory.mktemp("tables") / f"{request.param}.csv"
    names = ",".join(f"f{place}" for place in range(8))
    rows = np.column_stack([X, y])
    np.savetxt(path, rows, delimiter=",", header=f"{names},class", comments="")
    return path


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("command", list(COMMANDS))
def test_commands(command, method, table, capsys):
    offered, options = COMMANDS[command]
    arguments = [command, str(table), "--target", "class", "--method", method, *options]
    try:
        code = main(arguments)
    except SystemExit as stopped:  # of the parser
        code = stopped.code
    printed = capsys.readouterr()
    if method not in offered:
        assert code == 2
        assert "--method" in printed.err
    elif table.stem == "separable":
        assert code == 0, printed.err
        assert re.search(r"\bf[01]\b", printed.out) or command in ("path", "informative")
    else:
        assert code in (0, 2, 3)
        assert code == 0 or re.search(r"error: .*\w+ \w+", printed.err)
    assert "Traceback" not in printed.err
