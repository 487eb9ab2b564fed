"""Fitting row by row: what learners share that walk over the rows and correct weights on the way.

A subclass names its kernel and reads its weights off the kernel's state. Everything else, from
warm starts to the rows held out, is here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inducer.base import progress
from inducer.base._threads import threads_for
from inducer.base.arrays import Array, Matrix, matrix_of
from inducer.base.errors import InputError
from inducer.base.learner import Learner
from inducer.base.params import Domain, Flag, Int, Real
from inducer.base.random import kernel_seed
from inducer.linear._passes import PASS_PARAMS, limited, pass_options, pass_record
from inducer.linear._rule import in_precision, initial_weights, require_finite
from inducer.linear._warm import last_weights

State = dict[str, Any]


WALK_PARAMS: Mapping[str, Domain] = {
    **PASS_PARAMS,
    "average": Flag(),
    "fit_intercept": Flag(),
    "eta0": Real(0, closed="()"),
    "early_stopping": Flag(),
    "validation_fraction": Real(0, 1, closed="()"),
    "warm_start": Flag(),
    "n_jobs": Int() | None,
}


class Walk(Learner):
    """A learner of weights that changes them row by row, pass after pass."""

    average: bool | int
    max_iter: int
    tol: float | None
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    random_state: Any
    n_jobs: int | None = None

    coef_: Array
    intercept_: NDArray[np.float64]
    _sums: State | None
    _seed: int
    _passes: int

    # ---- what a subclass says ------------------------------------------------------------------

    @abstractmethod
    def _outputs(self) -> int:
        """Return how many weight vectors there are."""

    @abstractmethod
    def _start_kernel(self, X: Any, targets: Any, weights: Any, state: Any, passes: Any) -> Any:
        """Return the kernel's fit, which reads and writes the arrays of the state."""

    @abstractmethod
    def _weights(self, state: State) -> dict[str, Array]:
        """Return the fitted attributes that a state stands for."""

    @abstractmethod
    def _split(self, targets: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows to fit on and the rows held out."""

    @abstractmethod
    def _score(self, held: Matrix, targets: Array, weights: Any, fitted: Any) -> float:
        """Return how good fitted attributes are on held-out rows."""

    def _named(self, targets: Array) -> Array:
        """Return targets as the user gave them."""
        return targets

    def _judge(self, counts: Sequence[Any]) -> None:
        """Take notice of what the passes came to."""

    def _record(self, kernel: Any, state: State) -> progress.Record:  # noqa: ARG002
        """Return the numbers of the last pass, for callbacks."""
        return pass_record(kernel.passes)

    def _counters(self) -> int:
        """Return how many counts of visits the kernel keeps."""
        return self._outputs()

    def _another_chance(self, kernel: Any) -> bool:  # noqa: ARG002
        """Return whether a fit that is stuck may still get better."""
        return False

    # ---- the walk ------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Draw the key of the random streams; passes are counted from here."""
        self._seed = kernel_seed(self.random_state)
        self._passes = 0

    def _require_width(self, cols: int) -> None:
        """Refuse to go on from weights of other features, or from none."""
        last_weights(self, np.size(self.intercept_), cols)

    def _state(
        self,
        X: Any,
        goes_on: bool,
        coef_init: ArrayLike | None,
        intercept_init: ArrayLike | None,
        *,
        anew: bool = False,
    ) -> State:
        """Return the arrays that the kernel starts from and writes to.

        Parameters
        ----------
        X : array or CSR matrix
        goes_on : bool
            Whether from the weights there are.
        coef_init, intercept_init : array or None
            The weights to start from, whatever there is.
        anew : bool
            Whether to count visits, and to average, from here.
        """
        outputs, cols = self._outputs(), X.shape[1]
        counters = self._counters()
        anew = anew or coef_init is not None or intercept_init is not None
        if goes_on and self.average and self._sums is not None and not anew:
            return {name: array.copy() for name, array in self._sums.items()}
        state: State = {
            "coef": np.zeros((outputs, cols), X.dtype),
            "coef_sum": np.zeros((outputs, cols)) if self.average else None,
            "intercept": np.zeros(outputs),
            "intercept_sum": np.zeros(outputs),
            "visits": np.ones(counters),
        }
        if goes_on:
            state["coef"] = np.array(np.atleast_2d(self.coef_), order="C")
            state["intercept"] = np.array(self.intercept_, np.float64)
            if not anew:  # else the average begins anew
                state["visits"] = np.full(counters, self.t_)
        if coef_init is not None:
            state["coef"][:] = initial_weights("coef_init", coef_init, state["coef"])
        if intercept_init is not None:
            state["intercept"][:] = initial_weights(
                "intercept_init", intercept_init, state["intercept"]
            )
        return state

    def _run(
        self,
        matrix: Matrix,
        targets: Array,
        weights: NDArray[np.float64] | None,
        state: State,
        *,
        passes: int | None = None,
        stop: Callable[[Any], bool] | None = None,
    ) -> None:
        """Run the kernel on the state, with callbacks, and read the weights off it.

        `stop` is asked after each pass, and given the kernel.
        """
        matrix = in_precision(matrix, state["coef"].dtype)
        options = pass_options(self, seed=self._seed, first=self._passes, passes=passes)
        kernel = self._start_kernel(
            matrix.rows, targets, weights, SimpleNamespace(**state), options
        )
        progress.run(
            self,
            kernel,
            limited(self.max_iter) if passes is None else passes,
            threads=threads_for(self.n_jobs),
            record=lambda: self._record(kernel, state),
            fitted=lambda: self._weights(state),
            stop=None if stop is None else lambda: stop(kernel),
            X=matrix.X,
            y=lambda: self._named(targets),
            sample_weight=weights,
        )
        counts = kernel.passes
        self._require_finite([count.last_loss for count in counts])
        self.n_iter_ = max(count.made for count in counts)
        self._passes += self.n_iter_
        self._judge(counts)
        self._finish(state)

    def _fit_held_out(
        self,
        matrix: Matrix,
        targets: Array,
        weights: NDArray[np.float64] | None,
        state: State,
    ) -> None:
        """Fit on a part of the rows; keep the weights that do best on the rest."""
        kept, held = self._split(targets)
        held_out = matrix_of(matrix.X[held])
        held_weights = kept_weights = None
        if weights is not None:
            # To their largest, so that their sum cannot overflow.
            held_weights, kept_weights = weights[held] / weights.max(), weights[kept]
            if not held_weights.any() or not kept_weights.any():
                raise InputError(
                    "early_stopping: the rows to fit on or those held out weigh nothing. Give "
                    "more rows a weight, or choose another validation_fraction or random_state."
                )
        best: State = {}
        best_score, stale = -np.inf, 0

        def worse(kernel: Any) -> bool:
            nonlocal best, best_score, stale
            score = self._score(held_out, targets[held], held_weights, self._weights(state))
            stale = 0 if score > best_score + (self.tol or 0.0) else stale + 1
            if not best or score > best_score:
                best_score = score
                best = {name: None if a is None else a.copy() for name, a in state.items()}
            if self.tol is None or stale < self.n_iter_no_change:
                return False
            stale = 0
            return not self._another_chance(kernel)

        self._run(matrix_of(matrix.X[kept]), targets[kept], kept_weights, state, stop=worse)
        self.best_score_ = best_score
        self._finish(best)

    def _require_finite(self, *numbers: Any) -> None:
        """Refuse weights or losses that have left the range of their floats."""
        require_finite(self, *numbers)

    def _finish(self, state: State) -> None:
        """Set the fitted attributes, and keep what a later call starts from."""
        fitted = self._weights(state)
        self._require_finite(*fitted.values())
        self.coef_, self.intercept_ = fitted["coef_"], fitted["intercept_"]
        self.t_ = float(np.max(state["visits"]))
        self._sums = state if self.average else None
