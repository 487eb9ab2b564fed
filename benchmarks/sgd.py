"""Stochastic gradient descent beside scikit-learn's: same loss, penalty, schedule and passes.

The orders of the rows differ, so that objectives and accuracies do a little; they are means over
three seeds. The objective is that of the weights at the end, on all rows; where a single walk is
too noisy to compare by it, the accuracy is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import linear_model

from benchmarks._benchmark import Benchmark, Contestant, Data, Made, Quality, Target
from benchmarks._data import Table, dense, shrunk, text
from inducer.linear import SGDClassifier, SGDRegressor

PASSES = 5
NOISE = 0.1
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


# ---- contestants ---------------------------------------------------------------------------------


def _fitting(name: str, learner: Callable[..., Any], **options: Any) -> Contestant:
    def work(data: Data, seed: int) -> Made:
        return learner(max_iter=PASSES, tol=None, random_state=seed, **options).fit(data.X, data.y)

    return Contestant(name, work)


# ---- quality -------------------------------------------------------------------------------------


def _right(data: Data, made: Made) -> float:
    return float(np.mean(made.predict(data.X) == data.y))


def _squares(data: Data, made: Made) -> float:
    return float(np.mean((made.predict(data.X) - data.y) ** 2))


def _log_loss(data: Data, made: Made) -> float:
    margin = np.where(data.y == 1, 1, -1) * made.decision_function(data.X)
    w = made.coef_
    return float(np.mean(np.logaddexp(0, -margin)) + made.alpha / 2 * np.sum(w * w))


ACCURACY = Quality("accuracy", _right, tolerance=0.005)
SQUARES = Quality("mean squared error", _squares, tolerance=0.001, better="lower")
LOG_LOSS = Quality("objective", _log_loss, tolerance=0.003, better="lower")


# ---- the races -----------------------------------------------------------------------------------


def _race(
    name: str,
    what: str,
    data: Callable[[float], Table],
    limit: float,
    quality: Quality = ACCURACY,
    threads: int = 1,
    **options: Any,
) -> Benchmark:
    """Return the benchmark of a classifier."""
    peers = {"n_jobs": threads} if threads > 1 else {}
    return Benchmark(
        name=name,
        what=f"SGDClassifier, {what}, {PASSES} passes",
        data=data,
        contestants=(
            _fitting("inducer", SGDClassifier, **options),
            _fitting("scikit-learn SGDClassifier", linear_model.SGDClassifier, **peers, **options),
        ),
        target=Target("faster", limit),
        quality=quality,
        threads=threads,
    )


_D64, _D32 = f"{ROWS:,} × {COLS} float64", f"{ROWS:,} × {COLS} float32"
_T64 = f"CSR {ROWS:,} × {VOCABULARY:,} float64, {WORDS} values a row"
_T32 = _T64.replace("float64", "float32")
_SMOOTH: dict[str, Any] = {"loss": "log_loss", "average": True}
_SLOW: dict[str, Any] = {"alpha": 1e-5}  # texts have many weights, and each is seldom seen

# Those that share data stand together: the last table made is kept.
BENCHMARKS = (
    _race("sgd-hinge-dense", f"hinge, {_D64}", _dense(), 6),
    _race("sgd-logistic-dense", f"logistic, {_D64}", _dense(), 6, loss="log_loss"),
    _race("sgd-averaged-dense", f"logistic, averaged, {_D64}", _dense(), 6, LOG_LOSS, **_SMOOTH),
    _race("sgd-l1-dense", f"hinge, l1, {_D64}", _dense(), 6, penalty="l1"),
    _race(
        "sgd-elastic-net-dense", f"hinge, elastic net, {_D64}", _dense(), 6, penalty="elasticnet"
    ),
    Benchmark(
        name="sgd-regressor-dense",
        what=f"SGDRegressor, labels as numbers, {_D64}, {PASSES} passes",
        data=_dense(),
        contestants=(
            _fitting("inducer", SGDRegressor),
            _fitting("scikit-learn SGDRegressor", linear_model.SGDRegressor),
        ),
        target=Target("faster", 6),
        quality=SQUARES,
    ),
    _race("sgd-hinge-dense-float32", f"hinge, {_D32}", _dense(np.float32), 6),
    _race("sgd-hinge-csr", f"hinge, {_T64}", _text(), 2.5, **_SLOW),
    _race("sgd-logistic-csr", f"logistic, {_T64}", _text(), 2.5, loss="log_loss", **_SLOW),
    _race("sgd-averaged-csr", f"hinge, averaged, {_T64}", _text(), 2.5, average=True, **_SLOW),
    _race("sgd-l1-csr", f"hinge, l1, {_T64}", _text(), 2.5, penalty="l1", **_SLOW),
    _race("sgd-hinge-csr-float32", f"hinge, {_T32}", _text(np.float32), 2.5, **_SLOW),
    _race(
        "sgd-ten-classes",
        f"logistic, ten classes one against the rest, {ROWS // 2:,} × {COLS} float64",
        _ten_classes,
        6,
        threads=2,
        loss="log_loss",
    ),
)
