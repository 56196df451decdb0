"""Collect the content of a report: from what was given, and what time allows to compute."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from fewest._estimators.validation import check_count, check_positive
from fewest._run.progress import Progress
from fewest.report import _chance
from fewest.report._alternatives import alternatives
from fewest.report._answer import answer
from fewest.report._budget import Budget
from fewest.report._costs import costs
from fewest.report._data import Data, checked
from fewest.report._folds import fold_stability, run_folds, validation
from fewest.report._informative import informative
from fewest.report._minimum import minima
from fewest.report._question import question
from fewest.report._report import Report
from fewest.report._subject import Subject, make_subject
from fewest.report.content import Content, GivenFigure, LeftOut, Trust

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PARTS = ("validation", "diagnostics", "permutation", "minimum", "alternatives", "costs")
_MOST_SHOWN = 40  # features in the heat map
_MOST_NAMED = 500  # rows of the table


def make_report(
    result: Any,
    X: Any,
    y: ArrayLike,
    *,
    also: Sequence[Any] = (),
    feature_names: Sequence[str] | None = None,
    groups: ArrayLike | None = None,
    title: str | None = None,
    origin: str | None = None,
    target: str | None = None,
    command: str | None = None,
    figures: Sequence[tuple[str, str, Figure]] = (),
    parts: Sequence[str] = PARTS,
    seconds: float = 30.0,
    n_permutations: int = 99,
    n_subsets: int = 5,
    cv: Any = 5,
    random_state: int = 0,
    notes: Sequence[str] = (),
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Report:
    """Make one self-contained page, and the same content as JSON, of a fitted result.

    The error is that of the whole job, selection included, on samples that had no part in it. What
    the result does not hold already is computed here, the costly parts within a time limit; the
    page says what was left out and why.

    Parameters
    ----------
    result : fitted classifier or selector, or a result
        A machine of this package (or any linear classifier with `coef_`); or a `MinimumResult`, an
        `InformativeFeatures`, a `RepetitiveSelector`, a `Diagnosis`, an exact path or that of
        Liknon, for which the machine that belongs to it is fitted.
    X : array or sparse matrix of shape (n_samples, n_features)
        The samples of the fit.
    y : array of shape (n_samples,)
        Their classes.
    also : sequence
        Further results for the same samples, of the kinds above.
    feature_names : sequence of str, optional
        A name for every column; the default is that of the table X, or "feature 0" and so on.
    groups : array of shape (n_samples,), optional
        Samples that belong together: folds and permutations respect it.
    title, origin, target : str, optional
        Title of the page, what the data are called, and the column of the classes.
    command : str, optional
        How to repeat all this, a line for the terminal for instance.
    figures : sequence of (title, sentence, matplotlib Figure)
        Further figures, brain maps for instance.
    parts : sequence of str
        Which of the parts that take time are wanted: "validation", "diagnostics", "permutation",
        "minimum", "alternatives", "costs".
    seconds : float
        Time for permutations, minimum, alternatives and costs together. What is under way when it
        is over is finished. The cross-validation takes what it takes.
    n_permutations : int
        Most permutations of the classes.
    n_subsets : int
        Most disjoint subsets, the selection among them.
    cv : int or splitter
        Folds of the cross-validation.
    random_state : int
        Seed of folds and permutations.
    notes : sequence of str
        What the page should say first.
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
    >>> report = make_report(machine, X, y, parts=("validation",))
    >>> found = report.content.trust.validation
    >>> print(f"{found.n_errors} of {found.n_folds} folds' {len(found.true)} samples are wrong")
    2 of 5 folds' 60 samples are wrong
    """
    check_positive("seconds", seconds)
    check_count("n_permutations", n_permutations)
    check_count("n_subsets", n_subsets)
    unknown = sorted(set(parts) - set(PARTS))
    if unknown:
        raise ValueError(f"parts must be some of {PARTS}; got {unknown[0]!r}")
    names = feature_names
    if names is None and not hasattr(X, "columns"):
        names = getattr(result, "feature_names_in_", None)
    data = checked(
        X, y, feature_names=names, groups=groups, seed=random_state, cv=cv, n_jobs=n_jobs
    )
    subject = make_subject(result, also, data)
    collector = _Collector(subject, data, set(parts), seconds, n_permutations, n_subsets, verbose)
    content = collector.content(
        title=title or "The fewest features that tell the classes apart",
        origin=origin,
        target=target,
        command=command,
        figures=[GivenFigure(str(name), str(sentence)) for name, sentence, _ in figures],
        notes=[*notes, *([subject.stands_in] if subject.stands_in else [])],
    )
    return Report(content, subject.informative, [figure for _, _, figure in figures])


class _Collector:
    """Runs the parts one after the other, and keeps the reasons of those that are missing."""

    def __init__(
        self,
        subject: Subject,
        data: Data,
        parts: set[str],
        seconds: float,
        n_permutations: int,
        n_subsets: int,
        verbose: int,
    ) -> None:
        self._subject = subject
        self._data = data
        self._parts = parts
        self._seconds = seconds
        self._n_permutations = n_permutations
        self._n_subsets = n_subsets
        self._verbose = verbose
        self._left_out: list[LeftOut] = []

    def content(
        self,
        *,
        title: str,
        origin: str | None,
        target: str | None,
        command: str | None,
        figures: list[GivenFigure],
        notes: list[str],
    ) -> Content:
        subject, data = self._subject, self._data
        total = Budget(self._seconds)
        with Progress(len(PARTS), what="report", unit="part", show=self._verbose > 0) as progress:
            folds = self._try(progress, "validation", lambda: run_folds(subject, data))
            budget = Budget(self._seconds)
            said = answer(subject, data, folds, most_shown=_MOST_SHOWN)
            # What takes little time comes first; the rest uses up what is left.
            others = self._try(
                progress,
                "alternatives",
                lambda: alternatives(
                    subject,
                    data,
                    said,
                    folds,
                    n_subsets=self._n_subsets,
                    most_named=_MOST_NAMED,
                ),
                None if subject.repetitive is not None else budget,
            )
            curve = self._try(
                progress,
                "costs",
                lambda: costs(subject, data, budget),
                None if subject.path is not None else budget,
            )
            trust = self._trust(progress, folds, budget, said.n_selected)
        share = None
        if subject.informative is not None:
            share = informative(subject.informative, data)
        asked = question(
            subject, data, origin=origin, target=target, command=command, seconds=total.spent
        )
        return Content(
            title, asked, said, trust, others, curve, share, figures, self._left_out, notes
        )

    def _trust(self, progress: Progress, folds: Any, budget: Budget, n_selected: int) -> Trust:
        subject, data, most = self._subject, self._data, self._n_permutations
        stable = None
        if folds is not None:
            stable = self._attempt("stability", lambda: fold_stability(folds, data))
        found = self._try(
            progress,
            "diagnostics",
            lambda: _chance.diagnosis(subject, data, budget, most),
        )
        test = self._try(
            progress,
            "permutation",
            lambda: _chance.permutation(subject, found, data, budget, most),
        )
        smallest = self._try(progress, "minimum", lambda: minima(subject, data, budget))
        chance = None
        if data.is_binary and n_selected:
            chance = _chance.separability(n_selected, data)
        else:
            self._left_out.append(
                LeftOut("separability", "the theory is for two classes and one machine")
            )
        return Trust(
            validation=None if folds is None else validation(folds, data),
            stability=stable,
            permutation=test,
            separability=chance,
            minima=smallest or [],
            diagnostics=None if found is None else _chance.diagnostics(found),
        )

    def _try(
        self,
        progress: Progress,
        part: str,
        collect: Callable[[], Any],
        budget: Budget | None = None,
    ) -> Any:
        """The part if it is wanted and possible; None and a reason if not."""
        progress.advance(1, note=part)
        if part not in self._parts:
            self._left_out.append(LeftOut(part, "it was not asked for"))
            return None
        if budget is not None and not budget.left:
            reason = f"the time for this report ({budget.seconds:g} s) was over"
            self._left_out.append(LeftOut(part, reason))
            return None
        return self._attempt(part, collect)

    def _attempt(self, part: str, collect: Callable[[], Any]) -> Any:
        try:
            return collect()
        except ValueError as error:
            self._left_out.append(LeftOut(part, str(error)))
            return None
