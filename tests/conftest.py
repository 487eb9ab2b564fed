"""One profile of Hypothesis for all: the same examples every time, without a clock."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=40, database=None)
settings.load_profile("fixed")
