"""Gradient descent and subgradient descent, as the book has them: for study, and for anything."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from inducer.linear.solvers.design import Vector
from inducer.linear.solvers.problem import Point, Problem
from inducer.linear.solvers.watch import Answer, Patience, Watch

Rate = float | Callable[[int], float] | None


def gradient_descent(
    problem: Problem, u: Vector, watch: Watch, target: float, rate: Rate = None
) -> Answer:
    """Step against the gradient (the book's GradientDescent).

    Without a rate, each step is tried at twice the length of the last, and halved until it goes
    down by half of what the gradient promises: the objective then never rises.
    """
    point = problem.at(u)
    length = 1 / max(float(np.max(problem.column_sizes[1], initial=0.0)), 1e-300)
    patience = Patience()
    norm = problem.norm(point.gradient)
    while norm > target and not watch.over:
        if rate is not None:
            point = problem.at(point.u - _rate_at(rate, watch.made + 1) * point.gradient)
        else:
            length *= 2
            promised = float(point.gradient @ point.gradient)
            while True:
                new = problem.at(point.u - length * point.gradient)
                if new.value <= point.value - length * promised / 2:
                    break
                length /= 2
                if length * promised <= 1e-17 * abs(point.value):
                    return Answer(point, norm, converged=False)
            point = new
        norm = problem.norm(point.gradient)
        watch.tell(point.u, point.value, norm)
        if not np.all(np.isfinite(point.gradient)):
            break  # too long a step; refused by the learner
        if target >= 0 and patience.lost(norm):
            break
    return Answer(point, norm, converged=norm <= target)


def subgradient_descent(
    problem: Problem, u: Vector, watch: Watch, target: float, rate: Rate = None
) -> Answer:
    """Step against a subgradient, and keep the best of all places (the book's for the hinge loss).

    Without a rate, the k-th step has a length that falls with the root of k, and features count
    in units of their sizes. A subgradient does
    not get small on the way: what ends this is the number of iterations, or, with a tolerance, a
    thousand of them without a better place.
    """
    best, best_norm = np.inf, np.inf
    first = None
    point = kept = problem.at(u)
    units = np.ones_like(u)
    if rate is None:
        units = 1 / np.maximum(problem.column_sizes[1], 1e-300)
        units[problem.column_sizes[1] == 0] = 1.0
    patience = Patience()
    while not watch.over:
        value, gradient = point.value, point.gradient
        norm, judged = problem.norm(gradient), _judged(problem, point)
        if judged < best or first is None:
            kept, best, best_norm = point, judged, norm
        if norm <= target or not np.isfinite(value) or (target >= 0 and patience.lost(value)):
            break
        if first is None:
            first = problem.score_scale / float(np.sqrt(gradient @ (units * gradient)))
        step = first / math.sqrt(watch.made + 1) if rate is None else _rate_at(rate, watch.made + 1)
        point = problem.at(point.u - step * units * gradient)
        watch.tell(point.u, value, norm)
    if _judged(problem, point) < best:
        kept = point
    done = best_norm <= target or is_least_at_zero(problem)  # which is no answer to look for
    return Answer(kept, best_norm, converged=done)


def is_least_at_zero(problem: Problem) -> bool:
    """Return whether no weights are best, whatever the targets: of the perceptron's loss."""
    return bool(problem.loss.kind == "perceptron")


def _judged(problem: Problem, point: Point) -> float:
    """Return what a place is kept for: a small objective, or few mistakes."""
    if is_least_at_zero(problem):
        return float(np.dot(problem.weights, problem.y * point.z <= 0))
    return point.value


def _rate_at(rate: Rate, step: int) -> float:
    return float(rate(step)) if callable(rate) else float(rate or 0.0)
