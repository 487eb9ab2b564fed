"""The perceptron."""

from __future__ import annotations

from typing import Any

from inducer._core.linear import PerceptronFit
from inducer.base.arrays import check_labels
from inducer.linear._gate import checked
from inducer.linear._rule import binary_targets
from inducer.linear._updates import UpdatedRule


class Perceptron(UpdatedRule):
    """The perceptron, plain or averaged: learn from mistakes only.

    For each row visited, with y = +1 for ``classes_[1]`` and -1 for ``classes_[0]``::

        if y (w.x + b) <= 0:    w += eta0 y x,    b += eta0 y

    which is stochastic gradient descent on sum_n max(0, -y_n (w.x_n + b)). On data that a
    hyperplane through the origin of the space of (x, 1) separates with margin g, no (x, 1) being
    longer than R, it makes at most (R / g)^2 mistakes in all (see `mistake_bound`), and then a
    clean pass ends the fit. On other data it never settles: take ``average=True``, which is better
    there in nearly every case and costs only by the mistake. More than two classes are told apart
    one versus all.

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
        Draw a new order for every pass, one order for all, or take the rows as they come. True
        and False mean every and never.
    fit_intercept : bool, default=True
        Learn b; else it is zero.
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
        Factors of the corrections by class.
    warm_start : bool, default=False
        Begin `fit` with the weights of the last.
    n_jobs : int or None, default=None
        Threads, of use with more than two classes. None: `inducer.threads`.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the order of the rows. The same seed gives the same bits, whatever the threads.

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
    n_mistakes_ : int
        Corrections made, over all classes, since the weights were zero.
    best_score_ : float
        Accuracy on the held-out rows, with ``early_stopping``.
    t_ : float
        Rows visited, plus one.
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    MulticlassPerceptron : One rule for all classes at once.
    VotedPerceptron : All weights vote.
    PocketPerceptron : Keeps the best weights, with costs.

    References
    ----------
    CIML v0.99, chapter 4, algorithms 5 to 7. Freund and Schapire, Large margin classification using
    the perceptron algorithm, 1999.

    Examples
    --------
    >>> from inducer.datasets import blobs
    >>> from inducer.linear import Perceptron
    >>> X, y = blobs(n_samples=100, random_state=0, return_X_y=True)
    >>> model = Perceptron(average=True, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    def _outputs(self) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _start_kernel(self, X: Any, codes: Any, weights: Any, state: Any, passes: Any) -> Any:
        return PerceptronFit(
            X,
            codes,
            weights,
            state,
            classes=len(self.classes_),
            fit_intercept=bool(self.fit_intercept),
            remember=False,
            rate=float(self.eta0),
            passes=passes,
        )

    def mistake_bound(self, X: Any, y: Any) -> float:
        """Return the most mistakes a fit from zero weights can make on these rows, ever.

        It is (R / g)^2, R the largest length of a row and g the widest margin through the origin;
        with an intercept both are those of the rows (x, 1), since there the intercept is one more
        weight. With several classes the bounds of the problems one versus all are added. It holds
        for all orders and rates, without sample weights.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame of shape (n_samples, n_features)
        y : array of shape (n_samples,)

        Returns
        -------
        float
            Infinite when the classes cannot be separated.
        """
        from inducer.linear._margin import margin

        X = checked(X, "mistake_bound")
        labels = check_labels(y, X, learner=self)
        return sum(
            margin(X, labels.codes == code, fit_intercept=self.fit_intercept).mistake_bound
            for code in binary_targets(labels.classes)
        )
