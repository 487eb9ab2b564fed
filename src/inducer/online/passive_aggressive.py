"""Passive-aggressive learning, of classes and of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from inducer._core.online import OnlineRule
from inducer.base.arrays import Array
from inducer.base.params import Choice, Domain, Flag, Real
from inducer.online._learner import (
    CLASS_PARAMS,
    NUMBER_PARAMS,
    OnlineClassifier,
    OnlineRegressor,
    State,
)

CAUTION = {"pa": "none", "pa1": "capped", "pa2": "softened"}
STEP_PARAMS: Mapping[str, Domain] = {
    "C": Real(0, closed="()"),
    "variant": Choice(*CAUTION),
    "average": Flag(),
    "fit_intercept": Flag(),
}


class _Steps:
    """The steps that both make, and the average."""

    C: float
    variant: str
    average: bool
    fit_intercept: bool

    def _steps(self, *, numbers: bool, epsilon: float) -> OnlineRule:
        return OnlineRule.passive_aggressive(
            offset="weight" if self.fit_intercept else "fixed",
            numbers=numbers,
            caution=CAUTION[self.variant],
            C=float(self.C),
            epsilon=epsilon,
            average=bool(self.average),
        )

    def _weights(self, state: State) -> dict[str, Array]:
        w, b = state["coef"], state["intercept"]
        if not self.average:
            return {"coef_": w.copy(), "intercept_": b.copy()}
        visits = state["scalars"][:, :1]
        with np.errstate(over="ignore", invalid="ignore"):  # refused when the fit ends
            coef = (w - state["memory"][:, :, 0] / visits).astype(w.dtype)
            return {"coef_": coef, "intercept_": b - (state["intercept_memory"] / visits)[:, 0]}


class PassiveAggressive(_Steps, OnlineClassifier):
    """Change the weights as little as makes the row right: passive, or aggressive.

    A row with a margin of one changes nothing. Any other is met by the nearest weights that give
    it that margin, or go some of the way there. With l = max(0, 1 - y (w.x + b)) and
    n = ||x||^2 + 1::

        w += r y x,   b += r y,   r = l / n                 "pa"
                                      min(C, l / n)         "pa1"
                                      l / (n + 1 / (2 C))   "pa2"

    which minimise 1/2 ||w' - w||^2 subject to l = 0, plus C l, and plus C l^2; without an
    intercept n = ||x||^2. The weight of a row multiplies C, so no step goes too far; for "pa" a
    weight is zero or not. There is no rate to choose: the step is as long as the row asks for.
    With noise, C limits what one row may do, so that "pa" is for separable data only. For any u,
    l*_t its loss in round t, R the largest length of a row::

        "pa":   sum l_t^2 <= R^2 ||u||^2,  when no l*_t is positive
        "pa1":  mistakes  <= max(R^2, 1/C) (||u||^2 + 2 C sum l*_t)
        "pa2":  sum l_t^2 <= (R^2 + 1/(2C)) (||u||^2 + 2 C sum l*_t^2)

    More than two classes are told apart one versus all.

    Parameters
    ----------
    C : float, default=1.0
        How aggressive: the longest step of "pa1", how little "pa2" holds back.
    variant : {"pa1", "pa2", "pa"}, default="pa1"
        How far a step goes.
    average : bool, default=False
        Predict with the average of all weights there were, one for each row visited.
    fit_intercept : bool, default=True
        Learn b, as the weight of a feature that is one everywhere; else it is zero.
    max_iter : int, default=1000
        The most passes over the rows.
    tol : float or None, default=1e-3
        Stop after a pass without updates, or when the mean loss of a pass has not fallen by this
        much for ``n_iter_no_change`` passes. None: make exactly ``max_iter`` passes.
    n_iter_no_change : int, default=5
        Passes without progress before the fit stops.
    shuffle : {"every", "once", "never"} or bool, default="every"
        Draw a new order for every pass, one order for all, or take the rows as they come. True
        and False mean every and never.
    class_weight : dict, "balanced" or None, default=None
        Factors of C by class.
    n_jobs : int or None, default=None
        Threads, of use with more than two classes. None: `inducer.threads`.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the order of the rows.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
        Weights; positive scores mean ``classes_[1]``, or the class of the row.
    intercept_ : array of shape (1,) or (n_classes,)
        Offsets.
    n_iter_ : int
        Passes made by the last fit.
    n_updates_ : int
        Rows that changed the weights, over all classes, since the weights were zero.
    progressive_loss_ : float
        Mean loss of the rows in the last pass, each before it was learned from, summed over the
        problems one versus all.
    t_ : float
        Rows visited, plus one.
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    PassiveAggressiveRegressor : The same for numbers.
    inducer.linear.Perceptron : Moves at mistakes only, always as far.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer, Online passive-aggressive algorithms, 2006.

    Examples
    --------
    >>> from inducer.datasets import blobs
    >>> from inducer.online import PassiveAggressive
    >>> X, y = blobs(n_samples=100, random_state=0, return_X_y=True)
    >>> PassiveAggressive(average=True, random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    params: ClassVar[Mapping[str, Domain]] = {**CLASS_PARAMS, **STEP_PARAMS}

    def __init__(
        self,
        *,
        C: float = 1.0,
        variant: str = "pa1",
        average: bool = False,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        n_iter_no_change: int = 5,
        shuffle: str | bool = "every",
        class_weight: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.variant = variant
        self.average = average
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _rule(self, cols: int) -> OnlineRule:  # noqa: ARG002
        return self._steps(numbers=False, epsilon=0.0)


class PassiveAggressiveRegressor(_Steps, OnlineRegressor):
    """Change the weights as little as brings the prediction within epsilon of the number.

    With l = max(0, |y - w.x - b| - epsilon), s the sign of y - w.x - b and n = ||x||^2 + 1::

        w += r s x,   b += r s,   r as in `PassiveAggressive`

    and the same bounds.

    Parameters
    ----------
    C : float, default=1.0
        How aggressive: the longest step of "pa1", how little "pa2" holds back.
    variant : {"pa1", "pa2", "pa"}, default="pa1"
        How far a step goes.
    epsilon : float, default=0.1
        Errors up to this cost nothing.
    average : bool, default=False
        Predict with the average of all weights there were, one for each row visited.
    fit_intercept : bool, default=True
        Learn b, as the weight of a feature that is one everywhere; else it is zero.
    max_iter : int, default=1000
        The most passes over the rows.
    tol : float or None, default=1e-3
        Stop after a pass without updates, or when the mean loss of a pass has not fallen by this
        much for ``n_iter_no_change`` passes. None: make exactly ``max_iter`` passes.
    n_iter_no_change : int, default=5
        Passes without progress before the fit stops.
    shuffle : {"every", "once", "never"} or bool, default="every"
        Draw a new order for every pass, one order for all, or take the rows as they come. True
        and False mean every and never.
    n_jobs : int or None, default=None
        There is one problem, and one thread does it.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the order of the rows.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
        Weights.
    intercept_ : array of shape (1,)
        Offset.
    n_iter_, n_updates_, progressive_loss_, t_
        As of `PassiveAggressive`.
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    PassiveAggressive : The same for classes.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz and Singer, Online passive-aggressive algorithms, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.online import PassiveAggressiveRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> model = PassiveAggressiveRegressor(epsilon=0.0, random_state=0).fit(X, X @ [1, 2, 3])
    >>> model.score(X, X @ [1, 2, 3]) > 0.99
    True
    """

    params: ClassVar[Mapping[str, Domain]] = {
        **NUMBER_PARAMS,
        **STEP_PARAMS,
        "epsilon": Real(0),
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        variant: str = "pa1",
        epsilon: float = 0.1,
        average: bool = False,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        n_iter_no_change: int = 5,
        shuffle: str | bool = "every",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.variant = variant
        self.epsilon = epsilon
        self.average = average
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _rule(self, cols: int) -> OnlineRule:  # noqa: ARG002
        return self._steps(numbers=True, epsilon=float(self.epsilon))
