"""Decision trees of classes and of numbers, and how to read them."""

from inducer._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "DecisionStump": "stump",
        "DecisionTreeClassifier": "decision_tree_classifier",
        "DecisionTreeRegressor": "decision_tree_regressor",
        "Rules": "_rules",
        "Tree": "_tree",
        "rules": "_rules",
    },
)
