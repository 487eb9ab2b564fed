"""Seeds: whatever the user gives as ``random_state`` becomes one SeedSequence."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from inducer.base.errors import ParameterError


def seed_sequence(random_state: Any) -> np.random.SeedSequence:
    """Return the seed sequence that a ``random_state`` stands for.

    Parameters
    ----------
    random_state : int, numpy Generator, numpy RandomState or None
        An integer always gives the same sequence; a generator gives its next one, and moves on;
        None gives a new one each time.
    """
    if random_state is None:
        return np.random.SeedSequence()
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(random_state.integers(0, 2**32, size=4).tolist())
    if random_state is np.random or isinstance(random_state, np.random.RandomState):
        words = random_state.randint(0, 2**32, size=4, dtype=np.uint32)
        return np.random.SeedSequence(words.tolist())
    if not isinstance(random_state, Integral) or random_state < 0:
        raise ParameterError(
            "random_state must be an integer that is not negative, a Generator or RandomState of "
            f"NumPy's, or None. Got {random_state!r}."
        )
    return np.random.SeedSequence(int(random_state))


def kernel_seed(random_state: Any) -> int:
    """Return the 64-bit key that our kernels take."""
    return int(seed_sequence(random_state).generate_state(1, np.uint64)[0])
