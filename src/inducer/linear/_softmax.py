"""The cross entropy of the softmax of several outputs, and a square penalty, as in `_sums`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inducer._core.linear import Softmax, add_gram
from inducer.base.arrays import Matrix, matrix_of
from inducer.linear._centre import Centre
from inducer.linear._precondition import Preconditioner, by_diagonal, by_factor
from inducer.linear._sums import Point, blocks, squares_of_columns

Floats = NDArray[np.float64]

MOST_WRITTEN = 1500  # unknowns: a Hessian of 18 MB
SAMPLE = 64  # rows for each column, that the Hessian of a sample is near enough to that of all
CALL = 1e6  # multiply-adds that a call of a kernel costs


class SoftmaxLosses:
    """``factor`` sum_i weight_i cross entropy + ``ridge`` sum of squared weights / 2.

    The unknowns are those of output 0, then of output 1, and so on. With ``pinned`` those of output
    0 are held at zero: two outputs are then the logistic loss of one.
    """

    along = None

    def __init__(
        self,
        matrix: Matrix,
        outputs: int,
        *,
        shares: Floats | None = None,
        codes: NDArray[np.int32] | None = None,
        weights: Floats | None = None,
        factor: float = 1.0,
        ridge: float = 1.0,
        fit_intercept: bool = True,
        pinned: bool = False,
        threads: int = 1,
    ) -> None:
        self.matrix, self.outputs, self.threads = matrix, outputs, threads
        self.factor, self.ridge, self.fit_intercept = factor, ridge, fit_intercept
        self.weights, self.pinned = weights, pinned
        rows, cols = matrix.X.shape
        self.total = factor * (float(rows) if weights is None else float(weights.sum()))
        self.width = cols + 1
        self.free = outputs - 1 if pinned else outputs
        self.centre = Centre.of(matrix, free=fit_intercept, threads=threads)
        self.size = self.free * self.width
        self.penalised = np.tile(np.append(np.ones(cols), 0.0), self.free)
        self.kernel = Softmax(
            matrix.rows, outputs=outputs, shares=shares, codes=codes, weights=weights
        )
        self._squares: Floats | None = None
        self._sample: Matrix | None = None
        self._missed: NDArray[np.bool_] | None = None
        self._factor: Preconditioner | None = None
        self._products = 0  # since the Hessian of a sample was last written down

    def raw(self, at: Floats) -> Floats:
        """Return the weights and the offsets that the unknowns stand for."""
        return self.centre.raw(at)

    def _full(self, at: Floats) -> Floats:
        table = self.raw(at).reshape(self.free, self.width)
        if self.pinned:
            table = np.vstack([np.zeros((1, self.width)), table])
        return np.ascontiguousarray(table)

    def _flat(self, table: Floats) -> Floats:
        if not self.fit_intercept:
            table[:, -1] = 0.0
        return self.centre.slopes(table[self.outputs - self.free :]).ravel()

    def evaluate(self, at: Floats, *, hessian: bool = False) -> Point:
        """Return the value and derivatives at a place."""
        gradient = np.zeros((self.outputs, self.width))
        shares = np.empty((self.outputs, self.matrix.X.shape[0]))
        W, value = self._full(at), 0.0
        for begin, end in blocks(self.matrix, self.outputs):
            value += self.kernel.evaluate(
                W, begin, end, self.threads, gradient=gradient, probabilities=shares
            )
        penalised = at * self.penalised
        value = self.factor * value + 0.5 * self.ridge * float(penalised @ penalised)
        flat = self.factor * self._flat(gradient) + self.ridge * penalised
        point = Point(at, value, flat, None, {"probabilities": shares})
        if hessian:
            point.hessian = self._hessian(shares)
        return point

    def _hessian(self, P: Floats, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return all blocks: for outputs k, l the Gram matrix weighted by p_k ([k = l] - p_l).

        From some rows only, if given, and then scaled to the weight of all.
        """
        width, first = self.width, self.outputs - self.free
        matrix, weights, factor = self.matrix, self.weights, self.factor
        if rows is not None:
            if self._sample is None:
                self._sample = matrix_of(matrix.X[rows])
            matrix, P = self._sample, P[:, rows]
            weights = np.ones(len(rows)) if weights is None else weights[rows]
            factor = self.total / float(weights.sum())
        square = np.zeros((self.size, self.size))
        none = np.zeros((P.shape[1], 0))
        for k in range(self.free):
            for m in range(k, self.free):
                curvature = P[first + k] * (float(k == m) - P[first + m])
                if weights is not None:
                    curvature *= weights
                gram = np.zeros((width, width))
                for begin, end in blocks(matrix, width / 8):
                    add_gram(matrix.rows, curvature, none, None, gram, begin, end, self.threads)
                gram *= factor
                gram += np.triu(gram, 1).T
                self.centre.curvatures(gram)
                if not self.fit_intercept:
                    gram[-1], gram[:, -1] = 0.0, 0.0
                    gram[-1, -1] = float(k == m)
                at_k, at_m = slice(k * width, (k + 1) * width), slice(m * width, (m + 1) * width)
                square[at_k, at_m], square[at_m, at_k] = gram, gram.T
        square[np.diag_indices(self.size)] += self.ridge * self.penalised
        return square

    def product(self, point: Point, v: Floats) -> Floats:
        """Return the Hessian at a point times v."""
        self._products += 1
        out, V = np.zeros((self.outputs, self.width)), self._full(v)
        for begin, end in blocks(self.matrix, 2 * self.outputs):
            self.kernel.product(point.held["probabilities"], V, begin, end, out, self.threads)
        return self.factor * self._flat(out) + self.ridge * self.penalised * v

    def diagonal(self, point: Point) -> Floats:
        """Return about the diagonal of the Hessian: the mean curvatures times the squares."""
        if self._squares is None:
            ones = np.ones(self.matrix.X.shape[0])
            self._squares = squares_of_columns(self.matrix, ones, self.centre, self.threads)
        P = point.held["probabilities"][self.outputs - self.free :]
        mean = np.array([np.einsum("i,i", p, 1 - p) for p in P]) / P.shape[1]
        if self.weights is not None:
            mean *= float(np.mean(self.weights))
        found: Floats = self.factor * np.outer(mean, self._squares).ravel()
        return found + self.ridge * self.penalised

    def preconditioner(self, point: Point) -> Preconditioner:
        """Return the inverse of the diagonal, or of the Hessian of a sample of the rows.

        That one is written down, and later written anew, when the products since have cost as much
        as doing so.
        """
        if self.size <= MOST_WRITTEN and self._products >= self._price():
            self._factor = self.sampled(point)
            self._products = 0
        solved = self._factor or by_diagonal(self.diagonal(point))
        return lambda r: self._seen(solved(self._seen(r)))

    def _seen(self, v: Floats) -> Floats:
        """Return v less what no probability sees: the same offset for every output.

        Else it drifts, for a preconditioner changes it, and scores lose their last digits to it.
        """
        if self.pinned or not self.fit_intercept:
            return v
        table = v.reshape(self.free, self.width).copy()
        table[:, -1] -= table[:, -1].mean()
        return table.ravel()

    def sampled(self, point: Point) -> Preconditioner:
        """Return the inverse of the Hessian of rows spread evenly over those that count."""
        rows = self.matrix.X.shape[0]
        counting = np.arange(rows) if self.weights is None else np.flatnonzero(self.weights)
        count = min(len(counting), SAMPLE * self.width)
        if count == 0:
            return by_diagonal(self.diagonal(point))
        places = counting[np.arange(count) * len(counting) // count]
        H, diagonal = self._hessian(point.held["probabilities"], places), self.diagonal(point)
        if self._missed is None and self._sample is not None and self._squares is not None:
            seen = squares_of_columns(self._sample, np.ones(count), self.centre, self.threads)
            seen *= rows / count
            self._missed = np.tile(seen < 0.5 * self._squares, self.free)
        return by_factor(H, diagonal, self._missed)

    def _price(self) -> float:
        """Return how many products the Hessian of a sample costs, with its factor."""
        X = self.matrix.X
        rows = min(X.shape[0], SAMPLE * self.width)
        calls = self.free * (self.free + 1) / 2
        written = rows * self.size**2 / 2 + self.size**3 / 3 + CALL * calls
        # A cell of a sparse row is a walk into memory.
        cells = 4 * X.nnz if hasattr(X, "indptr") else X.shape[0] * self.width
        return float(written / (2.0 * max(cells, 1) * self.outputs))
