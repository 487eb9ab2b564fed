"""Support vector machines: a loss with one kink, |w|^2 / 2 beside it, and a bias that is free.

    minimise  |w|^2 / 2 + sum_i c_i loss(t_i, w.x_i + b)         P(w, b)
    maximise  sum_i t_i beta_i - epsilon |beta_i| - |w|^2 / 2    D(beta), w = sum_i beta_i x_i,
              over low_i <= beta_i <= high_i with sum_i beta_i = 0

Whatever beta and b are, P - D bounds how far either is from the optimum: that is the certificate.
Two ways to get there: Newton's method on the loss with its kink bent, ever less (for few columns,
where it is by far the faster and makes the gap as small as one likes), and dual coordinate descent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inducer._core.linear import (
    DualDescentFit,
    advance_together,
    column_products,
    column_sizes,
    scores,
)
from inducer.base.arrays import Matrix
from inducer.linear._newton import ROUNDING, solve, turning
from inducer.linear._sums import Point, RowLosses, blocks

Floats = NDArray[np.float64]

SETTLED = 1e-3  # of what the bent kink costs too little: what may be left to gain before it narrows
NARROWER = 4.0


class Machine:
    """One machine: its data, and what any beta is worth.

    Parameters
    ----------
    matrix : Matrix
    targets : array
        -1 and 1 for the hinge, else numbers.
    costs : array
        c_i: C times the weight of the row.
    epsilon : float or None
        None for the hinge.
    """

    def __init__(
        self,
        matrix: Matrix,
        targets: Floats,
        costs: Floats,
        *,
        epsilon: float | None,
        fit_intercept: bool,
        threads: int,
    ) -> None:
        self.matrix, self.targets, self.costs = matrix, targets, costs
        self.hinge, self.epsilon = epsilon is None, epsilon or 0.0
        self.fit_intercept = fit_intercept
        self.losses = RowLosses(
            matrix,
            "hinge" if self.hinge else "epsilon_insensitive",
            parameter=self.epsilon,
            targets=targets,
            weights=costs,
            ridge=1.0,
            fit_intercept=fit_intercept,
            threads=threads,
        )
        self.low = np.minimum(0.0, targets * costs) if self.hinge else -costs
        self.high = np.maximum(0.0, targets * costs) if self.hinge else costs.copy()

    def lost(self, scores: Floats) -> float:
        """Return the sum of the losses at scores."""
        if self.hinge:
            over = 1.0 - self.targets * scores
        else:
            over = np.abs(scores - self.targets) - self.epsilon
        return float(self.costs @ np.maximum(over, 0.0))

    def best_bias(self, scores: Floats) -> float:
        """Return the b of the least loss at scores + b, which is a straight line between kinks."""
        if not self.fit_intercept:
            return 0.0
        if self.hinge:
            kinks, costs = self.targets - scores, self.costs
            rise = float(self.costs[self.targets > 0].sum())
        else:
            away = self.targets - scores
            kinks = np.concatenate([away - self.epsilon, away + self.epsilon])
            costs, rise = np.tile(self.costs, 2), float(self.costs.sum())
        order = np.argsort(kinks, kind="stable")
        reached = np.cumsum(costs[order])
        at = int(np.searchsorted(reached, rise * (1 - 1e-12)))
        return float(kinks[order[min(at, len(order) - 1)]])

    def worth(self, beta: Floats, square: float) -> float:
        """Return D, where ``square`` is |w|^2."""
        return float(self.targets @ beta) - self.epsilon * float(np.abs(beta).sum()) - square / 2

    def rows_of(self, beta: Floats) -> Floats:
        """Return sum_i beta_i (x_i, 1)."""
        sums = column_products(self.matrix.rows, beta[None], self.losses.threads)[0]
        return np.append(sums, beta.sum())

    def scores(self, w: Floats) -> Floats:
        """Return the scores at (w, b)."""
        number, found = self.losses.threads, np.empty(self.matrix.X.shape[0])
        if self.matrix.X.dtype == np.float64:  # many times faster where rows are sparse
            table = found[:, None]
            for begin, end in blocks(self.matrix):
                scores(self.matrix.rows, w[None, :-1], w[-1:], table, begin, end, number)
        else:
            for begin, end in blocks(self.matrix):
                self.losses.kernel.evaluate(w, begin, end, number, scores=found)
        return found

    def balanced(self, beta: Floats) -> Floats:
        """Return a beta whose sum is zero: that of the heavier sign is scaled down."""
        up, down = float(beta[beta > 0].sum()), -float(beta[beta < 0].sum())
        if not self.fit_intercept or up == down:
            return beta
        least = min(up, down)
        return np.where(
            beta > 0, beta * (least / up if up else 0.0), beta * (least / down if down else 0.0)
        )


def primal_scale(point: Point, excess: float) -> float:
    """Return the value of the loss itself at a point of the bent one."""
    return point.value + excess


class Solution:
    """The best that a solver of a machine has found."""

    def __init__(self, machine: Machine, tol: float) -> None:
        self.machine, self.tol = machine, tol
        self.at = np.zeros(machine.losses.size)
        self.beta = np.zeros(machine.matrix.X.shape[0])
        self.primal, self.dual = np.inf, -np.inf
        self.made = 0
        self.converged = self.stuck = False

    def gap(self) -> float:
        """Return how far the objective is from its optimum at most, as a share of it."""
        return max(self.primal - self.dual, 0.0) / max(abs(self.primal), 1e-300)

    def reached(self, passes: int, /) -> bool:
        """Return whether this many iterations are made, or all there will be."""
        return self.made >= passes or self.converged or self.stuck

    def record(self) -> dict[str, Any]:
        """Return the numbers of the last iteration, for callbacks."""
        return {"objective": self.primal, "gap": self.gap()}

    def offer(self, at: Floats, primal: float, beta: Floats, dual: float) -> None:
        """Keep what is better than what there is."""
        if primal < self.primal:
            self.at, self.primal = at, primal
        if dual > self.dual:
            self.beta, self.dual = beta, dual
        self.converged = self.gap() <= max(self.tol, 1e-13)

    def settled(self) -> bool:
        """Return whether the gap is as asked for, or as small as anybody could want."""
        return self.converged or self.gap() <= 1e-7

    def offer_beta(self, beta: Floats) -> None:
        """Offer what beta stands for."""
        machine = self.machine
        beta = machine.balanced(beta)
        w = machine.rows_of(beta)
        w[-1] = 0.0
        dual = machine.worth(beta, float(w @ w))
        scores = machine.scores(w)
        w[-1] = machine.best_bias(scores)
        primal = float(w[:-1] @ w[:-1]) / 2 + machine.lost(scores + w[-1])
        self.offer(w, primal, beta, dual)


class BentNewton(Solution):
    """Newton's method on a kink bent to a parabola, whose width shrinks with the gap.

    The slopes of the bent loss are a beta of the dual, and at the optimum of the bent problem sum
    to zero: so every point comes with a gap, for nothing.
    """

    def __init__(self, machine: Machine, start: Floats, *, tol: float) -> None:
        super().__init__(machine, tol)
        self.kernel = machine.losses.kernel
        # At first so wide that rows curve at the start: a plane through the rows, about.
        spread = 2.0 if machine.hinge else 4 * float(np.std(machine.targets))
        self.kernel.smoothing = spread if spread > 0 else 1.0
        self.least = 1e-14 * self.kernel.smoothing
        self.point = self.evaluate(start)

    def evaluate(self, at: Floats) -> Point:
        return self.machine.losses.evaluate(at, hessian=True)

    def judge(self, point: Point) -> float:
        """Offer a point and its slopes; by how much the kink costs more than its parabola."""
        machine = self.machine
        w = point.at[:-1]
        primal = float(w @ w) / 2 + machine.lost(point.held["scores"])
        beta = -point.held["slopes"]
        uphill = w - point.gradient[:-1]  # sum_i beta_i x_i
        dual = machine.worth(beta, float(uphill @ uphill))
        # A sum that is not zero costs b times it, at the optimum's b, which is about this one.
        loose = abs(float(point.gradient[-1])) * (1.0 + abs(float(point.at[-1])))
        self.offer(machine.losses.raw(point.at), primal, beta, dual - loose)
        return primal - point.value

    def advance(self, monitor: Any, passes: int, threads: int, /) -> None:  # noqa: ARG002
        """Take one step, of the problem or of the width."""
        self.made += 1
        point = self.point
        excess = self.judge(point)
        if self.converged:
            return
        assert point.hessian is not None
        direction = solve(point.hessian, -point.gradient)
        gain = -float(point.gradient @ direction)
        # Once the width is not what keeps the gap from closing, Newton's steps alone do: the dual
        # is worth little until they have converged.
        wide = excess > 0.3 * self.tol * abs(primal_scale(point, excess))
        nothing = gain / 2 <= ROUNDING * abs(point.value)
        if nothing and not wide:
            self.give_up()
            return
        if wide and (nothing or gain / 2 <= SETTLED * excess):
            if self.kernel.smoothing <= self.least:
                self.give_up()
                return
            # As the width shrinks the rows on the parabola keep their slopes, if they go towards
            # the kink as fast: the point where that is so is known, to first order.
            bent = np.where(point.held["curvatures"] > 0, -point.held["slopes"], 0.0)
            pushed = self.machine.losses.centre.slopes(self.machine.rows_of(bent))
            pushed *= 1 - 1 / NARROWER
            if not self.machine.fit_intercept:
                pushed[-1] = 0.0
            ahead = point.at + solve(point.hessian, pushed - point.gradient)
            self.kernel.smoothing /= NARROWER
            here, there = self.evaluate(point.at), self.evaluate(ahead)
            self.point = there if there.value < here.value else here
            return
        trial = self.evaluate(point.at + direction)
        if float(trial.gradient @ direction) > 0.1 * gain:  # too far: to where it is lowest
            trial = self.shortened(point, direction, gain)
        if trial.value < point.value:
            self.point = trial
        else:
            self.give_up()

    def give_up(self) -> None:
        """End with what the slopes are worth when they are made to balance."""
        self.offer_beta(-self.point.held["slopes"])
        if not self.converged:
            self.stuck = True

    def shortened(self, point: Point, direction: Floats, gain: float) -> Point:
        """Return about the best point on the way."""
        t = turning(self.machine.losses.along(point, direction), gain)
        return self.evaluate(point.at + t * direction)


class DualDescent(Solution):
    """Dual coordinate descent; the gap is looked at after some passes, ever more of them."""

    def __init__(self, machine: Machine, *, tol: float, seed: int) -> None:
        super().__init__(machine, tol)
        centre, spread = None, 0.0
        if machine.fit_intercept:
            centre, spread = _centre_and_spread(machine)
        self.kernel = DualDescentFit(
            machine.matrix.rows,
            machine.targets,
            machine.low,
            machine.high,
            epsilon=machine.epsilon,
            stiffness=spread if spread > 0 else float(machine.fit_intercept),
            centre=centre,
            seed=seed,
        )
        self.next = 4

    def advance(self, monitor: Any, passes: int, threads: int, /) -> None:
        """Make a pass, and look at the gap when it is time."""
        goal = min(passes, self.made + 1)
        self.kernel.advance(monitor, goal, threads)
        self.look(goal)

    def look(self, passes: int) -> None:
        """Look at the gap, if so many passes are newly made and it is time."""
        if self.made >= passes or not self.kernel.reached(passes):
            return
        self.made = passes
        if self.made >= self.next or self.kernel.worst == 0:
            self.next = self.made + max(2, self.made // 3)
            self.judge()
            if not self.converged:
                self.kernel.restore()

    def judge(self) -> None:
        """Offer what the descent has got to."""
        self.offer_beta(self.kernel.beta)


def _centre_and_spread(machine: Machine) -> tuple[Floats, float]:
    """Return the mean of the rows that count, and their mean squared distance from it."""
    counted = (machine.low < machine.high).astype(np.float64)
    shares = counted / max(float(counted.sum()), 1.0)
    rows, threads = machine.matrix.rows, machine.losses.threads
    centre: Floats = column_products(rows, shares[None], threads)[0]
    squares = column_sizes(rows, shares, threads)[1]
    return centre, float(np.maximum(squares - centre**2, 0.0).sum())


class DualDescents:
    """Several descents, a pass of each at a time, on several threads."""

    def __init__(self, runs: list[DualDescent]) -> None:
        self.runs = runs

    def reached(self, passes: int, /) -> bool:
        """Return whether each has made so many passes, or all there will be."""
        return all(run.reached(passes) for run in self.runs)

    def advance(self, monitor: Any, passes: int, threads: int, /) -> None:
        """Make a pass of each that has more to do."""
        waiting = [run for run in self.runs if not run.reached(passes)]
        goal = min(run.made for run in waiting) + 1
        advance_together([run.kernel for run in waiting], monitor, goal, threads)
        for run in waiting:
            run.look(goal)

    def record(self) -> dict[str, Any]:
        """Return the numbers of the last pass, for callbacks."""
        primal = sum(run.primal for run in self.runs)
        return {"objective": primal, "gap": max(run.gap() for run in self.runs)}
