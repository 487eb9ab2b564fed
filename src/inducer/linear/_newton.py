"""Newton's method for smooth convex problems, with the Hessian or with its products alone.

A step solves H d = -g: by Cholesky's factors where H is small enough to be written down, else by
conjugate gradients, stopped early while the end is far (truncated Newton). It is taken whole where
that lowers the value as it should, else shortened. The *decrement* -g.d / 2 is what the quadratic
model says is still to gain; the fit ends when it is nothing beside the value.

Writing H down costs several times the gradient. Near the end it hardly changes, and one is used for
as long as its steps leave next to nothing of the decrement.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from inducer.base._threads import one_blas_thread
from inducer.linear._sums import Point

Floats = NDArray[np.float64]

ARMIJO = 1e-4
ROUNDING = 1e-14  # of a value: what sums over many rows cannot tell apart
NEAR = 1e-2  # of the value, still to gain: from there a Hessian serves for several steps
CHORD_SHARE = 0.05  # of the decrement, left by a step with the Hessian of another place: else anew
CHORD_CELLS = 1 << 20
CLEAR = 1e-11  # likewise: what the lift of a singular Hessian does not hide
CG_STEPS = 250
# Left of the slope, or the share of what all products have gained that one more would gain times
# their number: with less a step costs more products than it saves steps.
CG_SHARE = 0.1


def write_hessian_down(rows: int, size: int) -> bool:
    """Return whether Cholesky's step is cheaper than some fifteen products, or at least cheap."""
    return size <= 300 or (size <= 1500 and float(rows) * size * size <= 4e9)


class Newton:
    """The iterations of a fit, as `inducer.base.progress.run` takes them.

    Parameters
    ----------
    problem : RowLosses or SoftmaxLosses
    start : array
    tol : float
        The fit ends after the step whose decrement is at most ``tol**2`` of the value; without the
        Hessian ``tol / 10``, or ``1000 tol**2`` where that is less.
    explicit : bool
        Whether to write the Hessian down.
    """

    def __init__(self, problem: Any, start: Floats, *, tol: float, explicit: bool) -> None:
        self.problem, self.explicit = problem, explicit
        # Near the end of a fit that is to be exact, steps are too.
        self.least_share = min(CG_SHARE, 1e3 * tol)
        # A truncated step leaves some of what it should gain.
        self.tol = max(tol**2 if explicit else min(tol / 10, 1e3 * tol**2), ROUNDING)
        self.point: Point = problem.evaluate(start, hessian=explicit)
        self.hessian = self.point.hessian  # the last written down, here or on the way
        # Few rows are gone through at once either way, and fresh ones end nearer to the optimum.
        self.chords = float(problem.matrix.X.shape[0]) * problem.size >= CHORD_CELLS
        self.first_norm = float(np.linalg.norm(self.point.gradient))
        # The last step that is no matter of rounding, before it was shortened, and from where.
        self.taken: Floats | None = None
        self.left = start
        self.made = 0
        self.converged = self.stuck = False
        self.decrement = np.inf

    def reached(self, passes: int, /) -> bool:
        """Return whether this many iterations are made, or all there will be."""
        return self.made >= passes or self.converged or self.stuck

    def advance(self, monitor: Any, passes: int, threads: int, /) -> None:  # noqa: ARG002
        """Take one step."""
        self.step()
        self.made += 1

    def record(self) -> dict[str, Any]:
        """Return the numbers of the last iteration, for callbacks."""
        return {"objective": self.point.value, "gradient": self.gradient_norm()}

    def solution(self) -> Floats:
        """Return the weights and offsets of the best point."""
        found: Floats = self.problem.raw(self.point.at)
        return found

    def gradient_norm(self) -> float:
        """Return the largest slope, per unit of row weight: zero at the optimum."""
        return float(np.max(np.abs(self.point.gradient)) / max(self.problem.total, 1e-300))

    def scale(self) -> float:
        """Return what a change of the value is compared with."""
        return abs(self.point.value) + 1e-6 * float(self.problem.total)

    def step(self) -> None:
        """Go to a better point, or say that there is none."""
        before = self.decrement
        direction, gain = self.model()
        if self.stale() and gain / 2 > CHORD_SHARE * before:  # another place's does not do
            self.point = self.problem.evaluate(self.point.at, hessian=True)
            direction, gain = self.model()
        point, self.decrement = self.point, gain / 2
        if self.decrement > CLEAR * self.scale() or self.taken is None:
            self.taken, self.left = direction, point.at
        last = self.decrement <= self.tol * self.scale()
        near = last or (self.chords and self.decrement <= NEAR * self.scale())
        trial = self.problem.evaluate(point.at + direction, hessian=self.explicit and not near)
        floor = ROUNDING * self.scale()
        if trial.value <= point.value - ARMIJO * gain + (floor if last else 0.0):
            self.point = trial
        elif not last:
            shorter = self.shortened(point, direction, gain)
            if shorter is None:
                self.stuck = True
                last = self.decrement <= 1e-9 * self.scale()
            else:
                self.point = shorter
        self.converged = last

    def stale(self) -> bool:
        """Return whether the Hessian that is known is of another place."""
        return self.explicit and self.point.hessian is None

    def model(self) -> tuple[Floats, float]:
        """Return the step that the quadratic model asks for, and how steeply it falls."""
        if self.point.hessian is not None:
            self.hessian = self.point.hessian
        direction = self.direction(self.point)
        return direction, -float(self.point.gradient @ direction)

    def shortened(self, point: Point, direction: Floats, gain: float) -> Point | None:
        """Return the best point on a part of the way, or None."""
        if self.problem.along is not None:
            t = turning(self.problem.along(point, direction), gain)
            trial: Point = self.problem.evaluate(point.at + t * direction, hessian=self.explicit)
            return trial if trial.value < point.value else None
        t = 1.0
        for _ in range(30):
            t /= 2
            trial = self.problem.evaluate(point.at + t * direction, hessian=self.explicit)
            if trial.value <= point.value - ARMIJO * t * gain:
                return trial
        return None

    def direction(self, point: Point) -> Floats:
        """Return the step of Newton, or about that."""
        if self.hessian is not None:
            return solve(self.hessian, -point.gradient)
        return self.conjugate_gradients(point)

    def conjugate_gradients(self, point: Point) -> Floats:
        """Return about -H^-1 g: little of g is left, or the next product would gain little."""
        g = point.gradient
        norm = float(np.linalg.norm(g))
        if norm == 0:
            return np.zeros_like(g)
        near = float(np.sqrt(norm / max(self.first_norm, norm)))
        share = min(CG_SHARE, max(near, self.least_share))
        solved = self.problem.preconditioner(point)
        d, r = np.zeros_like(g), -g
        z = solved(r)
        p, rz = z.copy(), float(r @ z)
        goal, gained = share**2 * rz, 0.0
        for made in range(1, 1 + min(CG_STEPS, 2 * len(g) + 10)):
            Hp = self.problem.product(point, p)
            curved = float(p @ Hp)
            if curved <= 1e-16 * float(p @ p):
                return d if d.any() else z
            a = rz / curved
            d += a * p
            r -= a * Hp
            z = solved(r)
            before, rz = rz, float(r @ z)
            gain = a * before
            gained += gain
            if rz <= goal or made * gain <= share * gained:
                break
            p = z + (rz / before) * p
        return d


def turning(slope: Callable[[float], float], gain: float) -> float:
    """Return about where a convex function, whose slope is -gain at 0, stops to fall before 1."""
    low, high = 0.0, 1.0
    while high > 1e-15 and slope(high / 10) > 0:
        high /= 10
    middle = high
    for _ in range(20):
        middle = (low + high) / 2
        at_middle = slope(middle)
        if abs(at_middle) <= 0.01 * gain:
            break
        low, high = (middle, high) if at_middle < 0 else (low, middle)
    return middle


def solve(H: Floats, right: Floats) -> Floats:
    """Return H^-1 right for the upper triangle of a semidefinite H; a singular one is lifted."""
    diagonal = np.diag(H).copy()
    lift = 0.0
    with one_blas_thread():
        for _ in range(8):
            try:
                if lift:
                    H = H.copy()
                    H[np.diag_indices(len(H))] = diagonal + lift * max(
                        float(diagonal.max()), 1e-300
                    )
                found: Floats = cho_solve(
                    cho_factor(H, lower=False, check_finite=False), right, check_finite=False
                )
            except LinAlgError:
                lift = max(10 * lift, 1e-12)
                continue
            if np.all(np.isfinite(found)) and float(found @ right) >= 0:
                return found
            lift = max(10 * lift, 1e-12)
    return right / max(float(diagonal.max()), 1e-300)
