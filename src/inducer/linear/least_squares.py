"""Least squares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from inducer.base._threads import threads_for
from inducer.base.learner import fits
from inducer.base.params import Domain, Flag, Int
from inducer.linear._descent import Penalty
from inducer.linear._factor import Factor, factor_of, left_out, leverages, refined, residuals
from inducer.linear._moments import moments
from inducer.linear._net import GramSource, Start
from inducer.linear._numbers import NumberRule, Numbers, check_numbers, held_blas
from inducer.linear._rule import require_finite


class LeastSquares(NumberRule):
    """Linear regression: the weights of the smallest sum of squares, and of those the shortest.

    It minimises sum_i h_i (y_i - w.x_i - b)^2 over w and b, h being the sample weights. The answer
    is the pseudo-inverse's, w = Z^+ z for Z = sqrt(h) (X - mean) and z likewise. Where columns are
    collinear, or more than rows, many weights fit equally well; this one is the shortest.

    The Gram matrix Z'Z gives it in one pass; where that is too ill-conditioned to be trusted, Z
    itself does, by QR and a singular value decomposition.

    The hat matrix H = Z Z^+ (and the constant's share) turns y into what is predicted. It is
    symmetric and idempotent, and its trace is the number of weights that are determined. The noise
    is what H does not reach; a row's leverage H_ii says how far its own y pulls its prediction, and
    with it the error on the row, had it been left out, is known without another fit:
    r_i / (1 - H_ii). On N rows of noise s^2, the mean error is s^2 (1 - (d + 1)/N) on the rows
    themselves, and s^2 (1 + (d + 1)/N) on the same X with fresh noise; on fresh X it is larger.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Learn b; else it is zero.
    positive : bool, default=False
        No weight below zero. Then there is no hat matrix, nor what comes of it.
    diagnostics : bool, default=True
        Find the leverages and what comes of them: about as much work again as the fit.
    n_jobs : int or None, default=None
        Threads. None: `inducer.threads`. The result has the same bits for any number.

    Attributes
    ----------
    coef_ : array of shape (n_features,) or (n_targets, n_features)
        Weights.
    intercept_ : float or array of shape (n_targets,)
        Offsets.
    rank_ : int
        How many of the weights the data determine, the intercept not counted.
    singular_ : array of shape (min(n_samples, n_features),)
        Singular values of Z, falling.
    noise_variance_ : float or array of shape (n_targets,)
        Sum of squares by degrees of freedom, rows less weights: the estimate of the noise that is
        right on average. NaN when no freedom is left.
    leverage_ : array of shape (n_samples,)
        The diagonal of H.
    loo_residuals_ : array of shape (n_samples,) or (n_samples, n_targets)
        What y_i is above the prediction of a fit without row i. NaN where H_ii is one: without the
        row, something it alone determines would be free.
    loo_score_ : float or array of shape (n_targets,)
        Minus the mean of their squares, so that larger is better.
    n_iter_ : int
        One.
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    Ridge : With a penalty on long weights.
    LeastSquaresClassifier : Its sign as a class; a start for the perceptron and others.

    References
    ----------
    NTU 9. Penrose, A generalized inverse for matrices, 1955.

    Examples
    --------
    >>> from inducer.linear import LeastSquares
    >>> model = LeastSquares().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.coef_.round(6).tolist(), round(model.intercept_, 6)
    ([2.0], 1.0)
    >>> model.leverage_.round(3).tolist()
    [0.833, 0.333, 0.833]
    """

    params: ClassVar[Mapping[str, Domain]] = {
        "fit_intercept": Flag(),
        "positive": Flag(),
        "diagnostics": Flag(),
        "n_jobs": Int() | None,
    }

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        positive: bool = False,
        diagnostics: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.diagnostics = diagnostics
        self.n_jobs = n_jobs

    @fits
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from rows and numbers.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
            Finite numbers; float64 and float32 are used as they are.
        y : array of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array of shape (n_samples,), optional
            How often each row counts.
        """
        matrix, Y, weights, flat = check_numbers(self, X, y, sample_weight)
        number = threads_for(self.n_jobs)
        self.n_iter_ = 1
        with held_blas(matrix, number):
            if self.positive:
                coef, intercept = nonnegative(
                    self, moments(matrix, Y, weights, bool(self.fit_intercept), number), np.zeros(1)
                )
                self._set_rule(coef, intercept, matrix.X.dtype, flat)
                return self
            factor = factor_of(self, matrix, Y, weights, number)
            coef = refined(factor, matrix, Y, weights, number)
            self._set_rule(coef, factor.intercept(coef), matrix.X.dtype, flat)
            self.rank_ = len(factor.s)
            self.singular_ = np.zeros(min(matrix.X.shape))
            self.singular_[: self.rank_] = factor.s
            if self.diagnostics:
                self._diagnose(factor, matrix, Y, weights, coef, flat)
        return self

    def _diagnose(
        self,
        factor: Factor,
        matrix: Any,
        Y: Numbers,
        weights: Numbers | None,
        coef: Numbers,
        flat: bool,
    ) -> None:
        """Set what the hat matrix tells."""
        r = residuals(matrix, Y, coef, factor)
        h = np.ones(len(Y)) if weights is None else weights
        hat = leverages(factor, matrix, weights, np.zeros(1), bool(self.fit_intercept))[:, 0]
        out = left_out(r, hat[:, None])
        freedom = np.count_nonzero(h) - self.rank_ - int(self.fit_intercept)
        noise = h @ (r * r) / freedom if freedom > 0 else np.full(Y.shape[1], np.nan)
        score = -(h @ (out * out)) / factor.total
        self.leverage_ = hat
        self.loo_residuals_ = out[:, 0] if flat else out
        self.noise_variance_ = float(noise[0]) if flat else noise
        self.loo_score_ = float(score[0]) if flat else score


def nonnegative(learner: Any, made: Any, alphas: Numbers) -> tuple[Numbers, Numbers]:
    """Return weights (targets x features) and offsets, no weight below zero, one alpha a target."""
    require_finite(learner, made.Q, made.q, made.yy)
    source = GramSource(made)
    coefs = []
    for target, alpha in enumerate(np.broadcast_to(alphas, made.q.shape[1])):
        penalty = Penalty(0.0, float(alpha) / made.total, True)
        start = Start(np.zeros(len(made.x_mean)))
        descent = source.descent(target, penalty, start, 1e-20 * float(source.yy[target]))
        descent.advance(100_000)
        coefs.append(descent.w)
    coef = np.array(coefs)
    return coef, made.intercept(coef)
