"""Progressive validation: each row is a test before it is an example."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from inducer.base.errors import InputError, ParameterError
from inducer.online._streams import chunks_of

MOST_POINTS = 1000

Loss = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class ProgressiveResult:
    """What a learner lost on rows that it had not learned from.

    Attributes
    ----------
    loss : float
        Mean over all rows that were scored: an honest estimate for the mixture of the models that
        there were.
    standard_error : float
        Of the mean, as for independent rows: given the past, what a loss differs by from what was
        to be expected has mean zero, so these differences are uncorrelated.
    rows : array
        After how many rows of the stream the curve has its points.
    curve : array
        Mean loss of the rows up to there.
    recent : array
        Mean loss of the rows since the point before.
    n_rows : int
        Rows of the stream.
    n_scored : int
        Rows scored: all but those of the first chunk, when the learner knew nothing yet.
    """

    loss: float
    standard_error: float
    rows: NDArray[np.int64]
    curve: NDArray[np.float64]
    recent: NDArray[np.float64]
    n_rows: int
    n_scored: int


def progressive_validation(
    model: Any,
    data: Any,
    y: ArrayLike | None = None,
    *,
    target: str | None = None,
    classes: ArrayLike | None = None,
    loss: str | Loss = "auto",
    chunk_rows: int = 100,
    delay: int = 0,
    max_rows: int | None = None,
) -> ProgressiveResult:
    """Test a learner on each chunk of a stream, and then train it on it.

    Nothing is held out, and nothing is seen twice: the mean loss is that of predictions made before
    the labels were known. Memory is bounded: one chunk, those whose labels are still to come, and a
    curve of a thousand points at most.

    Parameters
    ----------
    model : estimator
        With ``partial_fit``. It is trained; give a clone to keep it.
    data : array, CSR matrix or DataFrame with y; iterable of pairs (X, y); or file, table, query
        A file is CSV or, by its ending, Parquet; it and Polars tables are read in chunks, and
        have the labels in a column.
    y : array of shape (n_samples,), optional
        Labels or numbers that go with X.
    target : str, optional
        The column of the labels in a file or table.
    classes : array, optional
        All classes there will be. Left out: those of y, or of the model if it is fitted.
    loss : {"auto", "zero_one", "squared", "absolute", "log"} or callable, default="auto"
        Of a row. "auto" is "zero_one" for classifiers and "squared" for others; "log" takes
        predict_proba. A function takes labels and predictions, and returns one number a row.
    chunk_rows : int, default=100
        How many rows are predicted, and then learned, at a time. Iterables keep their own sizes.
    delay : int, default=0
        How many more rows are predicted before the labels of a chunk come.
    max_rows : int, optional
        Stop after so many.

    Returns
    -------
    ProgressiveResult

    References
    ----------
    CIML 14. Blum, Kalai and Langford, Beating the hold-out: bounds for k-fold and progressive
    cross-validation, 1999.

    Examples
    --------
    >>> from inducer.datasets import blobs
    >>> from inducer.online import PassiveAggressive, progressive_validation
    >>> X, y = blobs(n_samples=1000, random_state=0, return_X_y=True)
    >>> result = progressive_validation(PassiveAggressive(random_state=0), X, y, chunk_rows=10)
    >>> result.n_scored, bool(result.loss < 0.1)
    (990, True)
    """
    if not hasattr(model, "partial_fit"):
        raise ParameterError(
            f"model: {type(model).__name__} has no partial_fit, so it cannot go on learning."
        )
    _demand("chunk_rows", chunk_rows, 1)
    _demand("delay", delay, 0)
    if max_rows is not None:
        _demand("max_rows", max_rows, 1)
    score = _loss_of(model, loss)
    if y is not None and classes is None:
        classes = np.unique(np.asarray(y)) if _classifies(model) else None
    curve = _Curve()
    waiting: deque[tuple[Any, Any, int]] = deque()
    knows = _is_fitted(model)
    names = {"classes": classes} if _classifies(model) and classes is not None else {}
    if _classifies(model) and not knows and not names:
        raise ParameterError("classes: name all classes that will come; they are not in sight.")
    seen = 0
    for X, labels in chunks_of(data, y, target, int(chunk_rows)):
        count = len(labels)
        if count == 0:
            continue
        if max_rows is not None and seen + count > max_rows:
            count = max_rows - seen
            X, labels = X[:count], labels[:count]
        seen += count
        if knows:
            curve.add(seen, _losses(score, model, X, labels))
        waiting.append((X, labels, seen))
        while waiting and seen - waiting[0][2] >= delay:
            known, answers, _ = waiting.popleft()
            model.partial_fit(known, answers, **names)
            names = {}
            knows = True
        if max_rows is not None and seen >= max_rows:
            break
    for known, answers, _ in waiting:  # the labels that come when no rows do any more
        model.partial_fit(known, answers, **names)
        names = {}
    if seen == 0:
        raise InputError("The stream is empty.")
    return curve.result(seen)


def _demand(name: str, value: Any, least: int) -> None:
    if type(value) is bool or not isinstance(value, Integral) or value < least:
        raise ParameterError(f"{name}: an integer, {least} or more. Got {value!r}.")


def _classifies(model: Any) -> bool:
    """Whether a learner, who need not be scikit-learn's, is one of classes."""
    if not hasattr(model, "__sklearn_tags__"):
        return hasattr(model, "classes_") or hasattr(model, "predict_proba")
    return bool(is_classifier(model))


def _is_fitted(model: Any) -> bool:
    if not hasattr(model, "__sklearn_tags__"):
        return any(name.endswith("_") and not name.startswith("_") for name in vars(model))
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def _loss_of(model: Any, loss: str | Loss) -> Callable[[Any, Any, Any], Any]:
    """Return a function of model, X and labels that gives one loss a row."""
    if not isinstance(loss, str):
        own = loss
        if not callable(own):
            raise ParameterError(f"loss is a word or a function. Got {loss!r:.200}.")
        return lambda model, X, y: own(y, model.predict(X))
    if loss == "auto":
        loss = "zero_one" if _classifies(model) else "squared"
    if loss == "zero_one":
        return lambda model, X, y: np.asarray(model.predict(X)) != np.asarray(y)
    if loss == "squared":
        return lambda model, X, y: (np.asarray(model.predict(X)) - y) ** 2
    if loss == "absolute":
        return lambda model, X, y: np.abs(np.asarray(model.predict(X)) - y)
    if loss == "log":
        if not hasattr(model, "predict_proba"):
            raise ParameterError(f"loss 'log': {type(model).__name__} has no predict_proba.")
        return _log_loss
    raise ParameterError(
        "loss is 'auto', 'zero_one', 'squared', 'absolute', 'log' or a function. "
        f"Got {loss!r:.200}."
    )


def _log_loss(model: Any, X: Any, y: Any) -> Any:
    chances = np.asarray(model.predict_proba(X), np.float64)
    codes = np.searchsorted(model.classes_, y)
    own = chances[np.arange(len(codes)), codes]
    return -np.log(np.maximum(own, np.finfo(np.float64).tiny))


def _losses(score: Any, model: Any, X: Any, y: Any) -> NDArray[np.float64]:
    losses = np.asarray(score(model, X, y), np.float64)
    if losses.shape != (len(y),):
        raise InputError(f"loss gave the shape {losses.shape} for {len(y)} rows: one a row.")
    return losses


class _Curve:
    """Sums of the losses, and a curve that is thinned out when it has too many points."""

    def __init__(self) -> None:
        self.count = 0
        self.total = 0.0
        self.squares = 0.0
        self.points: list[tuple[int, int, float]] = []  # rows, scored, sum of their losses

    def add(self, seen: int, losses: NDArray[np.float64]) -> None:
        # Sums of squares about the mean (Chan, Golub and LeVeque), which do not cancel.
        n, m = self.count, len(losses)
        mean = float(losses.mean())
        if n:
            self.squares += (mean - self.total / n) ** 2 * n * m / (n + m)
        self.squares += float(np.sum((losses - mean) ** 2))
        self.count += m
        self.total += float(losses.sum())
        self.points.append((seen, self.count, self.total))
        if len(self.points) > MOST_POINTS:
            self.points = self.points[1::2] if len(self.points) % 2 == 0 else self.points[::2]

    def result(self, seen: int) -> ProgressiveResult:
        n = self.count
        table = np.asarray(self.points, np.float64).reshape(-1, 3)
        rows, counts, totals = table.T
        steps = np.diff(totals, prepend=0.0) / np.diff(counts, prepend=0.0)
        return ProgressiveResult(
            loss=self.total / n if n else float("nan"),
            standard_error=float(np.sqrt(self.squares / (n - 1) / n)) if n > 1 else float("nan"),
            rows=rows.astype(np.int64),
            curve=totals / counts,
            recent=steps,
            n_rows=seen,
            n_scored=n,
        )
