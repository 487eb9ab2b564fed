"""What the tests of streams share."""

from __future__ import annotations

import random
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from inducer.online._stream.model import load_model

INDUCER = Path(sysconfig.get_path("scripts")) / "inducer"


class Done(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Done]


def some_text(rows: int, seed: int = 0) -> bytes:
    """Return lines of VW's format."""
    draw = random.Random(seed)
    lines = []
    for _ in range(rows):
        words = [f"w{int(draw.expovariate(0.02))}:{draw.random():.3f}" for _ in range(10)]
        label = 1 if sum(len(word) for word in words) + draw.gauss(0, 3) > 80 else -1
        lines.append(f"{label} {draw.choice([1, 2])} 't{draw.randrange(99)}|x {' '.join(words)}\n")
    return "".join(lines).encode()


def same(a: Path, b: Path) -> None:
    """Check that two models are the same, all but what they were read from."""
    one, two = load_model(a), load_model(b)
    assert np.array_equal(one.table, two.table)
    for key in ("tally", "norms", "passes", "pass"):
        assert one.state[key] == two.state[key]
    assert one.names == two.names
