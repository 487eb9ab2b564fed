"""Learning from a stream, and predicting one: Python reads and saves, the core does the rest."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

from inducer._core.stream import Session
from inducer.base._replacing import reason
from inducer.base.errors import InputError
from inducer.online._stream.files import open_at, place
from inducer.online._stream.interrupts import CtrlC
from inducer.online._stream.model import Model, check_finite, save_model
from inducer.online._stream.predictions import Predictions
from inducer.online._stream.settings import to_text
from inducer.online._stream.source import CHUNK, Source

Reports = NDArray[np.float64]
SLOW = 1 << 12
LOST = -1  # how much of the predictions was written, when not all could be


@dataclass
class Plan:
    """How a stream is read, and what becomes of it.

    Attributes
    ----------
    source : Source
    passes : int
        How many there are at most, those before a resumption counted.
    patience : int
        After how many passes without a better loss of the examples held out to stop.
    save : path or None
        Where the model goes: at the end, when interrupted, and at checkpoints.
    checkpoint : float
        After how many seconds to save, again and again; 0 for never.
    predictions : file or None
        Gets what is said of the examples of the first pass, each before it is learned from.
    cache : path or None
        Where blocks are kept for later passes when the source cannot be read again; a file
        without a name when None.
    reports : callable
        Gets lines for the screen: examples, weight, average loss, that since the last line, label,
        what was said, features.
    passed : callable
        Gets the record of a pass that is over.
    interrupted : callable
        Called when Ctrl-C was heard, before the model is saved.
    """

    source: Source
    passes: int = 1
    patience: int = 1
    save: Path | None = None
    checkpoint: float = 0.0
    predictions: BinaryIO | None = None
    cache: Path | None = None
    reports: Callable[[Reports], Any] = lambda _: None
    passed: Callable[[dict[str, Any]], Any] = lambda _: None
    interrupted: Callable[[], Any] = lambda: None


class Stream:
    """A model that learns from a source; can be stopped, saved, and go on as if it never had been.

    ``model.state`` says where it is: the pass, what was read of it (bytes, lines), how much of
    predictions and cache was written, the sums of the core, and the records of the passes.

    ``lost`` is what the system said of predictions that could not be written, if a model was to be
    saved all the same. Not the error itself: that would hold the stream, and the stream it.
    """

    lost: tuple[Any, ...] = ()

    def __init__(self, model: Model, plan: Plan) -> None:
        self.model, self.plan = model, plan
        settings, state = model.settings, model.state
        self._cached = plan.passes > 1 and not plan.source.rereadable
        resumed = bool(state)
        if not resumed:
            state |= {"pass": 0, "passes": [], "predictions": 0, "cache": 0, "over": False}
            state |= {"best": math.inf, "unimproved": 0}
        self.session = _session(
            model,
            learning=True,
            skip_bad=settings.skip_bad,
            predictions=plan.predictions is not None,
            caching=self._cached,
        )
        if resumed:
            _resume(self.session, model)
        self._spool = self._open_spool() if self._cached else None
        self._predictions = self._open_predictions()
        self._ctrl_c = CtrlC()

    def learn(self) -> None:
        """Make the passes that are left, and save the model.

        When interrupted, all that was read is learned, the model says how far that is, and it is
        saved.
        """
        state, plan = self.model.state, self.plan
        with self._ctrl_c:
            try:
                while not state["over"] and state["pass"] < plan.passes:
                    self._read()
                    self._end_pass()
                self._settle()
                self._save()
            except KeyboardInterrupt:
                self._settle()
                plan.interrupted()
                self._save()
                raise
            except ValueError as error:
                _refuse(plan.source, error)
            finally:
                if self._spool is not None:
                    self._spool.close()

    def _read(self) -> None:
        """Make a pass, or what is left of it."""
        from_spool = self._spool is not None and self.model.state["pass"] > 0
        chunks = self._spooled() if from_spool else self.plan.source.chunks(self._begin())
        feed = self.session.feed_cached if from_spool else self.session.feed
        saved = time.monotonic()
        while True:
            with self._ctrl_c.heard():  # a chunk that is not fed is read again when resumed
                chunk = next(chunks, None)
            if chunk is None:
                break
            feed(chunk)
            slow = len(chunk) < SLOW  # a pipe that waits for somebody, who may wait for us
            if slow:
                self.session.drain()
            self._pass_on()
            if slow:
                self._flush_predictions()
            if self.plan.checkpoint and time.monotonic() - saved >= self.plan.checkpoint:
                self._settle()
                self._save()
                saved = time.monotonic()
        self.session.end_input()
        self._settle()

    def _begin(self) -> int:
        return int(self.model.state["bytes"]) if "bytes" in self.model.state else 0

    def _pass_on(self) -> None:
        """Give screen, predictions and cache what has come up."""
        first = self.model.state["pass"] == 0
        reports = self.session.take_reports()
        said, tags = self.session.take_predictions()
        if len(reports) or len(said):
            self._note_names()
        self.plan.reports(reports)
        if self._predictions is not None and first and len(said):
            try:
                self._predictions.write(said, tags)
            except OSError as error:
                self._lose(error)
        records = self.session.take_cache()
        if self._spool is not None and first:
            with _cache_told():
                self._spool.write(records)

    def _flush_predictions(self) -> None:
        stream, state = self.plan.predictions, self.model.state
        if stream is None or self._predictions is None:
            return
        try:
            stream.flush()
            if state["pass"] == 0:
                state["predictions"] = place(stream)
        except OSError as error:
            self._lose(error)

    def _lose(self, error: OSError) -> None:
        """Go on without predictions where what is learned is saved; else that was all."""
        if self.plan.save is None:
            raise error
        self.lost, self._predictions = error.args, None
        self.model.state["predictions"] = LOST

    def _note_names(self) -> None:
        settings = self.model.settings
        if settings.most_classes:
            settings.classes = [to_text(name) for name in self.session.classes()]
        settings.columns = [to_text(name) for name in self.session.columns()]
        if settings.columns and not settings.target:
            settings.target = settings.columns[0]  # elsewhere in a table that lacks it

    def _settle(self) -> None:
        """Learn what was read, and write down how far that is."""
        self.session.drain()
        self._pass_on()
        self._note_names()
        state = self.model.state
        state["bytes"], state["lines"], state["bad"] = self.session.position()
        state["tally"], state["norms"] = self.session.tally(), self.session.norms().tolist()
        self._flush_predictions()
        if self._spool is not None:
            with _cache_told():
                self._spool.flush()
            if state["pass"] == 0:
                state["cache"] = self._spool.tell()

    def _end_pass(self) -> None:
        """Write down how the pass went, and begin the next; stop when it no longer gets better."""
        state, tally = self.model.state, self.session.tally()
        before = state["passes"][-1] if state["passes"] else {"weight": 0.0, "sum": 0.0}
        weight = tally["weight"] - before["weight"]
        record = {
            "pass": state["pass"] + 1,
            "weight": tally["weight"],
            "sum": tally["loss"],
            "loss": (tally["loss"] - before["sum"]) / weight if weight else math.nan,
        }
        held = tally["held_weight"]
        if held:
            record["held_loss"] = tally["held_loss"] / held
            record["held_mistakes"] = tally["held_mistakes"] / held
            self._compare(record["held_loss"])
        state["passes"].append(record)
        self.plan.passed(record)
        self.session.begin_pass()
        state["pass"] += 1
        state["bytes"] = state["lines"] = 0
        last = state["over"] or state["pass"] >= self.plan.passes
        if last and state["unimproved"] and self.model.best is not None:
            self.model.table[...] = self.model.best
            self.model.best, state["unimproved"] = None, 0

    def _compare(self, loss: float) -> None:
        """Keep the best table; several passes without a better one are enough."""
        state = self.model.state
        if loss < state["best"]:
            state["best"], state["unimproved"] = loss, 0
            if self.plan.passes > 1:
                self.model.best = self.model.table.copy()
        else:
            state["unimproved"] += 1
            state["over"] = state["unimproved"] >= self.plan.patience

    def _save(self) -> None:
        if self.model.settings.named:
            self.model.names = self.session.names()
        check_finite(self.model.table)
        if self.plan.save is not None:
            save_model(self.model, self.plan.save)

    def _open_spool(self) -> BinaryIO:
        """Open the cache: empty, or as long as it was when the model was saved."""
        path, size = self.plan.cache, self.model.state["cache"]
        if path is None:
            if size:
                raise InputError(
                    "The stream was cached in a file that is gone: nothing but --cache FILE "
                    "lets a pipe be resumed in a later pass."
                )
            return tempfile.TemporaryFile()
        return open_at(path, size, "w+b", "cache")

    def _open_predictions(self) -> Predictions | None:
        stream, size = self.plan.predictions, self.model.state["predictions"]
        if stream is None:
            return None
        if size == LOST:
            raise InputError(
                "Some predictions could not be written before the model was saved, and will not "
                "come again: resume without --predictions."
            )
        try:
            return Predictions(self.model.settings, stream, header=not place(stream))
        except OSError as error:
            self._lose(error)
            return None

    def _spooled(self) -> Iterator[bytes]:
        """Yield the cache from where this pass is."""
        assert self._spool is not None
        self._spool.seek(self._begin())
        while chunk := self._spool.read(CHUNK):
            yield chunk


def predict(
    model: Model, source: Source, stream: BinaryIO, *, labelled: bool = True, skip_bad: bool = False
) -> dict[str, Any]:
    """Write what a model says of each example of a source; return the sums of the core."""
    settings = model.settings
    session = _session(
        model,
        learning=False,
        labelled=labelled,
        skip_bad=skip_bad,
        predictions=True,
        caching=False,
    )
    writer = Predictions(settings, stream)
    try:
        for chunk in source.chunks():
            session.feed(chunk)
            writer.write(*session.take_predictions())
        session.end_input()
    except ValueError as error:
        _refuse(source, error)
    writer.write(*session.take_predictions())
    return dict(session.tally()) | {"bad": session.position()[2]}


def _session(model: Model, **options: bool) -> Session:
    """Return a session; the core looks at the options, and a file may say what it likes."""
    try:
        return Session(model.table, model.settings.for_core(**options))
    except (LookupError, ValueError, TypeError, RuntimeError, AttributeError) as error:
        raise InputError(f"This model makes no sense: {error}.") from None


def _resume(session: Session, model: Model) -> None:
    state = model.state
    try:
        norms = np.array(state["norms"], np.float64)
        session.resume(state["bytes"], state["lines"], state["bad"], state["tally"], norms)
        for line in model.names.split(b"\n")[:-1]:
            slot, _, name = line.partition(b"\t")
            session.remember(int(slot), name)
    except (LookupError, ValueError, TypeError, RuntimeError) as error:
        raise InputError(f"This model makes no sense: {error}.") from None


def _refuse(source: Source, error: ValueError) -> NoReturn:
    """Raise an error of the core with the name of the source."""
    if isinstance(error, InputError):
        raise error
    word = error.args[0]
    text = to_text(word) if isinstance(word, bytes) else str(word)
    name = "standard input" if source.name == "-" else source.name
    shown = text.encode("utf-8", "backslashreplace").decode()
    # Without a sound header no line is.
    cure = "" if " column" in text else " (--skip-bad leaves such lines out.)"
    raise InputError(f"{name}, {shown}.{cure}") from None


@contextmanager
def _cache_told() -> Iterator[None]:
    """Say what could not be written."""
    try:
        yield
    except OSError as error:
        raise InputError(f"Cannot write the cache: {reason(error)}.") from None
