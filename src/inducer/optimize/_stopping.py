"""When to stop: tolerances, and a function of the user such as a held-out plateau."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from inducer.base.errors import InputError
from inducer.optimize import _checks
from inducer.optimize._objective import Array, norm


class State(NamedTuple):
    """Where a descent is; what the function `stop` is called with after each step or pass.

    Attributes
    ----------
    iteration : int
        Steps made so far; 0 at the starting point.
    x : array
        The point; read only.
    value : float
        The value there.
    gradient_norm : float
        The norm of the gradient there.
    """

    iteration: int
    x: Array
    value: float
    gradient_norm: float


class Plateau:
    """Stop when the score on held-out data gets no better: early stopping.

    An object to be given as ``stop=``. It keeps the best point it has seen.

    Parameters
    ----------
    score : callable
        Score of a point, to be minimised: for instance the loss on rows held out.
    patience : int, default=5
        How many looks in a row may bring nothing new.
    tol : float, default=0.0
        By how much a score has to be better to count.
    every : int, default=1
        Look after every so many iterations.

    Attributes
    ----------
    best_x : array
        The point of the best score.
    best_score : float
        Its score.
    scores : list of float
        All scores, one a look.

    Examples
    --------
    >>> from inducer.optimize import Plateau, gradient_descent
    >>> held_out = Plateau(lambda x: float((x[0] - 0.5) ** 2), patience=3)
    >>> found = gradient_descent(lambda x: (x @ x / 2, x), [2.0], rate=0.1, stop=held_out)
    >>> found.reason, held_out.best_x.round(2).tolist()
    ('stop', [0.51])
    """

    best_x: Array
    best_score: float

    def __init__(
        self,
        score: Callable[[Array], Any],
        *,
        patience: int = 5,
        tol: float = 0.0,
        every: int = 1,
    ) -> None:
        self._score = _checks.function("Plateau", "score", score)
        self._patience = _checks.count("Plateau", "patience", patience)
        self._tol = _checks.tolerance("Plateau", "tol", tol) or 0.0
        self._every = _checks.count("Plateau", "every", every)
        self._begin()

    def _begin(self) -> None:
        self.scores: list[float] = []
        self.best_score = math.inf
        self._idle = 0

    def __call__(self, state: State) -> bool:
        """Look, and return whether it is time to stop."""
        if state.iteration == 0:
            self._begin()
        if state.iteration % self._every:
            return False
        score = float(self._score(state.x))
        if math.isnan(score):
            raise InputError(f"Plateau: the score is NaN at iteration {state.iteration}.")
        self.scores.append(score)
        if score < self.best_score - self._tol:
            self.best_score, self.best_x, self._idle = score, np.array(state.x), 0
        else:
            self._idle += 1
        return self._idle >= self._patience


@dataclass(frozen=True)
class Rules:
    """The tolerances of a descent."""

    gradient_tol: float | None = None
    value_tol: float | None = None
    point_tol: float | None = None
    stop: Callable[[State], Any] | None = None

    @classmethod
    def checked(
        cls,
        name: str,
        *,
        gradient_tol: Any = None,
        value_tol: Any = None,
        point_tol: Any = None,
        stop: Any = None,
    ) -> Rules:
        """Return the rules, each of them looked at."""
        return cls(
            _checks.tolerance(name, "gradient_tol", gradient_tol),
            _checks.tolerance(name, "value_tol", value_tol),
            _checks.tolerance(name, "point_tol", point_tol),
            _checks.function(name, "stop", stop),
        )

    @property
    def any(self) -> bool:
        """Whether a tolerance was asked for."""
        return not self.gradient_tol is self.value_tol is self.point_tol is None

    def at_start(self, x: Array, value: float, gradient_norm: float) -> str | None:
        """Return why not even to start, or None."""
        if self.gradient_tol is not None and gradient_norm <= self.gradient_tol:
            return "gradient"
        return self._stopped(State(0, x, value, gradient_norm))

    def after_step(self, state: State, before: Array, value_before: float) -> str | None:
        """Return why to stop, or None.

        Changes are relative to the larger of 1 and what changes, as SciPy's L-BFGS has it.
        """
        if self.gradient_tol is not None and state.gradient_norm <= self.gradient_tol:
            return "gradient"
        if self.value_tol is not None:
            scale = max(1.0, abs(state.value), abs(value_before))
            if abs(state.value - value_before) <= self.value_tol * scale:
                return "value"
        if self.point_tol is not None:
            scale = max(1.0, norm(state.x))
            if norm(state.x - before) <= self.point_tol * scale:
                return "point"
        return self._stopped(state)

    def _stopped(self, state: State) -> str | None:
        return "stop" if self.stop is not None and self.stop(state) else None
