"""The linear support vector classifier."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inducer.base._threads import threads_for
from inducer.base.arrays import Matrix, check_weights, matrix_of
from inducer.base.errors import InputError, NotSeparableError, ParameterError
from inducer.base.learner import fits
from inducer.base.params import Choice, Domain, Flag, Instance, Int, Real, Seed
from inducer.base.random import kernel_seed
from inducer.linear._machine import Machine
from inducer.linear._rule import LinearRule, binary_targets, check_examples, require_finite
from inducer.linear._sums import RowLosses
from inducer.linear._support import run_machines, run_smooth

Floats = NDArray[np.float64]
# Weights and offset, the rows that hold them, certificate, objective, and steps.
Plane = tuple[Floats, NDArray[np.bool_], float, float, int]


class LinearSVC(LinearRule):
    """The linear support vector machine: a wide margin, and a price for what is inside it.

    For two classes it finds the w and b that minimise, with y = +1 for ``classes_[1]``::

        |w|^2 / 2 + C sum_n s_n max(0, 1 - y_n (w.x_n + b))^q

    q being 2 for the squared hinge and 1 for the hinge, s_n the weights of the rows. The margin is
    1 / |w|; b is free. A large C allows few rows inside; an infinite one none, and then classes
    that no plane separates are an error. More classes are told apart one versus all.

    The squared hinge is minimised by Newton's method, the hinge by Newton's method on a kink that
    is bent ever less (few columns) or by dual coordinate descent with shrinking; the last two end
    when the duality gap, a proof of how good they are, is at most ``tol`` of the objective.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
        "l1": |w|_1 instead of |w|^2 / 2, with the squared hinge.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
    dual : bool or "auto", default="auto"
        For the hinge: whether to take dual descent; "auto" chooses by the number of columns.
    tol : float, default=1e-4
        With the hinge, the gap at the end beside the objective; with the squared hinge, the fit
        ends after a step whose gain is at most ``tol**2`` of the objective.
    C : float, default=1.0
        The price; infinity for a hard margin.
    multi_class : {"ovr"}, default="ovr"
        For more than two classes.
    fit_intercept : bool, default=True
        Learn b; else it is zero.
    class_weight : dict, "balanced" or None, default=None
        Factors of the rows by class; of more than two classes, each in its own problem only.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the order of the rows in dual descent.
    max_iter : int, default=1000
        The most steps, or passes of dual descent.
    n_jobs : int or None, default=None
        Threads. None: `inducer.threads`. The bits of the result do not depend on it.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
    intercept_ : array of shape (1,) or (n_classes,)
    n_iter_ : int
        The most steps or passes of any problem.
    support_ : array
        The rows that hold the planes: those on the margin or inside it, of any problem.
    margin_ : array
        1 / |w| of each problem.
    objective_ : float
        What was minimised, at the end, summed over the problems.
    certificate_ : float
        With the hinge, a bound of how far the objective is from its least value, as a share of it;
        with the squared hinge, the largest slope that is left, per unit of row weight.
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    margin : The widest margin alone, with a proof.
    LogisticRegression : Probabilities.

    References
    ----------
    CIML v0.99, 7.7. Hsieh et al., A dual coordinate descent method for large-scale linear SVM,
    2008. Keerthi and DeCoste, A modified finite Newton method for fast solution of large scale
    linear SVMs, 2005.

    Examples
    --------
    >>> from inducer.datasets import blobs
    >>> from inducer.linear import LinearSVC
    >>> X, y = blobs(n_samples=100, random_state=0, return_X_y=True)
    >>> model = LinearSVC(loss="hinge").fit(X, y)
    >>> model.certificate_ <= 1e-4
    True
    """

    params: ClassVar[Mapping[str, Domain]] = {
        "penalty": Choice("l2", "l1"),
        "loss": Choice("squared_hinge", "hinge"),
        "dual": Flag() | Choice("auto"),
        "tol": Real(0, closed="()"),
        "C": Real(0, closed="()") | Choice(float("inf")),
        "multi_class": Choice("ovr"),
        "fit_intercept": Flag(),
        "class_weight": Choice("balanced") | Instance(dict) | None,
        "random_state": Seed() | None,
        "max_iter": Int(1),
        "n_jobs": Int() | None,
    }

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: Any = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        class_weight: Any = None,
        random_state: Any = None,
        max_iter: int = 1000,
        n_jobs: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.random_state = random_state
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    @fits
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from labelled rows.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
            Finite numbers; float64 and float32 are used as they are.
        y : array of shape (n_samples,)
            Labels of any type.
        sample_weight : array of shape (n_samples,), optional
            How often each row counts.
        """
        if self.penalty == "l1" and self.loss == "hinge":
            raise ParameterError("penalty='l1' goes with loss='squared_hinge', not with the hinge.")
        matrix, labels, weights = check_examples(self, X, y, sample_weight)
        self.classes_ = labels.classes
        rows = matrix.X.shape[0]
        data = {"X": matrix.X, "y": lambda: labels.classes[labels.codes], "sample_weight": weights}
        found, support, certificates, steps = [], np.zeros(rows, bool), [], [1]
        total = 0.0
        targets = binary_targets(labels.classes)
        # Of several problems each weighs its own class, and no other: a row would count in all of
        # them for its class being rare, which says something in one.
        plain = weights if len(targets) == 1 else check_weights(sample_weight, matrix.X)
        sides = (labels.codes == positive for positive in targets)
        problems = ((np.where(side, 1.0, -1.0), _either(side, weights, plain)) for side in sides)
        for plane, active, gap, objective, made in self._planes(matrix, problems, data):
            found.append(plane)
            steps.append(made)
            support |= active
            certificates.append(gap)
            total += objective
        solution = np.vstack(found)
        require_finite(self, solution)
        self.coef_ = solution[:, :-1].astype(matrix.X.dtype)
        self.intercept_ = solution[:, -1].copy()
        self.n_iter_ = max(steps)
        self.support_ = np.flatnonzero(support)
        lengths = np.linalg.norm(solution[:, :-1], axis=1)
        self.margin_ = np.divide(1.0, lengths, out=np.full(len(found), np.inf), where=lengths > 0)
        self.certificate_ = float(max(certificates))
        self.objective_ = total
        return self

    def _planes(
        self,
        matrix: Matrix,
        problems: Iterable[tuple[Floats, Floats | None]],
        data: dict[str, Any],
    ) -> Iterator[Plane]:
        """Yield what is found for each class, from signs and weights of the rows."""
        common: dict[str, Any] = {
            "fit_intercept": bool(self.fit_intercept),
            "threads": threads_for(self.n_jobs),
        }
        start = np.zeros(matrix.X.shape[1] + 1)
        one = np.ones(matrix.X.shape[0])
        if np.isinf(self.C):
            for targets, weights in problems:
                yield self._hard(matrix, targets, one if weights is None else weights)
        elif self.loss == "hinge":
            C, seed = float(self.C), kernel_seed(self.random_state)
            machines = (
                Machine(matrix, t, C * (one if w is None else w), epsilon=None, **common)
                for t, w in problems
            )
            for run in run_machines(self, machines, start, dual=self.dual, seed=seed, data=data):
                yield run.at, run.beta != 0, run.gap(), run.primal, run.made
        else:
            for targets, weights in problems:
                yield self._squared(matrix, targets, weights, start, common, data)

    def _squared(
        self,
        matrix: Matrix,
        signs: Floats,
        weights: Floats | None,
        start: Floats,
        common: dict[str, Any],
        data: dict[str, Any],
    ) -> Plane:
        """Return the plane of the least squared hinge."""
        l1 = float(self.penalty == "l1")
        problem = RowLosses(
            matrix,
            "squared_hinge",
            targets=signs,
            weights=weights,
            factor=float(self.C),
            ridge=1.0 - l1,
            **common,
        )
        newton = run_smooth(self, problem, start, l1=l1, data=data)
        held = newton.point.held["curvatures"] > 0
        objective = float(newton.record()["objective"])
        return newton.solution(), held, newton.gradient_norm(), objective, newton.made

    def _hard(self, matrix: Matrix, signs: Floats, costs: Floats) -> Plane:
        """Return the plane of the widest margin, as long as a margin of 1 wants."""
        from inducer.linear._margin import margin

        if self.penalty == "l1":
            raise ParameterError("C=inf goes with penalty='l2': the margin is 1 / |w|.")
        counted = costs > 0
        part = matrix if counted.all() else matrix_of(matrix.X[counted])
        if len(np.unique(signs[counted])) < 2:
            raise InputError("C=inf: only one class has rows that weigh something.")
        widest = margin(part.X, signs[counted], fit_intercept=bool(self.fit_intercept))
        if not (widest.separable and widest.margin > 0):
            raise NotSeparableError(
                "C=inf asks for a hard margin, and no plane separates the classes. Give a finite C."
            )
        plane = np.append(widest.coef, widest.intercept) / widest.margin
        scores = np.ravel(matrix.X @ plane[:-1]) + plane[-1]
        held = counted & (signs * scores <= 1 + 1e-6)
        return plane, held, 0.0, float(plane[:-1] @ plane[:-1]) / 2, 1


def _either(side: NDArray[np.bool_], weights: Floats | None, plain: Floats | None) -> Floats | None:
    """Return the weights of the rows on a side, and of the others the plain ones."""
    if weights is None or weights is plain:
        return weights
    return np.where(side, weights, 1.0 if plain is None else plain)
