"""The second gate: arrays in, checked views out. Behind it nothing is checked again.

scikit-learn's `validate_data` does what it does well (shapes, names, conversions); NaN and
infinities, and the structure of a CSR matrix, are looked for by our own kernels, which are faster
and name the place. Every refusal says what is wrong, where, and what to do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._missing import is_pandas_na
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    assert_all_finite,
    column_or_1d,
    validate_data,
)

from inducer._core.base import Rows
from inducer.base._sparse import is_sparse, refuse_unsound, sound_csr
from inducer.base._threads import threads
from inducer.base.errors import InputError

Array = NDArray[Any]
FLOATS = (np.float64, np.float32)


@dataclass(frozen=True)
class Labels:
    """Labels as codes: ``classes[codes]`` are the labels again."""

    classes: Array
    codes: NDArray[np.int32]


@dataclass(frozen=True)
class Matrix:
    """A checked matrix: the array or CSR matrix, and the kernels' view of it."""

    X: Any
    rows: Rows


def check_X(
    learner: Any,
    X: Any,
    *,
    reset: bool,
    y: Any = "no_validation",
    accept_sparse: bool = True,
    missing_allowed: bool = False,
) -> Matrix:
    """Return X as a matrix of float32 or float64, without a copy where it is one.

    Parameters
    ----------
    learner : estimator
        Its ``n_features_in_`` and ``feature_names_in_`` are set or compared with.
    X : array, sparse matrix or DataFrame
    reset : bool
        Whether this is a fit.
    y : any, optional
        Given when fitting a supervised learner: only that it is there is checked here.
    missing_allowed : bool
        Whether cells may be NaN.
    """
    if y is None:
        # scikit-learn's own words.
        validate_data(learner, X, y, reset=reset, skip_check_array=True)
    refuse_masked(X, "X")
    _refuse_lazy(X)
    refuse_dates(X)
    if is_sparse(X) and X.ndim == 2 and X.format != "csr":
        refuse_unsound(X)
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
    _refuse_text(X)
    if is_sparse(checked):
        matrix = _matrix_of_csr(checked)
    else:
        if not checked.flags.aligned or any(step % checked.itemsize for step in checked.strides):
            checked = checked.copy()  # a field of packed records, for example
        matrix = matrix_of(checked)
    place = matrix.rows.first_nonfinite(threads())
    if place is not None and missing_allowed:
        place = _first_infinite(matrix.X)
    if place is not None:
        raise InputError(_nonfinite(learner, X, matrix.X, *place))
    return matrix


def _first_infinite(X: Array) -> tuple[int, int] | None:
    """Return the place of an infinite cell."""
    infinite = np.isinf(X)
    return divmod(int(infinite.argmax()), X.shape[1]) if infinite.any() else None


def matrix_of(X: Any) -> Matrix:
    """Return an array or CSR matrix that is known to be sound, a part of a checked one say."""
    if not is_sparse(X):
        return Matrix(X, Rows.dense(X))
    return Matrix(
        X,
        Rows.sparse(
            np.ascontiguousarray(X.data),
            np.ascontiguousarray(X.indices, dtype=np.int32),
            np.ascontiguousarray(X.indptr, dtype=np.int64),
            X.shape[1],
            threads(),
        ),
    )


def _matrix_of_csr(X: Any) -> Matrix:
    """Return a CSR matrix that nobody has looked at yet; unsorted columns are sorted."""
    rows, cols = X.shape
    if cols > np.iinfo(np.int32).max:
        raise InputError(f"X has {cols} columns; at most {np.iinfo(np.int32).max} are possible.")
    if X.indices.dtype == np.int32 and len(X.indptr) == rows + 1:
        try:
            return matrix_of(X)  # the kernels look for themselves, and seldom find anything
        except ValueError:
            pass
    return matrix_of(sound_csr(X))


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
        labels = _one_kind(y, X)
        if labels.dtype.kind not in "biuSU":
            check_classification_targets(labels)
        classes, codes = _distinct(labels)
    except (ValueError, TypeError) as error:
        raise InputError(f"{error}") from None
    if len(classes) < 2:
        raise InputError(
            f"The labels{name} hold one class only, {_plain(classes[0])!r}: there is nothing to "
            "tell apart. Give rows of at least two classes."
        )
    return Labels(classes, codes)


def codes_in(y: Any, classes: Array, X: Any) -> NDArray[np.int32]:
    """Return the codes of labels among known classes."""
    try:
        labels = _one_kind(y, X)
        places = np.searchsorted(classes, labels)
    except (ValueError, TypeError) as error:
        raise InputError(f"{error}") from None
    places[places == len(classes)] = 0
    strange = classes[places] != labels
    if np.any(strange):
        row = int(np.argmax(strange))
        raise InputError(
            f"y holds {_plain(labels[row])!r} in row {row}, which is not among the classes "
            f"{classes.tolist()}. Name all classes in the first call of partial_fit."
        )
    return places.astype(np.int32)


def check_weights(sample_weight: Any, X: Any) -> NDArray[np.float64] | None:
    """Return weights as float64, or None; negative, non-finite and all-zero ones are refused."""
    if sample_weight is None:
        return None
    refuse_masked(sample_weight, "sample_weight")
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
    return weights


def class_weights(
    class_weight: Any, labels: Labels, weights: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    """Return row weights with the class weights multiplied in."""
    if class_weight is None:
        return weights
    if isinstance(class_weight, Mapping):
        # Not scikit-learn's compute_class_weight, which takes the label 0.5 for 0 and "1" for 1.
        given = {_plain(label): weight for label, weight in class_weight.items()}
        names = [_plain(label) for label in labels.classes]
        strange = set(given) - set(names)
        if strange:
            raise InputError(
                f"class_weight names {sorted(strange, key=repr)}, not among the classes {names}."
            )
        by_class = _numbers([given.get(name, 1.0) for name in names])
        wrong = ~(np.isfinite(by_class) & (by_class >= 0))
        if np.any(wrong):
            place = int(np.argmax(wrong))
            raise InputError(
                f"class_weight of {names[place]!r} is {by_class[place]}. A weight says how often a "
                "row counts: give a finite number, not below zero."
            )
    elif isinstance(class_weight, str) and class_weight == "balanced":
        counts = np.bincount(labels.codes, weights, minlength=len(labels.classes))
        # A class without weight has no rows that count, whatever its own weight is.
        by_class = counts.sum() / (len(counts) * np.where(counts > 0, counts, np.inf))
    else:
        raise InputError(
            f"class_weight is a dict from labels to weights, 'balanced' or None. "
            f"Got {class_weight!r:.200}."
        )
    by_row = by_class[labels.codes]
    return check_weights(by_row if weights is None else by_row * weights, labels.codes)


def _numbers(weights: list[Any]) -> NDArray[np.float64]:
    try:
        return np.array(weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"class_weight: {error}") from None


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


def _one_kind(y: Any, X: Any) -> Array:
    """Return labels as a vector, one a row of X, none missing and all of one kind."""
    refuse_masked(y, "y")
    nullable = getattr(getattr(y, "dtype", None), "numpy_dtype", None)
    if nullable is not None and not y.isna().any():  # pandas's, which would become floats
        y = y.to_numpy(nullable)
    if isinstance(y, list | tuple) and len({isinstance(label, str) for label in y}) > 1:
        y = np.array(y, dtype=object)  # or 1 would become "1"
    labels: Array = column_or_1d(y, warn=True)
    check_length(labels, X, "y")
    if labels.dtype == object and _check_objects(labels) is float:
        labels = np.array(labels.tolist())  # numbers, and now an array of such
    if labels.dtype.kind == "f":
        try:
            assert_all_finite(labels, input_name="y")
        except ValueError as error:
            row = int(np.argmin(np.isfinite(labels)))
            raise InputError(f"{error} See row {row}: drop or fill such rows.") from None
    elif labels.dtype.kind == "M" and np.any(np.isnat(labels)):
        row = int(np.argmax(np.isnat(labels)))
        raise InputError(f"y is missing in row {row} (NaT): drop or fill such rows.")
    return labels


def _plain(label: Any) -> Any:
    """Return a label as Python's own value, for messages."""
    return label.item() if isinstance(label, np.generic) else label


def _check_objects(labels: Array) -> type:
    """Return the one kind of the labels, float for all real numbers; refuse missing labels."""
    kinds: dict[type, int] = {}
    for row, label in enumerate(labels):
        if label is None or is_pandas_na(label) or label != label:
            raise InputError(f"y is missing in row {row} ({label!r}): drop or fill such rows.")
        kind = str if isinstance(label, str) else type(label)
        kind = float if issubclass(kind, (Real, np.bool_)) else kind
        kinds.setdefault(kind, row)
    if len(kinds) > 1:
        places = ", ".join(f"{kind.__name__} in row {row}" for kind, row in kinds.items())
        raise InputError(f"y holds labels of several kinds ({places}): make them all of one.")
    return next(iter(kinds), object)


def refuse_masked(values: Any, name: str) -> None:
    """Refuse a masked array with cells under its mask: NumPy would hand out what lies there."""
    if np.ma.is_masked(values):
        place = tuple(np.argwhere(np.ma.getmaskarray(values))[0].tolist())
        where = f"row {place[0]}" + (f", column {place[1]}" if len(place) > 1 else "")
        raise InputError(
            f"{name} is a masked array with masked cells, the first in {where}. Fill them, with "
            f"{name}.filled(...), or drop such rows."
        )


def _refuse_lazy(X: Any) -> None:
    """Refuse a frame that is a plan and holds no rows yet."""
    if hasattr(X, "collect_schema") and not hasattr(X, "shape"):
        raise InputError("X is a lazy frame: call its collect() first.")


def refuse_dates(X: Any) -> None:
    """Refuse DataFrames with columns of dates or times, which would silently become numbers."""
    frame = frame_of(X)
    dates = [] if frame is None else [n for n, kind in frame.schema.items() if kind.is_temporal()]
    if dates:
        raise InputError(
            f"X has columns of dates or times: {dates}. Turn them into numbers that mean something "
            "(days since the start, the month), or drop them."
        )


def _refuse_text(X: Any) -> None:
    """Refuse text that NumPy has made numbers of, silently, since it looks like numbers."""
    frame = frame_of(X)
    if frame is not None:
        texts = [name for name, kind in frame.schema.items() if str(kind) == "String"]
        where, cure = f"columns {texts}", "Cast them, or encode them."
    else:
        cells = np.asarray(X) if isinstance(X, list | tuple) else X
        kind = getattr(getattr(cells, "dtype", None), "kind", "")
        texts = [(0, 0)] if kind in ("S", "U") else []
        if kind == "O":
            found = (at for at, cell in np.ndenumerate(cells) if isinstance(cell, str | bytes))
            texts = [place for place in [next(found, None)] if place is not None]
        where = "".join(f"row {i}, column {j}: {_plain(cells[i, j])!r}" for i, j in texts)
        cure = "X.astype(float) makes numbers of it, if that is what it means."
    if texts:
        raise InputError(f"X holds text, though it looks like numbers ({where}). {cure}")


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
    frame = frame_of(X)
    if frame is None:
        return ""
    strange = [
        name
        for name, kind in frame.schema.items()
        if not (kind.is_numeric() or str(kind) == "Boolean")
    ]
    if not strange:
        return ""
    return f" Columns without numbers: {strange}; encode or drop them."


def frame_of(X: Any) -> Any:
    """Return a DataFrame of any library in narwhals's clothes, or None for what is none."""
    if isinstance(X, np.ndarray) or not hasattr(X, "columns"):
        return None
    import narwhals as nw

    frame = nw.from_native(X, pass_through=True, eager_only=True)
    return frame if isinstance(frame, nw.DataFrame) else None
