"""How everything here says that a file is not as it should be."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from fewest._wording import cut
from fewest.exceptions import ModelFileError

# Libraries cite what they could not read, which may be the whole file.
_LONGEST_REASON = 300


def damaged(what: str) -> ModelFileError:
    """The error for a file that was not written like this by `fewest.save`."""
    return ModelFileError(
        f"{what}.\nThe file is damaged or was changed: copy it again, or save the model again."
    )


def reason(error: Exception) -> str:
    """What an error of another library says, in a length that can be read."""
    return cut(error, _LONGEST_REASON)


def demand(is_right: bool, failure: str) -> None:
    """Raise the error of a damaged file, which says what is wrong, unless all is right."""
    if not is_right:
        raise damaged(failure)


def attempt(failure: str, action: Callable[..., Any], *arguments: Any) -> Any:
    """What the action returns; whatever it raises becomes an error of the file.

    Warnings are not shown: whoever fitted the model has seen them. That a document is nested too
    deeply is for the caller to say.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return action(*arguments)
    except (ModelFileError, RecursionError):
        raise
    except Exception as error:
        raise damaged(f"{failure} ({reason(error)})") from error
