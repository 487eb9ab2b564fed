"""Long fits: slices, callbacks, what they record, and Ctrl-C."""
# ruff: noqa: ARG002 (the names of the callbacks' protocol)

from __future__ import annotations

import io
import signal
import subprocess
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.callback import ProgressBar
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from inducer.base import Learner, Trace
from inducer.base.learner import fits
from inducer.base.progress import SLICE_SECONDS, history, run
from inducer.linear import Perceptron


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, (X[:, 0] + rng.normal(size=60) > 0).astype(int)


class Counting:
    """A kernel that makes half a pass in a slice."""

    def __init__(self, ends_after: float = np.inf, fails_at: float = np.inf) -> None:
        self.made = 0.0
        self.ends_after = ends_after
        self.fails_at = fails_at
        self.asked: list[tuple[int, int]] = []

    def reached(self, passes: int, /) -> bool:
        return self.made >= min(passes, self.ends_after)

    def advance(self, monitor: Any, passes: int, threads: int, /) -> None:
        assert not monitor.stopped
        self.asked.append((passes, threads))
        if self.made >= self.fails_at:
            raise KeyboardInterrupt
        self.made += 0.5


class Runner(Learner):
    """A learner that runs the kernel it is given."""

    def __init__(self, kernel: Any = None, passes: int = 4, stop: Any = None) -> None:
        self.kernel = kernel
        self.passes = passes
        self.stop = stop

    @fits
    def fit(self, X: Any, y: Any = None) -> Runner:
        self.begun_ = True
        run(
            self,
            self.kernel,
            self.passes,
            threads=3,
            record=lambda: {"made": self.kernel.made},
            fitted=lambda: {"made_": self.kernel.made},
            stop=self.stop,
            X=X,
            y=y,
        )
        self.made_ = self.kernel.made
        return self


class Watcher:
    """Callback that writes down all that it is told."""

    def __init__(self, stop_after: int = 10**9) -> None:
        self.seen: list[tuple[str, Any]] = []
        self.stop_after = stop_after

    def setup(self, estimator: Any, context: Any) -> None:
        self.seen.append(("setup", None))

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        self.seen.append(("begin", context.task_name))

    def on_fit_task_end(
        self, estimator: Any, context: Any, *, metadata: Any = None, fitted_estimator: Any = None
    ) -> bool:
        record = getattr(metadata, "record", None)
        made = getattr(fitted_estimator, "made_", None)
        self.seen.append(("end", (context.task_name, record, made)))
        return record is not None and record["made"] >= self.stop_after

    def teardown(self, estimator: Any, context: Any) -> None:
        self.seen.append(("teardown", None))


# ---- slices ------------------------------------------------------------------------------------


def test_without_callbacks_there_is_one_run_of_slices() -> None:
    kernel = Counting()
    assert Runner(kernel, 4).fit(None).made_ == 4
    assert kernel.asked == [(4, 3)] * 8


def test_with_callbacks_there_is_one_run_a_pass() -> None:
    kernel = Counting()
    Runner(kernel, 3).set_callbacks(Trace()).fit(None)
    assert [passes for passes, _ in kernel.asked] == [1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("callbacks", [[], [Trace()]])
def test_a_kernel_that_is_through_is_not_called_again(callbacks: list[Any]) -> None:
    kernel = Counting(ends_after=2)
    learner = Runner(kernel, 100).set_callbacks(*callbacks).fit(None)
    assert len(kernel.asked) == 4
    assert not callbacks or learner.history_["made"].tolist() == [1, 2]


def test_stop_is_asked_after_each_pass() -> None:
    kernel = Counting()
    Runner(kernel, 100, stop=lambda: kernel.made >= 3).fit(None)
    assert kernel.made == 3


def test_slices_are_short_enough_for_ctrl_c() -> None:
    assert SLICE_SECONDS <= 0.1


# ---- callbacks ---------------------------------------------------------------------------------


def test_callbacks_see_each_pass_and_the_model_so_far() -> None:
    watcher = Watcher()
    Runner(Counting(), 2).set_callbacks(watcher).fit(None)
    assert watcher.seen == [
        ("setup", None),
        ("begin", "fit"),
        ("begin", "pass"),
        ("end", ("pass", {"made": 1.0}, 1.0)),
        ("begin", "pass"),
        ("end", ("pass", {"made": 2.0}, 2.0)),
        ("end", ("fit", None, 2.0)),
        ("teardown", None),
    ]


def test_a_callback_may_stop_the_fit() -> None:
    kernel = Counting()
    Runner(kernel, 100).set_callbacks(Watcher(stop_after=2), Trace()).fit(None)
    assert kernel.made == 2


def test_trace_writes_the_history(data: tuple[Any, Any]) -> None:
    X, y = data
    plain = Perceptron(max_iter=5, tol=None, random_state=0).fit(X, y)
    traced = clone(plain).set_callbacks(Trace()).fit(X, y)
    assert not hasattr(plain, "history_")
    assert set(traced.history_) == {"seconds", "mistakes", "loss"}
    assert {len(values) for values in traced.history_.values()} == {5}
    assert traced.history_["mistakes"].sum() == traced.n_mistakes_
    seconds = traced.history_["seconds"]
    assert (np.diff(seconds) >= 0).all()
    assert seconds[0] > 0
    # Watching does not change what is learned.
    np.testing.assert_array_equal(plain.coef_, traced.coef_)


def test_one_trace_serves_several_learners_and_fits(data: tuple[Any, Any]) -> None:
    X, y = data
    trace = Trace()
    short = Perceptron(max_iter=2, tol=None).set_callbacks(trace)
    long = Perceptron(max_iter=4, tol=None).set_callbacks(trace)
    for _ in range(2):
        short.fit(X, y)
        long.fit(X, y)
        assert len(short.history_["mistakes"]) == 2
        assert len(long.history_["mistakes"]) == 4
    assert not trace._runs  # nothing is kept


def test_trace_inside_pipeline_and_search(data: tuple[Any, Any]) -> None:
    X, y = data
    model = make_pipeline(
        StandardScaler(), Perceptron(max_iter=3, tol=None, random_state=0).set_callbacks(Trace())
    )
    search = GridSearchCV(model, {"perceptron__fit_intercept": [True, False]}, cv=2).fit(X, y)
    assert len(search.best_estimator_[-1].history_["mistakes"]) == 3


def test_a_trace_can_be_copied_for_a_task_in_another_process(data: tuple[Any, Any]) -> None:
    X, y = data
    model = Perceptron(max_iter=3, tol=None, random_state=0).set_callbacks(Trace())
    search = GridSearchCV(model, {"fit_intercept": [True, False]}, cv=2, n_jobs=2).fit(X, y)
    assert len(search.best_estimator_.history_["mistakes"]) == 3


def test_history_of_nothing_is_empty() -> None:
    assert history([]) == {}
    two = history([{"a": 1}, {"a": 2}])
    assert two["a"].tolist() == [1, 2]


def test_progress_bar(data: tuple[Any, Any]) -> None:
    X, y = data
    out = io.StringIO()
    with redirect_stdout(out):
        Perceptron(max_iter=6, tol=None).set_callbacks(ProgressBar()).fit(X, y)
    assert "Perceptron - fit" in out.getvalue()
    assert "100%" in out.getvalue()


# ---- Ctrl-C ------------------------------------------------------------------------------------


@pytest.mark.parametrize("callbacks", [[], [Trace()]])
def test_after_an_interrupt_the_learner_is_unfitted(callbacks: list[Any]) -> None:
    kernel = Counting(fails_at=1.5)
    learner = Runner(kernel, 100).set_callbacks(*callbacks)
    learner.made_ = "from a fit before"
    with pytest.raises(KeyboardInterrupt):
        learner.fit(None)
    assert [name for name in vars(learner) if name.endswith("_")] == []
    assert kernel.made == 1.5
    learner.kernel = Counting()
    assert learner.fit(None).made_ == 100


CHILD = """
import sys, time
import numpy as np
from scipy import sparse
import inducer
from inducer.base import Trace
from inducer.linear import Perceptron

kind = sys.argv[1]
rng = np.random.default_rng(0)
X = rng.normal(size=(200_000, 40))
y = rng.integers(0, 4 if kind == "classes" else 2, size=len(X))
if kind == "sparse":
    X = sparse.random_array((100_000, 5_000), density=0.004, format="csr", rng=rng)
    y = y[: X.shape[0]]
model = Perceptron(max_iter=10**9, tol=None, n_jobs=2)
if kind == "callback":
    model.set_callbacks(Trace())
print("fitting", flush=True)
try:
    model.fit(X, y)
except KeyboardInterrupt:
    print(time.time(), hasattr(model, "coef_"), hasattr(model, "classes_"), flush=True)
model.set_callbacks().set_params(max_iter=1).fit(X[:100], y[:100])  # and can be fitted again
print(hasattr(model, "coef_"))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.parametrize("kind", ["dense", "sparse", "classes", "callback"])
def test_ctrl_c_stops_a_kernel_at_once(kind: str, tmp_path: Path) -> None:
    """The promise is 0.2 s; 0.3 s more are for a busy machine to wake the process."""
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, kind], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "fitting\n"
        time.sleep(0.5)
        assert child.poll() is None
        sent = time.time()
        child.send_signal(signal.SIGINT)
        try:
            words = child.communicate(timeout=30)[0].split()
        except subprocess.TimeoutExpired:
            child.kill()
            raise
    assert child.returncode == 0
    stopped, coef, classes, again = words
    assert float(stopped) - sent < 0.5
    assert (coef, classes, again) == ("False", "False", "True")
