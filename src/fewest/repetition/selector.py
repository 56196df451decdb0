"""Repetitive selection: train, set the features found aside, and train again on the rest."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from fewest._anndata.cells import is_annotated
from fewest._estimators.abilities import Abilities, Selector, feature_names_of
from fewest._estimators.annotated import read_genes
from fewest._estimators.base import SelectingClassifier
from fewest._estimators.rules import number_rules
from fewest._estimators.splits import check_groups
from fewest._estimators.validation import check_count, check_data, check_share, encode_classes
from fewest._interrupts import is_interrupt, settle_interrupt
from fewest._run.budget import Budget
from fewest._run.checkpoint import Checkpoint
from fewest._run.identity import identity_of
from fewest._run.progress import Progress
from fewest._sparse import check_sparse
from fewest.machines.sfm import SupportFeatureMachine
from fewest.repetition._records import RecordError
from fewest.repetition._trainers import Trained, Trainer, make_trainer

__all__ = ["RepetitiveSelector"]


@dataclass(eq=False, repr=False)
class RepetitiveSelector(Selector, MetaEstimatorMixin, BaseEstimator):
    r"""Disjoint subsets of features, each the fewest among the rest that separate the classes.

    Repetition t trains the estimator on the features that no earlier repetition has found,

    .. math::

        R_t = \{ j : w_{t,j} \ne 0 \}, \qquad
        w_t = \text{estimator trained on } \{1, \dots, d\} \setminus (R_1 \cup \dots \cup R_{t-1}),

    until the classes cannot be separated any more (a machine that allows no errors), the training
    error exceeds a limit, nothing is selected, or enough subsets are found. With the default, the
    hard Support Feature Machine, this is the rSFM of Klement et al. (2013).

    Each repetition starts from where the last one ended, but its result is that of a machine that
    is trained on the remaining features only. Columns are standardised once, and never copied.

    Parameters
    ----------
    estimator : selecting classifier, default=None
        Any classifier that selects features; None stands for
        ``SupportFeatureMachine(C=np.inf, refit=None)``. If the estimator refits its hyperplane, it
        does so in every repetition.
    n_subsets : int, default=None
        Largest number of subsets.
    max_training_error : float, default=None
        End when a machine leaves a larger share of the training samples on the wrong side; its
        subset is not kept. Samples count as its hyperplane would predict them (see
        `training_errors_`).
    min_features : int, default=1
        End when fewer features than this are left.
    checkpoint : str or path-like, default=None
        Folder in which every finished repetition is kept. A run that was killed continues from
        there, with the same result as without the interruption. A folder from other data
        or another estimator is refused; the limits (the three above) may differ.
    n_jobs : int, default=None
        Threads for more than two classes, as in joblib; repetitions follow one another.
    verbose : int, default=0
        Above zero, shows a progress bar with the time left, if tqdm is installed.

    Attributes
    ----------
    subsets_ : list of arrays of int
        The features of each repetition (increasing), in the order found.
    sizes_ : array of shape (n_subsets,)
        Their numbers of features.
    training_errors_ : array of shape (n_subsets,)
        Share of the training samples that each machine misclassifies, by the rule of `predict`:
        a sample on the hyperplane itself counts for the first class. The hard machine without a
        refit leaves some there.
    coefs_ : list of arrays
        Weights of the features in `subsets_` for X as it was given: of shape (size,) for two
        classes, otherwise (n_classes, size). NaN for an estimator without weights.
    intercepts_ : array of shape (n_subsets,) or (n_subsets, n_classes)
        The biases that belong to them.
    objectives_ : array of shape (n_subsets,)
        Optimum of the first linear program of each repetition (with more than two classes, the sum
        over them), and
    gaps_ : array of shape (n_subsets,)
        the largest relative duality gap of its programs: the proof. NaN if the estimator keeps
        no certificates.
    ranking_ : array of shape (n_subsets,)
        Places in `subsets_` in the order of size, or if sizes are equal in the order found. Klement
        et al. (2013) interpret this as an order of relevance.
    remaining_ : array of int
        The features in no subset (including constant ones).
    support_ : array of shape (n_features,), bool
        The features in any subset.
    stop_reason_ : str
        "repetitions", "inseparable", "training error", "features used up", "nothing selected" or
        "interrupted" (by Ctrl-C, which ends the search with the subsets found so far).
    classes_ : array of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        Number of features seen in `fit`.

    See Also
    --------
    fewest.AccumulatedClassifier : A classifier on several of the subsets together.

    References
    ----------
    S. Klement, S. Anders, T. Martinetz: The Support Feature Machine: classification with the least
    number of features and application to neuroimaging data. Neural Computation 25 (2013), sec. 4.4.

    Examples
    --------
    >>> from fewest import RepetitiveSelector
    >>> from fewest.datasets import make_gaussian
    >>> X, y = make_gaussian(n=40, d=2000, k=20, mu=1.0, random_state=0)
    >>> selector = RepetitiveSelector(n_subsets=3).fit(X, y)
    >>> [subset.tolist() for subset in selector.subsets_]
    [[2, 16], [9, 17, 19], [7, 18]]
    >>> selector.ranking_.tolist()
    [0, 2, 1]
    >>> selector.transform(X, n_subsets=2).shape
    (40, 4)
    """

    report_kind = "repetitive"  # as which `fewest.report` takes it
    estimator: Any = None
    _: KW_ONLY
    n_subsets: int | None = None
    max_training_error: float | None = None
    min_features: int = 1
    checkpoint: Any = None
    n_jobs: int | None = None
    verbose: int = 0
    budget = Budget(None)  # no parameter: whoever makes a page has little time

    def fit(self, X: Any, y: ArrayLike, *, groups: ArrayLike | None = None) -> RepetitiveSelector:
        """Find the subsets.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Numbers of any type.
        y : array of shape (n_samples,)
            Class labels, two or more different ones.
        groups : array of shape (n_samples,), optional
            Samples that belong together; they matter for estimators that split samples, such as
            `SupportFeatureMachineCV`.

        Returns
        -------
        self
            The fitted selector.

        Raises
        ------
        NotSeparableError
            If even the first repetition finds the classes inseparable.
        """
        self._check_parameters()
        X, y = check_data(self, X, y)
        groups = check_groups(groups, len(y))
        self.classes_, _ = encode_classes(type(self).__name__, y)
        estimator = self._choose_estimator()
        names = feature_names_of(self)
        if names is not None:  # X has lost them here
            estimator = number_rules(estimator, names)
        with self._open_checkpoint(estimator, X, y, groups) as checkpoint:
            trainer = make_trainer(estimator, X, y, groups=groups, n_jobs=self.n_jobs)
            found, self.stop_reason_ = self._search(trainer, checkpoint)
        self._keep(found)
        return self

    def features(self, n_subsets: int | None = None) -> NDArray[np.intp]:
        """The features of the first subsets in the order of `ranking_`.

        Parameters
        ----------
        n_subsets : int, optional
            How many subsets; all by default.

        Returns
        -------
        array of int
            In increasing order.
        """
        check_is_fitted(self)
        if n_subsets is None:
            n_subsets = len(self.subsets_)
        check_count("n_subsets", n_subsets)
        if n_subsets > len(self.subsets_):
            raise ValueError(f"n_subsets={n_subsets}, but only {len(self.subsets_)} were found")
        return np.sort(
            np.concatenate([self.subsets_[place] for place in self.ranking_[:n_subsets]])
        )

    def transform(self, X: Any, n_subsets: int | None = None) -> Any:
        """The columns of the first subsets in the order of `ranking_`.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples.
        n_subsets : int, optional
            How many subsets; all by default.

        Returns
        -------
        array or sparse matrix of shape (n_samples, n_selected)
            The columns, in the order in which X has them.
        """
        if n_subsets is None:
            return super().transform(X)
        chosen = self.features(n_subsets)
        if is_annotated(X):
            return read_genes(self, X, chosen)
        check_sparse(X, "X")
        X = validate_data(self, X, accept_sparse=("csr", "csc"), dtype=None, reset=False)
        return X[:, chosen]

    def _abilities(self) -> Abilities:
        return Abilities(
            "repetitive selection", classifies=False, has_scores=False, splits_samples=True
        )

    def _check_parameters(self) -> None:
        check_count("min_features", self.min_features)
        check_count("n_subsets", self.n_subsets, or_none=True)
        if self.max_training_error is not None:
            check_share("max_training_error", self.max_training_error)

    def _choose_estimator(self) -> Any:
        if self.estimator is None:
            return SupportFeatureMachine(C=np.inf, refit=None)
        return self.estimator

    def _open_checkpoint(
        self, estimator: Any, X: Any, y: NDArray[Any], groups: NDArray[Any] | None
    ) -> AbstractContextManager[Checkpoint | None]:
        if self.checkpoint is None:
            return nullcontext()
        return Checkpoint(self.checkpoint, identity_of(estimator, X, y, groups))

    def _search(self, trainer: Trainer, checkpoint: Checkpoint | None) -> tuple[list[Trained], str]:
        """The repetitions, and why there are no more."""
        found: list[Trained] = []
        repetitions = _repeat(trainer, checkpoint)
        by_feature = self.n_subsets is None
        with Progress(
            trainer.n_left if self.n_subsets is None else self.n_subsets,
            what="repetitive selection",
            unit="feature" if by_feature else "subset",
            show=self.verbose > 0,
        ) as progress:
            try:
                while not (reason := self._find_limit(trainer, found)):
                    trained = next(repetitions)
                    reason = self._find_failure(trained)
                    if found and not self.budget.left:
                        reason = "time"  # it may have ended before it was done
                    if reason or isinstance(trained, ValueError):
                        break
                    found.append(trained)
                    size = len(trained.features)
                    progress.advance(size if by_feature else 1, note=f"subset of {size}")
            except BaseException as error:
                if not found or not is_interrupt(error):
                    raise
                settle_interrupt()
                reason = "interrupted"
                warnings.warn(
                    f"interrupted: the {len(found)} repetition(s) so far are kept", stacklevel=3
                )
        if not found:
            raise self._explain_nothing(reason, trained)
        return found, reason

    def _find_limit(self, trainer: Trainer, found: list[Trained]) -> str:
        """Why no further machine is to be trained, if so."""
        if self.n_subsets is not None and len(found) >= self.n_subsets:
            return "repetitions"
        if found and trainer.n_left < self.min_features:
            return "features used up"
        if found and not self.budget.left:
            return "time"
        return ""

    def _find_failure(self, trained: Trained | ValueError) -> str:
        """Why a machine does not count, if so."""
        if isinstance(trained, ValueError):
            return "inseparable"
        if not len(trained.features):
            return "nothing selected"
        if self.max_training_error is not None and trained.error > self.max_training_error:
            return "training error"
        return ""

    def _explain_nothing(self, reason: str, trained: Trained | ValueError) -> ValueError:
        """The error for a search that ends before its first subset."""
        if isinstance(trained, ValueError):
            return trained
        if reason == "training error":
            return ValueError(
                f"even the first machine has a training error of {trained.error:.3g}, above "
                f"max_training_error={self.max_training_error:g}: "
                + _list_remedies(self._choose_estimator())
            )
        return ValueError(
            "the estimator selects no feature: let it select more, in most cases by a larger C"
        )

    def _keep(self, found: list[Trained]) -> None:
        two_classes = len(self.classes_) == 2
        self.subsets_ = [trained.features for trained in found]
        self.sizes_ = np.array([len(subset) for subset in self.subsets_])
        self.training_errors_ = np.array([trained.error for trained in found])
        self.objectives_ = np.array([trained.objective for trained in found])
        self.gaps_ = np.array([trained.gap for trained in found])
        self.coefs_ = [trained.coef[0] if two_classes else trained.coef for trained in found]
        self.intercepts_ = np.array(
            [trained.intercept[0] if two_classes else trained.intercept for trained in found]
        )
        self.ranking_ = np.argsort(self.sizes_, kind="stable")
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[np.concatenate(self.subsets_)] = True
        self.remaining_ = np.flatnonzero(~self.support_)


def _list_remedies(estimator: Any) -> str:
    """What to do about the training error of this machine."""
    settings = estimator.get_params(deep=False)
    ways, C = ["allow more"], settings.get("C")
    if isinstance(C, Real) and math.isfinite(C):
        ways.append(f"take a larger C than C={C:g}")
    if isinstance(estimator, SelectingClassifier) and settings.get("refit", "") is None:
        ways.append("take refit='margin'")
    return ", or ".join(ways)


def _repeat(trainer: Trainer, checkpoint: Checkpoint | None) -> Iterator[Trained | ValueError]:
    """Repetitions kept by an earlier run, then new ones; a failure comes as the error it is."""
    if checkpoint is not None:
        for number, record in enumerate(checkpoint.results, start=1):
            try:
                kept = trainer.restore(record)
            except RecordError as error:
                raise checkpoint.refuse(number, error) from error
            yield kept
    while True:
        trained = trainer.train()
        if not isinstance(trained, ValueError) and len(trained.features):
            trainer.remove(trained.features)
            if checkpoint is not None:
                checkpoint.append(trainer.record(trained))
        yield trained
