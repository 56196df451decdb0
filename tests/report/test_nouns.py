"""The words for rows and columns: replaced in sentences, never in names."""

import re

import numpy as np
import pytest
from jinja2 import Environment

from fewest import SupportFeatureMachine
from fewest.datasets import make_gaussian
from fewest.report import _wording as wording
from fewest.report import make_report
from fewest.report._nouns import Words, rename, rename_markup, rename_template


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 features of 30 samples", "2 voxels of 30 volumes"),
        ("Features and a Sample", "Voxels and a Volume"),
        ("the feature’s mean, the samples’ classes", "the voxel’s mean, the volumes’ classes"),
        ("the Support Feature Machine", "the Support Feature Machine"),
        ("max_features, resampled, featureless", "max_features, resampled, featureless"),
    ],
)
def test_sentences(text, expected):
    assert rename(text, "volumes") == expected
    assert rename(text, "samples") == text


def test_templates_keep_names_of_variables_and_keys():
    source = (
        '<p id="x">Features{% for feature in plane.features %} {{ feature.n_samples }}'
        '{{ " features" if kind == "features" else "no feature" }}{% endfor %}</p>'
    )
    assert rename_template(source, "volumes", Environment().lex) == (
        '<p id="x">Voxels{% for feature in plane.features %} {{ feature.n_samples }}'
        '{{ " voxels" if kind == "features" else "no voxel" }}{% endfor %}</p>'
    )
    assert rename_template(source, "samples", Environment().lex) is source


def test_figures_keep_the_names_of_classes():
    svg = '<svg aria-label="Weights of features"><text>features</text><text>sample</text></svg>'
    assert rename_markup(svg, "volumes", ["sample"]) == (
        '<svg aria-label="Weights of voxels"><text>voxels</text><text>sample</text></svg>'
    )


def test_words_of_a_module():
    words = Words(wording, "volumes")
    assert "2 of 9 volumes" in words.some_of(2, 9)
    assert all("feature" not in text for text in words.ENDINGS.values())
    assert words.MOST_CURVES == wording.MOST_CURVES


def test_names_that_came_with_the_data_stay():
    X, y = make_gaussian(n=40, d=6, k=2, mu=2.0, random_state=0)
    classes = np.where(y > 0, "sample", "feature")
    machine = SupportFeatureMachine().fit(X, classes)
    names = [f"feature {place}" for place in range(6)]
    page = make_report(machine, X, classes, parts=(), kind="volumes", feature_names=names).html
    assert ">sample</bdi>" in page
    assert ">feature</bdi>" in page
    assert "6 voxels" in page
    assert ">feature 0</bdi>" in page
    assert not re.search(r">[^<]*\bsamples\b[^<]*<", page)
    with pytest.raises(ValueError, match="kind must be one of 'samples', 'volumes'"):
        make_report(machine, X, classes, kind="cells")
