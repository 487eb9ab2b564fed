"""Ridge regression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from inducer.base._threads import threads_for
from inducer.base.arrays import Matrix
from inducer.base.errors import InputError, ParameterError
from inducer.base.learner import fits
from inducer.base.params import ArrayLike as Arrays
from inducer.base.params import Choice, Domain, Flag, Int, Real
from inducer.base.warn import warn_user
from inducer.linear._conjugate import conjugate_gradients
from inducer.linear._factor import (
    Factor,
    alpha_of_length,
    by_cholesky,
    factor_of,
    is_safe,
    refined,
)
from inducer.linear._folds import Folds
from inducer.linear._moments import moments
from inducer.linear._numbers import NumberRule, Numbers, check_numbers, held_blas
from inducer.linear._ridge_choice import checked_alphas, fold_scores, loo_scores
from inducer.linear._rule import require_finite
from inducer.linear.least_squares import nonnegative

LEAST_CHOLESKY = 500  # columns: above, eigenvectors take far longer than one solution
MOST_FACTORED = 4000  # of a sparse matrix, the smaller side: above, conjugate gradients


class Ridge(NumberRule):
    """Least squares with a penalty on long weights.

    It minimises, over w and b, h being the sample weights (all one by default)::

        sum_i h_i (y_i - w.x_i - b)^2 + alpha |w|^2

    which is, for an alpha that goes with C, least squares under the constraint |w| <= C, and of
    prior beliefs, a Gaussian one. The bias b is never penalised. One factor of the data answers
    for all alphas: in it the fit is made along the singular directions of X, each shrunk by
    s^2 / (s^2 + alpha), and what is left of their number is the effective dimension. It also knows
    the error of each row had it been left out, so that ``alphas`` are compared without other fits.

    The factor is of the Gram matrix, of X X' where columns outnumber rows, and of X itself where
    the data are ill-conditioned for so small an alpha. Large sparse data, both ways, are solved by
    conjugate gradients, for one alpha at a time.

    Parameters
    ----------
    alpha : float or array of shape (n_targets,), default=1.0
        How strong the penalty is, for all targets or for each. 0 is least squares: of all
        solutions the shortest.
    fit_intercept : bool, default=True
        Learn b; else it is zero.
    positive : bool, default=False
        No weight below zero.
    alphas : array or None, default=None
        Choose alpha among these, rather than take ``alpha``; ``coef_path_`` then has the weights
        for all of them.
    cv : int, splitter, iterable or None, default=None
        How to choose among ``alphas``. None: by leaving out each row in turn, in closed form. Else
        by these folds.
    alpha_per_target : bool, default=False
        Choose an alpha for each target.
    solver : {"auto", "factor", "cg"}, default="auto"
        One factor for all alphas, or conjugate gradients. "auto" takes the second for sparse data
        with more than 4,000 rows and columns, and for one alpha and more than 500 columns a
        Cholesky factor for it alone, which knows nothing of others.
    max_iter : int or None, default=None
        The most steps of "cg"; None: ten for each column.
    tol : float, default=1e-4
        "cg" stops when the gradient is this share of what it was at zero.
    n_jobs : int or None, default=None
        Threads. None: `inducer.threads`. The result has the same bits for any number.

    Attributes
    ----------
    coef_ : array of shape (n_features,) or (n_targets, n_features)
        Weights.
    intercept_ : float or array of shape (n_targets,)
        Offsets.
    alpha_ : float or array of shape (n_targets,)
        The alpha chosen, or given.
    best_score_ : float or array of shape (n_targets,)
        With a choice: minus the mean squared error of the best, on rows or folds left out.
    alphas_, scores_ : array of shape (n_alphas,), (n_alphas, n_targets)
        With a choice: the alphas and their scores.
    coef_path_ : array of shape (n_alphas, n_features) or (n_alphas, n_targets, n_features)
        With a choice: the weights for each alpha.
    effective_dimension_ : float or array of shape (n_targets,)
        sum s^2 / (s^2 + alpha): how many weights are left free; the intercept is not counted.
    certificate_ : float
        With "cg": no weights have an objective lower by more than this.
    solver_ : {"factor", "cholesky", "cg", "descent"}
        What was used; "descent" is for ``positive``.
    n_iter_ : int
        Steps of "cg", else one.
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    LeastSquares : alpha = 0, with leverages.
    ElasticNet : Sets weights to zero.

    References
    ----------
    NTU 14; CIML v0.99, section 7.6. Hoerl and Kennard, Ridge regression, 1970.

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.linear import Ridge
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> y = X @ [1.0, 2.0, 3.0, 4.0, 5.0]
    >>> model = Ridge(alphas=[0.01, 1.0, 100.0]).fit(X, y)
    >>> model.alpha_, model.coef_path_.shape
    (0.01, (3, 5))
    >>> bool(model.radius(1.0) > model.radius(100.0))
    True
    """

    params: ClassVar[Mapping[str, Domain]] = {
        "alpha": Real(0) | Arrays(),
        "fit_intercept": Flag(),
        "positive": Flag(),
        "alphas": Arrays() | None,
        "cv": Int(2) | Folds(),
        "alpha_per_target": Flag(),
        "solver": Choice("auto", "factor", "cg"),
        "max_iter": Int(1) | None,
        "tol": Real(0),
        "n_jobs": Int() | None,
    }

    def __init__(
        self,
        alpha: Any = 1.0,
        *,
        fit_intercept: bool = True,
        positive: bool = False,
        alphas: Any = None,
        cv: Any = None,
        alpha_per_target: bool = False,
        solver: str = "auto",
        max_iter: int | None = None,
        tol: float = 1e-4,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.alphas = alphas
        self.cv = cv
        self.alpha_per_target = alpha_per_target
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs

    @fits
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from rows and numbers.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
            Finite numbers; float64 and float32 are used as they are.
        y : array of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array of shape (n_samples,), optional
            How often each row counts.
        """
        matrix, Y, weights, flat = check_numbers(self, X, y, sample_weight)
        choices = None if self.alphas is None else checked_alphas(self.alphas, "alphas")
        fixed = checked_alphas(self.alpha, "alpha")
        if choices is None and len(fixed) not in (1, Y.shape[1]):
            raise ParameterError(
                f"alpha: {len(fixed)} penalties for {Y.shape[1]} targets. Give one, or one for "
                "each; a path of alphas is `alphas`."
            )
        number = threads_for(self.n_jobs)
        self.n_iter_ = 1
        with held_blas(matrix, number):
            self.solver_ = self._solver(matrix, fixed, choices is not None)
            if self.solver_ == "cholesky":
                made = moments(matrix, Y, weights, bool(self.fit_intercept), number)
                require_finite(self, made.Q)
                if not is_safe(made, float(fixed[0])):
                    self.solver_ = "factor"
            if self.solver_ == "factor":
                least = float(np.min(fixed if choices is None else choices))
                factor = factor_of(self, matrix, Y, weights, number, least=least)
                if choices is not None:
                    fixed = self._choose(factor, matrix, Y, weights, choices, flat, number)
                coef = factor.coefficients(fixed)
                if not np.any(fixed):
                    coef = refined(factor, matrix, Y, weights, number)
                intercept = factor.intercept(coef)
                self._keep(factor, fixed, flat)
            elif self.solver_ == "cholesky":
                coef, dimension = by_cholesky(made, float(fixed[0]))
                intercept = made.intercept(coef)
                self.effective_dimension_ = dimension
            elif self.solver_ == "descent":
                made = moments(matrix, Y, weights, bool(self.fit_intercept), number)
                coef, intercept = nonnegative(self, made, fixed)
            else:
                coef, intercept = self._by_gradients(matrix, Y, weights, fixed, number)
        self.alpha_ = _said(np.broadcast_to(fixed, Y.shape[1]), flat, fixed)
        self._set_rule(coef, intercept, matrix.X.dtype, flat)
        return self

    def path(
        self, X: Any, y: ArrayLike, alphas: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> tuple[Numbers, Numbers]:
        """Return weights and offsets for each of many alphas; the learner itself is not fitted.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.
        alphas : array of shape (n_alphas,)

        Returns
        -------
        coefs : array of shape (n_alphas, n_features) or (n_alphas, n_targets, n_features)
        intercepts : array of shape (n_alphas,) or (n_alphas, n_targets)
        """
        self._validate_params()
        matrix, Y, weights, flat = check_numbers(clone(self), X, y, sample_weight)
        chosen = checked_alphas(alphas, "alphas")
        number = threads_for(self.n_jobs)
        with held_blas(matrix, number):
            factor = factor_of(self, matrix, Y, weights, number, least=float(chosen.min()))
            coefs = factor.path(chosen)
        intercepts = factor.y_mean - coefs @ factor.x_mean
        return (coefs[:, 0], intercepts[:, 0]) if flat else (coefs, intercepts)

    def effective_dimension(self, alpha: float) -> float:
        """Return sum s^2 / (s^2 + alpha), s the singular values of the data of the fit.

        Parameters
        ----------
        alpha : float
        """
        s, _ = self._directions()
        return float(np.sum(s**2 / (s**2 + alpha)))

    def radius(self, alpha: float) -> Any:
        """Return |w| for an alpha: the C of the constraint |w| <= C that has the same solution.

        Parameters
        ----------
        alpha : float

        Returns
        -------
        float or array of shape (n_targets,)
        """
        s, e = self._directions()
        lengths = np.linalg.norm(e / (s[:, None] ** 2 + alpha), axis=0)
        return float(lengths[0]) if self.coef_.ndim == 1 else lengths

    def alpha_for_radius(self, radius: float) -> Any:
        """Return the alpha whose weights have this length; 0 where least squares is no longer.

        Parameters
        ----------
        radius : float
            C > 0.

        Returns
        -------
        float or array of shape (n_targets,)
        """
        if not radius > 0:
            raise ParameterError(f"radius must be positive. Got {radius!r}.")
        s, e = self._directions()
        found = np.array([alpha_of_length(s, column, float(radius)) for column in e.T])
        return float(found[0]) if self.coef_.ndim == 1 else found

    def _directions(self) -> tuple[Numbers, Numbers]:
        """Return the singular values, and e scaled so that |w| is |e / (s^2 + alpha)|."""
        check_is_fitted(self)
        if not hasattr(self, "_singular"):
            raise InputError(
                f"The fit was made by {self.solver_!r}, which has no singular values. Use "
                'solver="factor", without positive=True.'
            )
        return self._singular, self._along

    def _solver(self, matrix: Matrix, alpha: Numbers, choosing: bool) -> str:
        if self.positive:
            if choosing:
                raise ParameterError("positive=True has one alpha at a time: leave alphas out.")
            return "descent"
        rows, cols = matrix.X.shape
        found = self.solver
        if found == "auto":
            found = "factor"
            if hasattr(matrix.X, "toarray") and min(rows, cols) > MOST_FACTORED:
                found = "cg"
            elif LEAST_CHOLESKY < cols <= rows and not choosing and len(alpha) == 1:
                found = "cholesky"
        if found == "cg" and choosing:
            raise ParameterError(
                'alphas: conjugate gradients solve for one alpha at a time. Use solver="factor", '
                "or compare alphas with scikit-learn's GridSearchCV."
            )
        return found

    def _keep(self, factor: Factor, alpha: Numbers, flat: bool) -> None:
        """Keep what tells the length of the weights and the dimension for any alpha."""
        self._singular = factor.s
        self._along = factor.lift[:, None] * factor.e
        every = np.broadcast_to(alpha, factor.e.shape[1])
        self.effective_dimension_ = _said(
            np.array([self._dimension(factor.s, float(a)) for a in every]), flat, alpha
        )

    @staticmethod
    def _dimension(s: Numbers, alpha: float) -> float:
        return float(np.sum(s**2 / (s**2 + alpha)))

    def _choose(
        self,
        factor: Factor,
        matrix: Matrix,
        Y: Numbers,
        weights: Numbers | None,
        alphas: Numbers,
        flat: bool,
        threads: int,
    ) -> Numbers:
        """Score the alphas, keep their weights, and return the best for each target."""
        coefs = factor.path(alphas)
        if self.cv is None:
            scores = loo_scores(self, factor, coefs, matrix, Y, weights, alphas)
        else:
            scores = fold_scores(self, matrix, Y, weights, alphas, threads)
        self.alphas_, self.scores_ = alphas, scores
        with np.errstate(over="ignore"):
            self.coef_path_ = (coefs[:, 0] if flat else coefs).astype(matrix.X.dtype)
        judged = np.where(np.isnan(scores), -np.inf, scores)
        if self.alpha_per_target:
            best = judged.argmax(axis=0)
            self.best_score_ = _said(scores[best, np.arange(len(best))], flat, best)
        else:
            best = np.array([judged.mean(axis=1).argmax()])
            self.best_score_ = float(scores[best[0]].mean())
        chosen: Numbers = alphas[best]
        return chosen

    def _by_gradients(
        self,
        matrix: Matrix,
        Y: Numbers,
        weights: Numbers | None,
        alpha: Numbers,
        threads: int,
    ) -> tuple[Numbers, Numbers]:
        found = conjugate_gradients(
            self,
            matrix,
            Y,
            weights,
            np.broadcast_to(alpha, Y.shape[1]),
            fit_intercept=bool(self.fit_intercept),
            tol=float(self.tol),
            max_iter=self.max_iter or 10 * matrix.X.shape[1],
            threads=threads,
        )
        self.n_iter_, self.certificate_ = found.steps, found.gap
        if not found.converged:
            warn_user(
                f"Ridge made all {found.steps} steps of max_iter, and the gradient is "
                f"{found.share:.3g} of what it was at zero, above tol={self.tol}. Raise max_iter "
                "or alpha, or scale the features.",
                ConvergenceWarning,
            )
        return found.coef, found.intercept


def _said(values: Any, flat: bool, given: Any) -> Any:
    """Return one number where all targets share it, else one a target."""
    return float(values[0]) if flat or len(given) == 1 else np.array(values)
