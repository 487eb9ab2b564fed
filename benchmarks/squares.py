"""Least squares, ridge regression, the lasso and the elastic net beside scikit-learn's.

Objectives are compared, not sweeps: ours may be worse by the gap that both are allowed, ``tol``
times the variance of y.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import linear_model

from benchmarks._benchmark import Benchmark, Contestant, Data, Made, Quality, Target
from benchmarks._data import SEED, Table, correlated, shrunk
from inducer.linear import ElasticNet, Lasso, LeastSquares, Ridge

ALPHA = 0.001
PATH = 100
RIDGES = np.logspace(-3, 5, 50)


# ---- data ----------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _numbers(rows: int, cols: int, used: int) -> Table:
    """Return Gaussian rows, neighbouring columns correlated, and a sparse sum with noise of 1."""
    random = np.random.default_rng(SEED)
    X = random.standard_normal((rows, cols))
    X[:, 1:] += 0.5 * X[:, :-1]
    w = np.zeros(cols)
    w[random.permutation(cols)[:used]] = random.standard_normal(used)
    return Table(X, X @ w + random.standard_normal(rows))


@lru_cache(maxsize=1)
def _cells(rows: int, cols: int, cells: int) -> Table:
    """Return sparse rows whose first columns are the most used, and numbers to predict."""
    random = np.random.default_rng(SEED)
    columns = np.sort((random.random((rows, cells)) ** 2 * cols).astype(np.int32), axis=1)
    pointers = np.arange(rows + 1) * cells
    values = random.standard_normal(rows * cells)
    X = sparse.csr_matrix((values, columns.ravel(), pointers), shape=(rows, cols))
    X.sum_duplicates()
    w = np.zeros(cols)
    w[: cols // 25 : 10] = random.standard_normal(len(w[: cols // 25 : 10]))
    return Table(X, X @ w + random.standard_normal(rows))


def _tall(scale: float) -> Table:
    return _numbers(shrunk(200_000, scale, least=500), 50, 25)


def _correlated(scale: float) -> Table:
    X, y = correlated(shrunk(200_000, scale, least=500), 50)
    return Table(X, y.astype(np.float64))


def _square(scale: float) -> Table:
    return _numbers(shrunk(20_000, scale, least=300), shrunk(2_000, scale, least=150), 50)


def _wide(scale: float) -> Table:
    return _numbers(shrunk(2_000, scale, least=100), shrunk(20_000, scale, least=450), 50)


def _sparse(scale: float) -> Table:
    return _cells(shrunk(200_000, scale, least=500), shrunk(50_000, scale, least=500), 75)


# ---- quality -------------------------------------------------------------------------------------


def _net_objective(alpha: float, ratio: float) -> Quality:
    """Return the objective above that of zero weights, as a share of the variance of y."""

    def score(data: Data, made: Made) -> float:
        r = data.y - made.predict(data.X)
        w = made.coef_
        penalty = alpha * (ratio * np.abs(w).sum() + (1 - ratio) / 2 * (w @ w))
        return float((np.mean(r * r) / 2 + penalty) / np.var(data.y))

    return Quality("objective by the variance", score, tolerance=1e-4, better="lower")


def _path_objective(data: Data, made: Made) -> float:
    """Return the mean objective over a lasso path, by the variance of y."""
    alphas, coefs = made
    centred = data.y - data.y.mean()
    means = data.X.mean(axis=0)
    total = 0.0
    for k in range(0, len(alphas), 10):
        w = coefs[:, k]
        r = centred - (data.X @ w - means @ w)
        total += float(np.mean(r * r) / 2 + alphas[k] * np.abs(w).sum())
    return total / len(range(0, len(alphas), 10)) / float(np.var(data.y))


def _ridge_error(data: Data, made: Made) -> float:
    """Return the mean objective over the alphas of a ridge path, by the variance of y."""
    coefs, offsets = made
    total = 0.0
    for alpha, w, b in zip(RIDGES[::10], coefs[::10], offsets[::10], strict=True):
        r = data.y - data.X @ w - b
        total += float(r @ r + alpha * (w @ w))
    return total / len(RIDGES[::10]) / len(data.y) / float(np.var(data.y))


def _squares(data: Data, made: Made) -> float:
    return float(np.mean((data.y - made.predict(data.X)) ** 2))


def _ridge_objective(data: Data, made: Made) -> float:
    r = data.y - made.predict(data.X)
    return float((r @ r + made.coef_ @ made.coef_) / (len(r) * np.var(data.y)))


PATHS = Quality("mean objective by the variance", _path_objective, 1e-4, "lower")
RIDGE_PATHS = Quality("mean objective by the variance", _ridge_error, 1e-9, "lower")
SQUARES = Quality("mean of squares", _squares, 1e-9, "lower")
RIDGE = Quality("objective by the variance", _ridge_objective, 1e-6, "lower")


# ---- contestants ---------------------------------------------------------------------------------


def _fit(name: str, make: Callable[[], Any]) -> Contestant:
    return Contestant(name, lambda data, _: make().fit(data.X, data.y))


def _our_path(data: Data, _: int) -> tuple[NDArray[Any], NDArray[Any]]:
    return Lasso(alphas=PATH).path(data.X, data.y)[:2]


def _peer_path(data: Data, _: int) -> tuple[NDArray[Any], NDArray[Any]]:
    alphas, coefs, _gaps = linear_model.lasso_path(
        data.X - data.X.mean(axis=0), data.y - data.y.mean(), alphas=PATH
    )
    return alphas, coefs


def _short_path(data: Data, _: int) -> tuple[NDArray[Any], NDArray[Any]]:
    return Lasso(alphas=PATH, eps=0.05).path(data.X, data.y)[:2]


def _peer_short_path(data: Data, _: int) -> tuple[NDArray[Any], NDArray[Any]]:
    centred = np.asfortranarray(data.X - data.X.mean(axis=0))
    alphas, coefs, _gaps = linear_model.lasso_path(
        centred, data.y - data.y.mean(), alphas=PATH, eps=0.05
    )
    return alphas, coefs


def _refitted(data: Data, _: int) -> tuple[NDArray[Any], NDArray[Any]]:
    models = [linear_model.Ridge(alpha=alpha).fit(data.X, data.y) for alpha in RIDGES]
    return np.array([m.coef_ for m in models]), np.array([m.intercept_ for m in models])


# ---- the races -----------------------------------------------------------------------------------


def _net(name: str, what: str, data: Any, alpha: float, ratio: float, limit: float) -> Benchmark:
    """Return the benchmark of one elastic net beside scikit-learn's default."""
    return Benchmark(
        name=name,
        what=f"{'lasso' if ratio == 1 else 'elastic net'}, alpha={alpha}, {what}",
        data=data,
        contestants=(
            _fit("inducer", lambda: ElasticNet(alpha=alpha, l1_ratio=ratio)),
            _fit("scikit-learn", lambda: linear_model.ElasticNet(alpha=alpha, l1_ratio=ratio)),
        ),
        target=Target("faster", limit),
        quality=_net_objective(alpha, ratio),
        threads=2,
    )


def _path(name: str, what: str, data: Any) -> Benchmark:
    """Return the benchmark of a whole lasso path."""
    return Benchmark(
        name=name,
        what=f"lasso path of {PATH} alphas, {what}",
        data=data,
        contestants=(
            Contestant("inducer", _our_path),
            Contestant("scikit-learn lasso_path", _peer_path),
        ),
        target=Target("faster", 5),
        quality=PATHS,
        threads=2,
    )


_CORRELATED = "200,000 × 50 float64, columns correlated"
_TALL, _SQUARE, _WIDE = "200,000 × 50 float64", "20,000 × 2,000 float64", "2,000 × 20,000 float64"
_SPARSE = "CSR 200,000 × 50,000 float64, 75 values a row"

BENCHMARKS = (
    _net("lasso-dense", _TALL, _tall, ALPHA, 1.0, 50),
    _net("elastic-net-dense", _TALL, _tall, ALPHA, 0.5, 50),
    Benchmark(
        name="lasso-dense-precompute",
        what=f"lasso, alpha={ALPHA}, {_TALL}, beside precompute=True",
        data=_tall,
        contestants=(
            _fit("inducer", lambda: Lasso(alpha=ALPHA)),
            _fit("scikit-learn", lambda: linear_model.Lasso(alpha=ALPHA, precompute=True)),
        ),
        target=Target("faster", 2.5),
        quality=_net_objective(ALPHA, 1.0),
        threads=2,
    ),
    _path("lasso-path-dense", _TALL, _tall),
    Benchmark(
        name="ridge-path-dense",
        what=f"ridge path of {len(RIDGES)} alphas, {_TALL}, beside refitting",
        data=_tall,
        contestants=(
            Contestant("inducer", lambda data, _: Ridge().path(data.X, data.y, RIDGES)),
            Contestant("scikit-learn Ridge, refitted", _refitted),
        ),
        target=Target("faster", 20),
        quality=RIDGE_PATHS,
        threads=2,
    ),
    Benchmark(
        name="least-squares-dense",
        what=f"least squares, {_TALL}",
        data=_tall,
        contestants=(
            _fit("inducer", lambda: LeastSquares(diagnostics=False)),
            _fit("scikit-learn LinearRegression", linear_model.LinearRegression),
        ),
        target=Target("faster", 1),
        quality=SQUARES,
        threads=2,
    ),
    _net("lasso-correlated", _CORRELATED, _correlated, ALPHA, 1.0, 50),
    _net("elastic-net-correlated", _CORRELATED, _correlated, ALPHA, 0.5, 50),
    _path("lasso-path-correlated", _CORRELATED, _correlated),
    _net("lasso-square", _SQUARE, _square, 0.01, 1.0, 1),
    Benchmark(
        name="ridge-square",
        what=f"ridge, alpha=1, {_SQUARE}",
        data=_square,
        contestants=(_fit("inducer", Ridge), _fit("scikit-learn", linear_model.Ridge)),
        target=Target("faster", 1),
        quality=RIDGE,
        threads=2,
    ),
    _net("lasso-wide", _WIDE, _wide, 0.2, 1.0, 3),
    _net("lasso-wide-weak", _WIDE, _wide, 0.05, 1.0, 3),
    Benchmark(
        name="lasso-path-wide",
        what=f"lasso path of {PATH} alphas down to 1/20 of the first, {_WIDE}",
        data=_wide,
        contestants=(
            Contestant("inducer", _short_path),
            Contestant("scikit-learn lasso_path", _peer_short_path),
        ),
        target=Target("faster", 3),
        quality=PATHS,
        threads=2,
    ),
    _net("lasso-sparse", _SPARSE, _sparse, 0.005, 1.0, 1),
    Benchmark(
        name="ridge-sparse",
        what=f"ridge, alpha=1, {_SPARSE}",
        data=_sparse,
        contestants=(_fit("inducer", Ridge), _fit("scikit-learn", linear_model.Ridge)),
        target=Target("faster", 1),
        quality=RIDGE,
        threads=2,
    ),
)
