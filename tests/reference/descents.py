"""CIML algorithm 34 on a linear model, written down as the formulas have it: slow and literal.

No weight is a product of a scale and a vector, no average is lazy, no debt is paid late (but those
of the cumulative penalty, which is about when they are paid). Only the random order of the rows is
the library's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Function = Callable[[float, float], float]


def hinge(y: float, z: float) -> float:
    return -y if y * z <= 1 else 0.0


def perceptron(y: float, z: float) -> float:
    return -y if y * z <= 0 else 0.0


def squared_hinge(y: float, z: float) -> float:
    return -2 * y * max(0.0, 1 - y * z)


def logistic(y: float, z: float) -> float:
    return -y / (1 + np.exp(y * z))


def exponential(y: float, z: float) -> float:
    return -y * np.exp(-y * z)


def modified_huber(y: float, z: float) -> float:
    return -4 * y if y * z < -1 else squared_hinge(y, z)


def half_squared(y: float, z: float) -> float:
    return z - y


def squared(y: float, z: float) -> float:
    return 2 * (z - y)


def absolute(y: float, z: float) -> float:
    return float(np.sign(z - y))


def huber(y: float, z: float) -> float:
    return float(np.clip(z - y, -0.1, 0.1))


def epsilon_insensitive(y: float, z: float) -> float:
    return float(np.sign(z - y)) if abs(z - y) > 0.1 else 0.0


def squared_epsilon_insensitive(y: float, z: float) -> float:
    return 2 * float(np.sign(z - y)) * max(0.0, abs(z - y) - 0.1)


SLOPES: dict[str, Function] = {
    "hinge": hinge,
    "perceptron": perceptron,
    "squared_hinge": squared_hinge,
    "log_loss": logistic,
    "logistic": logistic,
    "exponential": exponential,
    "modified_huber": modified_huber,
    "squared_error": half_squared,
    "squared": squared,
    "absolute": absolute,
    "huber": huber,
    "epsilon_insensitive": epsilon_insensitive,
    "squared_epsilon_insensitive": squared_epsilon_insensitive,
}


def constant(eta: float) -> Callable[[float], float]:
    return lambda _: eta


def truncated_step(w: Floats, g: Floats, eta: float) -> Floats:
    """Return the weights after CIML (14.8), corrected: a step across zero ends there."""
    moved = w - eta * g
    crosses = ((w > 0) & (g > w / eta)) | ((w < 0) & (g < w / eta))
    return np.where(crosses, 0.0, moved)


@dataclass
class Descent:
    """w and b on their way down."""

    X: Any
    y: Floats
    loss: str
    l2: float = 0.0
    l1: float = 0.0
    rate: Callable[[float], float] = field(default_factory=lambda: constant(0.01))
    weights: Floats | None = None
    batch: int = 1
    fit_intercept: bool = True
    average_from: int = 1
    truncate: str | None = None
    past: list[tuple[Floats, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        sparse = not isinstance(self.X, np.ndarray)
        self.rows = self.X.toarray() if sparse else np.asarray(self.X)
        self.rows = self.rows.astype(np.float64)
        self.stored = self.rows != 0 if sparse else np.ones(self.rows.shape, bool)
        self.w, self.b, self.t = np.zeros(self.X.shape[1]), 0.0, 1
        self.owed, self.paid = 0.0, np.zeros(self.X.shape[1])

    def walk(self, order: Any) -> None:
        """Make a pass in this order."""
        for begin in range(0, len(order), self.batch):
            self.step(order[begin : begin + self.batch])
        if self.truncate is None and self.l1 > 0:
            self.pay(np.ones(len(self.w), bool))

    def step(self, rows: Any) -> None:
        slope = SLOPES[self.loss]
        eta = self.rate(self.t)
        g, g_b = np.zeros(len(self.w)), 0.0
        for i in rows:
            weight = 1.0 if self.weights is None else self.weights[i]
            s = weight * slope(self.y[i], float(self.rows[i] @ self.w) + self.b)
            g += s * self.rows[i] / len(rows)
            g_b += s / len(rows)
        w = self.w * max(0.0, 1 - eta * self.l2)
        if self.truncate == "steps":
            self.w = truncated_step(w, g + self.l1 * np.sign(w), eta)
        else:
            self.w = w - eta * g
            if self.truncate == "penalty":
                shorter = np.maximum(0.0, np.abs(self.w) - eta * self.l1)
                self.w = np.sign(self.w) * shorter
            elif self.l1 > 0:
                self.owed += eta * self.l1
                self.pay(self.stored[rows].any(axis=0))
        if self.fit_intercept:
            self.b -= eta * g_b
        self.t += 1
        self.past.append((self.w.copy(), self.b))

    def pay(self, seen: NDArray[np.bool_]) -> None:
        """Tsuruoka, Tsujii and Ananiadou 2009, figure 2."""
        for j in np.flatnonzero(seen):
            before = self.w[j]
            if before > 0:
                self.w[j] = max(0.0, before - (self.owed + self.paid[j]))
            elif before < 0:
                self.w[j] = min(0.0, before + (self.owed - self.paid[j]))
            self.paid[j] += self.w[j] - before

    def averaged(self) -> tuple[Floats, float]:
        past = self.past[self.average_from - 1 :]
        return np.mean([w for w, _ in past], axis=0), float(np.mean([b for _, b in past]))
