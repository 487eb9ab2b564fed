"""What learners are made of, as objects that their parameters may hold."""

from __future__ import annotations


class Part:
    """A small immutable object of plain values: a loss, a penalty.

    `inducer.load` makes public ones again with the learner that holds them, as it does learners.
    """
