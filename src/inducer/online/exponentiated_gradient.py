"""The exponentiated gradient, of classes and of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

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
from inducer.online._multiplicative import MultiplicativeLearner
from inducer.online._probabilities import LogisticProbabilities

CLASS_LOSSES = ("logistic", "hinge", "squared_hinge", "modified_huber", "squared")
NUMBER_LOSSES = ("squared", "absolute", "huber", "epsilon_insensitive")
SHARED_PARAMS: Mapping[str, Domain] = {
    "eta": Real(0, closed="()"),
    "radius": Real(0, closed="()"),
    "form": Choice("balanced", "positive"),
    "fit_intercept": Flag(),
}


class _Exponentiated(MultiplicativeLearner):
    """The parameters and the geometry that both have."""

    loss: str
    eta: float
    radius: float
    fit_intercept: bool

    def _exponentiated(self, *, numbers: bool, parameter: float) -> OnlineRule:
        return OnlineRule.exponentiated_gradient(
            offset="step" if self.fit_intercept else "fixed",
            numbers=numbers,
            loss=self.loss,
            parameter=parameter,
            balanced=self.form == "balanced",
            rate=float(self.eta),
            radius=float(self.radius),
        )

    def _weights(self, state: State) -> dict[str, Array]:
        s = state["memory"][:, :, 0]
        up, down = self._exponentials(s, self._peak(s))
        coef = float(self.radius) * (up - down) / (up + down).sum(axis=1, keepdims=True)
        return {
            "coef_": coef.astype(state["coef"].dtype),
            "intercept_": state["intercept"].copy(),
        }


class ExponentiatedGradient(LogisticProbabilities, _Exponentiated, OnlineClassifier):
    """Gradient steps on the logarithms of the weights: for many features of which few matter.

    For each row visited, with y = +1 for ``classes_[1]`` and -1 for ``classes_[0]``, g the slope
    of the loss at the score w.x + b, and U the radius::

        s -= eta g x,   w_j = U (exp(s_j) - exp(-s_j)) / sum_i (exp(s_i) + exp(-s_i)),
        b -= eta g

    which is EG+-, mirror descent on the ball ||w||_1 <= U with the entropy for a distance. After T
    rows, without the intercept, no weights u of that ball would have lost less than we did by more
    than::

        U log(2 d) / eta  +  eta U / 2 sum_t (g_t max_j |x_tj|)^2

    The number of features d counts by its logarithm, where gradient descent pays for the length of
    the rows. More than two classes are told apart one versus all.

    Parameters
    ----------
    loss : {"logistic", "hinge", "squared_hinge", "modified_huber", "squared"}, default="logistic"
        What a row costs.
    eta : float, default=0.05
        Rate. Divide it by the square of the largest feature.
    radius : float, default=10.0
        U: the sum of the sizes of the weights is at most this.
    form : {"balanced", "positive"}, default="balanced"
        Weights of both signs; or positive weights that add up to the radius.
    fit_intercept : bool, default=True
        Learn b, by plain gradient steps: it is outside of the ball. Else it is zero.
    max_iter : int, default=1000
        The most passes over the rows.
    tol : float or None, default=1e-3
        Stop when the mean loss of a pass has not fallen by this much for ``n_iter_no_change``
        passes. None: make exactly ``max_iter`` passes.
    n_iter_no_change : int, default=5
        Passes without progress before the fit stops.
    shuffle : {"every", "once", "never"} or bool, default="every"
        Draw a new order for every pass, one order for all, or take the rows as they come. True
        and False mean every and never.
    class_weight : dict, "balanced" or None, default=None
        Factors of the gradients by class.
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
    n_iter_, n_updates_, t_
        As of `PassiveAggressive`.
    progressive_loss_ : float
        Mean loss of the rows in the last pass, each before it was learned from, summed over the
        problems one versus all.
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    ExponentiatedGradientRegressor : The same for numbers.
    Winnow : Moves at mistakes only.
    Hedge : The same update, of shares in experts.

    References
    ----------
    CIML, older edition, chapter 17. Kivinen and Warmuth, Exponentiated gradient versus gradient
    descent for linear predictors, 1997.

    Examples
    --------
    >>> from inducer.datasets import blobs
    >>> from inducer.online import ExponentiatedGradient
    >>> X, y = blobs(n_samples=100, random_state=0, return_X_y=True)
    >>> ExponentiatedGradient(random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    params: ClassVar[Mapping[str, Domain]] = {
        **CLASS_PARAMS,
        **SHARED_PARAMS,
        "loss": Choice(*CLASS_LOSSES),
    }

    def __init__(
        self,
        *,
        loss: str = "logistic",
        eta: float = 0.05,
        radius: float = 10.0,
        form: str = "balanced",
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        n_iter_no_change: int = 5,
        shuffle: str | bool = "every",
        class_weight: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.eta = eta
        self.radius = radius
        self.form = form
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _rule(self, cols: int) -> OnlineRule:  # noqa: ARG002
        return self._exponentiated(numbers=False, parameter=0.0)


class ExponentiatedGradientRegressor(_Exponentiated, OnlineRegressor):
    """Gradient steps on the logarithms of the weights, for numbers.

    The update and the bound are those of `ExponentiatedGradient`. With ``form="positive"`` and
    ``radius=1`` the weights are shares: the best mixture of forecasts.

    Parameters
    ----------
    loss : {"squared", "absolute", "huber", "epsilon_insensitive"}, default="squared"
        What a row costs; squared has no 1/2.
    eta : float, default=0.005
        Rate. With squared losses, well below one over the radius and the square of the largest
        feature; else the weights swing.
    radius : float, default=10.0
        U: the sum of the sizes of the weights is at most this.
    epsilon : float, default=0.1
        Where the kink is, of huber and epsilon_insensitive.
    form : {"balanced", "positive"}, default="balanced"
        Weights of both signs; or positive weights that add up to the radius.
    fit_intercept : bool, default=True
        Learn b, by plain gradient steps: it is outside of the ball. Else it is zero.
    max_iter : int, default=1000
        The most passes over the rows.
    tol : float or None, default=1e-3
        Stop when the mean loss of a pass has not fallen by this much for ``n_iter_no_change``
        passes. None: make exactly ``max_iter`` passes.
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
    ExponentiatedGradient : The same for classes.

    References
    ----------
    Kivinen and Warmuth, Exponentiated gradient versus gradient descent for linear predictors, 1997.

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.online import ExponentiatedGradientRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 100))
    >>> model = ExponentiatedGradientRegressor(eta=0.01, radius=4, random_state=0)
    >>> model.fit(X, 3 * X[:, 7]).score(X, 3 * X[:, 7]) > 0.95
    True
    """

    params: ClassVar[Mapping[str, Domain]] = {
        **NUMBER_PARAMS,
        **SHARED_PARAMS,
        "loss": Choice(*NUMBER_LOSSES),
        "epsilon": Real(0),
    }

    def __init__(
        self,
        *,
        loss: str = "squared",
        eta: float = 0.005,
        radius: float = 10.0,
        epsilon: float = 0.1,
        form: str = "balanced",
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        n_iter_no_change: int = 5,
        shuffle: str | bool = "every",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.eta = eta
        self.radius = radius
        self.epsilon = epsilon
        self.form = form
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _rule(self, cols: int) -> OnlineRule:  # noqa: ARG002
        return self._exponentiated(numbers=True, parameter=float(self.epsilon))
