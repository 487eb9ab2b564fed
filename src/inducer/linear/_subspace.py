"""Minimising over a growing subspace: for rows too wide for a Hessian to be written down.

Newton's method without the Hessian reads all rows for each of its products. Here each read gives
three things: the scores of a new direction v, the Hessian times v, and the gradient where the last
read ended. Scores are linear: with those of the directions known, the sum is minimised over all
they span, exactly, without a look at the rows. What is left to choose is the next direction, and
it is wanted before the gradient is known that it should be: so it is foretold. At the minimum over
a subspace the gradient is orthogonal to it, and of all g + sum_j b_j H v_j just one is so.

For a square sum this is the method of conjugate gradients, with a read for each direction. Where
some of them do not do, the columns depend on each other, and Newton's method goes on from there:
it needs about as many reads then, and less work beside them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inducer.base._threads import one_blas_thread
from inducer.base.arrays import matrix_of
from inducer.linear._centre import Centre
from inducer.linear._newton import ARMIJO, ROUNDING, Newton, solve
from inducer.linear._sums import Point, RowLosses

Floats = NDArray[np.float64]

# At most, each with a number a row. Where these do not do, some curvatures are small beside the
# others, and not yet met: neither the slope nor the last gains tell then what is left to gain.
DIRECTIONS = 16
SHARE = 0.01  # of what is to gain, left by a step
LEAST_SHARE = 0.01  # of the slope, left by one of Newton's steps after these
IDLE_SWEEPS = 10  # in a row, that the value does not show
INNER_STEPS = 6
INNER_SHARE = 1e-3  # of what is to gain: less than the next direction will find


class SubspaceNewton(Newton):
    """The iterations of a fit; a step leaves a hundredth of what was to gain.

    The fit ends where ``tol**1.5`` of the value, or less, is to gain: half the square of the slope,
    in the norm of the Hessian's diagonal, over the least curvature met on the way.
    """

    problem: RowLosses

    def __init__(self, problem: RowLosses, start: Floats, *, tol: float) -> None:
        self.problem, self.explicit, self.hessian = problem, False, None
        # A fit that is to be exact goes on for a few directions: the slope tells when no value can.
        self.tol = max(min(tol**1.5, 1e3 * tol**2), 1e-3 * ROUNDING)
        self.tol_after = max(tol**1.5, ROUNDING)
        # Newton's steps begin where little slope is left but along the directions of least
        # curvature: one that leaves much of it says nothing about these.
        self.least_share = min(LEAST_SHARE, 1e3 * tol)
        self.chords, self.taken, self.left = False, None, start
        self.over = False  # whether Newton's method has taken over
        self.idle = 0
        self.made = 0
        self.converged = self.stuck = False
        self.directions: list[Floats] = []
        self.images: list[Floats] = []
        rows = problem.matrix.X.shape[0]
        self.scores = np.zeros((rows, 1 + DIRECTIONS))  # where the fit is, and of the directions
        self.arrive(problem.evaluate(start, squares=True))
        self.first_norm = float(np.linalg.norm(self.point.gradient))

    def arrive(self, point: Point) -> None:
        """Go on from a point of which all is known."""
        self.point, self.known = point, True
        self.ahead = point.gradient
        self.scores[:, 0] = point.held["scores"]
        self.decrement = self.to_gain()

    def gradient_norm(self) -> float:
        """Return the largest slope, per unit of row weight: zero at the optimum."""
        point = self.point if self.known else self.problem.evaluate(self.point.at)
        return float(np.max(np.abs(point.gradient)) / max(self.problem.total, 1e-300))

    def to_gain(self) -> float:
        """Return about how far the value is above the least."""
        diagonal = np.maximum(self.problem.diagonal(self.point), 1e-300)
        least = 1.0
        if self.directions:
            V = np.stack(self.directions)  # each of curvature 1
            least = 1.0 / max(1.0, float(np.linalg.eigvalsh((V * diagonal) @ V.T)[-1]))
        return float(self.ahead @ (self.ahead / diagonal)) / (2 * least)

    def step(self) -> None:
        """Add directions until little is left of what was to gain."""
        if self.over:
            super().step()
            return
        goal = SHARE * self.decrement
        with one_blas_thread():
            while self.decrement > self.tol * self.scale() and not self.stuck:
                if len(self.directions) == DIRECTIONS:
                    self.give_over()
                    return
                self.sweep()
                if self.tol * self.scale() < self.decrement <= goal and not self.stuck:
                    return
            self.arrive(self.problem.evaluate(self.point.at))
        enough = max(2 * self.tol, 1e-9 if self.stuck else 0.0)
        self.converged = self.decrement <= enough * self.scale()

    def give_over(self) -> None:
        """Let Newton's method go on from here."""
        self.arrive(self.problem.evaluate(self.point.at))
        self.over, self.tol = True, self.tol_after
        self.directions, self.images, self.scores = [], [], np.empty((0, 1))

    def sweep(self) -> None:
        """Add a direction, and go to the least value of all that they span."""
        point = self.point
        v = self.next_direction()
        gradient, image, changes = self.problem.sweep(point, v)
        curved = float(v @ image)
        if not curved > 1e-16 * float(v @ v):
            self.stuck = True
            return
        length = np.sqrt(curved)
        self.directions.append(v / length)
        self.images.append(image / length)
        np.divide(changes, length, out=self.scores[:, len(self.directions)])
        V, images = np.stack(self.directions), np.stack(self.images)
        self.minimise(V)
        gained = point.value - self.point.value > ROUNDING * self.scale()
        self.idle = 0 if gained else self.idle + 1
        self.stuck = self.idle == IDLE_SWEEPS
        # The gradient of the place before, moved until the subspace sees none of it.
        b = np.linalg.lstsq(V @ images.T, -V @ gradient, rcond=1e-12)[0]
        self.ahead = gradient + b @ images
        self.known = False
        self.decrement = self.to_gain()

    def next_direction(self) -> Floats:
        """Return minus the foretold slope, scaled, with no curvature shared with the others."""
        v = -self.ahead / np.maximum(self.problem.diagonal(self.point), 1e-300)
        for direction, image in zip(self.directions, self.images, strict=True):
            v -= float(image @ v) * direction
        return v

    def minimise(self, V: Floats) -> None:
        """Go to the least value over the span of directions, by Newton's method on their scores."""
        problem, point, count = self.problem, self.point, len(V)
        matrix = matrix_of(self.scores[:, : 1 + count])
        nowhere = Centre(np.zeros(1 + count))  # of the scores; there is no offset to add
        inner = problem.like(matrix, nowhere, factor=problem.factor, ridge=0.0)
        square = problem.ridge * (V * problem.penalised) @ V.T
        linear = problem.ridge * V @ (problem.penalised * point.at)
        at = np.append(1.0, np.zeros(count + 1))
        there = inner.evaluate(at, hessian=True)

        def value(of: Point) -> float:
            a = of.at[1:-1]
            return float(of.value + linear @ a + a @ square @ a / 2)

        floor = ROUNDING * self.scale()
        first = before = value(there)
        for _ in range(INNER_STEPS):
            assert there.hessian is not None  # asked for
            a = there.at[1:-1]
            slope = there.gradient[1:-1] + linear + square @ a
            move = solve(np.triu(there.hessian[1:-1, 1:-1]) + square, -slope)
            gain, t = -float(slope @ move), 1.0
            for _ in range(30):
                at = np.concatenate([[1.0], a + t * move, [0.0]])
                trial = inner.evaluate(at, hessian=True)
                after = value(trial)
                if after <= before - ARMIJO * t * gain + floor:
                    break
                t /= 2
            else:
                break
            there, before = trial, after
            if gain <= max(INNER_SHARE * (first - before), 0.1 * self.tol * self.scale()):
                break
        moved = point.at + there.at[1:-1] @ V
        offset = problem.ridge * float(point.at @ (problem.penalised * point.at)) / 2
        self.point = Point(moved, before + offset, point.gradient, None, there.held)
        self.scores[:, 0] = there.held["scores"]
