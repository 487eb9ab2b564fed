"""Logistic regression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from inducer.base import progress
from inducer.base._threads import threads_for
from inducer.base.arrays import (
    Array,
    Matrix,
    check_labels,
    check_weights,
    check_X,
    class_weights,
)
from inducer.base.errors import InputError, ParameterError
from inducer.base.learner import fits
from inducer.base.params import ArrayLike as ArrayDomain
from inducer.base.params import Choice, Domain, Flag, Instance, Int, Real, Seed
from inducer.base.warn import warn_user
from inducer.linear._begin import begun
from inducer.linear._endless import falls_for_ever, warn_of_no_end, warn_of_no_offset
from inducer.linear._folds import Folds
from inducer.linear._logistic_choice import held_out_losses, values_of_C
from inducer.linear._logistic_sums import logistic_sums, with_hessian
from inducer.linear._newton import Newton
from inducer.linear._probabilities import log_probabilities, separates
from inducer.linear._rule import LinearRule, linear_scores, require_finite
from inducer.linear._shortest import shortest
from inducer.linear._soft_labels import shares_of
from inducer.linear._warm import goes_on, last_weights

Floats = NDArray[np.float64]

SOLVERS = ("auto", "lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga")


class LogisticRegression(LinearRule):
    """Logistic regression: probabilities whose logarithms' ratios are linear.

    For two classes it finds the w and b that minimise, with y = +1 for ``classes_[1]``::

        C sum_n s_n log(1 + exp(-y_n (w.x_n + b))) + l1_ratio |w|_1 + (1 - l1_ratio) |w|_2^2 / 2

    the negative log-likelihood of y_n being drawn with probability sigma(y_n (w.x_n + b)), s_n the
    weights of the rows. b is free. For more classes p(k | x) is the softmax of K scores, which is
    also the distribution of maximum entropy among those whose feature expectations match the
    data's. The optimum is the most probable w under a Gaussian prior of variance C, or, with
    ``l1_ratio=1``, under a Laplace prior of scale C: see `with_prior`.

    The solver is Newton's method: with the Hessian written down where it is small, else truncated,
    with products of it; with absolute values in the penalty, orthant by orthant. From zero, and
    with many rows a column, it begins at the optimum for each 17th row.

    Parameters
    ----------
    penalty : {"by_ratio", "l2", "l1", "elasticnet"} or None, default="by_ratio"
        What scikit-learn's old parameter said: "l2" and "l1" stand for ``l1_ratio`` 0 and 1, None
        for an infinite ``C``.
    C : float, default=1.0
        What the loss counts beside the penalty; infinity means no penalty, and where columns are
        collinear the shortest of the equally good weights. With ``cv`` ignored.
    l1_ratio : float, default=0.0
        The share of absolute values in the penalty.
    tol : float, default=1e-4
        The fit ends after a step whose gain, by the quadratic model, is at most ``tol**2`` of the
        objective; where the Hessian is not written down, ``tol / 10``, or ``1000 tol**2`` where
        that is less.
    fit_intercept : bool, default=True
        Learn b; else it is zero.
    class_weight : dict, "balanced" or None, default=None
        Factors of the rows by class.
    multi_class : {"multinomial", "ovr"}, default="multinomial"
        For more than two classes: one softmax, or each class against the rest.
    solver : str, default="auto"
        "newton-cholesky" writes the Hessian down, "newton-cg" does not; "auto" and scikit-learn's
        other names choose by the size.
    max_iter : int, default=100
        The most steps of Newton's; those over a share of the rows, to begin with, do not count.
    cv : int, splitter, iterable or None, default=None
        Choose C among ``Cs`` by the mean log-loss of cross-validation.
    Cs : int or array, default=10
        With ``cv``: the values, or how many of them between 1e-4 and 1e4.
    warm_start : bool, default=False
        Begin `fit` with the weights of the last.
    n_jobs : int or None, default=None
        Threads. None: `inducer.threads`. The bits of the result do not depend on it.
    random_state : any, default=None
        Not used: nothing is random.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted; with soft labels 0, 1, ...
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
    intercept_ : array of shape (1,) or (n_classes,)
    n_iter_ : int
        Steps; one versus all, the most of any problem.
    certificate_ : float
        The largest slope that is left, per unit of row weight: zero at the optimum.
    objective_ : float
        What was minimised, at the end.
    solver_ : str
        "newton-cholesky" or "newton-cg".
    C_, scores_ : float, array
        With ``cv``: the chosen value, and the mean log-loss of each value and fold.
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    LinearSVC : The hinge instead: no probabilities, fewer rows that matter.

    References
    ----------
    CIML v0.99, 9.6 and 9.7. Lin, Weng and Keerthi, Trust region Newton method for large-scale
    logistic regression, 2008. Berger, Della Pietra and Della Pietra, A maximum entropy approach to
    natural language processing, 1996.

    Examples
    --------
    >>> from inducer.datasets import blobs
    >>> from inducer.linear import LogisticRegression
    >>> X, y = blobs(n_samples=100, random_state=0, return_X_y=True)
    >>> model = LogisticRegression().fit(X, y)
    >>> model.predict_proba(X[:1]).sum().round(6).item()
    1.0
    >>> model.certificate_ < 1e-6
    True
    """

    params: ClassVar[Mapping[str, Domain]] = {
        "penalty": Choice("by_ratio", "l2", "l1", "elasticnet") | None,
        "C": Real(0, closed="()") | Choice(float("inf")),
        "l1_ratio": Real(0, 1),
        "tol": Real(0, closed="()"),
        "fit_intercept": Flag(),
        "class_weight": Choice("balanced") | Instance(dict) | None,
        "multi_class": Choice("multinomial", "ovr"),
        "solver": Choice(*SOLVERS),
        "max_iter": Int(1),
        "cv": Int(2) | Folds() | None,
        "Cs": Int(1) | ArrayDomain(),
        "warm_start": Flag(),
        "n_jobs": Int() | None,
        "random_state": Seed() | None,
    }

    def __init__(
        self,
        penalty: str | None = "by_ratio",
        *,
        C: float = 1.0,
        l1_ratio: float = 0.0,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        class_weight: Any = None,
        multi_class: str = "multinomial",
        solver: str = "auto",
        max_iter: int = 100,
        cv: Any = None,
        Cs: Any = 10,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.solver = solver
        self.max_iter = max_iter
        self.cv = cv
        self.Cs = Cs
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state

    @classmethod
    def with_prior(cls, prior: str, scale: float, **arguments: Any) -> Self:
        """Return a learner whose fit is the most probable one under a prior of the weights.

        Parameters
        ----------
        prior : {"gaussian", "laplace"}
            Of each weight by itself, about zero.
        scale : float
            The standard deviation of a Gaussian, or the b of exp(-|w| / b) / 2b.
        **arguments
            Others of the constructor's.
        """
        if prior not in ("gaussian", "laplace") or not scale > 0:
            raise ParameterError("prior: 'gaussian' or 'laplace', and a scale above 0.")
        if prior == "gaussian":
            return cls(C=scale**2, l1_ratio=0.0, **arguments)
        return cls(C=scale, l1_ratio=1.0, **arguments)

    @fits
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from labelled rows.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
            Finite numbers; float64 and float32 are used as they are.
        y : array of shape (n_samples,), or (n_samples, n_classes)
            Labels of any type; or soft labels, rows of probabilities that sum to 1.
        sample_weight : array of shape (n_samples,), optional
            How often each row counts.
        """
        matrix = check_X(self, X, reset=True, y=y)
        shares = shares_of(y, matrix.X)
        weights = check_weights(sample_weight, matrix.X)
        if shares is None:
            labels = check_labels(y, matrix.X, learner=self)
            classes, codes = labels.classes, labels.codes
            weights = class_weights(self.class_weight, labels, weights)
        else:
            classes = np.arange(shares.shape[1])
            codes = np.argmax(shares, axis=1).astype(np.int32)
            if self.class_weight is not None:
                raise InputError("class_weight: rows with soft labels are of no one class.")
        C, l1_ratio = self._strengths()
        start = self._start(classes, matrix)
        self.classes_ = classes
        if self.cv is not None:
            C = self._choose(matrix, codes, shares, weights, l1_ratio)
        self._fit_at(matrix, codes, shares, weights, C, l1_ratio, start)
        return self

    def _strengths(self) -> tuple[float, float]:
        """Return C and the share of absolute values, from the parameters old and new."""
        if self.penalty is None:
            return np.inf, 0.0
        ratio = {"l2": 0.0, "l1": 1.0}.get(self.penalty, float(self.l1_ratio))
        return float(self.C), ratio

    def _start(self, classes: Array, matrix: Matrix) -> Floats | None:
        if not goes_on(self):
            return None
        outputs = 1 if len(classes) == 2 else len(classes)
        return np.column_stack(last_weights(self, outputs, matrix.X.shape[1], classes))

    def _fit_at(
        self,
        matrix: Matrix,
        codes: NDArray[np.int32],
        shares: Floats | None,
        weights: Floats | None,
        C: float,
        l1_ratio: float,
        start: Floats | None,
    ) -> None:
        """Minimise, and set the fitted attributes."""
        outputs = 1 if len(self.classes_) == 2 else len(self.classes_)
        cols = matrix.X.shape[1]
        free = np.isinf(C)
        # A factor of 1 and a penalty of 1/C would be the same; sums of scikit-learn's scale are not
        # too large, and gain nothing by it.
        factor, ridge = (1.0, 0.0) if free else (C, 1.0 - l1_ratio)
        l1 = 0.0 if free else l1_ratio
        problems = logistic_sums(
            matrix,
            len(self.classes_),
            codes=codes,
            shares=shares,
            one_versus_all=self.multi_class == "ovr",
            weights=weights,
            factor=factor,
            ridge=ridge,
            fit_intercept=bool(self.fit_intercept),
            threads=threads_for(self.n_jobs),
        )
        found = np.zeros((outputs, cols + 1)) if start is None else start
        share = len(problems)
        runs: list[Newton] = []
        for k, problem in enumerate(problems):
            begin = problem.centre.seen(found[k] if share > 1 else found.ravel())
            explicit = with_hessian(problem, self.solver)
            run = begun(self, problem, begin, l1=l1, explicit=explicit)
            runs.append(self._minimise(run, matrix, codes, weights))
        solution = np.vstack([run.solution().reshape(-1, cols + 1) for run in runs])
        if outputs > 1 and share == 1:
            # What all outputs have in common the softmax does not see, but a penalty does.
            unseen = solution if free else solution[:, -1:]
            unseen -= unseen.mean(axis=0)
        require_finite(self, solution)
        coef, intercept = solution[:, :-1], solution[:, -1].copy()
        if free:
            coef, intercept = shortest(
                self, matrix, coef, intercept, weights, threads_for(self.n_jobs)
            )
        self.coef_ = coef.astype(matrix.X.dtype)
        self.intercept_ = intercept
        self.n_iter_ = max(run.made for run in runs)
        self.certificate_ = max(run.gradient_norm() for run in runs)
        self.objective_ = float(sum(run.record()["objective"] for run in runs))
        self.solver_ = "newton-cholesky" if runs[0].explicit else "newton-cg"
        self._warn_if_endless(matrix, codes, shares, weights, runs if free else [])
        if not all(run.converged for run in runs):
            warn_user(
                f"{type(self).__name__} made {self.n_iter_} steps and the largest slope left "
                f"is {self.certificate_:.3g} per row. Raise max_iter, scale the features, or lower "
                "C.",
                ConvergenceWarning,
            )

    def _minimise(
        self,
        run: Newton,
        matrix: Matrix,
        codes: NDArray[np.int32],
        weights: Floats | None,
    ) -> Newton:
        """Make the steps of a fit."""
        progress.run(
            self,
            run,
            int(self.max_iter),
            threads=1,
            record=run.record,
            fitted=lambda: self._as_fitted(run.solution(), matrix),
            X=matrix.X,
            y=lambda: self.classes_[codes],
            sample_weight=weights,
        )
        return run

    def _as_fitted(self, at: Floats, matrix: Matrix) -> dict[str, Any]:
        table = at.reshape(-1, matrix.X.shape[1] + 1)
        return {"coef_": table[:, :-1].astype(matrix.X.dtype), "intercept_": table[:, -1].copy()}

    def _warn_if_endless(
        self,
        matrix: Matrix,
        codes: NDArray[np.int32],
        shares: Floats | None,
        weights: Floats | None,
        free: list[Newton],
    ) -> None:
        """Say that there is no optimum: of the offsets, or, without a penalty, of the weights."""
        counts = np.ones(len(codes)) if weights is None else weights
        hard = shares is None or bool(np.all(shares.max(axis=1) == 1))
        each = len(self.classes_)
        masses = np.bincount(codes, counts, each) if shares is None else counts @ shares
        if self.fit_intercept and not np.all(masses > 0):
            empty = self.classes_.tolist()[int(np.argmin(masses))]
            warn_of_no_offset(self, f"the rows of class {empty!r} weigh nothing")
        elif free and (
            (hard and separates(linear_scores(matrix, self.coef_, self.intercept_), codes))
            or any(run.converged and falls_for_ever(run, matrix, weights) for run in free)
        ):
            warn_of_no_end(self, "Give a finite C.")

    # ---- many values of C ------------------------------------------------------------------------

    def path(
        self,
        X: Any,
        y: ArrayLike,
        Cs: int | Sequence[float] = 10,
        sample_weight: ArrayLike | None = None,
    ) -> tuple[Floats, Floats, Floats]:
        """Return the fits for several C, each started from the one before.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        Cs : int or array
            The values, or how many of them between 1e-4 and 1e4.

        Returns
        -------
        Cs : array of shape (n_Cs,)
            Rising.
        coefs : array of shape (n_Cs, n_outputs, n_features)
        intercepts : array of shape (n_Cs, n_outputs)
        """
        from sklearn.base import clone

        values = values_of_C(Cs)
        learner = clone(self).set_params(cv=None, warm_start=True)
        coefs, intercepts = [], []
        for C in values:
            learner.set_params(C=float(C)).fit(X, y, sample_weight)
            coefs.append(np.asarray(learner.coef_, np.float64))
            intercepts.append(learner.intercept_)
        return values, np.array(coefs), np.array(intercepts)

    def _choose(
        self,
        matrix: Matrix,
        codes: NDArray[np.int32],
        shares: Floats | None,
        weights: Floats | None,
        l1_ratio: float,
    ) -> float:
        """Return the C of the least log-loss on held-out rows."""

        def fit(part: Matrix, kept: Any, C: float, start: Floats | None) -> None:
            some = None if shares is None else shares[kept]
            counts = None if weights is None else weights[kept]
            self._fit_at(part, codes[kept], some, counts, C, l1_ratio, start)

        values = values_of_C(self.Cs)
        self.scores_ = held_out_losses(self, fit, values, matrix, codes, shares, weights)
        self.C_ = float(values[int(np.argmin(self.scores_.mean(axis=1)))])
        return self.C_

    # ---- probabilities ---------------------------------------------------------------------------

    def _logs(self, matrix: Matrix) -> Floats:
        """Return the logarithms of the probabilities."""
        softmax = self.multi_class != "ovr" or len(self.classes_) == 2
        return log_probabilities(linear_scores(matrix, self.coef_, self.intercept_), softmax)

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of the probabilities of the classes.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return self._logs(check_X(self, X, reset=False))

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the classes, a row of them for each row.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
        """
        found: Floats = np.exp(self.predict_log_proba(X))
        return found
