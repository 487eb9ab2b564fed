"""The second gate for targets that are numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from inducer.base.arrays import _refuse_masked, check_length
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
    _refuse_masked(y, "y")
    try:
        numbers = column_or_1d(y, warn=True)
        if numbers.dtype.kind == "c":
            raise ValueError("Complex data not supported: y holds complex numbers.")
        numbers = np.ascontiguousarray(numbers, dtype=np.float64)
    except (ValueError, TypeError) as error:
        raise InputError(f"y: {error} The targets of a regression are numbers.") from None
    check_length(numbers, X, "y")
    strange = ~np.isfinite(numbers)
    if np.any(strange):
        row = int(np.argmax(strange))
        what = "NaN" if np.isnan(numbers[row]) else "infinity"
        raise InputError(f"Input y contains {what}: row {row}. Drop or fill such rows.")
    return numbers
