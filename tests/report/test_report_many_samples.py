"""A page about very many samples: what is on it is of all of them, or says of how many it is."""

import json

import numpy as np
import pytest
from scipy import sparse
from scipy.integrate import trapezoid
from sklearn.metrics import roc_auc_score
from sklearn.svm import LinearSVC

from fewest.plotting import plot_heat_map, plot_roc, plot_strip
from fewest.report import _trust, make_report
from tests.memory import size_of, traced_memory

N = 30_000


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(N) < 0.25, "ill", "well")
    X = rng.standard_normal((N, 8)).astype(np.float32)
    X[:, :2] += 1.5 * (y == "ill")[:, None]
    return X, y


def make(X, y, **how):
    machine = LinearSVC(C=0.001, dual=False).fit(X, y)
    return make_report(machine, X, y, parts=("validation",), cv=2, random_state=0, **how)


@pytest.fixture(scope="module")
def report(many):
    return make(*many)


def test_errors_are_those_of_all_samples(many, report):
    found = report.content.trust.validation
    assert found.n_judged == N
    assert np.sum(found.confusion) == N
    assert found.n_errors == N - np.trace(found.confusion)
    assert found.error == pytest.approx(found.n_errors / N)


def test_lists_of_samples_are_a_stated_part(many, report):
    X, y = many
    found = report.content.trust.validation
    lists = (found.samples, found.true, found.predicted, found.decisions)
    assert {len(one) for one in lists} == {10_000}
    np.testing.assert_array_equal(np.array(["ill", "well"])[found.true], y[found.samples])
    share = np.mean(np.array(found.true) == 0)
    assert share == pytest.approx(np.mean(y == "ill"), abs=1e-3)
    # The area is that of all; that of the part is near it.
    partial = roc_auc_score(found.true, np.ravel(found.decisions))
    assert found.auc[0] != partial
    assert found.auc[0] == pytest.approx(partial, abs=0.01)
    shown = report.content.answer.samples
    assert len(shown.rows) == len(shown.classes) == 2_000
    for column, values in zip(shown.columns, shown.values, strict=True):
        np.testing.assert_allclose(values, X[shown.rows, column])


def test_the_page_says_so_and_is_small(report):
    page = " ".join(report.html.split())
    assert "Shown are 2,000 of 30,000 samples, drawn at random within the classes." in page
    assert "Shown are 10,000 of 30,000 decisions, drawn at random within the classes." in page
    assert f"of {N}</strong> were misclassified" in page
    assert len(report.html) < 2e6
    assert len(report.to_json()) < 2e6
    assert json.loads(report.to_json())["trust"]["validation"]["n_judged"] == N


def test_few_samples_are_all_listed(data):
    X, y = data
    found = make(X, y).content
    assert found.trust.validation.n_judged == len(found.trust.validation.true) == len(y)
    assert found.answer.samples.rows == list(range(len(y)))
    assert "drawn at random within" not in make(X, y).html


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
def test_memory_is_a_few_times_the_data(many, layout):
    X, y = many
    X = sparse.csr_matrix(X) if layout is not np.asarray else X
    X = layout(X)
    make(X, y)  # nothing is loaded for the first time below
    with traced_memory() as memory:
        make(X, y)
    # All eight features are selected here, and dense in float64 once: twice X.
    assert memory.peak < 8 * size_of(X) + 600 * N < 8 * N * N / 100


def test_a_dense_copy_that_would_be_too_large_is_refused(many, monkeypatch):
    X, y = many[0][:200], many[1][:200]
    monkeypatch.setattr(_trust, "_MOST_BYTES", 1000)
    machine = LinearSVC(C=0.001, dual=False).fit(X, y)
    found = make_report(machine, X, y, parts=("minimum",)).content
    reason = found.why_not("minimum")
    assert "works on a dense copy of the data" in reason
    assert not found.trust.minima


class TestFigures:
    """Marks and points that a figure of very many samples has."""

    def test_strip(self, many):
        from matplotlib.figure import Figure

        X, y = many
        ax = plot_strip(X[:, 0], y, name="gene", ax=Figure().subplots())
        dots, bars = ax.lines[::2], ax.lines[1::2]
        assert sum(len(line.get_xdata()) for line in dots) == 2_000
        assert ax.get_xlabel() == "gene (2,000 of 30,000 samples)"
        for label, bar in zip(("ill", "well"), bars, strict=True):
            assert bar.get_xdata()[0] == pytest.approx(X[y == label, 0].mean(), rel=1e-5)

    def test_heat_map(self, many):
        from matplotlib.figure import Figure

        X, y = many
        ax = plot_heat_map(X, y, scores=X[:, 0], ax=Figure().subplots())
        assert ax.images[0].get_array().shape == (8, 2_000)
        assert ax.get_xlabel() == "(2,000 of 30,000 samples)"
        labels = [label.get_text() for label in ax.get_xticklabels()]
        assert labels == [f"ill\n({np.sum(y == 'ill')})", f"well\n({np.sum(y == 'well')})"]

    def test_roc(self, many):
        from matplotlib.figure import Figure

        X, y = many
        ax = plot_roc(y, X[:, 0], positive="ill", ax=Figure().subplots())
        x, height = ax.lines[-1].get_data()
        assert len(x) < 2_100
        assert (x[0], height[0], x[-1], height[-1]) == (0.0, 0.0, 1.0, 1.0)
        area = roc_auc_score(y == "ill", X[:, 0])
        assert trapezoid(height, x) == pytest.approx(area, abs=2e-3)
        assert ax.get_legend_handles_labels()[1] == [f"ill: area {area:.2f}"]
