"""How everything here says that a file is not as it should be."""

from __future__ import annotations

from fewest.exceptions import ModelFileError


def damaged(what: str) -> ModelFileError:
    """The error for a file that was not written like this by `fewest.save`."""
    return ModelFileError(
        f"{what}.\nThe file is damaged or was changed: copy it anew, or save the model again."
    )
