"""What a row costs, given its target and its score: one small object a loss."""

from inducer._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "Absolute": "residuals",
        "EpsilonInsensitive": "residuals",
        "Exponential": "margins",
        "Gamma": "rates",
        "Hinge": "margins",
        "Huber": "residuals",
        "Logistic": "margins",
        "Loss": "loss",
        "ModifiedHuber": "margins",
        "Perceptron": "margins",
        "Poisson": "rates",
        "Quantile": "residuals",
        "Squared": "residuals",
        "SquaredEpsilonInsensitive": "residuals",
        "SquaredHinge": "margins",
        "Tweedie": "rates",
        "ZeroOne": "margins",
        "as_loss": "registry",
    },
)
