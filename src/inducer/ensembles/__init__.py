"""Learners made of learners: votes, bags, boosting, stacks."""

from inducer._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "AdaBoost": "adaboost",
        "Bagging": "bagging",
        "Stacking": "stacking",
        "Voting": "voting",
    },
)
