"""From scores to classes."""

import numpy as np

from fewest._estimators.decisions import choose_classes


def test_the_last_digits_do_not_decide_between_classes():
    scores = np.array([[-1.0, 0.3, 0.1 + 0.2], [0.1 + 0.2, 0.3, -1.0], [0.0, 0.0, 0.0]])
    assert choose_classes(scores).tolist() == [1, 0, 0]
    assert choose_classes(scores[:, ::-1]).tolist() == [0, 1, 0]


def test_what_differs_by_more_than_rounding_decides():
    scores = np.array([[1.0, 1.0 + 1e-9], [1e-20, 2e-20], [-2.0, -1.0]])
    assert choose_classes(scores).tolist() == [1, 1, 1]


def test_one_score_decides_by_its_sign():
    assert choose_classes(np.array([-1.0, 0.0, 1e-300])).tolist() == [0, 0, 1]
    assert choose_classes(np.array([[2.0]])).tolist() == [1]
