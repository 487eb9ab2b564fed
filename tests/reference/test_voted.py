"""`VotedPerceptron` against CIML (4.17), with every weight vector there was."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inducer.base.random import kernel_seed
from inducer.linear import VotedPerceptron
from reference import transcriptions
from reference.examples import LAYOUTS, examples, row_weights, signs
from reference.transcriptions import make_passes, orders, visited


def transcribed(
    X: Any,
    codes: Any,
    *,
    positive: int = 1,
    stream: int = 0,
    shuffle: str = "every",
    **options: Any,
) -> transcriptions.Perceptron:
    walk = transcriptions.Perceptron(X, signs(codes, positive), **options)
    order = orders(visited(X.shape[0], walk.weights), shuffle, kernel_seed(0), stream)
    make_passes(walk.visit, order, 1.0, max_iter=3, tol=None)
    return walk


def assert_equal_voters(model: VotedPerceptron, walk: Any, problem: int = 0) -> None:
    found = list(model.voters(problem))
    assert len(found) == len(walk.voters)
    for ours, (w, b, survived) in zip(found, walk.voters, strict=True):
        assert ours.coef.dtype == w.dtype
        np.testing.assert_array_equal(ours.coef, w)
        assert (ours.intercept, ours.votes) == (b, survived)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shuffle", ["every", "once", "never"])
def test_every_weight_vector_and_its_survival(layout: str, shuffle: str) -> None:
    X, codes = examples(layout)
    model = VotedPerceptron(max_iter=3, tol=None, shuffle=shuffle, random_state=0).fit(X, codes)
    walk = transcribed(X, codes, shuffle=shuffle)
    assert_equal_voters(model, walk)
    survivals = [c for _, _, c in walk.voters]
    assert min(survivals) == 1  # replaced by the next row
    assert sum(survivals) == 3 * 40  # all rows: the first is a mistake
    assert model.support_.tolist() == sorted(set(walk.mistaken))
    assert model.support_[model.mistakes_[0]].tolist() == walk.mistaken
    assert model.n_mistakes_ == len(walk.mistaken)


@pytest.mark.parametrize("layout", ["float64", "csr float32"])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_weights_of_rows(layout: str, fit_intercept: bool) -> None:
    X, codes = examples(layout)
    weights = row_weights()
    model = VotedPerceptron(max_iter=3, tol=None, fit_intercept=fit_intercept, random_state=0)
    model.fit(X, codes, sample_weight=weights)
    walk = transcribed(X, codes, weights=weights, fit_intercept=fit_intercept)
    assert_equal_voters(model, walk)


def test_one_versus_all() -> None:
    X, codes = examples("float64", classes=3)
    model = VotedPerceptron(max_iter=3, tol=None, random_state=0).fit(X, codes)
    for k in range(3):
        assert_equal_voters(model, transcribed(X, codes, positive=k, stream=k), k)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("layout", ["integers", "csr float64"])
def test_votes(classes: int, layout: str) -> None:
    """Integers have exact products; of the other rows none is so near a line that it mattered."""
    X, codes = examples(layout, classes)
    model = VotedPerceptron(max_iter=3, tol=None, random_state=0).fit(X, codes)
    rows = X if isinstance(X, np.ndarray) else X.toarray()
    rows = np.vstack([rows, np.roll(rows, 1, axis=1), np.zeros((1, 41))])
    targets = [1] if classes == 2 else range(classes)
    walks = [transcribed(X, codes, positive=k, stream=s) for s, k in enumerate(targets)]
    expected = np.array([[walk.vote(x) for walk in walks] for x in rows])
    shape = (len(rows),) if classes == 2 else (len(rows), classes)
    np.testing.assert_array_equal(model.decision_function(rows), expected.reshape(shape))
    predicted = expected[:, 0] > 0 if classes == 2 else expected.argmax(axis=1)
    np.testing.assert_array_equal(model.predict(rows), predicted)
