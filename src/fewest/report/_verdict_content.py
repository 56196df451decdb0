"""The verdict as plain values: the part `verdict` of the result."""

from __future__ import annotations

from dataclasses import dataclass

BETTER, NOT_SHOWN, NOT_TESTED = "better", "not shown", "not tested"
EXPLAINED = "explained by covariates"


@dataclass(frozen=True)
class VerdictSummary:
    """Whether the features are better than chance: one of four words, and one sentence or two.

    `status` is "better", "not shown" (a test found no difference from chance), "not tested", or
    "explained by covariates".
    """

    status: str
    text: str
