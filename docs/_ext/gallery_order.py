"""In which order the gallery shows its scripts: the first look first, then by name."""

from __future__ import annotations

_FIRST = ("plot_first_look.py", "plot_price_of_an_error.py", "plot_what_chance_does.py")


class Key:
    """Sort key of a script, as sphinx-gallery asks for it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, script: str) -> tuple[int, str]:
        """The place in the list above, else behind it."""
        place = _FIRST.index(script) if script in _FIRST else len(_FIRST)
        return place, script
