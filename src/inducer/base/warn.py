"""Warnings that point at the user's line."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

_INSIDE = {"inducer", "sklearn"}


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn, and name the line that called into us, however many of our own are between.

    Parameters
    ----------
    message : str
    category : type
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _package(frame) in _INSIDE:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _package(frame: FrameType) -> str:
    """Return the package whose code a frame runs."""
    name: str = frame.f_globals.get("__name__", "")
    return name.partition(".")[0]
