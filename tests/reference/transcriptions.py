"""The course's perceptrons, written down as the books have them: slow, literal, independent.

Only what the books leave open is taken from the library: the order in which its kernels add up a
dot product (cpp/include/inducer/base/vector.h, rows.h), the random streams that shuffle the rows
(cpp/src/linear/passes.cpp), and when passes end. So weights can be compared bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inducer._core.base import permutation, random_words

Floats = NDArray[Any]


# ---- rows, and how products are added ------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """The cells of a row: all of them, or those that a CSR matrix stores."""

    values: Floats
    columns: Any  # what w is indexed with
    lanes: int

    def dot(self, w: Floats) -> float:
        """Return sum_j x_j w_j: product j is added to lane j mod lanes, lanes by halves."""
        products = self.values * w[self.columns]
        padded = np.zeros(-(-len(products) // self.lanes) * self.lanes, products.dtype)
        padded[: len(products)] = products
        lane = np.zeros(self.lanes, products.dtype)
        for chunk in padded.reshape(-1, self.lanes):
            lane = lane + chunk
        while len(lane) > 1:
            lane = lane[: len(lane) // 2] + lane[len(lane) // 2 :]
        return float(lane[0])

    def add_to(self, w: Floats, r: float) -> None:
        """Do w += r x, in the precision of w."""
        w[self.columns] += w.dtype.type(r) * self.values.astype(w.dtype)


def rows_of(X: Any) -> list[Row]:
    """Return the rows of an array or a CSR matrix."""
    if isinstance(X, np.ndarray):
        return [Row(x, slice(None), 128 // X.itemsize) for x in X]
    bounds = zip(X.indptr, X.indptr[1:], strict=False)
    return [Row(X.data[a:b], X.indices[a:b], 8) for a, b in bounds]


# ---- passes --------------------------------------------------------------------------------------


def orders(
    rows: NDArray[np.intp], shuffle: str, seed: int, stream: int, first: int = 0
) -> Iterator[NDArray[np.intp]]:
    """Yield the order of the rows for pass after pass, `first` the number of the first of them."""
    while True:
        if shuffle == "never":
            yield rows
        else:
            part = first if shuffle == "every" else 0
            yield rows[permutation(seed, stream, part, len(rows))]
        first += 1


def visited(n: int, weights: Floats | None) -> NDArray[np.intp]:
    """Return the rows that a fit visits: those that weigh something."""
    return np.arange(n) if weights is None else np.flatnonzero(weights > 0)


@dataclass
class Passes:
    """What passes came to."""

    made: int = 0
    mistakes: list[int] = field(default_factory=list)  # of each pass
    losses: list[float] = field(default_factory=list)


def make_passes(
    visit: Callable[[int], float | None],
    ordered: Iterator[NDArray[np.intp]],
    total_weight: float,
    *,
    max_iter: int,
    tol: float | None,
    patience: int = 5,
) -> Passes:
    """Visit the rows, pass after pass; a visit returns the loss of a mistake, or None.

    Ends with max_iter, or, when there is a tol, with a clean pass or after `patience` passes that
    did not lower the mean loss by tol.
    """
    passes = Passes()
    best, stale = np.inf, 0
    while passes.made < max_iter:
        mistakes, loss = 0, 0.0
        for row in next(ordered):
            found = visit(int(row))
            if found is not None:
                mistakes += 1
                loss += found
        passes.made += 1
        passes.mistakes.append(mistakes)
        passes.losses.append(loss / total_weight)
        if tol is not None:
            stale = stale + 1 if passes.losses[-1] > best - tol else 0
            best = min(best, passes.losses[-1])
            if mistakes == 0 or stale >= patience:
                break
    return passes


# ---- CIML A5, A7 and (4.17) ----------------------------------------------------------------------


class Perceptron:
    """CIML A5 and A7: w and b, their lazy sums u and beta, and all (w, b, c) of (4.17)."""

    def __init__(
        self,
        X: Any,
        y: Floats,
        *,
        weights: Floats | None = None,
        rate: float = 1.0,
        fit_intercept: bool = True,
    ) -> None:
        self.rows, self.y, self.rate, self.fit_intercept = rows_of(X), y, rate, fit_intercept
        self.weights = weights
        self.w = np.zeros(X.shape[1], X.dtype)
        self.u = np.zeros(X.shape[1])
        self.b, self.beta, self.c = 0.0, 0.0, 1.0
        self.voters: list[list[Any]] = []  # w, b, rows survived
        self.mistaken: list[int] = []

    def visit(self, i: int) -> float | None:
        """Correct the weights for row i if they have it wrong."""
        x, y = self.rows[i], self.y[i]
        a = x.dot(self.w) + self.b
        loss = None
        if y * a <= 0:
            weight = 1.0 if self.weights is None else float(self.weights[i])
            r = self.rate * weight
            x.add_to(self.w, r * y)
            x.add_to(self.u, r * y * self.c)
            if self.fit_intercept:
                self.b += r * y
                self.beta += r * y * self.c
            self.mistaken.append(i)
            self.voters.append([self.w.copy(), self.b, 1])
            loss = -weight * y * a
        elif self.voters:
            self.voters[-1][2] += 1
        self.c += 1
        return loss

    def averaged(self) -> tuple[Floats, float]:
        """Return A7's w - u / c and b - beta / c."""
        return (self.w - self.u / self.c).astype(self.w.dtype), self.b - self.beta / self.c

    def vote(self, x: Floats) -> float:
        """Return (4.17) before its outer sign, as a share of all votes."""
        votes = sum(c * np.sign(float(w @ x) + b) for w, b, c in self.voters)
        return float(votes / sum(c for _, _, c in self.voters))


# ---- CIML A39 ------------------------------------------------------------------------------------


class Multiclass:
    """CIML A39: one w a class, plain and averaged as in A7."""

    def __init__(
        self,
        X: Any,
        codes: NDArray[Any],
        classes: int,
        *,
        weights: Floats | None = None,
        rate: float = 1.0,
        fit_intercept: bool = True,
    ) -> None:
        self.rows, self.codes, self.rate = rows_of(X), codes, rate
        self.fit_intercept, self.weights = fit_intercept, weights
        self.w = np.zeros((classes, X.shape[1]), X.dtype)
        self.u = np.zeros((classes, X.shape[1]))
        self.b, self.beta, self.c = np.zeros(classes), np.zeros(classes), 1.0

    def visit(self, i: int) -> float | None:
        """Move the right class towards row i, and the guess away from it, when they differ."""
        x, label = self.rows[i], self.codes[i]
        scores = [x.dot(w) + b for w, b in zip(self.w, self.b, strict=True)]
        guess = int(np.argmax(scores))
        loss = None
        if guess != label:
            weight = 1.0 if self.weights is None else float(self.weights[i])
            for k, r in ((label, self.rate * weight), (guess, -self.rate * weight)):
                x.add_to(self.w[k], r)
                x.add_to(self.u[k], r * self.c)
                if self.fit_intercept:
                    self.b[k] += r
                    self.beta[k] += r * self.c
            loss = weight * (scores[guess] - scores[label])
        self.c += 1
        return loss

    def averaged(self) -> tuple[Floats, Floats]:
        """Return the averages of all weights and offsets."""
        return (self.w - self.u / self.c).astype(self.w.dtype), self.b - self.beta / self.c


# ---- MIT 3.5.12-14, CIML A30 ---------------------------------------------------------------------


class Dual:
    """MIT 3.5: counts of mistakes, and a matrix K of inner products."""

    def __init__(
        self, K: Floats, y: Floats, *, weights: Floats | None = None, fit_intercept: bool = True
    ) -> None:
        self.K, self.y, self.fit_intercept = K, y, fit_intercept
        self.weights = np.ones(len(y)) if weights is None else weights
        self.alpha, self.b = np.zeros(len(y)), 0.0

    def visit(self, n: int) -> float | None:
        """Count a mistake on row n if it is one."""
        a = float(np.sum(self.alpha * self.y * self.K[:, n])) + self.b
        if self.y[n] * a > 0:
            return None
        self.alpha[n] += self.weights[n]
        if self.fit_intercept:
            self.b += self.weights[n] * self.y[n]
        return float(-self.weights[n] * self.y[n] * a)


# ---- NTU 2 and 8 ---------------------------------------------------------------------------------


@dataclass
class Pocket:
    """NTU 2 and 8: what lies in the pocket."""

    w: Floats
    b: Floats
    cost: float
    mistakes: int
    updates: int
    visits: list[int]  # the mistakes that were drawn, in order


def pocket(
    X: Any,
    codes: NDArray[Any],
    classes: int,
    *,
    seed: int,
    max_updates: int,
    cost: Floats | None = None,
    weights: Floats | None = None,
    rate: float = 1.0,
    fit_intercept: bool = True,
    start: tuple[Floats, Floats] | None = None,
) -> Pocket:
    """Return the cheapest weights on the way; mistakes are drawn in proportion to their cost.

    The n-th draw is the n-th word of the kernel's stream, as a number in [0, 1).
    """
    rows = rows_of(X)
    outputs = 1 if classes == 2 else classes
    C = 1.0 - np.eye(classes) if cost is None else cost
    by_row = np.ones(len(rows)) if weights is None else weights
    w, b = np.zeros((outputs, X.shape[1]), X.dtype), np.zeros(outputs)
    if start is not None:
        w[:], b[:] = start
    draws = random_words(seed, 0, 0, max_updates)
    best: Pocket | None = None
    drawn: list[int] = []
    while True:
        said = []
        for x, code in zip(rows, codes, strict=True):
            scores = [x.dot(w[k]) + b[k] for k in range(outputs)]
            if outputs > 1:
                said.append(int(np.argmax(scores)))
            elif scores[0] == 0:  # on the line is a mistake, as in PLA
                said.append(1 - int(code))
            else:
                said.append(int(scores[0] > 0))
        charges = [
            0.0 if guess == code else float(weight * C[code, guess])
            for weight, code, guess in zip(by_row, codes, said, strict=True)
        ]
        total = 0.0
        for charge in charges:
            total += charge
        if best is None or total < best.cost:
            wrong = int(np.sum((np.array(said) != codes) & (by_row > 0)))
            best = Pocket(w.copy(), b.copy(), total, wrong, 0, [])
        if total == 0 or len(drawn) == max_updates:
            break
        target = float(int(draws[len(drawn)]) >> 11) * 2.0**-53 * total
        reached, chosen = 0.0, -1
        for i, charge in enumerate(charges):
            if charge > 0:
                reached, chosen = reached + charge, i
                if reached > target:
                    break
        drawn.append(chosen)
        code, guess = int(codes[chosen]), said[chosen]
        moves = [(0, 1 if code else -1)] if outputs == 1 else [(code, 1), (guess, -1)]
        for k, sign in moves:
            rows[chosen].add_to(w[k], sign * rate)
            if fit_intercept:
                b[k] += sign * rate
    best.updates, best.visits = len(drawn), drawn
    return best


# ---- MIT 3.5.5-9 ---------------------------------------------------------------------------------


@dataclass
class Batch:
    """MIT 3.5: the best weights of an off-line run."""

    w: Floats
    b: float
    mistakes: int
    weight: float
    loss: float
    passes: int
    walk: list[tuple[Floats, float]]  # all weights there were


def batch(
    X: Any,
    y: Floats,
    *,
    max_iter: int,
    tol: float | None,
    patience: int = 50,
    rate: float = 1.0,
    weights: Floats | None = None,
    fit_intercept: bool = True,
    start: tuple[Floats, float] | None = None,
) -> Batch:
    """Return the weights with the least mistakes by weight; a step is the sum of y x over them."""
    rows = rows_of(X)
    by_row = np.ones(len(rows)) if weights is None else weights
    w, b = (np.zeros(X.shape[1]), 0.0) if start is None else start
    best: Batch | None = None
    walk: list[tuple[Floats, float]] = []
    stale, made = 0, 0
    while True:
        step, offset, wrong, weight, loss = np.zeros(X.shape[1]), 0.0, 0, 0.0, 0.0
        for x, side, v in zip(rows, y, by_row, strict=True):
            a = x.dot(w.astype(X.dtype)) + b
            if side * a <= 0 and v > 0:
                x.add_to(step, v * side)
                offset, wrong = offset + v * side, wrong + 1
                weight, loss = weight + v, loss - v * side * a
        walk.append((w.copy(), b))
        least = np.inf if best is None else best.weight
        stale = 0 if weight < least - (tol or 0.0) * by_row.sum() else stale + 1
        if best is None or weight < best.weight:
            best = Batch(w.copy(), b, wrong, weight, loss, 0, walk)
        clean = tol is not None and (best.mistakes == 0 or stale >= patience)
        if made == max_iter or (made > 0 and clean):
            break
        w, b = w + rate * step, b + rate * offset if fit_intercept else b
        made += 1
    best.passes = made
    return best
