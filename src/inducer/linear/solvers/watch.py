"""Who looks on while a solver works: counts its iterations, tells callbacks, says when to stop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import numpy as np

from inducer.base.progress import Metadata
from inducer.linear.solvers.design import Vector
from inducer.linear.solvers.problem import Point


@dataclass
class Watch:
    """Told after each iteration of a solver; a context that ends what callbacks were told of.

    The solvers are Python, and SciPy's call back into it: Ctrl-C is seen between any two products.
    """

    learner: Any
    max_iter: int
    fitted: Callable[[Vector], Mapping[str, Any]]
    X: Any = None
    y: Any = None
    sample_weight: Any = None
    subtasks: int | None = None
    problem: int = 0
    made: int = 0  # iterations of this problem
    most: int = 0  # of any problem
    stopped: bool = False  # by a callback
    _tasks: list[Any] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._context = self.learner._init_callback_context(max_subtasks=self.subtasks)
        self._context.call_on_fit_task_begin(estimator=self.learner, **self._data())
        self._begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the task in hand, which made nothing, and all."""
        if kind is None:
            self._tasks.pop().call_on_fit_task_end(estimator=self.learner, **self._data())
            self._context.call_on_fit_task_end(estimator=self.learner, **self._data())

    def begin(self, problem: int) -> None:
        """Begin one of the problems."""
        self.problem, self.made = problem, 0

    @property
    def over(self) -> bool:
        """Whether there are to be no more iterations of this problem."""
        return self.stopped or self.made >= self.max_iter

    def at_once(self, most: int) -> int:
        """Return how many iterations may be made before the next is told: one to callbacks."""
        watched = getattr(self.learner, "_skl_callbacks", None)
        return 1 if watched else min(most, self.max_iter - self.made)

    def tell(self, u: Vector, objective: float, gradient_norm: float, count: int = 1) -> bool:
        """Count an iteration, or some, that led to u; return whether to stop."""
        self.made += count
        self.most = max(self.most, self.made)
        if not getattr(self.learner, "_skl_callbacks", None):
            return self.over
        record = {
            "problem": self.problem,
            "objective": objective,
            "gradient_norm": gradient_norm,
        }
        at = np.array(u)
        self.stopped |= bool(
            self._tasks.pop().call_on_fit_task_end(
                estimator=self.learner,
                X=self.X,
                y=self.y,
                metadata=lambda: Metadata(self._entries(), record),
                reconstruction_attributes=lambda: self.fitted(at),
            )
        )
        self._begin()
        return self.over

    def _begin(self) -> None:
        task = self._context.subcontext(task_name="pass")
        self._tasks.append(task)
        task.call_on_fit_task_begin(estimator=self.learner, **self._data())

    def _entries(self) -> dict[str, Any]:
        return {} if self.sample_weight is None else {"sample_weight": self.sample_weight}

    def _data(self) -> dict[str, Any]:
        return {"X": self.X, "y": self.y, "metadata": self._entries()}


@dataclass
class Patience:
    """Ends a fit that gets no better: with no limit of iterations it would go on for ever."""

    steps: int = 1000  # without a new best
    best: float = np.inf
    since: int = 0

    def lost(self, number: float) -> bool:
        """Return whether there was no smaller number for long."""
        self.best, self.since = (number, 0) if number < self.best else (self.best, self.since + 1)
        return self.since >= self.steps


@dataclass
class Answer:
    """What a solver leaves behind."""

    point: Point
    gradient_norm: float  # of the objective, or of what stands for it at kinks; see the solver
    gap: float = np.inf  # the objective is above its least by no more than this
    converged: bool = True

    @property
    def u(self) -> Vector:
        """The weights, and the intercept behind them."""
        return self.point.u

    @property
    def objective(self) -> float:
        """What was minimised."""
        return self.point.value
