"""Whether a sum of losses has a least value, or only falls for ever: told by Newton's steps.

Some losses never stop falling: the logistic and exponential ones, that of counts where the count is
zero. A sum of them has no least value exactly where there is a direction along which no row loses
and some row wins: classes that a plane separates, wholly or but for rows that lie on it; a feature
that occurs with one class only; a class without any weight.

Let d be Newton's step, H d = -g, and r such a direction. With m_n the scores' change along d that
lowers the loss of row n, and r_n >= 0 that along r, r.(H d + g) = 0 reads

    sum_n r_n (h_n m_n - l_n) = 0,    l_n the slope of the row's loss, h_n its curvature.

Of all those losses h_n <= l_n, so that some m_n >= 1: **at any point, Newton's step moves the score
of some row by one at least**. (For the softmax, with the scores about their mean, the same.) Where
there is an optimum, steps get short. So a fit whose last step was shorter has one; else it goes on
until steps are short or all that is left to gain is lost in rounding.

A penalty of the weights leaves only the offsets free. They have no best value just where a class,
or every count above zero, is without weight.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from inducer.base.arrays import Matrix
from inducer.base.warn import warn_user
from inducer.linear._newton import CLEAR, Newton, write_hessian_down
from inducer.linear._numbers import predictions
from inducer.linear.solvers.newton import newton_step, search
from inducer.linear.solvers.problem import Problem

Floats = NDArray[np.float64]

LONG = 0.5  # half of what the theorem says: a step is known up to rounding, or truncated
# Likewise for the first look, where the Hessian may be of a place some steps before.
SHORT = 0.02
LEVEL = 1e-8  # likewise: the fit is at its end, but for what falls for ever
MORE = 60  # steps, each of which leaves at most a half of what there was to gain, about


def moved(matrix: Matrix, table: Floats, weights: Floats | None) -> float:
    """Return by how much a step, outputs x (weights, offset), moves the score of some row at most.

    Of several outputs, it is their scores beside each other that count.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        change = predictions(matrix, np.ascontiguousarray(table[:, :-1]), table[:, -1])
        size = np.abs(change[:, 0]) if len(table) == 1 else np.ptp(change, axis=1)
    return float(np.max(size if weights is None else size[weights > 0], initial=0.0))


def falls_for_ever(run: Newton, matrix: Matrix, weights: Floats | None) -> bool:
    """Return whether a fit without penalty, which ended, has no optimum."""

    def far(step: Floats) -> float:
        table = run.problem.raw(step).reshape(-1, matrix.X.shape[1] + 1)
        return moved(matrix, table, weights)

    if run.taken is not None and far(run.taken) < SHORT:
        return False
    # Where a Hessian is cheap, no step is truncated.
    cheap = run.explicit or write_hessian_down(matrix.X.shape[0], run.problem.size)
    begin = run.point.at if run.taken is None else run.left
    again = Newton(run.problem, begin, tol=float(np.sqrt(CLEAR)), explicit=cheap)
    again.tol, again.chords = CLEAR, False
    while not again.reached(MORE):
        again.advance(None, MORE, 1)
        if again.taken is None or far(again.taken) < LONG:
            return False
    return True


def falls_for_ever_from(problem: Problem, u: Floats) -> bool:
    """Return the same of a problem with alpha 0, from wherever a solver ended."""
    if problem.loss.attained or not write_hessian_down(problem.design.rows, problem.features):
        return False
    counted, level = problem.weights > 0, False
    for step in range(MORE):
        point = problem.at(u, curved=True)
        with np.errstate(all="ignore"):
            way = newton_step(problem, point)
            if way is None and step == 0:  # too far out to see anything: from the beginning
                u = problem.start()
                continue
            # Curvature is lost to rounding, and with it the end of steps that were long up to here.
            if way is None:
                return level
            if not float(np.max(np.abs(problem.scores(way)[counted]), initial=0.0)) >= LONG:
                return False
        gain = -float(point.gradient @ way)
        if gain <= CLEAR * (abs(point.value) + 1e-6):
            return True
        level = gain <= LEVEL * (abs(point.value) + 1e-6)
        u = point.u + search(problem, point, way, -gain) * way
    return False


def separated(problem: Problem, scores: Floats) -> bool:
    """Return whether scores prove that a loss of classes has no least value."""
    own = (problem.y * scores)[problem.weights > 0]
    return not problem.loss.attained and bool(np.all(own > 0))


def without_offset(problem: Problem) -> str:
    """Return why no offset is best, whatever the weights; empty where one is."""
    kind, y, weights = problem.loss.targets, problem.y, problem.weights
    if problem.loss.attained or not problem.design.intercept:
        return ""
    if kind == "classes" and not (weights[y > 0].any() and weights[y < 0].any()):
        return "the rows of one class weigh nothing"
    if kind == "counts" and not weights[y > 0].any():
        return "all targets that weigh something are zero"
    return ""


def warn_of_no_end(learner: Any, remedy: str) -> None:
    """Warn that there is a direction to go in for ever."""
    warn_user(
        f"{type(learner).__name__}: the loss has no least value, and falls for ever in some "
        "direction: a hyperplane separates the classes, or only some rows, with the others on it "
        "(quasi-separable: as by a feature that one class alone has, or one that only rows of "
        "count zero have). The weights are where the steps ended; their size means nothing. "
        f"{remedy}",
        ConvergenceWarning,
    )


def warn_of_no_offset(learner: Any, missing: str) -> None:
    """Warn that an offset goes to infinity, whatever the penalty."""
    warn_user(
        f"{type(learner).__name__}: {missing}, so that no offset is best: it goes to infinity, and "
        "stands where the steps ended. Give other rows or weights, or fit_intercept=False.",
        ConvergenceWarning,
    )
