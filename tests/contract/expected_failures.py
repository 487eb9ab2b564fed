"""Checks of scikit-learn that a learner fails, each with the reason why that is right.

By the learner's name in `learners.LEARNERS`. They are strict: one that passes is a failure.
"""

from __future__ import annotations


def weights_are_no_copies(reason: str) -> dict[str, str]:
    """Return the two checks for which a weight of k must be k copies of a row."""
    return {
        f"check_sample_weight_equivalence_on_{kind}_data": reason for kind in ("dense", "sparse")
    }


_CORRECTION = (
    "A weight of k makes one correction k times as large; of k copies each is corrected by itself, "
    "in a shuffled order, and only as long as it is still a mistake."
)
_STEP = (
    "A weight of k makes one step k times as long; k copies make k steps, in a shuffled order, "
    "each from where the last has ended, and each with a decay and a rate of its own."
)
_DRAWS = (
    "A row of weight k is drawn as often as k copies, but the check shuffles the rows, and the "
    "draws with them: the walk is as likely, not the same. (tests/reference/test_pocket.py has it "
    "for copies side by side, where it is the same.)"
)
_PATIENCE = (
    "The check sets n_iter_no_change=20. On its unscaled features, with class weights ten million "
    "times apart, {what} goes to and fro for longer than that before it gets better, so the fit "
    "stops early. With tol=None, and the same passes at most, it does what the check asks for "
    "(test_estimators.py)."
)

_HELD_OUT_WEIGHTS = (
    "Held-out rows are judged by their weights, which the check has ten million times apart: the "
    "first weights to have the few rows of class 0 right are kept, though the other class's have "
    "not been given up yet."
)
_ROW_STEP = (
    "A weight of k makes one step k times as long; k copies make a step each, in a shuffled order, "
    "each from where the last has ended."
)
_DEARER = (
    "A weight of k makes one step that may go k times as far, and not past the row; k copies make "
    "a step each, in a shuffled order, each from where the last has ended."
)
_INCREASING = (
    "With positive weights and a fixed threshold only classes that grow with the features can be "
    "told apart; the blobs of the check lie anywhere. (tests/property/test_online.py has "
    "disjunctions.)"
)

_DRAWN_ROWS = (
    "A row of weight k is drawn with k times the chance; k copies are k rows, and a draw is of as "
    "many rows as there are. The members learn from other draws."
)
_FOLDS = (
    "Copies of a row fall into different folds, and are asked about of members that saw another "
    "copy; a weighted row is in one fold only. The folds are drawn for other numbers of rows, too."
)

EXPECTED_FAILURES: dict[str, dict[str, str]] = {
    "Bagging": {"check_sample_weight_equivalence_on_dense_data": _DRAWN_ROWS},  # of no sparse ones
    "Bagging, numbers": weights_are_no_copies(_DRAWN_ROWS),
    "Bagging, soft": weights_are_no_copies(_DRAWN_ROWS),
    "Stacking": weights_are_no_copies(_FOLDS),
    "Stacking, blended": weights_are_no_copies(_FOLDS),
    "Stacking, numbers": weights_are_no_copies(_FOLDS),
    "Voting": weights_are_no_copies(_CORRECTION),
    "BatchPerceptron": {
        "check_class_weight_classifiers": _PATIENCE.format(what="a walk of constant rate"),
    },
    "LinearSVC, hinge, dual descent": weights_are_no_copies(
        "The rows are visited in a shuffled order, and copies shuffle otherwise; the fits agree as "
        "far as their gaps say, not to the last digits. (The hinge by Newton does.)"
    ),
    "DecisionStump": {
        "check_classifiers_train": (
            "One question has two answers, and the check wants three blobs told apart."
        ),
        "check_class_weight_classifiers": (
            "The check limits the weight of leaves where there is such a parameter. A stump has "
            "none: a side without rows of class 0 says another class, whatever that one weighs."
        ),
    },
    "DecisionTreeClassifier, small": {
        "check_sample_weight_equivalence_on_dense_data": (
            "min_samples_leaf counts rows, of which a copy is one more; a larger weight is none. "
            "(The learner's defaults pass: tests/property/test_trees.py has it to the last bit.)"
        ),
    },
    "DualPerceptron": weights_are_no_copies(_CORRECTION),
    "DualPerceptron, precomputed": {
        "check_estimators_nan_inf": (
            "The check predicts from 10 x 3 cells after a fit to 10 x 10: the wrong number of "
            "columns is refused before any cell is looked at. (test_estimators.py asks with the "
            "right number.)"
        ),
    },
    "ExponentiatedGradient": weights_are_no_copies(_ROW_STEP),
    "ExponentiatedGradientRegressor": weights_are_no_copies(_ROW_STEP),
    "FollowTheLeader": weights_are_no_copies(_ROW_STEP),
    "FollowTheLeader, sparse": weights_are_no_copies(_ROW_STEP),
    "FollowTheLeaderRegressor": weights_are_no_copies(_ROW_STEP),
    "MulticlassPerceptron": weights_are_no_copies(_CORRECTION),
    "MulticlassPerceptron, averaged": weights_are_no_copies(_CORRECTION),
    "PassiveAggressive": weights_are_no_copies(_DEARER),
    "PassiveAggressive, averaged": weights_are_no_copies(_DEARER),
    "PassiveAggressiveRegressor": weights_are_no_copies(_DEARER),
    "Perceptron": weights_are_no_copies(_CORRECTION),
    "Perceptron, averaged": {
        **weights_are_no_copies(_CORRECTION),
        "check_class_weight_classifiers": _PATIENCE.format(what="the walk that is averaged"),
    },
    "Perceptron, held out": {
        **weights_are_no_copies(_CORRECTION + " The held-out rows are others, too."),
        "check_class_weight_classifiers": _HELD_OUT_WEIGHTS,
    },
    "PocketPerceptron": weights_are_no_copies(_DRAWS),
    "SGDClassifier": weights_are_no_copies(_STEP),
    "SGDClassifier, averaged": weights_are_no_copies(_STEP),
    "SGDClassifier, held out": {
        **weights_are_no_copies(_STEP + " The held-out rows are others, too."),
        "check_class_weight_classifiers": _HELD_OUT_WEIGHTS,
    },
    "SGDClassifier, truncated": weights_are_no_copies(_STEP),
    "SGDRegressor": weights_are_no_copies(_STEP),
    "SGDRegressor, averaged": weights_are_no_copies(_STEP),
    "SGDRegressor, held out": weights_are_no_copies(_STEP + " The held-out rows are others, too."),
    "VotedPerceptron": weights_are_no_copies(_CORRECTION),
    "Winnow": weights_are_no_copies(_ROW_STEP),
    "Winnow, positive": {
        **weights_are_no_copies(_ROW_STEP),
        "check_classifiers_train": _INCREASING,
        "check_class_weight_classifiers": (
            "The check's features are negative, which the positive form refuses."
        ),
    },
}
