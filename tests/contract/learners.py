"""The table of all public learners: what every contract test goes over.

To add a learner, add a line here; one more for each of its settings that changes what it takes or
leaves behind. The table holds unfitted learners, and tests clone them.
"""

from __future__ import annotations

from inducer.base import Learner
from inducer.linear import (
    BatchPerceptron,
    DualPerceptron,
    MulticlassPerceptron,
    Perceptron,
    PocketPerceptron,
    VotedPerceptron,
)
from inducer.online import (
    ExponentiatedGradient,
    ExponentiatedGradientRegressor,
    FollowTheLeader,
    FollowTheLeaderRegressor,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Winnow,
)

LEARNERS: dict[str, Learner] = {
    "BatchPerceptron": BatchPerceptron(),
    "DualPerceptron": DualPerceptron(),
    "DualPerceptron, precomputed": DualPerceptron(kernel="precomputed"),
    "ExponentiatedGradient": ExponentiatedGradient(),
    "ExponentiatedGradientRegressor": ExponentiatedGradientRegressor(eta=0.001),
    "FollowTheLeader": FollowTheLeader(),
    "FollowTheLeader, sparse": FollowTheLeader(l1=0.5, l2=0.1),
    "FollowTheLeaderRegressor": FollowTheLeaderRegressor(),
    "MulticlassPerceptron": MulticlassPerceptron(),
    "MulticlassPerceptron, averaged": MulticlassPerceptron(average=True),
    "PassiveAggressive": PassiveAggressive(),
    "PassiveAggressive, averaged": PassiveAggressive(variant="pa2", average=True),
    "PassiveAggressiveRegressor": PassiveAggressiveRegressor(average=True),
    "Perceptron": Perceptron(),
    "Perceptron, averaged": Perceptron(average=True),
    "Perceptron, held out": Perceptron(early_stopping=True, validation_fraction=0.3),
    "PocketPerceptron": PocketPerceptron(),
    "VotedPerceptron": VotedPerceptron(),
    "Winnow": Winnow(),
    "Winnow, positive": Winnow(form="positive"),
}
