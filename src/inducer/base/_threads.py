"""How many threads a fit may use.

The number is `threads()` unless a learner's ``n_jobs`` says otherwise. Inside a joblib task it is
one: there joblib has already handed out the processors.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from numbers import Integral
from types import TracebackType
from typing import TYPE_CHECKING, Any, overload

from inducer.base.errors import ParameterError

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

MOST = 4096

_wanted: ContextVar[int | None] = ContextVar("inducer_threads", default=None)


class ThreadSetting:
    """What `threads` returns when it sets the number; as a context it sets the old one again."""

    def __init__(self, number: int | None) -> None:
        self._before = _wanted.get()
        _wanted.set(number)

    def __enter__(self) -> None:
        """Do nothing: the number is set already."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Set the number that was there before."""
        _wanted.set(self._before)


@overload
def threads() -> int: ...
@overload
def threads(number: int | None) -> ThreadSetting: ...
def threads(number: Any = ...) -> int | ThreadSetting:
    """Return, or set, the number of threads that our kernels use.

    Parameters
    ----------
    number : int or None, optional
        Left out: return the number in use. An integer: use that many from now on in this thread
        of Python's (others keep their own), or for the length of a ``with`` block. None: back to
        the default, which is the number of processors that this process may use, or
        ``INDUCER_THREADS`` or ``OMP_NUM_THREADS`` where set.

    Returns
    -------
    int, or a context manager that undoes the setting

    Examples
    --------
    >>> import inducer
    >>> with inducer.threads(2):
    ...     inducer.threads()
    2
    """
    if number is ...:
        return _inside_joblib() or _wanted.get() or _default()
    if number is None:
        return ThreadSetting(None)
    if isinstance(number, bool) or not isinstance(number, Integral) or not 1 <= int(number) <= MOST:
        raise ParameterError(
            f"threads: the number must be an integer between 1 and {MOST}. Got {number!r}."
        )
    return ThreadSetting(int(number))


def threads_for(n_jobs: int | None) -> int:
    """Return the number of threads for a learner's ``n_jobs``.

    None means `threads()`; a negative number counts back from the number of processors, as
    scikit-learn has it. Inside a joblib task it is one, whatever was asked for.
    """
    if n_jobs == 0:
        raise ParameterError("n_jobs: 0 threads would do nothing; None means as many as may be.")
    if n_jobs is None:
        return threads()
    if n_jobs < 0:
        n_jobs = max(1, _processors() + 1 + n_jobs)
    return _inside_joblib() or min(n_jobs, MOST)


def _inside_joblib() -> int | None:
    """Return 1 inside a joblib task, else None."""
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    return 1 if (backend.nesting_level or 0) > 0 else None


def _default() -> int:
    """Return what the environment asks for, else the processors."""
    for name in ("INDUCER_THREADS", "OMP_NUM_THREADS"):
        word = os.environ.get(name, "").split(",")[0].strip()
        if word.isdecimal() and int(word) > 0:
            return min(int(word), MOST)
    return _processors()


@cache
def _processors() -> int:
    """Return the number of processors this process may use, cgroups counted."""
    from joblib import cpu_count

    return int(cpu_count())


@cache
def _controller() -> ThreadpoolController:
    """Return the controller of the thread pools of BLAS; finding them takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS and LAPACK to one thread: same bits everywhere, and no fight with our pool."""
    with blas_threads(1):
        yield


@contextmanager
def blas_threads(number: int) -> Iterator[None]:
    """Hold BLAS and LAPACK to so many threads."""
    with _controller().limit(limits=number, user_api="blas"):
        yield
