"""The gate for ``cv``: what scikit-learn takes for it, as folds that can be fitted and judged."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from inducer.base.arrays import Array, Matrix
from inducer.base.errors import InputError
from inducer.base.params import Domain

Rows = NDArray[np.intp]


class Folds(Domain):
    """What scikit-learn takes for ``cv``: a number of folds, a splitter, or the folds."""

    def constraints(self) -> list[Any]:
        """Return the domain in scikit-learn's words."""
        return ["cv_object"]


def checked_folds(
    cv: Any,
    matrix: Matrix,
    y: Array,
    weights: NDArray[np.float64] | None,
    *,
    stratified: bool = False,
) -> list[tuple[Rows, Rows]]:
    """Return the rows to fit on and the rows held out, for each fold; five folds by default.

    Both are places of rows, some of which weigh something.
    """
    rows = matrix.X.shape[0]
    try:
        splits = list(
            check_cv(5 if cv is None else cv, y, classifier=stratified).split(matrix.X, y)
        )
        pairs = [(kept, held) for kept, held in splits]
    except (ValueError, TypeError, IndexError) as error:
        raise InputError(f"cv: {error}") from None
    if not pairs:
        raise InputError("cv: there are no folds. Give some, or a number of them.")
    folds = []
    for fold, (kept, held) in enumerate(pairs):
        both = _places(kept, rows, fold), _places(held, rows, fold)
        for part, words in zip(both, ("to fit on", "held out"), strict=True):
            if not len(part):
                raise InputError(f"cv: fold {fold} has no rows {words}. Take fewer folds.")
            if weights is not None and not np.any(weights[part] > 0):
                raise InputError(
                    f"cv: the rows {words} in fold {fold} weigh nothing. Leave out the rows of "
                    "weight zero, or shuffle: KFold(5, shuffle=True)."
                )
        folds.append(both)
    return folds


def _places(given: Any, rows: int, fold: int) -> Rows:
    """Return rows as their places, counted from 0; a mask of them is one too."""
    array = np.asarray(given)
    if array.dtype == bool and array.shape == (rows,):
        return np.flatnonzero(array)
    if array.ndim != 1 or (array.dtype.kind not in "iu" and array.size):
        raise InputError(
            f"cv: fold {fold} is no two lists of the numbers of rows, or masks of all {rows} of "
            "them."
        )
    places = array.astype(np.intp)
    outside = (places < -rows) | (places >= rows)
    if np.any(outside):
        raise InputError(
            f"cv: fold {fold} names row {int(places[np.argmax(outside)])}, and there are {rows}."
        )
    return np.where(places < 0, places + rows, places)
