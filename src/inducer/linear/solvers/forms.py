"""The three forms of one problem, and the alpha at which they meet.

    penalty     Tikhonov   min loss + alpha R
    norm_bound  Ivanov     min loss  where R <= bound
    loss_bound  Morozov    min R     where loss <= bound

As alpha rises, R of the answer falls and its loss rises. So each bound belongs to an alpha, and
the answer there solves all three. Where they jump at an alpha, as they may where loss and penalty
have kinks, the answers on both sides of the jump are equally good, and so is all between: one point
of that is on the bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inducer.base.arrays import matrix_of
from inducer.base.errors import InputError
from inducer.linear.solvers.descent import is_least_at_zero
from inducer.linear.solvers.design import Design, Vector
from inducer.linear.solvers.problem import Problem
from inducer.linear.solvers.watch import Answer

Solve = Callable[[Problem, Vector], Answer]

_DECADES = 12  # of alphas that are looked at, above and below a first guess
_CLOSE = 1e-10  # how well a bound is met, as a share of it
_NARROW = 1e-10  # alphas this near, in logarithms, are one
_STEPS = 80


@dataclass
class _Point:
    log_alpha: float
    answer: Answer
    over: float  # what is bounded, less its bound


def bounded(
    problem: Problem, form: str, bound: float, u: Vector, solve: Solve
) -> tuple[Answer, float]:
    """Return the answer for a bound, and its alpha.

    An alpha of zero says that the bound on R asks for nothing, an infinite one that zero weights
    meet the bound on the loss.
    """
    if is_least_at_zero(problem):
        return _least_at_zero(problem, form, bound, u, solve)

    def over(at: Vector, mean_loss: float | None = None) -> float:
        if form == "norm_bound":
            return problem.penalty_of(at) - bound
        return (problem.at(at).mean_loss if mean_loss is None else mean_loss) - bound

    def point(log_alpha: float, start: Vector) -> _Point:
        answer = solve(problem.replaced(alpha=math.exp(log_alpha)), start)
        return _Point(log_alpha, answer, over(answer.u, answer.point.mean_loss))

    size = abs(bound)
    if form == "loss_bound":
        still = _without_weights(problem, solve)
        if over(still.u) <= 0:
            return still, math.inf
        size = over(still.u)
    # Towards which alphas what is bounded falls.
    way = 1.0 if form == "norm_bound" else -1.0
    guess = math.log((problem.scale or 1.0) * problem.score_scale) - 2 * math.log(
        problem.weight_scale
    )
    inside = outside = point(guess, u)
    for _ in range(_DECADES):
        if inside.over <= 0:
            break
        outside, inside = inside, point(inside.log_alpha + way * math.log(10), inside.answer.u)
    for _ in range(_DECADES):
        if outside.over > 0 or inside.over > 0:
            break
        outside, inside = (
            point(outside.log_alpha - way * math.log(10), outside.answer.u),
            outside,
        )
    if inside.over > 0:
        raise _missed(form, bound, bound + inside.over)
    if outside.over <= 0:
        return (outside.answer, 0.0) if form == "norm_bound" else (outside.answer, math.inf)
    for step in range(_STEPS):
        apart = abs(outside.log_alpha - inside.log_alpha)
        if inside.over >= -_CLOSE * size or apart < _NARROW:
            break
        share = outside.over / (outside.over - inside.over)
        share = 0.5 if step % 3 == 2 else min(max(share, 0.02), 0.98)
        new = point(
            outside.log_alpha + share * (inside.log_alpha - outside.log_alpha), inside.answer.u
        )
        if new.over > 0:
            outside = new
        else:
            inside = new
    answer = _between(problem, inside, outside, over, _CLOSE * size)
    return answer, math.exp(inside.log_alpha)


def _missed(form: str, bound: float, least: float) -> InputError:
    of = "penalty" if form == "norm_bound" else "mean loss"
    return InputError(
        f"bound={bound!r}: no weights have so small a {of}. The least that was found is "
        f"{least:.6g}. Raise the bound."
    )


def _least_at_zero(
    problem: Problem, form: str, bound: float, u: Vector, solve: Solve
) -> tuple[Answer, float]:
    """Return the answer for a loss that scales with the weights, and is least at zero weights.

    No alpha says anything there. Under a bound on R any weights do, once they are short enough, and
    short ones classify as long ones do; a bound on the loss asks for none.
    """
    free = problem.replaced(alpha=0.0)
    zero = np.zeros_like(problem.start())
    if form == "loss_bound":
        if bound < 0:
            raise _missed(form, bound, 0.0)
        return Answer(free.at(zero), 0.0, 0.0), math.inf
    if problem.penalty_of(zero) > bound:
        raise _missed(form, bound, problem.penalty_of(zero))
    found = solve(free, u)
    high = 1.0
    while problem.penalty_of(high * found.u) > bound and high > 1e-300:
        high /= 2
    low, high = high, min(2 * high, 1.0)
    for _ in range(60):
        middle = (low + high) / 2
        inside = problem.penalty_of(middle * found.u) <= bound
        low, high = (middle, high) if inside else (low, middle)
    point = free.at(low * found.u)
    return replace(found, point=point, gap=point.value), 0.0  # none is below zero


def _between(problem: Problem, inside: _Point, outside: _Point, over: Any, close: float) -> Answer:
    """Return the point on the bound between two answers for nearly the same alpha."""
    if inside.over >= -close:
        return inside.answer
    low, high = 0.0, 1.0
    away = outside.answer.u - inside.answer.u
    for _ in range(100):
        middle = (low + high) / 2
        if over(inside.answer.u + middle * away) > 0:
            high = middle
        else:
            low = middle
    converged = inside.answer.converged and outside.answer.converged
    gap = max(inside.answer.gap, outside.answer.gap)
    at = problem.at(inside.answer.u + low * away)
    at = replace(at, value=inside.answer.objective)
    return replace(inside.answer, point=at, gap=gap, converged=converged)


def _without_weights(problem: Problem, solve: Solve) -> Answer:
    """Return the answer with zero weights, and the best intercept for them."""
    u = problem.start()
    if problem.design.intercept:
        design = Design(matrix_of(np.empty((problem.design.rows, 0))), True)
        alone = Problem(design, problem.y, problem.weights, problem.loss, problem.penalty, 0.0)
        u[-1] = solve(alone, u[-1:]).u[-1]
    return Answer(problem.replaced(alpha=0.0).at(u), 0.0, 0.0)
