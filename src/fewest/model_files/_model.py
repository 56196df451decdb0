"""Save and load: the document, its versions, and the order of all checks."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.utils.validation import check_is_fitted

from fewest._estimators.abilities import abilities_of
from fewest._run.files import atomic_write, check_writable
from fewest._wording import visible
from fewest.exceptions import ModelFileError
from fewest.model_files._archive import pack, unpack
from fewest.model_files._declarations import MODELS, find_class, find_name, find_stand_in
from fewest.model_files._errors import attempt, damaged, demand
from fewest.model_files._nodes import Decoder, Encoder

FORMAT = "fewest model"
VERSION = 2
_KEYS = ("format", "version", "fewest", "scikit-learn", "model")
_UPDATE = "Update fewest: pip install --upgrade fewest."


def save(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted estimator to one file, without pickle.

    The file contains the parameters, the fitted attributes and the certificates as numbers and
    text, and for some models training data: see ``docs/model_file.md``, which describes the format.
    A file that could not be written completely does not appear.

    Parameters
    ----------
    estimator : estimator of fewest
        Fitted.
    path : str or path-like
        The file, usually with the suffix ``.fewest``. An existing file is replaced.

    Raises
    ------
    ModelFileError
        If a parameter cannot be stored: a function, a splitter, a random generator, or an
        estimator of another package. The message names it.

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
    stand_in = find_stand_in(estimator)
    if find_name(estimator, MODELS) is None and stand_in is None:
        kinds = (one.stands_for.rpartition(".")[2] or name for name, one in MODELS.items())
        raise ModelFileError(
            f"a {type(estimator).__name__} cannot be saved here: only fewest's own estimators can "
            f"({', '.join(sorted(kinds))}). Of a pipeline or a grid search, save the fewest "
            "estimator in it, which standardises its columns by itself"
        )
    check_is_fitted(estimator)
    check_writable(path)
    from fewest import __version__

    encoder = Encoder()
    try:
        stored = estimator if stand_in is None else _stand_in(estimator, stand_in)
        document = {
            "format": FORMAT,
            "version": VERSION,
            "fewest": __version__,
            "scikit-learn": sklearn.__version__,
            "model": encoder.model(stored),
        }
        text = json.dumps(document, allow_nan=False, indent=1)
        content = pack(text.encode("utf-8"), encoder.arrays)
        copy = _read_bytes(content)  # what cannot be read back is not written
        _check_same_parts(stored, copy)
        _open(copy)
    except ModelFileError as error:
        first_line = str(error).partition("\n")[0].rstrip(".")
        raise ModelFileError(
            f"the {type(estimator).__name__} cannot be saved: {first_line}.\nIt must be as `fit` "
            "leaves it, with parameters that are numbers, text or estimators of fewest."
        ) from error
    atomic_write(path, content)


def load(path: str | os.PathLike[str]) -> Any:
    """Read an estimator that `save` has written.

    Files from unknown sources are safe to load: nothing in them is executed, only fewest's own
    estimators are made, and every array is checked against what the document and the estimator say
    about it. A classifier of scikit-learn inside the model is fitted again. This does not show
    whether the model is good.

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
        return load_bytes(content)
    except ImportError:  # brain images need nilearn
        raise
    except Exception as error:  # no other is known; but callers rely on one kind of error
        surprise = f"it contradicts itself ({type(error).__name__}: {visible(error)})"
        what = error if isinstance(error, ModelFileError) else damaged(surprise)
        raise ModelFileError(f"{visible(path)} cannot be loaded: {what}") from error


def load_bytes(content: bytes) -> Any:
    """The estimator in the bytes of a file."""
    return _open(_read_bytes(content))


def _stand_in(estimator: Any, name: str) -> Any:
    try:
        return find_class(name, MODELS).of(estimator)
    except ValueError as error:
        raise ModelFileError(str(error)) from error


def _open(stored: Any) -> Any:
    """What the user gets: the estimator itself, or the one that it stands for."""
    if not MODELS[type(stored).__name__].stands_for:
        return stored
    try:
        return attempt("it cannot be used", stored.as_decoder)
    except ModelFileError as error:
        if isinstance(error.__cause__, ImportError):
            raise error.__cause__ from None
        raise


def _read_bytes(content: bytes) -> Any:
    text, members = unpack(content)
    try:
        return _read_model(attempt("its document is not JSON", _read_json, text), members)
    except RecursionError as error:
        raise damaged("its document is nested too deeply") from error


def _read_json(text: bytes) -> Any:
    return json.loads(text.decode("utf-8"), object_pairs_hook=_make_unique)


def _read_model(document: Any, members: dict[str, bytes]) -> Any:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise damaged("its document does not say that it is a model of fewest")
    _check_version(document.get("version"))
    if unknown := set(document) - set(_KEYS):
        raise ModelFileError(
            f"its document has the key {visible(min(unknown))[:40]!r}, which this fewest does not "
            f"know: a newer version may have written it.\n{_UPDATE}"
        )
    node = document.get("model")
    if not isinstance(node, dict) or "estimator" not in node:
        raise damaged("its document holds no fitted estimator")
    decoder = Decoder(members)
    model = decoder.value(node)
    stands_in = MODELS[type(model).__name__].stands_for
    attempt("it cannot be used", _try, model.estimator_ if stands_in else model)
    if unused := set(members) - set(decoder.arrays):
        raise damaged(f"nothing refers to its member {min(unused)}")
    if decoder.has_parts:
        _warn_of_other_scikit_learn(str(document.get("scikit-learn"))[:40])
    return model


def _try(model: Any) -> None:
    """Ask the model about one sample: what fails for it would fail for all, but later."""
    sample = np.zeros((1, model.n_features_in_))
    if hasattr(model, "transform"):
        model.transform(sample)
    if hasattr(model, "predict"):
        answer = model.predict(sample)
        is_number = answer.dtype.kind != "f" or bool(np.isfinite(answer).all())
        demand(is_number, "its predictions are not finite numbers")
    if abilities_of(model).has_scores:
        scores = model.decision_function(sample)
        demand(bool(np.isfinite(scores).all()), "its decisions are not finite numbers")
        if hasattr(model, "predict_proba"):
            model.predict_proba(sample)


def _check_version(version: Any) -> None:
    if type(version) is not int or version < 1:
        raise damaged("its document has no version")
    if version != VERSION:
        older = "Fit the model again and save it, since that version was never released."
        raise ModelFileError(
            f"it has version {version} of the format, and this fewest reads version {VERSION}.\n"
            f"{older if version < VERSION else _UPDATE}"
        )


def _warn_of_other_scikit_learn(theirs: str) -> None:
    if theirs.split(".")[:2] != sklearn.__version__.split(".")[:2]:
        warnings.warn(
            f"the model holds a classifier of scikit-learn {visible(theirs)}, and this is "
            f"{sklearn.__version__}: compare a few predictions with known ones",
            UserWarning,
            stacklevel=5,
        )


def _check_same_parts(model: Any, copy: Any) -> None:
    """A classifier that was fitted again must predict as the one that is saved."""
    for row in MODELS[type(model).__name__].rows_for(model):
        if row.spec.startswith("part "):
            parts = getattr(model, row.name), getattr(copy, row.name)
            if not np.array_equal(*(part.predict(model._samples) for part in parts)):
                raise ModelFileError(
                    f"{row.name} is not fitted to the samples that are kept for it"
                )


def _make_unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("it holds a key twice")
    return made
