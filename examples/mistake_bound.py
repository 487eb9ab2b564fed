"""Print the mistakes of perceptrons beside the bound: the wider the margin, the fewer.

Points that a plane separates with a margin from narrow to wide. However often a perceptron goes
over them, in whatever order, it makes at most (R / gamma)^2 mistakes in all, R and gamma those of
the rows (x, 1). And the widest margin there is: a perceptron finds a plane, not the best one.

    python examples/mistake_bound.py
"""

from __future__ import annotations

import numpy as np

from inducer.datasets import linear
from inducer.linear import Perceptron, margin

SEEDS = range(20)


def clean(seed: int) -> Perceptron:
    """Return a perceptron that goes on until a pass is clean."""
    forever = 10**6
    return Perceptron(max_iter=forever, tol=0, n_iter_no_change=forever, random_state=seed)


def main() -> None:
    """Print a line a margin."""
    print(f"{'margin':>8}{'bound':>10}{'mistakes: mean':>16}{'most':>8}{'margin found':>14}")
    for gap in (0.02, 0.05, 0.1, 0.2, 0.4):
        X, y = linear(n_samples=300, n_features=3, margin=gap, random_state=0, return_X_y=True)
        widest = margin(X, y)
        fits = [clean(seed).fit(X, y) for seed in SEEDS]
        mistakes = [fit.n_mistakes_ for fit in fits]
        signs = np.where(y == fits[0].classes_[1], 1, -1)
        found = [
            np.min(signs * fit.decision_function(X)) / np.linalg.norm(fit.coef_) for fit in fits
        ]
        assert max(mistakes) <= widest.mistake_bound
        print(
            f"{widest.margin:8.3f}{widest.mistake_bound:10.0f}{np.mean(mistakes):16.1f}"
            f"{max(mistakes):8d}{np.mean(found):14.4f}"
        )


if __name__ == "__main__":
    main()
