"""Follow the regularised leader, of classes and of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from inducer._core.online import OnlineRule
from inducer.base.params import Choice, Domain, Flag, Real
from inducer.online._learner import CLASS_PARAMS, NUMBER_PARAMS, OnlineClassifier, OnlineRegressor
from inducer.online._probabilities import LogisticProbabilities
from inducer.online.exponentiated_gradient import CLASS_LOSSES, NUMBER_LOSSES

LEADER_PARAMS: Mapping[str, Domain] = {
    "alpha": Real(0, closed="()"),
    "beta": Real(0),
    "l1": Real(0),
    "l2": Real(0),
    "fit_intercept": Flag(),
}


class _Leader:
    """The parameters that both have."""

    loss: str
    alpha: float
    beta: float
    l1: float
    l2: float
    fit_intercept: bool

    def _leader(self, *, numbers: bool, parameter: float) -> OnlineRule:
        return OnlineRule.leader(
            offset="weight" if self.fit_intercept else "fixed",
            numbers=numbers,
            loss=self.loss,
            parameter=parameter,
            alpha=float(self.alpha),
            beta=float(self.beta),
            l1=float(self.l1),
            l2=float(self.l2),
        )


class FollowTheLeader(LogisticProbabilities, _Leader, OnlineClassifier):
    """Follow the regularised leader: the weights that would have been best so far (FTRL-proximal).

    Each row's loss is replaced by its tangent, with gradient g_t at the weights w_t of its round,
    and the next weights are those that would have lost least on all rows so far, together with a
    regulariser::

        w_{t+1} = argmin_w  sum_s g_s.w + 1/2 sum_s sum_j sigma_sj (w_j - w_sj)^2
                            + (beta / alpha + l2) / 2 ||w||^2 + l1 ||w||_1

    where sum_s sigma_sj = q_tj / alpha with q_tj^2 the sum of the squared gradients of weight j: so
    each weight has a rate of its own, large for rare features. Without a regulariser the leader
    changes his mind at every row, and can be made to lose every time (see `Hedge` with an infinite
    rate); with this one no w would have lost less than we did by more than::

        1/2 sum_tj sigma_tj (w_j - w_tj)^2 + (beta / alpha + l2) / 2 ||w||^2 + l1 ||w||_1
          + 1/2 sum_tj g_tj^2 / ((beta + q_tj) / alpha + l2)

    which grows like sqrt(T). l1 is met exactly: weights are zero until the rows have said more
    than l1 for them, which makes models of few features out of streams of many. The intercept has
    neither l1 nor l2. More than two classes are told apart one versus all.

    Parameters
    ----------
    loss : {"logistic", "hinge", "squared_hinge", "modified_huber", "squared"}, default="logistic"
        What a row costs.
    alpha : float, default=0.1
        Rate: that of a weight is ``alpha / (beta + q)``.
    beta : float, default=1.0
        Holds back the first steps.
    l1 : float, default=0.0
        Sparsity: what gradients have to add up to before a weight is not zero. It does not grow
        with the number of rows.
    l2 : float, default=0.0
        Pulls weights to zero; does not grow with the number of rows.
    fit_intercept : bool, default=True
        Learn b, the weight of a feature that is one everywhere; else it is zero.
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
        Weights, some of them exactly zero; positive scores mean ``classes_[1]``, or the class of
        the row.
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
    FollowTheLeaderRegressor : The same for numbers.
    Hedge : The same idea with shares in experts.

    References
    ----------
    CIML, older edition, chapter 17. McMahan et al., Ad click prediction: a view from the trenches,
    2013. McMahan, A survey of algorithms and analysis for adaptive online learning, 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.online import FollowTheLeader
    >>> X = np.random.default_rng(0).normal(size=(500, 50))
    >>> y = X[:, 3] - X[:, 4] > 0
    >>> model = FollowTheLeader(l1=20, max_iter=1, tol=None, random_state=0).fit(X, y)
    >>> np.flatnonzero(model.coef_)
    array([3, 4])
    """

    params: ClassVar[Mapping[str, Domain]] = {
        **CLASS_PARAMS,
        **LEADER_PARAMS,
        "loss": Choice(*CLASS_LOSSES),
    }

    def __init__(
        self,
        *,
        loss: str = "logistic",
        alpha: float = 0.1,
        beta: float = 1.0,
        l1: float = 0.0,
        l2: float = 0.0,
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
        self.alpha = alpha
        self.beta = beta
        self.l1 = l1
        self.l2 = l2
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _rule(self, cols: int) -> OnlineRule:  # noqa: ARG002
        return self._leader(numbers=False, parameter=0.0)


class FollowTheLeaderRegressor(_Leader, OnlineRegressor):
    """Follow the regularised leader, for numbers.

    The update and the bound are those of `FollowTheLeader`.

    Parameters
    ----------
    loss : {"squared", "absolute", "huber", "epsilon_insensitive"}, default="squared"
        What a row costs; squared has no 1/2.
    alpha : float, default=0.5
        Rate: that of a weight is ``alpha / (beta + q)``. About the size of the weights.
    beta : float, default=1.0
        Holds back the first steps.
    l1 : float, default=0.0
        Sparsity: what gradients have to add up to before a weight is not zero. It does not grow
        with the number of rows.
    l2 : float, default=0.0
        Pulls weights to zero; does not grow with the number of rows.
    epsilon : float, default=0.1
        Where the kink is, of huber and epsilon_insensitive.
    fit_intercept : bool, default=True
        Learn b, the weight of a feature that is one everywhere; else it is zero.
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
        Weights, some of them exactly zero.
    intercept_ : array of shape (1,)
        Offset.
    n_iter_, n_updates_, progressive_loss_, t_
        As of `PassiveAggressive`.
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    FollowTheLeader : The same for classes.

    References
    ----------
    McMahan et al., Ad click prediction: a view from the trenches, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.online import FollowTheLeaderRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> model = FollowTheLeaderRegressor(random_state=0).fit(X, X @ [1, 2, 3])
    >>> model.score(X, X @ [1, 2, 3]) > 0.99
    True
    """

    params: ClassVar[Mapping[str, Domain]] = {
        **NUMBER_PARAMS,
        **LEADER_PARAMS,
        "loss": Choice(*NUMBER_LOSSES),
        "epsilon": Real(0),
    }

    def __init__(
        self,
        *,
        loss: str = "squared",
        alpha: float = 0.5,
        beta: float = 1.0,
        l1: float = 0.0,
        l2: float = 0.0,
        epsilon: float = 0.1,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        n_iter_no_change: int = 5,
        shuffle: str | bool = "every",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.alpha = alpha
        self.beta = beta
        self.l1 = l1
        self.l2 = l2
        self.epsilon = epsilon
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _rule(self, cols: int) -> OnlineRule:  # noqa: ARG002
        return self._leader(numbers=True, parameter=float(self.epsilon))
