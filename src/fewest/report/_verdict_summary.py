"""The verdict as a part of the result, for those who read it with a program."""

from __future__ import annotations

from dataclasses import replace

from fewest.report._verdict import Verdict, judge_content
from fewest.report._verdict_content import (
    BETTER,
    EXPLAINED,
    NOT_SHOWN,
    NOT_TESTED,
    VerdictSummary,
)
from fewest.report.content import Content

_STATUS = {True: BETTER, False: NOT_SHOWN, None: NOT_TESTED}


def add_verdict(content: Content) -> Content:
    """The content with its verdict, by all that it holds now."""
    confounding = content.trust.confounding
    is_explained = confounding is not None and confounding.is_explained
    found = summarize_verdict(judge_content(content), is_explained=is_explained)
    return replace(content, verdict=found)


def summarize_verdict(found: Verdict, *, is_explained: bool = False) -> VerdictSummary:
    """A word for programs, and the sentence."""
    return VerdictSummary(EXPLAINED if is_explained else _STATUS[found.is_better], found.text)
