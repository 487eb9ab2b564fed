"""Errors that say what is wrong, where, and what to do."""

from __future__ import annotations

from sklearn.utils._param_validation import InvalidParameterError


class InducerError(Exception):
    """Every error of ours."""


class InputError(InducerError, ValueError):
    """Data that cannot be used: names the row, the column or the file, and the cure."""


class ParameterError(InducerError, InvalidParameterError):
    """A parameter outside its declared domain."""


class NotSeparableError(InducerError, ValueError):
    """A hyperplane was asked to separate what no hyperplane separates."""
