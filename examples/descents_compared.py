"""Print how near five descents come to the minimum of one support vector machine, and at what cost.

The objective has kinks and is a sum over rows: a subgradient descent goes over all of them in each
step, a stochastic one over a single one. Its dual is smooth within a box: projected and coordinate
descent solve that, and the difference of the two objectives bounds what is missing. Then chords
tell which losses are convex, so that any of this may work.

    python examples/descents_compared.py
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from inducer.datasets import moons
from inducer.optimize import (
    Box,
    ConstantRate,
    InverseRate,
    Quadratic,
    RatioRate,
    SqrtRate,
    coordinate_descent,
    looks_convex,
    projected_gradient,
    stochastic_gradient_descent,
    subgradient_descent,
)

PASSES = 200  # over the rows, for each
PENALTY = 0.01
LOSSES: dict[str, Callable[[Any], Any]] = {
    "hinge": lambda m: np.maximum(0, 1 - m),
    "logistic": lambda m: np.logaddexp(0, -m),
    "exponential": lambda m: np.exp(-m),
    "squared": lambda m: (1 - m) ** 2,
    "ramp": lambda m: np.clip(1 - m, 0, 2),
    "sigmoid": lambda m: 1 / (1 + np.exp(m)),
}


class Machine:
    """A support vector machine without intercept: PENALTY/2 |w|^2 + the mean hinge loss."""

    def __init__(self) -> None:
        X, y = moons(n_samples=200, noise=0.3, random_state=0, return_X_y=True)
        X = np.column_stack([X, np.ones(len(X))])  # a weight for all rows, as good as an intercept
        self.rows, self.cols = X.shape
        self.signed = X * np.where(y == 1, 1.0, -1.0)[:, None]
        scale = 1 / (PENALTY * self.rows**2)
        self.dual = Quadratic(
            scale * self.signed @ self.signed.T,
            np.full(self.rows, 1 / self.rows),
            lower=0.0,
            upper=1.0,
        )

    def of_rows(self, w: Any, rows: Any) -> tuple[float, Any]:
        """Return value and subgradient, with the mean over some rows only."""
        signed = self.signed[rows]
        margins = signed @ w
        value = PENALTY / 2 * w @ w + np.maximum(0, 1 - margins).mean()
        return float(value), PENALTY * w - (margins <= 1) @ signed / len(signed)

    def primal(self, w: Any) -> tuple[float, Any]:
        """Return value and subgradient."""
        return self.of_rows(w, slice(None))

    def weights(self, alpha: Any) -> Any:
        """Return the weights that belong to a point of the dual."""
        return alpha @ self.signed / (PENALTY * self.rows)


def compare(machine: Machine) -> None:
    """Print a line a descent: how far its primal value is above the minimum."""
    exact = coordinate_descent(machine.dual, np.zeros(machine.rows), gap_tol=1e-12, max_iter=10**5)
    minimum = -exact.value
    rates = {
        "0.3": ConstantRate(0.3),
        "1/sqrt(k)": SqrtRate(1.0),
        "100/k": InverseRate(1 / PENALTY),
        "100/(100 + k)": RatioRate(1 / PENALTY, 1 / PENALTY),
    }
    print(f"minimum {minimum:.9f}; above it after {PASSES} passes:\n")
    start = np.zeros(machine.cols)
    for name, rate in rates.items():
        whole = subgradient_descent(machine.primal, start, rate=rate, max_iter=PASSES)
        line = f"rate {name:14} all rows {whole.value - minimum:9.1e}"
        for average in (0, PASSES // 2):
            one = stochastic_gradient_descent(
                lambda w, rows: machine.of_rows(w, rows)[1],
                start,
                machine.rows,
                value=lambda w: machine.primal(w)[0],
                rate=rate,
                average=average,
                max_iter=PASSES,
                random_state=0,
            )
            words = "averaged" if average else "one row"
            line += f"   {words} {one.value - minimum:9.1e}"
        print(line)
    dual = np.zeros(machine.rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the passes are meant to end first
        found = {
            "projected": projected_gradient(
                machine.dual.smooth, dual, Box(0.0, 1.0), max_iter=PASSES
            ),
            "accelerated": projected_gradient(
                machine.dual.smooth, dual, Box(0.0, 1.0), accelerated=True, max_iter=PASSES
            ),
            "coordinates": coordinate_descent(
                machine.dual, dual, active_set=False, max_iter=PASSES
            ),
        }
    for name, descent in found.items():
        value = machine.primal(machine.weights(descent.x))[0]
        print(f"dual {name:14} {value - minimum:9.1e}   certified {value + descent.value:9.1e}")


def main() -> None:
    """Print both tables."""
    compare(Machine())
    print("\nconvex in the margin:\n")
    for name, loss in LOSSES.items():
        answer = looks_convex(loss, -4.0, 4.0, random_state=0)
        words = "no chord against it"
        if answer.chord is not None:
            chord = answer.chord
            words = f"from {chord.a:.2f} to {chord.b:.2f}, {chord.excess:.3f} above the chord"
        print(f"{name:12} {'yes' if answer else 'no':4} {words}")


if __name__ == "__main__":
    main()
