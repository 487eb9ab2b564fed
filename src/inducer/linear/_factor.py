"""The factor that answers for every alpha of ridge regression at once, and for least squares.

For Z = sqrt(H) (X - mean) = U diag(s) V' and z = sqrt(H) (y - mean), the minimum of
|z - Zw|^2 + alpha |w|^2 is w = V diag(s / (s^2 + alpha)) U'z; with alpha = 0 and the zeros among
s left out, it is the shortest of the least squares solutions, the pseudo-inverse's.

V and s come from the eigenvectors of the Gram matrix Z'Z, or of ZZ' where there are fewer rows than
columns: one pass over the data. That squares the condition: where the smallest s^2 + alpha is not
well above the rounding of the largest, they come from Z itself instead, by orthogonal steps (QR,
then a singular value decomposition), so that ill-conditioned and collinear columns give no garbage.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg
from scipy.optimize import brentq

from inducer._core.linear import column_products
from inducer.base.arrays import Matrix, matrix_of
from inducer.base.blocks import RowBlocks, reduce_blocks
from inducer.linear._moments import Moments, mirror, moments, raw_moments, shift_near_means
from inducer.linear._numbers import Numbers, predictions
from inducer.linear._rule import require_finite

SAFE = 1e-8  # of s^2, least to largest: errors of the solution stay below some 1e-8
CUT = 1e-12  # of s^2: below, a direction cannot be told from rounding
DENSE_CELLS = 5e7  # a sparse matrix of no more cells may be made dense when it is ill-conditioned


@dataclass(frozen=True)
class Factor:
    """w(alpha) = back(e / (s^2 + alpha)), and what goes with it."""

    s: Numbers  # the singular values that are not zero, falling
    e: Numbers  # for each of them and each target
    back: Callable[[Numbers], Numbers]
    lift: Numbers  # the length of what `back` makes of each unit vector
    dual: Numbers | None  # U diag(s), where it is known: without it, Z V
    total: float
    x_mean: Numbers
    y_mean: Numbers
    exact: bool  # from Z itself

    def coefficients(self, alpha: Any) -> Numbers:
        """Return the weights (targets x features) for an alpha, or for one a target."""
        return np.ascontiguousarray(self.back(self.e / self._spread(alpha)).T)

    def path(self, alphas: Numbers) -> Numbers:
        """Return the weights (alphas x targets x features) for many alphas."""
        parts = np.concatenate([self.e / self._spread(alpha) for alpha in alphas], axis=1)
        return np.ascontiguousarray(self.back(parts).T).reshape(len(alphas), self.e.shape[1], -1)

    def _spread(self, alpha: Any) -> Numbers:
        spread: Numbers = self.s[:, None] ** 2 + np.asarray(alpha, np.float64)
        return spread

    def intercept(self, coef: Numbers) -> Numbers:
        """Return the offsets that go with weights (targets x features)."""
        found: Numbers = self.y_mean - coef @ self.x_mean
        return found


def factor_of(
    learner: Any,
    matrix: Matrix,
    Y: Numbers,
    weights: Numbers | None,
    threads: int,
    *,
    least: float = 0.0,
) -> Factor:
    """Return the factor of a table.

    Parameters
    ----------
    learner : estimator
        Its ``fit_intercept`` says whether Z is about the means.
    matrix, Y, weights
        As `check_numbers` returns them.
    threads : int
    least : float
        The smallest alpha that will be asked for.
    """
    rows, cols = matrix.X.shape
    fit_intercept = bool(learner.fit_intercept)
    with np.errstate(over="ignore", invalid="ignore"):
        if cols <= rows:
            made = moments(matrix, Y, weights, fit_intercept, threads)
            require_finite(learner, made.Q, made.q, made.yy)
            found = _from_columns(made, least)
        else:
            found = _from_rows(learner, matrix, Y, weights, threads, least)
    if found is not None:
        return found
    if hasattr(matrix.X, "toarray") and rows * cols > DENSE_CELLS:
        if cols <= rows:
            found = _from_columns(made, least, cut=True)
        else:
            found = _from_rows(learner, matrix, Y, weights, threads, least, cut=True)
        assert found is not None
        return found
    return _from_table(matrix, Y, weights, fit_intercept)


def _from_columns(made: Moments, least: float, *, cut: bool = False) -> Factor | None:
    """Return the factor from the Gram matrix, or None where that is too ill-conditioned.

    With ``cut``, directions that cannot be told from rounding are left out instead.
    """
    alive = np.flatnonzero(np.diagonal(made.Q) > 0)
    squares, V = linalg.eigh(made.Q[np.ix_(alive, alive)], check_finite=False)
    squares, V = squares[::-1], V[:, ::-1]
    if cut:
        kept = squares > CUT * squares.max(initial=0.0)
        squares, V = squares[kept], V[:, kept]
    elif len(squares) and not squares[-1] + least > SAFE * squares[0]:
        return None
    squares = np.maximum(squares, 0)
    cols = len(made.x_mean)

    def back(parts: Numbers) -> Numbers:
        out = np.zeros((cols, parts.shape[1]))
        out[alive] = V @ parts
        return out

    return Factor(
        s=np.sqrt(squares),
        e=V.T @ made.q[alive],
        back=back,
        lift=np.ones(len(squares)),
        dual=None,
        total=made.total,
        x_mean=made.x_mean,
        y_mean=made.y_mean,
        exact=False,
    )


def is_safe(made: Moments, alpha: float) -> bool:
    """Return whether alpha is well above the rounding of the largest eigenvalue."""
    return alpha > SAFE * float(np.abs(made.Q).sum(axis=0).max(initial=0.0))


def by_cholesky(made: Moments, alpha: float) -> tuple[Numbers, float]:
    """Return the weights (targets x features) for one alpha, and the effective dimension.

    The latter is trace (Q + alpha)^-1 Q = cols - alpha trace (Q + alpha)^-1.
    """
    M = made.Q.copy()
    M[np.diag_indices_from(M)] += alpha
    factor, lower = linalg.cho_factor(M, lower=True, overwrite_a=True, check_finite=False)
    coef = linalg.cho_solve((factor, lower), made.q, check_finite=False)
    inverse, _ = linalg.lapack.dpotri(factor, lower=lower)
    return np.ascontiguousarray(coef.T), len(M) - alpha * float(np.trace(inverse))


def centred_table(
    matrix: Matrix, Y: Numbers, weights: Numbers | None, fit_intercept: bool
) -> tuple[Numbers, Numbers, Numbers, Numbers, float]:
    """Return Z and z, dense, the means, and the total weight."""
    X = matrix.X.toarray() if hasattr(matrix.X, "toarray") else matrix.X
    total = float(len(Y) if weights is None else weights.sum())
    shares = np.full(len(Y), 1 / total) if weights is None else weights / total
    x_mean, y_mean = np.zeros(X.shape[1]), np.zeros(Y.shape[1])
    Z, z = X.astype(np.float64, order="C"), Y.astype(np.float64)
    if fit_intercept:
        near = shift_near_means(matrix, Y, True).x
        Z -= near
        z -= Y.mean(axis=0)
        x_off, y_off = shares @ Z, shares @ z
        Z -= x_off
        z -= y_off
        x_mean, y_mean = near + x_off, Y.mean(axis=0) + y_off
    if weights is not None:
        root = np.sqrt(weights)[:, None]
        Z *= root
        z *= root
    if fit_intercept:  # what rounding leaves of columns that do not vary
        eps = np.finfo(np.float64).eps
        Z[:, np.sqrt(np.einsum("ij,ij->j", Z, Z) / total) <= 8 * eps * np.abs(x_mean)] = 0
    return Z, z, x_mean, y_mean, total


def _from_rows(
    learner: Any,
    matrix: Matrix,
    Y: Numbers,
    weights: Numbers | None,
    threads: int,
    least: float,
    *,
    cut: bool = False,
) -> Factor | None:
    """Return the factor from ZZ'; else as `_from_columns`."""
    fit_intercept = bool(learner.fit_intercept)
    root = np.ones(len(Y)) if weights is None else np.sqrt(weights)
    sparse = hasattr(matrix.X, "toarray")
    if sparse:
        total = float(root @ root)
        x_mean, y_mean = np.zeros(matrix.X.shape[1]), np.zeros(Y.shape[1])
        if fit_intercept:
            x_mean = column_products(matrix.rows, (root * root / total)[None], threads)[0]
            y_mean = root**2 @ Y / total
        X = matrix.X.astype(np.float64)
        z = (Y - y_mean) * root[:, None]
        lean = X @ x_mean
        K = (X @ X.T).toarray() - lean[:, None] - lean + x_mean @ x_mean
        K *= np.multiply.outer(root, root)

        def towards(parts: Numbers) -> Numbers:
            some = root[:, None] * parts
            found: Numbers = X.T @ some - np.multiply.outer(x_mean, some.sum(axis=0))
            return found
    else:
        Z, z, x_mean, y_mean, total = centred_table(matrix, Y, weights, fit_intercept)
        turned = matrix_of(Z.T)
        none = np.zeros((Z.shape[1], 0))
        shift = shift_near_means(turned, none, False)
        K = raw_moments(turned, none, None, shift, threads).A[:-1, :-1].copy()
        mirror(K)

        def towards(parts: Numbers) -> Numbers:
            found: Numbers = Z.T @ parts
            return found

    require_finite(learner, K, z)
    squares, U = linalg.eigh(K, check_finite=False)
    squares, U = squares[::-1], U[:, ::-1]
    lost = int(fit_intercept) + int(np.count_nonzero(root == 0))
    if cut:
        lost = max(lost, int(np.count_nonzero(squares <= CUT * squares.max(initial=0.0))))
    left = max(0, len(squares) - lost)
    squares, U = squares[:left], U[:, :left]
    if not cut and left and not squares[-1] + least > SAFE * squares[0]:
        return None
    s = np.sqrt(np.maximum(squares, 0))
    return Factor(
        s=s,
        e=U.T @ z,
        back=lambda parts: towards(U @ parts),
        lift=s,
        dual=U * s,
        total=total,
        x_mean=x_mean,
        y_mean=y_mean,
        exact=False,
    )


def _from_table(matrix: Matrix, Y: Numbers, weights: Numbers | None, fit_intercept: bool) -> Factor:
    """Return the factor from Z itself, by orthogonal steps alone."""
    Z, z, x_mean, y_mean, total = centred_table(matrix, Y, weights, fit_intercept)
    rows, cols = Z.shape
    if rows > 2 * cols:  # QR first, of Z and z together: Q is never formed
        R = linalg.qr(np.hstack([Z, z]), mode="r", check_finite=False, overwrite_a=True)[0]
        R = R[: min(rows, cols + z.shape[1])]
        tall, image = np.ascontiguousarray(R[:, :cols]), R[:, cols:]
    else:
        tall, image = Z, z
    try:
        U, s, Vt = linalg.svd(tall, full_matrices=False, check_finite=False)
    except linalg.LinAlgError:  # the divide and conquer gave up
        U, s, Vt = linalg.svd(tall, full_matrices=False, check_finite=False, lapack_driver="gesvd")
    eps = np.finfo(matrix.X.dtype).eps
    kept = s > 10 * eps * np.sqrt(min(rows, cols)) * s.max(initial=0.0)
    U, s, V = U[:, kept], s[kept], np.ascontiguousarray(Vt[kept].T)
    return Factor(
        s=s,
        e=s[:, None] * (U.T @ image),
        back=lambda parts: V @ parts,
        lift=np.ones(len(s)),
        dual=None,
        total=total,
        x_mean=x_mean,
        y_mean=y_mean,
        exact=True,
    )


def refined(
    factor: Factor, matrix: Matrix, Y: Numbers, weights: Numbers | None, threads: int
) -> Numbers:
    """Return least squares weights, put right once by what is left of the gradient.

    That undoes what squaring the condition did to a factor from the Gram matrix.
    """
    coef = factor.coefficients(0.0)
    if factor.exact or factor.dual is not None or len(factor.s) == 0:
        return coef
    r = residuals(matrix, Y, coef, factor)
    if weights is not None:
        r *= weights[:, None]
    products = column_products(matrix.rows, np.ascontiguousarray(r.T), threads)
    gradient = products.T - np.multiply.outer(factor.x_mean, r.sum(axis=0))
    V = factor.back(np.eye(len(factor.s)))
    correction: Numbers = V @ ((V.T @ gradient) / factor.s[:, None] ** 2)
    return coef + correction.T


def residuals(matrix: Matrix, Y: Numbers, coef: Numbers, factor: Factor) -> Numbers:
    """Return y less what weights (targets x features) say, in float64."""
    found: Numbers = Y - predictions(matrix, coef, factor.intercept(coef))
    return found


def alpha_of_length(s: Numbers, e: Numbers, radius: float) -> float:
    """Return the alpha for which |e / (s^2 + alpha)| is the radius."""

    def excess(alpha: float) -> float:
        return float(np.linalg.norm(e / (s**2 + alpha))) - radius

    if len(s) == 0 or excess(0.0) <= 0:
        return 0.0
    most = float(np.linalg.norm(e)) / radius
    return float(brentq(excess, 0.0, most, xtol=1e-300, rtol=8.9e-16, maxiter=1000))


def leverages(
    factor: Factor,
    matrix: Matrix,
    weights: Numbers | None,
    alphas: Numbers,
    fit_intercept: bool,
) -> Numbers:
    """Return the diagonals of the hat matrices (rows x alphas), the constant's share in them."""
    rows = matrix.X.shape[0]
    out = np.empty((rows, len(alphas)))
    inverse = 1 / (factor.s[:, None] ** 2 + alphas)
    V = None if factor.dual is not None else factor.back(np.eye(len(factor.s)))

    def of_block(block: slice) -> None:
        if V is None:
            assert factor.dual is not None
            towards = factor.dual[block]
        else:
            X = matrix.X[block]
            part = X.toarray() if hasattr(X, "toarray") else np.ascontiguousarray(X)
            part = part - factor.x_mean
            if weights is not None:
                part *= np.sqrt(weights[block])[:, None]
            towards = part @ V
        out[block] = (towards * towards) @ inverse

    work = float(max(1, len(factor.s)) * (matrix.X.shape[1] + len(alphas)))
    reduce_blocks(RowBlocks(rows, work, 1 << 24), of_block, lambda _, __: None)
    if fit_intercept:
        share = np.full(rows, 1 / factor.total) if weights is None else weights / factor.total
        out += share[:, None]
    return out


def left_out(r: Numbers, leverage: Numbers) -> Numbers:
    """Return residuals as they would be without their row: r / (1 - leverage).

    NaN where the row is all there is to fit something by, so that nothing is left to predict from.
    """
    rest = 1 - leverage
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Numbers = np.where(rest > 1e-10, r / rest, np.nan)
    return found
