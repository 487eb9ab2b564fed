"""Draw docs/_static/step-size.svg: gradient descent with steps too small, right, and too large.

The function is a bowl, eight times as steep one way as the other; its largest curvature L is 8.
A rate far below 1/L creeps, 1/L arrives, and beyond 2/L each step lands higher on the other side.

    pip install matplotlib
    python examples/step_size_picture.py
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from inducer.optimize import Descent, descent_bound, gradient_descent

FILE = Path(__file__).parents[1] / "docs" / "_static" / "step-size.svg"
CURVATURES = np.array([1.0, 8.0])
L = CURVATURES.max()
START = np.array([-4.0, 1.2])
STEPS = 15
RATES = {"too small": 0.1, "right": 1.0, "too large": 2.05}  # times 1 / L


def bowl(x: Any) -> tuple[float, Any]:
    """Return value and gradient."""
    return float(CURVATURES @ x**2 / 2), CURVATURES * x


def descend(share: float) -> Descent:
    """Return a descent of a few steps, with its points."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one of them is meant to go wrong
        return gradient_descent(
            bowl, START, rate=share / L, max_iter=STEPS, gradient_tol=None, points=True
        )


def draw_path(axes: Any, name: str, share: float) -> None:
    """Draw the level lines of the bowl, and the way down."""
    found = descend(share)
    reach = 4.6, 2.2
    x, y = np.meshgrid(*(np.linspace(-end, end, 60) for end in reach))
    height = (CURVATURES[0] * x**2 + CURVATURES[1] * y**2) / 2
    axes.contour(x, y, height, levels=np.geomspace(0.2, 30, 8), colors="0.75", linewidths=0.7)
    axes.plot(*found.trace.points.T, color="tab:blue", linewidth=0.9, marker="o", markersize=2.5)
    axes.plot(0, 0, color="black", marker="+")
    axes.set(
        title=f"{name}: {share:g}/L, ends at {found.value:.2g}",
        xlim=(-reach[0], reach[0]),
        ylim=(-reach[1], reach[1]),
        xticks=[],
        yticks=[],
    )


def draw_values(axes: Any) -> None:
    """Draw the values, and the bound that holds for rates up to 1/L."""
    for name, share in RATES.items():
        axes.semilogy(descend(share).trace.values, label=name, linewidth=1.2)
    steps = np.arange(1, STEPS + 1)
    bound = descent_bound(float(np.linalg.norm(START)), 1 / L, steps)
    axes.semilogy(steps, bound, color="black", linestyle=":", label="bound for 1/L")
    axes.set(title="value after k steps", xlabel="k")
    axes.legend(fontsize="small")


def main() -> None:
    """Write the picture."""
    mpl.rcParams["svg.hashsalt"] = "inducer"  # the same file from the same data
    figure = Figure(figsize=(9, 5), layout="constrained")
    (first, second), (third, values) = figure.subplots(2, 2)
    for axes, (name, share) in zip((first, second, third), RATES.items(), strict=True):
        draw_path(axes, name, share)
    draw_values(values)
    FILE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(FILE, metadata={"Date": None})


if __name__ == "__main__":
    main()
