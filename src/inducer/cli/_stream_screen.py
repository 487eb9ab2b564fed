"""What `inducer stream` prints while it learns."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from inducer.base._replacing import reason
from inducer.base.errors import InputError
from inducer.online._stream.model import Model
from inducer.online._stream.run import Reports
from inducer.online._stream.source import Source

WIDTH = 9  # of a column, without the blank before it


def _to_nowhere(stream: TextIO) -> None:
    """Let what is still to be written to a broken file go to none, so that exit is not one too."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


class Screen:
    """Prints what happens, a line each time the examples have doubled.

    Parameters
    ----------
    model : Model
    stream : file or None
        Where to; None when nothing is to be printed.
    alone : bool
        Whether nothing else is made: then it ends everything that nobody can read it. Otherwise
        ``lost`` says what went wrong, to be told once all else is done.
    """

    def __init__(self, model: Model, stream: TextIO | None, *, alone: bool) -> None:
        self.lost = ""
        self._model, self._stream, self._alone = model, stream, alone

    def _print(self, text: str) -> None:
        if self._stream is None:
            return
        try:
            print(text, file=self._stream, flush=True)
        except OSError as error:
            _to_nowhere(self._stream)
            gone = isinstance(error, BrokenPipeError)
            self.lost = (
                "the screen is no longer read." if gone else f"Cannot print: {reason(error)}."
            )
            self._stream = None
            if self._alone:
                raise InputError(self.lost) from None

    def begin(self, source: Source) -> None:
        """Say what is done."""
        settings = self._model.settings
        loss = "costs" if settings.costs is not None else settings.loss
        self._print(
            f"{'standard input' if source.name == '-' else source.name} read as "
            f"{settings.format}; loss {loss}, rule {settings.rule}, 2^{settings.bits} features"
        )
        self._print("   average     since  examples    weight     label      said  features")

    def reports(self, rows: Reports) -> None:
        """Print lines."""
        for examples, weight, average, since, label, said, features in rows.tolist():
            self._print(
                f"{_number(average):>10}{_number(since):>10}{_number(examples, '.0f'):>10}"
                f"{_number(weight, '.8g'):>10}{self._label(label):>10}{self._said(said):>10}"
                f"{_number(features, '.0f'):>10}"
            )

    def _label(self, value: float) -> str:
        settings = self._model.settings
        if settings.costs is not None:
            return "costs"
        if settings.most_classes == 2:
            value = (value + 1) / 2
        return self._class(value) if settings.most_classes else _number(value, "g")

    def _said(self, value: float) -> str:
        return self._class(value) if self._model.settings.outputs > 1 else _number(value, ".4f")

    def _class(self, code: float) -> str:
        names = self._model.settings.classes
        name = names[int(code)] if int(code) < len(names) else f"#{code:g}"
        return name.encode("utf-8", "backslashreplace").decode()[:WIDTH]

    def passed(self, record: dict[str, Any]) -> None:
        """Print how a pass went."""
        held = f", held out {record['held_loss']:.6f}" if "held_loss" in record else ""
        nothing = "nothing was learned, for no example had a weight"
        what = nothing if math.isnan(record["loss"]) else f"loss {record['loss']:.6f}"
        self._print(f"pass {record['pass']}: {what}{held}")

    def interrupted(self, save: Path | None) -> None:
        """Say how far it came, before the model is saved."""
        state = self._model.state
        saving = f"; saving {save}" if save is not None else ""
        self._print(
            f"interrupted in pass {state['pass'] + 1} after line {state['lines']:,}{saving}"
        )

    def saved(self, data: str, save: Path | None) -> None:
        """Say how to go on."""
        if save is not None:
            self._print(f"to go on: inducer stream {data} --resume {save}")

    def end(self, first_bad: str, forgotten: int) -> None:
        """Print the sums."""
        tally, bad = self._model.state["tally"], self._model.state["bad"]
        weight = tally["weight"]
        text = f"{tally['examples']:,.0f} examples"
        if weight:
            text += f", average loss {tally['loss'] / weight:.6f}"
            if self._model.settings.has_classes:
                text += f", mistakes {tally['mistakes'] / weight:.4%}"
        self._print(text)
        if bad:
            shown = first_bad.encode("utf-8", "backslashreplace").decode()
            self._print(f"{bad:,} bad lines left out{'; the first: ' + shown if shown else ''}")
        if forgotten:
            self._print("the names of some features did not fit in memory and are left out")


def _number(value: float, form: str = ".6f") -> str:
    """Return a number that fits into its column, with fewer digits where it must."""
    return next(
        text
        for text in (format(value, wanted) for wanted in (form, ".6g", ".3g", ".1g"))
        if len(text) <= WIDTH
    )
