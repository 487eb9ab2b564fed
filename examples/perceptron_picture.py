"""Draw docs/_static/perceptron.svg: lines of plain and averaged perceptrons between two moons.

Ten fits of each on the same points, ten orders of the rows. No line separates the moons, so each
plain fit ends wherever its last mistake left it; the averages agree.

    pip install matplotlib
    python examples/perceptron_picture.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from inducer.datasets import moons
from inducer.linear import Perceptron

FILE = Path(__file__).parents[1] / "docs" / "_static" / "perceptron.svg"
SEEDS = range(10)


def lines(X: Any, y: Any, average: bool) -> tuple[list[Perceptron], float]:
    """Return a fit for each seed, of ten passes, and their mean accuracy."""
    fits = [
        Perceptron(average=average, max_iter=10, tol=None, random_state=seed).fit(X, y)
        for seed in SEEDS
    ]
    return fits, float(np.mean([fit.score(X, y) for fit in fits]))


def draw(axes: Any, X: Any, y: Any, title: str, average: bool) -> None:
    """Draw the points, and the line of each fit."""
    fits, accuracy = lines(X, y, average)
    for label, colour in enumerate(("tab:blue", "tab:orange")):
        axes.scatter(*X[y == label].T, s=9, color=colour, alpha=0.6, linewidths=0)
    ends = np.array([X[:, 0].min() - 0.5, X[:, 0].max() + 0.5])
    for fit in fits:
        (w0, w1), b = fit.coef_[0], fit.intercept_[0]
        axes.plot(ends, -(w0 * ends + b) / w1, color="black", linewidth=0.8)
    axes.set(
        title=f"{title}: {accuracy:.1%} right",
        xlim=ends,
        ylim=(X[:, 1].min() - 0.5, X[:, 1].max() + 0.5),
        xticks=[],
        yticks=[],
        aspect="equal",
    )


def main() -> None:
    """Write the picture."""
    mpl.rcParams["svg.hashsalt"] = "inducer"  # the same file from the same data
    X, y = moons(n_samples=300, noise=0.2, random_state=0, return_X_y=True)
    figure = Figure(figsize=(9, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    draw(left, X, y, "Perceptron()", average=False)
    draw(right, X, y, "Perceptron(average=True)", average=True)
    FILE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(FILE, metadata={"Date": None})


if __name__ == "__main__":
    main()
