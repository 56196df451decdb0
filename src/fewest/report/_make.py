"""Make the content of a report: from what was given, and what time allows to compute."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fewest._estimators.abilities import feature_names_of
from fewest._estimators.held_out import HeldOut, run_held_out
from fewest._estimators.validation import check_choice, check_count, check_positive
from fewest._interrupts import is_interrupt
from fewest._run.budget import Budget
from fewest._run.progress import Progress
from fewest._wording import counted
from fewest.report import _trust
from fewest.report._answer import add_stand_ins, find_samples, find_subsets
from fewest.report._chance import find_permutation
from fewest.report._costs import find_costs
from fewest.report._data import Data
from fewest.report._front import find_error_front
from fewest.report._given import Given, Subject, find_subject, sort_results
from fewest.report._known import known_content
from fewest.report._links import read_links
from fewest.report._nouns import NOUNS
from fewest.report._plan import (
    MOST_SECONDS,
    SUBSET_SECONDS,
    TestPlan,
    count_folds,
    estimate_fit,
    plan_tests,
    say_seconds,
    seconds_per_fit,
)
from fewest.report._points import find_points
from fewest.report._report import Report
from fewest.report._trust_content import Trust
from fewest.report._verdict_summary import add_verdict
from fewest.report.content import NOT_ASKED_FOR, Alternatives, Content, GivenFigure, LeftOut

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PARTS = (
    "validation",
    "diagnostics",
    "permutation",
    "front",
    "minimum",
    "alternatives",
    "costs",
    "points",
)
_MOST_SHOWN = 40  # features in the heat map
_SHARE_OF_SUBSETS = 0.5  # of the time, where the clock decides
_MOST_FOR_FOLDS = 0.9  # of the time, where the cross-validation counts: something is left over
_BY_CLOCK = (
    "This page was limited to {:g} seconds: how much it could compute depends on the speed of the "
    "computer, and the same command may give another p-value."
)

_ENDED = (
    "The clock has ended {}: how far this goes depends on the speed of the computer, and the same "
    "command may give other numbers."
)


def make_report(
    result: Any,
    X: Any,
    y: ArrayLike,
    *,
    also: Sequence[Any] = (),
    held_out: HeldOut | None = None,
    feature_names: Sequence[str] | None = None,
    groups: ArrayLike | None = None,
    blocks: ArrayLike | None = None,
    kind: str = "samples",
    title: str | None = None,
    origin: str | None = None,
    target: str | None = None,
    command: str | None = None,
    figures: Sequence[tuple[str, str, Figure]] = (),
    parts: Sequence[str] = PARTS,
    max_seconds: float | None = None,
    n_permutations: int | None = None,
    n_subsets: int = 5,
    cv: Any = 5,
    random_state: Any = None,
    notes: Sequence[str] = (),
    links: str | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Report:
    """Make one self-contained page, and the same content as JSON, of a fitted result.

    The error is that of the whole job, selection included, on samples that had no part in it. What
    the result does not hold already is computed here. How much of it (permutations, subsets, how
    far searches go) depends on the shape of the data, not on the speed of the computer, so the same
    seed gives the same page; the page says what was left out and why.

    Parameters
    ----------
    result : fitted classifier or selector, or a result
        An estimator of this package (or any linear classifier with `coef_`); or a `MinimumResult`,
        an `InformativeFeatures`, a `RepetitiveSelector`, a `Diagnosis`, an exact path or that of
        Liknon, for which the machine that belongs to it is fitted.
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples of the fit.
    y : array of shape (n_samples,)
        Their classes.
    also : sequence
        Further results for the same samples, of the kinds above.
    held_out : HeldOut, optional
        A cross-validation of the estimator on these samples that is there already: its folds are
        not fitted again. `cv`, `groups` and `random_state` must be those that made it.
    feature_names : sequence of str, optional
        A name for every column; the default is that of the table X, or "feature 0" and so on.
    groups : array of shape (n_samples,), optional
        Samples that belong together: folds and permutations respect it.
    blocks : array of shape (n_samples,), optional
        Samples whose labels move together in permutations, as for
        :func:`fewest.significance.permutation_test`.
    kind : {"samples", "volumes"}
        What the page calls them: samples and their features, or volumes and their voxels, whose
        maps come first then.
    title, origin, target : str, optional
        Title of the page, what the data are called, and the column of the classes.
    command : str, optional
        How to repeat all this, a line for the terminal for instance.
    figures : sequence of (title, sentence, matplotlib Figure)
        Further figures, brain maps for instance.
    parts : sequence of str
        Which of the parts that take time are wanted: "validation", "diagnostics", "permutation",
        "front", "minimum", "alternatives", "costs", "points".
    max_seconds : float, optional
        Time for permutations, front, minimum, alternatives, costs and points together. What is
        under way when it is over is left out. The cross-validation takes what it takes, and so does
        drawing the page; but where every fold looks for a smallest set of its own, this counts, and
        ends in time. With this limit the page depends on the speed of the computer, and says
        so.
    n_permutations : int, optional
        Permutations of the classes, of the machine shown. By default 99, or 39 where 99 fits would
        take more than about a minute for data of this shape; of larger data, those of a machine
        with a fixed C stand in, which is said beside the p-value.
    n_subsets : int
        Most disjoint subsets, the selection among them.
    cv : int or splitter
        Folds of the cross-validation.
    random_state : int, RandomState or None
        Seed of folds and permutations; folds are shuffled only if it is given.
    notes : sequence of str
        What the page should say first.
    links : str, optional
        Makes names of features links to pages about them: "ncbi", "ensembl", "uniprot", or an
        address with {name} in it, such as "https://www.ncbi.nlm.nih.gov/gene/?term={name}". The
        page itself still loads nothing.
    n_jobs : int, optional
        Processes, in joblib's sense.
    verbose : int
        Show a progress bar, if tqdm is installed.

    Returns
    -------
    Report
        With `save`, `save_json`, `html`, `content`, `open`.

    Examples
    --------
    >>> from fewest import SupportFeatureMachine
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.report import make_report
    >>> X, y = make_gaussian(n=60, d=200, k=2, mu=1.5, random_state=0)
    >>> machine = SupportFeatureMachine().fit(X, y)
    >>> report = make_report(machine, X, y, parts=("validation",), random_state=0)
    >>> found = report.content.trust.validation
    >>> print(f"{found.n_errors} of {found.n_folds} folds' {found.n_judged} samples are wrong")
    2 of 5 folds' 60 samples are wrong
    """
    if max_seconds is not None:
        check_positive("max_seconds", max_seconds)
    check_count("n_permutations", n_permutations, or_none=True)
    check_count("n_subsets", n_subsets)
    check_choice("kind", kind, tuple(NOUNS))
    unknown = sorted(set(parts) - set(PARTS))
    if unknown:
        raise ValueError(f"parts must be some of {PARTS}; got {unknown[0]!r}")
    if feature_names is None and not hasattr(X, "columns"):
        feature_names = feature_names_of(result)
    shared = {"groups": groups, "random_state": random_state, "cv": cv, "n_jobs": n_jobs}
    data = Data(X, y, feature_names=feature_names, blocks=blocks, kind=kind, **shared)
    header: dict[str, Any] = {
        "command": "make_report",
        "call": command,
        "about": {"origin": origin or "arrays given to make_report", "target": target},
        "notes": notes,
        "links": None if links is None else read_links(links),
    }
    if title is not None:
        header["title"] = title
    given = sort_results([result, *also, *([] if held_out is None else [held_out])], data)
    wanted = Wanted(frozenset(parts), max_seconds, n_permutations, n_subsets, verbose)
    return fill_report(given, data, wanted, header, figures)


@dataclass(frozen=True)
class Wanted:
    """Which parts are to be computed, and how much of them; `say` tells how long that takes."""

    parts: frozenset[str] = frozenset(PARTS)
    max_seconds: float | None = None
    n_permutations: int | None = None
    n_subsets: int = 5
    verbose: int = 0
    say: Callable[[str], None] | None = None


def fill_report(
    given: Given,
    data: Data,
    wanted: Wanted,
    header: Mapping[str, Any],
    figures: Sequence[tuple[str, str, Figure]] = (),
) -> Report:
    """The report of given results; `header` are arguments of `known_content`."""
    subject = find_subject(given, data, wanted.max_seconds)
    header = {
        **header,
        "notes": [
            *header.get("notes", ()),
            *([subject.stands_in] if subject.stands_in else []),
            *([] if wanted.max_seconds is None else [_BY_CLOCK.format(wanted.max_seconds)]),
        ],
        "figures": [GivenFigure(str(title), str(sentence)) for title, sentence, _ in figures],
    }
    with Progress(len(PARTS), what="report", unit="part", show=wanted.verbose > 0) as progress:
        parts = _Parts(wanted, progress, list(header.get("left_out", ())))
        total, spent = parts.budget, 0.0
        counts = subject.fold_seconds is not None and given.held_out is None
        if counts:
            parts.announce_folds(subject, data)
        held_out = parts.find("validation", given.held_out, lambda: _judge(subject, data))
        given = replace(given, subject=subject, held_out=held_out)
        content = known_content(given, data, **header)
        if counts and wanted.max_seconds is not None:  # no other cross-validation has a limit
            spent = min(total.spent, _MOST_FOR_FOLDS * wanted.max_seconds)
        budget = parts.budget = Budget(wanted.max_seconds, spent=spent)
        parts.plan_test(subject, held_out, data, after_folds=counts)
        answer = replace(content.said, samples=find_samples(content.said, data, _MOST_SHOWN))
        # What takes little time comes first; the rest uses up what is left.
        others = parts.find(
            "alternatives", content.alternatives, lambda: _repeat(parts, subject, held_out, data)
        )
        if others is not None:
            others = add_stand_ins(others, subject, held_out, data, answer)
        content = replace(
            content,
            answer=answer,
            alternatives=others,
            costs=parts.find(
                "costs", content.costs, lambda: find_costs(subject, held_out, data, budget)
            ),
            trust=_fill_trust(content, parts, given, subject, data),
            points=parts.find(
                "points", content.points, lambda: find_points(subject, held_out, data, budget)
            ),
            seconds={**content.seconds, "report": total.spent},
            left_out=parts.left_out,
        )
        if budget.ended and not budget.is_limited:
            content = replace(
                content, notes=[*content.notes, _ENDED.format(", ".join(budget.ended))]
            )
    return Report(add_verdict(content), given.informative, [figure for _, _, figure in figures])


def _announce(
    plans: list[TestPlan],
    rest: float,
    max_seconds: float | None,
    held_out: HeldOut | None,
    data: Data,
    *,
    after_folds: bool,
) -> str:
    """How long the page takes, before it does; its test is that of the first plan.

    `after_folds`: the cross-validation has taken some of the time.
    """
    if not plans:
        return f"Page      at most {say_seconds(rest if max_seconds is None else max_seconds)}"
    plan = plans[0]
    number = f"{counted(plan.n_permutations, 'permutation')} of the classes"
    if max_seconds is not None:
        allowed = f"{max_seconds:g} s allow"
        if after_folds:
            allowed = f"what is left of {max_seconds:g} s allows"
        return f"Page      up to {number}, as far as {allowed}"
    known = f"about {say_seconds(plan.expect(held_out, data))}"
    most = plan.limit(held_out, data)
    if most is not None:
        known += f", at most {say_seconds(most)}"
    return f"Page      {number} ({known}); all else at most {say_seconds(rest)}"


def _judge(subject: Subject, data: Data) -> HeldOut:
    return run_held_out(subject.estimator, data.raw, data.y, cv=data.cv, **data.settings)


def _repeat(parts: _Parts, subject: Subject, held_out: HeldOut | None, data: Data) -> Alternatives:
    """Further subsets; features have stand-ins where there are no such subsets too."""
    if not parts.budget.left:
        raise parts.budget.refuse("further subsets")
    n_subsets, budget = parts.wanted.n_subsets, parts.budget
    if budget.is_limited:
        if n_subsets * seconds_per_fit(held_out) > _SHARE_OF_SUBSETS * budget.left:
            parts.leave_out("subsets", str(budget.refuse("further subsets")))
            return Alternatives()
    elif (
        n_subsets * estimate_fit(subject.without_proof, data) > SUBSET_SECONDS
        or n_subsets * seconds_per_fit(held_out) > MOST_SECONDS["alternatives"]
    ):
        reason = "further subsets would take too long for data of this size: see fewest rank"
        parts.leave_out("subsets", reason)
        return Alternatives()
    found = parts.attempt("subsets", lambda: find_subsets(subject, data, n_subsets, budget))
    return found or Alternatives()


def _fill_trust(
    content: Content, parts: _Parts, given: Given, subject: Subject, data: Data
) -> Trust:
    trust, held_out, n_selected = content.trust, given.held_out, content.said.n_selected
    budget, show = parts.budget, parts.wanted.verbose > 0
    stability = separability = None
    if held_out is not None:
        stability = parts.attempt("stability", lambda: _trust.describe_stability(held_out, data))
    diagnosis = parts.find("diagnostics", given.diagnosis, lambda: _trust.find_geometry(data))
    test = parts.find(
        "permutation",
        trust.permutation,
        lambda: find_permutation(subject, held_out, data, parts.tests, budget, show=show),
    )
    minima = parts.find(
        "minimum", trust.minima or None, lambda: [_trust.find_minimum(subject, data, budget)]
    )
    front = parts.find("front", trust.error_front, lambda: find_error_front(subject, data, budget))
    if data.is_binary and n_selected:
        separability = _trust.describe_separability(n_selected, data)
    else:
        parts.leave_out("separability", "the theory is for two classes and one hyperplane")
    return replace(
        trust,
        stability=stability,
        permutation=test,
        separability=separability,
        minima=minima or [],
        error_front=front,
        diagnostics=None if diagnosis is None else _trust.describe_diagnosis(diagnosis),
    )


@dataclass(eq=False)
class _Parts:
    """Runs the parts one after the other, and keeps the reasons of those that are missing."""

    wanted: Wanted
    progress: Progress
    left_out: list[LeftOut]

    def __post_init__(self) -> None:
        self.budget = Budget(self.wanted.max_seconds)
        self.tests: list[TestPlan] = []

    def announce_folds(self, subject: Subject, data: Data) -> None:
        """Say how long folds look for smallest sets of their own, before they do."""
        if self.wanted.say is not None and "validation" in self.wanted.parts:
            most = say_seconds(data.n_folds * (subject.fold_seconds or 0.0))
            self.wanted.say(f"Page      cross-validation (at most {most})")

    def plan_test(
        self, subject: Subject, held_out: HeldOut | None, data: Data, *, after_folds: bool = False
    ) -> None:
        """Decide how many permutations there will be, and say how long the page will take."""
        asked, by_clock = self.wanted.n_permutations, self.budget.is_limited
        n_folds = count_folds(held_out)
        if held_out is None and isinstance(data.cv, (int, np.integer)):
            n_folds = int(data.cv)
        if "permutation" in self.wanted.parts:
            self.tests = plan_tests(subject.without_proof, data, n_folds, asked, by_clock=by_clock)
        if self.wanted.say is not None:
            most = math.fsum(MOST_SECONDS.get(part, 0.0) for part in self.wanted.parts)
            limit = self.wanted.max_seconds
            said = _announce(self.tests, most, limit, held_out, data, after_folds=after_folds)
            self.wanted.say(said)

    def leave_out(self, part: str, reason: str) -> None:
        if part not in {one.part for one in self.left_out}:  # for a reason of its own
            self.left_out.append(LeftOut(part, reason))

    def find(self, part: str, known: Any, compute: Callable[[], Any]) -> Any:
        """What is known of a part, else what is computed; None and a reason if it is left out."""
        limit = MOST_SECONDS.get(part)
        self.progress.advance(1, note=part if limit is None else f"{part}, at most {limit:g} s")
        if known is not None:
            return known
        if part in self.wanted.parts:
            return self.attempt(part, compute)
        self.leave_out(part, NOT_ASKED_FOR)
        return None

    def attempt(self, part: str, compute: Callable[[], Any]) -> Any:
        """The part; None and a reason if it is not possible."""
        try:
            return compute()
        except ValueError as error:
            self.leave_out(part, str(error))
        except Exception as error:  # a fault of one part costs no other
            if is_interrupt(error):
                raise
            reason = f"it failed ({type(error).__name__}: {error}), which is a fault of fewest"
            warnings.warn(f"the part {part!r} of the page: {reason}", RuntimeWarning, stacklevel=2)
            self.leave_out(part, reason)
        return None
