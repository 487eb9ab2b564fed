"""The first gate: what the arguments of a minimiser may be."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from inducer.base.errors import ParameterError
from inducer.base.random import seed_sequence


def positive(name: str, argument: str, value: Any) -> float:
    """Return a positive finite number."""
    if not is_real(value) or not 0 < value < math.inf:
        raise ParameterError(f"{name}: {argument} must be a positive number. Got {value!r}.")
    return float(value)


def between(name: str, argument: str, value: Any, low: float, high: float) -> float:
    """Return a number that lies strictly between two others."""
    if not is_real(value) or not low < value < high:
        raise ParameterError(
            f"{name}: {argument} must be between {low} and {high}, without the ends. Got {value!r}."
        )
    return float(value)


def tolerance(name: str, argument: str, value: Any) -> float | None:
    """Return a number that is not negative, or None: do not look."""
    if value is None:
        return None
    if not is_real(value) or not 0 <= value < math.inf:
        raise ParameterError(f"{name}: {argument} must be None or a number >= 0. Got {value!r}.")
    return float(value)


def count(name: str, argument: str, value: Any, least: int = 1) -> int:
    """Return an integer of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < least:
        raise ParameterError(f"{name}: {argument} must be an integer >= {least}. Got {value!r}.")
    return int(value)


def flag(name: str, argument: str, value: Any) -> bool:
    """Return True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name}: {argument} must be True or False. Got {value!r}.")
    return bool(value)


def choice(name: str, argument: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return one of a few words."""
    if not isinstance(value, str) or value not in choices:
        words = ", ".join(repr(word) for word in choices)
        raise ParameterError(f"{name}: {argument} must be one of {words}. Got {value!r}.")
    return value


def function(name: str, argument: str, value: Any) -> Any:
    """Return a function, or None."""
    if value is not None and not callable(value):
        raise ParameterError(f"{name}: {argument} must be a function or None. Got {value!r}.")
    return value


def generator(name: str, random_state: Any) -> np.random.Generator:
    """Return the generator that a random_state stands for."""
    known = random_state is None or isinstance(
        random_state, np.random.Generator | np.random.RandomState
    )
    if not known and random_state is not np.random:
        count(name, "random_state", random_state, least=0)
    return np.random.default_rng(seed_sequence(random_state))


def is_real(value: Any) -> bool:
    """Return whether a value is a real number; True and False are not."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
