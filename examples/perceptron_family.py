"""Print how the perceptrons learn: training and test error of each, pass by pass.

Points in ten dimensions on the two sides of a plane, one in ten with the wrong label. The plain
perceptron goes up and down with its last mistake, the averaged and the voted one settle together,
the pocket keeps the best of a walk, the batch perceptron does not depend on the order of the rows.
Orders of the rows: fixed, drawn once, drawn anew for every pass (CIML 4.3 to 4.6).

    python examples/perceptron_family.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inducer.datasets import linear
from inducer.linear import (
    BatchPerceptron,
    DualPerceptron,
    MulticlassPerceptron,
    Perceptron,
    PocketPerceptron,
    VotedPerceptron,
)

PASSES = (1, 2, 4, 8, 16, 32)
NOISE = 0.1


def learners(passes: int) -> dict[str, Any]:
    """Return the family, each with so many passes (updates, for the pocket) over the rows."""
    same = {"max_iter": passes, "tol": None}
    return {
        "plain, fixed order": Perceptron(shuffle="never", **same),
        "plain, one order": Perceptron(shuffle="once", random_state=0, **same),
        "plain, new orders": Perceptron(shuffle="every", random_state=0, **same),
        "averaged": Perceptron(average=True, random_state=0, **same),
        "voted": VotedPerceptron(random_state=0, **same),
        "multiclass, averaged": MulticlassPerceptron(average=True, random_state=0, **same),
        "dual": DualPerceptron(random_state=0, **same),
        "batch": BatchPerceptron(**same),
        "pocket": PocketPerceptron(max_iter=40 * passes, random_state=0),
    }


def main() -> None:
    """Print a line a learner: test errors after more and more passes."""
    X, y = linear(n_samples=1200, n_features=10, margin=0.05, random_state=0, return_X_y=True)
    wrong = np.random.default_rng(0).random(len(y)) < NOISE
    y = np.where(wrong, 1 - y, y)
    train, test = slice(0, 400), slice(400, None)
    errors: dict[str, list[str]] = {}
    for passes in PASSES:
        for name, learner in learners(passes).items():
            model = learner.fit(X[train], y[train])
            pair = [np.mean(model.predict(X[part]) != y[part]) for part in (train, test)]
            errors.setdefault(name, []).append("{:4.0%} {:4.0%}".format(*pair))
    print(f"{'errors: training, test':24}" + "".join(f"{f'{n} passes':>13}" for n in PASSES))
    for name, cells in errors.items():
        print(f"{name:24}" + "".join(f"{cell:>13}" for cell in cells))


if __name__ == "__main__":
    main()
