"""How many threads: the call, the context, the environment, joblib's tasks, ``n_jobs``."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from joblib import Parallel, cpu_count, delayed
from threadpoolctl import threadpool_info

import inducer
from inducer.base import InducerError, ParameterError
from inducer.base._threads import MOST, one_blas_thread, threads_for


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("INDUCER_THREADS", raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with inducer.threads(None):
        yield


def test_default_is_the_processors() -> None:
    assert inducer.threads() == cpu_count()


def test_a_call_sets_the_number_until_the_next() -> None:
    inducer.threads(5)
    assert inducer.threads() == 5
    inducer.threads(2)
    assert inducer.threads() == 2
    inducer.threads(None)
    assert inducer.threads() == cpu_count()


def test_contexts_nest_and_undo() -> None:
    inducer.threads(6)
    with inducer.threads(3):
        assert inducer.threads() == 3
        with inducer.threads(number=1):
            assert inducer.threads() == 1
        assert inducer.threads() == 3
        with inducer.threads(None):
            assert inducer.threads() == cpu_count()
        assert inducer.threads() == 3
    assert inducer.threads() == 6


def test_a_context_is_entered_twice() -> None:
    before = inducer.threads()
    setting = inducer.threads(3)
    for _ in range(2):
        with setting:
            pass
        assert inducer.threads() == before


def test_a_context_is_undone_by_an_error() -> None:
    with pytest.raises(KeyError), inducer.threads(7):
        raise KeyError
    assert inducer.threads() == cpu_count()


def test_another_thread_has_its_own_number() -> None:
    with inducer.threads(7), ThreadPoolExecutor(1) as pool:
        pool.submit(inducer.threads, 3).result()
        assert pool.submit(inducer.threads).result() == 3
        assert inducer.threads() == 7


@pytest.mark.parametrize("number", [0, -1, True, False, 2.0, "2", [1], MOST + 1, 2**70])
def test_senseless_numbers(number: Any) -> None:
    with pytest.raises(ParameterError, match=r"threads: .* between 1 and 4096\. Got "):
        inducer.threads(number)
    assert inducer.threads() == cpu_count()


def test_a_senseless_number_is_an_error_of_ours_and_a_value_error() -> None:
    with pytest.raises(InducerError):
        inducer.threads(0)
    with pytest.raises(ValueError, match="threads"):
        inducer.threads(0)


def test_numbers_of_numpy() -> None:
    with inducer.threads(np.int64(3)):  # type: ignore[call-overload]
        assert inducer.threads() == 3
        assert type(inducer.threads()) is int


@pytest.mark.parametrize(
    ("ours", "openmp", "expected"),
    [
        ("3", None, 3),
        (None, "5", 5),
        ("3", "5", 3),
        (None, "4,2", 4),  # OpenMP's list of nesting levels
        (" 3 ", None, 3),
        ("0", "5", 5),
        ("", None, None),
        ("many", None, None),
        ("-2", None, None),
        ("²", None, None),  # a digit, but no number
        ("99999999999999999999", None, MOST),
    ],
)
def test_environment(
    ours: str | None, openmp: str | None, expected: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("INDUCER_THREADS", ours), ("OMP_NUM_THREADS", openmp)):
        if value is not None:
            monkeypatch.setenv(name, value)
    assert inducer.threads() == (expected or cpu_count())
    with inducer.threads(9):
        assert inducer.threads() == 9


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity on this system")
def test_affinity_counts() -> None:
    one = min(os.sched_getaffinity(0))
    code = f"import os; os.sched_setaffinity(0, [{one}]); import inducer; print(inducer.threads())"
    env = {k: v for k, v in os.environ.items() if k not in ("INDUCER_THREADS", "OMP_NUM_THREADS")}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
    assert done.stdout.split() == [b"1"]


# ---- n_jobs --------------------------------------------------------------------------------------


def test_n_jobs() -> None:
    with inducer.threads(5):
        assert threads_for(None) == 5
        assert threads_for(1) == 1
        assert threads_for(3) == 3
        assert threads_for(-1) == cpu_count()
        assert threads_for(-cpu_count()) == 1
        assert threads_for(-100) == 1
        assert threads_for(10**9) == MOST


def test_no_jobs_at_all_is_an_error() -> None:
    with pytest.raises(ParameterError, match="n_jobs"):
        threads_for(0)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_one_thread_inside_a_joblib_task(backend: str) -> None:
    with inducer.threads(3):
        found = Parallel(n_jobs=2, backend=backend)(
            delayed(threads_for)(jobs) for jobs in (None, 4, -1)
        )
    assert found == [1, 1, 1]


def test_a_sequential_loop_is_no_task() -> None:
    with inducer.threads(3):
        assert Parallel(n_jobs=1)(delayed(threads_for)(jobs) for jobs in (None, 4)) == [3, 4]


# ---- BLAS ----------------------------------------------------------------------------------------


def blas_threads() -> list[int]:
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_blas_is_held_to_one_thread() -> None:
    before = blas_threads()
    with one_blas_thread():
        assert set(blas_threads()) == {1}
    assert blas_threads() == before
    with pytest.raises(KeyError), one_blas_thread():
        raise KeyError
    assert blas_threads() == before
