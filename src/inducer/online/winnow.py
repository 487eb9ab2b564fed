"""Winnow: mistakes multiply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from inducer._core.online import OnlineRule
from inducer.base.arrays import Array, Matrix
from inducer.base.errors import InputError, ParameterError
from inducer.base.params import Choice, Domain, Real
from inducer.online._learner import CLASS_PARAMS, OnlineClassifier, State
from inducer.online._multiplicative import MultiplicativeLearner


class Winnow(MultiplicativeLearner, OnlineClassifier):
    """Winnow: multiply the weights at each mistake, and many irrelevant features cost little.

    For each row visited, with y = +1 for ``classes_[1]`` and -1 for ``classes_[0]``, and only if
    y (w.x + b) <= 0::

        s += log(alpha) y x,     w = exp(s) - exp(-s)      balanced
                                 w = exp(s)                form="positive", features >= 0

    so a feature that is there when a mistake is made has its weight multiplied by alpha or divided
    by it. All weights begin equal. The perceptron pays for each irrelevant feature by the length
    of the rows; Winnow pays the logarithm of their number: see `mistake_bound`. It is at its best
    with many features of which few matter.

    The positive form compares with a fixed threshold, the balanced form learns one as the weight
    of a feature that is one everywhere. Logarithms are what is kept, so that no weight overflows.
    More than two classes are told apart one versus all.

    Parameters
    ----------
    alpha : float, default=1.5
        The factor. 2 is usual for features of 0 and 1; less for real ones, or with noise.
    form : {"balanced", "positive"}, default="balanced"
        Balanced: weights of both signs, for features of both signs. Positive: Winnow2, all weights
        and all features positive.
    threshold : float or None, default=None
        What w.x has to exceed for ``classes_[1]``. None: learned if balanced, else half the
        number of features.
    max_iter : int, default=1000
        The most passes over the rows.
    tol : float or None, default=1e-3
        Stop after a clean pass, or when the share of mistakes in a pass has not fallen by this
        much for ``n_iter_no_change`` passes. None: make exactly ``max_iter`` passes.
    n_iter_no_change : int, default=5
        Passes without progress before the fit stops.
    shuffle : {"every", "once", "never"} or bool, default="every"
        Draw a new order for every pass, one order for all, or take the rows as they come. True
        and False mean every and never.
    class_weight : dict, "balanced" or None, default=None
        Factors of log(alpha) by class.
    n_jobs : int or None, default=None
        Threads, of use with more than two classes. None: `inducer.threads`.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the order of the rows.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
        Weights. Where they would overflow, they and the intercept are divided by the same number,
        which changes no prediction.
    intercept_ : array of shape (1,) or (n_classes,)
        The threshold, negative.
    n_iter_ : int
        Passes made by the last fit.
    n_updates_ : int
        Mistakes made, over all classes, since the weights were equal.
    progressive_loss_ : float
        Share of mistakes in the last pass, each row judged before it was learned from, summed over
        the problems one versus all.
    t_ : float
        Rows visited, plus one.
    n_features_in_, feature_names_in_
        What `fit` saw.

    See Also
    --------
    ExponentiatedGradient : Multiplicative updates along the gradient of a loss.
    inducer.linear.Perceptron : The same with sums in place of products.

    References
    ----------
    CIML, older edition, chapter 17. Littlestone, Learning quickly when irrelevant attributes
    abound, 1988.

    Examples
    --------
    >>> import numpy as np
    >>> from inducer.online import Winnow
    >>> X = np.random.default_rng(0).integers(0, 2, size=(300, 1000))
    >>> y = X[:, 3] | X[:, 500]
    >>> model = Winnow(alpha=2, form="positive", random_state=0).fit(X, y)
    >>> model.score(X, y), bool(model.n_updates_ <= model.mistake_bound(2))
    (1.0, True)
    """

    params: ClassVar[Mapping[str, Domain]] = {
        **CLASS_PARAMS,
        "alpha": Real(1, closed="()"),
        "form": Choice("balanced", "positive"),
        "threshold": Real() | None,
    }

    def __init__(
        self,
        *,
        alpha: float = 1.5,
        form: str = "balanced",
        threshold: float | None = None,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        n_iter_no_change: int = 5,
        shuffle: str | bool = "every",
        class_weight: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.alpha = alpha
        self.form = form
        self.threshold = threshold
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _threshold(self, cols: int) -> float | None:
        """Return the threshold if it is fixed."""
        if self.threshold is not None:
            return float(self.threshold)
        return None if self.form == "balanced" else cols / 2

    def _rule(self, cols: int) -> OnlineRule:
        return OnlineRule.winnow(
            offset="weight" if self._threshold(cols) is None else "fixed",
            balanced=self.form == "balanced",
            rate=float(np.log(self.alpha)),
        )

    def _check_features(self, matrix: Matrix) -> None:
        X = matrix.X
        if self.form == "balanced" or X.min() >= 0:
            return
        coo = X.tocoo() if hasattr(X, "tocoo") else None
        if coo is None:
            row, col = (int(i) for i in np.argwhere(X < 0)[0])
        else:
            place = int(np.argmax(coo.data < 0))
            row, col = int(coo.row[place]), int(coo.col[place])
        raise InputError(
            f"Negative values in data passed to Winnow: {X[row, col]} in row {row}, column {col}. "
            "With form='positive' features must not be negative: shift or scale them, or take "
            "form='balanced'."
        )

    def _fresh(self, outputs: int, cols: int, width: int, dtype: Any) -> State:
        state = super()._fresh(outputs, cols, width, dtype)
        state["intercept"][:] = -(self._threshold(cols) or 0.0)
        return state

    def _weights(self, state: State) -> dict[str, Array]:
        s = state["memory"][:, :, 0]
        cols, dtype = s.shape[1], state["coef"].dtype
        s = np.concatenate([s, state["intercept_memory"][:, :1]], axis=1)
        room = 600.0 if dtype == np.float64 else 80.0  # before exp overflows
        shift = np.maximum(self._peak(s) - room, 0.0)
        up, down = self._exponentials(s, shift)
        weights = up - down
        offset = weights[:, cols]
        if self._threshold(cols) is not None:
            with np.errstate(under="ignore"):
                offset = state["intercept"] * np.exp(-shift[:, 0])
        return {"coef_": weights[:, :cols].astype(dtype), "intercept_": offset}

    def mistake_bound(self, k: int, n_features: int | None = None) -> float:
        """Return the most mistakes on an "or" of k features of 0 and 1, in the positive form.

        A mistake on a positive row multiplies one of the k weights at least, and none of these
        is ever divided: there are at most k (log_alpha(t) + 1) of them, t being the threshold. A
        mistake on a negative row takes (1 - 1/alpha) t from the sum of the weights, which began at
        d and gains less than (alpha - 1) t at a mistake on a positive one. Together, whatever the
        rows and their order, no more than::

            (1 + alpha) k (log_alpha(t) + 1) + alpha / (alpha - 1) d / t

        Parameters
        ----------
        k : int
            How many features the disjunction has.
        n_features : int, optional
            d; left out: that of the last fit.

        Returns
        -------
        float
        """
        if self.form == "balanced":
            raise ParameterError("mistake_bound: it is one of form='positive'.")
        d = self.n_features_in_ if n_features is None else n_features
        threshold = self._threshold(d) or 0.0
        if threshold < 1:
            raise ParameterError(
                f"mistake_bound: the threshold must be 1 at least. Got {threshold}."
            )
        times = np.log(threshold) / np.log(self.alpha) + 1
        bound = (1 + self.alpha) * k * times + self.alpha / (self.alpha - 1) * d / threshold
        return float(bound)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.form == "positive"
        return tags
