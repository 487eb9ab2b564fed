"""Ctrl-C, heard where nothing is lost by it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Self

PATIENCE = 2


class CtrlC:
    """Within it, Ctrl-C raises KeyboardInterrupt where it is `heard`, and waits elsewhere.

    So nothing that was taken out of the core is lost before it is written down, and a model that
    is being saved is saved. Who presses a third time no longer wants that: it is heard anywhere.
    A handler of somebody else is left alone.
    """

    def __init__(self) -> None:
        self._presses = 0
        self._listening = self._ours = False

    def __enter__(self) -> Self:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._press)
            self._ours = True
        return self

    def __exit__(self, *_: object) -> None:
        if self._ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._ours = False

    def _press(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        self._presses += 1
        if self._listening or self._presses > PATIENCE:
            raise KeyboardInterrupt

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Let it be heard at once, and if it came before."""
        self._listening = True  # first: what comes from now on raises by itself
        try:
            if self._presses:
                raise KeyboardInterrupt
            yield
        finally:
            self._listening = False
