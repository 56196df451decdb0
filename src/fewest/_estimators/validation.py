"""Input that is fit to be solved, or an error that says what is wrong and what to do."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    assert_all_finite,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from fewest._anndata.cells import is_annotated
from fewest._estimators.abilities import abilities_of, feature_names_of
from fewest._estimators.annotated import keep_genes, read_targets, take_known_genes
from fewest._estimators.exact import refuse_masked
from fewest._solvers.columns import Columns, Matrix, scale_columns
from fewest._solvers.many.arrays import is_device_array
from fewest._solvers.many.device import DeviceMatrix
from fewest._sparse import SPARSE_FORMATS, check_sparse
from fewest._types import FloatArray, IndexArray


def is_number(value: Any) -> bool:
    """Whether value is a real number; True and False are not."""
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def _require(is_valid: bool, name: str, wanted: str, value: Any) -> None:
    if not is_valid:
        raise ValueError(f"{name} must be {wanted}; got {value!r}")


def check_positive(name: str, value: Any, *, infinity: str = "") -> None:
    """Raise unless value is a number above zero (infinity allowed where it has a meaning)."""
    is_valid = is_number(value) and value > 0 and (bool(infinity) or value < np.inf)
    extra = f", or np.inf {infinity}" if infinity else ""
    _require(is_valid, name, f"a positive number{extra}", value)


def check_not_negative(name: str, value: Any) -> None:
    """Raise unless value is a finite number of at least zero."""
    _require(is_number(value) and 0 <= value < np.inf, name, "a number of at least zero", value)


def check_list(name: str, values: Any, check: Any = check_positive, **how: Any) -> FloatArray:
    """The values as an array; raise unless they are one or more that each pass the check."""
    array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    _require(array.ndim == 1 and len(array) > 0, name, "a list of one or more numbers", values)
    for value in array.tolist():
        check(f"each of {name}", value, **how)
    return array


def check_pairs(least: int, **lists: ArrayLike) -> list[FloatArray]:
    """Lists as arrays; raise unless they are of one length, at least this one, and finite."""
    arrays = [np.asarray(values, dtype=np.float64) for values in lists.values()]
    names, shapes = " and ".join(lists), [array.shape for array in arrays]
    if len(set(shapes)) > 1 or arrays[0].ndim != 1 or len(arrays[0]) < least:
        raise ValueError(
            f"{names} must be lists of the same length, at least {least}; got shapes {shapes}"
        )
    if not np.isfinite(arrays).all():
        raise ValueError(f"{names} must be finite: they hold NaN or infinity")
    return arrays


def check_choice(name: str, value: Any, choices: tuple[str | bool | None, ...]) -> None:
    """Raise unless value is one of a few words."""
    is_valid = isinstance(value, (str, bool, np.bool_, type(None))) and value in choices
    _require(is_valid, name, f"one of {', '.join(map(repr, choices))}", value)


def check_flag(name: str, value: Any) -> None:
    """Raise unless value is true or false, 1 and 0 included."""
    is_valid = isinstance(value, (bool, np.bool_, int, np.integer)) and value in (0, 1)
    _require(is_valid, name, "True or False", value)


def check_count(name: str, value: Any, *, or_none: bool = False, or_zero: bool = False) -> None:
    """Raise unless value is a whole number above zero (or None, or 0, where that has a meaning)."""
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    is_valid = (is_whole and value >= (0 if or_zero else 1)) or (or_none and value is None)
    _require(is_valid, name, f"a whole number of at least {'zero' if or_zero else 'one'}", value)


def check_share(name: str, value: Any, *, strictly: bool = False) -> None:
    """Raise unless value is a number from zero to one, or strictly between them."""
    is_valid = is_number(value) and (0 < value < 1 if strictly else 0 <= value <= 1)
    _require(is_valid, name, "a number between 0 and 1", value)


def check_class_weight(name: str, value: Any) -> None:
    """Raise unless it is None, "balanced", or positive numbers by class."""
    if isinstance(value, dict):
        is_valid = all(is_number(factor) and factor > 0 for factor in value.values())
    else:
        is_valid = value is None or (isinstance(value, str) and value == "balanced")
    wanted = "None, 'balanced' or a dict of positive numbers keyed by class"
    _require(is_valid, name, wanted, value)


_USUAL_CHECKS = {
    "class_weight": check_class_weight,
    "max_iter": check_count,
    "n_Cs": check_count,
    "standardize": check_flag,
    "tol": check_positive,
}


def check_usual_parameters(estimator: Any) -> None:
    """Check the parameters that mean the same in every estimator that has them."""
    given = vars(estimator)  # `get_params` looks at the signature again each time
    for name, check in _USUAL_CHECKS.items():
        if name in given:
            check(name, given[name])


def weigh_classes(
    class_weight: Any,
    classes: list[Any],
    codes: IndexArray,
    y: FloatArray,
    weight: FloatArray,
) -> FloatArray:
    """The factors by which class_weight multiplies the cost of an error of each sample."""
    if class_weight is None:
        return np.ones(len(y))
    if isinstance(class_weight, str):
        plus, minus = weight[y > 0].sum(), weight[y < 0].sum()
        return np.where(y > 0, (plus + minus) / (2 * plus), (plus + minus) / (2 * minus))
    unknown = [key for key in class_weight if key not in classes]
    if unknown:
        raise ValueError(f"class_weight names {unknown!r}, but the classes are {classes!r}")
    return np.array([class_weight.get(label, 1.0) for label in classes])[codes]


def weigh_many_classes(
    class_weight: Any, classes: list[Any], codes: IndexArray, weight: FloatArray
) -> FloatArray:
    """The same for all classes together: "balanced" makes their total costs equal."""
    if isinstance(class_weight, str):
        sums = np.bincount(codes, weights=weight)
        return np.asarray((sums.sum() / (len(classes) * sums))[codes])
    return weigh_classes(class_weight, classes, codes, weight, weight)


def check_data(
    estimator: Any, X: Any, y: Any, *, may_read_blocks: bool = False
) -> tuple[Any, NDArray[Any]]:
    """X and y in a form that the solvers can use; X is not copied unless it must be.

    X outside memory is refused unless the estimator, or the caller, takes it. X may be an AnnData
    object, and y the name of a column of its obs.
    """
    X, y, genes = read_targets(X, y)
    X = adopt(estimator, X)
    if is_outside_memory(X):
        if not may_read_blocks:
            refuse_blocks(estimator)
        _keep_names(estimator, X)
        return X, check_labels(X, y)
    _reject_text_columns(X)
    refuse_masked("X", X)
    refuse_masked("y", y)
    check_sparse(X, "X")
    X, y = validate_data(
        estimator,
        X,
        y,
        accept_sparse=SPARSE_FORMATS,
        dtype="numeric",
        ensure_min_samples=2,
        ensure_all_finite=False,  # checked on the column means, which are needed anyway
    )
    keep_genes(estimator, genes)
    check_classification_targets(y)
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X, y


def adopt(estimator: Any, X: Any) -> Any:
    """X itself; data that live elsewhere as a matrix that stays there, if the estimator can use it.

    Chunks of a Dask array stay on their workers. An array of torch, CuPy and the like stays on its
    device; other estimators are told by its library how to copy it, or it is in memory and numpy
    reads it.
    """
    if is_device_array(X) and abilities_of(estimator).reads_blocks:
        return DeviceMatrix(X)
    if type(X).__module__.partition(".")[0] != "dask" or not hasattr(X, "chunks"):
        return X
    from fewest.stores._dask import wrap_dask_array

    return wrap_dask_array(X)


def is_outside_memory(X: Any) -> bool:
    """Whether X is read in blocks, or lives on other computers."""
    return isinstance(X, Matrix) and not X.is_in_memory


def refuse_blocks(estimator: Any) -> None:
    """Raise unless the estimator takes data outside memory."""
    abilities = abilities_of(estimator)
    if not abilities.reads_blocks:
        raise ValueError(
            f"{abilities.name} with these parameters needs X in memory, but X is read in blocks. "
            "Use SupportFeatureMachine, SupportFeatureMachineCV, ZeroNormSVM or Liknon, or give "
            "the columns that matter as an array: X[:, columns]"
        )


def check_labels(X: Any, y: Any) -> NDArray[Any]:
    """Labels, one for each sample of data outside memory."""
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    check_consistent_length(X, y)
    if X.shape[0] < 2:
        raise ValueError(f"Found array with {X.shape[0]} sample(s), but at least two are needed")
    return y


def _keep_names(estimator: Any, X: Any) -> None:
    """What scikit-learn keeps of the columns of X: their number, and names if there are any."""
    estimator.n_features_in_ = X.shape[1]
    names = getattr(X, "feature_names", None)
    if names is not None:
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_


def _check_names(estimator: Any, X: Any) -> None:
    """Raise unless the columns are those of the fit."""
    if X.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input"
        )
    known, given = feature_names_of(estimator), getattr(X, "feature_names", None)
    if known is not None and given is not None and not np.array_equal(known, given):
        place = int(np.argmax(known != given))
        raise ValueError(
            "The feature names should match those that were passed during fit: feature "
            f"{place + 1} was {known[place]!r}, and is {given[place]!r} now"
        )


def check_new_data(estimator: Any, X: Any) -> Any:
    """X for the methods of a fitted estimator."""
    check_is_fitted(estimator)
    if is_annotated(X):
        return take_known_genes(estimator, X)
    X = adopt(estimator, X)
    if is_outside_memory(X):
        _check_names(estimator, X)
        return X
    refuse_masked("X", X)
    check_sparse(X, "X")
    return validate_data(estimator, X, accept_sparse=SPARSE_FORMATS, dtype="numeric", reset=False)


def encode_classes(name: str, y: ArrayLike) -> tuple[NDArray[Any], IndexArray]:
    """The classes, two or more, and the places of the labels among them."""
    classes, codes = np.unique(np.asarray(y), return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"{name} needs samples of at least two classes, but y contains only one class: "
            f"{classes.tolist()[0]!r}"
        )
    return classes, codes


def encode_two_classes(name: str, y: ArrayLike) -> tuple[NDArray[Any], IndexArray]:
    """The same for methods that compare two classes only."""
    classes, codes = encode_classes(name, y)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"{name} compares two classes, but y has {len(classes)}. Compare one class with the "
            "rest; for classifiers, use sklearn.multiclass.OneVsRestClassifier"
        )
    return classes, codes


def drop_zero_weights(
    X: Any, codes: IndexArray, sample_weight: ArrayLike | None
) -> tuple[Any, IndexArray, FloatArray | None]:
    """Leave out samples of weight zero; None stands for equal weights."""
    if sample_weight is None:
        return X, codes, None
    if np.all(np.asarray(sample_weight) == 0):
        raise ValueError("sample_weight is zero for every sample: nothing is left to fit")
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    kept = weight > 0
    if not kept.all():
        X, codes, weight = X[kept], codes[kept], weight[kept]
    return X, codes, weight


def standardize_columns(
    X: Any,
    weight: FloatArray | None = None,
    *,
    per_column: bool = True,
    codes: IndexArray | None = None,
) -> Columns:
    """Standardised columns, at least one of which varies; `codes` are the places of the labels."""
    with np.errstate(invalid="ignore", over="ignore"):
        columns = scale_columns(X, per_column=per_column, sample_weight=weight, codes=codes)
    check_moments(X, columns.mean, columns.inverse_scale)
    if columns.n_usable == 0:
        raise ValueError(
            f"all {columns.n_features} feature(s) of X are constant, or vary by no more than "
            "rounding: no feature can tell the classes apart. Check that the right columns were "
            "read"
        )
    return columns


def check_moments(X: Any, *moments: FloatArray) -> None:
    """Raise unless means and variances of X are finite: X is searched only where they are not."""
    if not all(np.all(np.isfinite(one)) for one in moments):
        if isinstance(X, Matrix):
            X = X.data
        if not is_outside_memory(X):  # those were searched as they were read
            assert_all_finite(X.data if sparse.issparse(X) else X, input_name="X")
        raise ValueError("X holds values so large that their squares overflow: rescale them")


def share_scale(columns: Columns) -> Columns:
    """The same columns on one common scale, as `per_column=False` would have made them."""
    usable = columns.inverse_scale > 0.0
    inverse_scale = np.zeros(columns.n_features)
    if usable.any():
        inverse_scale[usable] = 1.0 / np.sqrt(np.mean(columns.inverse_scale[usable] ** -2.0))
    return columns.with_scale(inverse_scale, columns.deviations(np.arange(columns.n_features)))


def unscale(
    columns: Columns, features: IndexArray, w: FloatArray, b: float
) -> tuple[FloatArray, float]:
    """Weights and bias for X as it was given, of a hyperplane on standardised columns."""
    raw = w * columns.inverse_scale[features]
    return raw, float(b - raw @ columns.mean[features])


def mask_columns(columns: Columns, features: IndexArray) -> Columns:
    """The same columns, of which these can no longer be selected."""
    inverse_scale = columns.inverse_scale.copy()
    inverse_scale[features] = 0.0
    return columns.with_scale(inverse_scale)


def _reject_text_columns(X: Any) -> None:
    """A data frame with text gets an error that names its columns."""
    dtypes = getattr(X, "dtypes", None)
    if dtypes is None or not hasattr(X, "iloc"):
        return
    text = [
        str(X.columns[place])
        for place, dtype in enumerate(dtypes)
        if str(dtype) in ("object", "string", "str", "category") and _is_text(X.iloc[:, place])
    ]
    if text:
        shown = ", ".join(text[:5]) + (", ..." if len(text) > 5 else "")
        raise ValueError(
            f"{len(text)} column(s) of X hold text or categories ({shown}): could not convert "
            "string to float. Drop them or encode them as numbers first"
        )


def _is_text(column: Any) -> bool:
    try:
        np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        return True
    return False


def take_part(X: Any, rows: IndexArray, columns: IndexArray) -> Any:
    """Some rows of some columns, dense, without a copy of whole rows or columns."""
    if isinstance(X, Matrix):
        return X.take_rows(rows, columns)
    return X[:, columns][rows].toarray() if sparse.issparse(X) else X[np.ix_(rows, columns)]


def make_dense(block: Any) -> Any:
    """The block as an array, if it is sparse."""
    return block.toarray() if sparse.issparse(block) else block
