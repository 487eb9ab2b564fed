"""Online learners, written down literally: one row after another, one number after another."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


class Walk(NamedTuple):
    """Weights before each visit, and at the end; losses of the visits."""

    w: NDArray[np.float64]
    b: NDArray[np.float64]
    losses: NDArray[np.float64]


def walk(steps: list[tuple[Vector, float, float]], last: tuple[Vector, float]) -> Walk:
    ws, bs, losses = (np.array(column) for column in zip(*steps, strict=True))
    return Walk(np.vstack([ws, last[0]]), np.append(bs, last[1]), losses)


def passive_aggressive(
    X: Any,
    y: Any,
    *,
    C: float,
    variant: str,
    intercept: bool,
    epsilon: float | None = None,
    weights: Any = None,
    passes: int = 1,
) -> Walk:
    """Crammer et al., 2006; with an epsilon, y are numbers."""
    w, b = np.zeros(X.shape[1]), 0.0
    steps = []
    for _ in range(passes):
        for i, (x, target) in enumerate(zip(X, y, strict=True)):
            v = 1.0 if weights is None else weights[i]
            if v == 0:
                continue
            a = w @ x + b
            if epsilon is None:
                loss, side = max(0.0, 1 - target * a), target
            else:
                loss, side = max(0.0, abs(target - a) - epsilon), np.sign(target - a)
            steps.append((w.copy(), b, loss))
            n = x @ x + intercept
            if loss <= 1e-14 * (1 + abs(a) + abs(target)) or n == 0:
                continue
            tau = {
                "pa": lambda loss=loss, n=n: loss / n,
                "pa1": lambda loss=loss, n=n, v=v: min(C * v, loss / n),
                "pa2": lambda loss=loss, n=n, v=v: loss / (n + 1 / (2 * C * v)),
            }[variant]()
            w = w + tau * side * x
            if intercept:
                b += tau * side
    return walk(steps, (w, b))


def winnow(
    X: Any,
    y: Any,
    *,
    alpha: float,
    form: str,
    threshold: float | None,
    weights: Any = None,
    passes: int = 1,
) -> tuple[Vector, float, int]:
    """Littlestone, 1988: weights and mistakes. Products, as in the paper, not logarithms."""
    d = X.shape[1]
    up, down = np.ones(d), np.ones(d) if form == "balanced" else np.zeros(d)
    b_up = b_down = 1.0
    mistakes = 0
    for _ in range(passes):
        for i, (x, target) in enumerate(zip(X, y, strict=True)):
            v = 1.0 if weights is None else weights[i]
            if v == 0:
                continue
            t = -(b_up - b_down) if threshold is None else threshold
            if target * ((up - down) @ x - t) <= 0:
                mistakes += 1
                up = up * alpha ** (target * v * x)
                down = down * alpha ** (-target * v * x)
                b_up, b_down = b_up * alpha ** (target * v), b_down * alpha ** (-target * v)
    t = -(b_up - b_down) if threshold is None else threshold
    return up - down, -t, mistakes


SLOPES = {
    "logistic": lambda y, a: -y / (1 + np.exp(y * a)),
    "hinge": lambda y, a: -y if y * a <= 1 else 0.0,
    "squared_hinge": lambda y, a: -2 * y * max(0.0, 1 - y * a),
    "squared": lambda y, a: 2 * (a - y),
    "absolute": lambda y, a: np.sign(a - y),
}
LOSSES = {
    "logistic": lambda y, a: np.log1p(np.exp(-y * a)),
    "hinge": lambda y, a: max(0.0, 1 - y * a),
    "squared_hinge": lambda y, a: max(0.0, 1 - y * a) ** 2,
    "squared": lambda y, a: (a - y) ** 2,
    "absolute": lambda y, a: abs(a - y),
}


def exponentiated_gradient(
    X: Any,
    y: Any,
    *,
    loss: str,
    eta: float,
    radius: float,
    form: str,
    intercept: bool,
    weights: Any = None,
    passes: int = 1,
) -> Walk:
    """Kivinen and Warmuth, 1997: EG+- keeps 2 d shares, EG d of them."""
    d = X.shape[1]
    signs = np.concatenate([np.ones(d), -np.ones(d)]) if form == "balanced" else np.ones(d)
    shares = np.full(len(signs), 1 / len(signs))
    b = 0.0
    steps = []

    def weight_vector() -> Vector:
        return radius * (signs * shares).reshape(-1, d).sum(axis=0)

    for _ in range(passes):
        for i, (x, target) in enumerate(zip(X, y, strict=True)):
            v = 1.0 if weights is None else weights[i]
            if v == 0:
                continue
            w = weight_vector()
            a = w @ x + b
            steps.append((w, b, LOSSES[loss](target, a)))
            g = v * SLOPES[loss](target, a)
            shares = shares * np.exp(-eta * g * signs * np.tile(x, len(signs) // d))
            shares /= shares.sum()
            if intercept:
                b -= eta * g
    return walk(steps, (weight_vector(), b))


def leader(
    X: Any,
    y: Any,
    *,
    loss: str,
    alpha: float,
    beta: float,
    l1: float,
    l2: float,
    intercept: bool,
    weights: Any = None,
    passes: int = 1,
) -> Walk:
    """McMahan et al., 2013, algorithm 1; the offset has a rate too, and no penalties."""
    d = X.shape[1]
    z, n = np.zeros(d + 1), np.zeros(d + 1)
    ones = np.append(np.full(d, l1), 0.0)
    twos = np.append(np.full(d, l2), 0.0)
    steps = []

    def best() -> Vector:
        found = np.zeros(d + 1)
        for j in range(d + 1):
            if abs(z[j]) > ones[j]:
                rate = (beta + np.sqrt(n[j])) / alpha + twos[j]
                found[j] = -(z[j] - np.sign(z[j]) * ones[j]) / rate
        return found

    for _ in range(passes):
        for i, (row, target) in enumerate(zip(X, y, strict=True)):
            v = 1.0 if weights is None else weights[i]
            if v == 0:
                continue
            x = np.append(row, float(intercept))
            w = best()
            a = w @ x
            steps.append((w[:d], w[d], LOSSES[loss](target, a)))
            g = v * SLOPES[loss](target, a) * x
            sigma = (np.sqrt(n + g**2) - np.sqrt(n)) / alpha
            z += g - sigma * w
            n += g**2
    return walk(steps, (best()[:d], float(best()[d])))
