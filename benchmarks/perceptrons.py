"""The perceptron beside scikit-learn's, with as many passes over the same rows.

The orders of the rows differ, so that accuracies do a little; they are means over three seeds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn import linear_model

from benchmarks._benchmark import Benchmark, Contestant, Data, Made, Quality, Target
from benchmarks._data import Table, dense, shrunk, text
from inducer.linear import Perceptron

PASSES = 5
NOISE = 0.1  # some 5 % of the rows are on the wrong side
ROWS, COLS = 200_000, 50
VOCABULARY, WORDS = 50_000, 75


# ---- data ----------------------------------------------------------------------------------------


def _dense(dtype: type = np.float64) -> Callable[[float], Table]:
    return lambda scale: dense(shrunk(ROWS, scale), COLS, noise=NOISE, dtype=dtype)


def _text(dtype: type = np.float64) -> Callable[[float], Table]:
    return lambda scale: text(
        shrunk(ROWS, scale),
        shrunk(VOCABULARY, scale, least=2 * WORDS),
        WORDS,
        noise=NOISE,
        dtype=dtype,
    )


def _ten_classes(scale: float) -> Table:
    return dense(shrunk(ROWS // 2, scale, least=500), COLS, noise=NOISE, classes=10)


def _small(scale: float) -> Table:
    return dense(shrunk(300, scale, least=100), 20, noise=NOISE)


class Fitted(NamedTuple):
    """Rows to predict, two learners with the same weights, and what these weights say."""

    X: Any
    ours: Any
    peer: Any
    expected: NDArray[Any]


def _fitted(table: Callable[[float], Table]) -> Callable[[float], Fitted]:
    """Return a maker of fitted learners from a maker of tables."""

    def make(scale: float) -> Fitted:
        X, y = table(scale)
        ours = Perceptron(max_iter=1, tol=None, random_state=0).fit(X, y)
        peer = linear_model.Perceptron(max_iter=1, tol=None).fit(X[:100], y[:100])
        peer.coef_, peer.intercept_ = ours.coef_, ours.intercept_
        return Fitted(X, ours, peer, peer.predict(X))

    return make


# ---- contestants ---------------------------------------------------------------------------------


def _ours(average: bool = False, name: str = "inducer") -> Contestant:
    def work(data: Data, seed: int) -> Made:
        learner = Perceptron(average=average, max_iter=PASSES, tol=None, random_state=seed)
        return learner.fit(data.X, data.y)

    return Contestant(name, work)


def _peer(n_jobs: int | None = None) -> Contestant:
    def work(data: Data, seed: int) -> Made:
        learner = linear_model.Perceptron(
            max_iter=PASSES, tol=None, n_jobs=n_jobs, random_state=seed
        )
        return learner.fit(data.X, data.y)

    return Contestant("scikit-learn Perceptron", work)


def _averaging_peer() -> Contestant:
    def work(data: Data, seed: int) -> Made:
        learner = linear_model.SGDClassifier(
            loss="perceptron",
            average=True,
            learning_rate="constant",
            eta0=1.0,
            penalty=None,
            max_iter=PASSES,
            tol=None,
            random_state=seed,
        )
        return learner.fit(data.X, data.y)

    return Contestant("scikit-learn SGDClassifier(average=True)", work)


def _in_chunks(name: str, make: Callable[[int], Any], rows: int = 10_000) -> Contestant:
    """Return a contestant that learns from so many rows at a time."""

    def work(data: Data, seed: int) -> Made:
        learner, classes = make(seed), np.array([0, 1])
        for begin in range(0, len(data.y), rows):
            chunk = slice(begin, begin + rows)
            learner.partial_fit(data.X[chunk], data.y[chunk], classes=classes)
        return learner

    return Contestant(name, work)


# ---- quality -------------------------------------------------------------------------------------


def _right(data: Data, made: Made) -> float:
    return float(np.mean(made.predict(data.X) == data.y))


def _as_expected(data: Data, made: Made) -> float:
    return float(np.mean(made == data.expected))


ACCURACY = Quality("accuracy", _right, tolerance=0.005)
EXACT = Quality("share of equal labels", _as_expected, tolerance=0.0)

# ---- the races -----------------------------------------------------------------------------------


def _race(
    name: str, what: str, data: Callable[[float], Table], limit: float, average: bool, threads: int
) -> Benchmark:
    """Return the benchmark of a fit of two classes."""
    return Benchmark(
        name=name,
        what=f"{'averaged ' if average else ''}perceptron, {what}, {PASSES} passes",
        data=data,
        contestants=(_ours(average), _averaging_peer() if average else _peer()),
        target=Target("faster", limit),
        quality=ACCURACY,
        threads=threads,
    )


def _cost(name: str, what: str, data: Callable[[float], Table], limit: float) -> Benchmark:
    """Return the benchmark of averaging beside the plain perceptron, both ours."""
    return Benchmark(
        name=name,
        what=f"cost of averaging, {what}",
        data=data,
        contestants=(_ours(average=True, name="averaged"), _ours(name="plain")),
        target=Target("cost", limit),
        quality=ACCURACY,
    )


def _prediction(name: str, what: str, data: Callable[[float], Table], threads: int) -> Benchmark:
    """Return the benchmark of `predict` with the same weights."""
    return Benchmark(
        name=name,
        what=f"predict, {what}",
        data=_fitted(data),
        contestants=(
            Contestant("inducer", lambda data, _: data.ours.predict(data.X)),
            Contestant("scikit-learn Perceptron", lambda data, _: data.peer.predict(data.X)),
        ),
        target=Target("faster", 1),
        quality=EXACT,
        threads=threads,
    )


_D64, _D32 = f"{ROWS:,} × {COLS} float64", f"{ROWS:,} × {COLS} float32"
_T64 = f"CSR {ROWS:,} × {VOCABULARY:,} float64, {WORDS} values a row"
_T32 = _T64.replace("float64", "float32")

# Those that share data stand together: the last table made is kept.
BENCHMARKS = (
    _race("perceptron-dense", _D64, _dense(), 7, average=False, threads=2),
    _race("perceptron-averaged-dense", _D64, _dense(), 7, average=True, threads=2),
    _cost("averaging-cost-dense", _D64, _dense(), 1.3),
    _prediction("perceptron-predict-dense", _D64, _dense(), threads=2),
    Benchmark(
        name="perceptron-partial-fit",
        what=f"perceptron, {_D64}, partial_fit of 10,000 rows at a time",
        data=_dense(),
        contestants=(
            _in_chunks("inducer", lambda seed: Perceptron(random_state=seed)),
            _in_chunks(
                "scikit-learn Perceptron",
                lambda seed: linear_model.Perceptron(random_state=seed),
            ),
        ),
        target=Target("faster", 1),
        quality=ACCURACY,
        threads=2,
    ),
    _race("perceptron-dense-float32", _D32, _dense(np.float32), 7, average=False, threads=2),
    _race(
        "perceptron-averaged-dense-float32", _D32, _dense(np.float32), 7, average=True, threads=2
    ),
    _race("perceptron-csr", _T64, _text(), 2.5, average=False, threads=1),
    _race("perceptron-averaged-csr", _T64, _text(), 2.5, average=True, threads=1),
    _cost("averaging-cost-csr", _T64, _text(), 1.5),
    _prediction("perceptron-predict-csr", _T64, _text(), threads=1),
    _race("perceptron-csr-float32", _T32, _text(np.float32), 2.5, average=False, threads=1),
    _race("perceptron-averaged-csr-float32", _T32, _text(np.float32), 2.5, average=True, threads=1),
    Benchmark(
        name="perceptron-ten-classes",
        what=f"perceptron, ten classes one against the rest, {ROWS // 2:,} × {COLS} float64, "
        f"{PASSES} passes",
        data=_ten_classes,
        contestants=(_ours(), _peer(n_jobs=2)),
        target=Target("faster", 7),
        quality=ACCURACY,
        threads=2,
    ),
    Benchmark(
        name="perceptron-small",
        what=f"perceptron, 300 × 20 float64, {PASSES} passes: what a fit costs beside its work",
        data=_small,
        contestants=(_ours(), _peer()),
        target=Target("faster", 1),
        quality=Quality("accuracy", _right, tolerance=0.02),  # six rows of three hundred
    ),
)
