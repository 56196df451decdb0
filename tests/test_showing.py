"""Every public result fits on the screen, whatever it holds; names cannot break a notebook."""

import dataclasses
import importlib
import inspect
import pkgutil
from html.parser import HTMLParser

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator

import fewest
from fewest import SupportFeatureMachine, error_front, minimum_features, near_optimal_sets
from fewest._showing import Listed, Shown, describe
from fewest.datasets import make_gaussian
from fewest.significance import permutation_test, run_held_out

pandas = pytest.importorskip("pandas")
EVIL = "<script>alert('x')</script>\x1b[31m\n"


def find_results():
    """All public dataclasses that are neither estimators nor exceptions."""
    found = {}
    for one in pkgutil.walk_packages(fewest.__path__, "fewest."):
        if any(part.startswith("_") for part in one.name.split(".")[1:]):
            continue
        if one.name.startswith(("fewest.cli", "fewest.report.content")):
            continue  # options, and the plain values that result files are made of
        module = importlib.import_module(one.name)
        for name in getattr(module, "__all__", vars(module)):
            value = getattr(module, name)
            is_public = not name.startswith("_") and str(value.__class__) and inspect.isclass(value)
            if is_public and dataclasses.is_dataclass(value) and _is_ours(value):
                found[f"{value.__module__}.{value.__qualname__}"] = value
    return [found[name] for name in sorted(found)]


def _is_ours(kind):
    return kind.__module__.startswith("fewest.") and not issubclass(kind, BaseEstimator)


def flood(annotation):
    """Much of what a field may hold."""
    text = str(annotation)
    if text.startswith(("tuple[float", "tuple[int, int]")):
        return (0.25, 0.75)
    if text.startswith(("tuple", "list", "Sequence")):
        return tuple(np.arange(300.0) for _ in range(500))
    if text.startswith("dict"):
        return {place: np.arange(300.0) for place in range(500)}
    if "Array" in text or text in ("Any", "Labels", "SpatialImage", "pandas.DataFrame"):
        return np.random.default_rng(0).standard_normal((300, 40))
    if text.startswith("float"):
        return 0.12345678901234567
    if text.startswith("int"):
        return 3**100
    if text.startswith("bool"):
        return True
    return f"{EVIL} and a long text " * 3


def fill(kind):
    made = object.__new__(kind)
    for field in dataclasses.fields(kind):
        object.__setattr__(made, field.name, flood(field.type))
    return made


def speaks_for_itself(kind):
    """Whether it tells its fields' names; others are tried with real results below."""
    return kind._headline is Shown._headline if issubclass(kind, Shown) else True


RESULTS = find_results()
PLAIN = [kind for kind in RESULTS if speaks_for_itself(kind)]


def check_short(result):
    text = repr(result)
    assert len(text) < 1000, text
    assert len(text.splitlines()) <= 10
    assert "array(" not in text
    assert "..., " not in text


def test_results_are_found():
    names = {kind.__name__ for kind in RESULTS}
    assert {"MinimumResult", "PermutationTest", "Panel", "LiknonPath", "Table"} <= names
    assert len(RESULTS) > 50


@pytest.mark.parametrize("kind", PLAIN, ids=lambda kind: kind.__name__)
def test_any_content_is_shown_shortly(kind):
    if kind.__repr__ is fewest.report.Report.__repr__:
        return  # tells its title and size
    check_short(fill(kind))


@pytest.fixture(scope="module")
def data():
    X, y = make_gaussian(n=40, d=60, k=3, mu=2.0, random_state=0)
    return pandas.DataFrame(X, columns=[f"{EVIL}{place}" for place in range(60)]), y


@pytest.fixture(scope="module")
def results(data):
    X, y = data
    machine = SupportFeatureMachine(C=1.0).fit(X, y)
    few = X.iloc[:, :20]
    return [
        machine.result_,
        machine.result_.steps,
        machine.result_.steps[0],
        minimum_features(X, y, n_solutions=None),
        minimum_features(np.tile([0.0, 1.0], (4, 1)), [0, 1, 0, 1]),
        minimum_features(few, y, feature_cost=2.5),
        minimum_features(few, y, max_errors=1),
        error_front(few, y, max_features=2),
        error_front(few, y, max_features=2, feature_cost={EVIL + "1": 3.0}),
        near_optimal_sets(few, y),
        run_held_out(machine, X.to_numpy(), y, cv=3),
        permutation_test(machine, X.to_numpy(), y, n_permutations=4, random_state=0),
    ]


def test_real_results(results):
    for result in results:
        check_short(result)
    tried = {type(result) for result in results}
    with_headlines = {kind for kind in RESULTS if not speaks_for_itself(kind)}
    assert with_headlines <= tried


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)


def test_notebooks_get_tables_in_which_names_are_text(results):
    names = 0
    for result in results:
        if isinstance(result, Shown):
            parser = _Tags()
            html = result._repr_html_()
            parser.feed(html)
            assert "script" not in parser.tags
            assert parser.tags & {"table", "pre"}
            assert "\x1b" not in html
            names += "&lt;script&gt;" in html
    assert names >= 5


def test_names_are_kept(data):
    X, y = data
    result = minimum_features(X, y)
    assert result.feature_names == tuple(X.columns)
    assert result.names[0] == tuple(X.columns[result.subsets[0]])
    nameless = minimum_features(X.to_numpy(), y)
    assert nameless.feature_names is None
    assert nameless.names[0] == tuple(map(str, nameless.subsets[0]))
    assert bool(result.verify(X, y, search=True))
    front = error_front(X.iloc[:, :20], y, max_features=1)
    assert front.names == ((), tuple(X.columns[front.points[1].subsets[0]]))
    near = near_optimal_sets(X.iloc[:, :20], y, extra=0)
    assert near.minimum.names[0] == tuple(X.columns[near.minimum.subsets[0]])


def test_the_smallest_set_in_words():
    X = np.random.default_rng(0).standard_normal((30, 200))
    y = X[:, 17] + X[:, 52] - X[:, 110] > 0
    lines = repr(minimum_features(X, y)).splitlines()
    assert lines[0] == "MinimumResult: 3 features, proven to be the fewest"
    assert lines[1].startswith("  set       52, 54, 110 (margin 0.")
    assert (
        repr(minimum_features(X, y, max_size=1, max_seconds=1e-9))
        .splitlines()[0]
        .endswith(("at least 1", "at least 2", "proven to be the fewest"))
    )


def test_lists_show_their_first_entries():
    assert repr(Listed([1, 2])) == "(1, 2)"
    assert repr(Listed([1])) == "(1,)"
    assert repr(Listed()) == "()"
    assert repr(Listed(range(10_000))).endswith(" more)")
    assert len(repr(Listed(range(10_000)))) < 2000
    assert Listed([1, 2]) == (1, 2)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (np.float64(0.5), "0.5"),
        ("name", "'name'"),
        (np.arange(3), "[0, 1, 2]"),
        (np.zeros((3, 4)), "<3 x 4 floats>"),
        (np.array(["a"] * 9), "<9 texts>"),
        (sparse.csr_matrix((3, 4)), "<3 x 4 csr_matrix>"),
        ([1, "a"], "[1, 'a']"),
        (range(3), "<range>"),
        ({"a": 1}, "{'a': 1}"),
        ({place: place for place in range(9)}, "<9 entries>"),
        ([[1]] * 9, "<9 list>"),
        (SupportFeatureMachine(), "<SupportFeatureMachine>"),
    ],
)
def test_short_words(value, text):
    assert describe(value) == text


def test_numbers_that_python_does_not_print():
    assert describe(10**5000) == "<5000 digits>"
