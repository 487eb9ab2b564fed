"""Linear support vector regression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from inducer.base._threads import threads_for
from inducer.base.arrays import Array, check_weights, check_X
from inducer.base.learner import Learner, fits
from inducer.base.params import Choice, Domain, Flag, Int, Real, Seed
from inducer.base.random import kernel_seed
from inducer.base.targets import check_numbers
from inducer.linear._machine import Machine
from inducer.linear._rule import linear_scores, require_finite
from inducer.linear._sums import RowLosses
from inducer.linear._support import run_machines, run_smooth


class LinearSVR(RegressorMixin, Learner):
    """Linear support vector regression: errors within a tube cost nothing.

    It finds the w and b that minimise::

        |w|^2 / 2 + C sum_n s_n max(0, |w.x_n + b - y_n| - epsilon)^q

    q being 1 for the epsilon-insensitive loss and 2 for its square, s_n the weights of the rows. b
    is free. Rows strictly inside the tube could be left out without changing the fit.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half the width of the tube.
    tol : float, default=1e-4
        With q = 1, the duality gap at the end beside the objective; with q = 2, the fit ends after
        a step whose gain is at most ``tol**2`` of the objective.
    C : float, default=1.0
        The price of what is outside.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
    fit_intercept : bool, default=True
        Learn b; else it is zero.
    dual : bool or "auto", default="auto"
        For q = 1: whether to take dual descent; "auto" chooses by the number of columns.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the order of the rows in dual descent.
    max_iter : int, default=1000
        The most steps, or passes of dual descent.
    n_jobs : int or None, default=None
        Threads. None: `inducer.threads`. The bits of the result do not depend on it.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
    intercept_ : array of shape (1,)
    n_iter_ : int
        Steps or passes made.
    support_ : array
        The rows on the wall of the tube or outside.
    objective_ : float
        What was minimised, at the end.
    certificate_ : float
        With q = 1, a bound of how far the objective is from its least value, as a share of it; with
        q = 2, the largest slope that is left, per unit of row weight.
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    LinearSVC : For classes.

    References
    ----------
    Ho and Lin, Large-scale linear support vector regression, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.linear import LinearSVR
    >>> X = np.arange(10.0)[:, None]
    >>> model = LinearSVR(epsilon=0.5, C=10).fit(X, 3 * X[:, 0] + 1)
    >>> bool(abs(model.predict([[4.0]])[0] - 13) <= 0.51)
    True
    """

    params: ClassVar[Mapping[str, Domain]] = {
        "epsilon": Real(0),
        "tol": Real(0, closed="()"),
        "C": Real(0, closed="()"),
        "loss": Choice("epsilon_insensitive", "squared_epsilon_insensitive"),
        "fit_intercept": Flag(),
        "dual": Flag() | Choice("auto"),
        "random_state": Seed() | None,
        "max_iter": Int(1),
        "n_jobs": Int() | None,
    }

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        dual: Any = "auto",
        random_state: Any = None,
        max_iter: int = 1000,
        n_jobs: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.dual = dual
        self.random_state = random_state
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    @fits
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from rows and numbers.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
            Finite numbers; float64 and float32 are used as they are.
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional
            How often each row counts.
        """
        matrix = check_X(self, X, reset=True, y=y)
        targets = check_numbers(y, matrix.X)
        weights = check_weights(sample_weight, matrix.X)
        costs = np.ones(len(targets)) if weights is None else weights
        common: dict[str, Any] = {
            "fit_intercept": bool(self.fit_intercept),
            "threads": threads_for(self.n_jobs),
        }
        data = {"X": matrix.X, "y": targets, "sample_weight": weights}
        start = np.zeros(matrix.X.shape[1] + 1)
        if self.fit_intercept:
            start[-1] = float(np.average(targets, weights=weights))
        held: NDArray[np.bool_]
        if self.loss == "epsilon_insensitive":
            machine = Machine(
                matrix, targets, float(self.C) * costs, epsilon=float(self.epsilon), **common
            )
            seed = kernel_seed(self.random_state)
            [run] = run_machines(self, [machine], start, dual=self.dual, seed=seed, data=data)
            at, held, gap, objective, made = run.at, run.beta != 0, run.gap(), run.primal, run.made
        else:
            problem = RowLosses(
                matrix,
                "squared_epsilon_insensitive",
                parameter=float(self.epsilon),
                targets=targets,
                weights=weights,
                factor=float(self.C),
                **common,
            )
            newton = run_smooth(self, problem, start, l1=0.0, data=data)
            at, held, made = newton.solution(), newton.point.held["curvatures"] > 0, newton.made
            gap, objective = newton.gradient_norm(), newton.point.value
        require_finite(self, at)
        self.coef_ = at[:-1].astype(matrix.X.dtype)
        self.intercept_ = at[-1:].copy()
        self.n_iter_ = made
        self.support_ = np.flatnonzero(held)
        self.objective_ = float(objective)
        self.certificate_ = float(gap)
        return self

    def predict(self, X: Any) -> Array:
        """Return the value of each row.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        matrix = check_X(self, X, reset=False)
        found = linear_scores(matrix, self.coef_[None, :], self.intercept_)
        require_finite(self, found)
        return found[:, 0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
