"""The table of all public learners: what every contract test goes over.

To add a learner, add a line here; one more for each of its settings that changes what it takes or
leaves behind. The table holds unfitted learners, and tests clone them.
"""

from __future__ import annotations

from inducer.base import Learner
from inducer.ensembles import AdaBoost, Bagging, Stacking, Voting
from inducer.linear import (
    BatchPerceptron,
    DualPerceptron,
    ElasticNet,
    Lasso,
    LeastSquares,
    LeastSquaresClassifier,
    LinearClassifier,
    LinearRegressor,
    LinearSVC,
    LinearSVR,
    LogisticRegression,
    MulticlassPerceptron,
    Perceptron,
    PocketPerceptron,
    Ridge,
    SGDClassifier,
    SGDRegressor,
    VotedPerceptron,
)
from inducer.losses import Huber, Logistic
from inducer.online import (
    ExponentiatedGradient,
    ExponentiatedGradientRegressor,
    FollowTheLeader,
    FollowTheLeaderRegressor,
    PassiveAggressive,
    PassiveAggressiveRegressor,
    Winnow,
)
from inducer.penalties import ElasticNet as ElasticNetPenalty
from inducer.trees import DecisionStump, DecisionTreeClassifier, DecisionTreeRegressor

LEARNERS: dict[str, Learner] = {
    "AdaBoost": AdaBoost(),
    "AdaBoost, of lines": AdaBoost(LogisticRegression(), 5),
    "Bagging": Bagging(),
    "Bagging, numbers": Bagging(Ridge(), average="median", max_samples=0.8, bootstrap=False),
    "Bagging, soft": Bagging(LogisticRegression(), 5, voting="soft", oob_score=True),
    "BatchPerceptron": BatchPerceptron(),
    "DecisionStump": DecisionStump(),
    "DecisionTreeClassifier": DecisionTreeClassifier(),
    "DecisionTreeClassifier, binned": DecisionTreeClassifier(method="binned", max_bins=16),
    "DecisionTreeClassifier, drawn": DecisionTreeClassifier(max_features=2),
    "DecisionTreeClassifier, small": DecisionTreeClassifier(
        criterion="gain_ratio", max_leaf_nodes=8, min_samples_leaf=3, ccp_alpha=0.001
    ),
    "DecisionTreeRegressor": DecisionTreeRegressor(),
    "DecisionTreeRegressor, binned": DecisionTreeRegressor(method="binned", max_bins=16),
    "DualPerceptron": DualPerceptron(),
    "DualPerceptron, precomputed": DualPerceptron(kernel="precomputed"),
    "ElasticNet": ElasticNet(alpha=0.1, tol=1e-10),
    "ElasticNet, chosen": ElasticNet(alphas=[0.001, 0.01], cv=2, tol=1e-10),
    "ElasticNet, positive": ElasticNet(alpha=0.01, positive=True, tol=1e-10),
    "ExponentiatedGradient": ExponentiatedGradient(),
    "ExponentiatedGradientRegressor": ExponentiatedGradientRegressor(eta=0.001),
    "FollowTheLeader": FollowTheLeader(),
    "FollowTheLeader, sparse": FollowTheLeader(l1=0.5, l2=0.1),
    "FollowTheLeaderRegressor": FollowTheLeaderRegressor(),
    "Lasso": Lasso(alpha=0.01, tol=1e-10),
    "LeastSquares": LeastSquares(),
    "LeastSquares, positive": LeastSquares(positive=True),
    "LeastSquaresClassifier": LeastSquaresClassifier(),
    "LinearClassifier": LinearClassifier(),
    "LinearClassifier, bounded": LinearClassifier(form="norm_bound", bound=0.5),
    "LinearClassifier, descending": LinearClassifier(solver="gradient", alpha=0.01),
    "LinearClassifier, hinge": LinearClassifier("hinge", alpha=0.01),
    "LinearClassifier, limited memory": LinearClassifier(solver="lbfgs", alpha=0.01),
    "LinearClassifier, proximal": LinearClassifier(
        Logistic(), penalty=ElasticNetPenalty(0.9), solver="proximal", alpha=0.01
    ),
    "LinearClassifier, subgradient": LinearClassifier(
        "hinge", solver="subgradient", alpha=0.01, max_iter=300
    ),
    "LinearRegressor": LinearRegressor(),
    "LinearRegressor, absolute": LinearRegressor("absolute", penalty="l1", alpha=0.01),
    "LinearRegressor, huber": LinearRegressor(Huber(0.5), penalty=None),
    "LinearSVC": LinearSVC(),
    "LinearSVC, hinge": LinearSVC(loss="hinge", tol=1e-8, dual=False, random_state=0),
    "LinearSVC, hinge, dual descent": LinearSVC(loss="hinge", tol=1e-6, dual=True, random_state=0),
    "LinearSVC, l1": LinearSVC(penalty="l1"),
    "LinearSVR": LinearSVR(tol=1e-10, dual=False),
    "LinearSVR, squared": LinearSVR(loss="squared_epsilon_insensitive"),
    "LogisticRegression": LogisticRegression(),
    "LogisticRegression, l1": LogisticRegression(l1_ratio=1.0, tol=1e-7),
    "LogisticRegression, one versus all": LogisticRegression(multi_class="ovr"),
    "LogisticRegression, truncated Newton": LogisticRegression(solver="newton-cg", tol=1e-10),
    "MulticlassPerceptron": MulticlassPerceptron(),
    "MulticlassPerceptron, averaged": MulticlassPerceptron(average=True),
    "PassiveAggressive": PassiveAggressive(),
    "PassiveAggressive, averaged": PassiveAggressive(variant="pa2", average=True),
    "PassiveAggressiveRegressor": PassiveAggressiveRegressor(average=True),
    "Perceptron": Perceptron(),
    "Perceptron, averaged": Perceptron(average=True),
    "Perceptron, held out": Perceptron(early_stopping=True, validation_fraction=0.3),
    "PocketPerceptron": PocketPerceptron(),
    "Ridge": Ridge(),
    "Ridge, chosen": Ridge(alphas=[0.1, 1.0, 10.0]),
    "Ridge, conjugate gradients": Ridge(solver="cg"),
    "Ridge, positive": Ridge(positive=True),
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
    "Stacking": Stacking(),
    "Stacking, blended": Stacking(cv=0.3, passthrough=True),
    "Stacking, numbers": Stacking([("ridge", Ridge()), ("least squares", LeastSquares())]),
    "VotedPerceptron": VotedPerceptron(),
    "Voting": Voting(),
    "Voting, numbers": Voting([("ridge", Ridge()), ("lasso", Lasso(alpha=0.01, tol=1e-10))]),
    "Voting, soft": Voting(
        [("logistic", LogisticRegression()), ("stronger", LogisticRegression(C=0.1))],
        voting="soft",
        weights=[1.0, 2.0],
    ),
    "Winnow": Winnow(),
    "Winnow, positive": Winnow(form="positive"),
}
