"""Where the command begins: light, so that Ctrl-C is understood while all else loads."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line."""
    try:
        from inducer.cli.app import main

        main()
    except KeyboardInterrupt:
        sys.exit(130)  # as a shell counts
    finally:
        gc.freeze()  # else exit looks through all that was imported, for a quarter of a second
