"""A matrix of features for solvers, and a column of ones beside it where there is an intercept.

The kernels read the matrix where it lies, whatever its layout, and sum in float64: so C, Fortran
and strided arrays give the same bits, float32 rows the accuracy of float64, and the number of
threads changes nothing. They always have an intercept, last of the weights; where there is to be
none it is zero there, and left out here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from inducer._core.linear import add_gram, column_sizes, curvature_product
from inducer.base._threads import threads
from inducer.base.arrays import Matrix, matrix_of
from inducer.linear._centre import Centre, stays_sparse
from inducer.linear._sums import blocks

Vector = NDArray[np.float64]

ROUNDING = 1e-13  # of the squares of a column: what may be left of them about its mean


class Design:
    """The matrix, its shape as the solvers see it, and products that no loss takes part in."""

    def __init__(self, matrix: Matrix, intercept: bool) -> None:
        self.matrix, self.intercept = _dense_if_full(matrix), intercept
        self.rows, self.features = (int(size) for size in matrix.X.shape)
        self.columns = self.features + intercept
        self._one = np.append(np.zeros(self.features), 1.0)
        # Where dense columns far from zero are seen from; the intercept goes with it.
        free = intercept and not hasattr(self.matrix.X, "indptr")
        self.centre = Centre.of(self.matrix, free=free, threads=threads())

    def split(self, u: Vector) -> tuple[Vector, float]:
        """Return the weights and the intercept."""
        return (u[:-1], float(u[-1])) if self.intercept else (u, 0.0)

    def with_intercept(self, u: Vector) -> Vector:
        """Return weights as the kernels take them."""
        return np.ascontiguousarray(u) if self.intercept else np.append(u, 0.0)

    def wanted(self, of_columns: Vector) -> Vector:
        """Return what the kernels found for each column, without the intercept if there is none."""
        return of_columns if self.intercept else of_columns[(slice(-1),) * of_columns.ndim]

    def raw(self, v: Vector) -> Vector:
        """Return weights and intercept for weights and the score at the centre."""
        return self.centre.raw(v) if self.intercept else v

    def seen(self, u: Vector) -> Vector:
        """Return weights and the score at the centre for weights and intercept."""
        return self.centre.seen(u) if self.intercept else u

    def slopes(self, gradient: Vector) -> Vector:
        """Return derivatives by weights and the score at the centre."""
        return self.centre.slopes(gradient.copy()) if self.intercept else gradient

    def transpose_times(self, v: Vector) -> Vector:
        """Return X' v, and the sum of v for the intercept."""
        out = np.zeros(self.features + 1)
        for begin, end in blocks(self.matrix):
            curvature_product(self.matrix.rows, v, self._one, begin, end, out, threads())
        return self.wanted(out)

    def gram(self, h: Vector) -> Vector:
        """Return X' diag(h) X, with the column of ones; rows where h is zero cost nothing."""
        found = np.zeros((self.features + 1, self.features + 1))
        no_targets = np.empty((self.rows, 0))
        for begin, end in blocks(self.matrix, (self.features + 1) / 8):
            add_gram(self.matrix.rows, h, no_targets, None, found, begin, end, threads())
        return self.wanted(both_triangles(found))

    def sums_of_sizes(self, weights: Vector) -> tuple[Vector, Vector]:
        """Return the sums of |x| and of x^2 in each column, by weight; from the centre if far."""
        sizes, squares = column_sizes(self.matrix.rows, weights, threads())
        ones, place = float(np.sum(weights)), self.centre.place
        far = place != 0
        if far.any():  # almost all of one sign: |x| adds up to the mean
            about = squares - place * (2 * np.sign(place) * sizes - place * ones)
            far &= about > ROUNDING * squares  # else it does not vary
            squares = np.where(far, about, squares)
            sizes = np.where(far, np.sqrt(np.maximum(about, 0.0) * ones), sizes)
        return self.wanted(np.append(sizes, ones)), self.wanted(np.append(squares, ones))


def _dense_if_full(matrix: Matrix) -> Matrix:
    """Return sparse rows as dense ones if they are rather full; some three times as large then."""
    X = matrix.X
    if not hasattr(X, "indptr") or stays_sparse(X):
        return matrix
    return matrix_of(X.toarray())


def both_triangles(upper: Vector) -> Vector:
    """Return a symmetric matrix of which the kernels made the upper half."""
    return upper + np.triu(upper, 1).T
