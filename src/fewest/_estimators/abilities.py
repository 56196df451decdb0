"""What an estimator can do, and what a fitted one selected: it declares both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from fewest._anndata.cells import is_annotated
from fewest._estimators.certificate import Certificate
from fewest._sparse import check_sparse
from fewest._types import FloatArray


@dataclass(frozen=True)
class Abilities:
    """What an estimator with its present parameters can do; `name` is its name for people.

    `refusal` is empty if the estimator selects columns of X, else a sentence that says why it does
    not and what to do about it.
    """

    name: str
    refusal: str = ""
    classifies: bool = True  # `predict` gives classes
    has_scores: bool = True  # there is a `decision_function`
    splits_samples: bool = False  # `fit` takes `groups`
    counts_features: bool = False  # the number of features is what it minimises
    fits_columns: bool = False  # `_fit_columns` takes columns that were standardised once
    has_first_program: bool = False  # `_first_problem` and `_solve_from` serve repetitions
    joins_classes: bool = False  # one program for more than two classes
    follows_costs: bool = False  # at the next C a fit goes on from the last one: `_fit_along`
    certifies: bool = False  # proves the smallest number of features: `certify` is set
    columns_are_samples: bool = False  # a fold leaves out columns with rows
    predicts_from_support: bool = False  # new samples need the selected columns only
    advances_together: bool = False  # fits to many labellings of two classes share products with X
    reads_blocks: bool = False  # `fit` takes data outside memory
    effort: float = 4.0  # how long a fit takes, compared with that of a Support Feature Machine
    # Probabilities are calibrated on samples that took part in selecting the features.
    calibrates_selected: bool = False
    reads_images: bool = False  # samples are volumes of brain images, not rows of a table


@dataclass(frozen=True, eq=False)
class Selection:
    """What a fitted estimator selected: one row per linear function, or one row in all.

    `coef` and `intercept` refer to X as it was given, and are None where the decision is not
    linear. `cost` is what the estimator minimised, in features. `objective` and `gap` are those of
    its programs, NaN where it keeps no certificate. `chosen` are parameters that a search chose,
    and `minima` what was proven about the smallest set of every linear function.
    """

    supports: NDArray[np.bool_]
    coef: FloatArray | None = None
    intercept: FloatArray | None = None
    cost: float = np.nan
    objective: float = np.nan
    gap: float = np.nan
    chosen: Mapping[str, float] = field(default_factory=dict)
    minima: tuple[Any, ...] = ()

    @property
    def support(self) -> NDArray[np.bool_]:
        """Features that any of the functions uses."""
        return np.any(self.supports, axis=0)

    @property
    def n_selected(self) -> int:
        """How many these are."""
        return int(self.support.sum())


@dataclass(frozen=True, eq=False)
class SearchedCosts:
    """What a search over C saw: balanced errors and numbers of features; `chosen` is a place."""

    Cs: FloatArray
    errors: FloatArray
    n_features: FloatArray
    chosen: int


class Declaring:
    """Base of every estimator of this package: it declares what it can do."""

    support_: NDArray[np.bool_]
    feature_names_in_: NDArray[Any]  # if they have any

    def _abilities(self) -> Abilities:
        raise NotImplementedError

    def _selection(self) -> Selection:
        """What was selected; the estimator is fitted, and does not refuse."""
        supports = np.atleast_2d(self.support_)
        return Selection(supports, cost=float(supports.any(axis=0).sum()))

    def _certificates(self, signs: FloatArray) -> tuple[Certificate, ...]:
        """Proofs of its programs, one per linear function, or one for all of them together.

        `signs` has a row of -1 and 1 for each linear function.
        """
        return ()

    def _fit_along(self, X: Any, y: NDArray[Any], Cs: Sequence[float]) -> Iterator[Any]:
        """This estimator, fitted at one C after the other."""
        for C in Cs:
            yield clone(self).set_params(C=C).fit(X, y)

    def _searched_costs(self) -> SearchedCosts | None:
        """The table of a search over C."""
        return None

    def _searched_sizes(self) -> Any:
        """The `PanelFront` of a search over numbers of features."""
        return None


class Selector(Declaring, SelectorMixin):
    """A declaring estimator with `support_`, which is a selector of scikit-learn."""

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: Any) -> Any:
        """The selected columns of X.

        Parameters
        ----------
        X : array, sparse matrix, data frame or AnnData of shape (n_samples, n_features)
            Samples with all features of the fit; of an AnnData object, those that were selected.

        Returns
        -------
        array or sparse matrix of shape (n_samples, n_selected)
            The columns, in the order in which X has them.
        """
        if is_annotated(X):
            return self._take_genes(X)
        check_sparse(X, "X")
        return super().transform(X)

    def _take_genes(self, adata: Any) -> Any:
        """The selected genes of an AnnData object, found by their names."""
        from fewest._estimators.annotated import read_genes

        chosen = np.flatnonzero(self._get_support_mask())
        return read_genes(self, adata, chosen)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def abilities_of(estimator: Any) -> Abilities:
    """What the estimator declares; of estimators of other packages, what scikit-learn asks for."""
    if isinstance(estimator, Declaring):
        return estimator._abilities()
    name = type(estimator).__name__
    refusal = ""
    if not hasattr(estimator, "fit"):
        return Abilities(name, classifies=False, has_scores=False)
    if is_regressor(estimator):
        refusal = (
            f"{name} predicts numbers, but this is about classes. Give a classifier, or a selector "
            "that is fitted to classes"
        )
    return Abilities(
        name,
        refusal,
        classifies=is_classifier(estimator) and hasattr(estimator, "predict"),
        has_scores=hasattr(estimator, "decision_function"),
        splits_samples="groups" in signature(estimator.fit).parameters,
    )


def selection_of(fitted: Any) -> Selection:
    """What a fitted estimator selected, or a ValueError that says why there is no such thing."""
    found = find_selection(fitted)
    if found is None:
        raise ValueError(explain_no_selection(fitted))
    return found


def explain_no_selection(estimator: Any) -> str:
    """Why an estimator selects no columns of X, and what to do about it."""
    abilities = abilities_of(estimator)
    return abilities.refusal or (
        f"{abilities.name} does not say which features it uses: it has neither get_support nor "
        "coef_. Give an estimator that selects features"
    )


def explain_no_classes(estimator: Any) -> str:
    """Why an estimator predicts no classes, and what to do about it."""
    abilities = abilities_of(estimator)
    return abilities.refusal or (
        f"{abilities.name} selects, but does not classify. Give a classifier, or a "
        "pipeline that ends with one"
    )


def find_selection(fitted: Any) -> Selection | None:
    """What a fitted estimator selected; None if it selects no columns of X."""
    if abilities_of(fitted).refusal:
        return None
    if isinstance(fitted, Declaring):
        return fitted._selection()
    coef, intercept = getattr(fitted, "coef_", None), getattr(fitted, "intercept_", None)
    if coef is not None:
        coef = np.atleast_2d(coef)
    if hasattr(fitted, "get_support"):
        supports = np.atleast_2d(np.asarray(fitted.get_support(), dtype=bool))
    elif coef is not None:
        supports = coef != 0
    else:
        return None
    cost = float(np.any(supports, axis=0).sum())
    if coef is None or intercept is None or coef.shape != supports.shape:
        return Selection(supports, cost=cost)
    return Selection(supports, coef, np.atleast_1d(intercept), cost=cost)


def find_probabilities(fitted: Any, X: Any) -> FloatArray | None:
    """Of every sample one probability per class; None if the estimator has none."""
    if not abilities_of(fitted).classifies or not hasattr(fitted, "predict_proba"):
        return None
    return np.asarray(fitted.predict_proba(X))


def feature_names_of(fitted: Any) -> Any:
    """Names of the columns that the estimator was fitted to; None if they had none."""
    return getattr(fitted, "feature_names_in_", None)


def name_features(fitted: Any, names: Sequence[str]) -> None:
    """Tell an estimator of this package what the columns it was fitted to are called."""
    if isinstance(fitted, Declaring):
        fitted.feature_names_in_ = np.asarray(names, dtype=object)


def certificates_of(fitted: Any, signs: FloatArray) -> tuple[Certificate, ...]:
    """Proofs of its programs, one per linear function or one for all; empty without any."""
    return fitted._certificates(signs) if isinstance(fitted, Declaring) else ()


def searched_sizes_of(fitted: Any) -> Any:
    """The front of an estimator that searched over numbers of features; None for others."""
    return fitted._searched_sizes() if isinstance(fitted, Declaring) else None


def searched_costs_of(fitted: Any) -> SearchedCosts | None:
    """The table of an estimator that searched over C; None for others."""
    return fitted._searched_costs() if isinstance(fitted, Declaring) else None
