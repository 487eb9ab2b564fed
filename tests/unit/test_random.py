"""Whatever the user gives as a random state becomes one seed sequence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from inducer.base import ParameterError
from inducer.base.random import kernel_seed, seed_sequence
from inducer.online import Hedge


def words(random_state: Any) -> list[int]:
    return seed_sequence(random_state).generate_state(4).tolist()  # type: ignore[no-any-return]


def test_an_integer_always_gives_the_same() -> None:
    assert words(7) == words(7) == words(np.int64(7)) == words(np.uint8(7))
    assert words(7) != words(8)
    assert words(7) == np.random.SeedSequence(7).generate_state(4).tolist()


@pytest.mark.parametrize("strange", [1.5, 1.0, np.float64(2), "1", -1, [1, 2], np.array([3])])
def test_what_is_no_seed_is_refused(strange: Any) -> None:
    with pytest.raises(ParameterError, match=r"random_state must be an integer .* Got "):
        seed_sequence(strange)
    with pytest.raises(ParameterError, match="random_state"):
        Hedge(2, random_state=strange)


def test_none_gives_another_each_time() -> None:
    assert words(None) != words(None)


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_a_generator_moves_on(make: Callable[[int], Any]) -> None:
    generator, twin = make(3), make(3)
    first, second = words(generator), words(generator)
    assert first != second
    assert [first, second] == [words(twin), words(twin)]
    assert words(make(4)) != first


def test_the_global_state_of_numpy() -> None:
    state = np.random.get_state()  # noqa: NPY002
    try:
        np.random.seed(5)  # noqa: NPY002
        first = words(np.random)
        np.random.seed(5)  # noqa: NPY002
        assert words(np.random) == first
        assert words(np.random.RandomState(5)) == first
    finally:
        np.random.set_state(state)  # noqa: NPY002


def test_generators_use_all_their_bits() -> None:
    """128 bits are drawn, so two generators do not collide by chance."""
    entropies = [seed_sequence(np.random.default_rng(s)).entropy for s in range(50)]
    assert all(isinstance(e, list) and len(e) == 4 for e in entropies)
    assert len({tuple(e) for e in entropies if isinstance(e, list)}) == 50


def test_kernel_seed_is_64_bits_and_spread() -> None:
    seeds = [kernel_seed(s) for s in range(200)]
    assert len(set(seeds)) == 200
    assert all(0 <= seed < 2**64 for seed in seeds)
    assert type(seeds[0]) is int
    # Each bit is set in about half of 200 seeds; 6 standard deviations are 42.
    for bit in range(64):
        assert abs(sum(seed >> bit & 1 for seed in seeds) - 100) < 43


def test_the_numbers_of_today() -> None:
    """A seed in a paper must give the same model next year."""
    assert kernel_seed(0) == 15793235383387715774
    assert kernel_seed(42) == int(np.random.SeedSequence(42).generate_state(1, np.uint64)[0])
    assert kernel_seed(np.random.default_rng(0)) == 17354034591369736073
    assert kernel_seed(np.random.RandomState(0)) == 14984534016714156009
