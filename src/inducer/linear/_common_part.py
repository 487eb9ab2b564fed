"""What the outputs of a softmax have in common: probabilities do not see it, absolute values do.

Adding the same number to a feature's weight of every output changes no probability. So the Hessian
is singular that way, and Newton's step endless. The best number for a penalty on absolute values is
known without it: minus a median of the weights, after which one of them is zero or both signs are
equally many.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def without_common_part(v: Floats, free: NDArray[np.bool_], outputs: int) -> Floats:
    """Return v less its mean over the outputs, for features whose unknowns are all free."""
    table = v.reshape(outputs, -1).copy()
    whole = free.reshape(outputs, -1).all(axis=0)
    table[:, whole] -= table[:, whole].mean(axis=0)
    return table.ravel()


def about_medians(at: Floats, outputs: int) -> Floats:
    """Return weights less a median over the outputs, the one that is nearest to zero."""
    table = at.reshape(outputs, -1).copy()
    ordered = np.sort(table, axis=0)
    low, high = ordered[(outputs - 1) // 2], ordered[outputs // 2]
    table -= np.clip(0.0, low, high)
    return table.ravel()
