"""Judge any panel: its error, its features, stand-ins, other panels, and a second data set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from fewest._estimators.abilities import abilities_of
from fewest._estimators.held_out import is_same_estimator
from fewest._estimators.validation import (
    check_count,
    check_flag,
    check_positive,
    check_share,
)
from fewest._gaps import has_gaps
from fewest._run.budget import Budget, OutOfTimeError
from fewest._solvers.watch import Watch, watching
from fewest._wording import counted
from fewest.exceptions import NotSeparableError
from fewest.machines.sfm import SupportFeatureMachine
from fewest.panels._carry_over import First, carry_over
from fewest.panels._errors import CHOSEN_HERE, PERHAPS_CHOSEN_HERE
from fewest.panels._folds import choose_classifier, count_repeats, draw_splits
from fewest.panels._names import find_columns, name_columns
from fewest.panels._result import PanelReport
from fewest.panels._statements import make_statements
from fewest.panels._study import (
    Study,
    describe_features,
    draw_random_panels,
    find_stand_ins,
    judge_chooser,
)
from fewest.significance._resampling import check_samples, select_in_resamples

_Part = TypeVar("_Part")
_USUAL_CLASSIFIER = "logistic regression"


def panel_report(
    X: Any,
    y: ArrayLike,
    features: Sequence[str] | ArrayLike,
    *,
    estimator: Any = None,
    chosen_elsewhere: bool = False,
    classifier: Any = None,
    feature_names: Sequence[str] | None = None,
    groups: ArrayLike | None = None,
    cv: Any = 5,
    n_repeats: int = 5,
    against: Any = None,
    against_groups: ArrayLike | None = None,
    n_random: int = 100,
    n_stand_ins: int = 3,
    best: bool = True,
    n_resamples: int = 50,
    n_permutations: int = 999,
    min_correlation: float = 0.7,
    confidence: float = 0.95,
    random_state: Any = None,
    n_jobs: int | None = None,
    max_seconds: float | None = None,
    verbose: int = 0,
    _studies: list[Study] | None = None,
) -> PanelReport:
    """Judge any panel of features: its error, each of its features, and other panels.

    A classifier is trained on the features of the panel and judged on samples that it has not
    seen, in repeated stratified folds. The panel itself is the same in all folds, so its error is
    too small if it was chosen on these samples: on noise it is 25 % where guessing has 50 %.
    Pass the `estimator` that chose it, and the error reported is that of choosing and fitting; or
    say that it was `chosen_elsewhere`. Otherwise the error is marked as optimistic.

    Parameters
    ----------
    X : array, sparse matrix or table of shape (n_samples, n_features)
        The samples, with all features: other panels are drawn and chosen from them.
    y : array of shape (n_samples,)
        Their classes, two or more.
    features : sequence
        The panel: names, numbers of columns, or one True or False for each column.
    estimator : selector, optional
        What chose the panel. It chooses again in every fold (`choice`, and thus `errors`) and on
        resamples (`statements`).
    chosen_elsewhere : bool
        The panel was chosen without these samples: it comes from a paper, for instance, or from
        other samples. Then its error as it is given is that of new samples.
    classifier : scikit-learn classifier, optional
        Trained on the features of every panel. Logistic regression on standardised features with
        balanced classes by default.
    feature_names : sequence of str, optional
        A name for every column; the default is that of the table X, or "feature 0" and so on.
    groups : array of shape (n_samples,), optional
        Samples that belong together are in the same fold, and count as one for the width of
        intervals.
    cv : int or splitter
        Folds. A number means stratified folds, of whole groups if there are groups.
    n_repeats : int
        How often such folds are drawn; a splitter is used as it is.
    against : (X, y) or (X, y, names), optional
        A second data set. Features are matched by name, if there are names.
    against_groups : array, optional
        Groups of its samples, as `groups` of the first one.
    n_random : int
        Random panels of the same size, drawn from all features that vary; 0 for none.
    n_stand_ins : int
        Number of stand-ins to name for every feature; 0 for none. Ten candidates are judged: the
        five that correlate most with the feature, and the five that add most to the others in a
        linear model. They are found on all samples, so their errors are too small.
    best : bool
        Choose a panel of the same size inside the folds, by
        ``SupportFeatureMachine(max_features=k)``.
    n_resamples, n_permutations, min_correlation
        As for `feature_statements`.
    confidence : float
        Level of the intervals.
    random_state : int, RandomState instance or None
        Seed of folds, random panels, resamples and permutations.
    n_jobs : int, optional
        Processes, as in joblib.
    max_seconds : float, optional
        Time limit, after which comparisons that have not started are left out, and `left_out` says
        so; there are fewer random panels and resamples. p-values take at most half of what is left
        of it when they begin, with fewer permutations if need be. The error and what each feature
        adds are always computed.
    verbose : int
        Show progress bars, if tqdm is installed.

    Returns
    -------
    PanelReport
        ``print`` shows it; ``to_json()`` returns all values.

    See Also
    --------
    feature_statements : How often each feature is chosen, and its p-value given the others.
    fewest.plotting.plot_panel_report : The errors in one figure.

    Examples
    --------
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.panels import panel_report
    >>> X, y = make_gaussian(n=60, d=200, k=2, mu=0.6, random_state=0)  # 0 and 1 differ
    >>> few = {"n_repeats": 2, "n_random": 9, "n_stand_ins": 0, "best": False}
    >>> found = panel_report(X, y, [0, 1, 7], random_state=0, **few)
    >>> print(f"{found.errors.balanced_error:.3f}; random panels: {found.random.median:.1f}")
    0.083; random panels: 0.5
    >>> found.errors.caveat
    'optimistic if the panel was chosen on these samples'
    >>> for one in found.features:
    ...     print(f"{one.name} adds {one.adds.value:+.3f}")
    feature 0 adds +0.125
    feature 1 adds +0.167
    feature 7 adds -0.017
    """
    check_count("n_repeats", n_repeats)
    check_flag("chosen_elsewhere", chosen_elsewhere)
    check_share("confidence", confidence, strictly=True)
    check_share("min_correlation", min_correlation)
    for name, value in (("n_resamples", n_resamples), ("n_permutations", n_permutations)):
        check_count(name, value)
    for name, value in (("n_random", n_random), ("n_stand_ins", n_stand_ins)):
        if value != 0:
            check_count(name, value)
    if max_seconds is not None:
        check_positive("max_seconds", max_seconds, infinity="for none")
    model = choose_classifier(classifier, class_weight="balanced", fills=has_gaps(X))
    if estimator is not None and (refusal := abilities_of(estimator).refusal):
        raise ValueError(refusal)
    known = [] if _studies is None else _studies  # of an earlier report about the same panel
    budget, left_out = Budget(max_seconds, spent=known[0].spent if known else 0.0), list[str]()
    given, (X, y, groups) = X, check_samples(X, y, groups)
    names = name_columns(given, feature_names, X.shape[1])
    panel, rng = find_columns(features, names), check_random_state(random_state)
    # Each part has a seed of its own: what one leaves out changes nothing in another.
    seeds = rng.randint(2**31 - 1, size=5).tolist()
    of_folds, of_second, of_random, of_resamples, of_tests = map(np.random.RandomState, seeds)
    if not known:
        splits = draw_splits(cv, y, groups, n_repeats=n_repeats, rng=of_folds)
        known.append(Study(model, X, y, groups, names, panel, splits, confidence, n_jobs, verbose))
    (study,) = known
    own_names = [names[column] for column in panel]

    def attempt(compute: Callable[[], _Part], otherwise: _Part) -> _Part:
        """A part; where time is over, or errors are not allowed but needed, the reason is kept."""
        try:
            with watching(Watch(None if max_seconds is None else budget.left)):
                return compute()
        except (OutOfTimeError, NotSeparableError) as error:
            left_out.append(str(error))
            return otherwise

    second = None
    if against is not None:
        first = First(study.filled, study.values, y, study.classes, own_names, names, groups)
        shared = {"cv": cv, "n_repeats": n_repeats, "confidence": confidence, "rng": of_second}
        shared["groups"] = against_groups
        second = carry_over(model, first, against, panel=panel, **shared)
    without = study.without
    given_others = study.compare_given_others(n_permutations, of_tests, budget.take(None, 0.5))
    if n_missing := n_permutations - given_others[1]:
        what = f"{n_missing} of {n_permutations} permutations for p-values"
        left_out.append(str(budget.refuse(what, "this panel")))
    choice = selections = None
    if estimator is not None:
        choice = attempt(lambda: judge_chooser(study, estimator, budget, "the choice"), None)
        selections = attempt(
            lambda: _resample(study, estimator, n_resamples, of_resamples, budget), None
        )
    chooser = SupportFeatureMachine(max_features=len(panel))
    chosen = random = None
    if best and estimator is not None and is_same_estimator(estimator, chooser):
        chosen = choice
    elif best:
        chosen = attempt(lambda: judge_chooser(study, chooser, budget, "the best panel"), None)
    n_usable = len(study.usable)
    if n_random and n_usable <= len(panel):
        left_out.append(f"random panels: no more than {counted(n_usable, 'feature')} vary")
    elif n_random:
        random = attempt(lambda: draw_random_panels(study, n_random, of_random, budget), None)
    nothing: list[Any] = [[] for _ in panel]
    stand_ins = nothing
    if n_stand_ins:
        stand_ins = attempt(lambda: find_stand_ins(study, n_stand_ins, budget), nothing)
    n_rounds = count_repeats(study.splits, len(y))
    caveat = PERHAPS_CHOSEN_HERE if estimator is None else CHOSEN_HERE
    as_given = study.describe(study.votes, "" if chosen_elsewhere else caveat)
    study.spent = budget.spent
    return PanelReport(
        names=own_names,
        n_samples=len(y),
        n_features=X.shape[1],
        classes=study.classes.tolist(),
        classifier=_USUAL_CLASSIFIER if classifier is None else " ".join(repr(model).split()),
        n_folds=len(study.splits) // n_rounds,
        n_repeats=n_rounds,
        n_groups=None if groups is None else len(np.unique(groups)),
        confidence=confidence,
        chosen_elsewhere=chosen_elsewhere,
        errors=choice.errors if choice and choice.is_given and not chosen_elsewhere else as_given,
        as_given=as_given,
        features=describe_features(study, without, as_given.caveat, stand_ins),
        random=random,
        best=chosen,
        choice=choice,
        against=second,
        statements=make_statements(
            panel,
            names,
            study.columns,
            given_others,
            selections,
            method=None if estimator is None else abilities_of(estimator).name,
            resample="bootstrap",
            min_correlation=min_correlation,
        ),
        notes=study.warnings,
        left_out=left_out,
    )


def _resample(
    study: Study, estimator: Any, n_resamples: int, rng: np.random.RandomState, budget: Budget
) -> Any:
    """What the estimator chooses on resamples; an OutOfTimeError if time is over."""
    if not budget.left:
        raise budget.refuse("resamples", "this panel")
    return select_in_resamples(
        estimator,
        study.filled,
        study.y,
        study.groups,
        rng,
        n_resamples=n_resamples,
        budget=budget,
        n_jobs=study.n_jobs,
        verbose=study.verbose,
    )
