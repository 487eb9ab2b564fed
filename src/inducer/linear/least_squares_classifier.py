"""Least squares as a classifier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from inducer.base._threads import threads_for
from inducer.base.learner import fits
from inducer.base.params import Choice, Domain, Flag, Instance, Int
from inducer.linear._factor import factor_of, refined
from inducer.linear._numbers import held_blas
from inducer.linear._rule import LinearRule, binary_targets, check_examples, require_finite


class LeastSquaresClassifier(LinearRule):
    """Classification by the sign of a least squares fit to -1 and +1.

    (y a - 1)^2 is an upper bound of the 0/1 error of a score a, so that its minimum cannot be far
    wrong where it is small; and it has a closed form. What it is bad at: rows far on the right side
    cost as much as rows on the wrong one. It is a quick start for others: `Perceptron`,
    `PocketPerceptron` and `BatchPerceptron` take its ``coef_`` and ``intercept_`` as ``coef_init``
    and ``intercept_init``. More than two classes are told apart one versus all.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Learn the offsets; else they are zero.
    class_weight : dict, "balanced" or None, default=None
        How often the rows of a class count.
    n_jobs : int or None, default=None
        Threads. None: `inducer.threads`. The result has the same bits for any number.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
        Weights; positive scores mean ``classes_[1]``, or the class of the row.
    intercept_ : array of shape (1,) or (n_classes,)
        Offsets.
    n_iter_ : int
        One.
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    LeastSquares : The same for numbers; with leverages and leave-one-out errors.

    References
    ----------
    NTU 9 and 11.

    Examples
    --------
    >>> from inducer.datasets import blobs
    >>> from inducer.linear import LeastSquaresClassifier, PocketPerceptron
    >>> X, y = blobs(n_samples=100, random_state=0, return_X_y=True)
    >>> start = LeastSquaresClassifier().fit(X, y)
    >>> pocket = PocketPerceptron(max_iter=10, random_state=0)
    >>> pocket.fit(X, y, coef_init=start.coef_, intercept_init=start.intercept_).score(X, y) > 0.9
    True
    """

    params: ClassVar[Mapping[str, Domain]] = {
        "fit_intercept": Flag(),
        "class_weight": Choice("balanced") | Instance(dict) | None,
        "n_jobs": Int() | None,
    }

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        class_weight: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.n_jobs = n_jobs

    @fits
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from labelled rows.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Labels of any type.
        sample_weight : array of shape (n_samples,), optional
            How often each row counts.
        """
        matrix, labels, weights = check_examples(self, X, y, sample_weight)
        signs = np.where(labels.codes[:, None] == binary_targets(labels.classes), 1.0, -1.0)
        number = threads_for(self.n_jobs)
        with held_blas(matrix, number):
            factor = factor_of(self, matrix, signs, weights, number)
            coef = refined(factor, matrix, signs, weights, number)
        self.classes_ = labels.classes
        require_finite(self, coef)
        self.coef_ = coef.astype(matrix.X.dtype)
        self.intercept_ = factor.intercept(coef)
        self.n_iter_ = 1
        return self
