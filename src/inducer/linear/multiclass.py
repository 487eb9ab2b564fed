"""The multiclass perceptron."""

from __future__ import annotations

from typing import Any

from inducer._core.linear import MulticlassPerceptronFit
from inducer.linear._updates import UpdatedRule


class MulticlassPerceptron(UpdatedRule):
    """The perceptron for any number of classes as one rule, plain or averaged.

    Each class has weights w_k and an offset b_k; a row belongs to the class of the largest
    w_k.x + b_k. For each row visited, with label y::

        p = argmax_k  w_k.x + b_k
        if p != y:    w_y += eta0 x,   w_p -= eta0 x,   b_y += eta0,   b_p -= eta0

    Unlike one versus all it needs no class to be separable from all others together, only each
    pair by its difference of weights. It is the structured perceptron of one-part structures.

    Parameters
    ----------
    average : bool, default=False
        Predict with the average of all weights there were, one for each row visited.
    max_iter : int, default=1000
        The most passes over the rows.
    tol : float or None, default=1e-3
        Stop after a clean pass, or when the mean loss of a pass has not fallen by this much for
        ``n_iter_no_change`` passes. None: make exactly ``max_iter`` passes.
    shuffle : {"every", "once", "never"} or bool, default="every"
        Draw a new order for every pass, one order for all, or take the rows as they come.
    fit_intercept : bool, default=True
        Learn the offsets; else they are zero.
    eta0 : float, default=1.0
        Rate of the corrections. From zero weights it changes their length, and nothing else.
    early_stopping : bool, default=False
        Hold rows out, stop when accuracy on them has not risen by ``tol`` for
        ``n_iter_no_change`` passes, and keep the weights that were best on them.
    validation_fraction : float, default=0.1
        The share of the rows to hold out.
    n_iter_no_change : int, default=5
        Passes without progress before the fit stops.
    class_weight : dict, "balanced" or None, default=None
        Factors of the corrections by class of the row.
    warm_start : bool, default=False
        Begin `fit` with the weights of the last.
    n_jobs : int or None, default=None
        Threads, for predictions; the fit is one chain of corrections and uses one.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the order of the rows.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    coef_ : array of shape (n_classes, n_features)
        Weights, one row a class, for two classes too.
    intercept_ : array of shape (n_classes,)
        Offsets.
    n_iter_ : int
        Passes made by the last fit.
    n_mistakes_ : int
        Corrections made since the weights were zero.
    best_score_ : float
        Accuracy on the held-out rows, with ``early_stopping``.
    t_ : float
        Rows visited, plus one.
    n_features_in_, feature_names_in_
        What `fit` saw.

    References
    ----------
    CIML v0.99, algorithm 39. Collins, Discriminative training methods for hidden Markov models,
    2002.

    Examples
    --------
    >>> from inducer.datasets import blobs
    >>> from inducer.linear import MulticlassPerceptron
    >>> X, y = blobs(n_samples=150, centers=3, random_state=0, return_X_y=True)
    >>> model = MulticlassPerceptron(average=True, random_state=0).fit(X, y)
    >>> model.coef_.shape
    (3, 2)
    """

    def _outputs(self) -> int:
        return len(self.classes_)

    def _counters(self) -> int:
        return 1  # one chain of rows for all classes

    def _start_kernel(self, X: Any, codes: Any, weights: Any, state: Any, passes: Any) -> Any:
        return MulticlassPerceptronFit(
            X,
            codes,
            weights,
            state,
            classes=len(self.classes_),
            fit_intercept=bool(self.fit_intercept),
            rate=float(self.eta0),
            passes=passes,
        )
