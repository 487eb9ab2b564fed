"""The pocket algorithm."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike as Values
from numpy.typing import NDArray

from inducer._core.linear import PocketFit
from inducer.base import progress
from inducer.base._threads import threads_for
from inducer.base.errors import InputError
from inducer.base.learner import fits
from inducer.base.params import ArrayLike, Choice, Domain, Flag, Instance, Int, Real, Seed
from inducer.base.random import kernel_seed
from inducer.linear._passes import limited
from inducer.linear._rule import (
    LinearRule,
    binary_targets,
    check_examples,
    initial_weights,
    linear_scores,
    require_finite,
)


class PocketPerceptron(LinearRule):
    """The perceptron that keeps, in its pocket, the weights that cost least so far.

    It looks for small training cost where no hyperplane separates the classes::

        E(w, b) = sum_n  weight_n cost[y_n, prediction_n]

    Each step evaluates all rows, puts the weights into the pocket when they cost less than any
    before, and corrects them for one mistake, drawn with probability in proportion to its cost.
    So a row that costs ten times as much is visited ten times as often, as if it had been copied
    nine times. A step costs a pass over the rows. On separable data it ends at zero cost.

    Parameters
    ----------
    cost : array of shape (n_classes, n_classes) or None, default=None
        ``cost[i, j]`` is the price of saying class j for a row of class i, in the order of
        ``classes_``. None: every mistake costs 1.
    max_iter : int, default=1000
        The most corrections.
    fit_intercept : bool, default=True
        Learn offsets; else they are zero.
    eta0 : float, default=1.0
        Rate of the corrections; it matters only with ``coef_init``.
    class_weight : dict, "balanced" or None, default=None
        Factors of the costs by class.
    n_jobs : int or None, default=None
        Threads of an evaluation. None: `inducer.threads`.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the choice of mistakes.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
        The weights in the pocket.
    intercept_ : array of shape (1,) or (n_classes,)
        The offsets in the pocket.
    cost_ : float
        What the pocket costs on the training rows, summed.
    n_mistakes_ : int
        How many training rows the pocket gets wrong.
    n_iter_ : int
        Corrections made.
    n_features_in_, feature_names_in_
        What `fit` saw.

    References
    ----------
    Gallant, Perceptron-based learning algorithms, 1990. NTU machine learning foundations,
    lectures 2 and 8 (costs).

    Examples
    --------
    An intruder let in costs a thousand times as much as an employee kept out:

    >>> import numpy as np
    >>> from inducer.linear import PocketPerceptron
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> y = ["intruder", "employee", "intruder", "employee"]
    >>> cost = [[0, 1], [1000, 0]]  # rows: employee, intruder
    >>> model = PocketPerceptron(cost=cost, random_state=0).fit(X, y)
    >>> model.predict(X).tolist()
    ['intruder', 'intruder', 'intruder', 'employee']
    >>> model.cost_
    1.0
    """

    params: ClassVar[Mapping[str, Domain]] = {
        "cost": ArrayLike() | None,
        "max_iter": Int(1),
        "fit_intercept": Flag(),
        "eta0": Real(0, closed="()"),
        "class_weight": Choice("balanced") | Instance(dict) | None,
        "n_jobs": Int() | None,
        "random_state": Seed() | None,
    }

    def __init__(
        self,
        *,
        cost: Any = None,
        max_iter: int = 1000,
        fit_intercept: bool = True,
        eta0: float = 1.0,
        class_weight: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.cost = cost
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.eta0 = eta0
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    @fits
    def fit(
        self,
        X: Any,
        y: Values,
        coef_init: Values | None = None,
        intercept_init: Values | None = None,
        sample_weight: Values | None = None,
    ) -> Self:
        """Learn from labelled rows.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        coef_init, intercept_init : array, optional
            Where to start, in the shapes of ``coef_`` and ``intercept_``: the weights of a least
            squares fit to -1 and 1, for example. Else at zero.
        sample_weight : array of shape (n_samples,), optional
            Factors of the rows' costs.
        """
        matrix, labels, weights = check_examples(self, X, y, sample_weight)
        self.classes_ = labels.classes
        outputs = len(binary_targets(labels.classes))
        walking, pocket = _state(outputs, matrix.X), _state(outputs, matrix.X)
        if coef_init is not None:
            walking.coef[:] = initial_weights("coef_init", coef_init, walking.coef)
        if intercept_init is not None:
            walking.intercept[:] = initial_weights(
                "intercept_init", intercept_init, walking.intercept
            )
        kernel = PocketFit(
            matrix.rows,
            labels.codes,
            weights,
            cost_matrix(self.cost, len(labels.classes)),
            walking,
            pocket,
            fit_intercept=bool(self.fit_intercept),
            rate=float(self.eta0),
            max_updates=limited(self.max_iter),
            seed=kernel_seed(self.random_state),
        )
        progress.run(
            self,
            kernel,
            limited(self.max_iter),
            threads=threads_for(self.n_jobs),
            record=lambda: {"cost": kernel.cost, "mistakes": kernel.mistakes},
            fitted=lambda: {"coef_": pocket.coef, "intercept_": pocket.intercept},
            X=matrix.X,
            y=y,
            sample_weight=weights,
        )
        scores = linear_scores(matrix, pocket.coef, pocket.intercept)
        require_finite(self, pocket.coef, pocket.intercept, kernel.cost, scores)
        self.coef_, self.intercept_ = pocket.coef, pocket.intercept
        self.cost_ = kernel.cost
        self.n_mistakes_ = kernel.mistakes
        self.n_iter_ = max(1, kernel.updates)
        return self


def cost_matrix(cost: Any, classes: int) -> NDArray[np.float64]:
    """Return a matrix of costs, by true class and prediction."""
    if cost is None:
        return 1.0 - np.eye(classes)
    try:
        matrix = np.array(cost, np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise InputError(f"cost: {error}") from None
    if matrix.shape != (classes, classes):
        raise InputError(
            f"cost has shape {matrix.shape}; with {classes} classes it must be "
            f"({classes}, {classes}): true class by prediction."
        )
    if not np.all(np.isfinite(matrix)) or np.any(matrix < 0) or np.any(np.diag(matrix) != 0):
        raise InputError("cost must be finite, not negative, and zero where the class is right.")
    if not np.any(matrix):
        raise InputError("cost is zero everywhere: every rule costs nothing, and none is best.")
    return matrix


def _state(outputs: int, X: Any) -> SimpleNamespace:
    """Return zero weights as the kernel takes them."""
    return SimpleNamespace(
        coef=np.zeros((outputs, X.shape[1]), X.dtype),
        coef_sum=None,
        intercept=np.zeros(outputs),
        intercept_sum=np.zeros(outputs),
        visits=np.ones(outputs),
    )
