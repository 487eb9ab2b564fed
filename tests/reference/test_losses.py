"""Each loss against its C++ twin, its formula's theorems, and the book's table."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from inducer._core.losses import evaluate
from inducer.base import ParameterError
from inducer.losses import (
    EpsilonInsensitive,
    Exponential,
    Gamma,
    Hinge,
    Huber,
    Logistic,
    Loss,
    Poisson,
    Quantile,
    Squared,
    SquaredEpsilonInsensitive,
    Tweedie,
    as_loss,
)
from inducer.losses.registry import BY_NAME

LOSSES: list[Loss] = [
    *(kind() for kind in BY_NAME.values()),
    Huber(0.3),
    EpsilonInsensitive(0.0),
    SquaredEpsilonInsensitive(2.5),
    Quantile(0.9),
    Tweedie(1.0),
    Tweedie(1.9),
    Tweedie(2.0),
]
CONVEX = [loss for loss in LOSSES if loss.convex]


def named(loss: Loss) -> str:
    return repr(loss)


def targets(loss: Loss) -> Any:
    return {
        "classes": np.array([-1.0, 1.0]),
        "numbers": np.array([-2.0, 0.0, 0.7, 3.0]),
        "counts": np.array([0.0, 0.3, 2.0, 17.0]),
        "positive": np.array([0.3, 2.0, 17.0]),
    }[loss.targets]


def grid(loss: Loss, *extra: float) -> tuple[Any, Any]:
    """Return targets and scores: many, and the kinks of every loss among them."""
    y = targets(loss)
    kinks = [loss.parameter, 1.0, 0.0]
    z = np.unique([*np.linspace(-4, 4, 81), *kinks, *(-k for k in kinks), *extra])
    y, z = np.repeat(y, len(z)), np.tile(z, len(y))
    near = np.concatenate([y + s * k for k in kinks for s in (-1, 1)])  # kinks of residuals
    return np.r_[y, np.tile(y, 2 * len(kinks))], np.r_[z, near]


@pytest.mark.parametrize("loss", LOSSES, ids=named)
def test_losses_are_their_twins_in_the_core(loss: Loss) -> None:
    y, z = grid(loss, 50.0, -50.0, 800.0, -800.0, 1e15, -1e15, 1e200, -1e200, 1e308, -1e308)
    assert loss.kind is not None
    with np.errstate(all="ignore"):
        ours = loss.value(y, z), loss.derivative(y, z), loss.curvature(y, z)
    for mine, core in zip(ours, evaluate(loss.kind, loss.parameter, y, z), strict=True):
        assert not np.isnan(core).any()
        # Both are the same formula in float64; exp and log1p differ by a bit between libraries,
        # and a small difference of such keeps their absolute errors.
        np.testing.assert_allclose(mine, core, rtol=1e-13, atol=1e-13)


def test_a_name_that_the_core_does_not_know_is_refused() -> None:
    with pytest.raises(ValueError, match="no such loss"):
        evaluate("fourth", 0.0, np.zeros(1), np.zeros(1))
    with pytest.raises(ValueError, match="length"):
        evaluate("hinge", 0.0, np.zeros(1), np.zeros(2))


@pytest.mark.parametrize("loss", LOSSES, ids=named)
def test_derivatives_are_limits_of_differences(loss: Loss) -> None:
    y, z = grid(loss)
    z = z + 0.0123  # off the kinks
    h = 1e-6
    for function, derivative in ((loss.value, loss.derivative), (loss.derivative, loss.curvature)):
        difference = (function(y, z + h) - function(y, z - h)) / (2 * h)
        size = 1 + np.abs(function(y, z)) + np.abs(difference)
        # Rounding in the difference is eps / h = 2e-10 of the value, its curvature another h^2.
        assert np.all(np.abs(derivative(y, z) - difference) < 1e-8 * size)


@pytest.mark.parametrize("loss", LOSSES, ids=named)
def test_the_midpoint_lies_below_the_chord_unless_a_loss_is_not_convex(loss: Loss) -> None:
    y, z = grid(loss)
    worst = -math.inf
    for other in (-3.3, -1.0, -0.1, 0.0, 0.5, 1.0, 2.7):
        middle, chord = (
            loss.value(y, (z + other) / 2),
            (loss.value(y, z) + loss.value(y, other)) / 2,
        )
        worst = max(worst, float(np.max((middle - chord) / (1 + np.abs(chord)))))
    assert (worst < 1e-12) == loss.convex


@pytest.mark.parametrize("loss", CONVEX, ids=named)
def test_slopes_at_kinks_support_the_loss(loss: Loss) -> None:
    """A subgradient: its line lies below the loss everywhere."""
    y, z = grid(loss)
    for other in np.linspace(-5, 5, 41):
        line = loss.value(y, z) + loss.derivative(y, z) * (other - z)
        assert np.all(line <= loss.value(y, other) * (1 + 1e-12) + 1e-9 * (1 + np.abs(line)))


@pytest.mark.parametrize("step", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("loss", CONVEX, ids=named)
def test_prox_is_the_least_of_its_sum(loss: Loss, step: float) -> None:
    y, v = grid(loss)
    z = loss.prox(y, v, step)

    def total(at: Any) -> Any:
        return loss.value(y, at) + (at - v) ** 2 / (2 * step)

    here = total(z)
    for shift in (1e-3, 0.1, 1.0):
        for way in (-shift, shift):
            assert np.all(here <= total(z + way) + 1e-9 * (1 + np.abs(here)))
    np.testing.assert_allclose(z, Loss.prox(loss, y, v, step), rtol=1e-9, atol=1e-9)  # by halving
    slope = loss.envelope_slope(y, v, step)
    np.testing.assert_allclose(slope, (v - z) / step, rtol=1e-9, atol=1e-9 / step)


@pytest.mark.parametrize("loss", [one for one in CONVEX if one.has_conjugate], ids=named)
def test_fenchel_and_young(loss: Loss) -> None:
    y, z = grid(loss)
    slope = loss.derivative(y, z)
    both = loss.value(y, z) + loss.conjugate(y, slope)
    size = 1 + np.abs(slope * z) + np.abs(loss.value(y, z))
    assert np.all(np.abs(both - slope * z) < 1e-9 * size)  # equal at the slope
    for other in (-2.0, -0.4, 0.0, 0.3, 1.5):
        assert np.all(loss.value(y, z) + loss.conjugate(y, other) >= other * z - 1e-9 * size)


def test_every_convex_loss_but_tweedies_has_a_conjugate() -> None:
    assert {loss.kind for loss in CONVEX if not loss.has_conjugate} == {"tweedie"}


# ---- the book's table --------------------------------------------------------------------------

MARGINS = np.array([-1.0, 0.0, 0.2, 1.0, 3.0])


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        (Hinge(), [2, 1, 0.8, 0, 0]),
        (Logistic(), [1.8946, 1, 0.8629, 0.4519, 0.0701]),  # the notes have .4520
        (Exponential(), [2.7183, 1, 0.8187, 0.3679, 0.0498]),
        (Squared(), [4, 1, 0.64, 0, 4]),
    ],
    ids=["hinge", "logistic", "exponential", "squared"],
)
@pytest.mark.parametrize("y", [-1.0, 1.0])
def test_the_table_of_chapter_7(loss: Loss, expected: list[float], y: float) -> None:
    """To four digits; the logistic loss with the book's 1 / log 2."""
    scale = loss.bounding_scale
    assert scale is not None
    np.testing.assert_allclose(scale * loss.value(y, y * MARGINS), expected, atol=5e-5)


@pytest.mark.parametrize("loss", LOSSES, ids=named)
def test_what_bounds_the_zero_one_loss_and_what_does_not(loss: Loss) -> None:
    y = np.repeat([-1.0, 1.0], 401)
    m = np.tile(np.linspace(-20, 20, 401), 2)
    if loss.bounding_scale is not None:
        assert loss.bounds_zero_one
        assert np.all(loss.bounding_scale * loss.value(y, y * m) >= np.where(m <= 0, 1.0, 0.0))
        smaller = loss.bounding_scale * (1 - 1e-9) * loss.value(1.0, 0.0)
        assert smaller < 1  # the scale is the least there is
    elif loss.targets == "classes":
        assert np.min(loss.value(y, y * m)[m <= 0]) == 0  # no factor helps


def test_probabilities() -> None:
    z = np.array([-800.0, -1.0, 0.0, 0.5, 800.0])
    e = np.exp(0.5)
    np.testing.assert_allclose(Logistic().probability(z)[1:4], [1 / (1 + math.e), 0.5, e / (1 + e)])
    for loss in LOSSES:
        if loss.has_probability:
            p = loss.probability(z)
            assert p[0] == 0
            assert p[4] == 1
            assert p[2] == 0.5
            # The score of least expected loss, given a probability, stands for it.
            scores = np.linspace(-3, 3, 60001)
            for share in (0.2, 0.5, 0.7):
                expected = share * loss.value(1.0, scores) + (1 - share) * loss.value(-1.0, scores)
                assert abs(loss.probability(scores[np.argmin(expected)]) - share) < 1e-3


# ---- by name, and one's own --------------------------------------------------------------------


def test_losses_by_name() -> None:
    assert as_loss("quantile", q=0.2) == Quantile(0.2)
    assert as_loss(Poisson()) == Poisson()
    assert hash(Huber(2.0)) == hash(Huber(2.0))
    for name, kind in BY_NAME.items():
        assert as_loss(name) == kind()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: as_loss("hing"), "'hinge'"),
        (lambda: as_loss(3.0), "Got 3.0"),  # type: ignore[arg-type]
        (lambda: as_loss("hinge", delta=1.0), "delta"),
        (lambda: Huber(0.0), "delta of Huber must be above 0"),
        (lambda: EpsilonInsensitive(-1.0), "epsilon of EpsilonInsensitive"),
        (lambda: Quantile(1.0), "between 0 and 1"),
        (lambda: Tweedie(3.0), "not convex"),
        (lambda: Tweedie(math.nan), "not convex"),
    ],
)
def test_bad_losses_are_refused(call: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        call()


def test_a_loss_is_immutable() -> None:
    with pytest.raises(AttributeError):
        Huber().delta = 3.0  # type: ignore[misc]


def test_gamma_and_tweedie_meet() -> None:
    y, z = grid(Gamma())
    np.testing.assert_allclose(Gamma().value(y, z), Tweedie(2.0).value(y, z), rtol=1e-14)
    assert Tweedie(2.0).targets == "positive"
