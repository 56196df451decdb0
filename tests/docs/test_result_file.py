"""The page about result files names every field that such a file has, and no other."""

import dataclasses
import re
import types
import typing

import pytest

from fewest.cli._brain_result import BrainContent
from fewest.informative import Overlap
from fewest.minimum._leaves import RuledOut
from fewest.minimum._result import Step
from fewest.neuro._regions import Region
from fewest.neuro._tables import Voxel
from fewest.panels import PanelReport, PointsScore
from fewest.report.content import Content, PanelContent, Predictions
from fewest.significance import Confounding, LearningCurve, MethodComparison
from fewest.tables._content import Missing
from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "result_file.md"
# Names that the modules import for type checkers only.
_IMPORTED = (
    *(Confounding, LearningCurve, MethodComparison, Missing, Overlap, PanelReport, PointsScore),
    *(Region, RuledOut, Step, Voxel),
)
NAMES = {cls.__name__: cls for cls in _IMPORTED}


def paths_of(cls, prefix=""):
    """Every innermost field as a path, such as `answer.hyperplanes[].intercept`."""
    hints = typing.get_type_hints(cls, localns=NAMES)
    for field in dataclasses.fields(cls):
        kinds = _alternatives(hints[field.name])
        lists = [kind for kind in kinds if typing.get_origin(kind) in (list, tuple)]
        inner = [*kinds, *(argument for kind in lists for argument in typing.get_args(kind))]
        parts = [kind for kind in inner if dataclasses.is_dataclass(kind)]
        path = f"{prefix}{field.name}"
        if parts:
            (part,) = parts
            yield from paths_of(part, f"{path}[]." if lists else f"{path}.")
        else:
            yield path


def _alternatives(hint):
    union = isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union
    return typing.get_args(hint) if union else (hint,)


def described():
    """Every path on the page: the name of the section, if it is one, and that of the row."""
    found, prefix = set(), ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if heading := re.match(r"#+ (?:`([\w.\[\]]+)`)?", line):
            prefix = f"{heading.group(1)}." if heading.group(1) else ""
        elif row := re.match(r"\| ((?:`[\w.\[\]]+`(?:, )?)+) \| \S", line):
            found.update(prefix + name for name in re.findall(r"`([^`]+)`", row.group(1)))
    return found


@pytest.mark.parametrize("cls", [Content, BrainContent, PanelContent, Predictions])
def test_every_field_is_described(cls):
    assert sorted(set(paths_of(cls)) - described()) == []


def test_nothing_else_is_described():
    real = {path for cls in (BrainContent, PanelContent, Predictions) for path in paths_of(cls)}
    assert sorted(described() - real) == []


def test_paths_reach_the_innermost_fields():
    paths = set(paths_of(Content))
    assert "answer.hyperplanes[].features[].weight" in paths
    assert "answer.hyperplanes[].certificate.objective" in paths
    assert "trust.minima[].searched[].n_sets" in paths
