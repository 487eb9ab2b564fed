"""Each penalty against what its value says: differences, convexity, prox, conjugate."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from inducer.base import ParameterError
from inducer.penalties import (
    L1,
    L2,
    ElasticNet,
    LowOrder,
    Lp,
    MaxNorm,
    Penalty,
    Symmetry,
    as_penalty,
)

FEATURES = 5
PENALTIES: list[Penalty] = [
    L2(),
    L1(),
    ElasticNet(0.3),
    ElasticNet(0.0),
    ElasticNet(1.0),
    Lp(1.0),
    Lp(1.1),
    Lp(1.5),
    Lp(2.0),
    Lp(4.0),
    MaxNorm(),
    Symmetry([(0, 1), (1, 3)], rest=0.1),
    LowOrder([0.5, 1, 1, 3, 10]),
]


def named(penalty: Penalty) -> str:
    return repr(penalty)


def points() -> Any:
    rng = np.random.default_rng(0)
    drawn = rng.normal(size=(30, FEATURES)) * rng.choice([0.1, 1.0, 3.0], size=(30, 1))
    drawn[::3] = np.round(drawn[::3])  # kinks, and weights that are alike
    return drawn


everyone = pytest.mark.parametrize("penalty", PENALTIES, ids=named)


def test_values() -> None:
    w = np.array([1.0, -2.0, 0.0, 3.0, 0.5])
    expected = [7.125, 6.5, 0.3 * 6.5 + 0.7 * 7.125]
    for penalty, value in zip(PENALTIES[:3], expected, strict=True):
        assert math.isclose(penalty.value(w), value)
    assert math.isclose(Lp(3).value(w), 1 + 8 + 27 + 0.125)
    assert MaxNorm().value(w) == 3
    assert Symmetry([(0, 1), (1, 3)]).value(w) == (9 + 25) / 2
    assert LowOrder([1, 2, 3, 4, 8]).value(w) == (1 + 8 + 36 + 2) / 2


@everyone
def test_gradients_are_limits_of_differences(penalty: Penalty) -> None:
    h = 1e-6
    for w in np.random.default_rng(1).normal(size=(10, FEATURES)):  # no kinks
        for function, derivative in (
            (penalty.value, penalty.gradient(w)),
            (penalty.gradient, penalty.curvature(w) if penalty.has("curvature") else None),
        ):
            if derivative is None:
                continue
            steps = [
                (function(w + h * e) - function(w - h * e)) / (2 * h) for e in np.eye(FEATURES)
            ]
            wanted = np.array(steps)
            if function != penalty.value and derivative.ndim == 1:
                derivative = np.diag(derivative)
            size = 1 + np.abs(wanted).max()  # rounding eps / h, curvature of the difference h^2
            np.testing.assert_allclose(derivative, wanted, atol=1e-7 * size)


@everyone
def test_gradients_support_the_penalty(penalty: Penalty) -> None:
    """Subgradients: convex, and least at zero."""
    assert penalty.value(np.zeros(FEATURES)) == 0
    for w in points():
        for other in points():
            line = penalty.value(w) + penalty.gradient(w) @ (other - w)
            assert line <= penalty.value(other) + 1e-10 * (1 + abs(line))


@pytest.mark.parametrize("step", [0.02, 1.0, 7.0])
@everyone
def test_prox_is_the_least_of_its_sum(penalty: Penalty, step: float) -> None:
    rng = np.random.default_rng(2)
    for v in points():
        w = penalty.prox(v, step)
        slope = penalty.envelope_gradient(v, step)
        np.testing.assert_allclose(slope, (v - w) / step, rtol=1e-9, atol=1e-12 / step)
        here = penalty.value(w) + np.sum((w - v) ** 2) / (2 * step)
        for size in (1e-4, 0.1, 1.0):
            for way in [*np.eye(FEATURES), *rng.normal(size=(5, FEATURES)), w]:
                for other in (w + size * way, w - size * way):
                    there = penalty.value(other) + np.sum((other - v) ** 2) / (2 * step)
                    assert here <= there + 1e-12 * (1 + there)


@pytest.mark.parametrize("penalty", [p for p in PENALTIES if p.has("prox_jacobian")], ids=named)
def test_jacobians_of_prox(penalty: Penalty) -> None:
    h, step = 1e-6, 0.3
    for v in np.random.default_rng(3).normal(size=(10, FEATURES)):
        steps = [
            (penalty.prox(v + h * e, step) - penalty.prox(v - h * e, step)) / (2 * h)
            for e in np.eye(FEATURES)
        ]
        jacobian = penalty.prox_jacobian(v, step)
        jacobian = np.diag(jacobian) if jacobian.ndim == 1 else jacobian
        np.testing.assert_allclose(jacobian, np.array(steps).T, atol=1e-5)


@pytest.mark.parametrize("penalty", [p for p in PENALTIES if p.has("conjugate")], ids=named)
def test_fenchel_and_young(penalty: Penalty) -> None:
    for w in points():
        a = penalty.gradient(w)
        both = penalty.value(w) + penalty.conjugate(a)
        assert math.isclose(both, a @ w, rel_tol=1e-9, abs_tol=1e-9)
        for b in points():
            b = b * penalty.shrunk(b)
            assert np.isfinite(penalty.conjugate(b))
            assert penalty.value(w) + penalty.conjugate(b) >= b @ w - 1e-9


def test_penalties_by_name() -> None:
    assert as_penalty("lp", p=3) == Lp(3)
    assert as_penalty(L1()) == L1()
    assert as_penalty("low_order", factors=[1, 2]) == LowOrder((1.0, 2.0))
    assert hash(Symmetry([(0, 1)])) == hash(Symmetry(((0, 1),)))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: as_penalty("l3"), "'l2'"),
        (lambda: as_penalty("l2", p=1), "penalty 'l2'"),
        (lambda: as_penalty("symmetry"), "pairs"),
        (lambda: Lp(0.5), "not convex"),
        (lambda: ElasticNet(1.1), "l1_ratio of ElasticNet"),
        (lambda: LowOrder([1, -1]), "at least 0"),
        (lambda: LowOrder(["a"]), "numbers"),  # type: ignore[list-item]
        (lambda: Symmetry([(0, -1)]), "counted from 0"),
        (lambda: Symmetry([0, 1]), "pairs of columns"),  # type: ignore[list-item]
        (lambda: Symmetry([(0, 3)]).check(3), "3 columns"),
        (lambda: LowOrder([1]).check(3), "1 factors"),
    ],
)
def test_bad_penalties_are_refused(call: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        call()
