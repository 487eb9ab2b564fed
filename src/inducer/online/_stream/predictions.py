"""What was said of each example, as a table: prediction, score or probability, tag."""

from __future__ import annotations

import math
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from inducer.online._stream.settings import LOSSES, Settings, to_bytes


class Predictions:
    """Writes CSV: a header, then a line for each example.

    The second column is the probability of the second of two classes when the loss is logistic,
    otherwise the score of what is predicted: of a class its margin, or its cost.
    """

    def __init__(self, settings: Settings, stream: BinaryIO, *, header: bool = True) -> None:
        self._settings = settings
        self._stream = stream
        self._two = settings.has_classes and settings.outputs == 1
        self._logistic = settings.loss == "logistic" and self._two
        if header:
            second = b"probability" if self._logistic else b"score"
            stream.write(b"prediction," + second + b",tag\n")

    def write(self, said: NDArray[np.float64], tags: bytes) -> None:
        """Write examples: said, score and length of the tag of each; and the tags."""
        names = [_cell(to_bytes(name)) for name in self._settings.class_names()]
        exponential = LOSSES[self._settings.loss].labels in ("counts", "amounts")
        lines = []
        begin = 0
        for value, score, length in said.tolist():
            end = begin + int(length)
            tag = _cell(tags[begin:end])
            begin = end
            if self._two:
                k = int(score > 0)
                word = names[k] if k < len(names) else b""  # a class that never came
            elif self._settings.has_classes:
                k = int(value)
                word = names[k] if k < len(names) else b""
            elif exponential:
                word = b"%.9g" % math.exp(min(value, 700.0))
            else:
                word = b"%.9g" % value
            if self._logistic:
                score = 1 / (1 + math.exp(-score)) if score > -700 else 0.0
            lines.append(b"%s,%.9g,%s\n" % (word, score, tag))
        self._stream.write(b"".join(lines))


def _cell(text: bytes) -> bytes:
    """Return a cell, quoted where it must be."""
    if any(mark in text for mark in (b",", b'"', b"\r")):
        return b'"' + text.replace(b'"', b'""') + b'"'
    return text
