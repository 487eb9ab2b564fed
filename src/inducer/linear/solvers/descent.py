"""Gradient descent and subgradient descent, as the book has them: for study, and for anything."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from inducer.linear.solvers.design import Vector
from inducer.linear.solvers.problem import Problem
from inducer.linear.solvers.watch import Answer, Patience, Watch

Rate = float | Callable[[int], float] | None


def gradient_descent(
    problem: Problem, u: Vector, watch: Watch, target: float, rate: Rate = None
) -> Answer:
    """Step against the gradient (the book's GradientDescent).

    Without a rate, each step is tried at twice the length of the last, and halved until it goes
    down by half of what the gradient promises: the objective then never rises.
    """
    z = problem.scores(u)
    value, gradient = problem.value(u, z), problem.gradient(u, z)
    length = 1 / max(float(np.max(problem.column_sizes[1], initial=0.0)), 1e-300)
    patience = Patience()
    while problem.norm(gradient) > target and not watch.over:
        if rate is not None:
            new = u - _rate_at(rate, watch.made + 1) * gradient
            z = problem.scores(new)
            found = problem.value(new, z)
        else:
            length *= 2
            promised = float(gradient @ gradient)
            while True:
                new = u - length * gradient
                z = problem.scores(new)
                found = problem.value(new, z)
                if found <= value - length * promised / 2:
                    break
                length /= 2
                if length * promised <= 1e-17 * abs(value):
                    return Answer(u, value, problem.norm(gradient), converged=False)
        u, value, gradient = new, found, problem.gradient(new, z)
        watch.tell(u, value, problem.norm(gradient))
        if not np.all(np.isfinite(gradient)):
            break  # too long a step; refused by the learner
        if target >= 0 and patience.lost(problem.norm(gradient)):
            break
    return Answer(u, value, problem.norm(gradient), converged=problem.norm(gradient) <= target)


def subgradient_descent(
    problem: Problem, u: Vector, watch: Watch, target: float, rate: Rate = None
) -> Answer:
    """Step against a subgradient, and keep the best of all places (the book's for the hinge loss).

    Without a rate, the k-th step has a length that falls with the root of k, and features count
    in units of their sizes. A subgradient does
    not get small on the way: what ends this is the number of iterations, or, with a tolerance, a
    thousand of them without a better place.
    """
    best_u, best = u, np.inf
    best_norm = np.inf
    first = None
    units = np.ones_like(u)
    if rate is None:
        units = 1 / np.maximum(problem.column_sizes[1], 1e-300)
        units[problem.column_sizes[1] == 0] = 1.0
    patience = Patience()
    while not watch.over:
        z = problem.scores(u)
        value, gradient = problem.value(u, z), problem.gradient(u, z)
        norm = problem.norm(gradient)
        judged = _mistakes(problem, z) if is_least_at_zero(problem) else value
        if judged < best or first is None:
            best_u, best, best_norm = u.copy(), judged, norm
        if norm <= target or not np.isfinite(value) or (target >= 0 and patience.lost(value)):
            break
        if first is None:
            first = problem.score_scale / float(np.sqrt(gradient @ (units * gradient)))
        step = first / math.sqrt(watch.made + 1) if rate is None else _rate_at(rate, watch.made + 1)
        u = u - step * units * gradient
        watch.tell(u, value, norm)
    z = problem.scores(u)
    judged = _mistakes(problem, z) if is_least_at_zero(problem) else problem.value(u, z)
    if not judged < best:
        u = best_u
    value = problem.value(u)
    done = best_norm <= target or is_least_at_zero(problem)  # which is no answer to look for
    return Answer(u, value, best_norm, converged=done)


def is_least_at_zero(problem: Problem) -> bool:
    """Return whether no weights are best, whatever the targets: of the perceptron's loss."""
    return bool(problem.loss.kind == "perceptron")


def _mistakes(problem: Problem, z: Vector) -> float:
    return float(np.dot(problem.weights, problem.y * z <= 0))


def _rate_at(rate: Rate, step: int) -> float:
    return float(rate(step)) if callable(rate) else float(rate or 0.0)
