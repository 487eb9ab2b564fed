"""Put the stubs of the compiled module where mypy looks for them: beside the sources.

The build writes them and installs them with the package. An editable install leaves the Python
files in ``src``, so mypy, which finds all of a package in one folder, needs them there as well.
"""

from __future__ import annotations

import shutil
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Replace ``src/inducer/_core`` by the stubs that are installed."""
    installed = Path(sysconfig.get_path("platlib")) / "inducer" / "_core"
    if not (installed / "__init__.pyi").is_file():
        sys.exit(f"tools/stubs.py: no stubs in {installed}; install the package first")
    target = ROOT / "src" / "inducer" / "_core"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(
        installed, target, ignore=lambda _, names: [n for n in names if n[-4:] != ".pyi"]
    )


if __name__ == "__main__":
    main()
