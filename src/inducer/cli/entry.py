"""Where the command begins: light, so that Ctrl-C is understood while all else loads."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    try:
        from inducer.cli.app import main

        main()
    except KeyboardInterrupt:
        sys.exit(130)  # as a shell counts
