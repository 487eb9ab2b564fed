"""`LinearClassifier` and `LinearRegressor` beside scikit-learn's learners of one loss.

Ours know nothing of the loss but its kernel. Each is judged by the objective that both minimise,
and both are asked to be as exact as they may.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import linear_model

from benchmarks._benchmark import Benchmark, Contestant, Data, Made, Quality, Target
from benchmarks._data import Table, dense, shrunk
from inducer.linear import LinearClassifier, LinearRegressor

ROWS, COLS = 200_000, 50
ALPHA = 1e-4


def _classes(scale: float) -> Table:
    return dense(shrunk(ROWS, scale, least=500), COLS, noise=0.5)


def _counts(scale: float) -> Table:
    """Return the same rows, and counts whose logarithms are about linear in them."""
    X = _classes(scale).X
    random = np.random.default_rng(1)
    w = random.standard_normal(COLS) / np.sqrt(COLS)
    return Table(X, random.poisson(np.exp(X @ w)).astype(np.float64))


def _scores(data: Data, made: Made) -> Any:
    return data.X @ np.ravel(np.asarray(made.coef_, np.float64)) + np.ravel(made.intercept_)


def _penalty(made: Made) -> float:
    return ALPHA / 2 * float(np.sum(np.square(made.coef_, dtype=np.float64)))


def _logistic(data: Data, made: Made) -> float:
    signs = np.where(data.y == made.classes_[1], 1.0, -1.0)
    return float(np.mean(np.logaddexp(0, -signs * _scores(data, made)))) + _penalty(made)


def _poisson(data: Data, made: Made) -> float:
    z = _scores(data, made)
    return float(np.mean(np.exp(z) - data.y * z)) + _penalty(made)


def _race(
    name: str, what: str, data: Any, ours: Any, peers: dict[str, Any], objective: Any, limit: float
) -> Benchmark:
    def fit(label: str, make: Any) -> Contestant:
        return Contestant(label, lambda table, _: make().fit(table.X, table.y))

    return Benchmark(
        name=name,
        what=f"{what}, {ROWS:,} × {COLS} float64",
        data=data,
        contestants=(fit("inducer", ours), *(fit(*peer) for peer in peers.items())),
        target=Target("faster", limit),
        # A ten-thousandth of objectives of some tenths, the mean over the rows.
        quality=Quality("objective per row", objective, tolerance=3e-5, better="lower"),
        threads=2,
    )


def _logistic_peer(solver: str) -> Any:
    # C for the sum over the rows; their number is known when there are some.
    class Peer(linear_model.LogisticRegression):  # type: ignore[misc]
        def fit(self, X: Any, y: Any) -> Any:
            self.C = 1 / (ALPHA * len(X))
            return super().fit(X, y)

    return lambda: Peer(solver=solver, max_iter=1000)


def _poisson_peer(solver: str) -> Any:
    return lambda: linear_model.PoissonRegressor(alpha=ALPHA, solver=solver, max_iter=1000)


SOLVERS = ("lbfgs", "newton-cholesky")
BENCHMARKS = (
    _race(
        "any-loss-logistic",
        "LinearClassifier('logistic')",
        _classes,
        lambda: LinearClassifier("logistic", alpha=ALPHA),
        {
            f"scikit-learn LogisticRegression(solver={solver!r})": _logistic_peer(solver)
            for solver in SOLVERS
        },
        _logistic,
        2,
    ),
    _race(
        "any-loss-poisson",
        "LinearRegressor('poisson')",
        _counts,
        lambda: LinearRegressor("poisson", alpha=ALPHA),
        {
            f"scikit-learn PoissonRegressor(solver={solver!r})": _poisson_peer(solver)
            for solver in SOLVERS
        },
        _poisson,
        2,
    ),
)
