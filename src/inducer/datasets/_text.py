"""Sparse counts that look like text: a few words in most documents, most words in few."""

from __future__ import annotations

from itertools import count, islice, product
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from inducer.base.params import Int, Real, Seed
from inducer.datasets._result import bunch, checked, deal, generator

CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"


@checked(
    n_samples=Int(1),
    n_features=Int(1, 2**31 - 1),
    n_classes=Int(1),
    length=Real(0, closed="()"),
    exponent=Real(0),
    contrast=Real(0),
    random_state=Seed(),
)
def text(
    n_samples: int = 1000,
    *,
    n_features: int = 5000,
    n_classes: int = 2,
    length: float = 75,
    exponent: float = 1.0,
    contrast: float = 0.5,
    random_state: Any = None,
    return_X_y: bool = False,
) -> Any:
    """Return word counts of made-up documents in sparse rows, and the classes of the documents.

    The r-th word of the vocabulary is drawn in proportion to (r + 2.7)^-exponent, which is how
    words of real texts are spread (Zipf's law). Each class likes and dislikes words of its own:
    it multiplies the proportions by exp(contrast * z) with z standard normal.

    Parameters
    ----------
    n_samples : int
        Number of documents.
    n_features : int
        Number of words in the vocabulary.
    n_classes : int
        Number of classes, with as many documents of each as can be.
    length : float
        Mean number of words in a document (Poisson, at least one).
    exponent : float
        How fast words become rare; 0 makes all as frequent.
    contrast : float
        How much the classes differ; 0 makes them alike.
    random_state : int, Generator, RandomState or None
        Where the random numbers start: the same integer gives the same documents.
    return_X_y : bool
        Return only the counts and the classes; the frame, which has the documents as strings, is
        not made then.

    Returns
    -------
    Bunch or pair
        ``data`` is a CSR matrix of float64 counts, its columns in order; ``feature_names`` are the
        words; ``frame`` has the columns text and target.

    Examples
    --------
    >>> from inducer.datasets import text
    >>> documents = text(3, n_features=50, length=6, random_state=0)
    >>> documents.data.shape
    (3, 50)
    >>> documents.frame["text"].str.split(" ").list.len().to_list() == (
    ...     documents.data.sum(axis=1).ravel().astype(int).tolist()
    ... )
    True
    """
    rng = generator(random_state)
    y = deal(rng, n_samples, n_classes)
    lengths = np.maximum(rng.poisson(length, n_samples), 1)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    starts = starts.astype(np.int32 if starts[-1] <= np.iinfo(np.int32).max else np.int64)
    drawn = np.empty(starts[-1], dtype=starts.dtype)
    common = -exponent * np.log(np.arange(n_features) + 3.7)
    class_of_word = np.repeat(y, lengths)
    for label in range(n_classes):
        taste = contrast * rng.standard_normal(n_features)
        places = np.flatnonzero(class_of_word == label)
        drawn[places] = _draw(rng, common + taste, len(places))
    shape = (n_samples, n_features)
    X = sparse.csr_array((np.ones(len(drawn)), drawn, starts), shape=shape)
    if return_X_y:
        return _counted(X), y
    words = _vocabulary(n_features)
    documents = pl.DataFrame({"row": np.repeat(np.arange(n_samples), lengths), "word": drawn})
    texts = (
        documents.with_columns(text=pl.Series(words).gather(documents["word"]))
        .group_by("row", maintain_order=True)
        .agg(pl.col("text").str.join(" "))
    )
    return bunch(
        text,
        names=words,
        target_column="target",
        frame=texts.select("text", target=pl.Series(y)),
        data=_counted(X),
        target=y,
    )


def _draw(rng: np.random.Generator, log_shares: NDArray[np.float64], n: int) -> NDArray[np.intp]:
    """Return n words drawn in proportion to the exponentials of the numbers given."""
    edges = np.cumsum(np.exp(log_shares - log_shares.max()))
    places: NDArray[np.intp] = np.searchsorted(edges, rng.random(n) * edges[-1], side="right")
    places[places == len(edges)] = len(edges) - 1  # a product may round up to the last edge
    return places


def _counted(X: Any) -> Any:
    """Return the matrix with repeated columns of a row added up, in order."""
    X.sum_duplicates()
    return X


def _vocabulary(n: int) -> list[str]:
    """Return n different words, short ones first: ba, be, ..., zu, baba, babe, ..."""
    syllables = [c + v for c in CONSONANTS for v in VOWELS]
    words = ("".join(parts) for size in count(1) for parts in product(syllables, repeat=size))
    return list(islice(words, n))
