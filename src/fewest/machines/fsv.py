"""Feature selection via concave minimisation (FSV)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace

import numpy as np

from fewest._estimators.base import SelectingClassifier
from fewest._estimators.tasks import BinaryTask, solve_by_rules
from fewest._estimators.validation import check_positive, check_share
from fewest._solvers.linear.concave import minimize_concave
from fewest._solvers.linear.reweight import ZeroNormResult
from fewest._solvers.problem import unit_margin, visible_slack_cost
from fewest._types import FloatArray, IndexArray

__all__ = ["FeatureSelectionConcave"]


@dataclass(eq=False, repr=False)
class FeatureSelectionConcave(SelectingClassifier):
    r"""Linear classifier that trades mean slacks for features: FSV, a baseline to compare with.

    .. math::

        \min \; (1 - \lambda) \Big( \frac{1}{n^+} \sum_{y_i = 1} \xi_i
        + \frac{1}{n^-} \sum_{y_i = -1} \xi_i \Big)
        + \lambda \sum_j \big(1 - e^{-a |w_j|}\big)
        \quad \text{subject to} \quad y_i (w^\top x_i + b) \ge 1 - \xi_i, \; \xi_i \ge 0

    by successive linear programs with the solver of the other machines. The penalty comes close to
    the number of features; the solution is a local optimum.

    Parameters
    ----------
    lam : float, default=0.05
        lambda, between 0 and 1: the price of a feature against that of mean slacks.
    steepness : float, default=5.0
        a, how fast the penalty of a weight approaches one.
    include : list of names or numbers, or mask, optional
        Features that are always included, at no cost, such as age, sex or a known marker: the
        others must add to them.
    exclude : list of names or numbers, or mask, optional
        Features that are never selected.
    feature_cost : number, array of shape (n_features,) or dict, optional
        What each feature costs, 1 by default. Its price, divided by the median price of the
        features that may be selected, multiplies the size of the weight: `lam` is per unit of that
        median, and all prices times 100 change nothing.
    feature_groups : list of n_features labels (None for no group), or dict of lists, optional
        Features that belong together: a group is paid for once, however many of its features are
        selected.
    one_per_group : bool, default=False
        At most one feature of each group is selected instead.
    signs : {1, -1}, array of shape (n_features,) or dict, optional
        1: selected only if higher in the second class, with a positive weight; -1: only if lower;
        0: either.
        With more than two classes, each against the rest.
    standardize : bool, default=True
        Divide each column by its standard deviation (implicitly). Otherwise all columns share one
        factor.
    refit : {"margin"} or None, default=None
        None keeps the hyperplane of the last program; "margin" takes the one with the largest
        Euclidean margin on the selected features.
    max_iter : int, default=20
        Most linear programs.
    tol : float, default=1e-7
        Relative duality gap at which a linear program counts as solved.
    max_seconds : float, default=None
        Time limit, in seconds, for the linear programs of a hyperplane. When it is reached, the
        best hyperplane found is used, with the gap proven so far, and a warning. None: no limit.
    n_jobs : int, default=None
        Threads for more than two classes, as in joblib.
    verbose : int, default=0
        1 shows the progress of the classes, or, with two classes, of a fit that takes long; 2 also
        prints a line per hyperplane.

    Attributes
    ----------
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
        Weights for X as it was given.
    standardized_coef_ : array of the shape of coef_
        `coef_` times the standard deviation of each column of the training samples: what one
        standard deviation of the feature adds to the score. These can be compared with each other.
    intercept_ : array of shape (1,) or (n_classes,)
        Biases.
    support_ : array of shape (n_features,), bool
        The selected features; with more than two classes, those of any class.
    classes_ : array of shape (n_classes,)
        The class labels.
    n_iter_ : int
        Linear programs that lowered the objective (of the longest loop).
    result_, results_ : ZeroNormResult, tuple of ZeroNormResult
        Solution and certificates of all programs.

    References
    ----------
    P. S. Bradley, O. L. Mangasarian: Feature selection via concave minimization and support vector
    machines. ICML (1998).

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.datasets import make_gaussian
    >>> from fewest.machines.fsv import FeatureSelectionConcave
    >>> X, y = make_gaussian(n=100, d=500, k=3, mu=1.0, random_state=0)
    >>> np.flatnonzero(FeatureSelectionConcave().fit(X, y).support_)
    array([0, 1, 2])
    """

    _more_features = "lower lam"

    lam: float = 0.05
    _: KW_ONLY
    steepness: float = 5.0
    max_iter: int = 20

    _people_name = "feature selection by concave minimisation"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_share("lam", self.lam, strictly=True)
        check_positive("steepness", self.steepness)

    def _price_errors(self, y: FloatArray, codes: IndexArray, weight: FloatArray) -> FloatArray:
        totals = np.where(y > 0, weight[y > 0].sum(), weight[y < 0].sum())
        return (1.0 - self.lam) / self.lam * weight / totals

    def _solve(self, task: BinaryTask) -> ZeroNormResult:
        return solve_by_rules(task, self._minimize)

    def _minimize(self, task: BinaryTask) -> ZeroNormResult:
        assert task.error_cost is not None
        problem = unit_margin(task.y, slack_cost=visible_slack_cost(task.error_cost))
        found = minimize_concave(
            task.price(problem),
            task.columns,
            steepness=self.steepness,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        if task.terms is None:
            return found
        features, w = task.terms.add_free(found.features, found.w)
        return replace(found, features=features, w=w)
