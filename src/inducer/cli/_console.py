"""Where tables are printed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

WIDE = 1000


def make_console() -> Console:
    """Return a console as wide as the terminal, or wide enough for one line per row in a pipe."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else WIDE, highlight=False)
