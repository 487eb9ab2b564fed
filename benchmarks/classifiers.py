"""Logistic regression and linear support vector machines beside scikit-learn's.

Each is judged by the value of its own objective, at the end: scikit-learn's liblinear penalises the
bias, and is judged by the sum it minimises, the bias in it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import linear_model, svm
from sklearn.exceptions import ConvergenceWarning

from benchmarks._benchmark import Benchmark, Contestant, Data, Made, Quality, Target
from benchmarks._data import Table, correlated, dense, shrunk, text
from inducer.linear import LinearSVC, LogisticRegression

NOISE = 0.5
ROWS, COLS = 200_000, 50
VOCABULARY, WORDS = 50_000, 75


def _dense(classes: int = 2) -> Callable[[float], Table]:
    return lambda scale: dense(shrunk(ROWS, scale, least=500), COLS, noise=NOISE, classes=classes)


def _correlated(scale: float) -> Table:
    return correlated(shrunk(ROWS, scale, least=500), COLS)


def _wide(scale: float) -> Table:
    return dense(shrunk(ROWS // 10, scale, least=500), shrunk(2000, scale), noise=NOISE)


def _text(scale: float) -> Table:
    return text(
        shrunk(ROWS, scale, least=500),
        shrunk(VOCABULARY, scale, least=2 * WORDS),
        WORDS,
        noise=0.1,
    )


def _fit(name: str, make: Callable[[int], Any]) -> Contestant:
    def work(data: Data, seed: int) -> Made:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # judged by the objective
            return make(seed).fit(data.X, data.y)

    return Contestant(name, work)


def _scores(data: Data, made: Made) -> Any:
    return data.X @ np.asarray(made.coef_, np.float64).T + made.intercept_


def _squares(made: Made) -> float:
    return 0.5 * float(np.sum(np.square(made.coef_, dtype=np.float64)))


def _cross_entropy(data: Data, made: Made) -> float:
    z = _scores(data, made)
    if z.shape[1] == 1:
        lost = np.logaddexp(0, -np.where(data.y == made.classes_[1], z[:, 0], -z[:, 0]))
    else:
        top = z.max(axis=1)
        sums = np.log(np.exp(z - top[:, None]).sum(axis=1)) + top
        lost = sums - z[np.arange(len(z)), np.searchsorted(made.classes_, data.y)]
    return (float(np.sum(lost)) + _squares(made)) / len(z)


def _hinges(power: int) -> Callable[[Data, Made], float]:
    def objective(data: Data, made: Made) -> float:
        z = _scores(data, made)[:, 0]
        over = np.maximum(0, 1 - np.where(data.y == made.classes_[1], z, -z))
        return (float(np.sum(over**power)) + _squares(made)) / len(z)

    return objective


# A ten-thousandth of objectives of some tenths, the mean over the rows.
LOGISTIC = Quality("objective per row", _cross_entropy, tolerance=3e-5, better="lower")
SQUARED = Quality("objective per row", _hinges(2), tolerance=3e-5, better="lower")
HINGE = Quality("objective per row", _hinges(1), tolerance=3e-5, better="lower")


def _logistic(
    name: str,
    what: str,
    data: Callable[[float], Table],
    solvers: tuple[str, ...],
    limit: float,
    *,
    tol: float = 1e-4,
) -> Benchmark:
    """Race solvers of scikit-learn, at a tolerance where the objectives are the same."""
    words = "" if tol == 1e-4 else f", tol={tol:g}"
    peers = tuple(
        _fit(
            f"scikit-learn LogisticRegression(solver={solver!r}{words})",
            lambda seed, solver=solver: linear_model.LogisticRegression(
                solver=solver, max_iter=10_000, random_state=seed, tol=tol
            ),
        )
        for solver in solvers
    )
    return Benchmark(
        name=name,
        what=f"logistic regression, {what}",
        data=data,
        contestants=(_fit("inducer", lambda _: LogisticRegression()), *peers),
        target=Target("faster", limit),
        quality=LOGISTIC,
        threads=2,
    )


def _machine(
    name: str, what: str, data: Callable[[float], Table], loss: str, limit: float
) -> Benchmark:
    return Benchmark(
        name=name,
        what=f"LinearSVC({loss!r}), {what}",
        data=data,
        contestants=(
            _fit("inducer", lambda seed: LinearSVC(loss=loss, random_state=seed)),
            _fit(
                f"scikit-learn LinearSVC(loss={loss!r})",
                lambda seed: svm.LinearSVC(loss=loss, random_state=seed),
            ),
        ),
        target=Target("faster", limit),
        quality=SQUARED if loss == "squared_hinge" else HINGE,
        threads=2,
    )


_D, _W = f"{ROWS:,} × {COLS} float64", f"{ROWS // 10:,} × 2,000 float64"
_C = f"{_D}, columns correlated"
_T = f"CSR {ROWS:,} × {VOCABULARY:,} float64, {WORDS} values a row"

# Those that share data stand together: the last table made is kept.
BENCHMARKS = (
    _logistic("logistic-dense", _D, _dense(), ("lbfgs", "newton-cholesky"), 3.5),
    _machine("linear-svc-dense", _D, _dense(), "squared_hinge", 25),
    _machine("linear-svc-hinge-dense", _D, _dense(), "hinge", 3),
    _logistic("logistic-correlated", _C, _correlated, ("lbfgs", "newton-cholesky"), 3.5),
    _machine("linear-svc-correlated", _C, _correlated, "squared_hinge", 25),
    _machine("linear-svc-hinge-correlated", _C, _correlated, "hinge", 3),
    _logistic("logistic-multinomial", f"{_D}, ten classes", _dense(10), ("lbfgs",), 3),
    _logistic("logistic-wide", _W, _wide, ("lbfgs", "newton-cg"), 3.5),
    _machine("linear-svc-wide", _W, _wide, "squared_hinge", 3),
    # At its own tolerance lbfgs ends with 0.0142 here, 6 % above the least, after 3.5 s.
    _logistic("logistic-csr", _T, _text, ("lbfgs",), 3.5, tol=1e-5),
    _machine("linear-svc-csr", _T, _text, "squared_hinge", 3),
    _machine("linear-svc-hinge-csr", _T, _text, "hinge", 3),
)
