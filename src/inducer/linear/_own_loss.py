"""The gate for a loss of one's own: numbers, and a derivative that is one of that function."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inducer.base.errors import ParameterError
from inducer.losses import Loss

Floats = NDArray[np.float64]

STEP = 1e-4  # of a score, or of 1
ROUNDING = 1e-9  # of the values, in a slope over a step
MOST = 100  # rows that are tried


def require_sound(loss: Loss, y: Floats, start: float) -> None:
    """Refuse a loss in Python whose values are no numbers, or whose derivative is another's.

    The slope of a convex function lies between those of its chords to the left and to the right.
    """
    if loss.kind is not None:
        return
    rows = np.unique(np.linspace(0, len(y) - 1, min(MOST, len(y))).astype(np.intp))
    y = y[rows]
    for away in (0.0, -1.0, 1.0):
        z = np.full(len(y), start + away * max(1.0, abs(start)))
        h = STEP * np.maximum(1.0, np.abs(z))
        with np.errstate(all="ignore"):
            below, here, above = (np.asarray(loss.value(y, at)) for at in (z - h, z, z + h))
            slope = np.asarray(loss.derivative(y, z))
            loose = ROUNDING * (np.abs(below) + np.abs(above) + np.abs(here)) / h + 1e-9
            low, high = (here - below) / h - loose, (above - here) / h + loose
        if slope.shape != y.shape or here.shape != y.shape:
            raise ParameterError(
                f"{loss!r}: value and derivative must give one number for each row. For "
                f"{len(y)} rows they have the shapes {here.shape} and {slope.shape}."
            )
        bad = ~(np.isfinite(here) & np.isfinite(slope))
        if away == 0 and np.any(bad):
            k = int(np.argmax(bad))
            raise ParameterError(
                f"{loss!r}: at y={y[k]:.6g} and a score of {z[k]:.6g} the value is {here[k]} and "
                f"the derivative {slope[k]}. Both must be finite."
            )
        wrong = ~bad & np.isfinite(low) & np.isfinite(high) & ((slope < low) | (slope > high))
        if np.any(wrong):
            k = int(np.argmax(wrong))
            raise ParameterError(
                f"{loss!r}: at y={y[k]:.6g} and a score of {z[k]:.6g} the derivative is "
                f"{slope[k]:.6g}, but the values of a convex loss there rise by {low[k]:.6g} to "
                f"{high[k]:.6g}. One of the two is wrong, or the loss is not convex."
            )
