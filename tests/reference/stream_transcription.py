"""A stream learner transcribed literally: a dictionary of weights, one line after the other."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from scipy.integrate import solve_ivp
from scipy.optimize import brentq

MASK = 2**64 - 1
BIAS = "(bias)"


def fold(a: int, b: int) -> int:
    product = a * b
    return (product ^ product >> 64) & MASK


def hash64(word: bytes, seed: int) -> int:
    """Return the hash of cpp/include/inducer/stream/hash.h."""
    odd1, odd2, odd3 = 0x9E3779B97F4A7C15, 0xA0761D6478BD642F, 0xE7037ED1A0B428DB
    h = ((seed ^ odd1) + len(word)) & MASK
    while len(word) > 8:
        h = fold(h ^ int.from_bytes(word[:8], "little"), odd2)
        word = word[8:]
    last = 0
    if len(word) >= 4:
        last = int.from_bytes(word[:4], "little") | int.from_bytes(word[-4:], "little") << 32
    elif word:
        last = word[0] | word[len(word) // 2] << 8 | word[-1] << 16
    return fold(fold(h ^ last, odd3), odd1 ^ h)


Parsed = tuple[float, float, list[tuple[Any, float]]]


def parse_vw(line: str, bits: int) -> Parsed:
    """Return label, weight and features of ``label [weight] |namespace name[:value] ...``."""
    head, *spaces = line.split("|")
    label, *rest = head.split()
    features: list[tuple[Any, float]] = []
    for space in spaces:
        name = "" if space.startswith(" ") else space.split()[0]
        words = space.split() if not name else space.split()[1:]
        seed = hash64(name.encode(), 1) if name else 0
        for word in words:
            text, _, value = word.partition(":")
            features.append((hash64(text.encode(), seed) % 2**bits, float(value or 1)))
    return float(label), float(rest[0]) if rest else 1.0, [*features, (BIAS, 1.0)]


SLOPES: dict[str, Callable[[float, float], float]] = {
    "logistic": lambda y, z: -y / (1 + math.exp(min(y * z, 700))),
    "squared": lambda y, z: 2 * (z - y),
    "hinge": lambda y, z: -y if y * z <= 1 else 0.0,
    "quantile": lambda y, z: -0.5 if z < y else 0.5 if z > y else 0.0,
    "poisson": lambda y, z: math.exp(z) - y,
}
VALUES: dict[str, Callable[[float, float], float]] = {
    "logistic": lambda y, z: math.log1p(math.exp(-y * z)),
    "squared": lambda y, z: (z - y) ** 2,
    "hinge": lambda y, z: max(0.0, 1 - y * z),
    "quantile": lambda y, z: 0.5 * abs(y - z),
    "poisson": lambda y, z: math.exp(z) - y * z,
}


def step(loss: str, y: float, z: float, eta: float, q: float) -> float:
    """Return how far the score's flow goes: integrated, or solved for where it is proximal."""
    slope = SLOPES[loss]
    if loss in ("logistic", "squared"):
        done = solve_ivp(
            lambda _, s: [-slope(y, z + s[0] * q)], (0, eta), [0.0], rtol=1e-9, atol=1e-12
        )
        return float(done.y[0, -1])
    explicit = -eta * slope(y, z)
    if loss == "poisson":
        return float(brentq(lambda s: s + eta * slope(y, z + s * q), *sorted((0.0, explicit)),
                            xtol=1e-15))  # fmt: skip
    kink = 1 / y if loss == "hinge" else y  # straight until there
    return math.copysign(min(abs(explicit), abs(kink - z) / q), explicit)


def learn(
    lines: list[str], *, loss: str = "logistic", rule: str = "adaptive", bits: int = 18,
    rate: float = 0.5, power: float = 0.5, beta: float = 1.0, l1: float = 0.0, l2: float = 0.0,
) -> tuple[float, dict[Any, float], list[float]]:  # fmt: skip
    """Return the progressive loss, the weights and what was said of each line."""
    w: dict[Any, float] = defaultdict(float)
    squares: dict[Any, float] = defaultdict(float)
    scale: dict[Any, float] = defaultdict(float)
    dual: dict[Any, float] = defaultdict(float)
    norm_weight = norm_squares = total = time = loss_sum = 0.0
    said = []
    for line in lines:
        y, a, x = parse_vw(line, bits)
        z = sum(w[j] * v for j, v in x)
        said.append(z)
        loss_sum += a * VALUES[loss](y, z)
        total += a
        time += a
        g = SLOPES[loss](y, z)
        if g == 0 or a == 0:
            continue
        if rule == "adaptive":
            for j, v in x:
                if abs(v) > scale[j]:
                    w[j] *= scale[j] / abs(v)
                    scale[j] = abs(v)
                squares[j] += a * g * g * v * v
            rates = [1 / (math.sqrt(squares[j]) * scale[j]) for j, _ in x]
            norm_weight += a
            norm_squares += a * sum((v / scale[j]) ** 2 for j, v in x)
            c = math.sqrt(norm_weight / norm_squares)
            q = c * sum(r * v * v for r, (_, v) in zip(rates, x, strict=True))
            s = step(loss, y, z, rate * a, q)
            for r, (j, v) in zip(rates, x, strict=True):
                w[j] += c * s * r * v
        elif rule == "plain":
            s = step(loss, y, z, rate * time**-power * a, sum(v * v for _, v in x))
            for j, v in x:
                w[j] += s * v
        else:
            for j, v in x:
                slope = a * g * v
                before, squares[j] = squares[j], squares[j] + slope**2
                sigma = (math.sqrt(squares[j]) - math.sqrt(before)) / rate
                dual[j] += slope - sigma * w[j]
                free = j == BIAS
                over = max(0.0, abs(dual[j]) - (0 if free else l1))
                w[j] = -math.copysign(
                    over / ((beta + math.sqrt(squares[j])) / rate + (0 if free else l2)), dual[j]
                )
    return loss_sum / total, w, said
