"""What the learners of any loss and any penalty have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from inducer.base._threads import one_blas_thread, threads, threads_for
from inducer.base.arrays import Array, Matrix
from inducer.base.errors import ParameterError
from inducer.base.params import Choice, Domain, Flag, Function, Instance, Int, Real
from inducer.base.warn import warn_user
from inducer.linear._endless import (
    falls_for_ever_from,
    separated,
    warn_of_no_end,
    warn_of_no_offset,
    without_offset,
)
from inducer.linear._own_loss import require_sound
from inducer.linear._passes import limited
from inducer.linear._rule import require_finite
from inducer.linear._shortest import shortest
from inducer.linear._warm import goes_on, last_weights
from inducer.linear.solvers.choose import SOLVERS, chosen, require_fit, solved
from inducer.linear.solvers.design import Design, Vector
from inducer.linear.solvers.forms import bounded
from inducer.linear.solvers.problem import Problem
from inducer.linear.solvers.watch import Answer, Watch
from inducer.losses import Loss
from inducer.penalties import L2, Penalty, as_penalty
from inducer.penalties.registry import PLAIN

STEPS = ("gradient", "subgradient", "sgd", "truncated")  # they stay where their steps led

PARAMS: Mapping[str, Domain] = {
    "penalty": Choice(*PLAIN) | Instance(Penalty) | None,
    "alpha": Real(0),
    "form": Choice("penalty", "norm_bound", "loss_bound"),
    "bound": Real() | None,
    "solver": Choice("auto", *SOLVERS),
    "learning_rate": Real(0, closed="()") | Function() | None,
    "max_iter": Int(1),
    "tol": Real(0) | None,
    "fit_intercept": Flag(),
    "warm_start": Flag(),
    "n_jobs": Int() | None,
}


class Penalised:
    """Fits one weight vector a column of targets, each minimising its own objective."""

    coef_: Array
    intercept_: Any

    def _fit_targets(
        self,
        matrix: Matrix,
        targets: list[Vector],
        weights: NDArray[np.float64] | None,
        loss: Loss,
        y: Any,
    ) -> NDArray[np.float64]:
        """Set the fitted attributes, coef_ and intercept_ as rows; return the training scores."""
        learner: Any = self
        penalty = L2() if learner.penalty is None else as_penalty(learner.penalty)
        _require_whole(learner, loss)
        X = matrix.X
        penalty.check(X.shape[1])
        rows = X.shape[0]
        shares = np.full(rows, 1 / rows) if weights is None else weights / weights.sum()
        alpha = 0.0 if learner.penalty is None else float(learner.alpha)
        design = Design(matrix, bool(learner.fit_intercept))
        whole = Problem(design, targets[0], shares, loss, penalty, alpha)
        for target in targets:
            require_sound(loss, target, loss.start(target, shares))
        with one_blas_thread():
            require_finite(self, *whole.column_sizes)  # or no step would be
        problems = [whole.replaced(y=t) for t in targets]
        solver = learner.solver
        form_alpha = 1.0 if learner.form != "penalty" else alpha
        if solver == "auto":
            solver = chosen(problems[0].replaced(alpha=form_alpha))
        require_fit(problems[0].replaced(alpha=form_alpha), solver, learner.learning_rate)
        starts = self._starts(problems)
        found = _Found(np.array(starts), design, X.dtype)
        answers: list[Answer] = []
        alphas: list[float] = []
        with (
            one_blas_thread(),
            threads(min(threads_for(learner.n_jobs), 4096)),
            Watch(
                learner,
                limited(learner.max_iter),
                lambda u: {**found.fitted(u, watch.problem), **self._shape_of(found, u, watch)},
                X=X,
                y=y,
                sample_weight=weights,
            ) as watch,
        ):
            for k, problem in enumerate(problems):
                watch.begin(k)
                answer, at = self._solved(problem, solver, starts[k], watch)
                found.rows[k] = answer.u
                answers.append(answer)
                alphas.append(at)
        if learner.form == "penalty" and alpha == 0 and solver not in STEPS:
            self._shorten(matrix, weights, found)
        numbers = [(answer.objective, answer.gradient_norm) for answer in answers]
        require_finite(self, found.rows, numbers)
        coef, intercept = found.coef, found.intercept
        require_finite(self, coef)
        scores = np.stack([answer.point.z for answer in answers], axis=1)
        learner.coef_, learner.intercept_ = coef, intercept
        learner.n_iter_ = max(1, watch.most)
        learner.solver_ = solver
        learner.alpha_ = np.array(alphas)
        learner.objective_ = np.array([answer.objective for answer in answers])
        learner.loss_ = float(sum(answer.point.mean_loss for answer in answers))
        learner.certificate_ = _certificate(answers)
        self._warn(problems, answers, alphas)
        return scores

    def _shape_of(self, found: _Found, u: Vector, watch: Watch) -> Mapping[str, Any]:  # noqa: ARG002
        """Return fitted attributes, for callbacks, that a learner has in a shape of its own."""
        return {}

    def _solved(
        self, problem: Problem, solver: str, u: Vector, watch: Watch
    ) -> tuple[Answer, float]:
        """Return the answer of one problem, and its alpha."""
        learner: Any = self

        def solve(one: Problem, start: Vector) -> Answer:
            which = solver if one.design.features else chosen(one)
            made, watch.made = watch.made, 0
            answer = solved(one, which, start, watch, learner.tol, learner.learning_rate)
            watch.made += made
            watch.most = max(watch.most, watch.made)
            return answer

        if learner.form == "penalty":
            return solve(problem, u), problem.alpha
        return bounded(problem, learner.form, float(learner.bound), u, solve)

    def _shorten(
        self,
        matrix: Matrix,
        weights: NDArray[np.float64] | None,
        found: _Found,
    ) -> None:
        """Put the shortest weights in place of others that say the same of each row."""
        learner: Any = self
        width, number = found.design.features, threads_for(learner.n_jobs)
        coef, intercept = found.rows[:, :width], found.intercept
        coef, intercept = shortest(learner, matrix, coef, intercept, weights, number)
        found.rows[:, :width] = coef
        if found.design.intercept:
            found.rows[:, -1] = intercept

    def _starts(self, problems: list[Problem]) -> list[Vector]:
        """Return where to start: at the last fit's weights, if asked for."""
        learner: Any = self
        starts = [problem.start() for problem in problems]
        if goes_on(learner):
            coef, intercept = last_weights(learner, len(problems), problems[0].design.features)
            for start, w, b in zip(starts, coef, intercept, strict=True):
                start[: len(w)] = w
                if learner.fit_intercept:
                    start[-1] = b
        return starts

    def _warn(
        self,
        problems: list[Problem],
        answers: list[Answer],
        alphas: list[float],
    ) -> None:
        """Warn of weights without end, and of answers that are none yet."""
        name, learner = type(self).__name__, self
        for problem, answer, alpha in zip(problems, answers, alphas, strict=True):
            empty = without_offset(problem)
            if empty:
                warn_of_no_offset(learner, empty)
                return
            if alpha == 0 and (
                (problem.loss.targets == "classes" and separated(problem, answer.point.z))
                or falls_for_ever_from(problem.replaced(alpha=0.0), answer.u)
            ):
                warn_of_no_end(learner, "Set alpha above 0 (see also inducer.linear.margin).")
                return
        if learner.tol is None or all(answer.converged for answer in answers):  # type: ignore[attr-defined]
            return
        ran_out = learner.n_iter_ >= limited(learner.max_iter)  # type: ignore[attr-defined]
        advice = "Raise max_iter or tol" if ran_out else "Steps get no further: raise tol"
        numbers = ", ".join(f"{word} {number:.3g}" for word, number in _said(answers).items())
        warn_user(
            f"{name} stopped after {learner.n_iter_} iterations of solver "  # type: ignore[attr-defined]
            f"{learner.solver_!r}, short of tol={learner.tol!r}: {numbers}. "  # type: ignore[attr-defined]
            f"{advice}, scale the features, or leave the choice to solver='auto'.",
            ConvergenceWarning,
        )


class _Found:
    """The answers so far, as weights and intercepts."""

    def __init__(self, rows: NDArray[np.float64], design: Design, dtype: Any) -> None:
        self.rows, self.design, self.dtype = rows, design, dtype

    @property
    def coef(self) -> Array:
        with np.errstate(over="ignore"):
            return self.rows[:, : self.design.features].astype(self.dtype)

    @property
    def intercept(self) -> NDArray[np.float64]:
        return self.rows[:, -1].copy() if self.design.intercept else np.zeros(len(self.rows))

    def fitted(self, u: Vector, problem: int) -> dict[str, Any]:
        """Return the fitted attributes if the fit ended now."""
        now = _Found(self.rows.copy(), self.design, self.dtype)
        now.rows[problem] = u
        return {"coef_": now.coef, "intercept_": now.intercept}


def _require_whole(learner: Any, loss: Loss) -> None:
    """Refuse parameters that do not go together."""
    name = type(learner).__name__
    if not loss.convex:
        raise ParameterError(
            f"{name} cannot minimise {loss!r}, which is not convex. It is reported as zero_one_."
        )
    if (learner.form == "penalty") != (learner.bound is None):
        words = "wants a bound" if learner.bound is None else "takes no bound, but alpha"
        raise ParameterError(f"form={learner.form!r} of {name} {words}. Got {learner.bound!r}.")
    if learner.form != "penalty" and learner.penalty is None:
        raise ParameterError(f"form={learner.form!r} of {name} wants a penalty. Got None.")
    if learner.form == "norm_bound" and learner.bound <= 0:
        raise ParameterError(f"bound of {name} must be above 0. Got {learner.bound!r}.")


def _said(answers: list[Answer]) -> dict[str, float]:
    return {word.replace("_", " "): number for word, number in _certificate(answers).items()}


def _certificate(answers: list[Answer]) -> dict[str, float]:
    """Return the worst gradient norm of the answers, and the worst gap where there are gaps."""
    worst = {"gradient_norm": max(float(answer.gradient_norm) for answer in answers)}
    gap = max(float(answer.gap) for answer in answers)
    return {"gap": gap, **worst} if np.isfinite(gap) else worst
