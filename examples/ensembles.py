"""Print what ensembles make of their members: accuracy on fresh rows, and AdaBoost round by round.

Two moons with noise: a line is too simple, and a full tree learns the noise. The rows that each
draw of a bag left out tell of the test error without a test set; AdaBoost's training error stays
below its bound, prod 2 sqrt(eps (1 - eps)).

    python examples/ensembles.py
"""

from __future__ import annotations

from typing import Any

from inducer.base import Trace
from inducer.datasets import moons
from inducer.ensembles import AdaBoost, Bagging, Stacking, Voting
from inducer.linear import LogisticRegression
from inducer.trees import DecisionStump, DecisionTreeClassifier

ROUNDS = (1, 2, 5, 10, 20, 50, 100, 200)


def main() -> None:
    """Print both tables."""
    X, y = moons(n_samples=4000, noise=0.35, random_state=0, return_X_y=True)
    train, test = slice(0, 500), slice(500, None)
    members = [
        ("line", LogisticRegression()),
        ("stump", DecisionStump()),
        ("tree of depth 4", DecisionTreeClassifier(max_depth=4)),
    ]
    bag = Bagging(DecisionTreeClassifier(), 100, oob_score=True, random_state=0)
    boosted = AdaBoost(n_estimators=max(ROUNDS)).set_callbacks(Trace())
    contestants: list[tuple[str, Any]] = [
        *members,
        ("full tree", DecisionTreeClassifier()),
        ("vote of the first three", Voting(members)),
        ("stack of the first three", Stacking(members, random_state=0)),
        ("blend of the first three", Stacking(members, cv=0.3, random_state=0)),
        ("bag of 100 full trees", bag),
        ("200 boosted stumps", boosted),
    ]
    print(f"{'':28}{'of the fit':>12}{'fresh rows':>12}")
    for name, model in contestants:
        model.fit(X[train], y[train])
        scores = model.score(X[train], y[train]), model.score(X[test], y[test])
        print(f"{name:28}" + "".join(f"{score:12.3f}" for score in scores))
    print(f"\nthe bag's rows left out: {bag.oob_score_:.3f}\n")

    print(f"{'rounds':>8}{'eps':>10}{'alpha':>10}{'training':>10}{'bound':>10}{'test':>10}")
    told = boosted.history_
    tested = list(boosted.staged_score(X[test], y[test]))
    for rounds in ROUNDS:
        names = ("error", "alpha", "training_error", "bound")
        cells = [told[name][rounds - 1] for name in names] + [1 - tested[rounds - 1]]
        print(f"{rounds:8d}" + "".join(f"{cell:10.4f}" for cell in cells))


if __name__ == "__main__":
    main()
