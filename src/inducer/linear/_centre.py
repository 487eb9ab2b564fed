"""Rows as seen from their centre, without a copy: a change of unknowns.

With a free offset the score w.x + b is also w.(x - c) + a, a = b + w.c being the score at c. In
(w, a) the columns are about zero: one that is far from it, such as a year, would else be nearly the
constant column once more, and hide what is left of the others. A penalty of w is what it was.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inducer._core.linear import column_products
from inducer.base.arrays import Matrix

Floats = NDArray[np.float64]

SAMPLE = 256  # rows, that tell which columns are far from zero
FAR = 3.0  # spreads
FULL = 0.25  # of the cells of sparse rows: with more of them stored, dense ones are quicker


def stays_sparse(X: Any) -> bool:
    """Return whether a matrix is sparse, and not so full that it is taken for a dense one."""
    return hasattr(X, "indptr") and bool(X.nnz <= FULL * X.shape[0] * X.shape[1])


class Centre:
    """The change between (w, a) and (w, b), for each output of the unknowns.

    Parameters
    ----------
    place : array of shape (n_features,)
    """

    def __init__(self, place: Floats) -> None:
        self.place = place
        self.width = len(place) + 1

    @classmethod
    def of(cls, matrix: Matrix, *, free: bool, threads: int) -> Centre:
        """Return the change for a matrix, or none where the offset is not free.

        Sparse rows are seen from their mean. Of dense ones, whose mean would take a read, those
        columns are moved that a sample shows far from zero: no others, for the mean of a rare
        indicator is another in the sample than in all rows.
        """
        X = matrix.X
        rows, cols = X.shape
        if not free or rows == 0:
            return cls(np.zeros(cols))
        if stays_sparse(X):
            return cls(column_products(matrix.rows, np.full((1, rows), 1.0 / rows), threads)[0])
        # Whatever the layout, so that the mean has the same bits.
        part = X[:: max(1, rows // SAMPLE)]
        part = part.toarray() if hasattr(part, "toarray") else part
        some = np.ascontiguousarray(part, np.float64)
        with np.errstate(over="ignore", invalid="ignore"):  # of features that are refused later
            mean = some.mean(axis=0)
            far = np.abs(mean) > FAR * np.sqrt(np.mean((some - mean) ** 2, axis=0))
        return cls(np.where(far & np.isfinite(mean), mean, 0.0))

    def raw(self, at: Floats) -> Floats:
        """Return (w, b) for (w, a)."""
        table = at.reshape(-1, self.width).copy()
        table[:, -1] -= table[:, :-1] @ self.place
        return table.reshape(at.shape)

    def seen(self, at: Floats) -> Floats:
        """Return (w, a) for (w, b)."""
        table = at.reshape(-1, self.width).copy()
        table[:, -1] += table[:, :-1] @ self.place
        return table.reshape(at.shape)

    def slopes(self, gradient: Floats) -> Floats:
        """Return derivatives by (w, a) for those by (w, b), in place."""
        table = gradient.reshape(-1, self.width)
        table[:, :-1] -= np.multiply.outer(table[:, -1], self.place)
        return gradient

    def curvatures(self, H: Floats) -> Floats:
        """Return second derivatives likewise, of one output, in place.

        The last column is read, not the last row: the upper triangle may be all there is.
        """
        c, across, total = self.place, H[:-1, -1].copy(), float(H[-1, -1])
        mixed = np.multiply.outer(c, across - 0.5 * total * c)
        H[:-1, :-1] -= mixed + mixed.T
        H[:-1, -1] -= total * c
        H[-1, :-1] = H[:-1, -1]
        return H

    def squares(self, second: Floats, first: Floats, total: float) -> Floats:
        """Return sums of squares of the columns about the centre, and the total for the constant.

        Parameters
        ----------
        second, first : arrays of shape (n_features,)
            Weighted sums of squares, and of the columns.
        total : float
            Of the weights.
        """
        found = second - self.place * (2.0 * first - self.place * total)
        # What rounding leaves of a column that does not vary.
        return np.append(np.maximum(found, 1e-14 * second), total)
