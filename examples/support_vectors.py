"""Print what the price C does to a margin, which rows hold it, and how wide a tube to take.

A small C buys a wide margin with many rows inside; a large one leaves the hard margin, which two
classes apart have and which `margin` proves. Only the rows on or inside the margin matter: without
the others the plane is the same. With w = b = 0 every slack is 1, so that no optimum costs more
than C n (CIML 7.7). In regression the tube plays that part: numbers within epsilon of the line cost
nothing and hold nothing (NTU 16).

    python examples/support_vectors.py
"""

from __future__ import annotations

import numpy as np

from inducer.base import NotSeparableError
from inducer.datasets import blobs
from inducer.linear import LinearSVC, LinearSVR, margin

CENTERS = [[-2, 0], [2, 1]]


def show_margins() -> None:
    """Print a line a price, for classes that a plane separates and for others that none does."""
    for spread in (0.6, 1.5):
        X, y = blobs(200, centers=CENTERS, spread=spread, random_state=0, return_X_y=True)
        widest = margin(X, y)
        words = f"margin {widest.margin:.4f}" if widest.separable else "not separable"
        print(f"two classes, spread {spread}: {words}\n")
        print("        C   margin   support   slack of a row   objective       C n       gap")
        for C in (1e-4, 1e-2, 1.0, 100.0, np.inf):
            model = LinearSVC(loss="hinge", C=C, tol=1e-8)
            try:
                model.fit(X, y)
            except NotSeparableError as error:
                print(f"{C:9g}   {error}")
                continue
            signs = np.where(y == model.classes_[1], 1, -1)
            slack = np.maximum(0, 1 - signs * model.decision_function(X)).mean()
            print(
                f"{C:9g} {model.margin_[0]:8.4f} {len(model.support_):9d} {slack:16.4f} "
                f"{model.objective_:11.4g} {C * len(y):9.4g} {model.certificate_:9.0e}"
            )
        soft = LinearSVC(loss="hinge", C=1.0, tol=1e-10).fit(X, y)
        held = soft.support_
        again = LinearSVC(loss="hinge", C=1.0, tol=1e-10).fit(X[held], y[held])
        apart = np.abs(again.coef_ - soft.coef_).max()
        print(f"\nfrom its {len(held)} support vectors alone: weights apart by {apart:.0e}\n")


def show_tubes() -> None:
    """Print a line a tube: rows that hold the line, its slope and its error."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(300, 1))
    y = 2 * X[:, 0] + 1 + 0.2 * rng.normal(size=300)
    print("2 x + 1 with noise 0.2: a tube of   holds   outside   slope   offset\n")
    for epsilon in (0.0, 0.1, 0.2, 0.4, 0.8):
        model = LinearSVR(epsilon=epsilon, C=10, tol=1e-8).fit(X, y)
        outside = np.mean(np.abs(model.predict(X) - y) > epsilon)
        print(
            f"{epsilon:35.1f} {len(model.support_):7d} {outside:9.1%} "
            f"{model.coef_[0]:7.3f} {model.intercept_[0]:8.3f}"
        )


def main() -> None:
    """Print both tables."""
    show_margins()
    show_tubes()


if __name__ == "__main__":
    main()
