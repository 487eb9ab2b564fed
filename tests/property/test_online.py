"""The theorems of online learning, on streams that Hypothesis makes up."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inducer
from inducer.online import (
    ContextualBandit,
    ExponentiatedGradient,
    FollowTheLeader,
    Hedge,
    PassiveAggressive,
    Winnow,
    off_policy_value,
    replay,
)
from reference import online_transcriptions as slow

SLACK = 1 + 1e-9  # bounds are met up to rounding
ONCE: dict[str, Any] = {"shuffle": False, "tol": None, "max_iter": 1, "fit_intercept": False}

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(2, 60)


def stream(seed: int, rows: int, cols: int, separable: bool) -> tuple[Any, Any, Any]:
    """Return rows, their signs, and the weights that made these."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, cols)) * rng.exponential(size=cols)
    u = rng.normal(size=cols)
    margins = X @ u
    keep = np.abs(margins) > 0.1 * np.abs(margins).max()
    X, margins = X[keep], margins[keep]
    u = u / np.abs(margins).min()  # a margin of one at least
    y = np.sign(margins)
    if not separable:
        y = np.where(rng.random(len(y)) < 0.2, -y, y)
    return X, y, u


# ---- passive-aggressive: Crammer et al., theorems 2, 4 and 5 -------------------------------------


def learn(model: Any, X: Any, y: Any) -> Any:
    return model.partial_fit(X, y > 0, classes=[False, True])


@given(seed=seeds, rows=sizes, cols=st.integers(1, 8))
def test_squared_losses_of_a_separable_stream(seed: int, rows: int, cols: int) -> None:
    X, y, u = stream(seed, rows, cols, separable=True)
    walk = slow.passive_aggressive(X, y, C=1, variant="pa", intercept=False)
    model = learn(PassiveAggressive(variant="pa", **ONCE), X, y)
    np.testing.assert_allclose(model.coef_[0], walk.w[-1], rtol=1e-7, atol=1e-9)
    radius2 = np.sum(X**2, axis=1).max()
    assert walk.losses @ walk.losses <= SLACK * radius2 * (u @ u)
    # Each step comes nearer to what separates.
    distances = np.linalg.norm(walk.w - u, axis=1)
    assert np.all(np.diff(distances) <= 1e-9 * (1 + distances[:-1]))


@given(seed=seeds, rows=sizes, cols=st.integers(1, 8), C=st.floats(0.01, 10))
def test_mistakes_of_pa1(seed: int, rows: int, cols: int, C: float) -> None:
    X, y, u = stream(seed, rows, cols, separable=False)
    walk = slow.passive_aggressive(X, y, C=C, variant="pa1", intercept=False)
    model = learn(PassiveAggressive(C=C, **ONCE), X, y)
    np.testing.assert_allclose(model.coef_[0], walk.w[-1], rtol=1e-7, atol=1e-9)
    mistakes = np.sum(walk.losses >= 1)
    radius2 = np.sum(X**2, axis=1).max()
    for other in (u, np.zeros(cols)):
        star = np.maximum(0, 1 - y * (X @ other))
        assert mistakes <= SLACK * max(radius2, 1 / C) * (other @ other + 2 * C * star.sum())


@given(seed=seeds, rows=sizes, cols=st.integers(1, 8), C=st.floats(0.01, 10))
def test_squared_losses_of_pa2(seed: int, rows: int, cols: int, C: float) -> None:
    X, y, u = stream(seed, rows, cols, separable=False)
    walk = slow.passive_aggressive(X, y, C=C, variant="pa2", intercept=False)
    model = learn(PassiveAggressive(C=C, variant="pa2", **ONCE), X, y)
    np.testing.assert_allclose(model.coef_[0], walk.w[-1], rtol=1e-7, atol=1e-9)
    radius2 = np.sum(X**2, axis=1).max()
    for other in (u, np.zeros(cols)):
        star = np.maximum(0, 1 - y * (X @ other))
        bound = (radius2 + 1 / (2 * C)) * (other @ other + 2 * C * star @ star)
        assert walk.losses @ walk.losses <= SLACK * bound


@given(seed=seeds, variant=st.sampled_from(["pa", "pa1", "pa2"]))
def test_a_step_makes_the_row_right_and_no_more(seed: int, variant: str) -> None:
    """Weights and intercept together: the margin afterwards is one, and none beyond it."""
    X, y, _ = stream(seed, 20, 3, separable=False)
    model = PassiveAggressive(variant=variant, C=0.5, shuffle=False)
    for x, side in zip(X, y, strict=True):
        model.partial_fit(x[None], [side > 0], classes=[False, True])
        margin = side * model.decision_function(x[None])[0]
        if variant == "pa":
            assert margin >= 1 - 1e-9
        before = model.n_updates_
        model.partial_fit(x[None], [side > 0])
        if variant == "pa":
            assert model.n_updates_ == before


# ---- Winnow --------------------------------------------------------------------------------------


@given(
    seed=seeds,
    k=st.integers(1, 4),
    d=st.integers(4, 300),
    alpha=st.sampled_from([1.5, 2.0, 3.0]),
    density=st.floats(0.02, 0.5),
)
def test_mistakes_on_a_disjunction(seed: int, k: int, d: int, alpha: float, density: float) -> None:
    rng = np.random.default_rng(seed)
    X = (rng.random((200, d)) < density).astype(np.float64)
    relevant = rng.choice(d, size=k, replace=False)
    y = X[:, relevant].any(axis=1)
    model = Winnow(alpha=alpha, form="positive", max_iter=30, tol=None, random_state=seed)
    model.partial_fit(X, y, classes=[False, True])
    for _ in range(5):
        model.partial_fit(X, y)
    assert model.n_updates_ <= model.mistake_bound(k)


def test_irrelevant_features_cost_winnow_little_and_the_perceptron_much() -> None:
    """What Winnow is for: a disjunction of 3 among 1000 features, a fifth of them present."""
    rng = np.random.default_rng(0)
    X = (rng.random((4000, 1000)) < 0.2).astype(np.float64)
    y = X[:, [3, 500, 700]].any(axis=1)
    winnow = Winnow(alpha=2, form="positive", shuffle=False).partial_fit(X, y, [False, True])
    perceptron = inducer.linear.Perceptron(shuffle=False).partial_fit(X, y, [False, True])
    assert winnow.n_updates_ < 150
    assert perceptron.n_mistakes_ > 4 * winnow.n_updates_


# ---- regret --------------------------------------------------------------------------------------


@given(
    seed=seeds,
    rows=sizes,
    cols=st.integers(1, 30),
    eta=st.floats(0.001, 2),
    loss=st.sampled_from(["logistic", "hinge", "squared"]),
)
def test_regret_of_the_exponentiated_gradient(
    seed: int, rows: int, cols: int, eta: float, loss: str
) -> None:
    X, y, u = stream(seed, rows, cols, separable=False)
    radius = 2.0
    if loss == "squared":  # with larger rates the weights swing, and rounding errors grow
        eta /= 20 * max(1.0, np.abs(X).max()) ** 2
    params: dict[str, Any] = {"loss": loss, "eta": eta, "radius": radius, "form": "balanced"}
    walk = slow.exponentiated_gradient(X, y, **params, intercept=False)
    model = learn(ExponentiatedGradient(**params, **ONCE), X, y)
    np.testing.assert_allclose(model.coef_[0], walk.w[-1], rtol=0, atol=1e-8)
    assert np.abs(model.coef_).sum() <= radius * SLACK
    scores = np.sum(walk.w[:-1] * X, axis=1)
    slopes = np.array([slow.SLOPES[loss](t, a) for t, a in zip(y, scores, strict=True)])
    squares = np.sum((slopes * np.abs(X).max(axis=1)) ** 2)
    bound = radius * math.log(2 * cols) / eta + eta * radius / 2 * squares
    corners = np.vstack([np.eye(cols), -np.eye(cols), u[None] / np.abs(u).sum()]) * radius
    for other in corners:
        theirs = sum(slow.LOSSES[loss](t, a) for t, a in zip(y, X @ other, strict=True))
        assert walk.losses.sum() - theirs <= SLACK * bound + 1e-9


@given(
    seed=seeds,
    rows=sizes,
    cols=st.integers(1, 10),
    alpha=st.floats(0.01, 3),
    beta=st.floats(0, 2),
    l1=st.floats(0, 2),
    l2=st.floats(0, 2),
    loss=st.sampled_from(["logistic", "hinge"]),
)
def test_regret_of_the_regularised_leader(
    seed: int, rows: int, cols: int, alpha: float, beta: float, l1: float, l2: float, loss: str
) -> None:
    """McMahan 2017, theorem 2, with the regulariser of the class's docstring."""
    X, y, u = stream(seed, rows, cols, separable=False)
    params: dict[str, Any] = {"loss": loss, "alpha": alpha, "beta": beta, "l1": l1, "l2": l2}
    walk = slow.leader(X, y, **params, intercept=False)
    model = learn(FollowTheLeader(**params, **ONCE), X, y)
    np.testing.assert_allclose(model.coef_[0], walk.w[-1], rtol=1e-6, atol=1e-8)
    w = walk.w[:-1]
    scores = np.sum(w * X, axis=1)
    g = np.array([slow.SLOPES[loss](t, a) for t, a in zip(y, scores, strict=True)])[:, None] * X
    q = np.sqrt(np.cumsum(g**2, axis=0))
    sigma = np.diff(q, axis=0, prepend=0) / alpha
    rates = (beta + q) / alpha + l2
    noise = np.sum(np.divide(g**2, rates, out=np.zeros_like(g), where=g != 0)) / 2
    for other in (u, np.zeros(cols), walk.w[-1]):
        centre = np.sum(sigma * (other - w) ** 2) / 2
        size = (beta / alpha + l2) / 2 * (other @ other) + l1 * np.abs(other).sum()
        theirs = sum(slow.LOSSES[loss](t, a) for t, a in zip(y, X @ other, strict=True))
        assert walk.losses.sum() - theirs <= SLACK * (centre + size + noise) + 1e-9


def test_regret_of_the_regularised_leader_grows_like_a_root() -> None:
    """On one feature that says +1 and -1 in turns no weight is better than none."""
    regrets = []
    for rounds in (100, 400, 1600, 6400):
        y = np.arange(rounds) % 2 == 0
        X = np.ones((rounds, 1))
        model = FollowTheLeader(loss="hinge", alpha=1, beta=0, **ONCE).fit(X, y)
        regrets.append(rounds * (model.progressive_loss_ - 1))
        assert 0 <= regrets[-1] <= 2 * math.sqrt(rounds)
    assert regrets[-1] < 12 * regrets[0] + 12  # linear growth would be 64 times


matrices = st.tuples(seeds, st.integers(1, 80), st.integers(2, 12), st.booleans())


def losses_of(seed: int, rounds: int, experts: int, binary: bool) -> Any:
    rng = np.random.default_rng(seed)
    losses = rng.beta(0.5, rng.uniform(0.3, 2, size=experts), size=(rounds, experts))
    return np.round(losses) if binary else losses


@given(made=matrices, eta=st.floats(0.001, 20))
def test_regret_of_hedge(made: Any, eta: float) -> None:
    losses = losses_of(*made)
    rounds, experts = losses.shape
    hedge = Hedge(experts, eta=eta)
    own = hedge.update(losses)
    # By its definition.
    shares = np.exp(-eta * np.vstack([np.zeros(experts), np.cumsum(losses, axis=0)[:-1]]))
    shares /= shares.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(own, np.sum(shares * losses, axis=1), atol=1e-9)
    assert hedge.regret == pytest.approx(own.sum() - losses.sum(axis=0).min())
    assert hedge.regret <= hedge.regret_bound * SLACK
    assert hedge.best == np.argmin(losses.sum(axis=0))

    best = Hedge(experts, eta=Hedge.best_eta(rounds, experts))
    best.update(losses)
    assert best.regret <= SLACK * math.sqrt(rounds * math.log(experts) / 2)
    assert best.regret_bound == pytest.approx(math.sqrt(rounds * math.log(experts) / 2))


@given(made=matrices, low=st.floats(-5, 5), width=st.floats(0.1, 100))
def test_regret_of_the_adaptive_rate(made: Any, low: float, width: float) -> None:
    """Which does not care in what unit losses are, or from where they are counted."""
    losses = losses_of(*made)
    plain = Hedge(losses.shape[1])
    own = plain.update(losses)
    assert plain.regret <= plain.regret_bound
    moved = Hedge(losses.shape[1], bounds=(low, low + width * SLACK + 1e-9))
    found = moved.update(low + width * losses)
    np.testing.assert_allclose(found, low + width * own, atol=1e-6 * width)


@given(made=matrices, eta=st.floats(0.05, 5))
def test_mistakes_of_the_weighted_majority(made: Any, eta: float) -> None:
    seed, rounds, experts, _ = made
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, size=rounds)
    advice = np.where(rng.random((rounds, experts)) < rng.uniform(0, 0.6, experts), 1, 0)
    advice ^= truth[:, None]
    hedge = Hedge(experts, eta=eta)
    mistakes = 0
    for said, right in zip(advice, truth, strict=True):
        mistakes += hedge.vote(said[None])[0] != right
        hedge.update(said != right)
    m = hedge.expert_losses.min()
    assert mistakes <= SLACK * (eta * m + math.log(experts)) / math.log(2 / (1 + math.exp(-eta)))


def test_the_leader_alone_is_fooled_every_round_and_hedge_is_not() -> None:
    """What `Hedge` says of an infinite rate."""
    rounds = 1000
    losses = np.array([[0.5, 0.0]] + [[0.0, 1.0], [1.0, 0.0]] * (rounds // 2))[:rounds]
    leader = Hedge(2, eta=math.inf)
    leader.update(losses)
    assert leader.loss_total == rounds - 1 + 0.25  # halves in the first round, then always wrong
    assert losses.sum(axis=0).min() <= rounds / 2
    assert leader.regret >= rounds / 2 - 1
    for eta in ("adaptive", Hedge.best_eta(rounds, 2)):
        hedge = Hedge(2, eta=eta)
        hedge.update(losses)
        assert hedge.regret <= math.sqrt(rounds * math.log(2))


# ---- off-policy values ---------------------------------------------------------------------------


def logged(seed: int, n: int = 400) -> tuple[Any, ...]:
    """Return a log, the policy to value, a rough model, and the truth about it."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=n)
    means = np.stack([x, 1 - x, np.full(n, 0.5)], axis=1)
    logging = rng.dirichlet([2, 2, 2], size=n) * 0.7 + 0.1
    target = np.stack([x, 1 - x, np.zeros(n)], axis=1)
    actions = (logging.cumsum(axis=1) > rng.random(n)[:, None]).argmax(axis=1)
    rows = np.arange(n)
    rewards = (rng.random(n) < means[rows, actions]).astype(float)
    rough = means + 0.2  # a model that hopes too much
    truth = np.mean(np.sum(target * means, axis=1))
    return actions, rewards, logging[rows, actions], target, rough, truth


def test_inverse_propensities_are_unbiased_and_the_model_alone_is_not() -> None:
    errors: dict[str, list[float]] = {"ips": [], "dr": [], "snips": [], "dm": []}
    covered: dict[str, int] = dict.fromkeys(errors, 0)
    logs = 300
    for seed in range(logs):
        actions, rewards, p, target, rough, truth = logged(seed)
        for method in errors:
            found = off_policy_value(actions, rewards, p, target, estimates=rough, method=method)
            errors[method].append(found.value - truth)
            covered[method] += found.low <= truth <= found.high
    deviation = {m: np.std(e) / math.sqrt(logs) for m, e in errors.items()}
    for method in ("ips", "dr", "snips"):
        assert abs(np.mean(errors[method])) < 4 * deviation[method], method
        assert covered[method] > 0.9 * logs, method
    assert np.mean(errors["dm"]) == pytest.approx(0.2)  # as wrong as the model
    assert np.var(errors["dr"]) < np.var(errors["ips"])


@given(seed=seeds)
def test_a_right_model_leaves_the_doubly_robust_nothing_to_correct(seed: int) -> None:
    actions, _, p, target, rough, _ = logged(seed, n=30)
    rewards = rough[np.arange(30), actions]
    values = {
        method: off_policy_value(actions, rewards, p, target, estimates=rough, method=method).value
        for method in ("dr", "dm")
    }
    assert values["dr"] == pytest.approx(values["dm"])


@given(seed=seeds)
def test_a_policy_that_is_the_logging_one_has_the_mean_reward(seed: int) -> None:
    actions, rewards, *_ = logged(seed, n=30)
    for method in ("ips", "snips"):
        found = off_policy_value(actions, rewards, np.ones(30), actions, method=method)
        assert found.value == pytest.approx(rewards.mean())
        assert found.effective_sample_size == pytest.approx(30)


# ---- bandits -------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", ["linucb", "thompson", "epsilon_greedy"])
def test_a_bandit_learns_and_its_log_values_other_policies(policy: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(1500, 2))
    chances = np.stack([X[:, 0], X[:, 1], np.full(1500, 0.3)], axis=1)
    rewards = (rng.random((1500, 3)) < chances).astype(float)
    bandit = ContextualBandit(3, 2, policy=policy, epsilon=0.2, random_state=3)
    log = replay(bandit, X, rewards)
    assert np.all(log.propensities >= 0.2 / 3 - 1e-12)
    # Later rounds are better than blind ones (0.43), and near the best less exploration (0.61).
    assert log.rewards[750:].mean() > 0.5
    assert log.regret[-1] == pytest.approx((rewards.max(axis=1) - log.rewards).sum())
    again = replay(ContextualBandit(3, 2, policy=policy, epsilon=0.2, random_state=3), X, rewards)
    np.testing.assert_array_equal(log.actions, again.actions)
    # What the third arm, seldom chosen, would have earned.
    found = off_policy_value(
        log.actions, log.rewards, log.propensities, np.full(1500, 2), method="ips"
    )
    assert found.low - 0.05 < 0.3 < found.high + 0.05


@given(seed=seeds, rows=st.integers(0, 30))
@settings(max_examples=25)
def test_estimates_of_a_bandit_are_ridge_regressions(seed: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    X, rewards = rng.normal(size=(rows, 3)), rng.random(rows)
    arms = rng.integers(0, 2, size=rows)
    bandit = ContextualBandit(2, 3, l2=0.5)
    for x, arm, reward in zip(X, arms, rewards, strict=True):
        bandit.update(x, arm, reward)
    for arm in range(2):
        Z = np.hstack([X, np.ones((rows, 1))])[arms == arm]
        ridge = np.linalg.solve(Z.T @ Z + 0.5 * np.eye(4), Z.T @ rewards[arms == arm])
        np.testing.assert_allclose(bandit.theta[arm], ridge, atol=1e-8)
    assert bandit.n_updates.tolist() == [int(np.sum(arms == arm)) for arm in range(2)]
    np.testing.assert_allclose(bandit.probabilities(rng.normal(size=(5, 3))).sum(axis=1), 1)
