"""The second gate: arrays in, checked views out. Behind it nothing is checked again.

scikit-learn's `validate_data` does what it does well (shapes, names, conversions); NaN and
infinities, and the structure of a CSR matrix, are looked for by our own kernels, which are faster
and name the place. Every refusal says what is wrong, where, and what to do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    assert_all_finite,
    column_or_1d,
    validate_data,
)

from inducer._core.base import Rows, csr_fault
from inducer.base._threads import threads
from inducer.base.errors import InputError

Array = NDArray[Any]
FLOATS = (np.float64, np.float32)


@dataclass(frozen=True)
class Labels:
    """Labels as codes: ``classes[codes]`` are the labels again."""

    classes: Array
    codes: NDArray[np.int32]


def check_X(
    learner: Any, X: Any, *, reset: bool, y: Any = "no_validation", accept_sparse: bool = True
) -> Any:
    """Return X as a float32 or float64 array or CSR matrix, without a copy where it is one.

    Parameters
    ----------
    learner : estimator
        Its ``n_features_in_`` and ``feature_names_in_`` are set or compared with.
    X : array, sparse matrix or DataFrame
    reset : bool
        Whether this is a fit.
    y : any, optional
        Given when fitting a supervised learner: only that it is there is checked here.
    """
    if y is None:
        # scikit-learn's own words.
        validate_data(learner, X, y, reset=reset, skip_check_array=True)
    try:
        checked = validate_data(
            learner,
            X,
            reset=reset,
            accept_sparse="csr" if accept_sparse else False,
            dtype=FLOATS,
            ensure_all_finite=False,
        )
    except ValueError as error:
        raise InputError(f"{error}{_text_columns(X)}") from None
    if sparse.issparse(checked):
        checked = _sound_csr(checked)
    place = rows_of(checked).first_nonfinite(threads())
    if place is not None:
        raise InputError(_nonfinite(learner, X, checked, *place))
    return checked


def rows_of(X: Any) -> Rows:
    """Return the kernels' view of an array or CSR matrix that `check_X` has passed."""
    if not sparse.issparse(X):
        return Rows.dense(X)
    return Rows.sparse(
        np.ascontiguousarray(X.data),
        np.ascontiguousarray(X.indices, dtype=np.int32),
        np.ascontiguousarray(X.indptr, dtype=np.int64),
        X.shape[1],
        threads(),
    )


def check_labels(y: Any, X: Any, *, learner: Any = None) -> Labels:
    """Return class labels as codes of their sorted distinct values.

    Parameters
    ----------
    y : array of shape (n_samples,)
        Labels of one kind, none missing.
    X : array
        Its rows go with y.
    """
    name = f" of {type(learner).__name__}" if learner is not None else ""
    try:
        labels = column_or_1d(y, warn=True)
        check_length(labels, X, "y")
        if labels.dtype.kind not in "biuSU":
            if labels.dtype.kind == "f":
                assert_all_finite(labels, input_name="y")
            else:
                _check_objects(labels)
            check_classification_targets(labels)
        classes, codes = _distinct(labels)
    except (ValueError, TypeError) as error:
        raise InputError(f"{error}") from None
    if len(classes) < 2:
        raise InputError(
            f"The labels{name} hold one class only, {classes[0]!r}: there is nothing to tell "
            "apart. Give rows of at least two classes."
        )
    return Labels(classes, codes)


def codes_in(y: Any, classes: Array, X: Any) -> NDArray[np.int32]:
    """Return the codes of labels among known classes."""
    labels = column_or_1d(y, warn=True)
    check_length(labels, X, "y")
    places = np.searchsorted(classes, labels)
    places[places == len(classes)] = 0
    strange = classes[places] != labels
    if np.any(strange):
        row = int(np.argmax(strange))
        raise InputError(
            f"y holds {labels[row]!r} in row {row}, which is not among the classes "
            f"{classes.tolist()}. Name all classes in the first call of partial_fit."
        )
    return places.astype(np.int32)


def check_weights(sample_weight: Any, X: Any) -> NDArray[np.float64] | None:
    """Return weights as float64, or None; negative, non-finite and all-zero ones are refused."""
    if sample_weight is None:
        return None
    try:
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    except ValueError as error:
        raise InputError(f"sample_weight: {error}") from None
    weights = np.ascontiguousarray(weights, dtype=np.float64)
    if np.any(weights < 0):
        row = int(np.argmax(weights < 0))
        raise InputError(
            "Negative values in data passed to `sample_weight`: "
            f"{weights[row]} in row {row}. A weight says how often a row counts."
        )
    if not np.any(weights > 0):
        raise InputError("All sample weights are zero: no row would count.")
    return weights


def class_weights(
    class_weight: Any, labels: Labels, weights: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    """Return row weights with the class weights multiplied in."""
    if class_weight is None:
        return weights
    if isinstance(class_weight, Mapping):
        strange = set(class_weight) - set(labels.classes.tolist())
        if strange:
            raise InputError(
                f"class_weight names {sorted(map(repr, strange))}, not among the classes "
                f"{labels.classes.tolist()}."
            )
    try:
        by_class = compute_class_weight(
            class_weight,
            classes=labels.classes,
            y=labels.classes[labels.codes],
            sample_weight=weights,
        )
    except ValueError as error:
        raise InputError(f"class_weight: {error}") from None
    by_row = np.asarray(by_class, dtype=np.float64)[labels.codes]
    return check_weights(by_row if weights is None else by_row * weights, labels.codes)


def check_length(values: Any, X: Any, name: str) -> None:
    """Refuse values that are not one a row of X."""
    rows, got = X.shape[0], len(values)
    if got != rows:
        raise InputError(
            f"X and {name} have inconsistent numbers of samples: {rows} rows, {got} values."
        )


def _distinct(labels: Array) -> tuple[Array, NDArray[np.int32]]:
    """Return `np.unique` with codes; by counting where the labels are integers close together."""
    if labels.dtype.kind in "iub" and len(labels):
        numbers = labels.view(np.uint8) if labels.dtype.kind == "b" else labels
        low, high = int(numbers.min()), int(numbers.max())
        if high - low <= 4 * len(labels) + 1024 and high < 2**62 and low > -(2**62):
            shifted = numbers.astype(np.int64) - low
            seen = np.bincount(shifted, minlength=high - low + 1) > 0
            code_of = np.cumsum(seen, dtype=np.int32) - np.int32(1)
            classes = (np.flatnonzero(seen) + low).astype(labels.dtype)
            return classes, code_of[shifted].astype(np.int32, copy=False)
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes.astype(np.int32)


def _check_objects(labels: Array) -> None:
    """Refuse missing labels and labels of several kinds."""
    kinds: dict[type, int] = {}
    for row, label in enumerate(labels):
        if label is None or label != label:
            raise InputError(f"y is missing in row {row} ({label!r}): drop or fill such rows.")
        kind = str if isinstance(label, str) else float if np.isreal(label) else type(label)
        kinds.setdefault(kind, row)
    if len(kinds) > 1:
        places = ", ".join(f"{kind.__name__} in row {row}" for kind, row in kinds.items())
        raise InputError(f"y holds labels of several kinds ({places}): make them all of one.")


def _sound_csr(X: Any) -> Any:
    """Return a CSR matrix whose structure the kernels may trust; unsorted columns are sorted."""
    rows, cols = X.shape
    if len(X.indptr) != rows + 1 or len(X.indices) != len(X.data):
        raise InputError(
            f"X is no sound CSR matrix: {rows} rows with {len(X.indptr)} row pointers, "
            f"{len(X.data)} values with {len(X.indices)} column indices."
        )
    if cols > np.iinfo(np.int32).max:
        raise InputError(f"X has {cols} columns; at most {np.iinfo(np.int32).max} are possible.")
    indices = np.asarray(X.indices)
    if indices.dtype != np.int32:
        wide = (indices < 0) | (indices >= cols)
        if np.any(wide):
            raise InputError(_outside(X, int(np.argmax(wide))))
    fault, row, column = csr_fault(
        np.ascontiguousarray(indices, dtype=np.int32),
        np.ascontiguousarray(X.indptr, dtype=np.int64),
        cols,
        threads(),
    )
    if fault == "indptr":
        raise InputError(
            f"X is no sound CSR matrix: its row pointers do not rise from 0 to the number of "
            f"stored values (row {row})."
        )
    if fault == "range":
        raise InputError(
            f"X is no sound CSR matrix: row {row} has a value in column {column}, "
            f"but there are {cols} columns."
        )
    if fault == "unordered":
        X = X.copy()
        X.sum_duplicates()
    return X


def _outside(X: Any, at: int) -> str:
    row = int(np.searchsorted(X.indptr, at, side="right")) - 1
    return (
        f"X is no sound CSR matrix: row {row} has a value in column {X.indices[at]}, "
        f"but there are {X.shape[1]} columns."
    )


def _nonfinite(learner: Any, X: Any, checked: Any, row: int, col: int) -> str:
    """Return the words for a NaN or infinity at a place."""
    value = checked[row, col]
    what = "NaN" if np.isnan(value) else "infinity"
    names = getattr(X, "columns", None)
    column = f"column {col}" if names is None else f"column {col} ({list(names)[col]!r})"
    cure = (
        "Fill missing cells first, with scikit-learn's SimpleImputer for example."
        if what == "NaN"
        else "Remove the row, or clip the value."
    )
    return f"Input X contains {what}: row {row}, {column}. {type(learner).__name__} {_needs} {cure}"


_needs = "needs numbers in every cell."


def _text_columns(X: Any) -> str:
    """Return words that name the columns of a DataFrame that do not hold numbers."""
    import narwhals as nw

    frame = nw.from_native(X, pass_through=True, eager_only=True)
    if not isinstance(frame, nw.DataFrame):
        return ""
    strange = [
        name
        for name, kind in frame.schema.items()
        if not (kind.is_numeric() or kind == nw.Boolean())
    ]
    if not strange:
        return ""
    return f" Columns without numbers: {strange}; encode or drop them."
