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
    "VotedPerceptron": VotedPerceptron(),
}
