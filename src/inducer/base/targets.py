"""The second gate for targets that are numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, column_or_1d

from inducer.base._sparse import is_sparse
from inducer.base.arrays import check_length, refuse_masked
from inducer.base.errors import InputError


def check_numbers(y: Any, X: Any) -> NDArray[np.float64]:
    """Return the targets of a regression as float64.

    Parameters
    ----------
    y : array of shape (n_samples,)
        Finite numbers.
    X : array
        Its rows go with y.
    """
    return _checked(y, X, several=False)


def check_number_columns(y: Any, X: Any) -> tuple[NDArray[np.float64], bool]:
    """Return one or several targets a row as a matrix of float64, and whether they were flat.

    Parameters
    ----------
    y : array of shape (n_samples,) or (n_samples, n_targets)
        Finite numbers.
    X : array
        Its rows go with y.
    """
    numbers = _checked(y, X, several=True)
    return numbers.reshape(len(numbers), -1), numbers.ndim == 1


def _checked(y: Any, X: Any, *, several: bool) -> NDArray[np.float64]:
    refuse_masked(y, "y")
    if is_sparse(y):
        raise InputError("y is a sparse matrix. Give a dense array, y.toarray() for example.")
    try:
        if several:
            given = check_array(
                y, ensure_2d=False, dtype=None, ensure_all_finite=False, input_name="y"
            )
        else:
            given = column_or_1d(y, warn=True)
        if given.dtype.kind == "c":
            raise ValueError("Complex data not supported: y holds complex numbers.")
        numbers = np.ascontiguousarray(given, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise InputError(f"y: {error} The targets of a regression are numbers.") from None
    check_length(numbers, X, "y")
    strange = np.argwhere(~np.isfinite(numbers))
    if len(strange):
        place = tuple(strange[0])
        what = "NaN" if np.isnan(numbers[place]) else "infinity"
        where = f"row {place[0]}" + (f", column {place[1]}" if several and len(place) > 1 else "")
        raise InputError(f"Input y contains {what}: {where}. Drop or fill such rows.")
    return numbers
