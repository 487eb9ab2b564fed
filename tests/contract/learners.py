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
    SGDClassifier,
    SGDRegressor,
    VotedPerceptron,
)

LEARNERS: dict[str, Learner] = {
    "BatchPerceptron": BatchPerceptron(),
    "DualPerceptron": DualPerceptron(),
    "DualPerceptron, precomputed": DualPerceptron(kernel="precomputed"),
    "MulticlassPerceptron": MulticlassPerceptron(),
    "MulticlassPerceptron, averaged": MulticlassPerceptron(average=True),
    "Perceptron": Perceptron(),
    "Perceptron, averaged": Perceptron(average=True),
    "Perceptron, held out": Perceptron(early_stopping=True, validation_fraction=0.3),
    "PocketPerceptron": PocketPerceptron(),
    "SGDClassifier": SGDClassifier(),
    "SGDClassifier, averaged": SGDClassifier(
        "log_loss", average=True, learning_rate="constant", eta0=0.1
    ),
    "SGDClassifier, held out": SGDClassifier(early_stopping=True, validation_fraction=0.3),
    "SGDClassifier, truncated": SGDClassifier(
        "log_loss",
        penalty="elasticnet",
        truncate="steps",
        batch_size=4,
        learning_rate="sqrt",
        eta0=0.3,
    ),
    "SGDRegressor": SGDRegressor(),
    "SGDRegressor, averaged": SGDRegressor(average=True, eta0=0.05),
    "SGDRegressor, held out": SGDRegressor(early_stopping=True, validation_fraction=0.3),
    "VotedPerceptron": VotedPerceptron(),
}
