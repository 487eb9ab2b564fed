"""Small things about the descents: what ends them, and what they say of what they cannot use."""

# ruff: noqa: ARG005 -- the functions of a user have their arguments, used or not
from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from inducer.base import InputError, ParameterError
from inducer.optimize import (
    Backtracking,
    Box,
    ConstantRate,
    ExponentialRate,
    Halfspace,
    InverseRate,
    L1Ball,
    L2Ball,
    Plateau,
    Quadratic,
    RatioRate,
    Simplex,
    SqrtRate,
    State,
    Wolfe,
    backtracking_search,
    check_gradient,
    coordinate_descent,
    descent_bound,
    gradient_descent,
    looks_convex,
    projected_gradient,
    schedules,
    stochastic_gradient_descent,
    subgradient_bound,
    subgradient_descent,
    wolfe_search,
)

Array = NDArray[Any]


def bowl(x: Array) -> tuple[float, Array]:
    return float(np.sum(x * x) / 2), x


def pull(x: Array, rows: Array) -> Array:
    return x - np.mean(rows)


# Rates


def test_schedules_are_their_formulas() -> None:
    k = np.arange(1, 6)
    for schedule, formula in (
        (ConstantRate(0.3), np.full(5, 0.3)),
        (SqrtRate(0.3), 0.3 / np.sqrt(k)),
        (InverseRate(0.3), 0.3 / k),
        (RatioRate(3.0, 2.0), 3 / (2 + k)),
        (ExponentialRate(0.3, 0.5), 0.3 * 0.5 ** (k - 1.0)),
    ):
        np.testing.assert_allclose([schedule(i) for i in k.tolist()], formula, rtol=1e-15)


@pytest.mark.parametrize(
    ("word", "rate"),
    [
        ("constant", ConstantRate()),
        ("sqrt", SqrtRate()),
        ("inverse", InverseRate()),
        ("ratio", RatioRate()),
        ("exponential", ExponentialRate()),
        ("backtracking", Backtracking()),
        ("armijo", Backtracking()),
        ("wolfe", Wolfe()),
    ],
)
def test_a_word_is_an_object_with_its_defaults(word: str, rate: Any) -> None:
    found, same = (
        gradient_descent(bowl, [3.0, 1.0], rate=r, max_iter=7, gradient_tol=None)
        for r in (word, rate)
    )
    assert found.trace.values.tobytes() == same.trace.values.tobytes()
    assert found.trace.rates.tobytes() == same.trace.rates.tobytes()


def test_schedules_module_names_all_rates() -> None:
    for name in schedules.__all__:
        assert getattr(schedules, name) is globals()[name]


@pytest.mark.parametrize("rate", [0, -1.0, np.inf, np.nan, True, "fast", None, [0.1]])
@pytest.mark.parametrize("minimiser", ["gradient", "subgradient", "stochastic", "projected"])
def test_rates_have_to_be_positive(minimiser: str, rate: Any) -> None:
    with pytest.raises(ParameterError, match=r"descent: rate|gradient: rate"):
        run(minimiser, rate=rate)


@pytest.mark.parametrize("rate", [lambda k: 1 - k, lambda k: np.nan, lambda k: None])
@pytest.mark.parametrize("minimiser", ["gradient", "subgradient", "stochastic", "projected"])
def test_schedules_have_to_stay_positive(minimiser: str, rate: Any) -> None:
    with pytest.raises(InputError, match="the schedule gives"):
        run(minimiser, rate=rate)


def run(minimiser: str, **options: Any) -> Any:
    if minimiser == "gradient":
        return gradient_descent(bowl, [1.0], **options)
    if minimiser == "subgradient":
        return subgradient_descent(bowl, [1.0], **options)
    if minimiser == "projected":
        return projected_gradient(bowl, [1.0], Box(-1, 1), **options)
    return stochastic_gradient_descent(pull, [1.0], 3, **options)


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (ConstantRate, {"rate": 0}),
        (SqrtRate, {"rate": -1}),
        (InverseRate, {"rate": "x"}),
        (RatioRate, {"a": 0}),
        (RatioRate, {"b": -1}),
        (RatioRate, {"b": None}),
        (ExponentialRate, {"rate": 0}),
        (ExponentialRate, {"decay": 1.0}),
        (Backtracking, {"rate": 0}),
        (Backtracking, {"shrink": 1}),
        (Backtracking, {"slope": 0.5}),
        (Backtracking, {"grow": 0.5}),
        (Wolfe, {"rate": 0}),
        (Wolfe, {"slope": 0}),
        (Wolfe, {"flatness": 1e-5}),
        (L2Ball, {"radius": 0}),
        (L1Ball, {"radius": np.inf}),
        (Simplex, {"total": 0}),
        (Plateau, {"score": abs, "patience": 0}),
        (Plateau, {"score": abs, "every": 0}),
        (Plateau, {"score": abs, "tol": -1}),
    ],
)
def test_parameters_of_objects_are_checked(make: Any, options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=list(options)[-1]):
        make(**options)


@pytest.mark.parametrize("minimiser", ["subgradient", "stochastic"])
@pytest.mark.parametrize("rate", ["wolfe", Backtracking()])
def test_no_line_search_where_it_means_nothing(minimiser: str, rate: Any) -> None:
    with pytest.raises(ParameterError, match="a line search needs"):
        run(minimiser, rate=rate)


def test_projected_paths_have_no_wolfe_conditions() -> None:
    with pytest.raises(ParameterError, match="bends"):
        run("projected", rate="wolfe")


# Line searches


@pytest.mark.parametrize("start", [1e-6, 1.0, 1e6])
def test_line_searches_meet_their_conditions(start: float) -> None:
    def f(x: Array) -> tuple[float, Array]:
        return float(np.sum(np.sqrt(1 + x * x))), x / np.sqrt(1 + x * x)

    x, direction = np.array([3.0, -4.0]), np.array([-3.0, 4.5])
    value, slope = f(x)[0], f(x)[1] @ direction
    step = backtracking_search(f, x, direction, rate=start)
    assert step.found
    assert step.value <= value + 0.3 * step.rate * slope
    longer = f(x + 2 * step.rate * direction)[0]
    assert step.rate == start or longer > value + 0.6 * step.rate * slope
    step = wolfe_search(f, x, direction, rate=start)
    assert step.found
    assert step.value == f(step.x)[0]
    assert step.value <= value + 1e-4 * step.rate * slope
    assert abs(f(step.x)[1] @ direction) <= 0.1 * abs(slope)
    np.testing.assert_allclose(step.x, x + step.rate * direction)


def test_line_searches_say_when_there_is_nothing_to_find() -> None:
    kinked = backtracking_search(
        lambda x: float(abs(x[0])), [0.0], [1.0], gradient=lambda x: np.array([-1.0])
    )
    assert (kinked.found, kinked.rate, kinked.value) == (False, 0.0, 0.0)
    falling = wolfe_search(lambda x: (-x[0], [-1.0]), [0.0], [1.0])
    assert not falling.found
    for search in (backtracking_search, wolfe_search):
        with pytest.raises(InputError, match="goes uphill"):
            search(bowl, [1.0], [1.0])
        with pytest.raises(InputError, match="direction has shape"):
            search(bowl, [1.0], [1.0, 2.0])


def test_projected_backtracking_finds_the_curvature() -> None:
    # Of 1, 1/2, 1/4, ... the first below 1/L = 1/3 is 1/4, however often it tries to grow.
    for accelerated in (False, True):
        found = projected_gradient(
            lambda x: (3 * bowl(x)[0], 3 * x), [1.0, 5.0], Box(-9, 9), accelerated=accelerated
        )
        assert set(found.trace.rates.tolist()) == {0.25}


def test_momentum_is_worth_the_root_of_the_condition() -> None:
    curvatures = np.geomspace(1e-4, 1, 30)
    plain, fast = (
        projected_gradient(
            lambda x: (float(curvatures @ x**2 / 2), curvatures * x),
            np.ones(30),
            Box(-1, 1),
            rate=1.0,
            accelerated=accelerated,
            max_iter=100_000,
            gradient_tol=1e-8,
        )
        for accelerated in (False, True)
    )
    # A hundredth, but for logarithms and what the restarts cost.
    assert fast.iterations < plain.iterations / 20


def test_backtracking_keeps_away_from_where_there_is_no_value() -> None:
    def f(x: Array) -> tuple[float, Array]:
        if x[0] <= 0:
            return np.nan, x
        return float(x[0] - np.log(x[0])), 1 - 1 / x

    for rate in ("backtracking", "wolfe"):
        found = gradient_descent(f, [5.0], rate=rate, gradient_tol=1e-8)
        assert found.x[0] == pytest.approx(1, abs=1e-7)


# What ends a descent


def test_reasons_to_stop() -> None:
    reasons = {
        "gradient": {"gradient_tol": 0.1},
        "value": {"gradient_tol": None, "value_tol": 1e-3},
        "point": {"gradient_tol": None, "point_tol": 1e-2},
        "stop": {"gradient_tol": None, "stop": lambda state: state.iteration == 7},
        "max_iter": {"gradient_tol": None, "max_iter": 4},
    }
    for reason, options in reasons.items():
        found = gradient_descent(bowl, [3.0, 4.0], rate=0.2, **options)
        assert found.reason == reason
        assert found.converged is (reason != "max_iter")
        trace = found.trace
        assert len(trace.values) == found.iterations + 1 == len(trace.rates) + 1
        assert found.value == trace.values[-1] == bowl(found.x)[0]
        assert found.gradient_norm == trace.gradient_norms[-1]
        if reason == "gradient":
            assert trace.gradient_norms[-1] <= 0.1 < trace.gradient_norms[-2]
        if reason == "value":
            change = -np.diff(trace.values) / np.maximum(1, trace.values[:-1])
            assert change[-1] <= 1e-3 < change[-2]
        if reason == "point":
            # Each step is a fifth of the distance to the minimum, as long as the gradient.
            assert 0.2 * trace.gradient_norms[-2] <= 1e-2 < 0.2 * trace.gradient_norms[-3]
        if reason == "stop":
            assert found.iterations == 7


def test_changes_of_large_values_are_relative() -> None:
    found = gradient_descent(
        lambda x: (1e6 + bowl(x)[0], x), [3.0, 4.0], rate=0.2, gradient_tol=None, value_tol=1e-9
    )
    change = -np.diff(found.trace.values)
    assert found.reason == "value"
    assert change[-1] <= 1e-3 < change[-2]


def test_a_minimum_needs_no_step() -> None:
    for options in ({}, {"gradient_tol": None}):
        found = gradient_descent(bowl, [0.0], **options)  # type: ignore[arg-type]
        assert (found.iterations, found.reason, found.converged) == (0, "gradient", True)


def test_stop_sees_the_state() -> None:
    seen: list[State] = []

    def stop(state: State) -> bool:
        seen.append(state)
        with pytest.raises(ValueError, match="read-only"):
            state.x[0] = 7
        return state.iteration == 2

    found = gradient_descent(lambda x: (-bowl(x)[0], -x), [1.0], rate=0.5, ascent=True, stop=stop)
    assert [state.iteration for state in seen] == [0, 1, 2]
    assert [state.value for state in seen] == found.trace.values.tolist()
    assert [state.gradient_norm for state in seen] == found.trace.gradient_norms.tolist()


def test_plateau_waits_and_keeps_the_best() -> None:
    held_out = Plateau(lambda x: abs(float(x[0]) - 0.3), patience=2, every=3)
    for _ in range(2):  # a second descent begins afresh
        found = gradient_descent(
            bowl, [1.0], rate=0.1, gradient_tol=None, stop=held_out, points=True
        )
        assert found.reason == "stop"
        assert found.trace.points is not None
        looks = found.trace.points[::3, 0]
        assert held_out.scores == np.abs(looks - 0.3).tolist()
        best = int(np.argmin(held_out.scores))
        assert held_out.best_x.tolist() == [looks[best]]
        assert len(held_out.scores) == best + 3
    with pytest.raises(InputError, match="NaN at iteration 0"):
        gradient_descent(bowl, [1.0], stop=Plateau(lambda x: np.nan))


def test_subgradient_descent_stops_at_its_target_or_a_zero_slope() -> None:
    def f(x: Array) -> tuple[float, Array]:
        return float(np.abs(x).sum()), np.sign(x)

    found = subgradient_descent(f, [3.0], rate=0.5, target=1.2)
    assert (found.reason, found.value, found.iterations) == ("target", 1.0, 4)
    found = subgradient_descent(f, [3.0], rate=0.5)
    assert (found.reason, found.value, found.iterations) == ("gradient", 0.0, 6)
    assert found.converged
    found = subgradient_descent(f, [3.0], rate=0.5, max_iter=6)
    assert found.reason == "gradient"
    with pytest.warns(ConvergenceWarning, match=r"above the target -1\. Raise max_iter"):
        subgradient_descent(f, [3.1], rate=0.5, target=-1.0, max_iter=9)
    found = subgradient_descent(f, [3.0], rate=0.5, stop=lambda state: state.value < 2)
    assert (found.reason, found.iterations) == ("stop", 3)


def test_coordinate_descent_stops_at_its_gap_or_says_why_not() -> None:
    problem = Quadratic([[2.0, 1.0], [1.0, 3.0]], [1.0, 2.0], lower=0, upper=1)
    found = coordinate_descent(problem, [1.0, 1.0], gap_tol=1e-6)
    assert found.trace.gaps is not None
    assert found.reason == "gap"
    assert found.trace.gaps[-1] <= 1e-6 < found.trace.gaps[-2]
    with pytest.warns(ConvergenceWarning, match=r"the duality gap \d.*raise gap_tol"):
        found = coordinate_descent(
            Quadratic(problem.A / 3, [0.7, 0.9], lower=0, upper=1),
            [1.0, 1.0],
            gap=lambda x: 0.5,
            gap_tol=0.1,
        )
    assert (found.reason, found.converged) == ("precision", False)
    with pytest.warns(ConvergenceWarning, match="ended after 1 passes"):
        coordinate_descent(problem, [1.0, 1.0], max_iter=1)
    found = coordinate_descent(problem, [1.0, 1.0], stop=lambda state: state.iteration == 2)
    assert (found.reason, found.iterations) == ("stop", 2)


def test_stochastic_descent_stops_where_it_is_told() -> None:
    found = stochastic_gradient_descent(
        pull, [1.0], 4, value=lambda x: bowl(x)[0], value_tol=1e-3, rate="inverse", max_iter=99
    )
    assert found.reason == "value"
    assert len(found.trace.values) == found.iterations + 1
    found = stochastic_gradient_descent(pull, [1.0], 4, stop=lambda state: state.iteration == 3)
    assert (found.reason, found.iterations, found.evaluations) == ("stop", 3, 12)
    assert np.isnan(found.value)
    with pytest.warns(ConvergenceWarning, match="made all 2 passes"):
        stochastic_gradient_descent(
            pull, [9.0], 4, value=lambda x: bowl(x)[0], value_tol=1e-9, max_iter=2, random_state=0
        )
    found = stochastic_gradient_descent(pull, 0.0, iter([1.0] * 9), order="stream", max_iter=4)
    assert (found.reason, found.iterations) == ("max_iter", 4)


# What goes wrong underway


@pytest.mark.parametrize("rate", [2.5, 1e200])
def test_too_large_a_rate_is_noticed(rate: float) -> None:
    words = r"diverged: .*2 / curvature is 2 |diverged.*inf"
    for normal in (gradient_descent, projected_gradient):
        more = () if normal is gradient_descent else (lambda x: x,)
        with pytest.warns(ConvergenceWarning, match=words):
            found = normal(bowl, [1.0, 2.0], *more, rate=rate)  # type: ignore[operator]
        assert (found.reason, found.converged) == ("diverged", False)
        assert found.x.tolist() == [1.0, 2.0]  # the best
        assert found.value == 2.5
        assert found.iterations < 100
        assert len(found.trace.values) == found.iterations + 1


def test_a_rate_that_swings_is_told_at_the_end() -> None:
    for rate, words in ((2.01, "lower the rate"), (1e-9, "Raise max_iter")):
        with pytest.warns(ConvergenceWarning, match=words):
            gradient_descent(bowl, [1.0], rate=rate, max_iter=20)
        with pytest.warns(ConvergenceWarning, match=words):
            projected_gradient(bowl, [1.0], Box(-9, 9), rate=rate, max_iter=20)


def test_falling_without_end_is_noticed() -> None:
    with pytest.warns(ConvergenceWarning, match="no minimum"):
        found = gradient_descent(lambda x: (-np.exp(x[0]), -np.exp(x)), [1.0], rate=1.0)
    assert found.reason == "diverged"


def test_other_divergence() -> None:
    def steep(x: Array) -> tuple[float, Array]:
        return float(np.sum(x**4)), 4 * x**3

    with pytest.warns(ConvergenceWarning, match="diverged: the value is"):
        found = subgradient_descent(steep, [10.0], rate=1.0)
    assert (found.reason, found.x.tolist()) == ("diverged", [10.0])
    with pytest.warns(ConvergenceWarning, match="diverged in pass"):
        found = stochastic_gradient_descent(
            lambda x, rows: 4 * x**3, [10.0], 1, value=lambda x: steep(x)[0], rate=1.0
        )
    assert (found.reason, found.x.tolist()) == ("diverged", [10.0])
    with pytest.warns(ConvergenceWarning, match="The best of the passes so far"):
        found_in_passes = stochastic_gradient_descent(
            lambda x, rows: x,
            [10.0],
            1,
            value=lambda x: bowl(x)[0],
            rate=lambda k: 1.3**k / 2,
            max_iter=99,
            points=True,
        )
    best = int(np.nanargmin(found_in_passes.trace.values))
    assert 0 < best < found_in_passes.iterations
    assert found_in_passes.value == found_in_passes.trace.values[best]
    assert found_in_passes.x == found_in_passes.trace.points[best]
    saddle = Quadratic([[1.0, 2.0], [2.0, 1.0]], [1.0, 0.0])
    with pytest.warns(ConvergenceWarning, match="not convex"):
        found = coordinate_descent(saddle, [0.0, 0.0])
    assert found.reason == "diverged"


def test_a_wrong_gradient_ends_in_precision() -> None:
    with pytest.warns(ConvergenceWarning, match="check_gradient"):
        found = gradient_descent(lambda x: (bowl(x)[0], -x), [1.0])
    assert found.reason == "precision"
    assert found.iterations < 5  # within rounding of the value it may try
    assert found.x[0] == pytest.approx(1, abs=1e-13)
    with pytest.warns(ConvergenceWarning, match="check_gradient"):
        projected_gradient(lambda x: (bowl(x)[0], -x), [1.0], Box(-2, 2))


# What cannot be used

BAD_FUNCTIONS: dict[str, tuple[Any, Any, str]] = {
    "no gradient": (lambda x: 1.0, None, "f returned float, and there is no gradient"),
    "two gradients": (bowl, lambda x: x, "f returned 2 things"),
    "NaN": (lambda x: (np.nan, x), None, "the value at the starting point is nan"),
    "inf": (lambda x: (np.inf, x), None, "the value at the starting point is inf"),
    "NaN slope": (lambda x: (1.0, [0, np.nan]), None, "gradient .* is nan at index 1"),
    "shape": (lambda x: (1.0, np.ones(3)), None, r"shape \(3,\), and x has \(2,\)"),
    "column": (lambda x: 1.0, lambda x: x[:, None], r"shape \(2, 1\)"),
    "array as value": (lambda x: (x, x), None, "one number as the value"),
    "text as value": (lambda x: ("low", x), None, "one number as the value"),
    "writes": (lambda x: x.sort(), None, "read-only"),
}


@pytest.mark.parametrize("case", BAD_FUNCTIONS)
def test_functions_that_do_not_do_are_named(case: str) -> None:
    f, gradient, words = BAD_FUNCTIONS[case]
    for go in (
        lambda: gradient_descent(f, [2.0, 1.0], gradient=gradient),
        lambda: subgradient_descent(f, [2.0, 1.0], subgradient=gradient),
        lambda: projected_gradient(f, [2.0, 1.0], Box(0, 3), gradient=gradient),
        lambda: check_gradient(f, [2.0, 1.0], gradient=gradient),
        lambda: wolfe_search(f, [2.0, 1.0], [1.0, 0.0], gradient=gradient),
    ):
        with pytest.raises(ValueError, match=words):
            go()


@pytest.mark.parametrize(
    ("x0", "words"),
    [
        ([], "empty"),
        ([1.0, np.nan], "nan at index 1"),
        ([[1.0], [np.inf]], "inf at index 1, 0"),
        (["a"], "real numbers"),
        ([1j], "real numbers"),
        ([[1.0], [1.0, 2.0]], "no array"),
    ],
)
def test_starting_points_are_checked(x0: Any, words: str) -> None:
    for go in (
        lambda: gradient_descent(bowl, x0),
        lambda: subgradient_descent(bowl, x0),
        lambda: projected_gradient(bowl, x0, Box()),
        lambda: stochastic_gradient_descent(pull, x0, 3),
        lambda: coordinate_descent(lambda x, j: 0.0, x0),
    ):
        with pytest.raises(InputError, match=words):
            go()


@pytest.mark.parametrize(
    "options",
    [
        {"max_iter": 0},
        {"max_iter": 2.5},
        {"max_iter": True},
        {"gradient_tol": -1.0},
        {"value_tol": "small"},
        {"point_tol": np.nan},
        {"stop": 3},
        {"ascent": "yes"},
        {"normalised": 1},
        {"points": None},
        {"gradient": 3},
    ],
)
def test_parameters_are_checked(options: Any) -> None:
    with pytest.raises(ParameterError, match=f"gradient_descent: {next(iter(options))}"):
        gradient_descent(bowl, [1.0], **options)


@pytest.mark.parametrize(
    ("n", "options", "words"),
    [
        (0, {}, "n must be an integer >= 1"),
        (2.5, {}, "n must be the number of terms"),
        ([1, 2], {}, "order='stream'"),
        (5, {"order": "stream"}, "needs an iterable"),
        (5, {"order": "sorted"}, "order must be one of 'every'"),
        (5, {"batch_size": 0}, "batch_size must be"),
        (5, {"batch_size": 6}, "batch_size is 6, and there are 5 terms"),
        (5, {"average": -1}, "average"),
        (5, {"value_tol": 0.1}, "value_tol needs value="),
        (5, {"value": 3}, "value must be a function"),
        (5, {"max_iter": 0}, "max_iter"),
    ],
)
def test_stochastic_parameters_are_checked(n: Any, options: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        stochastic_gradient_descent(pull, [1.0], n, **options)


def test_stochastic_gradients_are_checked() -> None:
    with pytest.raises(InputError, match=r"rows \[2, 3\] is not finite, in step 2"):
        stochastic_gradient_descent(
            lambda x, rows: x * (np.nan if 3 in rows else 1.0),
            [1.0],
            6,
            batch_size=2,
            order="never",
        )
    with pytest.raises(InputError, match=r"shape \(2,\), and x has \(1,\)"):
        stochastic_gradient_descent(lambda x, rows: np.ones(2), [1.0], 6)
    with pytest.raises(ParameterError, match="gradient must be a function"):
        stochastic_gradient_descent(None, [1.0], 6)  # type: ignore[arg-type]
    empty = stochastic_gradient_descent(pull, [1.0], [], order="stream")
    assert (empty.reason, empty.iterations, empty.x.tolist()) == ("end", 0, [1.0])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Quadratic([[1.0, 2.0]], [1.0]), r"A has shape \(1, 2\)"),
        (lambda: Quadratic([[1.0, 2.0], [0.0, 1.0]], [1.0, 1.0]), "not symmetric"),
        (lambda: Quadratic([[-1.0]], [1.0]), r"A\[0, 0\] is -1"),
        (lambda: Quadratic([[np.nan]], [1.0]), "finite"),
        (lambda: Quadratic([[1.0]], [1.0], l1=-1), "l1"),
        (lambda: Quadratic([[1.0]], [1.0], l1=[1.0, 2.0]), "l1 must be a number, or one"),
        (lambda: Quadratic([[1.0]], [1.0], lower=2, upper=1), "lower must not exceed"),
        (lambda: coordinate_descent(Quadratic([[1.0]], [1.0], lower=0), [-1.0]), r"x0\[0\] is -1"),
        (lambda: coordinate_descent(Quadratic([[1.0]], [1.0]), [1.0, 2.0]), "1 variables"),
        (lambda: coordinate_descent(Quadratic([[0.0]], [1.0]), [0.0]), "l1 of at least 1"),
        (lambda: coordinate_descent(lambda x, j: 0.0, [[1.0]]), r"x0.ravel\(\)"),
        (lambda: coordinate_descent(lambda x, j: np.nan, [1.0]), r"problem\(x, 0\) gave nan"),
        (lambda: coordinate_descent(lambda x, j: "up", [1.0]), "one number"),
        (lambda: coordinate_descent(7, [1.0]), "problem must be a Quadratic"),  # type: ignore[arg-type]
        (lambda: coordinate_descent(lambda x, j: 0.0, [1.0], gap_tol=1.0), "needs gap="),
        (lambda: coordinate_descent(lambda x, j: 0.0, [1.0], gap=lambda x: np.nan), "gap.* NaN"),
        (lambda: coordinate_descent(lambda x, j: 0.0, [1.0], order="best"), "order"),
        (lambda: Box(1, 0), "empty"),
        (lambda: Box(np.nan, 0), "lower must be made of numbers"),
        (lambda: Box([0.0, 0.0], 1)([1.0]), "a bound has shape"),
        (lambda: L2Ball(centre=[1.0, 2.0])([1.0]), "centre has shape"),
        (lambda: L1Ball(centre="a"), "centre must be made of numbers"),
        (lambda: Simplex()([np.nan]), "not finite"),
        (lambda: Halfspace([0.0, 0.0]), "normal must not be zero"),
        (lambda: Halfspace([1.0, 0.0])([1.0]), r"the normal \(2,\)"),
        (lambda: projected_gradient(bowl, [1.0], "box"), "projection must be"),  # type: ignore[arg-type]
        (lambda: projected_gradient(bowl, [1.0], lambda x: [1, 2]), "projection gave shape"),
        (lambda: projected_gradient(bowl, [1.0], lambda x: x * np.nan), "not finite"),
        (lambda: subgradient_descent(bowl, [1.0], target="low"), "target"),  # type: ignore[arg-type]
        (lambda: looks_convex(lambda x: 1.0), "give lower and upper"),
        (lambda: looks_convex(lambda x: 1.0, 0.0, 1.0, sample=lambda r: 1.0), "not both"),
        (lambda: looks_convex(lambda x: 1.0, sample=1), "sample must be"),  # type: ignore[arg-type]
        (lambda: looks_convex(lambda x: 1.0, 1.0, 0.0), "below upper"),
        (lambda: looks_convex(lambda x: 1.0, [0.0], 1.0), "lower has shape"),
        (lambda: looks_convex(lambda x: x, [0.0, 0], [1.0, 1]), "one real number"),
        (lambda: looks_convex(lambda x: np.nan, 0.0, 1.0), "f is NaN at"),
        (lambda: looks_convex(None, 0.0, 1.0), "f must be"),  # type: ignore[arg-type]
        (lambda: check_gradient(bowl, [1.0], method="forward"), "method"),
        (lambda: check_gradient(lambda x: (abs(x[0]), x), [1.0], method="complex"), "drops"),
        (lambda: check_gradient(lambda x: (float(x[0]), x), [1.0], method="complex"), "complex"),
        (lambda: descent_bound(1.0, 0.5, 0), "at least 1"),
        (lambda: descent_bound(-1.0, 0.5, 1), "distance"),
        (lambda: subgradient_bound(1.0, [1.0], [1.0, 2.0]), "1 slopes and 2 rates"),
        (lambda: subgradient_bound(1.0, 1.0, [0.0]), "positive"),
    ],
)
@pytest.mark.filterwarnings("ignore:Casting complex")  # by float(), which is what is tested
def test_other_bad_input(make: Any, words: str) -> None:
    with pytest.raises((InputError, ParameterError), match=words):
        make()


@pytest.mark.parametrize("seed", [-1, 1.5, "a", True])
def test_seeds_are_checked(seed: Any) -> None:
    for go in (
        lambda: stochastic_gradient_descent(pull, [1.0], 3, random_state=seed),
        lambda: coordinate_descent(lambda x, j: 0.0, [1.0], order="random", random_state=seed),
        lambda: looks_convex(lambda x: 1.0, 0.0, 1.0, random_state=seed),
    ):
        with pytest.raises(ParameterError, match="random_state must be an integer >= 0"):
            go()


def test_seeds_are_of_any_kind() -> None:
    for kind in (np.random.default_rng, np.random.RandomState, np.int64):
        first, second = (
            stochastic_gradient_descent(
                pull, [1.0], 9, batch_size=2, max_iter=1, random_state=kind(3)
            ).x
            for _ in range(2)
        )
        assert first.tobytes() == second.tobytes()
    assert stochastic_gradient_descent(pull, [1.0], 3, random_state=np.random).iterations == 10


# Shapes, precisions


@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (2, 1, 2)])
def test_any_shape(shape: tuple[int, ...]) -> None:
    x0 = np.full(shape, 0.5)
    results = [
        gradient_descent(bowl, x0),
        gradient_descent(bowl, x0, rate="wolfe"),
        gradient_descent(bowl, x0, rate=0.1, normalised=True, max_iter=3, gradient_tol=None),
        subgradient_descent(bowl, x0, max_iter=9),
        projected_gradient(bowl, x0, Box(-1, 1), accelerated=True),
        projected_gradient(bowl, x0, L1Ball(0.2)),
        stochastic_gradient_descent(lambda x, rows: x, x0, 3),
    ]
    for found in results:
        assert found.x.shape == shape
        assert found.x.flags.writeable
    assert check_gradient(bowl, x0)
    assert x0.tolist() == np.full(shape, 0.5).tolist()


def test_single_precision_stays() -> None:
    x0 = np.array([0.5, -1.5], dtype=np.float32)
    seen: set[Any] = set()

    def f(x: Array) -> tuple[float, Array]:
        seen.add(x.dtype)
        return bowl(x)

    results = [
        gradient_descent(f, x0, gradient_tol=1e-4),
        gradient_descent(f, x0, rate="wolfe", gradient_tol=1e-4),
        subgradient_descent(f, x0, max_iter=9),
        projected_gradient(f, x0, Box(-1, 1), gradient_tol=1e-4),
        stochastic_gradient_descent(lambda x, rows: f(x)[1], x0, 3, average=1),
        coordinate_descent(lambda x, j: f(x)[0] * 0, x0),
    ]
    assert seen == {np.dtype(np.float32)}
    assert {found.x.dtype for found in results} == {np.dtype(np.float32)}


def test_integers_become_floats_and_x0_stays() -> None:
    x0 = np.array([3, 4])
    assert gradient_descent(bowl, x0).x.dtype == np.float64
    assert x0.tolist() == [3, 4]


def test_a_gradient_in_a_buffer_that_is_used_again() -> None:
    buffer = np.empty(2)

    def f(x: Array) -> tuple[float, Array]:
        buffer[:] = [1, 9] * x
        return float(x @ buffer / 2), buffer

    def fresh(x: Array) -> tuple[float, Array]:
        return float(x @ ([1, 9] * x) / 2), [1, 9] * x

    for rate in ("backtracking", "wolfe", 0.1):
        again, other = (gradient_descent(g, [3.0, 1.0], rate=rate) for g in (f, fresh))
        assert again.trace.values.tobytes() == other.trace.values.tobytes()


def test_value_and_gradient_apart_or_together() -> None:
    for rate in ("backtracking", "wolfe", 0.1):
        together = gradient_descent(bowl, [3.0, 1.0], rate=rate)
        apart = gradient_descent(lambda x: bowl(x)[0], [3.0, 1.0], gradient=lambda x: x, rate=rate)
        assert together.trace.values.tobytes() == apart.trace.values.tobytes()


def test_points_are_kept_when_asked_for() -> None:
    for found in (
        run("gradient", points=True),
        run("subgradient", points=True, max_iter=5),
        run("projected", points=True),
        run("stochastic", points=True),
        coordinate_descent(lambda x, j: 0.0, [1.0], points=True),
    ):
        assert found.trace.points.shape == (found.iterations + 1, 1)
        assert found.trace.points[0] == 1
        assert found.trace.values.shape == found.trace.gradient_norms.shape
    assert run("gradient").trace.points is None


def test_projection_of_large_numbers_keeps_the_sum() -> None:
    x = np.array([1e15, 1e15 + 0.25, -5.0])
    assert Simplex()(x).tolist() == [0.375, 0.625, 0.0]


def test_convexity_on_a_sampled_domain() -> None:
    found = looks_convex(
        lambda x: float(np.log(x).sum()),
        sample=lambda random: random.exponential(size=2),
        random_state=0,
    )
    assert not found
    assert found.chord is not None
    assert np.all(found.chord.a > 0)
    same = looks_convex(lambda x: (float(-np.log(x).sum()), x), [0.1, 0.1], [2.0, 2.0])
    assert same.convex
    assert (same.chord, same.chords) == (None, 1000)


def test_ripples_on_a_bowl_are_found_by_short_chords() -> None:
    def rippled(x: Array) -> float:
        return float(np.sum(x**2) + 0.01 * np.sum(np.cos(30 * x)))

    found = looks_convex(rippled, np.full(6, -3.0), np.full(6, 3.0), random_state=0)
    assert not found
    assert found.chord is not None
    assert np.linalg.norm(found.chord.b - found.chord.a) < 1


def test_a_dent_that_is_narrow_is_found() -> None:
    def dented(x: Array) -> float:
        return float(x**2) - 0.05 * float(np.exp(-(((x - 1) / 0.1) ** 2)))

    assert not looks_convex(dented, -3.0, 3.0, random_state=0)


# The rest


@pytest.mark.parametrize(
    "endless",
    [
        lambda: gradient_descent(bowl, [1.0], rate=1e-9, max_iter=10**9),
        lambda: stochastic_gradient_descent(pull, [1.0], 100, max_iter=10**9),
        lambda: coordinate_descent(lambda x, j: x[j] + 1, np.ones(3), max_iter=10**9),
    ],
)
def test_interrupt_is_heard(endless: Any) -> None:
    threading.Timer(0.2, lambda: signal.raise_signal(signal.SIGINT)).start()
    begin = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        endless()
    # 0.2 s are promised from the signal on; the rest is for a busy machine.
    assert time.perf_counter() - begin < 1.0


def test_import_of_the_package_stays_light() -> None:
    code = "import inducer.optimize, sys; print('numpy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout.strip() == "False"
