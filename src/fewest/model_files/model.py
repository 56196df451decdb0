"""Save and load: the document, its versions, and the order of all checks."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any, NoReturn

import sklearn
from sklearn.utils.validation import check_is_fitted

from fewest._run.files import atomic_write, check_writable
from fewest._wording import visible
from fewest.exceptions import ModelFileError
from fewest.model_files.archive import packed, unpacked
from fewest.model_files.decode import Decoder
from fewest.model_files.encode import Encoder
from fewest.model_files.errors import damaged
from fewest.model_files.registry import MODELS, PARTS, is_registered
from fewest.model_files.schemas import check_model

FORMAT = "fewest model"
VERSION = 1
_MOST_DIGITS = 20


def save(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to one file, without pickle.

    The file holds the parameters, the fitted attributes and the certificates as numbers and text;
    its format is described in ``docs/model_file.md``. It appears whole or not at all.

    Parameters
    ----------
    estimator : estimator of fewest
        Fitted.
    path : str or path-like
        The file, by custom with the suffix ``.fewest``. An existing one is replaced.

    Raises
    ------
    ModelFileError
        If a parameter cannot be stored: a function, a splitter, a random generator, a foreign
        estimator. The message names it.

    Examples
    --------
    >>> import tempfile, fewest
    >>> from fewest.datasets import make_gaussian
    >>> X, y = make_gaussian(n=72, d=1000, k=3, mu=1.0, random_state=0)
    >>> machine = fewest.SupportFeatureMachine(C=2.0).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fewest.save(machine, f"{folder}/machine.fewest")
    ...     same = fewest.load(f"{folder}/machine.fewest")
    >>> bool((same.decision_function(X) == machine.decision_function(X)).all())
    True
    """
    if not is_registered(estimator, MODELS):
        raise ModelFileError(_foreign(estimator))
    check_is_fitted(estimator)
    check_writable(path)
    from fewest import __version__

    encoder = Encoder()
    document = {
        "format": FORMAT,
        "version": VERSION,
        "fewest": __version__,
        "scikit-learn": sklearn.__version__,
        "model": encoder.estimator(estimator, ""),
    }
    text = json.dumps(document, allow_nan=False, indent=1)
    content = packed(text.encode("utf-8"), encoder.arrays)
    try:
        loaded(content)  # what cannot be read back is not written
    except ModelFileError as error:
        raise ModelFileError(
            f"the {type(estimator).__name__} cannot be saved, because it is not as `fit` leaves "
            f"it: {_first_line(error)}.\nFit it again."
        ) from error
    atomic_write(path, content)


def load(path: str | os.PathLike[str]) -> Any:
    """Read an estimator that `save` has written.

    Files of strangers are safe to load: nothing in them is executed, only fewest's own estimators
    are made, and every array is checked against what the document and the estimator say about it.
    Whether the model is any good is another question.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    estimator
        It predicts and transforms exactly like the one that was saved.

    Raises
    ------
    ModelFileError
        A ValueError that says what is wrong with the file. Errors of the file system (no such file)
        are raised as they are.

    See Also
    --------
    fewest.save : Its counterpart.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import fewest
    >>> from fewest.datasets import make_gaussian
    >>> X, y = make_gaussian(n=40, d=50, k=2, mu=1.0, random_state=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "machine.fewest"
    ...     fewest.save(fewest.SupportFeatureMachine().fit(X, y), path)
    ...     machine = fewest.load(path)
    >>> int((machine.predict(X) == y).sum())
    40
    """
    content = Path(path).read_bytes()
    try:
        return loaded(content)
    except ModelFileError as error:
        raise ModelFileError(f"{visible(path)} cannot be loaded: {error}") from error
    except Exception as error:  # none is known; but callers rely on one kind of error
        what = damaged(f"it contradicts itself ({type(error).__name__}: {visible(error)})")
        raise ModelFileError(f"{visible(path)} cannot be loaded: {what}") from error


def loaded(content: bytes) -> Any:
    """The estimator in the bytes of a file."""
    text, members = unpacked(content)
    try:
        document = json.loads(
            text.decode("utf-8"),
            parse_constant=_no_constant,
            parse_int=_short_integer,
            object_pairs_hook=_unique_keys,
        )
        estimator = _estimator_of(document, members)
        check_model(estimator)
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise damaged(f"its document is not JSON ({error})") from error
    except RecursionError as error:
        raise damaged("its document is nested too deeply") from error
    return estimator


def _estimator_of(document: Any, members: dict[str, bytes]) -> Any:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise damaged("its document does not say that it is a model of fewest")
    _check_version(document.get("version"))
    decoder = Decoder(members)
    estimator = decoder.estimator(document.get("model"), MODELS)
    if decoder.unused:
        raise damaged(f"nothing refers to its member {min(decoder.unused)}")
    _warn_of_other_scikit_learn(document)
    return estimator


def _check_version(version: Any) -> None:
    if type(version) is not int or version < 1:
        raise damaged("its document has no version")
    if version > VERSION:
        raise ModelFileError(
            f"it has version {version} of the format, and this fewest reads versions up to "
            f"{VERSION}.\nUpdate fewest: pip install --upgrade fewest."
        )


def _warn_of_other_scikit_learn(document: dict[str, Any]) -> None:
    """Only classifiers of scikit-learn inside a model depend on its version."""
    theirs = str(document.get("scikit-learn"))[:40]
    if theirs.split(".")[:2] == sklearn.__version__.split(".")[:2]:
        return
    if any(f'"estimator": "{part}"' in json.dumps(document["model"]) for part in PARTS):
        warnings.warn(
            f"the model holds a classifier of scikit-learn {visible(theirs)}, and this is "
            f"{sklearn.__version__}: compare a few predictions with known ones",
            UserWarning,
            stacklevel=5,
        )


def _short_integer(digits: str) -> int:
    """Long ones are written otherwise; to read them in decimals would take time."""
    if len(digits) > _MOST_DIGITS:
        raise damaged("its document holds a whole number of too many digits")
    return int(digits)


def _no_constant(name: str) -> NoReturn:
    raise damaged(f"its document holds {name}, which is not JSON")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise damaged("its document holds a key twice")
    return made


def _foreign(estimator: Any) -> str:
    name = type(estimator).__name__
    if name in ("Pipeline", "GridSearchCV", "RandomizedSearchCV"):
        return (
            f"a {name} of scikit-learn cannot be saved here: save the fewest estimator in it. The "
            "machines standardise by themselves, so that a StandardScaler before them is not needed"
        )
    return (
        f"a {name} cannot be saved here: only fewest's own estimators can "
        f"({', '.join(sorted(MODELS))})"
    )


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(".")
