"""Seeded tables to time learners on. The last few are kept, since benchmarks share them.

`scale` shrinks the rows (and the vocabulary of a text) so that tests can run a benchmark at once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import make_classification

SEED = 20_261_119


class Table(NamedTuple):
    """Rows and their labels."""

    X: Any
    y: NDArray[Any]


def shrunk(size: int, scale: float, least: int = 50) -> int:
    """Return a size times the scale, but no less than `least` (or the size itself)."""
    return max(min(size, least), round(size * scale))


@lru_cache(maxsize=1)
def dense(
    rows: int, cols: int, *, noise: float, classes: int = 2, dtype: type = np.float64
) -> Table:
    """Return Gaussian rows, labelled by the largest of `classes` linear scores.

    Parameters
    ----------
    rows, cols : int
    noise : float
        Standard deviation of what is added to the scores, which have one of 1.
    classes : int
    dtype : type
        Of the rows: float64 or float32.
    """
    random = np.random.default_rng(SEED)
    X = random.standard_normal((rows, cols), dtype)
    weights = random.standard_normal((cols, classes)) / np.sqrt(cols)
    scores = X @ weights + noise * random.standard_normal((rows, classes))
    return Table(X, np.argmax(scores, axis=1))


@lru_cache(maxsize=1)
def correlated(rows: int, cols: int) -> Table:
    """Return scikit-learn's `make_classification`: twenty columns that inform, all correlated.

    The tables above have columns that are nearly independent, which is easy for any method that
    takes one column at a time. Measured tables are seldom like that.

    Parameters
    ----------
    rows, cols : int
    """
    used = min(20, cols // 2)
    X, y = make_classification(rows, cols, n_informative=used, random_state=SEED)
    return Table(np.ascontiguousarray(X), y)


@lru_cache(maxsize=1)
def text(rows: int, cols: int, words: int, *, noise: float, dtype: type = np.float64) -> Table:
    """Return rows like those of a tf-idf table: a CSR matrix of texts with two subjects.

    Every text has exactly `words` different words. How often a word is used falls with its rank as
    Zipf found; the ranks are scattered over the columns, as an alphabetical vocabulary has them.
    Values are the logarithm of a count, plus one, times an inverse document frequency.

    The rows are not scaled to length 1. Then the steps of the intercept, which are 1, would dwarf
    those of the weights; scikit-learn damps them a hundredfold on sparse rows and we do not, so
    that the race would be one of intercepts.

    Parameters
    ----------
    rows, cols, words : int
        Texts, words of the vocabulary, words of a text.
    noise : float
        Standard deviation of what is added to the scores, which have one of 1.
    dtype : type
        Of the values: float64 or float32. The indices are int32, and sorted.
    """
    random = np.random.default_rng(SEED)
    ranks = _zipf(random, (rows, words), cols - words + 1)
    ranks.sort(axis=1)
    ranks += np.arange(words, dtype=np.int32)  # rising ranks become strictly rising ones
    used = np.bincount(ranks.ravel(), minlength=cols)
    rarity = np.log((1 + rows) / (1 + used)) + 1
    columns = random.permutation(cols).astype(np.int32)  # of the ranks
    rarity_of_column = np.empty(cols)
    rarity_of_column[columns] = rarity
    indices = columns[ranks]
    indices.sort(axis=1)
    counts = random.geometric(0.7, size=(rows, words))
    values = (1 + np.log(counts)) * rarity_of_column[indices]
    pointers = np.arange(rows + 1, dtype=np.int32) * np.int32(words)
    X = sparse.csr_matrix(
        (values.ravel().astype(dtype, copy=False), indices.ravel(), pointers), shape=(rows, cols)
    )
    X.has_sorted_indices = X.has_canonical_format = True
    scores = X @ random.standard_normal(cols)
    scores += noise * np.std(scores) * random.standard_normal(rows)
    return Table(X, (scores > np.median(scores)).astype(np.int64))


def _zipf(random: np.random.Generator, shape: tuple[int, int], ranks: int) -> NDArray[np.int32]:
    """Return draws of ranks 0, 1, ...; the share of a rank falls as 1 / (rank + 2.7).

    The inverse of the continuous distribution function needs no table to search.
    """
    shift = 2.7
    grown = np.power((ranks + shift) / shift, random.random(shape))
    return np.minimum(shift * (grown - 1), ranks - 1).astype(np.int32)


@lru_cache(maxsize=1)
def separable(rows: int, cols: int, *, gap: float) -> Table:
    """Return Gaussian rows of two classes, moved apart until a plane has a margin of `gap`."""
    random = np.random.default_rng(SEED)
    X = random.standard_normal((rows, cols))
    normal = random.standard_normal(cols)
    normal /= np.linalg.norm(normal)
    y = X @ normal > 0
    X += gap * np.where(y, 1.0, -1.0)[:, None] * normal
    return Table(X, y.astype(np.int64))
