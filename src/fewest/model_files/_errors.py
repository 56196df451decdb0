"""How everything here says that a file is not as it should be."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from fewest.exceptions import ModelFileError


def damaged(what: str) -> ModelFileError:
    """The error for a file that was not written like this by `fewest.save`."""
    return ModelFileError(
        f"{what}.\nThe file is damaged or was changed: copy it again, or save the model again."
    )


def attempt(failure: str, action: Callable[..., Any], *arguments: Any) -> Any:
    """What the action returns; whatever it raises becomes an error of the file.

    Warnings are not shown: whoever fitted the model has seen them.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return action(*arguments)
    except ModelFileError:
        raise
    except Exception as error:
        raise damaged(f"{failure} ({error})") from error
