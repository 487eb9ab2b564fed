"""The examples that the transcriptions and the learners are run on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

LAYOUTS = ("integers", "float64", "float32", "fortran", "csr float64", "csr float32", "csr int64")


def examples(layout: str, classes: int = 2, rows: int = 40, cols: int = 41) -> tuple[Any, Any]:
    """Return noisy rows and their codes; 41 columns are more than fill the lanes of any sum."""
    rng = np.random.default_rng(cols * 100 + classes)
    X: Any = rng.normal(size=(rows, cols))
    teacher = rng.normal(size=(cols, classes))
    codes = np.argmax(X @ teacher + 4 * rng.normal(size=(rows, classes)), axis=1)
    codes[:classes] = np.arange(classes)
    if layout == "integers":
        X = np.round(3 * X)
    if layout.startswith("csr"):
        X[rng.random(X.shape) < 0.4] = 0
        X[3] = 0  # a row without cells
        X = sparse.csr_array(X)
        if layout.endswith("int64"):
            X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    if layout.endswith("32"):
        X = X.astype(np.float32)
    if layout == "fortran":
        X = np.asfortranarray(X)
    return X, codes


def row_weights(rows: int = 40) -> NDArray[np.float64]:
    """Return weights with zeros among them."""
    rng = np.random.default_rng(5)
    weights = rng.exponential(size=rows)
    weights[rng.random(rows) < 0.2] = 0
    return weights


def signs(codes: Any, positive: int = 1) -> NDArray[np.float64]:
    """Return +1 for the positive code and -1 for the rest."""
    return np.where(codes == positive, 1.0, -1.0)
