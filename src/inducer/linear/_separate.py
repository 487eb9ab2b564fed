"""Is there a hyperplane with one class on each side? An answer comes with an exact proof.

Either a vector w and an offset b with y (w.x + b) > 0 in every row, or weights alpha >= 0, not all
zero, with sum alpha_i y_i x_i = 0 and sum alpha_i y_i = 0: then no such w, b exist (Gordan's
theorem), for they would make a sum of positive numbers zero. Floats only suggest; what they
suggest is checked, and where it is nearly right made right, in whole numbers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from inducer.linear import _exact
from inducer.linear._exact import Floats, Integers

Bools = NDArray[np.bool_]
Rows = NDArray[np.int64]

MOST_ROWS = 400  # held in an exact system: beyond, an answer would take minutes
MOST_EXACT_STEPS = 60
MOST_ROWS_STEPPED = 64
LP_ROWS = 1000
LP_ROUNDS = 30
LP_NOTHING = 1e-9  # HiGHS has a tolerance of 1e-7


@dataclass(frozen=True)
class Problem:
    """The rows, which of them are positive, and whether there is an offset."""

    X: Any
    positive: Bools
    offset: bool

    def signed(self, rows: Rows) -> Floats:
        """Return y (x, 1), or y x without an offset, of some rows."""
        chosen = _exact.dense_rows(self.X, rows)
        if self.offset:
            chosen = np.column_stack([chosen, np.ones(len(chosen))])
        return np.where(self.positive[rows], 1.0, -1.0)[:, None] * chosen

    def scores(self, v: Floats) -> Floats:
        """Return y (w.x + b) of all rows, in floats; v is w, and b where there is an offset."""
        w = v[: self.X.shape[1]]
        values = np.empty(len(self.positive))
        for part, block in _exact.blocks(self.X):
            values[part] = block @ w
        if self.offset:
            values += v[-1]
        return np.where(self.positive, values, -values)


@dataclass(frozen=True)
class Direction:
    """A vector w = whole * 2**exponent, and how low each side comes along it: exact.

    ``lows`` holds the least y w.x of each class (with an offset), or of all rows, and ``lowest``
    the rows where it is found. ``dual`` is there when no direction has a wider margin: rows, and
    weights of them that make up w.
    """

    whole: Integers
    exponent: int
    lows: tuple[Fraction, ...]
    lowest: tuple[int, ...]
    dual: tuple[Rows, Floats] | None = None

    @property
    def separates(self) -> bool:
        """Whether some hyperplane with this normal has the classes on its two sides."""
        return sum(self.lows) > 0

    def middle(self) -> Fraction:
        """Return the offset half-way between the classes."""
        return (self.lows[1] - self.lows[0]) / 2 if len(self.lows) == 2 else Fraction(0)

    def least(self, offset: Fraction) -> Fraction:
        """Return the least y (w.x + offset) of all rows."""
        return min(low + sign * offset for low, sign in zip(self.lows, (1, -1), strict=False))

    def square(self) -> Fraction:
        """Return ||w||^2."""
        return _exact.fraction(int(sum(self.whole * self.whole)), 2 * self.exponent)

    def margin(self) -> float:
        """Return the margin with the offset half-way, rounded."""
        return ratio_to_norm(self.least(self.middle()), self.square())


Weights = tuple[Rows, Integers]
Answer = Direction | Weights


def ratio_to_norm(value: Fraction, square: Fraction) -> float:
    """Return value / sqrt(square), rounded."""
    root = _root(value * value / square)
    return root if value >= 0 else -root


def along(problem: Problem, whole: Integers, exponent: int = 0) -> Direction:
    """Return how the classes lie along w = whole * 2**exponent."""
    X, positive = problem.X, problem.positive
    (above,) = _exact.least_products(X, [positive], whole, exponent)
    (below,) = _exact.least_products(X, [~positive], -whole, exponent)
    sides = (above, below) if problem.offset else (min(above, below),)
    return Direction(
        whole, exponent, tuple(low for low, _ in sides), tuple(row for _, row in sides)
    )


def along_floats(problem: Problem, w: Floats) -> Direction | None:
    """Return the direction of w where it separates, else None."""
    if not np.all(np.isfinite(w)) or not np.any(w):
        return None
    found = along(problem, *_exact.integers(w))
    return found if found.separates else None


def combination(problem: Problem, rows: Rows, weights: Floats) -> Weights | None:
    """Return exact Farkas weights near given ones, as whole numbers, or None.

    The weights of rows that the others depend on are kept, as near as a few digits go; a linear
    system gives the others. It fails when one of these comes out negative.
    """
    kept = np.isfinite(weights) & (weights > 0)
    rows, weights = rows[kept], weights[kept]
    if not 0 < len(rows) <= MOST_ROWS:
        return None
    order = np.argsort(-weights, kind="stable")  # so that the small ones are those kept
    rows, weights = rows[order], weights[order]
    signed = problem.signed(rows)
    A = _exact.integer_columns(signed[:, np.any(signed != 0, axis=0)]).T
    if not len(A):
        return rows[:1], np.array([1], dtype=object)  # a row of zeros, and no offset
    equations, basic = _exact.eliminated(A)
    free = np.setdiff1d(np.arange(len(rows)), basic)
    if not len(free):
        return None
    chosen = np.array(
        [max(1, round(math.ldexp(value, 50))) for value in weights[free] / weights.max()],
        dtype=object,
    )
    alpha = np.zeros(len(rows), dtype=object)
    alpha[free] = chosen
    if basic:
        system = A[equations]
        solution = _exact.solved(system[:, basic], -(system[:, free] @ chosen))
        if solution is None:
            return None
        alpha[basic], denominator = solution
        alpha[free] *= denominator
    return _proven(A, rows, alpha)


def _proven(A: Integers, rows: Rows, alpha: Integers) -> Weights | None:
    """Return the weights if they are ones: none negative, some positive, and A alpha = 0."""
    if np.any(alpha < 0) or not np.any(alpha > 0) or np.any(A @ alpha != 0):
        return None
    used = alpha > 0
    alpha = alpha[used] // math.gcd(*(int(value) for value in alpha[used]))
    order = np.argsort(rows[used])
    return rows[used][order], alpha[order]


def by_linear_program(problem: Problem, rows: Rows) -> tuple[Floats, Rows, Floats] | None:
    """Return a direction, and rows with weights, that HiGHS suggests; or None.

    max t with y (w.x + b) >= t in every row and -1 <= w, b <= 1, features and rows scaled to
    one. The dual solution is a combination of rows as near to zero as one can be. Rows are
    added where the last solution is violated, until none is.
    """
    scale: Floats | None = None
    chosen = np.unique(rows)
    for _ in range(LP_ROUNDS):
        signed = problem.signed(chosen)
        if scale is None:
            scale = _powers(np.abs(signed).max(axis=0, initial=0))
        scaled = signed / scale
        size = _powers(np.abs(scaled).max(axis=1, initial=0))
        scaled /= size[:, None]
        cols = scaled.shape[1]
        with np.errstate(all="ignore"):
            answer = optimize.linprog(
                np.append(np.zeros(cols), -1.0),
                A_ub=np.column_stack([-scaled, np.ones(len(scaled))]),
                b_ub=np.zeros(len(scaled)),
                bounds=[(-1, 1)] * cols + [(None, None)],
                method="highs",
            )
        if answer.status != 0:
            return None
        assert answer.x is not None  # of an optimal answer
        v = answer.x[:-1] / scale
        weights = np.maximum(0.0, -answer.ineqlin.marginals) / size
        scores = problem.scores(v)
        outside = np.ones(len(scores), dtype=bool)
        outside[chosen] = False
        worse = np.flatnonzero(outside & (scores <= max(0.0, 0.5 * scores[chosen].min())))
        if not len(worse) or answer.x[-1] <= LP_NOTHING:  # rows that overlap stay so among more
            return v[: problem.X.shape[1]], chosen, weights
        worst = worse[np.argsort(scores[worse], kind="stable")[:LP_ROWS]]
        chosen = np.union1d(chosen[weights > 0], worst)
    return None


def _powers(values: Floats) -> Floats:
    """Return powers of two of about the size of the values; 1 for zero."""
    return np.where(values > 0, np.ldexp(1.0, np.frexp(values)[1]), 1.0)


def stepped(problem: Problem, rows: Rows) -> Answer | None:
    """Return the direction of the maximum margin, or Farkas weights, by exact steps.

    It is the method of cpp/include/inducer/linear/max_margin.h, from rows that floats suggest. The
    norm falls at each step, so no set of rows comes back and the method ends; here it is cut
    off when that takes long. Then the best direction so far is returned, or None.
    """
    rows = _independent(problem, rows)
    groups = _groups(problem, rows)
    counts = groups.sum(axis=0)
    alpha = [Fraction(1, int(counts[g])) for g in np.argmax(groups, axis=1)]
    best: Direction | None = None
    for _ in range(MOST_EXACT_STEPS):
        size = len(rows)
        if size > MOST_ROWS_STEPPED:
            break
        signed = problem.signed(rows)[:, : problem.X.shape[1]]
        used = np.any(signed != 0, axis=0)
        Z, exponent = _exact.integers(signed[:, used])
        groups = _groups(problem, rows)
        corner = np.zeros((groups.shape[1], groups.shape[1]), dtype=object)
        solution = _exact.solved(
            np.block([[Z @ Z.T, groups], [groups.T, corner]]),
            np.array([0] * size + [1] * groups.shape[1], dtype=object),
        )
        if solution is None:
            break
        nearest, denominator = solution[0][:size], solution[1]
        if np.any(nearest < 0):
            goal = [Fraction(int(value), denominator) for value in nearest]
            far = min(a / (a - b) for a, b in zip(alpha, goal, strict=True) if b < 0)
            alpha = [a + far * (b - a) for a, b in zip(alpha, goal, strict=True)]
            left = [k for k in range(size) if alpha[k] > 0]
            rows, alpha = rows[left], [alpha[k] for k in left]
            continue
        point = nearest @ Z
        if not np.any(point):
            sums = groups @ np.array([[1], [-1]][: groups.shape[1]]) * problem.offset
            return _proven(np.concatenate([Z, sums], axis=1).T, rows, nearest)
        whole = np.zeros(problem.X.shape[1], dtype=object)
        whole[used] = point // math.gcd(*(int(value) for value in point))
        found = along(problem, whole)
        if found.separates and (best is None or found.margin() > best.margin()):
            best = found
        # The least y w.x of a side, against that of the rows held, which is the same for all.
        held = Z @ whole[used]
        levels = [
            _exact.fraction(int(held[np.argmax(groups[:, g] != 0)]), exponent)
            for g in range(groups.shape[1])
        ]
        short = [level - low for level, low in zip(levels, found.lows, strict=True)]
        if all(value <= 0 for value in short):
            weights = [float(Fraction(int(value), denominator)) for value in nearest]
            return replace(found, dual=(rows, np.array(weights)))
        worst = short.index(max(short))
        left = [k for k in range(size) if nearest[k] > 0]
        alpha = [*(Fraction(int(nearest[k]), denominator) for k in left), Fraction(0)]
        rows = np.append(rows[left], found.lowest[worst])
    return best


def _groups(problem: Problem, rows: Rows) -> Integers:
    """Return which weights sum to one together: a column of zeros and ones for each group."""
    if not problem.offset:
        return np.ones((len(rows), 1), dtype=object)
    positive = problem.positive[rows]
    return np.column_stack([positive, ~positive]).astype(int).astype(object)


def _independent(problem: Problem, rows: Rows) -> Rows:
    """Return rows none of which depends on the others, with each group's weights summing to one.

    Of each class at least one is kept, when some are there.
    """
    positive = problem.positive[rows]
    first = [np.flatnonzero(side)[:1] for side in (positive, ~positive)]
    order = np.concatenate([*first, np.setdiff1d(np.arange(len(rows)), np.concatenate(first))])
    rows = rows[order.astype(np.int64)][: MOST_ROWS_STEPPED + 2]
    signed = problem.signed(rows)[:, : problem.X.shape[1]]
    signed = signed[:, np.any(signed != 0, axis=0)]
    A = np.concatenate([_groups(problem, rows), _exact.integer_columns(signed)], axis=1)
    return rows[_exact.eliminated(A.T)[1]]


def _root(value: Fraction) -> float:
    """Return the square root, correct to a float's last bit or so whatever its exponent."""
    if value == 0:
        return 0.0
    shift = (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    near_one = value / Fraction(4) ** shift
    try:
        return math.ldexp(math.sqrt(near_one), shift)
    except OverflowError:
        return math.inf
