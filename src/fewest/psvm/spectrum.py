"""Matrices of relations as products of vectors: singular maps, corrected indefinite matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg
from sklearn.utils.validation import check_array

from fewest._showing import Shown
from fewest._types import FloatArray

__all__ = ["SingularMaps", "clip_spectrum", "find_singular_maps", "flip_spectrum"]


@dataclass(frozen=True, eq=False, repr=False)
class SingularMaps(Shown):
    """Vectors whose inner products are the relations; see :func:`find_singular_maps`.

    Attributes
    ----------
    samples : array of shape (n_samples, n_dimensions)
        phi(x) of every sample.
    row_objects : array of shape (n_row_objects, n_dimensions)
        omega(z) of every row object; columns are orthonormal.
    singular_values : array of shape (n_dimensions,)
        In decreasing order.
    """

    samples: FloatArray
    row_objects: FloatArray
    singular_values: FloatArray

    def map_samples(self, K: ArrayLike) -> FloatArray:
        """Vectors phi(x) of new samples, from their relations with all row objects.

        Parameters
        ----------
        K : array of shape (n_samples, n_row_objects)
            Relations.

        Returns
        -------
        array of shape (n_samples, n_dimensions)
        """
        relations: FloatArray = check_array(K, dtype=np.float64, input_name="K")
        if relations.shape[1] != len(self.row_objects):
            raise ValueError(
                f"K has {relations.shape[1]} columns, but there are {len(self.row_objects)} row "
                "objects"
            )
        return relations @ self.row_objects


def find_singular_maps(K: ArrayLike, *, n_dimensions: int | None = None) -> SingularMaps:
    r"""Vectors of samples and row objects whose inner products are the relations K.

    From the singular value decomposition :math:`K = \sum_n s_n g_n e_n^\top` (Hochreiter &
    Obermayer 2004, eq. 80) come the maps (eq. 89)

    .. math::

        \phi(x_i) = (s_1 g_{1i}, s_2 g_{2i}, \ldots), \quad
        \omega(z_j) = (e_{1j}, e_{2j}, \ldots), \quad
        \langle \phi(x_i), \omega(z_j) \rangle = K_{ij}.

    So any matrix of relations consists of inner products, whether it is symmetric, square, positive
    definite or none of these.

    Parameters
    ----------
    K : array of shape (n_samples, n_row_objects)
        Relations.
    n_dimensions : int, default=None
        Keep the largest singular values only; the inner products are then the best approximation
        of K of this rank. None keeps all that are not zero.

    Returns
    -------
    SingularMaps

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.psvm import find_singular_maps
    >>> K = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, -1.0]])
    >>> maps = find_singular_maps(K)
    >>> maps.samples.shape, maps.row_objects.shape
    ((2, 2), (3, 2))
    >>> np.allclose(maps.samples @ maps.row_objects.T, K)
    True
    """
    relations: FloatArray = check_array(K, dtype=np.float64, input_name="K")
    n_values = min(relations.shape)
    if n_dimensions is not None and not 1 <= n_dimensions <= n_values:
        raise ValueError(
            f"n_dimensions must be None or from 1 to {n_values}, the number of singular values of "
            f"K; got {n_dimensions}"
        )
    left, values, right = linalg.svd(relations, full_matrices=False)
    smallest = max(relations.shape) * np.finfo(np.float64).eps * values[0]
    rank = int(np.sum(values > smallest))
    kept = slice(rank if n_dimensions is None else min(rank, n_dimensions))
    return SingularMaps(left[:, kept] * values[kept], right[kept].T, values[kept])


def clip_spectrum(K: ArrayLike, K_new: ArrayLike | None = None) -> Any:
    r"""The nearest positive semidefinite matrix: negative eigenvalues are set to zero.

    With :math:`K = V \Lambda V^\top` it is :math:`V \max(\Lambda, 0) V^\top`, the projection onto
    the eigenvectors with positive eigenvalues (Graepel et al. 1999, named by Hochreiter & Obermayer
    2004, sec. 1), for support vector machines that need a Gram matrix. The Potential SVM does not
    need it. New samples are projected onto the same eigenvectors,
    :math:`K_{new} V_+ V_+^\top`, so nothing is learned from them.

    Parameters
    ----------
    K : array of shape (n_samples, n_samples)
        Symmetric matrix of relations of the training samples.
    K_new : array of shape (n_new, n_samples), optional
        Relations of new samples with the training samples.

    Returns
    -------
    array of shape (n_samples, n_samples), or both matrices if K_new is given

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.psvm import clip_spectrum
    >>> clip_spectrum(np.diag([2.0, -1.0]))
    array([[2., 0.],
           [0., 0.]])
    """
    return _mend(K, K_new, lambda values: np.where(values > 0.0, 1.0, 0.0))


def flip_spectrum(K: ArrayLike, K_new: ArrayLike | None = None) -> Any:
    r"""A positive semidefinite matrix: negative eigenvalues change their sign.

    With :math:`K = V \Lambda V^\top` it is :math:`V |\Lambda| V^\top` (Graepel et al. 1999, named
    by Hochreiter & Obermayer 2004, sec. 1); new samples become
    :math:`K_{new} V \mathrm{sign}(\Lambda) V^\top`.

    Parameters
    ----------
    K : array of shape (n_samples, n_samples)
        Symmetric matrix of relations of the training samples.
    K_new : array of shape (n_new, n_samples), optional
        Relations of new samples with the training samples.

    Returns
    -------
    array of shape (n_samples, n_samples), or both matrices if K_new is given

    Examples
    --------
    >>> import numpy as np
    >>> from fewest.psvm import flip_spectrum
    >>> flip_spectrum(np.diag([2.0, -1.0]))
    array([[2., 0.],
           [0., 1.]])
    """
    return _mend(K, K_new, np.sign)


def _mend(K: ArrayLike, K_new: ArrayLike | None, factor: Callable[[FloatArray], Any]) -> Any:
    """K with its eigenvalues multiplied by factors that depend on them, and K_new in keeping."""
    known: FloatArray = check_array(K, dtype=np.float64, input_name="K")
    is_square = known.shape[0] == known.shape[1]
    if not is_square or not np.allclose(known, known.T, atol=1e-8 * np.abs(known).max()):
        raise ValueError(
            f"K of shape {known.shape} must be a symmetric matrix; make it one by (K + K.T) / 2, "
            "or use PotentialSVC, which takes matrices of any kind"
        )
    values, vectors = linalg.eigh(known)
    change = (vectors * factor(values)) @ vectors.T
    mended = known @ change
    mended = 0.5 * (mended + mended.T)
    if K_new is None:
        return mended
    new: FloatArray = check_array(K_new, dtype=np.float64, input_name="K_new")
    if new.shape[1] != len(known):
        raise ValueError(f"K_new has {new.shape[1]} columns, but K has {len(known)} samples")
    return mended, new @ change
