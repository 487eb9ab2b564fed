"""What conjugate gradients are given instead of H^-1: something near it that is cheap to apply."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from inducer.base._threads import one_blas_thread

Floats = NDArray[np.float64]
Preconditioner = Callable[[Floats], Floats]

LIFT = 1e-8  # of a diagonal: what a direction that changes nothing is taken to curve


def by_diagonal(diagonal: Floats) -> Preconditioner:
    """Return the division by a diagonal."""
    inverse = 1.0 / np.maximum(diagonal, 1e-300)
    return lambda r: inverse * r


def by_factor(
    H: Floats, diagonal: Floats, missed: NDArray[np.bool_] | None = None
) -> Preconditioner:
    """Return the solution for an estimate of H.

    Parameters
    ----------
    H : array of shape (size, size)
        From some of the rows; overwritten.
    diagonal : array of shape (size,)
        About that of all the rows.
    missed : array of shape (size,), optional
        Which unknowns the rows taken say too little of: they get their curvature from ``diagonal``.
    """
    places = np.diag_indices(len(H))
    curved = H[places] if missed is None else np.where(missed, diagonal, H[places])
    H[places] = np.maximum(curved * (1 + LIFT), 1e-300)
    try:
        with one_blas_thread():
            factor = cho_factor(H, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return by_diagonal(diagonal)

    def solve(r: Floats) -> Floats:
        with one_blas_thread():
            found: Floats = cho_solve(factor, r, check_finite=False)
        return found

    return solve
