"""PotentialSVC and PotentialSVR, the Potential Support Vector Machine."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from fewest._estimators.calibration import draw_folds
from fewest._estimators.decisions import ScoreClassifier
from fewest._estimators.probabilities import fit_temperature, pair_scores
from fewest._types import BoolArray, FloatArray
from fewest.psvm._folds import Grid, score_folds
from fewest.psvm._machine import PotentialMachine
from fewest.psvm._relations import encode_targets

__all__ = ["PotentialSVC", "PotentialSVR"]


class PotentialSVC(ScoreClassifier, PotentialMachine):
    r"""Classifier that uses relations of the samples with other objects.

    With the relations K (samples x row objects), columns centred and of unit length, and labels
    y = -1 or +1, it minimises

    .. math::

        \tfrac12 \| K \alpha - (y - \bar y) \|^2 + \epsilon \|\alpha\|_1
        \quad \text{subject to} \quad |\alpha_j| \le C,

    the dual of the Potential Support Vector Machine with both of its regularisations, and decides
    by the sign of :math:`f(x) = \sum_j \alpha_j K_j(x) + \bar y`. K need not be positive definite,
    symmetric or square. Row objects with :math:`\alpha_j \ne 0` are the support features; other
    relations of a new sample are not used. With more than two classes there is one function f
    per class, against the rest.

    Parameters
    ----------
    C : float, default=1.0
        Largest absolute weight of a row object, which limits the effect of outliers; ``np.inf`` for
        no bound. Weights refer to columns of unit length (see `scale`).
    epsilon : float, default=0.1
        Correlation threshold: at the solution no column's inner product with the residuals is
        larger, apart from those with weight C. The larger, the fewer support features. With zero
        the solution may not be unique.
    kernel : str or callable, default="rbf"
        "precomputed": X itself is the matrix. Otherwise relations are computed from vectors: a
        function ``k(X, Z, **kernel_params)`` that returns a matrix, or a name:

        - "linear", :math:`x^\top z`;
        - "rbf", :math:`\exp(-\gamma |x - z|^2)`;
        - "poly", :math:`(\gamma x^\top z + coef0)^{degree}`;
        - "plummer", :math:`(|x - z| + \rho)^{-\zeta}`;
        - "sine", :math:`\sin(\theta |x - z|)`, which is indefinite; with
          ``kernel_params={"squared": True}``, :math:`\sin(\theta |x - z|^2)`;
        - any other kernel or distance of :mod:`sklearn.metrics.pairwise`, for instance
          "laplacian" or "manhattan".
    gamma : {"scale", "auto"} or float, default="scale"
        For "rbf", "poly", "laplacian" and "sigmoid". "scale": 1 / (n_features X.var()); "auto":
        1 / n_features.
    degree, coef0 : float, default=3, 1.0
        For "poly" and (coef0) "sigmoid".
    rho, zeta : float, default=1.0
        For "plummer".
    theta : float, default=1.0
        For "sine".
    kernel_params : dict, default=None
        Further arguments of the kernel; they override the ones above.
    row_objects : array, estimator, "samples" or None, default=None
        The objects z that the samples are related to, of shape (n_row_objects, n_features): cluster
        centres, unit vectors, or anything else. An estimator such as ``KMeans(20)``, ``PCA(5)`` or
        ``GaussianMixture(10)`` finds them in the training samples, again in every fold: its
        `cluster_centers_`, `components_` or `means_` are used (Hochreiter & Obermayer 2004,
        sec. 2.4.3).
        "samples" stands for the training samples, and so does None for a computed kernel. With
        ``kernel="precomputed"`` the columns of X are the row objects. None: they are other
        objects, which stay when samples are left out. "samples": they are the samples, in the
        same order; X must be square, and scikit-learn's cross-validation (which checks
        ``tags.input_tags.pairwise``) leaves out columns together with rows: no relation with a test
        sample is used.
    scale : {"unit length", "unit variance"}, default="unit length"
        What centred columns are scaled to. The report uses unit variance (its eq. 20). For L
        samples, the machines are the same if epsilon for unit length is epsilon for unit variance
        divided by sqrt(L), and C for unit length is C for unit variance multiplied by sqrt(L).
    refit : bool, default=False
        Compute the weights of the support features again without epsilon, because epsilon shrinks
        them. This matters if epsilon is large, and most for a small class: with shrunken weights
        f(x) stays close to the mean of the labels, and no sample is assigned to that class.
    tol : float, default=1e-6
        Relative duality gap at which the program counts as solved.
    max_iter : int, default=500
        Largest number of passes of the solver over the matrix.
    include, exclude, feature_cost
        Rules about features, as for :class:`~fewest.SupportFeatureMachine`, where the columns of X
        are features (``kernel="precomputed"``, ``row_objects=None``): the price of a feature,
        divided by the median price, multiplies its epsilon.
    feature_groups, one_per_group, signs
        Not for this program.

    Attributes
    ----------
    coef_ : array of shape (1, n_row_objects) or (n_classes, n_row_objects)
        The weights alpha, for centred columns of unit length (see `scale`).
    intercept_ : array of shape (1,) or (n_classes,)
        Mean of the labels -1 and +1.
    support_features_ : array of shape (n_support,), int
        Row objects that are used, for any of the classes.
    support_, supports_ : bool arrays of shape (n_row_objects,), (n_functions, n_row_objects)
        The same as masks, of all functions f together and of each.
    support_row_objects_ : array of shape (n_support, n_features) or None
        The support features as vectors, where the kernel is computed.
    mean_, scale_ : arrays of shape (n_row_objects,)
        Mean of each column, and its length after centring; infinite for constant columns, which
        are ignored (with a warning).
    moments_ : array of the shape of coef_
        Inner product :math:`m_j = K_j^\top r` of every column with the residuals
        :math:`r = y - f(x)` of the program: what epsilon bounds, apart from the slacks. The report
        has :math:`\sigma_j = -m_j / L` (eq. 17).
    correlations_ : array of the shape of coef_
        The same as Pearson's correlation, :math:`K_j^\top r / (\|K_j\| \|r\|)` (eq. 19).
    slacks_ : array of the shape of coef_
        :math:`\xi_j = |m_j| - \epsilon` of the row objects with weight C or -C, zero for all others
        (eq. 26): how far each violates its constraint.
    importance_ : array of the shape of coef_
        Increase of the mean of :math:`r_i^2 / 2` over the training samples if a row object
        is removed and all other weights stay the same (eqs. 42, 43):
        :math:`((\epsilon + \xi_j) |\alpha_j| + \alpha_j^2 \|K_j\|^2 / 2) / L`. The report has it as
        a bound, without slacks; at the solution it is exact. With `refit`, for the new weights.
    results_ : tuple of BoxLassoResult
        Solution and certificate (objective, proven bound, gap, status) of each function f.
    classes_ : array of shape (n_classes,)
        The class labels.
    n_row_objects_ : int
        Number of row objects.
    n_iter_ : int
        Passes of the solver over the matrix (the most for any function f).
    temperature_ : float
        Divisor of f(x) in `predict_proba`, from samples left out, with support features
        that were found without them.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if X had any.

    Notes
    -----
    With ``kernel="precomputed"`` new samples need only their relations with the support features:
    the other columns of X may be NaN, for "not measured".

    References
    ----------
    S. Hochreiter, K. Obermayer: Classification, regression, and feature selection on matrix data.
    Technical report 2004/02, TU Berlin (2004).

    Examples
    --------
    >>> import numpy as np
    >>> from fewest import PotentialSVC
    >>> rng = np.random.default_rng(0)
    >>> K = rng.standard_normal((60, 12))  # 60 samples measured against 12 others
    >>> y = np.where(K[:, 3] - K[:, 7] > 0, "ill", "well")
    >>> machine = PotentialSVC(C=np.inf, epsilon=2.0, kernel="precomputed").fit(K, y)
    >>> machine.support_features_
    array([3, 7])

    A new sample was measured against these two only:

    >>> measured = np.full((1, 12), np.nan)
    >>> measured[0, machine.support_features_] = 1.0, -1.0
    >>> machine.predict(measured)
    array(['ill'], dtype='<U4')
    """

    def find_classifiable(self, X: Any) -> BoolArray:
        """Which samples have a relation with a support feature, so that they can be classified.

        For links, counts and other relations that may be absent, stored as zero: a sample without
        any relation with the support features is classified like all others of that kind, whatever
        it is. Hochreiter & Obermayer (2004), table 8, leave such web pages out.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            As for :meth:`decision_function`.

        Returns
        -------
        array of shape (n_samples,), bool

        Examples
        --------
        >>> import numpy as np
        >>> from fewest import PotentialSVC
        >>> links = np.array([[1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]])
        >>> y = np.array(["a", "a", "b", "b", "b", "b"])
        >>> machine = PotentialSVC(C=np.inf, epsilon=1.0, kernel="precomputed").fit(links, y)
        >>> machine.support_features_
        array([0])
        >>> machine.find_classifiable(links)
        array([ True,  True, False, False, False, False])
        """
        return np.any(self._relations(X) != 0.0, axis=1)

    def _targets(self, y: Any) -> FloatArray:
        self.classes_, targets = encode_targets(type(self).__name__, y)
        return targets

    def _calibrate(self, X: Any, y: NDArray[Any], targets: FloatArray) -> None:
        """Find the temperature of f on samples left out, whose support features had no part."""
        if not self._calibrates:
            return
        codes = np.searchsorted(self.classes_, y)
        rows, folds = draw_folds(codes)
        grid = Grid(np.array([float(self.C)]), np.array([float(self.epsilon)]))
        try:
            *_, judged = score_folds(self, X, targets, lambda *_: 0.0, folds, grid)
        except ValueError:  # a matrix whose rows are constant in some fold
            folds, judged = [], []
        if folds:
            rows = np.concatenate([test for _, test in folds])
            scores = np.concatenate([values[:, 0, 0] for values in judged])
        else:
            scores = self._scores(X[rows])
        self.temperature_ = fit_temperature(pair_scores(scores), codes[rows])

    def decision_function(self, X: Any) -> FloatArray:
        """Value of f(x); positive values favour the (second) class.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples as vectors, or (precomputed) their relations with the row objects of `fit`;
            columns outside `support_features_` may then be NaN.

        Returns
        -------
        array of shape (n_samples,), or (n_samples, n_classes) for more than two classes
        """
        scores = self._scores(X)
        return scores.ravel() if scores.shape[1] == 1 else scores


class PotentialSVR(RegressorMixin, PotentialMachine):
    r"""Regression that uses relations of the samples with other objects.

    With the relations K (samples x row objects), columns centred and of unit length, it minimises

    .. math::

        \tfrac12 \| K \alpha - (y - \bar y) \|^2 + \epsilon \|\alpha\|_1
        \quad \text{subject to} \quad |\alpha_j| \le C,

    and predicts :math:`f(x) = \sum_j \alpha_j K_j(x) + \bar y`. C and epsilon are in units of y:
    scale y to unit variance, or C and epsilon with it. A small C makes the function insensitive to
    single outliers, a large epsilon makes it depend on few row objects, at maxima and minima.

    Parameters
    ----------
    C, epsilon, kernel, gamma, degree, coef0, rho, zeta, theta
        As for :class:`PotentialSVC`.
    kernel_params, row_objects, scale, refit, tol, max_iter
        As for :class:`PotentialSVC`.
    include, exclude, feature_cost, feature_groups, one_per_group, signs
        As for :class:`PotentialSVC`.

    Attributes
    ----------
    coef_ : array of shape (n_row_objects,)
        The weights alpha, for centred columns of unit length (see `scale`).
    intercept_ : float
        Mean of y.
    moments_, correlations_, slacks_, importance_ : arrays of shape (n_row_objects,)
        As for :class:`PotentialSVC`.
    result_ : BoxLassoResult
        Solution and certificate (objective, proven bound, gap, status).
    support_features_, support_, support_row_objects_, mean_, scale_, n_row_objects_, n_iter_
        As for :class:`PotentialSVC`.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : array of shape (n_features_in_,)
        Their names, if X had any.

    References
    ----------
    S. Hochreiter, K. Obermayer: Classification, regression, and feature selection on matrix data.
    Technical report 2004/02, TU Berlin (2004).

    Examples
    --------
    >>> import numpy as np
    >>> from fewest import PotentialSVR
    >>> X = np.linspace(-3, 3, 61)[:, None]
    >>> y = np.sin(X.ravel())
    >>> machine = PotentialSVR(C=10.0, epsilon=0.01, gamma=0.5).fit(X, y)
    >>> print(f"{machine.score(X, y):.3f}")
    0.999
    >>> len(machine.support_features_)  # of 61
    6
    """

    def fit(self, X: Any, y: ArrayLike) -> PotentialSVR:
        """Find the support features and their weights.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Samples as vectors, or (precomputed) their relations with the row objects.
        y : array of shape (n_samples,)
            Numbers.

        Returns
        -------
        self
            The fitted estimator.
        """
        super().fit(X, y)
        self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0])
        self.result_ = self.results_[0]
        for name in ("moments_", "slacks_", "correlations_", "importance_"):
            setattr(self, name, getattr(self, name)[0])
        return self

    def _targets(self, y: Any) -> FloatArray:
        return np.asarray(y, dtype=np.float64)[None, :]

    def predict(self, X: Any) -> FloatArray:
        """Value of f(x).

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            As for :meth:`PotentialSVC.decision_function`.

        Returns
        -------
        array of shape (n_samples,)
        """
        return self._scores(X).ravel()
