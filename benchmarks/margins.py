"""The widest margin beside support-vector machines that hardly allow a violation."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from benchmarks._benchmark import Benchmark, Contestant, Data, Quality, Target
from benchmarks._data import Table, separable, shrunk

HARD = 1e6  # the price of a violation


class Plane(NamedTuple):
    """A separating plane."""

    coef: NDArray[Any]
    intercept: float


def _table(scale: float) -> Table:
    return separable(shrunk(2000, scale), 10, gap=0.1)


def _ours(data: Data, seed: int) -> Plane:  # noqa: ARG001
    from inducer.linear import margin

    found = margin(data.X, data.y)
    return Plane(np.ravel(found.coef), float(np.squeeze(found.intercept)))


def _svc(data: Data, seed: int) -> Plane:  # noqa: ARG001
    machine = SVC(kernel="linear", C=HARD).fit(data.X, data.y)
    return Plane(machine.coef_[0], float(machine.intercept_[0]))


def _linear_svc(data: Data, seed: int) -> Plane:
    machine = LinearSVC(loss="hinge", C=HARD, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it seldom does, and is judged so
        machine.fit(data.X, data.y)
    return Plane(machine.coef_[0], float(machine.intercept_[0]))


def _width(data: Data, made: Plane) -> float:
    """Return the least distance of a row from the plane, negative on the wrong side."""
    sides = np.where(data.y == 1, 1.0, -1.0)
    distances = sides * (data.X @ made.coef + made.intercept)
    return float(np.min(distances) / np.linalg.norm(made.coef))


RACE = Benchmark(
    name="margin",
    what="widest margin, separable 2,000 × 10 float64",
    data=_table,
    contestants=(
        Contestant("inducer", _ours),
        Contestant("scikit-learn SVC(kernel='linear', C=1e6)", _svc),
        Contestant("scikit-learn LinearSVC(loss='hinge', C=1e6)", _linear_svc),
    ),
    target=Target("faster", 1),
    quality=Quality("margin", _width, tolerance=1e-7),
)

# Until `inducer.linear.margin` is there, nobody can race.
BENCHMARKS = (RACE,) if find_spec("inducer.linear._margin") else ()
