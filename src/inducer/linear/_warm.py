"""The gate of a warm start: the weights of the last fit, if they are those of the same problem."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inducer.base.arrays import Array
from inducer.base.errors import InputError

Floats = NDArray[np.float64]


def goes_on(learner: Any) -> bool:
    """Return whether a fit is to begin where the last one ended."""
    return bool(learner.warm_start) and hasattr(learner, "coef_")


def last_weights(
    learner: Any, outputs: int, cols: int, classes: Array | None = None
) -> tuple[Floats, Floats]:
    """Return the weights (outputs x features) and offsets of the last fit, or refuse them.

    They may have been set by hand since.
    """
    if classes is not None and not np.array_equal(learner.classes_, classes):
        raise InputError(
            f"warm_start: the classes were {learner.classes_.tolist()} and now are "
            f"{classes.tolist()}. Fit a fresh learner."
        )
    try:
        coef = np.atleast_2d(np.asarray(learner.coef_, np.float64))
        offsets = np.atleast_1d(np.asarray(learner.intercept_, np.float64))
    except (TypeError, ValueError) as error:
        raise InputError(f"warm_start: {error}. Fit a fresh learner.") from None
    if coef.ndim > 2 or coef.shape[1] != cols:
        raise InputError(
            f"warm_start: X had {coef.shape[-1]} features and now has {cols}. Fit a fresh learner."
        )
    if len(coef) != outputs or offsets.shape not in ((outputs,), (1,)):
        raise InputError(
            f"warm_start: there were {len(coef)} rows of weights and {offsets.size} offsets, and "
            f"now there are to be {outputs} of each. Fit a fresh learner."
        )
    if not (np.all(np.isfinite(coef)) and np.all(np.isfinite(offsets))):
        raise InputError(
            "warm_start: coef_ or intercept_ holds NaN or infinity. Fit a fresh learner."
        )
    return coef, np.broadcast_to(offsets, (outputs,)).copy()
