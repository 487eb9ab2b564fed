"""The elastic net."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from inducer.base import progress
from inducer.base._threads import one_blas_thread, threads_for
from inducer.base.arrays import Array, Matrix
from inducer.base.learner import fits
from inducer.base.params import ArrayLike as Arrays
from inducer.base.params import Domain, Flag, Int, Real
from inducer.base.warn import warn_user
from inducer.linear._factor import factor_of
from inducer.linear._folds import Folds, checked_folds
from inducer.linear._net import (
    Source,
    Start,
    alpha_grid,
    fold_errors,
    l1_ratios,
    penalty_of,
    source_of,
    walk,
)
from inducer.linear._numbers import NumberRule, Numbers, check_numbers
from inducer.linear._warm import goes_on, last_weights


class ElasticNet(NumberRule):
    """Least squares with an l1 and an l2 penalty: few weights, and those not large.

    It minimises, over w and b, W being the sum of the sample weights h (all one by default)::

        1/(2 W) sum_i h_i (y_i - w.x_i - b)^2 + alpha l1_ratio |w|_1 + alpha (1 - l1_ratio)/2 |w|^2

    The l1 part sets weights to exactly zero; the l2 part keeps columns that say the same together,
    and makes the answer unique. Of prior beliefs, they are a Laplace and a Gaussian one. The bias b
    is never penalised. Several columns of targets are problems of their own.

    Coordinate descent: each weight in turn is set to its best value, the others held. With up to a
    few hundred columns everything is read off the Gram matrix, which is made in one pass over the
    data; with more, the Gram matrix is that of the columns in play, and all others are asked now
    and then whether they should be. The weights of the present signs are also solved for at once,
    so that nearly collinear columns do not mean thousands of sweeps. It stops when the gap of
    duality proves that no weights are better by more than ``tol`` times the variance of y.

    Parameters
    ----------
    alpha : float, default=1.0
        How strong the penalty is; 0 is least squares.
    l1_ratio : float or list of float, default=0.5
        The share of l1 in the penalty: 1 is the lasso, 0 ridge regression. With ``cv`` or
        ``alphas`` a list may be given, and one of it is chosen together with alpha.
    fit_intercept : bool, default=True
        Learn b; else it is zero.
    positive : bool, default=False
        No weight below zero.
    max_iter : int, default=1000
        The most sweeps over the weights.
    tol : float, default=1e-4
        The gap to stop at, in units of sum h (y - mean)^2 / W.
    warm_start : bool, default=False
        Begin `fit` with the weights of the last.
    alphas : int, array or None, default=None
        Choose alpha among these by cross-validation, rather than take ``alpha``: so many from the
        least that makes all weights zero down to ``eps`` times that, or the ones given. None,
        with a ``cv``: 100.
    eps : float, default=1e-3
        The smallest alpha of a path, as a share of the largest.
    cv : int, splitter, iterable or None, default=None
        The folds to choose by. None: no choice, or with ``alphas`` five folds.
    n_jobs : int or None, default=None
        Threads. None: `inducer.threads`. The result has the same bits for any number.

    Attributes
    ----------
    coef_ : array of shape (n_features,) or (n_targets, n_features)
        Weights.
    intercept_ : float or array of shape (n_targets,)
        Offsets.
    sparse_coef_ : CSR matrix of shape (n_targets, n_features)
        The weights, without the zeros.
    dual_gap_ : float or array of shape (n_targets,)
        No weights have an objective lower by more than this.
    certificate_ : float
        The largest ``dual_gap_``.
    n_iter_ : int or list of int
        Sweeps made.
    alpha_, l1_ratio_ : float
        Those chosen, or those given.
    alphas_ : array of shape (n_alphas,) or (n_l1_ratios, n_alphas)
        With a choice: the alphas, falling; where ``l1_ratio`` is a list and they were not given,
        a row of them for each.
    mse_path_ : array of shape (n_alphas, n_folds) or (n_l1_ratios, n_alphas, n_folds)
        With a choice: the mean squared error of each on each fold; the longer shape where
        ``l1_ratio`` is a list.
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    Lasso : The same with ``l1_ratio=1``.
    Ridge : The l2 penalty alone: all alphas for the price of one.

    References
    ----------
    CIML v0.99, section 7.3; NTU 14. Zou and Hastie, Regularization and variable selection via the
    elastic net, 2005. Friedman, Hastie and Tibshirani, Regularization paths for generalized linear
    models via coordinate descent, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.linear import ElasticNet
    >>> X = np.random.default_rng(0).normal(size=(200, 6))
    >>> model = ElasticNet(alpha=0.1).fit(X, 3 * X[:, 0] - 2 * X[:, 1])
    >>> np.flatnonzero(model.coef_).tolist()
    [0, 1]
    """

    params: ClassVar[Mapping[str, Domain]] = {
        "alpha": Real(0),
        "l1_ratio": Real(0, 1) | Arrays(),
        "fit_intercept": Flag(),
        "positive": Flag(),
        "max_iter": Int(1),
        "tol": Real(0),
        "warm_start": Flag(),
        "alphas": Int(1, 100_000) | Arrays() | None,
        "eps": Real(0, 1, closed="()"),
        "cv": Int(2) | Folds(),
        "n_jobs": Int() | None,
    }

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: Any = 0.5,
        fit_intercept: bool = True,
        positive: bool = False,
        max_iter: int = 1000,
        tol: float = 1e-4,
        warm_start: bool = False,
        alphas: Any = None,
        eps: float = 1e-3,
        cv: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.alphas = alphas
        self.eps = eps
        self.cv = cv
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
        choose = self.alphas is not None or self.cv is not None
        ratios = l1_ratios(self, choose=choose)
        with one_blas_thread():
            source = source_of(self, matrix, Y, weights, number, many=False)
            self.alpha_, self.l1_ratio_ = float(self.alpha), float(ratios[0])
            if choose:
                self._choose(source, matrix, Y, weights, ratios, number)
            penalty = penalty_of(self, self.alpha_, self.l1_ratio_)
            starts = self._starts(matrix.X.shape[1], Y.shape[1])
            if penalty.l1 == 0 and not penalty.positive:
                factor = factor_of(self, matrix, Y, weights, number, least=penalty.l2 * len(Y))
                starts = factor.coefficients(penalty.l2 * factor.total)
            descents = _Descents(self, source, starts)
            progress.run(
                self,
                descents,
                int(self.max_iter) * Y.shape[1],
                threads=number,
                record=descents.record,
                fitted=lambda: descents.fitted(flat, matrix.X.dtype),
                X=matrix.X,
                y=y,
                sample_weight=weights,
            )
        coef = np.array([d.w for d in descents.all])
        self._set_rule(coef, source.intercept(coef), matrix.X.dtype, flat)
        gaps = np.array([d.gap for d in descents.all])
        self.dual_gap_ = float(gaps[0]) if flat else gaps
        self.certificate_ = float(gaps.max())
        sweeps = [max(1, d.sweeps) for d in descents.all]
        self.n_iter_ = sweeps[0] if flat else sweeps
        _warn_unless_converged(self, gaps, source.yy, sweeps)
        return self

    def path(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> tuple[Numbers, Numbers, Numbers]:
        """Return the weights for every alpha of a path; the learner itself is not fitted.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`. With ``fit_intercept`` the weights are those beside the best intercept.

        Returns
        -------
        alphas : array of shape (n_alphas,)
            Falling: ``alphas`` of the learner, or 100.
        coefs : array of shape (n_features, n_alphas) or (n_targets, n_features, n_alphas)
        dual_gaps : array of shape (n_alphas,) or (n_targets, n_alphas)
        """
        from sklearn.base import clone

        self._validate_params()
        ratio = float(l1_ratios(self, choose=False)[0])
        matrix, Y, weights, flat = check_numbers(clone(self), X, y, sample_weight)
        with one_blas_thread():
            source = source_of(self, matrix, Y, weights, threads_for(self.n_jobs), many=True)
            alphas = alpha_grid(self, source, ratio)
            coefs = np.empty((Y.shape[1], matrix.X.shape[1], len(alphas)))
            gaps = np.empty((Y.shape[1], len(alphas)))
            for target in range(Y.shape[1]):
                for k, descent in enumerate(walk(self, source, target, alphas, ratio)):
                    coefs[target, :, k], gaps[target, k] = descent.w, descent.gap
        return (alphas, coefs[0], gaps[0]) if flat else (alphas, coefs, gaps)

    @property
    def sparse_coef_(self) -> Any:
        """The weights as a CSR matrix."""
        return sparse.csr_matrix(np.atleast_2d(self.coef_))

    def _choose(
        self,
        source: Source,
        matrix: Matrix,
        Y: Numbers,
        weights: Numbers | None,
        ratios: Numbers,
        threads: int,
    ) -> None:
        """Set alpha_ and l1_ratio_ to those of the least error on folds, the first where equal."""
        alphas = np.array([alpha_grid(self, source, float(ratio)) for ratio in ratios])
        folds = checked_folds(self.cv, matrix, Y, weights)
        errors, totals = fold_errors(self, matrix, Y, weights, folds, alphas, ratios, threads)
        means = np.average(errors, axis=2, weights=totals)
        place, best = np.unravel_index(np.argmin(means), means.shape)
        self.alpha_, self.l1_ratio_ = float(alphas[place, best]), float(ratios[place])
        several = bool(np.ndim(self.l1_ratio))
        given = self.alphas is not None and bool(np.ndim(self.alphas))
        self.alphas_ = alphas if several and not given else alphas[0]
        self.mse_path_ = errors if several else errors[0]

    def _starts(self, cols: int, targets: int) -> Numbers:
        """Return where the descents begin: zero, or the weights of the last fit."""
        if not goes_on(self):
            return np.zeros((targets, cols))
        last, _ = last_weights(self, targets, cols)
        return np.maximum(last, 0) if self.positive else last


class _Descents:
    """The descents of all targets, one after the other, as a kernel that runs in slices."""

    def __init__(self, learner: ElasticNet, source: Source, starts: Numbers) -> None:
        self.learner, self.source = learner, source
        penalty = penalty_of(learner, learner.alpha_, learner.l1_ratio_)
        self.all = [
            source.descent(k, penalty, Start(w), float(learner.tol * source.yy[k]))
            for k, w in enumerate(starts)
        ]

    def reached(self, passes: int, /) -> bool:
        """Return whether so many sweeps are made, or no descent has more to do."""
        most = int(self.learner.max_iter)
        if all(d.finished or d.sweeps >= most for d in self.all):
            return True
        return sum(d.sweeps for d in self.all) >= passes

    def advance(self, monitor: Any, passes: int, threads: int, /) -> None:  # noqa: ARG002
        """Run until so many sweeps are made in all; each call into a kernel is a short one."""
        most = int(self.learner.max_iter)
        for descent in self.all:
            left = passes - sum(d.sweeps for d in self.all)
            if left <= 0:
                return
            descent.advance(min(most, descent.sweeps + left))

    def record(self) -> progress.Record:
        """Return the objective and the gap, over all targets, for callbacks."""
        return {
            "objective": float(sum(d.objective for d in self.all)),
            "dual_gap": float(sum(d.gap for d in self.all)),
        }

    def fitted(self, flat: bool, dtype: Any) -> dict[str, Any]:
        """Return the fitted attributes if the fit ended now."""
        coef: Array = np.array([d.w for d in self.all])
        intercept = self.source.intercept(coef)
        return {
            "coef_": (coef[0] if flat else coef).astype(dtype),
            "intercept_": float(intercept[0]) if flat else intercept,
        }


def _warn_unless_converged(
    learner: ElasticNet, gaps: Numbers, yy: Numbers, sweeps: list[int]
) -> None:
    """Warn when the sweeps ran out before the gap was small enough."""
    excess = gaps - learner.tol * yy
    k = int(np.argmax(excess))
    if excess[k] <= 0 or sweeps[k] < learner.max_iter:
        return
    warn_user(
        f"{type(learner).__name__} made all {sweeps[k]} sweeps of max_iter, and the duality gap is "
        f"{gaps[k]:.3g}, above tol times the variance of y, {learner.tol * yy[k]:.3g}. Raise "
        "max_iter or alpha, or scale the features.",
        ConvergenceWarning,
    )
