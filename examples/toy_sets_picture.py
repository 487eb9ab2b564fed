"""Draw docs/_static/toy_sets.svg: the shapes that learners are tried on.

pip install matplotlib
python examples/toy_sets_picture.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from inducer import datasets

FILE = Path(__file__).parents[1] / "docs" / "_static" / "toy_sets.svg"
SETS = {
    "blobs": datasets.blobs(200, random_state=0),
    "moons": datasets.moons(200, random_state=0),
    "circles": datasets.circles(200, random_state=0),
    "xor": datasets.xor(200, noise=0.15, random_state=0),
    "linear": datasets.linear(200, margin=0.2, random_state=0),
    "bankruptcy": datasets.bankruptcy(),
}


def main() -> None:
    """Write the picture."""
    mpl.rcParams["svg.hashsalt"] = "inducer"  # the same file from the same data
    figure = Figure(figsize=(9, 5.6), layout="constrained")
    for axes, (name, table) in zip(figure.subplots(2, 3).flat, SETS.items(), strict=True):
        for label, colour in enumerate(("tab:blue", "tab:orange", "tab:green")):
            rows = table.data[table.target == label]
            axes.scatter(*rows.T, s=9, color=colour, alpha=0.7, linewidths=0)
        axes.set(title=name, xticks=[], yticks=[])
    FILE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(FILE, metadata={"Date": None})


if __name__ == "__main__":
    main()
