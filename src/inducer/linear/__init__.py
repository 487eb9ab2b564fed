"""Linear models: the perceptron family, margins, and how to read weights."""

from inducer._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "BatchPerceptron": "batch",
        "Certificate": "_margin",
        "DualPerceptron": "dual",
        "LinearSVC": "svc",
        "LinearSVR": "svr",
        "LogisticRegression": "logistic",
        "Margin": "_margin",
        "MulticlassPerceptron": "multiclass",
        "Perceptron": "perceptron",
        "PocketPerceptron": "pocket",
        "VotedPerceptron": "voted",
        "margin": "_margin",
        "top_weights": "_top_weights",
    },
)
