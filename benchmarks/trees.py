"""Decision trees beside scikit-learn's: full depth and shallow, judged on fresh rows."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import sklearn.tree
from sklearn.datasets import make_classification

from benchmarks._benchmark import Benchmark, Contestant, Data, Made, Quality, Target
from benchmarks._data import shrunk
from inducer.trees import DecisionTreeClassifier

ROWS, COLS, FRESH = 200_000, 50, 50_000


class Split(NamedTuple):
    """Rows to learn from, and fresh ones."""

    X: Any
    y: Any
    X_fresh: Any
    y_fresh: Any


@lru_cache(maxsize=1)
def _made(scale: float) -> Split:
    rows, fresh = shrunk(ROWS, scale, least=1000), shrunk(FRESH, scale, least=1000)
    X, y = make_classification(rows + fresh, COLS, n_informative=10, flip_y=0.05, random_state=0)
    return Split(X[:rows], y[:rows], X[rows:], y[rows:])


def _accuracy(data: Data, made: Made) -> float:
    return float(made.score(data.X_fresh, data.y_fresh))


# Two standard errors of an accuracy of 0.9 on 50,000 rows.
ACCURACY = Quality("accuracy on fresh rows", _accuracy, tolerance=0.0027)


def _race(name: str, what: str, max_depth: int | None) -> Benchmark:
    def ours(data: Data, seed: int) -> Made:
        return DecisionTreeClassifier(max_depth=max_depth, random_state=seed).fit(data.X, data.y)

    def theirs(data: Data, seed: int) -> Made:
        peer = sklearn.tree.DecisionTreeClassifier(max_depth=max_depth, random_state=seed)
        return peer.fit(data.X, data.y)

    return Benchmark(
        name=name,
        what=f"tree, {what}, exact splits, 200,000 × 50 float64",
        data=_made,
        contestants=(Contestant("inducer", ours), Contestant("scikit-learn", theirs)),
        target=Target("faster", 20),
        quality=ACCURACY,
        threads=2,
        seconds=60,
    )


BENCHMARKS = (
    _race("tree-full", "full depth", None),
    _race("tree-shallow", "depth 5", 5),
)
