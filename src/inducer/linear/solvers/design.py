"""A matrix of features for solvers: its products, in blocks of rows, whatever its layout.

Each block is looked at as float64 rows side by side, a copy of the block where the matrix is
anything else; the whole is never copied. So C, Fortran and strided arrays give the same bits, and
float32 rows the accuracy of float64. Sparse rows stay sparse unless they are rather full. The cut
into blocks depends on the data alone, and so do the sums.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from inducer.base.blocks import RowBlocks, reduce_blocks

Vector = NDArray[np.float64]

BLOCK_WORK = 1 << 22  # multiply-adds of a product with a vector: some milliseconds
FULL = 0.25  # rows with more of their cells stored are quicker as dense blocks


class Design:
    """The matrix, and a column of ones beside it where there is an intercept."""

    def __init__(self, X: Any, intercept: bool) -> None:
        self.X, self.intercept = X, intercept
        self.rows, self.features = X.shape
        self.columns = self.features + intercept
        self.sparse = sparse.issparse(X)
        cells = X.nnz if self.sparse else self.rows * self.features
        self.dense_blocks = not self.sparse or cells > FULL * self.rows * self.features
        work = self.features if self.dense_blocks else cells / max(1, self.rows)
        self.blocks = RowBlocks(self.rows, float(max(1.0, work)), BLOCK_WORK)

    def block(self, rows: slice) -> Any:
        """Return some rows: a C-ordered array of float64, or a sparse matrix."""
        if not self.sparse:
            return np.ascontiguousarray(self.X[rows], np.float64)
        X = self.X
        begin, end = X.indptr[rows.start], X.indptr[rows.stop]
        part = sparse.csr_array(
            (
                X.data[begin:end].astype(np.float64, copy=False),
                X.indices[begin:end],
                X.indptr[rows.start : rows.stop + 1] - begin,
            ),
            shape=(rows.stop - rows.start, self.features),
        )
        return part.toarray() if self.dense_blocks else part

    def times(self, u: Vector) -> Vector:
        """Return X w, with the intercept added."""
        out = np.empty(self.rows)
        w, b = self.split(u)

        def product(rows: slice) -> None:
            out[rows] = self.block(rows) @ w + b

        reduce_blocks(self.blocks, product, lambda _, __: None)
        return out

    def transpose_times(self, v: Vector) -> Vector:
        """Return X' v, and the sum of v for the intercept."""

        def product(rows: slice) -> Vector:
            return self.beside(np.asarray(v[rows] @ self.block(rows)), v[rows])

        return self._sum(product)

    def beside(self, of_weights: Vector, of_rows: Vector) -> Vector:
        """Return a sum for each feature, and that for the intercept."""
        return np.append(of_weights, np.sum(of_rows)) if self.intercept else of_weights

    def gram(self, h: Vector) -> Vector:
        """Return X' diag(h) X, with the column of ones; rows where h is zero cost nothing."""

        def product(rows: slice) -> Vector:
            found = np.zeros((self.columns, self.columns))
            kept = np.flatnonzero(h[rows])
            if not len(kept):
                return found
            part, heights = self.block(rows), h[rows]
            if len(kept) < len(heights):
                part, heights = part[kept], heights[kept]
            root = np.sqrt(heights)
            if self.dense_blocks:
                scaled = part * root[:, None]
                inner = scaled.T @ scaled
            else:
                scaled = sparse.diags_array(root) @ part
                inner = (scaled.T @ scaled).toarray()
            found[: self.features, : self.features] = inner
            if self.intercept:
                found[-1, :-1] = found[:-1, -1] = heights @ part
                found[-1, -1] = np.sum(heights)
            return found

        return self._sum(product)

    def sums_of_sizes(self, weights: Vector) -> tuple[Vector, Vector]:
        """Return the sums of |x| and of x^2 in each column, by weight."""

        def product(rows: slice) -> Vector:
            part, w = np.abs(self.block(rows)), weights[rows]
            squares = part * part if self.dense_blocks else part.multiply(part)
            return np.stack(
                [self.beside(np.asarray(w @ part), w), self.beside(np.asarray(w @ squares), w)]
            )

        both = self._sum(product)
        return both[0], both[1]

    def split(self, u: Vector) -> tuple[Vector, float]:
        """Return the weights and the intercept."""
        return (u[:-1], float(u[-1])) if self.intercept else (u, 0.0)

    def _sum(self, product: Callable[[slice], Vector]) -> Vector:
        with np.errstate(over="ignore", invalid="ignore"):
            return reduce_blocks(self.blocks, product, np.add)
