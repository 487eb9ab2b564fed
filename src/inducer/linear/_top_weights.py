"""Reading the weights of a linear model: what speaks most for a class, and most against it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.sparsefuncs import mean_variance_axis
from sklearn.utils.validation import check_is_fitted

from inducer.base.errors import InputError, ParameterError
from inducer.linear._exact import is_sparse
from inducer.linear._gate import checked

if TYPE_CHECKING:
    import polars as pl

Floats = NDArray[np.float64]


def top_weights(
    model: Any, n: int = 10, *, feature_names: Any = None, X: Any = None
) -> pl.DataFrame:
    """Return the largest and the smallest weights of a fitted linear model.

    A weight says how much the score rises when its feature rises by one. So weights may be
    compared only where "one" means the same for all features: scale them before the fit (a
    pipeline with ``StandardScaler`` does), or give `X`, and each weight is multiplied by the
    standard deviation of its feature: how much the score differs between usual values of it. Even
    then features that go together share their weight, in ways that say little of either.

    Parameters
    ----------
    model : estimator or Pipeline
        Fitted, with ``coef_``: a learner of ours or of scikit-learn's. In a pipeline, the last
        step; the features are then what reaches that step. A search with ``best_estimator_``
        stands for that.
    n : int, default=10
        How many of each side.
    feature_names : sequence of str, optional
        Names of the features. Left out: those of the last transformer of the pipeline
        (``get_feature_names_out``), or ``feature_names_in_``, or x0, x1, ...
    X : array, sparse matrix or DataFrame of shape (n_samples, n_features), optional
        Rows for the standard deviations, as they would be given to ``model.predict``.

    Returns
    -------
    polars.DataFrame
        Columns ``class``, ``side`` ("top" or "bottom"), ``rank`` (from 1), ``feature`` and
        ``weight``; with `X` also ``scaled``, weight times deviation, by which it is ordered then.
        Top weights are positive, bottom ones negative; there may be fewer than n. With one row of
        weights for two classes, ``class`` is the one that positive scores mean; for a regression
        it is null, or the number of the output.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from inducer.linear import top_weights
    >>> X = np.array([[0.0, 3.0, 1.0], [1.0, 2.0, 1.0], [2.0, 1.0, 1.0], [3.0, 0.0, 1.0]])
    >>> model = LogisticRegression().fit(X, ["no", "no", "yes", "yes"])
    >>> found = top_weights(model, feature_names=["late", "early", "always"])
    >>> found.select("class", "side", "feature").rows()
    [('yes', 'top', 'late'), ('yes', 'bottom', 'early')]
    """
    import polars as pl

    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ParameterError(f"top_weights: n must be an integer from 1 on. Got {n!r}.")
    model = getattr(model, "best_estimator_", model)
    check_is_fitted(model)
    transform, rule = (model[:-1], model[-1]) if isinstance(model, Pipeline) else (None, model)
    coef, classes = _weights(rule)
    names = _names(transform, rule, feature_names, coef.shape[1])
    scaled = coef if X is None else coef * _deviations(transform, X, coef.shape[1])

    columns: dict[str, list[Any]] = {"class": [], "side": [], "rank": [], "feature": []}
    values: dict[str, list[float]] = {"weight": [], "scaled": []}
    for label, weights, sizes in zip(classes, coef, scaled, strict=True):
        order = np.argsort(-sizes, kind="stable")
        rising = np.argsort(sizes, kind="stable")
        for side, places in (
            ("top", order[sizes[order] > 0]),
            ("bottom", rising[sizes[rising] < 0]),
        ):
            for rank, place in enumerate(places[:n].tolist(), start=1):
                columns["class"].append(label)
                columns["side"].append(side)
                columns["rank"].append(rank)
                columns["feature"].append(names[place])
                values["weight"].append(float(weights[place]))
                values["scaled"].append(float(sizes[place]))
    if X is None:
        del values["scaled"]
    return pl.DataFrame(
        {**columns, **values},
        schema_overrides={"side": pl.String, "rank": pl.Int64, "feature": pl.String}
        | dict.fromkeys(values, pl.Float64),
    )


def _weights(rule: Any) -> tuple[Floats, list[Any]]:
    """Return the weights, a row for each of the labels returned with them."""
    kind = type(rule).__name__
    coef = getattr(rule, "coef_", None)
    if coef is None:
        raise InputError(
            f"top_weights: {kind} has no weights to read (no coef_). Give a fitted linear model, "
            "or a pipeline that ends in one."
        )
    coef = coef.toarray() if is_sparse(coef) else coef
    coef = np.atleast_2d(np.asarray(coef, dtype=np.float64))
    if not hasattr(rule, "classes_"):
        return coef, list(range(len(coef))) if len(coef) > 1 else [None]
    classes = np.asarray(rule.classes_).tolist()
    pairwise = len(classes) > 2 and hasattr(rule, "dual_coef_")
    if len(coef) == 1 and len(classes) == 2:
        return coef, classes[1:]
    if len(coef) != len(classes) or pairwise:
        raise InputError(
            f"top_weights: the {len(coef)} rows of weights of {kind} are not one for each of its "
            f"{len(classes)} classes: it tells them apart in pairs. Give a model of one versus all."
        )
    return coef, classes


def _names(transform: Any, rule: Any, feature_names: Any, cols: int) -> list[str]:
    """Return a name for each feature."""
    if feature_names is not None:
        if isinstance(feature_names, str) or not hasattr(feature_names, "__iter__"):
            raise InputError(
                f"top_weights: feature_names is a list of names. Got {feature_names!r}."
            )
        names = [str(name) for name in feature_names]
        if len(names) != cols:
            raise InputError(
                f"top_weights: {len(names)} feature_names for {cols} features. Give one for each."
            )
        return names
    known = getattr(rule, "feature_names_in_", None)
    if known is None and transform is not None and len(transform):
        try:
            known = transform.get_feature_names_out()
        except AttributeError:  # of a transformer without names
            known = None
    if known is None:
        return [f"x{place}" for place in range(cols)]
    return [str(name) for name in known]


def _deviations(transform: Any, X: Any, cols: int) -> Floats:
    """Return the standard deviation of each feature, as it reaches the weights."""
    seen = transform.transform(X) if transform is not None and len(transform) else X
    values = checked(seen, "top_weights")
    if values.shape[1] != cols:
        raise InputError(
            f"top_weights: X has {values.shape[1]} features where the model has {cols} weights. "
            "Give rows as model.predict takes them."
        )
    low, high = (_ends(values, end) for end in ("min", "max"))
    # By a power of two, so that no square overflows or vanishes, and nothing is rounded.
    scale = np.ldexp(1.0, np.clip(np.frexp(np.maximum(-low, high))[1], -1000, 1000))
    if is_sparse(values):
        scaled = values.astype(np.float64)
        scaled.data /= scale[scaled.indices]
        _, variance = mean_variance_axis(scaled, axis=0)
    else:
        variance = np.var(values / scale, axis=0, dtype=np.float64)
    # Rounding leaves a column of one value some 1e-17; it is to say nothing.
    return np.where(low == high, 0.0, np.sqrt(variance) * scale)


def _ends(values: Any, end: str) -> Floats:
    """Return the least or the largest value of each column."""
    found = getattr(values, end)(axis=0)
    found = found.toarray() if is_sparse(found) else found
    return np.asarray(found, dtype=np.float64).ravel()
