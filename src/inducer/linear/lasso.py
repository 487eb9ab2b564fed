"""The lasso."""

from __future__ import annotations

from typing import Any

from inducer.linear.elastic_net import ElasticNet


class Lasso(ElasticNet):
    """Least squares with an l1 penalty: most weights are exactly zero.

    It minimises, over w and b, W being the sum of the sample weights h (all one by default)::

        1/(2 W) sum_i h_i (y_i - w.x_i - b)^2 + alpha |w|_1

    which is `ElasticNet` with ``l1_ratio=1``; see there for how. The bias b is never penalised. The
    corners of the l1 ball lie on the axes: that is why its touching point with the ellipses of
    equal error has zeros, where that of the l2 ball has none.

    Parameters
    ----------
    alpha : float, default=1.0
        How strong the penalty is; 0 is least squares.
    fit_intercept : bool, default=True
        Learn b; else it is zero.
    positive : bool, default=False
        No weight below zero.
    max_iter : int, default=1000
        The most sweeps over the weights.
    tol : float, default=1e-4
        The gap of duality to stop at, in units of sum h (y - mean)^2 / W.
    warm_start : bool, default=False
        Begin `fit` with the weights of the last.
    alphas : int, array or None, default=None
        Choose alpha among these by cross-validation: so many, or the ones given.
    eps : float, default=1e-3
        The smallest alpha of a path, as a share of the largest.
    cv : int, splitter, iterable or None, default=None
        The folds to choose by. None: no choice, or with ``alphas`` five folds.
    n_jobs : int or None, default=None
        Threads. None: `inducer.threads`.

    Attributes
    ----------
    coef_, intercept_, sparse_coef_, dual_gap_, certificate_, n_iter_, alpha_, alphas_, mse_path_
        As for `ElasticNet`.
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    ElasticNet : Keeps columns that say the same together.

    References
    ----------
    NTU 14. Tibshirani, Regression shrinkage and selection via the lasso, 1996.

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.linear import Lasso
    >>> X = np.random.default_rng(0).normal(size=(200, 6))
    >>> y = 3 * X[:, 0] - 2 * X[:, 1] + 5
    >>> model = Lasso(alpha=0.1).fit(X, y)
    >>> np.flatnonzero(model.coef_).tolist()
    [0, 1]
    >>> Lasso(cv=5).fit(X, y).alpha_ < 0.01
    True
    """

    l1_ratio: Any = 1.0

    def __init__(
        self,
        alpha: float = 1.0,
        *,
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
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.alphas = alphas
        self.eps = eps
        self.cv = cv
        self.n_jobs = n_jobs
