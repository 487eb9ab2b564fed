"""Online learners beside scikit-learn's passive-aggressive one, over the same rows.

Its `PassiveAggressiveClassifier` is deprecated, and is `SGDClassifier(learning_rate="pa1")`, which
is what runs here. Without an intercept and in the order of the rows both make the same weights;
with shuffled rows the orders differ, and accuracies a little.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.linear_model import SGDClassifier

from benchmarks._benchmark import Benchmark, Contestant, Data, Made, Quality, Target
from benchmarks._data import Table, dense, shrunk, text
from inducer.online import FollowTheLeader, PassiveAggressive

PASSES = 5
NOISE = 0.1
C = 0.01
ROWS, COLS = 200_000, 50
VOCABULARY, WORDS = 50_000, 75


def _dense(scale: float) -> Table:
    return dense(shrunk(ROWS, scale), COLS, noise=NOISE, dtype=np.float64)


def _text(scale: float) -> Table:
    columns = shrunk(VOCABULARY, scale, least=2 * WORDS)
    return text(shrunk(ROWS, scale), columns, WORDS, noise=NOISE, dtype=np.float64)


def _ours(seed: int, **params: Any) -> PassiveAggressive:
    params = {"C": C, "max_iter": PASSES, "tol": None, "random_state": seed, **params}
    return PassiveAggressive(**params)


def _peer(seed: int, **params: Any) -> SGDClassifier:
    return SGDClassifier(
        loss="hinge", penalty=None, learning_rate="pa1", eta0=C, max_iter=PASSES, tol=None,
        random_state=seed, **params,
    )  # fmt: skip


def _fit(name: str, make: Callable[..., Any], **params: Any) -> Contestant:
    return Contestant(name, lambda data, seed: make(seed, **params).fit(data.X, data.y))


def _in_chunks(name: str, make: Callable[[int], Any], rows: int = 10_000) -> Contestant:
    """Return a contestant that learns from so many rows at a time."""

    def work(data: Data, seed: int) -> Made:
        learner, classes = make(seed), np.array([0, 1])
        for begin in range(0, len(data.y), rows):
            chunk = slice(begin, begin + rows)
            learner.partial_fit(data.X[chunk], data.y[chunk], classes=classes)
        return learner

    return Contestant(name, work)


def _right(data: Data, made: Made) -> float:
    return float(np.mean(made.predict(data.X) == data.y))


ACCURACY = Quality("accuracy", _right, tolerance=0.005)
# The last weights of a walk that never settles: accuracies of single walks differ by some percent.
AVERAGED = {"average": True}

_D64 = f"{ROWS:,} × {COLS} float64"
_T64 = f"CSR {ROWS:,} × {VOCABULARY:,} float64, {WORDS} values a row"


def _races(name: str, what: str, data: Callable[[float], Table], limit: float) -> list[Benchmark]:
    return [
        Benchmark(
            name=f"passive-aggressive-{name}",
            what=f"passive-aggressive, averaged, {what}, {PASSES} passes",
            data=data,
            contestants=(
                _fit("inducer", _ours, **AVERAGED),
                _fit("scikit-learn pa1", _peer, **AVERAGED),
            ),
            target=Target("faster", limit),
            quality=ACCURACY,
        ),
        Benchmark(
            name=f"passive-aggressive-stream-{name}",
            what=f"passive-aggressive, averaged, {what}, partial_fit of 10,000 rows at a time",
            data=data,
            contestants=(
                _in_chunks("inducer", lambda seed: _ours(seed, **AVERAGED)),
                _in_chunks("scikit-learn pa1", lambda seed: _peer(seed, **AVERAGED)),
            ),
            target=Target("faster", 1),
            quality=ACCURACY,
        ),
        Benchmark(
            name=f"follow-the-leader-stream-{name}",
            what=f"logistic FTRL beside plain SGD, {what}, partial_fit of 10,000 rows at a time",
            data=data,
            contestants=(
                _in_chunks("inducer", lambda seed: FollowTheLeader(random_state=seed)),
                _in_chunks(
                    "scikit-learn SGDClassifier",
                    lambda seed: SGDClassifier(loss="log_loss", random_state=seed),
                ),
            ),
            # A rate for each weight: a root and a quotient a cell, which the other does without.
            target=Target("cost", 2),
            quality=Quality("accuracy", _right, tolerance=0.02),
        ),
    ]


# Those that share data stand together: the last table made is kept.
BENCHMARKS = (*_races("dense", _D64, _dense, 4), *_races("csr", _T64, _text, 2))
