"""What Winnow and the exponentiated gradient share: weights that are kept as logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inducer.base.arrays import Array
from inducer.online._learner import OnlineLearner, State


class MultiplicativeLearner(OnlineLearner):
    """A learner whose updates multiply: ``memory[..., 0]`` holds the logarithms s."""

    form: str

    def _fresh(self, outputs: int, cols: int, width: int, dtype: Any) -> State:
        state = super()._fresh(outputs, cols, width, dtype)
        size = 2.0 if self.form == "balanced" else 1.0  # exp(0) + exp(-0), or exp(0)
        state["memory"][:, :, 1] = size
        state["scalars"][:, 2] = size * cols
        if self.form == "positive":
            state["coef"][:] = 1
        return state

    def _exponentials(
        self, s: NDArray[np.float64], peak: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return exp(s - peak) and exp(-s - peak), of which the second is zero unless balanced."""
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # looked for at the end
            up = np.exp(s - peak)
            return up, np.exp(-s - peak) if self.form == "balanced" else np.zeros_like(up)

    def _peak(self, s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the largest logarithm of each row of s, as a column."""
        rises = np.abs(s) if self.form == "balanced" else s
        peak: Array = rises.max(axis=1, keepdims=True)
        return peak
