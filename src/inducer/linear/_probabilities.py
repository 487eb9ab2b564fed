"""What scores say: probabilities, and whether they tell the classes apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inducer.base.arrays import Array

Floats = NDArray[np.float64]


def log_probabilities(scores: Array, softmax: bool) -> Floats:
    """Return logarithms of probabilities: of a softmax, or of sigmoids made to sum to 1."""
    z = np.asarray(scores, np.float64)
    if z.shape[1] == 1:
        return np.column_stack([-np.logaddexp(0, z[:, 0]), -np.logaddexp(0, -z[:, 0])])
    if not softmax:
        z = -np.logaddexp(0, -z)
    top = z.max(axis=1, keepdims=True)
    found: Floats = z - top - np.log(np.sum(np.exp(z - top), axis=1, keepdims=True))
    return found


def separates(scores: Array, codes: NDArray[np.int32]) -> bool:
    """Return whether every row scores for its own class: above zero, or above all others."""
    if scores.shape[1] == 1:
        return bool(np.all((scores[:, 0] > 0) == (codes == 1)) and np.all(scores != 0))
    own = scores[np.arange(len(codes)), codes]
    scores = scores.copy()
    scores[np.arange(len(codes)), codes] = -np.inf
    return bool(np.all(own > scores.max(axis=1)))
