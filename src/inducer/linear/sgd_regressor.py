"""Stochastic gradient descent for numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.model_selection import ShuffleSplit
from sklearn.utils.validation import check_is_fitted

from inducer.base.arrays import Array, Matrix, check_weights, check_X
from inducer.base.errors import InputError
from inducer.base.learner import fits, partially_fits
from inducer.base.params import Domain
from inducer.base.targets import check_numbers
from inducer.linear._rule import linear_scores, said
from inducer.linear._sgd import DESCENT_PARAMS, NUMBER_LOSSES, Descent, loss_domain
from inducer.linear._walks import State
from inducer.losses import Loss


class SGDRegressor(RegressorMixin, Descent):
    """A linear regression fitted by stochastic gradient descent, with any loss and penalty.

    For each row visited, a step goes down the slope of that row's share of the objective::

        E(w, b) = mean_n loss(y_n, w.x_n + b) + alpha R(w)
        w -= eta (loss' x + alpha R'(w)),    b -= eta loss'

    R is |w|^2 / 2, |w|_1 or a mixture; the offset is not penalised. See `SGDClassifier` for what a
    step costs, the ways of the l1 penalty, and when this is the method to take. Scale the features
    first, and targets that are far from 1 in size.

    Parameters
    ----------
    loss : str or Loss, default="squared_error"
        "squared_error" (halved, as in scikit-learn), "squared", "absolute", "huber",
        "epsilon_insensitive", "squared_epsilon_insensitive", or an object of `inducer.losses`.
    penalty : {"l2", "l1", "elasticnet"} or None, default="l2"
        What R is.
    alpha : float, default=1e-4
        Weight of the penalty; learning_rate="optimal" is made of it, too.
    l1_ratio : float or None, default=0.15
        Share of |w|_1 in "elasticnet"; the rest is |w|^2 / 2.
    fit_intercept : bool, default=True
        Learn b; else it is zero.
    max_iter : int, default=1000
        The most passes over the rows.
    tol : float or None, default=1e-3
        Stop when the objective has not fallen by this much for ``n_iter_no_change`` passes. None:
        make exactly ``max_iter`` passes.
    shuffle : {"every", "once", "never"} or bool, default="every"
        Draw a new order for every pass, one order for all, or take the rows as they come.
    epsilon : float, default=0.1
        Where the kink is of "huber" and the epsilon-insensitive losses.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the order of the rows.
    learning_rate : str, default="invscaling"
        As of `SGDClassifier`; "pa1" and "pa2" are for the epsilon-insensitive loss.
    eta0 : float, default=0.01
        The rate to begin with.
    power_t : float, default=0.25
        The exponent of "invscaling".
    early_stopping : bool, default=False
        Hold rows out, stop when R^2 on them has not risen by ``tol`` for ``n_iter_no_change``
        passes, and keep the weights that were best on them.
    validation_fraction : float, default=0.1
        The share of the rows to hold out.
    n_iter_no_change : int, default=5
        Passes without progress before the fit stops.
    warm_start : bool, default=False
        Begin `fit` with the weights of the last; rates begin anew.
    average : bool or int, default=False
        Predict with the average of the weights after each step; a number says from which step on.
    batch_size : int, default=1
        Rows of a step. It follows the mean of their slopes.
    truncate : {"penalty", "steps"} or None, default=None
        Which way the l1 penalty takes.
    shift : float, default=0.0
        Of learning_rate="shifted".

    Attributes
    ----------
    coef_ : array of shape (n_features,)
        Weights.
    intercept_ : array of shape (1,)
        Offset.
    n_iter_ : int
        Passes made by the last fit.
    t_ : float
        Steps made, plus one.
    best_score_ : float
        R^2 on the held-out rows, with ``early_stopping``.
    history_ : dict
        After ``set_callbacks(Trace())``: of each pass ``loss`` (the mean, while the weights moved),
        ``objective``, ``nonzeros`` and ``seconds``.
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    SGDClassifier : The same for classes.

    References
    ----------
    CIML v0.99, chapter 14, algorithm 34. Bottou, Stochastic gradient descent tricks, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.linear import SGDRegressor
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> y = X @ [1.0, -2.0, 0.0] + 3
    >>> model = SGDRegressor(penalty="l1", alpha=0.01, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.99
    True
    """

    params: ClassVar[Mapping[str, Domain]] = {
        **DESCENT_PARAMS,
        "loss": loss_domain(*NUMBER_LOSSES),
    }
    _passive_loss = "epsilon_insensitive"
    _targets = ("numbers",)

    def __init__(
        self,
        loss: str | Loss = "squared_error",
        *,
        penalty: str | None = "l2",
        alpha: float = 0.0001,
        l1_ratio: float | None = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: str | bool = "every",
        epsilon: float = 0.1,
        random_state: Any = None,
        learning_rate: str = "invscaling",
        eta0: float = 0.01,
        power_t: float = 0.25,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        warm_start: bool = False,
        average: bool | int = False,
        batch_size: int = 1,
        truncate: str | None = None,
        shift: float = 0.0,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.epsilon = epsilon
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.average = average
        self.batch_size = batch_size
        self.truncate = truncate
        self.shift = shift

    @fits
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        coef_init: ArrayLike | None = None,
        intercept_init: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from rows and their numbers.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
            Finite numbers; float64 and float32 are used as they are.
        y : array of shape (n_samples,)
            Numbers.
        coef_init, intercept_init : array, optional
            Where to start, in the shapes of ``coef_`` and ``intercept_``; else at zero.
        sample_weight : array of shape (n_samples,), optional
            Factors of the rows' losses.
        """
        self._check()
        matrix = check_X(self, X, reset=True, y=y)
        targets, weights = check_numbers(y, matrix.X), check_weights(sample_weight, matrix.X)
        goes_on = self.warm_start and hasattr(self, "coef_")
        if goes_on:
            self._require_width(matrix.X.shape[1])
        state = self._state(matrix.X, goes_on, coef_init, intercept_init, anew=True)
        if not goes_on:
            self._begin()
        if self.early_stopping:
            self._fit_held_out(matrix, targets, weights, state)
        else:
            self._run(matrix, targets, weights, state)
        self._warn()
        return self

    @partially_fits
    def partial_fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Make one pass over more rows, from where the last call ended. None are held out.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        """
        self._check()
        first = not hasattr(self, "coef_")
        matrix = check_X(self, X, reset=first, y=y)
        targets, weights = check_numbers(y, matrix.X), check_weights(sample_weight, matrix.X)
        state = self._state(matrix.X, not first, None, None)
        if first:
            self._begin()
        self._run(matrix, targets, weights, state, passes=1)
        return self

    def predict(self, X: Any) -> Array:
        """Return ``X coef_ + intercept_``.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self)
        matrix = check_X(self, X, reset=False)
        return said(self, linear_scores(matrix, self.coef_[None], self.intercept_))

    def _outputs(self) -> int:
        return 1

    def _weights(self, state: State) -> dict[str, Array]:
        fitted = super()._weights(state)
        return {**fitted, "coef_": fitted["coef_"][0]}

    def _split(self, targets: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows to fit on and the rows held out."""
        splitter = ShuffleSplit(test_size=self.validation_fraction, random_state=self._seed % 2**32)
        try:
            kept, held = next(splitter.split(targets))
        except ValueError as error:
            raise InputError(f"early_stopping: {error}") from None
        return np.sort(kept), np.sort(held)

    def _score(self, held: Matrix, targets: Array, weights: Any, fitted: Any) -> float:
        """Return R^2 on held-out rows."""
        found = linear_scores(held, fitted["coef_"][None], fitted["intercept_"])[:, 0]
        return float(r2_score(targets, found, sample_weight=weights))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
