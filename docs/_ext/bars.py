"""A bar is a bar: ``|w|`` in a docstring is an absolute value, not a name to be replaced.

reStructuredText takes it for a substitution. We have none, and formulas should read well in
``help()``, too.
"""

from __future__ import annotations

import re
from typing import Any

from docutils.parsers.rst.states import Inliner
from sphinx.application import Sphinx


def leave(
    self: Inliner,  # noqa: ARG001
    match: re.Match[str],
    lineno: int,  # noqa: ARG001
) -> tuple[str, list[Any], str, list[Any]]:
    """Return the text up to the bar as it is, and what is left to parse."""
    end = match.end("start")
    return match.string[:end], [], match.string[end:], []


def setup(app: Sphinx) -> dict[str, bool]:  # noqa: ARG001
    """Let the parser leave bars alone."""
    Inliner.dispatch["|"] = leave
    return {"parallel_read_safe": True}
