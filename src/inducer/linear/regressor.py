"""Linear regression of any loss and any penalty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from inducer.base.arrays import Array, check_weights, check_X
from inducer.base.errors import ParameterError
from inducer.base.learner import Learner, fits
from inducer.base.params import Choice, Domain, Instance
from inducer.linear._penalised import PARAMS, Penalised
from inducer.linear._rule import linear_scores, said
from inducer.linear._targets import check_targets
from inducer.losses import Loss, as_loss

LOSSES = (
    "squared",
    "absolute",
    "huber",
    "epsilon_insensitive",
    "squared_epsilon_insensitive",
    "quantile",
    "poisson",
    "gamma",
    "tweedie",
)


class LinearRegressor(RegressorMixin, Penalised, Learner):
    """Any convex loss of numbers, counts or amounts with any penalty, and the bias free.

    Minimises::

        min over w, b   (1 / sum v) sum_n v_n loss(y_n, w.x_n + b)  +  alpha R(w)

    with v the sample weights. The loss says what is predicted: ``"squared"`` the mean,
    ``"absolute"`` the median, ``"quantile"`` a quantile, ``"huber"`` something between mean and
    median; ``"poisson"``, ``"gamma"`` and ``"tweedie"`` the mean of counts and amounts, whose
    logarithm is linear then.

    Parameters
    ----------
    loss : str or Loss, default="squared"
        One of :mod:`inducer.losses`, by name or as an object (which may be your own):
        ``"squared"``, ``"absolute"``, ``"huber"``, ``"epsilon_insensitive"``,
        ``"squared_epsilon_insensitive"``, ``"quantile"``, ``"poisson"``, ``"gamma"``,
        ``"tweedie"``.
    penalty : str, Penalty or None, default="l2"
        One of :mod:`inducer.penalties`, by name or as an object (which may be your own):
        ``"l2"``, ``"l1"``, ``"elasticnet"``, ``"lp"``, ``"max_norm"``. None: no penalty.
    alpha : float, default=1e-4
        How much the penalty counts. With 0, and collinear columns or more columns than rows, the
        shortest of the weights that are equally good (but for the solvers "gradient",
        "subgradient", "sgd" and "truncated", which stay where their steps led).
    form : {"penalty", "norm_bound", "loss_bound"}, default="penalty"
        What is minimised: loss and penalty together (Tikhonov), the loss where R(w) is at most
        ``bound`` (Ivanov), or R(w) where the mean loss is at most ``bound`` (Morozov). In the
        latter two, ``alpha_`` says at which alpha all three have the same answer.
    bound : float or None, default=None
        See ``form``.
    solver : str, default="auto"
        For smooth losses and penalties: ``"newton"``, ``"lbfgs"`` and ``"gradient"`` (gradient
        descent). For smooth losses: ``"proximal"``. For squared losses with l1, l2 or both:
        ``"coordinate"`` (coordinate descent on a working set). For hinge, absolute and
        epsilon-insensitive losses with l2: ``"dual_descent"`` (dual coordinate descent with
        shrinking). For all: ``"smoothing"`` and ``"subgradient"``. For losses and penalties by
        name: ``"sgd"`` (stochastic; averaged with l2, and with l1 the last weights, of which some
        are zero) and ``"truncated"`` (stochastic, with truncated gradients for l1). ``"auto"``
        chooses among those that can be exact, by loss, penalty and the number of features; see
        ``solver_``.
    learning_rate : float, callable or None, default=None
        Of ``"gradient"`` and ``"subgradient"``: a length for all steps, or a function from the
        step's number, 1, 2, ..., to its length; of ``"sgd"`` and ``"truncated"`` a length. None:
        gradient descent searches for it, and the steps of the others fall with the root of their
        number. Of these, the best place is kept.
    max_iter : int, default=1000
        The most iterations.
    tol : float or None, default=1e-8
        Stop when the gradient is this small a share of its scale where the fit starts; with
        ``"coordinate"``, ``"dual_descent"``, ``"smoothing"`` and the stochastic ones, when the
        duality gap is this small a share of the objective there. None: as many iterations as
        there may be; Newton's method and L-BFGS also end where rounding errors leave no step to
        take.
    fit_intercept : bool, default=True
        Learn b, which is never penalised; else it is zero.
    warm_start : bool, default=False
        Start at the weights of the last fit.
    n_jobs : int or None, default=None
        Threads; None means `inducer.threads`.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
        Weights.
    intercept_ : float
        Offset.
    solver_ : str
        What minimised.
    n_iter_ : int
        Iterations.
    alpha_ : float
        Alpha, found in the forms with a bound: zero where the bound on R asks for nothing,
        infinite where zero weights meet the bound on the loss.
    objective_ : float
        What the objective came to.
    loss_ : float
        Mean loss of the training rows.
    certificate_ : dict
        How far from the least it may be: ``"gap"``, by which the objective is too large at most,
        where duality gives it; ``"gradient_norm"``, the largest part of the gradient, with
        features in units of their mean size (of the smoothed objective for ``"smoothing"``, of the
        step over its length for ``"proximal"``; for ``"dual_descent"``, by how much a row's score
        is off at most).
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    LinearClassifier : The same for classes.

    References
    ----------
    Daumé, A Course in Machine Learning, chapter 7.

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.linear import LinearRegressor
    >>> X, y = np.arange(6.0)[:, None], np.array([0, 2, 4, 6, 8, 100.0])
    >>> LinearRegressor("absolute", penalty=None).fit(X, y).coef_.round(6)
    array([2.])
    """

    params: ClassVar[dict[str, Domain]] = {
        "loss": Choice(*LOSSES) | Instance(Loss),
        **PARAMS,
    }

    def __init__(
        self,
        loss: str | Loss = "squared",
        *,
        penalty: Any = "l2",
        alpha: float = 1e-4,
        form: str = "penalty",
        bound: float | None = None,
        solver: str = "auto",
        learning_rate: Any = None,
        max_iter: int = 1000,
        tol: float | None = 1e-8,
        fit_intercept: bool = True,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.form = form
        self.bound = bound
        self.solver = solver
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    @fits
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from rows with targets.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional
            Factors of the rows' losses.
        """
        matrix = check_X(self, X, reset=True, y=y)
        loss = as_loss(self.loss)
        if loss.targets == "classes":
            raise ParameterError(f"{loss!r} is a loss of classes: see LinearClassifier.")
        targets = check_targets(y, matrix.X, loss)
        weights = check_weights(sample_weight, matrix.X)
        self._fit_targets(matrix, [targets], weights, loss, y)
        for name in ("intercept_", "alpha_", "objective_"):
            setattr(self, name, float(getattr(self, name)[0]))
        self.coef_ = self.coef_[0]
        return self

    def predict(self, X: Any) -> Array:
        """Return what is predicted for each row: the score, or its exponential for rates.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        checked = check_X(self, X, reset=False)
        offset = np.array([self.intercept_], np.float64)
        scores = said(self, linear_scores(checked, self.coef_[None, :], offset))
        found: Array = as_loss(self.loss).mean(scores)
        return found

    def _shape_of(self, found: Any, u: NDArray[np.float64], watch: Any) -> Mapping[str, Any]:
        """Return the fitted attributes for callbacks: one row of them."""
        now = found.fitted(u, watch.problem)
        return {"coef_": now["coef_"][0], "intercept_": float(now["intercept_"][0])}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        counts = self.loss in ("poisson", "gamma", "tweedie")
        if isinstance(self.loss, Loss):
            counts = self.loss.targets in ("counts", "positive")
        tags.target_tags.positive_only = counts
        return tags
