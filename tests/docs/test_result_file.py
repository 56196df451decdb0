"""The page about the result file names every field of the result."""

import dataclasses
import re

import pytest

from fewest.cli import _brain_report
from fewest.report import content
from tests.docs.pages import ROOT

_DESCRIBED = set(
    re.findall(r"`(\w+)`", (ROOT / "docs" / "result_file.md").read_text(encoding="utf-8"))
)
_PARTS = {
    value
    for module in (content, _brain_report)
    for value in vars(module).values()
    if isinstance(value, type) and dataclasses.is_dataclass(value)
}


@pytest.mark.parametrize("part", sorted(_PARTS, key=lambda part: part.__name__))
def test_every_field_is_described(part):
    missing = [field.name for field in dataclasses.fields(part) if field.name not in _DESCRIBED]
    assert not missing, f"describe them in docs/result_file.md: {part.__name__}: {missing}"


def test_the_version_is_that_of_the_code():
    text = (ROOT / "docs" / "result_file.md").read_text(encoding="utf-8")
    assert f'`schema` is `"{content.SCHEMA}"`' in text
    assert f"`schema_version` is {content.SCHEMA_VERSION}." in text
