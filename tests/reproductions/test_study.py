"""When a published number and ours agree."""

import numpy as np
import pytest

from reproductions.study import Cell, Comparison, Measured, Published, Study, compare


def make_comparison(paper, ours):
    return Comparison("cell", "quantity", paper, ours)


def test_without_randomness_the_rounding_is_all_that_is_allowed():
    paper = Published(17.7, 1)
    assert make_comparison(paper, Measured(17.65)).agrees
    assert make_comparison(paper, Measured(17.749)).agrees
    assert not make_comparison(paper, Measured(17.64)).agrees
    assert make_comparison(paper, Measured(17.7)).allowed == pytest.approx(0.05)


def test_counts_have_to_be_equal():
    assert make_comparison(Published(27, 0), Measured(27)).agrees
    assert not make_comparison(Published(27, 0), Measured(28)).agrees


def test_averages_may_differ_by_two_standard_errors():
    # 2 * 3 * sqrt(1/100 + 1/25) = 6 * 0.22361 = 1.34164, and 0.05 for the rounding.
    one = make_comparison(Published(10.0, 1, runs=100), Measured(11.39, 3.0, 25))
    assert one.allowed == pytest.approx(1.39164, abs=1e-5)
    assert one.agrees
    assert not make_comparison(Published(10.0, 1, runs=100), Measured(11.40, 3.0, 25)).agrees


def test_the_larger_standard_deviation_counts():
    # 2 * 3 * sqrt(1/100 + 1/100) + 0.05, whoever has the 3.
    expected = 6 * np.sqrt(0.02) + 0.05
    papers = make_comparison(Published(1.0, 1, 100, sd=3.0), Measured(1.0, 0.5, 100))
    ours = make_comparison(Published(1.0, 1, 100, sd=0.5), Measured(1.0, 3.0, 100))
    assert papers.allowed == pytest.approx(expected)
    assert ours.allowed == pytest.approx(expected)


def test_a_standard_deviation_without_runs_says_nothing():
    assert make_comparison(Published(1.0, 1, sd=3.0), Measured(1.0)).allowed == pytest.approx(0.05)


def test_numbers_read_off_a_figure_may_differ_more():
    paper = Published(5.0, 0, spread=2.0)
    assert make_comparison(paper, Measured(7.5)).agrees
    assert not make_comparison(paper, Measured(7.6)).agrees


def test_a_number_that_could_not_be_computed_does_not_agree():
    assert make_comparison(Published(1.0), Measured(np.nan)).agrees is False


def test_without_a_published_number_there_is_nothing_to_agree_with():
    assert make_comparison(None, Measured(1.0)).agrees is None


def test_means_leave_out_runs_without_result():
    found = Measured.from_runs([1.0, np.nan, 3.0])
    assert (found.value, found.runs) == (2.0, 2)
    assert found.sd == pytest.approx(np.sqrt(2.0))
    assert np.isnan(Measured.from_runs([np.nan]).value)


def test_the_papers_numbers_come_first():
    cell = Cell("cell", lambda quick: {}, {"b": Published(1.0), "a": Published(2.0)})
    found = compare(cell, {"a": Measured(2.0), "c": Measured(3.0), "b": Measured(1.0)})
    assert [one.label for one in found] == ["b", "a", "c"]
    assert [one.agrees for one in found] == [True, True, None]


def test_a_published_number_that_nobody_computes_is_an_error():
    cell = Cell("cell", lambda quick: {}, {"errors": Published(1.0)})
    with pytest.raises(ValueError, match="nothing was computed for \\['errors'\\]"):
        compare(cell, {})


def test_the_longest_beginning_explains():
    study = Study("name", "title", "source", [], why={"": "all", "n = 20: SVM": "these"})
    assert study.explain("n = 20", "SVM error") == "these"
    assert study.explain("n = 50", "SVM error") == "all"
    assert Study("name", "title", "source", []).explain("cell", "label") == ""
