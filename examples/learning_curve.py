"""Print and draw the learning curve of least squares, beside the identity that it obeys.

With N rows, d columns and noise of variance sigma^2 the mean squared error is on average
sigma^2 (1 - (d + 1)/N) on the rows of the fit, and sigma^2 (1 + (d + 1)/N) on the same X with fresh
noise (NTU 9). On fresh X it is larger: for Gaussian rows sigma^2 (1 + 1/N) (N - 2)/(N - d - 2). The
residuals of rows left out, in closed form, tell of that without fresh rows.

    pip install matplotlib
    python examples/learning_curve.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from inducer.linear import LeastSquares

FILE = Path(__file__).parents[1] / "docs" / "_static" / "learning-curve.svg"
COLUMNS, SIGMA = 9, 0.5
SIZES = np.array([15, 20, 30, 50, 80, 150])
REPEATS = 400
NAMES = ("rows of the fit", "same X, fresh noise", "fresh rows", "rows left out")


def errors(rows: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return the mean squared errors of one fit, in the order of the names."""
    w = rng.normal(size=COLUMNS)

    def noisy(X: NDArray[np.float64]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = X @ w + 1 + SIGMA * rng.normal(size=len(X))
        return found

    X, fresh = rng.normal(size=(rows, COLUMNS)), rng.normal(size=(500, COLUMNS))
    y = noisy(X)
    model = LeastSquares().fit(X, y)
    at_rows, at_fresh = model.predict(X), model.predict(fresh)
    return np.array(
        [
            np.mean((at_rows - y) ** 2),
            np.mean((at_rows - noisy(X)) ** 2),
            np.mean((at_fresh - noisy(fresh)) ** 2),
            np.mean(model.loo_residuals_**2),
        ]
    )


def expected(rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what the first three are on average."""
    share = (COLUMNS + 1) / rows
    on_fresh = (1 + 1 / rows) * (rows - 2) / (rows - COLUMNS - 2)
    return SIGMA**2 * np.array([1 - share, 1 + share, on_fresh])


def main() -> None:
    """Print the table and write the picture."""
    rng = np.random.default_rng(0)
    found = np.array([np.mean([errors(n, rng) for _ in range(REPEATS)], axis=0) for n in SIZES]).T
    wanted = expected(SIZES)
    print(f"sigma^2 {SIGMA**2}, d {COLUMNS}; mean of {REPEATS} fits, and the formula\n")
    print(f"{'':20}" + "".join(f"{f'N = {n}':>15}" for n in SIZES))
    for k, name in enumerate(NAMES):
        cells = [f"{value:8.4f}" for value in found[k]]
        if k < len(wanted):
            cells = [f"{cell} {value:6.4f}" for cell, value in zip(cells, wanted[k], strict=True)]
        print(f"{name:20}" + "".join(f"{cell:>15}" for cell in cells))

    mpl.rcParams["svg.hashsalt"] = "inducer"  # the same file from the same data
    figure = Figure(figsize=(6.5, 3.6), layout="constrained")
    axes = figure.subplots()
    many = np.arange(SIZES[0], SIZES[-1] + 1)
    curves = expected(many)
    for k, (name, mark) in enumerate(zip(NAMES, "ov^x", strict=True)):
        points = axes.plot(SIZES, found[k], mark, label=name, markersize=4.5)[0]
        if k < len(curves):
            axes.plot(many, curves[k], color=points.get_color(), linewidth=1)
    axes.axhline(SIGMA**2, color="black", linestyle=":", linewidth=1)
    axes.set(xlabel="rows N", ylabel="mean squared error", ylim=(0, 4 * SIGMA**2))
    axes.legend(title="points: fits; lines: formulas")
    FILE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(FILE, metadata={"Date": None})


if __name__ == "__main__":
    main()
