"""How soon we are there: imports and the command line, each in a fresh interpreter.

The times hold the start of Python itself, some 10 to 20 ms.
"""

from __future__ import annotations

import subprocess
import sys

from benchmarks._benchmark import Benchmark, Contestant, Data, Target


def _python(name: str, code: str, *arguments: str) -> Contestant:
    """Return a contestant that runs a statement in an interpreter of its own."""
    command = [sys.executable, "-c", code, *arguments]

    def work(data: Data, seed: int) -> bytes:  # noqa: ARG001
        return subprocess.run(command, capture_output=True, check=True).stdout

    return Contestant(name, work)


def _nothing(scale: float) -> None:
    """Return no data: there is none to make, and no size."""


BENCHMARKS = (
    Benchmark(
        name="import",
        what="import the package",
        data=_nothing,
        contestants=(
            _python("inducer", "import inducer"),
            _python("scikit-learn", "import sklearn"),
        ),
        target=Target("faster", 5),
    ),
    Benchmark(
        name="import-perceptron",
        what="import Perceptron",
        data=_nothing,
        contestants=(
            _python("inducer", "from inducer.linear import Perceptron"),
            _python("scikit-learn", "from sklearn.linear_model import Perceptron"),
        ),
        target=Target("cost", 1.2),  # ours stands on scikit-learn's base
    ),
    Benchmark(
        name="command-help",
        what="inducer --help",
        data=_nothing,
        contestants=(_python("inducer", "from inducer.cli.app import main; main()", "--help"),),
        target=Target("within", 0.3),
    ),
)
