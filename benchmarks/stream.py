"""`inducer stream` beside Vowpal Wabbit, over the same file, once from its begin to its end.

Both in this process: what an interpreter or a shell takes to start is left out. Vowpal Wabbit's
workspace, which it takes some 12 ms to make, is in its time; our table is in ours.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks._benchmark import Benchmark, Contestant, Data, Made, Quality, Target
from benchmarks._data import shrunk
from inducer.online._stream.model import Model, new_table
from inducer.online._stream.run import Plan, Stream
from inducer.online._stream.settings import Settings
from inducer.online._stream.source import Source

LINES, WORDS, VOCABULARY = 200_000, 75, 50_000
BITS = 18
HAS_PEER = find_spec("vowpalwabbit") is not None


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="inducer-stream-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _file(scale: float) -> Path:
    """Write a file of VW's format: words by Zipf, of which one in five says something."""
    lines = shrunk(LINES, scale)
    path = _folder() / f"{lines}.vw"
    if path.exists():
        return path
    random = np.random.default_rng(0)
    weights = random.normal(size=VOCABULARY) * (random.random(VOCABULARY) < 0.2)
    often = 1 / np.arange(10, VOCABULARY + 10)
    words = np.array([f"w{word * 7919 % 1_000_003}" for word in range(VOCABULARY)])
    with path.open("w") as stream:
        for begin in range(0, lines, 10_000):
            size = (min(10_000, lines - begin), WORDS)
            chosen = random.choice(VOCABULARY, size=size, p=often / often.sum())
            sides = weights[chosen].sum(axis=1) + 2 * random.normal(size=size[0]) > 0
            for side, row in zip(sides, words[chosen], strict=True):
                stream.write(f"{1 if side else -1} |w {' '.join(row)}\n")
    return path


def _ours(data: Data, seed: int) -> float:  # noqa: ARG001 (nothing is random)
    settings = Settings(format="vw", bits=BITS)
    model = Model(settings, new_table(settings))
    Stream(model, Plan(Source(str(data)))).learn()
    return float(model.state["tally"]["loss"] / model.state["tally"]["weight"])


def _vowpal_wabbit(data: Data, seed: int) -> float:  # noqa: ARG001
    from vowpalwabbit import Workspace

    workspace = Workspace(f"-d {data} -b {BITS} --loss_function logistic --no_stdin --quiet")
    loss = workspace.get_sum_loss() / workspace.get_weighted_examples()
    workspace.finish()
    return float(loss)


def _loss(data: Data, made: Made) -> float:  # noqa: ARG001
    return float(made)


_WHAT = f"one pass over a text of {LINES:,} lines of {WORDS} words, logistic loss, 2^{BITS} weights"
_OURS = Contestant("inducer", _ours)

BENCHMARKS = (
    Benchmark(
        name="stream-text",
        what=_WHAT if HAS_PEER else f"{_WHAT} (no race: pip install vowpalwabbit)",
        data=_file,
        contestants=(_OURS, Contestant("Vowpal Wabbit", _vowpal_wabbit)) if HAS_PEER else (_OURS,),
        target=Target("faster", 1.8) if HAS_PEER else Target("within", 1.0),
        # Collisions of hashes differ, and ours takes the roots that VW approximates.
        quality=Quality("progressive loss", _loss, tolerance=0.002, better="lower"),
        threads=2,
    ),
)
