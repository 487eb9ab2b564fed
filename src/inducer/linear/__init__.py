"""Linear models: perceptrons, least squares, logistic, support vectors, descent; margins."""

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
        "Ridge": "ridge",
        "SGDClassifier": "sgd_classifier",
        "SGDRegressor": "sgd_regressor",
        "VotedPerceptron": "voted",
        "margin": "_margin",
        "top_weights": "_top_weights",
    },
)
