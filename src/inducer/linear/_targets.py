"""The gate for targets of a loss: numbers, counts or amounts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inducer.base.errors import InputError
from inducer.base.targets import check_numbers
from inducer.losses import Loss

_LOWEST = {"counts": "at least 0", "positive": "above 0"}


def check_targets(y: Any, X: Any, loss: Loss) -> NDArray[np.float64]:
    """Return targets as float64, one a row of X, of those that a loss is for."""
    numbers = check_numbers(y, X)
    if loss.targets in _LOWEST:
        outside = numbers < 0 if loss.targets == "counts" else numbers <= 0
        if np.any(outside):
            row = int(np.argmax(outside))
            raise InputError(
                f"y holds {float(numbers[row])!r} in row {row}, but targets of {loss!r} are "
                f"{_LOWEST[loss.targets]}. Drop such rows, or use a loss for other numbers."
            )
    return numbers
