"""The bindings: what they take, what they refuse and how, and what they keep alive."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
import threading
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from inducer._core import base, linear


def table(rows: int = 4, cols: int = 3, dtype: Any = np.float64) -> Any:
    return np.arange(rows * cols, dtype=dtype).reshape(rows, cols)


def csr(data: Any, indices: Any, indptr: Any, cols: int, dtype: Any = np.float64) -> Any:
    return base.Rows.sparse(
        np.asarray(data, dtype),
        np.asarray(indices, np.int32),
        np.asarray(indptr, np.int64),
        cols,
        1,
    )


def options(**given: Any) -> Any:
    chosen = {
        "shuffle": "never",
        "max_passes": 3,
        "tolerance": -1.0,
        "patience": 5,
        "seed": 0,
        "first_part": 0,
    }
    return linear.PassOptions(**chosen | given)


def state(outputs: int, cols: int, dtype: Any = np.float64, counters: int | None = None) -> Any:
    return SimpleNamespace(
        coef=np.zeros((outputs, cols), dtype),
        coef_sum=np.zeros((outputs, cols)),
        intercept=np.zeros(outputs),
        intercept_sum=np.zeros(outputs),
        visits=np.ones(outputs if counters is None else counters),
    )


def perceptron(X: Any, codes: Any, held: Any, **given: Any) -> Any:
    chosen: dict[str, Any] = {
        "weights": None,
        "classes": 2,
        "fit_intercept": True,
        "remember": False,
        "rate": 1.0,
        "passes": options(),
    }
    chosen |= given
    return linear.PerceptronFit(
        X, np.asarray(codes, np.int32), chosen.pop("weights"), held, **chosen
    )


# ---- matrices


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_dense_rows_of_any_strides(dtype: Any, order: Any) -> None:
    X = np.asarray(table(5, 4, dtype), order=order)
    for view in (X, X[::2], X[:, 1:3], X[::-1, ::-1], X[:, :0], X[:0]):
        rows = base.Rows.dense(view)
        assert rows.shape == view.shape
        assert rows.single == (dtype is np.float32)
        assert rows.first_nonfinite(1) is None


@pytest.mark.parametrize(
    "X",
    [
        table(dtype=np.int64),
        table(dtype=np.float16),
        table().astype(">f8"),
        table().astype(object),
        table()[0],
        table()[None],
        [[1.0]],
        None,
    ],
)
def test_what_is_no_float_matrix_is_a_type_error(X: Any) -> None:
    with pytest.raises(TypeError):
        base.Rows.dense(X)


def test_an_array_at_an_odd_address_is_a_type_error() -> None:
    odd = np.zeros(8 * 12 + 1, np.uint8)[1:].view(np.float64)
    with pytest.raises(TypeError):
        base.Rows.dense(odd.reshape(4, 3))
    with pytest.raises(TypeError):
        base.Rows.sparse(odd[:1], np.zeros(1, np.int32), np.array([0, 1]), 1, 1)


def test_first_nonfinite_names_the_place() -> None:
    X = table(6, 5)
    X[4, 1], X[4, 3], X[5, 0] = np.inf, np.nan, np.nan
    assert base.Rows.dense(X).first_nonfinite(2) == (4, 1)
    assert base.Rows.dense(np.asfortranarray(X)).first_nonfinite(2) == (4, 1)
    assert csr([1, np.nan], [0, 2], [0, 0, 2], 3).first_nonfinite(1) == (1, 2)


@pytest.mark.parametrize(
    ("indices", "indptr", "report", "message"),
    [
        ([0, 5], [0, 1, 2], ("range", 1, 5), "a column index is outside the matrix (row 1)"),
        (
            [2, 1],
            [0, 2],
            ("unordered", 0, 1),
            "column indices are unsorted or repeated (row 0)",
        ),
        (
            [0, 1],
            [0, 3],
            ("indptr", 0, 0),
            "the row pointers do not rise from 0 to the number of cells (row 0)",
        ),
    ],
)
def test_csr_faults_are_named(indices: Any, indptr: Any, report: Any, message: str) -> None:
    columns, starts = np.asarray(indices, np.int32), np.asarray(indptr, np.int64)
    assert base.csr_fault(columns, starts, 5, 1) == report
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        csr([1.0] * len(indices), indices, indptr, 5)


def test_csr_refuses_what_does_not_fit_together() -> None:
    with pytest.raises(ValueError, match="indices has length 1, expected 2"):
        csr([1, 2], [0], [0, 1], 5)
    with pytest.raises(ValueError, match="indptr is empty"):
        csr([], [], [], 5)
    with pytest.raises(ValueError, match="number of columns must be between"):
        csr([], [], [0], 2**31)
    with pytest.raises(TypeError):
        base.Rows.sparse(np.ones(1), np.zeros(1, np.int64), np.array([0, 1]), 1, 1)


def test_rows_keep_their_arrays_alive() -> None:
    rows = base.Rows.dense(np.full((200, 300), 3.0))
    gc.collect()
    junk = [np.full((200, 300), np.nan) for _ in range(5)]
    assert rows.first_nonfinite(1) is None
    assert len(junk) == 5


# ---- random numbers


@pytest.mark.parametrize("key", [(0, 0, 0), (1, 2, 3), (2**64 - 1, 2**63, 2**64 - 1)])
def test_random_words_are_those_of_numpys_philox(key: tuple[int, int, int]) -> None:
    seed, stream, part = key
    numpys = np.random.Philox(
        key=np.array([seed, stream], np.uint64), counter=np.array([0, part, 0, 0], np.uint64)
    )
    np.testing.assert_array_equal(base.random_words(*key, 1001), numpys.random_raw(1001))


def test_permutation_holds_each_number_once() -> None:
    drawn = base.permutation(1, 2, 3, 1000)
    np.testing.assert_array_equal(np.sort(drawn), np.arange(1000))
    np.testing.assert_array_equal(drawn, base.permutation(1, 2, 3, 1000))
    assert not np.array_equal(drawn, base.permutation(1, 2, 4, 1000))
    assert base.permutation(1, 2, 3, 0).size == 0


# ---- instruction sets


def test_levels_can_be_asked_for() -> None:
    before = base.isa()
    for level in ("plain", "v2", "v3", "v4"):
        there = base.use_isa(level)
        assert base.isa() == (level if there else before)
        assert base.use_isa(before)
    assert not base.use_isa("v5")
    assert not base.use_isa("")


@pytest.mark.parametrize("asked", ["plain", "v2", "v3", "v4", "nonsense", ""])
def test_environment_asks_for_a_level(asked: str) -> None:
    before = base.isa()
    expected = asked if base.use_isa(asked) else None
    base.use_isa(before)
    environment = {k: v for k, v in os.environ.items() if k != "INDUCER_ISA"}
    code = "from inducer._core.base import isa; print(isa())"

    def level(**more: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment | more,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    assert level(INDUCER_ISA=asked) == (expected or level())


# ---- sums over rows


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_scores_fill_their_block_alone(dtype: Any) -> None:
    X, coef = table(5, 3, dtype), table(2, 3, dtype) - dtype(2)
    out = np.full((5, 2), dtype(99))
    linear.scores(base.Rows.dense(X), coef, np.array([1, 2], dtype), out, 1, 4, 2)
    expected = X @ coef.T + np.array([1, 2], dtype)
    np.testing.assert_array_equal(out[1:4], expected[1:4])
    assert np.all(out[[0, 4]] == 99)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"begin": -1}, "no such block of rows"),
        ({"begin": 3, "end": 2}, "no such block of rows"),
        ({"end": 6}, "no such block of rows"),
        ({"coef": np.zeros((2, 4))}, "coef has the wrong number of columns"),
        ({"intercept": np.zeros(3)}, "intercept has length 3, expected 2"),
        ({"out": np.zeros((4, 2))}, "out has length 4, expected 5"),
        ({"out": np.zeros((5, 3))}, "out has the wrong width"),
        ({"X": table(5, 3, np.float32)}, "X and coef differ in precision"),
    ],
)
def test_scores_refuse_what_would_leave_the_arrays(change: Any, message: str) -> None:
    given = {
        "X": table(5, 3),
        "coef": np.zeros((2, 3)),
        "intercept": np.zeros(2),
        "out": np.zeros((5, 2)),
        "begin": 0,
        "end": 5,
        "threads": 1,
    }

    def score(*, X: Any, **others: Any) -> None:
        # Made here: what a parameter list holds lives on when nanobind counts what is left.
        linear.scores(base.Rows.dense(X), **others)

    score(**given)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        score(**given | change)


def test_scores_do_not_write_into_what_is_read_only() -> None:
    out = np.zeros((5, 2))
    out.flags.writeable = False
    with pytest.raises(TypeError):
        linear.scores(base.Rows.dense(table(5, 3)), np.zeros((2, 3)), np.zeros(2), out, 0, 5, 1)


def test_sum_mistakes_of_a_block() -> None:
    X, codes, weights = table(4, 3), np.array([1, 0, 1, 0], np.int32), np.array([1.0, 2.0, 0.0, 4])
    coef = np.array([1.0, 0.0, 0.0])
    # Activations 0, 3, 6, 9: rows 0 (zero counts), 1 and 3 are mistakes.
    got = linear.sum_mistakes(base.Rows.dense(X), codes, 1, weights, coef, 0.0, 0, 4)
    np.testing.assert_array_equal(got[0], X[0] - 2 * X[1] - 4 * X[3])
    assert got[1:] == (1.0 - 2.0 - 4.0, 3, 7.0, 2 * 3.0 + 4 * 9.0)
    assert linear.sum_mistakes(base.Rows.dense(X), codes, 1, None, coef, 0.0, 2, 3)[2] == 0
    for change in ({"begin": -1}, {"end": 5}, {"codes": codes[:3]}, {"weights": weights[:3]}):
        given = {"codes": codes, "weights": weights, "begin": 0, "end": 4} | change
        with pytest.raises(ValueError, match=r"no such block|has length 3, expected 4"):
            linear.sum_mistakes(
                base.Rows.dense(X), given["codes"], 1, given["weights"], coef, 0.0,
                given["begin"], given["end"],
            )  # fmt: skip


# ---- fits


def test_perceptron_by_hand() -> None:
    # The example of cpp/tests/linear/perceptron.cpp.
    held = state(1, 2)
    X = base.Rows.dense(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    fit = perceptron(X, [1, 0, 1], held, passes=options(max_passes=2))
    del X
    gc.collect()
    fit.advance(base.Monitor(), 2, 1)
    assert fit.reached(2)
    np.testing.assert_array_equal(held.coef, [[2, -1]])
    np.testing.assert_array_equal(held.coef_sum, [[4, -4]])
    assert (held.intercept[0], held.intercept_sum[0], held.visits[0]) == (0, -3, 7)
    (count,) = fit.passes
    assert (count.made, count.mistakes, count.last_mistakes, count.last_loss) == (2, 4, 1, 1 / 3)


def test_perceptron_remembers_its_mistakes() -> None:
    held = state(1, 2)
    X = base.Rows.dense(np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    with pytest.raises(ValueError, match="what is remembered is not averaged"):
        perceptron(X, [1, 0, 1], held, remember=True)
    held.coef_sum = None
    fit = perceptron(X, [1, 0, 1], held, remember=True, passes=options(max_passes=2))
    fit.advance(base.Monitor(), 2, 1)
    rows, times = fit.mistaken(0)
    assert (rows.tolist(), times.tolist()) == ([0, 1, 2, 1], [1, 2, 3, 5])
    with pytest.raises(ValueError, match="no such problem"):
        fit.mistaken(1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"codes": [0, 1, 0, 2]}, "a code is not one of the classes"),
        ({"codes": [0, 1, 0, -1]}, "a code is not one of the classes"),
        ({"codes": [0, 1, 0]}, "codes has length 3, expected 4"),
        ({"weights": np.ones(5)}, "weights has length 5, expected 4"),
        ({"classes": 1}, "classes must be between 2 and 2^24"),
        ({"classes": 2**24 + 1}, "classes must be between 2 and 2^24"),
        ({"classes": 3}, "coef has length 1, expected 3"),
        ({"held": state(1, 4)}, "coef has the wrong width"),
        ({"held": state(1, 3, counters=2)}, "visits has length 2, expected 1"),
    ],
)
def test_perceptron_refuses_what_does_not_fit_together(change: Any, message: str) -> None:
    given = {"codes": [0, 1, 0, 1], "held": state(1, 3)} | change
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        perceptron(base.Rows.dense(table()), given.pop("codes"), given.pop("held"), **given)


def test_states_of_the_wrong_kind_are_refused() -> None:
    X = base.Rows.dense(table())
    frozen = state(1, 3)
    frozen.coef.flags.writeable = False
    for held in (state(1, 3, np.float32), frozen, SimpleNamespace()):
        with pytest.raises((TypeError, RuntimeError, AttributeError)):
            perceptron(X, [0, 1, 0, 1], held)


def test_shuffle_has_three_names() -> None:
    with pytest.raises(ValueError, match="shuffle must be every, once or never"):
        options(shuffle="sometimes")


def test_dual_perceptron_asks_for_rows_of_the_kernel_matrix() -> None:
    fit = linear.DualPerceptronFit(
        np.array([1, 0], np.int32), None, positive=1, stream=0, fit_intercept=False,
        passes=options(tolerance=1e-3),
    )  # fmt: skip
    monitor, K = base.Monitor(), np.eye(2)
    with pytest.raises(ValueError, match="no row was asked for"):
        fit.correct(K[0])
    asked = []
    while (row := fit.advance(monitor, 9)) >= 0:
        asked.append(row)
        with pytest.raises(ValueError, match="kernel_row has length 1, expected 2"):
            fit.correct(K[row, :1])
        fit.correct(K[row])
    assert asked == [0, 1]
    np.testing.assert_array_equal(fit.alpha, [1, 1])
    assert fit.reached(9)
    assert fit.passes.made == 2


def test_pocket_keeps_the_best_rule() -> None:
    X, cost = base.Rows.dense(np.array([[1.0], [-1.0]])), np.array([[0.0, 1.0], [1.0, 0.0]])
    walker, best = state(1, 1), state(1, 1)
    given: dict[str, Any] = {"fit_intercept": False, "rate": 1.0, "max_updates": 100, "seed": 1}
    codes = np.array([1, 0], np.int32)
    fit = linear.PocketFit(X, codes, None, cost, walker, best, **given)
    fit.advance(base.Monitor(), 100, 1)
    assert (fit.finished, fit.cost, fit.mistakes, fit.updates) == (True, 0, 0, 1)
    np.testing.assert_array_equal(best.coef, [[1]])
    with pytest.raises(ValueError, match="cost must be square"):
        linear.PocketFit(X, codes, None, np.zeros((2, 3)), walker, best, **given)


# ---- the monitor


def test_another_thread_watches_and_stops_a_kernel() -> None:
    stream = np.random.default_rng(0)
    X, codes = stream.normal(size=(2000, 50)), stream.integers(0, 2, 2000)
    fit = perceptron(base.Rows.dense(X), codes, state(1, 50), passes=options(max_passes=2**62))
    monitor = base.Monitor()
    seen: list[int] = []

    def watch() -> None:
        while monitor.done == 0:  # it moves while the kernel runs: the lock is released
            time.sleep(0.001)
        seen.append(monitor.done)
        monitor.stop()

    watcher = threading.Thread(target=watch)
    watcher.start()
    fit.advance(monitor, 2**62, 1)
    watcher.join()
    assert monitor.stopped
    assert monitor.done >= seen[0] > 0
    assert not fit.reached(2**62)
