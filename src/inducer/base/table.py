"""Tables: numbers and categories side by side, cells may be missing.

The gate of learners that take categories as they are. A category is a cell's code, the place of its
level among the sorted levels that `fit` saw; a level it did not see is a missing cell. Codes stand
in the same float columns as numbers do: a kernel needs to know only which columns hold codes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._missing import is_pandas_na
from sklearn.utils.validation import check_array, validate_data

from inducer._core.base import Rows
from inducer.base.arrays import Array, check_X, frame_of, refuse_dates, refuse_masked
from inducer.base.errors import InputError

Levels = tuple[Array | None, ...]  # of each column, sorted; None for numbers


@dataclass(frozen=True)
class Table:
    """Checked rows, NaN where a cell is missing.

    Attributes
    ----------
    X : array of shape (n_samples, n_features)
        Numbers, and codes of categories.
    rows : Rows
        The kernels' view of it.
    levels : tuple of (array or None)
        What the codes of each column stand for; None for columns of numbers.
    """

    X: Array
    rows: Rows
    levels: Levels

    @property
    def categories(self) -> NDArray[np.int32]:
        """The number of levels of each column, zero for numbers."""
        return np.array([0 if one is None else len(one) for one in self.levels], np.int32)


def check_table(
    learner: Any, X: Any, *, y: Any = "no_validation", categorical_features: Any = "from_dtype"
) -> Table:
    """Return the rows of a fit.

    Parameters
    ----------
    learner : estimator
        Its ``n_features_in_`` and ``feature_names_in_`` are set.
    X : array or DataFrame
    y : any, optional
        Given when fitting a supervised learner: only that it is there is checked here.
    categorical_features : "from_dtype", sequence or None
        Names or places of the columns that hold categories, or a mask; "from_dtype" means those
        that a DataFrame says are categories.
    """
    places = _places(X, categorical_features)
    if not places:
        matrix = check_X(learner, X, reset=True, y=y, accept_sparse=False, missing_allowed=True)
        return Table(matrix.X, matrix.rows, (None,) * matrix.X.shape[1])
    columns = _columns(learner, X, y=y, reset=True)
    levels = tuple(
        _levels(column) if j in places else None for j, column in enumerate(columns.each())
    )
    return _coded(learner, columns, levels)


def check_like(learner: Any, X: Any, levels: Levels) -> Table:
    """Return rows with the columns and levels of a fit; a new level is a missing cell."""
    if all(one is None for one in levels):
        matrix = check_X(learner, X, reset=False, accept_sparse=False, missing_allowed=True)
        return Table(matrix.X, matrix.rows, levels)
    return _coded(learner, _columns(learner, X, reset=False), levels)


class _Columns:
    """The columns of a frame, or of an array of any kind, by number."""

    def __init__(self, X: Any) -> None:
        self.frame = frame_of(X)
        self.array: Any = None if self.frame is not None else _array(X)
        self.shape = (self.frame if self.frame is not None else self.array).shape

    def each(self) -> Iterable[Any]:
        """Yield the columns."""
        return (self.column(j) for j in range(self.shape[1]))

    def column(self, j: int) -> Any:
        """Return one column as an array."""
        return self.array[:, j] if self.frame is None else self.frame[:, j].to_numpy()

    def numbers(self, j: int) -> Array:
        """Return one column as numbers, NaN where missing."""
        try:
            if self.frame is None:
                if self.array.dtype == object and any(isinstance(c, str) for c in self.column(j)):
                    raise ValueError("it holds text")
                return np.asarray(self.column(j), np.float64)
            import narwhals as nw

            if not (self.frame[:, j].dtype.is_numeric() or self.frame[:, j].dtype == nw.Boolean):
                raise ValueError(f"it holds {self.frame[:, j].dtype}")
            found: Array = self.frame[:, j].cast(nw.Float64).to_numpy()
            return found
        except (ValueError, TypeError) as error:
            raise InputError(
                f"{self.name(j)} of X is no column of numbers: {error}. Name it in "
                "categorical_features if it holds categories."
            ) from None

    def name(self, j: int) -> str:
        """Return what to call a column in a message."""
        return f"column {j}" + ("" if self.frame is None else f" ({self.frame.columns[j]!r})")


def _array(X: Any) -> Any:
    """Return an array of whatever kind: objects where there is text among numbers."""
    kept = np.asarray(X, dtype=None if isinstance(X, np.ndarray) else object)
    try:
        return check_array(
            kept, dtype=None, ensure_all_finite=False, ensure_min_samples=0, ensure_min_features=0
        )
    except ValueError as error:
        raise InputError(str(error)) from None


def _columns(learner: Any, X: Any, *, reset: bool, y: Any = "no_validation") -> _Columns:
    """Return the columns of X once their number and names are what they should be."""
    refuse_masked(X, "X")
    refuse_dates(X)
    if hasattr(X, "collect_schema") and not hasattr(X, "shape"):
        raise InputError("X is a lazy frame: call its collect() first.")
    columns = _Columns(X)
    try:
        validate_data(learner, X, y, reset=reset, skip_check_array=True)
    except ValueError as error:
        raise InputError(str(error)) from None
    if columns.shape[0] == 0:
        raise InputError("Found array with 0 sample(s): X has no rows.")
    return columns


def _coded(learner: Any, columns: _Columns, levels: Levels) -> Table:
    """Return the table of columns whose levels are known."""
    X = np.empty(columns.shape, np.float64, order="F")
    for j, known in enumerate(levels):
        X[:, j] = columns.numbers(j) if known is None else _codes(columns.column(j), known)
        strange = np.flatnonzero(np.isinf(X[:, j]))
        if len(strange):
            raise InputError(
                f"Input X contains infinity: row {strange[0]}, {columns.name(j)}. "
                f"{type(learner).__name__} takes numbers and missing cells. Remove the row, or "
                "clip the value."
            )
    return Table(X, Rows.dense(X), levels)


def _missing(cell: Any) -> bool:
    return bool(cell is None or is_pandas_na(cell) or cell != cell)


def _levels(column: Any) -> Array:
    """Return the distinct cells of a column, sorted; missing ones are none."""
    if column.dtype.kind in "biufSU":
        found: Array = np.unique(column)
        return found[~np.isnan(found)] if found.dtype.kind == "f" else found
    distinct = [cell for cell in set(column.tolist()) if not _missing(cell)]
    try:
        distinct.sort()
    except TypeError:  # of several kinds
        distinct.sort(key=lambda cell: (type(cell).__name__, cell))
    kinds = {type(cell) for cell in distinct}
    if kinds <= {str} or kinds <= {int} or kinds <= {float, int} or kinds <= {bool}:
        return np.array(distinct)
    listed = np.empty(len(distinct), dtype=object)
    listed[:] = distinct
    return listed


def _codes(column: Any, levels: Array) -> NDArray[np.float64]:
    """Return the places of cells among levels, NaN for those that are not among them."""
    if column.dtype.kind in "biuf" and levels.dtype.kind in "biuf":
        places = np.searchsorted(levels, column)
        places[places == len(levels)] = 0
        same = levels[places] == column if len(levels) else np.zeros(len(column), bool)
        return np.where(same, places, np.nan)
    code_of = {level: float(code) for code, level in enumerate(levels.tolist())}
    found = (code_of.get(cell, np.nan) for cell in column.tolist())
    return np.fromiter(found, np.float64, len(column))


def _places(X: Any, categorical_features: Any) -> frozenset[int]:
    """Return the numbers of the columns that hold categories."""
    frame = frame_of(X)
    if categorical_features is None:
        return frozenset()
    if isinstance(categorical_features, str):
        if categorical_features != "from_dtype":
            raise InputError(
                "categorical_features is 'from_dtype', a list of columns, or None. Got "
                f"{categorical_features!r}."
            )
        if frame is None:
            return frozenset()
        import narwhals as nw

        kinds = frame.schema.values()
        return frozenset(j for j, k in enumerate(kinds) if k in (nw.Categorical, nw.Enum))
    given = np.asarray(categorical_features)
    if given.dtype.kind == "b":
        if given.shape != (np.shape(X)[1],):
            raise InputError(
                f"categorical_features is a mask of {given.size} columns; X has {np.shape(X)[1]}."
            )
        return frozenset(np.flatnonzero(given).tolist())
    return frozenset(_place(one, X, frame) for one in _listed(given))


def _listed(given: Array) -> Sequence[Any]:
    if given.ndim != 1:
        raise InputError("categorical_features: a flat list of columns is wanted.")
    listed: Sequence[Any] = given.tolist()
    return listed


def _place(wanted: Any, X: Any, frame: Any) -> int:
    """Return the number of a column that is named or numbered."""
    if isinstance(wanted, str):
        names = [] if frame is None else frame.columns
        if wanted not in names:
            raise InputError(
                f"categorical_features names {wanted!r}, which is no column of X"
                + (f": {names}." if names else ", which has no names.")
            )
        return int(names.index(wanted))
    cols = (*np.shape(X), 0)[1]
    if not isinstance(wanted, Integral) or not 0 <= int(wanted) < cols:
        raise InputError(f"categorical_features has {wanted!r}, but X has {cols} columns.")
    return int(wanted)
