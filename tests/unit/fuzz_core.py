"""Drives the bindings with arguments that nobody should give: a script for test_sanitizers.py.

    python fuzz_core.py PATH_OF_THE_EXTENSION [SEED]

The extension is the one built with the address sanitizer. Each call must return, or raise an
exception; what it must not do is read or write where it should not, and then the sanitizer ends
the process. First each argument by itself takes every value of `nasty`, then several do at random.
"""

from __future__ import annotations

import gc
import importlib.util
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

ROWS, COLS, CLASSES = 23, 5, 3
RANDOM_CALLS = 12_000


def load(path: str) -> ModuleType:
    """Return the extension at a path as inducer._core, without inducer."""
    spec = importlib.util.spec_from_file_location("inducer._core", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Liar:
    """Looks like an array until it is asked."""

    shape = (ROWS, COLS)
    dtype = np.dtype(float)

    def __dlpack__(self, **options: Any) -> Any:
        raise RuntimeError("no")

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def unaligned(array: Any) -> Any:
    """Return the array at an odd address."""
    memory = np.zeros(array.nbytes + 1, np.uint8)[1:]
    moved = memory[: array.nbytes].view(array.dtype).reshape(array.shape)
    moved[...] = array
    return moved


def frozen(array: Any) -> Any:
    array = array.copy()
    array.flags.writeable = False
    return array


def nasty_arrays() -> Iterator[Any]:
    """Yield arrays that are wrong in some way for most arguments."""
    for dtype in (np.float64, np.float32):
        table = np.arange(ROWS * COLS, dtype=dtype).reshape(ROWS, COLS) - 50
        column = np.linspace(-1, 1, ROWS, dtype=dtype)
        wide = np.zeros((2 * ROWS, 3 * COLS), dtype)
        info = np.finfo(dtype)
        yield from (table, column, table[0], table.T, np.asfortranarray(table), wide[::2, ::3])
        yield from (table[::-1], table[:, ::-1], table[::-1, ::-1], column[::-1], wide[0, ::3])
        yield from (frozen(table), frozen(column), unaligned(table), unaligned(column))
        yield from (np.broadcast_to(table[0], (ROWS, COLS)), np.broadcast_to(dtype(1), ROWS))
        yield from (table[:0], table[:, :0], table[:0, :0], column[:0], table[:1], table[:, :1])
        yield from (table[:-1], table[:, :-1], column[:-1], np.append(column, dtype(1)))
        yield as_strided(table, (ROWS - 2, COLS), (table.itemsize, table.itemsize))
        yield as_strided(column, (4, 3, 2), (0, 0, 0))
        yield dtype(3)
        for value in (np.nan, np.inf, -np.inf, info.max, -info.max, info.tiny, -0.0, info.eps):
            yield np.full((ROWS, COLS), value, dtype)
            yield np.full(ROWS, value, dtype)
            yield np.full(COLS, value, dtype)
        yield -np.abs(column)
        yield np.zeros((2, 2), dtype)
        yield np.zeros((CLASSES, CLASSES), dtype)
        yield np.zeros((CLASSES, COLS), dtype)
        yield np.zeros((1, COLS), dtype)
        yield np.zeros(CLASSES, dtype)
        yield np.zeros(1, dtype)
        yield np.broadcast_to(dtype(0), (2**32 + 5, 0))
        yield np.broadcast_to(dtype(0), (300_000, 2))
    limits = np.iinfo(np.int32)
    for kind in ("i4", "i8", "u4", "i1"):
        for values in (
            [0] * ROWS,
            [0, 1, 2] * 7 + [0, 1],
            [-1] * ROWS,
            [CLASSES] * ROWS,
            list(range(ROWS + 1)),
            list(range(ROWS, -1, -1)),
            [0, 2, 1],
            [0],
            [],
        ):
            yield np.array(values).astype(kind)
    yield np.full(ROWS, limits.max, np.int32)
    yield np.full(ROWS, limits.min, np.int32)
    yield np.full(ROWS + 1, np.iinfo(np.int64).max)
    yield np.full(ROWS + 1, np.iinfo(np.int64).min)
    yield np.array([0, np.iinfo(np.int64).max, 3])
    yield np.zeros(2 * ROWS, np.int32)[::2]
    yield unaligned(np.zeros(ROWS, np.int32))
    yield unaligned(np.zeros(ROWS + 1, np.int64))
    for kind in (">f8", ">i4", "f2", "g", "c16", "?", "M8[s]", "S3", "U3", "O"):
        yield np.zeros(ROWS, kind)
        yield np.zeros((ROWS, COLS), kind)
    yield np.zeros(ROWS, [("a", "f8"), ("b", "i4")])["a"]
    yield np.zeros(ROWS, [("a", "f8"), ("b", "i4")])
    yield np.ma.masked_array(np.zeros((ROWS, COLS)), mask=True)
    yield np.matrix(np.zeros((ROWS, COLS)))


NASTY_OTHERS: list[Any] = [
    None, True, "", "every", "v3", "long" * 1000, b"", b"\0" * 40, [], [1.0] * ROWS, [[0.0]], {},
    object(), Liar(), Liar, memoryview(bytearray(8 * ROWS)), 0, 1, 2, 3, -1, -7, ROWS, ROWS + 1,
    2**24, 2**31 - 1, 2**31, -(2**31), 2**32, 2**63 - 1, -(2**63), 2**64 - 1, 2**64, 10**40,
    0.0, 0.5, -1.0, 1e308, -1e308, 1e-320, float("nan"), float("inf"), -float("inf"), 1j,
]  # fmt: skip


Arguments = Callable[[], dict[str, Any]]


@dataclass(frozen=True)
class Target:
    """One call of the bindings: sound arguments, made anew each time, and what follows it."""

    name: str
    call: Callable[..., Any]
    arguments: Arguments
    then: Callable[[Any], None] = lambda _: None
    spare: tuple[str, ...] = ()  # arguments left alone

    def names(self) -> list[str]:
        return [name for name in self.arguments() if name not in self.spare]


def codes(classes: int = CLASSES) -> Any:
    return np.arange(ROWS, dtype=np.int32) % np.int32(classes)


def base_targets(base: Any) -> Iterator[Target]:
    """Yield the functions of inducer._core.base."""

    def use(X: Any) -> None:
        for threads in (-1, 2, 2**31 - 1):
            X.first_nonfinite(threads)
        X.shape, X.single  # noqa: B018

    def structure() -> dict[str, Any]:
        return {
            "indices": np.array([0, 1, 0], np.int32),
            "indptr": np.array([0, 2, 3]),
            "cols": COLS,
            "threads": 2,
        }

    key = {"seed": 1, "stream": 2, "part": 3}

    def matrix(dtype: Any) -> dict[str, Any]:
        return {"X": np.ones((ROWS, COLS), dtype)}

    def cells(dtype: Any) -> dict[str, Any]:
        return {"data": np.ones(3, dtype), **structure()}

    for dtype in (np.float64, np.float32):
        yield Target("dense", base.Rows.dense, partial(matrix, dtype), use)
        yield Target("sparse", base.Rows.sparse, partial(cells, dtype), use)
    yield Target("csr_fault", base.csr_fault, structure)
    yield Target("random_words", base.random_words, lambda: {**key, "count": 4})
    # A large n is not wrong, only large: 2^31 of them are eight gigabytes.
    yield Target("permutation", base.permutation, lambda: {**key, "n": 4}, spare=("n",))
    yield Target("use_isa", base.use_isa, lambda: {"level": "v3"})
    monitor = base.Monitor()
    yield Target("begin_slice", monitor.begin_slice, lambda: {"seconds": 1.0})
    X = base.Rows.dense(np.ones((ROWS, COLS)))
    yield Target("first_nonfinite", X.first_nonfinite, lambda: {"threads": 1})


def losses_targets(losses: Any) -> Iterator[Target]:
    """Yield the function of inducer._core.losses."""
    for kind in ("hinge", "tweedie"):
        yield Target(
            "evaluate",
            losses.evaluate,
            partial(
                lambda kind: {
                    "kind": kind,
                    "parameter": 1.5,
                    "y": np.ones(ROWS),
                    "z": np.arange(float(ROWS)),
                },
                kind,
            ),
        )


class LinearTargets:
    """The functions and classes of inducer._core.linear, on one precision and layout."""

    def __init__(self, core: Any, dtype: Any, layout: str) -> None:
        self.base, self.linear = core.base, core.linear
        self.dtype, self.layout = dtype, layout

    def __iter__(self) -> Iterator[Target]:
        """Yield them."""
        linear, dtype = self.linear, self.dtype
        block = {"begin": 0, "end": ROWS}
        yield Target(
            "scores",
            linear.scores,
            lambda: {
                "X": self.rows(),
                "coef": np.zeros((2, COLS), dtype),
                "intercept": np.zeros(2, dtype),
                "out": np.zeros((ROWS, 2), dtype),
                "threads": 2,
                **block,
            },
        )
        yield Target(
            "sum_mistakes",
            linear.sum_mistakes,
            lambda: {
                **self.examples(CLASSES),
                "positive": 1,
                "coef": np.zeros(COLS, dtype),
                "intercept": 0.0,
                **block,
            },
        )
        for averaged in (True, False):
            yield Target(
                "PerceptronFit",
                self.perceptron,
                partial(self.perceptron_arguments, averaged),
                self.use_perceptron,
            )
        yield Target(
            "MulticlassPerceptronFit",
            self.multiclass,
            lambda: {
                **self.examples(CLASSES),
                **self.state(CLASSES, 1, averaged=True),
                **self.passes(),
                **self.step(CLASSES),
            },
            self.advance,
        )
        for classes in (2, CLASSES):
            yield Target(
                "PocketFit", self.pocket, partial(self.pocket_arguments, classes), self.use_pocket
            )
        yield Target(
            "DualPerceptronFit",
            self.dual,
            lambda: {
                "codes": codes(2),
                "weights": np.ones(ROWS),
                "positive": 1,
                "stream": 0,
                "fit_intercept": True,
                **self.passes(),
            },
            self.use_dual,
        )
        yield Target("correct", self.correct, lambda: {"kernel_row": np.ones(ROWS)})

    # Sound arguments. Those that travel inside another are flat here, so that each is fuzzed.

    def rows(self) -> Any:
        X = (np.arange(ROWS * COLS).reshape(ROWS, COLS) % 7 - 3).astype(self.dtype)
        if self.layout == "dense":
            return self.base.Rows.dense(X)
        if self.layout == "strided":
            return self.base.Rows.dense(np.asfortranarray(X))
        columns = np.tile(np.arange(COLS, dtype=np.int32), ROWS)
        return self.base.Rows.sparse(X.ravel(), columns, np.arange(ROWS + 1) * COLS, COLS, 1)

    def examples(self, classes: int) -> dict[str, Any]:
        return {"X": self.rows(), "codes": codes(classes), "weights": np.ones(ROWS)}

    def state(self, outputs: int, counters: int, averaged: bool) -> dict[str, Any]:
        return {
            "coef": np.zeros((outputs, COLS), self.dtype),
            "coef_sum": np.zeros((outputs, COLS)) if averaged else None,
            "intercept": np.zeros(outputs),
            "intercept_sum": np.zeros(outputs),
            "visits": np.ones(counters),
        }

    def passes(self) -> dict[str, Any]:
        return {
            "shuffle": "every",
            "max_passes": 3,
            "tolerance": -1.0,
            "patience": 5,
            "seed": 1,
            "first_part": 0,
        }

    def step(self, classes: int) -> dict[str, Any]:
        return {"classes": classes, "fit_intercept": True, "rate": 1.0}

    def perceptron_arguments(self, averaged: bool) -> dict[str, Any]:
        return {
            **self.examples(CLASSES),
            **self.state(CLASSES, CLASSES, averaged),
            **self.passes(),
            "remember": not averaged,
            **self.step(CLASSES),
        }

    def pocket_arguments(self, classes: int) -> dict[str, Any]:
        outputs = 1 if classes == 2 else classes
        best = self.state(outputs, outputs, averaged=False)
        return {
            **self.examples(classes),
            "cost": np.ones((classes, classes)),
            **self.state(outputs, outputs, averaged=False),
            **{"best_" + name: value for name, value in best.items()},
            "fit_intercept": True,
            "rate": 1.0,
            "max_updates": 3,
            "seed": 1,
        }

    # The calls, which put together again what is flat.

    def taken(self, given: dict[str, Any], names: Iterable[str], prefix: str = "") -> Any:
        return {name: given.pop(prefix + name) for name in list(names)}

    def taken_state(self, given: dict[str, Any], prefix: str = "") -> Any:
        return SimpleNamespace(**self.taken(given, self.state(1, 1, averaged=True), prefix))

    def taken_passes(self, given: dict[str, Any]) -> Any:
        return self.linear.PassOptions(**self.taken(given, self.passes()))

    def perceptron(self, **given: Any) -> Any:
        state, passes = self.taken_state(given), self.taken_passes(given)
        return self.linear.PerceptronFit(state=state, passes=passes, **given)

    def multiclass(self, **given: Any) -> Any:
        state, passes = self.taken_state(given), self.taken_passes(given)
        return self.linear.MulticlassPerceptronFit(state=state, passes=passes, **given)

    def pocket(self, **given: Any) -> Any:
        current, best = self.taken_state(given), self.taken_state(given, "best_")
        return self.linear.PocketFit(current=current, best=best, **given)

    def dual(self, **given: Any) -> Any:
        return self.linear.DualPerceptronFit(passes=self.taken_passes(given), **given)

    def correct(self, kernel_row: Any) -> Any:
        fit = self.linear.DualPerceptronFit(
            codes(2),
            None,
            positive=1,
            stream=0,
            fit_intercept=True,
            passes=self.taken_passes(self.passes()),
        )
        fit.advance(self.base.Monitor(), 1)
        fit.correct(kernel_row)
        assert attempt(lambda: fit.correct(np.ones(ROWS))) == "ValueError"  # not asked for

    # What follows.

    def advance(self, fit: Any) -> None:
        gc.collect(0)  # what it looks into must be kept by itself
        monitor = self.base.Monitor()
        for wanted, seconds in ((1, 0.0), (2, float("nan")), (-1, 1.0), (3, 1.0)):
            monitor.begin_slice(seconds)
            fit.advance(monitor, wanted, 2)
            fit.reached(wanted)

    def use_perceptron(self, fit: Any) -> None:
        self.advance(fit)
        fit.mistaken(0), fit.mistaken(CLASSES - 1)
        assert len(fit.passes) == CLASSES

    def use_pocket(self, fit: Any) -> None:
        self.advance(fit)
        fit.finished, fit.cost, fit.mistakes, fit.updates  # noqa: B018

    def use_dual(self, fit: Any) -> None:
        monitor = self.base.Monitor()
        for wanted in (1, -1, 3):
            for _ in range(30):
                if fit.advance(monitor, wanted) < 0:
                    break
                fit.correct(np.ones(ROWS))
        fit.alpha, fit.intercept, fit.passes.made  # noqa: B018


class OnlineTargets(LinearTargets):
    """The rules and fits of inducer._core.online, on one precision and layout."""

    def __init__(self, core: Any, dtype: Any, layout: str) -> None:
        super().__init__(core, dtype, layout)
        self.online = core.online

    def __iter__(self) -> Iterator[Target]:
        """Yield them."""
        for name, options in self.rules().items():
            yield Target(f"online {name}", partial(self.fit, name), partial(self.given, options),
                         self.advance)  # fmt: skip

    def rules(self) -> dict[str, dict[str, Any]]:
        loss = {"numbers": False, "loss": "logistic", "parameter": 0.0}
        return {
            "passive_aggressive": {
                "offset": "weight", "numbers": True, "caution": "capped", "C": 1.0, "epsilon": 0.1,
                "average": True,
            },
            "winnow": {"offset": "fixed", "balanced": True, "rate": 0.5},
            "exponentiated_gradient": {
                "offset": "step", **loss, "balanced": True, "rate": 0.1, "radius": 2.0,
            },
            "leader": {"offset": "weight", **loss, "alpha": 0.1, "beta": 1.0, "l1": 0.1, "l2": 0.1},
        }  # fmt: skip

    def given(self, options: dict[str, Any]) -> dict[str, Any]:
        numbers = options.get("numbers", False)
        outputs, width = (1, 1) if numbers else (CLASSES, 2)
        return {
            **self.examples(CLASSES),
            "targets": np.ones(ROWS) if numbers else None,
            "coef": np.zeros((outputs, COLS), self.dtype),
            "memory": np.zeros((outputs, COLS, width)),
            "intercept": np.zeros(outputs),
            "intercept_memory": np.zeros((outputs, width)),
            "scalars": np.ones((outputs, 4)),
            "classes": CLASSES,
            **self.passes(),
            **options,
        }

    def fit(self, name: str, **given: Any) -> Any:
        rule = getattr(self.online.OnlineRule, name)(**self.taken(given, self.rules()[name]))
        names = ("coef", "memory", "intercept", "intercept_memory", "scalars")
        state = SimpleNamespace(**self.taken(given, names))
        passes = self.taken_passes(given)
        return self.online.OnlineFit(state=state, rule=rule, passes=passes, **given)


def stream_targets(stream: Any) -> Iterator[Target]:
    """Yield the session of inducer._core.stream: each of its options, and what is fed to it."""

    def arguments(costs: bool) -> dict[str, Any]:
        outputs, bits = (CLASSES, 4) if costs else (1, 4)
        words = {"loss": "logistic", "rule": "adaptive", "format": "vw", "labels": "signs"}
        if costs:
            words["labels"] = "classes"
        numbers = {"loss_parameter": 0.5, "rate": 0.5, "power": 0.5, "beta": 1.0, "l1": 0.0}
        columns = {"target": b"", "weight": b"", "tag": b"", "separator": b","}
        flags = ("quadratic", "named", "listed_costs", "skip_bad", "labelled", "learning")
        return {
            "table": np.zeros(((2**bits + 1) * outputs, 4), np.float32),
            **words, **numbers, **columns, **dict.fromkeys(flags, True),
            "listed_costs": costs, "l2": 0.0, "bits": bits, "outputs": outputs, "ngram": 2,
            "interactions": [[b"a", b"b"]], "classes": [], "most_classes": CLASSES if costs else 0,
            "costs": np.zeros(0), "categories": [], "columns": [], "holdout": 2,
            "predictions": True, "caching": True,
        }  # fmt: skip

    def make(table: Any, **options: Any) -> Any:
        return stream.Session(table, options)

    def use(session: Any) -> None:
        gc.collect(0)  # what it looks into must be kept by itself
        session.feed(b"1 2 'tag|a x y:2 |b z\n0:1 2:3 | x\n\nrubbish\n-1 | x\n1,2,3\nlast")
        session.end_input()
        cache = session.take_cache()
        session.begin_pass()
        session.feed_cached(cache[:50])
        session.feed_cached(cache[50:])
        session.drain()
        said, tags = session.take_predictions()
        assert said[:, 2].sum() == len(tags)
        session.take_reports(), session.position(), session.classes(), session.columns()
        session.resume(3, 1, 0, session.tally(), session.norms())
        for slot in (0, 16, -1, 2**40):
            attempt(lambda: session.remember(slot, b"name"))  # noqa: B023
        session.names(), session.forgotten(), session.first_bad()
        for at in range(0, len(cache), 3):
            broken = cache[:at] + bytes([cache[at] ^ 0xFF]) + cache[at + 1 :]
            attempt(lambda: session.feed_cached(broken))  # noqa: B023
        attempt(session.end_input)

    for costs in (False, True):
        yield Target("Session", make, partial(arguments, costs), use)


def bare_objects(core: ModuleType) -> None:
    """Use objects whose constructor has not run, or has failed, or runs twice."""
    base, linear = core.base, core.linear
    argument_lists = ((), (1,), (base.Monitor(), 1), (base.Monitor(), 1, 1))
    for cls in (
        base.Rows,
        base.Monitor,
        linear.PassOptions,
        linear.PerceptronFit,
        linear.MulticlassPerceptronFit,
        linear.PocketFit,
        linear.DualPerceptronFit,
        core.online.OnlineRule,
        core.online.OnlineFit,
        core.stream.Session,
    ):
        for name in [n for n in dir(cls) if not n.startswith("__")]:
            for arguments in argument_lists:
                attempt(lambda: getattr(cls.__new__(cls), name)(*arguments))  # noqa: B023
    monitor = base.Monitor()
    assert attempt(monitor.__init__) != "fine"
    monitor.begin_slice(0.0)


def attempt(action: Callable[[], Any]) -> str:
    """Return "fine", or the name of the exception."""
    try:
        action()
    except Exception as error:
        return type(error).__name__
    return "fine"


def main(path: str, seed: int = 0) -> None:
    core = load(path)
    nasty = [*nasty_arrays(), *NASTY_OTHERS]
    outcomes: Counter[tuple[str, str]] = Counter()

    def call(target: Target, changes: dict[str, Any]) -> None:
        def action() -> None:
            arguments = target.arguments() | changes
            result = target.call(**arguments)
            del arguments
            target.then(result)

        outcomes[target.name, attempt(action)] += 1

    targets = list(base_targets(core.base))
    targets += losses_targets(core.losses)
    targets += stream_targets(core.stream)
    for dtype in (np.float64, np.float32):
        for layout in ("dense", "strided", "sparse"):
            targets += LinearTargets(core, dtype, layout)
            targets += OnlineTargets(core, dtype, layout)
    for target in targets:
        target.then(target.call(**target.arguments()))  # is sound: an exception ends the test
        for name in target.names():
            for value in nasty:
                call(target, {name: value})
    bare_objects(core)

    chance = random.Random(seed)
    for _ in range(RANDOM_CALLS):
        target = chance.choice(targets)
        names = target.names()
        chosen = chance.sample(names, min(len(names), chance.choice((2, 2, 3, 4))))
        call(target, {name: chance.choice(nasty) for name in chosen})

    for (name, outcome), count in sorted(outcomes.items()):
        print(f"{name}: {outcome} {count}")
    print(f"{sum(outcomes.values())} calls survived")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
