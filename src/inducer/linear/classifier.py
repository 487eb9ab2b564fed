"""Linear classifiers of any loss and any penalty."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from inducer.base.arrays import Array
from inducer.base.learner import fits
from inducer.base.params import Choice, Domain, Instance
from inducer.linear._penalised import PARAMS, Penalised
from inducer.linear._rule import LinearRule, binary_targets, check_examples, one_a_row, winners
from inducer.linear._warm import goes_on, last_weights
from inducer.losses import Loss, as_loss

LOSSES = (
    "logistic",
    "hinge",
    "squared_hinge",
    "exponential",
    "modified_huber",
    "perceptron",
    "squared",
    "absolute",
    "huber",
    "epsilon_insensitive",
    "squared_epsilon_insensitive",
)


def _means_a_probability(learner: Any) -> bool:
    return bool(as_loss(learner.loss).has_probability)


class LinearClassifier(Penalised, LinearRule):
    r"""Any convex loss with any penalty, and the bias free.

    The mistakes of a linear rule are hard to minimise. A convex loss of the margins stands for
    them, and a penalty says which weights are preferred among those that do well::

        min over w, b   (1 / sum v) sum_n v_n loss(y_n, w.x_n + b)  +  alpha R(w)

    with y = +1 for ``classes_[1]`` and -1 for ``classes_[0]``, and v the sample weights. More
    than two classes are told apart one versus all.

    Parameters
    ----------
    loss : str or Loss, default="logistic"
        One of :mod:`inducer.losses`, by name or as an object (which may be your own):
        ``"logistic"``, ``"hinge"``, ``"squared_hinge"``, ``"exponential"``,
        ``"modified_huber"``, ``"squared"``, ``"perceptron"``, or one for numbers.
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
        The most iterations for a class.
    tol : float or None, default=1e-8
        Stop when the gradient is this small a share of its scale where the fit starts; with
        ``"coordinate"``, ``"dual_descent"``, ``"smoothing"`` and the stochastic ones, when the
        duality gap is this small a share of the objective there. None: as many iterations as
        there may be; Newton's method and L-BFGS also end where rounding errors leave no step to
        take.
    fit_intercept : bool, default=True
        Learn b, which is never penalised; else it is zero.
    class_weight : dict, "balanced" or None, default=None
        Factors of the rows' losses by class.
    warm_start : bool, default=False
        Start at the weights of the last fit.
    n_jobs : int or None, default=None
        Threads; None means `inducer.threads`.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
        Weights.
    intercept_ : array of shape (1,) or (n_classes,)
        Offsets.
    solver_ : str
        What minimised.
    n_iter_ : int
        Iterations, the most of any class.
    alpha_ : array of shape (n_problems,)
        Alpha, found in the forms with a bound: zero where the bound on R asks for nothing,
        infinite where zero weights meet the bound on the loss.
    objective_ : array of shape (n_problems,)
        What each problem's objective came to.
    loss_ : float
        Mean loss of the training rows, summed over the problems.
    zero_one_ : float
        Share of the training rows, by weight, that the rule has wrong: what the loss stands for.
    certificate_ : dict
        How far from the least it may be, the worst of the problems: ``"gap"``, by which the
        objective is too large at most, where duality gives it; ``"gradient_norm"``, the largest
        part of the gradient, with features in units of their mean size (of the smoothed objective
        for ``"smoothing"``, of the step over its length for ``"proximal"``; for
        ``"dual_descent"``, by how much a row's score is off at most).
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    LinearRegressor : The same for numbers.
    Perceptron : Walks down its loss; the least of it, at zero weights, teaches nothing.

    References
    ----------
    Daumé, A Course in Machine Learning, chapter 7.

    Examples
    --------
    >>> from inducer.datasets import blobs
    >>> from inducer.linear import LinearClassifier
    >>> X, y = blobs(n_samples=100, random_state=0, return_X_y=True)
    >>> model = LinearClassifier(loss="hinge", alpha=0.01).fit(X, y)
    >>> model.solver_
    'smoothing'
    >>> model.certificate_["gap"] < 1e-8
    True
    """

    params: ClassVar[dict[str, Domain]] = {
        "loss": Choice(*LOSSES) | Instance(Loss),
        **PARAMS,
        "class_weight": Choice("balanced") | Instance(dict) | None,
    }

    def __init__(
        self,
        loss: str | Loss = "logistic",
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
        class_weight: Any = None,
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
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    @fits
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from labelled rows.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional
            Factors of the rows' losses.
        """
        matrix, labels, weights = check_examples(self, X, y, sample_weight)
        loss = as_loss(self.loss)
        signs = [
            np.where(labels.codes == code, 1.0, -1.0) for code in binary_targets(labels.classes)
        ]
        if goes_on(self):
            last_weights(self, len(signs), matrix.X.shape[1], labels.classes)
        scores = self._fit_targets(matrix, signs, weights, loss, y)
        self.classes_ = labels.classes
        wrong = winners(one_a_row(scores)) != labels.codes
        self.zero_one_ = float(np.average(wrong, weights=weights))
        return self

    @available_if(_means_a_probability)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, where the loss gives scores that meaning.

        With more than two classes, those of each class against the rest, divided by their sum.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        loss: Any = as_loss(self.loss)
        scores: Array = self.decision_function(X)
        if scores.ndim == 1:
            positive = loss.probability(scores.astype(np.float64))
            return np.stack([1 - positive, positive], axis=1)
        each = loss.probability(scores.astype(np.float64))
        total = each.sum(axis=1, keepdims=True)
        found: NDArray[np.float64] = np.where(
            total > 0, each / np.where(total > 0, total, 1), 1 / each.shape[1]
        )
        return found
