"""Long fits: run in slices, watched by callbacks, stopped by Ctrl-C.

A kernel runs for some 50 ms at a time without the interpreter lock; between slices Python looks
for signals. scikit-learn's callbacks (`set_callbacks(ProgressBar())`) are called after every
iteration; the numbers of that iteration travel in ``metadata.record``, and `Trace` collects them.
Nothing calls Python from a kernel.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from inducer._core.base import Monitor

SLICE_SECONDS = 0.05

Record = Mapping[str, Any]


class Kernel(Protocol):
    """A fit in a kernel, that can be run on for a while."""

    def reached(self, passes: int, /) -> bool:
        """Return whether this many passes are made, or all there will be."""
        ...

    def advance(self, monitor: Monitor, passes: int, threads: int, /) -> None:
        """Run until `passes` passes are made, or the slice is over."""
        ...


class Metadata(dict[str, Any]):
    """The metadata of a task, as scikit-learn passes it on, and our record of the iteration."""

    def __init__(self, entries: Mapping[str, Any], record: Record) -> None:
        super().__init__(entries)
        self.record = record


class Trace:
    """Callback that writes down what happens in each iteration, into ``history_``.

    After the fit, ``learner.history_`` is a dict of arrays, one value an iteration: ``seconds``
    since the fit began, and what the learner tells (its docs say what: objective, mistakes, ...).

    Examples
    --------
    >>> from inducer.base import Trace
    >>> from inducer.datasets import blobs
    >>> from inducer.linear import Perceptron
    >>> X, y = blobs(n_samples=60, random_state=0, return_X_y=True)
    >>> model = Perceptron(max_iter=3, tol=None).set_callbacks(Trace()).fit(X, y)
    >>> sorted(model.history_)
    ['loss', 'mistakes', 'seconds']
    >>> len(model.history_["mistakes"])
    3
    """

    def __init__(self) -> None:
        self._runs: dict[Any, tuple[float, list[dict[str, Any]]]] = {}

    def setup(self, estimator: Any, context: Any) -> None:  # noqa: ARG002 (the protocol's names)
        """Begin an empty history."""
        self._runs[context.root_uuid] = (time.perf_counter(), [])

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Do nothing."""

    def on_fit_task_end(
        self,
        estimator: Any,  # noqa: ARG002 (the protocol's names)
        context: Any,
        *,
        metadata: Any = None,
    ) -> None:
        """Write the iteration down."""
        record = getattr(metadata, "record", None)
        if record is not None:
            start, records = self._runs[context.root_uuid]
            records.append({**record, "seconds": time.perf_counter() - start})

    def teardown(self, estimator: Any, context: Any) -> None:
        """Hand the history to the learner."""
        _, records = self._runs.pop(context.root_uuid)
        estimator.history_ = history(records)


def history(records: list[dict[str, Any]]) -> dict[str, NDArray[Any]]:
    """Turn records of iterations into one array a name."""
    names = records[0] if records else ()
    return {name: np.asarray([record[name] for record in records]) for name in names}


def run(
    learner: Any,
    kernel: Kernel,
    passes: int,
    *,
    threads: int,
    record: Callable[[], Record],
    fitted: Callable[[], Mapping[str, Any]],
    stop: Callable[[], bool] | None = None,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
) -> None:
    """Run a kernel to its end, with callbacks after each pass where there are any.

    Parameters
    ----------
    learner : estimator
        The learner, for its callbacks.
    kernel : Kernel
        What runs.
    passes : int
        How many passes it makes at most.
    record : callable
        The numbers of the last pass, for callbacks.
    fitted : callable
        The fitted attributes if the fit ended now, for callbacks.
    stop : callable, optional
        Asked after each pass whether to stop.
    X, y, sample_weight : optional
        The training data, for callbacks.
    """
    monitor = Monitor()
    watched = stop is not None or getattr(learner, "_skl_callbacks", None)
    rounds(
        learner,
        passes,
        # With nobody to ask or to tell after each pass, all of them are one step.
        lambda made: _advance(kernel, monitor, made if watched else passes, threads),
        over=lambda: (stop is not None and stop()) or kernel.reached(passes),
        record=record,
        fitted=fitted,
        X=X,
        y=y,
        sample_weight=sample_weight,
    )


def rounds(
    learner: Any,
    number: int,
    step: Callable[[int], None],
    *,
    over: Callable[[], bool],
    record: Callable[[], Record],
    fitted: Callable[[], Mapping[str, Any]],
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
) -> None:
    """Make so many steps, with callbacks around each.

    Parameters
    ----------
    learner : estimator
        The learner, for its callbacks.
    number : int
        How many steps there are at most.
    step : callable
        Makes one; told which, from 1 on.
    over : callable
        Asked after each step whether it was the last.
    record, fitted, X, y, sample_weight
        As for `run`.
    """
    context = learner._init_callback_context(max_subtasks=number)
    data = {"X": X, "y": y}
    entries = {} if sample_weight is None else {"sample_weight": sample_weight}
    context.call_on_fit_task_begin(estimator=learner, **data, metadata=entries)
    for made in range(1, number + 1):
        task = context.subcontext(task_name="pass")
        task.call_on_fit_task_begin(estimator=learner, **data, metadata=entries)
        step(made)
        done = task.call_on_fit_task_end(
            estimator=learner,
            **data,
            metadata=lambda: Metadata(entries, record()),
            reconstruction_attributes=fitted,
        )
        ended = over()
        if done or ended:
            break
    context.call_on_fit_task_end(
        estimator=learner, **data, metadata=entries, reconstruction_attributes=fitted
    )


def _advance(kernel: Kernel, monitor: Monitor, passes: int, threads: int) -> None:
    """Advance in slices; between them Python handles signals, a KeyboardInterrupt for one."""
    while not kernel.reached(passes):
        monitor.begin_slice(SLICE_SECONDS)
        kernel.advance(monitor, passes, threads)
