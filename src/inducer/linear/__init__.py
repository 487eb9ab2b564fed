"""Linear models: the perceptron family, squared loss, margins, and how to read weights."""

from inducer._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "BatchPerceptron": "batch",
        "Certificate": "_margin",
        "DualPerceptron": "dual",
        "ElasticNet": "elastic_net",
        "Lasso": "lasso",
        "LeastSquares": "least_squares",
        "LeastSquaresClassifier": "least_squares_classifier",
        "LinearClassifier": "classifier",
        "LinearRegressor": "regressor",
        "LinearSVC": "svc",
        "LinearSVR": "svr",
        "LogisticRegression": "logistic",
        "Margin": "_margin",
        "MulticlassPerceptron": "multiclass",
        "Perceptron": "perceptron",
        "PocketPerceptron": "pocket",
        "SGDClassifier": "sgd_classifier",
        "SGDRegressor": "sgd_regressor",
        "Ridge": "ridge",
        "VotedPerceptron": "voted",
        "margin": "_margin",
        "top_weights": "_top_weights",
    },
)
