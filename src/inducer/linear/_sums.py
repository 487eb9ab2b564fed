"""What linear models minimise: sums over rows, evaluated by the kernels, and a square penalty.

A problem here is smooth: ``evaluate`` returns a `Point`, with the value and the gradient there, and
``product`` multiplies its Hessian. Unknowns are one vector: the weights and then the offset, which
is never penalised. Where it is free, it is the score at the rows' centre (`Centre`), and ``raw``
returns the weights and the offset that learners have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from inducer._core.linear import Objective, column_products, column_sizes, curvature_product
from inducer.base.arrays import Matrix, matrix_of
from inducer.linear._centre import Centre
from inducer.linear._precondition import Preconditioner, by_diagonal

Floats = NDArray[np.float64]

WORK = 1 << 26  # multiply-adds between two looks for Ctrl-C: 0.2 s at the slowest


@dataclass
class Point:
    """Where a problem was evaluated, and what was found there."""

    at: Floats
    value: float
    gradient: Floats
    hessian: Floats | None = None
    held: dict[str, Any] = field(default_factory=dict)  # what products need


def blocks(matrix: Matrix, factor: float = 1.0) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows, each short work for a kernel; they depend on the data alone."""
    X = matrix.X
    rows = int(X.shape[0])
    cells = X.nnz / max(1, rows) if hasattr(X, "indptr") else X.shape[1]
    step = max(1, int(WORK / (factor * (2 * cells + 16))))
    for begin in range(0, rows, step):
        yield begin, min(begin + step, rows)


def squares_of_columns(matrix: Matrix, weights: Floats, centre: Centre, threads: int) -> Floats:
    """Return the weighted sums of squares about a centre, and that of the constant column."""
    first = column_products(matrix.rows, weights[None], threads)[0]
    second = column_sizes(matrix.rows, weights, threads)[1]
    return centre.squares(second, first, float(weights.sum()))


class RowLosses:
    """``factor`` sum_i weight_i loss(y_i, w.x_i + b) + ``ridge`` |w|^2 / 2, of (w, b).

    Parameters
    ----------
    matrix : Matrix
    loss, parameter
        As the kernels name them.
    targets, codes, positive
        Numbers, or codes of which one is positive.
    weights : array or None
    factor, ridge : float
    fit_intercept : bool
        Else b stays where it is.
    centre : Centre or None
        None: that of the rows.
    """

    def __init__(
        self,
        matrix: Matrix,
        loss: str,
        *,
        parameter: float = 0.0,
        targets: Floats | None = None,
        codes: NDArray[np.int32] | None = None,
        positive: int = 1,
        weights: Floats | None = None,
        factor: float = 1.0,
        ridge: float = 1.0,
        fit_intercept: bool = True,
        threads: int = 1,
        centre: Centre | None = None,
    ) -> None:
        self.matrix, self.threads = matrix, threads
        self.factor, self.ridge, self.fit_intercept = factor, ridge, fit_intercept
        self.weights = weights
        rows, cols = matrix.X.shape
        self.centre = centre or Centre.of(matrix, free=fit_intercept, threads=threads)
        self.total = factor * (float(rows) if weights is None else float(weights.sum()))
        self.size = cols + 1
        self.penalised = np.append(np.ones(cols), 0.0)
        self.loss, self.parameter = loss, parameter
        self.targets, self.codes, self.positive = targets, codes, positive
        self.kernel = Objective(
            matrix.rows,
            loss,
            parameter=parameter,
            targets=targets,
            codes=codes,
            positive=positive,
            weights=weights,
        )
        self._squares: Floats | None = None

    def like(
        self, matrix: Matrix, centre: Centre, *, every: int = 1, factor: float, ridge: float
    ) -> RowLosses:
        """Return the sum for the same targets, or each so-many-th of them, of other rows."""

        def part(array: Any) -> Any:
            return None if array is None else np.ascontiguousarray(array[::every])

        return RowLosses(
            matrix,
            self.loss,
            parameter=self.parameter,
            targets=part(self.targets),
            codes=part(self.codes),
            positive=self.positive,
            weights=part(self.weights),
            factor=factor,
            ridge=ridge,
            fit_intercept=self.fit_intercept,
            threads=self.threads,
            centre=centre,
        )

    def raw(self, at: Floats) -> Floats:
        """Return the weights and the offset that the unknowns stand for."""
        return self.centre.raw(at)

    def share(self, every: int) -> RowLosses:
        """Return the sum over each so-many-th row alone, times so many."""
        part = matrix_of(self.matrix.X[::every])
        return self.like(
            part, self.centre, every=every, factor=self.factor * every, ridge=self.ridge
        )

    def evaluate(self, at: Floats, *, hessian: bool = False, squares: bool = False) -> Point:
        """Return the value and derivatives at a place; with ``squares``, get those on the way."""
        rows = self.matrix.X.shape[0]
        found = np.zeros(self.size - 1) if squares else None
        gradient = np.zeros(self.size)
        scores, slopes, curvatures = np.empty((3, rows))  # one block: fewer and larger pages
        square = np.zeros((self.size, self.size)) if hessian else None
        value, raw = 0.0, self.raw(at)
        for begin, end in blocks(self.matrix, self.size / 8 if hessian else 1.0):
            value += self.kernel.evaluate(
                raw,
                begin,
                end,
                self.threads,
                gradient=gradient,
                hessian=square,
                scores=scores,
                slopes=slopes,
                curvatures=curvatures,
                squares=found,
                centre=None if found is None else self.centre.place,
            )
        if found is not None:
            self._squares = np.append(found, float(rows))
        penalised = at * self.penalised
        value = self.factor * value + 0.5 * self.ridge * float(penalised @ penalised)
        gradient = self.factor * self.centre.slopes(gradient) + self.ridge * penalised
        if square is not None:
            square = self.factor * self.centre.curvatures(square)
            square[np.diag_indices(self.size)] += self.ridge * self.penalised
        if not self.fit_intercept:
            gradient[-1] = 0.0
            if square is not None:
                square[:, -1] = 0.0
                square[-1, -1] = 1.0
        held = {"scores": scores, "slopes": slopes, "curvatures": curvatures}
        return Point(at, value, gradient, square, held)

    def product(self, point: Point, v: Floats) -> Floats:
        """Return the Hessian at a point times v."""
        out, raw = np.zeros(self.size), self.raw(v)
        for begin, end in blocks(self.matrix):
            curvature_product(
                self.matrix.rows, point.held["curvatures"], raw, begin, end, out, self.threads
            )
        out = self.factor * self.centre.slopes(out)
        out += self.ridge * self.penalised * v
        if not self.fit_intercept:
            out[-1] = 0.0
        return out

    def sweep(self, point: Point, v: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the gradient, the Hessian times v, and the scores of v, of one read of the rows.

        A point serves that knows only its place, slopes and curvatures.
        """
        gradient, out = np.zeros((2, self.size))
        changes, raw = np.empty(self.matrix.X.shape[0]), self.raw(v)
        for begin, end in blocks(self.matrix, 1.5):
            curvature_product(
                self.matrix.rows,
                point.held["curvatures"],
                raw,
                begin,
                end,
                out,
                self.threads,
                slopes=point.held["slopes"],
                gradient=gradient,
                changes=changes,
            )
        back = self.centre.slopes
        gradient = self.factor * back(gradient) + self.ridge * self.penalised * point.at
        out = self.factor * back(out) + self.ridge * self.penalised * v
        if not self.fit_intercept:
            gradient[-1] = out[-1] = 0.0
        return gradient, out, changes

    def diagonal(self, point: Point) -> Floats:
        """Return the diagonal of the Hessian; of dense rows, that of a mean curvature everywhere.

        A rare word's rows are few, and may all be curved or none.
        """
        curvatures = point.held["curvatures"]
        if hasattr(self.matrix.X, "indptr"):
            squares = squares_of_columns(self.matrix, curvatures, self.centre, self.threads)
            return self.factor * squares + self.ridge * self.penalised
        if self._squares is None:
            ones = np.ones(len(curvatures))
            self._squares = squares_of_columns(self.matrix, ones, self.centre, self.threads)
        mean = float(np.mean(curvatures))
        found: Floats = self.factor * mean * self._squares + self.ridge * self.penalised
        return found

    def preconditioner(self, point: Point) -> Preconditioner:
        """Return what conjugate gradients are helped by."""
        return by_diagonal(self.diagonal(point))

    def along(self, point: Point, direction: Floats) -> Callable[[float], float]:
        """Return the derivative along a line from a point, as a function of the step."""
        rows = self.matrix.X.shape[0]
        changes, raw = np.empty(rows), self.raw(direction)
        for begin, end in blocks(self.matrix):
            self.kernel.evaluate(raw, begin, end, self.threads, scores=changes)
        w, d = point.at * self.penalised, direction * self.penalised

        def slope(t: float) -> float:
            scores = point.held["scores"]
            found = self.kernel.along(scores, changes, t, 0, rows, self.threads)[1]
            return float(self.factor * found + self.ridge * (d @ (w + t * d)))

        return slope
