"""Everything that is known already of given results: no fit, no search, no permutation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from fewest._estimators.abilities import abilities_of
from fewest._estimators.rules import describe_rules
from fewest.report._answer import describe_answer, describe_subsets
from fewest.report._chance import describe_diagnosed
from fewest.report._costs import describe_path
from fewest.report._data import Data
from fewest.report._front import describe_error_front
from fewest.report._given import Given
from fewest.report._sizes import describe_sizes
from fewest.report._trust import (
    describe_diagnosis,
    describe_minimum,
    describe_near_optimal,
    describe_validation,
)
from fewest.report._trust_content import Minimum, Trust
from fewest.report._verdict_summary import add_verdict
from fewest.report.content import Content, Question, Truth


def known_content(
    given: Given,
    data: Data,
    *,
    command: str,
    estimator: Any = None,
    call: str | None = None,
    about: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    notes: Sequence[str] = (),
    truth: Sequence[str] = (),
    **more: Any,
) -> Content:
    """The content of a result.

    `estimator` is the machine where none is given. `about` says where the data came from, `truth`
    which features carry the class, if that is known; `more` are further fields.
    """
    answer = informative = None
    if given.subject is not None:
        answer = describe_answer(given.subject, given.held_out, data)
    if given.informative is not None:
        from fewest.report._informative import describe_informative  # heavy

        informative = describe_informative(given.informative, data)
    found = None
    if truth and answer is not None:
        n_found = len(set(truth) & set(answer.selected))
        found = Truth(list(truth), n_found, answer.n_selected - n_found)
    trust = Trust(
        validation=None if given.held_out is None else describe_validation(given.held_out, data),
        minima=_minima(given, data),
        error_front=None
        if given.error_front is None
        else describe_error_front(given.error_front, data),
        near_optimal=None
        if given.near_optimal is None
        else describe_near_optimal(given.near_optimal, data),
        permutation=None
        if given.diagnosis is None
        else describe_diagnosed(given.diagnosis, given.subject),
        diagnostics=None if given.diagnosis is None else describe_diagnosis(given.diagnosis),
        confounding=given.confounding,
    )
    content = Content(
        command=command,
        notes=list(notes),
        data=data.summary(**{"origin": "arrays", **(about or {})}),
        question=_ask(given, estimator, data, call, dict(options or {})),
        answer=answer,
        trust=trust,
        alternatives=None if given.repetitive is None else describe_subsets(given.repetitive, data),
        costs=None if given.path is None else describe_path(given.path, data),
        sizes=describe_sizes(given, data),
        informative=informative,
        comparison=given.comparison,
        learning_curve=given.learning_curve,
        per_class=given.per_class,
        truth=found,
        **more,
    )
    return add_verdict(content)


def _minima(given: Given, data: Data) -> list[Minimum]:
    if given.minimum is not None:
        return [describe_minimum(given.minimum, data, with_proof=True)]
    found = () if given.subject is None else given.subject.selection.minima
    if len(found) == 1:
        return [describe_minimum(found[0], data)]
    labelled = zip(found, data.positives, strict=False)
    return [describe_minimum(one, data, label) for one, label in labelled]


def _ask(
    given: Given, estimator: Any, data: Data, call: str | None, options: dict[str, Any]
) -> Question:
    """The method, its parameters and rules, and how to ask again."""
    subject, chosen, rules = given.subject, {}, []
    if subject is not None:
        estimator, chosen = subject.estimator, dict(subject.selection.chosen)
        rules = describe_rules(estimator, data.feature_names, subject.selection.support)
    seed = int(data.random_state) if isinstance(data.random_state, Integral) else None
    if estimator is None:
        return Question(method="", options=options, seed=seed, call=call or "")
    along_path = given.path is not None and subject is None
    parameters = estimator.get_params(False)
    if along_path:
        del parameters["C"]
    method = name_method(estimator, chosen, with_C=not along_path)
    if subject is not None and subject.fitted is None:
        method = "The certified smallest set of features"
    return Question(
        method=method,
        estimator=type(estimator).__name__,
        parameters={name: _plain(value) for name, value in parameters.items()},
        chosen={name: _plain(value) for name, value in chosen.items()},
        rules=rules,
        options=options,
        seed=seed,
        call=call or _python(estimator, seed),
    )


def name_method(
    estimator: Any, chosen: Mapping[str, float] | None = None, *, with_C: bool = True
) -> str:
    """Its name for people, and its C and epsilon."""
    parameters = {**estimator.get_params(False), **(chosen or {})}
    name = abilities_of(estimator).name
    words = [name[0].upper() + name[1:]]
    for name in ("C", "epsilon") if with_C else ("epsilon",):
        if isinstance(parameters.get(name), Real):
            words.append(f"{name} = {parameters[name]:.4g}")
    return ", ".join(words)


def _plain(value: Any) -> Any:
    """A value that JSON knows: numbers, words and None as they are, anything else as text."""
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def _python(estimator: Any, seed: int | None) -> str:
    return (
        "from fewest.report import make_report\n"
        f"machine = {estimator!r}.fit(X, y)\n"
        f'make_report(machine, X, y, random_state={seed}).save("report.html")'
    )
