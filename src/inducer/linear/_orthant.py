"""Newton's method with a penalty on absolute values: sum_j l1_j |v_j| beside a smooth problem.

Within one orthant the penalty is linear, and the sum smooth. Each iteration fixes the unknowns that
are zero and want to stay so (their slope is within l1_j), takes Newton's step for the others, and
stops each of them at zero where it would change its sign. The *pseudo-gradient*, which is the
steepest slope of the sum, is zero at the optimum and only there.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inducer.linear._common_part import about_medians, without_common_part
from inducer.linear._newton import ARMIJO, CG_STEPS, ROUNDING, Newton, solve
from inducer.linear._softmax import SoftmaxLosses
from inducer.linear._sums import Point

Floats = NDArray[np.float64]


class OrthantNewton(Newton):
    """The iterations; parameters as for `Newton`, and the penalty of each unknown."""

    def __init__(
        self, problem: Any, start: Floats, *, l1: Floats, tol: float, explicit: bool
    ) -> None:
        super().__init__(problem, start, tol=tol, explicit=explicit)
        self.l1 = l1
        # Outputs with a part in common that nothing but this penalty sees; 0 where there is none.
        free = isinstance(problem, SoftmaxLosses) and not problem.pinned and problem.ridge == 0
        self.outputs = problem.outputs if free else 0
        self.first_norm = float(np.linalg.norm(self.pseudo_gradient(self.point)))

    def value(self, point: Point) -> float:
        """Return the sum with the penalty."""
        return float(point.value + float(self.l1 @ np.abs(point.at)))

    def record(self) -> dict[str, Any]:
        """Return the numbers of the last iteration, for callbacks."""
        return {"objective": self.value(self.point), "gradient": self.gradient_norm()}

    def pseudo_gradient(self, point: Point) -> Floats:
        """Return the slope of steepest descent, each unknown by itself."""
        g, v, l1 = point.gradient, point.at, self.l1
        at_zero = np.where(g > l1, g - l1, np.where(g < -l1, g + l1, 0.0))
        found: Floats = np.where(v != 0, g + l1 * np.sign(v), at_zero)
        return found

    def gradient_norm(self) -> float:
        """Return the largest slope, per unit of row weight: zero at the optimum."""
        slopes = np.abs(self.pseudo_gradient(self.point))
        return float(np.max(slopes) / max(self.problem.total, 1e-300))

    def scale(self) -> float:
        """Return what a change of the value is compared with."""
        return float(abs(self.value(self.point)) + 1e-6 * float(self.problem.total))

    def step(self) -> None:
        """Go to a better point, or say that there is none."""
        point = self.point
        slope = self.pseudo_gradient(point)
        free = slope != 0
        free |= (point.at != 0) | (self.l1 == 0)
        orthant = np.where(point.at != 0, np.sign(point.at), -np.sign(slope))
        for _ in range(10 if self.explicit else 2):
            direction = self.free_direction(point, slope, free)
            # An unknown at zero must leave it downhill; one that does not is held there.
            wrong = free & (point.at == 0) & (self.l1 > 0) & (direction * slope > 0)
            if not np.any(wrong):
                break
            free &= ~wrong
        direction[wrong] = 0.0
        held = slope * ~free  # what those that are held could still gain
        inverse = 1.0 / np.maximum(self.problem.diagonal(point), 1e-300)
        self.decrement = -float(slope @ direction) / 2 + float(held @ (inverse * held)) / 2
        last = self.decrement <= self.tol * self.scale()
        found = self.along_path(point, direction, orthant, slope, last)
        if found is None and not last:  # steepest descent, scaled: always downhill
            direction = -slope / np.maximum(self.problem.diagonal(point), 1e-300)
            found = self.along_path(point, direction, orthant, slope, last)
        if found is None:
            self.stuck = not last
        else:
            self.point = self.centred(found)
        self.converged = last

    def seen(self, v: Floats, free: NDArray[np.bool_]) -> Floats:
        """Return what the smooth part sees of a direction."""
        return without_common_part(v, free, self.outputs) if self.outputs else v

    def centred(self, point: Point) -> Point:
        """Return the point with the best part in common; the smooth part is as it was."""
        return replace(point, at=about_medians(point.at, self.outputs)) if self.outputs else point

    def along_path(
        self, point: Point, direction: Floats, orthant: Floats, slope: Floats, last: bool
    ) -> Point | None:
        """Return a lower point on the way, which bends where an unknown gets to zero."""
        before, t = self.value(point), 1.0
        floor = ROUNDING * self.scale()
        for _ in range(1 if last else 40):
            at = point.at + t * direction
            at[(self.l1 > 0) & (at * orthant < 0)] = 0.0
            gain = -float(slope @ (at - point.at))
            trial: Point = self.problem.evaluate(at, hessian=self.explicit and not last)
            if self.value(trial) <= before - ARMIJO * max(gain, 0.0) + (floor if last else 0.0):
                return trial if gain > 0 or last else None
            t /= 2
        return None

    def free_direction(self, point: Point, slope: Floats, free: NDArray[np.bool_]) -> Floats:
        """Return Newton's step for the free unknowns, zero for the others."""
        direction = np.zeros_like(slope)
        if self.explicit and point.hessian is not None:
            places = np.flatnonzero(free)
            right = self.seen(np.where(free, -slope, 0.0), free)
            direction[places] = solve(point.hessian[np.ix_(places, places)], right[places])
            return self.seen(direction, free)
        norm = float(np.linalg.norm(slope))
        if norm == 0:
            return direction
        share = min(0.1, float(np.sqrt(norm / max(self.first_norm, norm))))
        inverse = np.where(free, 1.0 / np.maximum(self.problem.diagonal(point), 1e-300), 0.0)
        r = self.seen(np.where(free, -slope, 0.0), free)
        z = self.seen(inverse * r, free)
        p, rz = z.copy(), float(r @ z)
        goal = share * float(np.sqrt(rz))
        for _ in range(CG_STEPS):
            Hp = np.where(free, self.problem.product(point, p), 0.0)
            curved = float(p @ Hp)
            if curved <= 1e-16 * float(p @ p):
                return direction if direction.any() else z
            a = rz / curved
            direction += a * p
            r -= a * Hp
            z = self.seen(inverse * r, free)
            before, rz = rz, float(r @ z)
            if np.sqrt(rz) <= goal:
                break
            p = z + (rz / before) * p
        return direction
