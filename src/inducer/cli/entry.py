"""Where the command begins: light, so that Ctrl-C is understood while all else loads."""

from __future__ import annotations

import gc
import sys

INTERRUPTED = 130  # as a shell counts


def main() -> None:
    """Run the command line."""
    try:
        from inducer.cli.app import main

        main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except SystemExit as stop:
        if stop.code not in (None, 0, INTERRUPTED):  # an error, that may hold what was at work
            raise
        # Exit would look through all that was imported, again and again, for a quarter of a second.
        gc.collect()
        gc.freeze()
        raise
