"""Learning row by row: online linear learners, experts, bandits, and testing before training."""

from inducer._lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "ContextualBandit": "bandit",
        "Decision": "bandit",
        "ExponentiatedGradient": "exponentiated_gradient",
        "ExponentiatedGradientRegressor": "exponentiated_gradient",
        "FollowTheLeader": "follow_the_leader",
        "FollowTheLeaderRegressor": "follow_the_leader",
        "Hedge": "hedge",
        "OffPolicyValue": "_off_policy",
        "PassiveAggressive": "passive_aggressive",
        "PassiveAggressiveRegressor": "passive_aggressive",
        "ProgressiveResult": "_progressive",
        "Replay": "_replay",
        "Winnow": "winnow",
        "off_policy_value": "_off_policy",
        "progressive_validation": "_progressive",
        "replay": "_replay",
    },
)
