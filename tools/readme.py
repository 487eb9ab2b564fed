"""Write the table of what inducer does into the README: the rows of the course map that are alive.

It stands between ``<!-- map -->`` and ``<!-- /map -->``. (``python -m benchmarks --readme`` does
the same for the table of speed.)
"""

from __future__ import annotations

import re
from pathlib import Path

from inducer.cli._course_map import rows

README = Path(__file__).parents[1] / "README.md"
PLACE = re.compile(r"(?<=<!-- map -->\n).*?(?=<!-- /map -->)", re.DOTALL)


def table() -> str:
    """Return the table in Markdown."""
    alive = [row for row in rows() if row.alive]
    lines = [
        f"| `{row.at[0].removeprefix('inducer.')}` | {row.what} | {row.source} |" for row in alive
    ]
    head = ["| name | what it does | in the course |", "|---|---|---|"]
    count = f"\n{len(alive)} of the {len(rows())} rows of the course map are alive."
    return "\n".join([*head, *lines, count, ""])


def filled(text: str) -> str:
    """Return the text with the table in its place."""
    return PLACE.sub(lambda _: table(), text)


if __name__ == "__main__":
    README.write_text(filled(README.read_text(encoding="utf-8")), encoding="utf-8")
