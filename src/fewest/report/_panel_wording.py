"""The words of the page of a judged panel."""

from __future__ import annotations

from fewest.panels._errors import PanelError
from fewest.panels._errors import bracketed as bracketed
from fewest.panels._result import RandomPanels
from fewest.panels._text import name_choice as name_choice
from fewest.panels._text import say_origin as say_origin
from fewest.report._wording import percent


def signed(value: float | None) -> str:
    """'+0.52', with a minus that is as wide as a digit; a dash for None."""
    return "–" if value is None else f"{value:+.2f}".replace("-", "−")


def signed_percent(value: float) -> str:
    """'+3.1 %', without a line break."""
    sign = "−" if round(value, 3) < 0 else "+"
    return sign + percent(abs(value))


def count_as_good(random: RandomPanels) -> str:
    """How many random panels are as good as the given one, or 'none'."""
    number = round(random.share_as_good * (len(random.errors) + 1)) - 1
    return str(number) if number else "None"


def errors_of(errors: PanelError, like: PanelError) -> list[float | None]:
    """Errors of the classes in the order of other errors; None for a class that is not there."""
    known = {one.label: one.error for one in errors.classes}
    return [known.get(one.label) for one in like.classes]
