"""Stochastic gradient descent for classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.metaestimators import available_if

from inducer.base.arrays import Array
from inducer.base.params import Domain
from inducer.linear._sgd import (
    CLASS_LOSSES,
    DESCENT_PARAMS,
    NUMBER_LOSSES,
    Descent,
    loss_domain,
)
from inducer.linear._updates import CLASS_WALK_PARAMS, ClassWalk
from inducer.losses import Loss


def _has_probabilities(learner: Any) -> bool:
    """Say whether the loss means probabilities: the logistic and the modified Huber loss do."""
    if _kind(learner) in ("logistic", "modified_huber"):
        return True
    raise AttributeError(
        f"loss={learner.loss!r} means no probabilities; 'log_loss' and 'modified_huber' do."
    )


def _kind(learner: Any) -> str:
    return str(learner._loss_numbers()[0])


class SGDClassifier(Descent, ClassWalk):
    """A linear classifier fitted by stochastic gradient descent, with any loss and penalty.

    For each row visited, with y = +1 for ``classes_[1]`` and -1 for ``classes_[0]``, a step goes
    down the slope of that row's share of the objective::

        E(w, b) = mean_n loss(y_n, w.x_n + b) + alpha R(w)
        w -= eta (loss' x + alpha R'(w)),    b -= eta loss'

    R is |w|^2 / 2, |w|_1 or a mixture; the offset is not penalised. A pass costs as much as reading
    the rows: weight decay changes one number, and averages are kept lazily. That makes it the
    method for tables too large for the others, and the rate and its schedule matter for it: scale
    the features first. More than two classes are told apart one versus all.

    The l1 penalty takes one of three ways. As in scikit-learn every weight owes the penalties of
    all steps and pays when its feature is seen. ``truncate="penalty"`` moves every weight towards
    zero at every step, and stops it there. ``truncate="steps"`` is the truncated gradient of the
    course: a step of loss and penalty together that would carry a weight across zero ends at zero.
    (The book's formula leaves such a weight where it is; its text wants it zero, and so do we.)

    Parameters
    ----------
    loss : str or Loss, default="hinge"
        "hinge", "log_loss" (or "logistic"), "modified_huber", "squared_hinge", "perceptron",
        "exponential"; of the losses for numbers, here with y = -1 and +1, "squared_error" (halved,
        as in scikit-learn), "squared", "absolute", "huber", "epsilon_insensitive",
        "squared_epsilon_insensitive"; or an object of `inducer.losses`.
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
        Draw a new order for every pass, one order for all, or take the rows as they come. True
        and False mean every and never. (For a stream of rows there is `partial_fit`.)
    epsilon : float, default=0.1
        Where the kink is of "huber" and the epsilon-insensitive losses.
    n_jobs : int or None, default=None
        Threads, of use with more than two classes. None: `inducer.threads`.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the order of the rows. The same seed gives the same bits, whatever the threads.
    learning_rate : str, default="optimal"
        The rate eta of step t = 1, 2, ...: "constant" eta0; "optimal" 1 / (alpha (t0 + t - 1)), t0
        such that it begins at alpha^(-1/4); "invscaling" eta0 / t^power_t; "sqrt" eta0 / sqrt(t);
        "shifted" eta0 / (shift + t); "adaptive" eta0, and a fifth of it whenever the fit would
        stop, while it is over 1e-6; "pa1" min(eta0, loss / |x|^2) and "pa2"
        loss / (|x|^2 + 1 / (2 eta0)), the passive-aggressive rates, for the hinge loss.
    eta0 : float, default=0.01
        The rate to begin with.
    power_t : float, default=0.5
        The exponent of "invscaling".
    early_stopping : bool, default=False
        Hold rows out, stop when accuracy on them has not risen by ``tol`` for
        ``n_iter_no_change`` passes, and keep the weights that were best on them.
    validation_fraction : float, default=0.1
        The share of the rows to hold out.
    n_iter_no_change : int, default=5
        Passes without progress before the fit stops.
    class_weight : dict, "balanced" or None, default=None
        Factors of the rows' losses by class.
    warm_start : bool, default=False
        Begin `fit` with the weights of the last; rates begin anew.
    average : bool or int, default=False
        Predict with the average of the weights after each step; a number says from which step on.
    batch_size : int, default=1
        Rows of a step. It follows the mean of their slopes.
    truncate : {"penalty", "steps"} or None, default=None
        Which way the l1 penalty takes, see above.
    shift : float, default=0.0
        Of learning_rate="shifted".

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
    t_ : float
        Steps made, plus one.
    best_score_ : float
        Accuracy on the held-out rows, with ``early_stopping``.
    history_ : dict
        After ``set_callbacks(Trace())``: of each pass ``loss`` (the mean, while the weights moved),
        ``objective``, ``nonzeros`` and ``seconds``, over all classes.
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    SGDRegressor : The same for numbers.
    Perceptron : The perceptron loss at a constant rate without a penalty.

    References
    ----------
    CIML v0.99, chapter 14, algorithm 34. Bottou, Stochastic gradient descent tricks, 2012.
    Tsuruoka, Tsujii and Ananiadou, Stochastic gradient descent training for l1-regularized
    log-linear models with cumulative penalty, 2009. Langford, Li and Zhang, Sparse online learning
    via truncated gradient, 2009.

    Examples
    --------
    >>> from inducer.datasets import blobs
    >>> from inducer.linear import SGDClassifier
    >>> X, y = blobs(n_samples=100, random_state=0, return_X_y=True)
    >>> model = SGDClassifier(loss="log_loss", random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    >>> model.predict_proba(X).shape
    (100, 2)
    """

    params: ClassVar[Mapping[str, Domain]] = {
        **CLASS_WALK_PARAMS,
        **DESCENT_PARAMS,
        "loss": loss_domain(*CLASS_LOSSES, *NUMBER_LOSSES),
    }
    _passive_loss = "hinge"
    _targets = ("classes", "numbers")
    _restarts = True

    def __init__(
        self,
        loss: str | Loss = "hinge",
        *,
        penalty: str | None = "l2",
        alpha: float = 0.0001,
        l1_ratio: float | None = 0.15,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        shuffle: str | bool = "every",
        epsilon: float = 0.1,
        n_jobs: int | None = None,
        random_state: Any = None,
        learning_rate: str = "optimal",
        eta0: float = 0.01,
        power_t: float = 0.5,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
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
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.average = average
        self.batch_size = batch_size
        self.truncate = truncate
        self.shift = shift

    def _outputs(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _classes(self) -> int:
        return len(self.classes_)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]  # scikit-learn's
    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class; the loss must be logistic or modified Huber.

        With two classes the logistic loss means 1 / (1 + exp(-score)), the modified Huber loss
        (score + 1) / 2 between 0 and 1. With more, the numbers of the problems one versus all are
        divided by their sum, or all alike where that is zero.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        scores = np.asarray(self.decision_function(X))
        if _kind(self) == "logistic":
            decay = np.exp(-np.abs(scores))  # never overflows
            positive = np.where(scores > 0, 1.0, decay) / (1 + decay)
        else:
            positive = (np.clip(scores, -1, 1) + 1) / 2
        if positive.ndim == 1:
            return np.column_stack([1 - positive, positive])
        total = positive.sum(axis=1, keepdims=True)
        shares: Array = np.where(total > 0, positive, 1.0)
        shares /= np.where(total > 0, total, positive.shape[1])
        return shares

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]  # scikit-learn's
    def predict_log_proba(self, X: Any) -> Array:
        """Return the logarithms of `predict_proba`; -inf where that is zero.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
        """
        with np.errstate(divide="ignore"):
            logarithms: Array = np.log(self.predict_proba(X))
        return logarithms
