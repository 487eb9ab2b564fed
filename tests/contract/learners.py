"""The table of all public learners: what every contract test goes over.

To add a learner, add a line here; one more for each of its settings that changes what it takes or
leaves behind. The table holds unfitted learners, and tests clone them.
"""

from __future__ import annotations

from inducer.base import Learner
from inducer.linear import (
    BatchPerceptron,
    DualPerceptron,
    ElasticNet,
    Lasso,
    LeastSquares,
    LeastSquaresClassifier,
    MulticlassPerceptron,
    Perceptron,
    PocketPerceptron,
    Ridge,
    VotedPerceptron,
)

LEARNERS: dict[str, Learner] = {
    "BatchPerceptron": BatchPerceptron(),
    "DualPerceptron": DualPerceptron(),
    "DualPerceptron, precomputed": DualPerceptron(kernel="precomputed"),
    "ElasticNet": ElasticNet(alpha=0.1),
    "ElasticNet, chosen": ElasticNet(alphas=5, cv=2),
    "ElasticNet, positive": ElasticNet(alpha=0.1, positive=True),
    "Lasso": Lasso(alpha=0.1),
    "LeastSquares": LeastSquares(),
    "LeastSquares, positive": LeastSquares(positive=True),
    "LeastSquaresClassifier": LeastSquaresClassifier(),
    "MulticlassPerceptron": MulticlassPerceptron(),
    "MulticlassPerceptron, averaged": MulticlassPerceptron(average=True),
    "Perceptron": Perceptron(),
    "Perceptron, averaged": Perceptron(average=True),
    "Perceptron, held out": Perceptron(early_stopping=True, validation_fraction=0.3),
    "PocketPerceptron": PocketPerceptron(),
    "Ridge": Ridge(),
    "Ridge, chosen": Ridge(alphas=[0.1, 1.0, 10.0]),
    "Ridge, conjugate gradients": Ridge(solver="cg"),
    "Ridge, positive": Ridge(positive=True),
    "VotedPerceptron": VotedPerceptron(),
}
