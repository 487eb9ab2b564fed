"""The learner of `inducer stream` against its transcription and against closed forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inducer._core import base
from inducer.online._stream.model import Model, new_table
from inducer.online._stream.run import Plan, Stream
from inducer.online._stream.settings import Settings
from inducer.online._stream.source import Source
from reference.stream_transcription import BIAS, hash64, learn

# Weights and rates are float32: 1e-7 a step, over some 100 steps that lean on each other.
TOLERANCE = 2e-5


def run(text: str, folder: Path, **options: Any) -> Model:
    path = folder / "data.vw"
    path.write_text(text)
    settings = Settings(**{"format": "vw", "bits": 12} | options)
    model = Model(settings, new_table(settings))
    Stream(model, Plan(Source(str(path)))).learn()
    return model


def lines(loss: str, rows: int = 100) -> list[str]:
    rng = np.random.default_rng(7)
    out = []
    for _ in range(rows):
        words = rng.choice(30, size=rng.integers(1, 8), replace=False)
        values = np.round(rng.lognormal(size=len(words)), 3)
        z = float(np.sum(np.sin(words) * values))
        match loss:
            case "logistic" | "hinge":
                label = "1" if z + rng.normal() > 0 else "-1"
            case "poisson":
                label = str(rng.poisson(np.exp(np.clip(z, -2, 2))))
            case _:
                label = f"{z + rng.normal():.4f}"
        weight = f" {rng.choice([0.5, 1, 3])}" if rng.random() < 0.3 else ""
        half = len(words) // 2
        items = [f"w{w}:{v}" for w, v in zip(words, values, strict=True)]
        first, second = " ".join(items[:half]), " ".join(items[half:])
        out.append(f"{label}{weight} | {first} |long_name {second}")
    return out


@pytest.mark.parametrize("rule", ["adaptive", "plain", "ftrl"])
@pytest.mark.parametrize("loss", ["logistic", "squared", "hinge", "quantile", "poisson"])
def test_is_the_transcription(loss: str, rule: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"rule": rule, "rate": 0.2}
    if rule == "ftrl":
        options |= {"l1": 0.3, "l2": 0.1}
    text = lines(loss)
    expected, weights, _ = learn(text, loss=loss, bits=12, **options)
    parameter = {"quantile": 0.5}.get(loss, 0.0)
    model = run("\n".join(text), tmp_path, loss=loss, loss_parameter=parameter, **options)
    tally = model.state["tally"]
    assert tally["loss"] / tally["weight"] == pytest.approx(expected, rel=TOLERANCE)
    found = model.table[:, 0]
    assert found[-1] == pytest.approx(weights.pop(BIAS), rel=1e-3, abs=TOLERANCE)
    assert np.flatnonzero(found[:-1]).tolist() == sorted(j for j, w in weights.items() if w)
    for j, w in weights.items():
        assert found[j] == pytest.approx(w, rel=1e-3, abs=TOLERANCE)


@pytest.mark.parametrize("rule", ["adaptive", "plain", "ftrl"])
def test_same_bits_on_every_instruction_set(rule: str, tmp_path: Path) -> None:
    before = base.isa()
    tables = []
    try:
        for level in ("plain", "v2", "v3", "v4"):
            if base.use_isa(level):
                options: dict[str, Any] = {"rule": rule, "loss": "squared", "quadratic": True}
                tables.append(run("\n".join(lines("squared")), tmp_path, **options).table)
    finally:
        base.use_isa(before)
    assert tables
    assert all(np.array_equal(table, tables[0]) for table in tables)


def test_hash_is_the_transcription(tmp_path: Path) -> None:
    """Through the table: the words of one line, each alone in its row."""
    words = ["a", "bc", "def", "ghij", "klmno", "exactly8", "more_than_8", "x" * 31, "é", "\x00b"]
    model = run("1 |n " + " ".join(words), tmp_path, bits=30 - 8)
    rows = {hash64(word.encode(), hash64(b"n", 1)) % 2**22 for word in words}
    assert set(np.flatnonzero(model.table[:, 0]).tolist()) == rows | {2**22}


def test_two_classes_by_hand(tmp_path: Path) -> None:
    """One example from zero: G = 1/4, m = 1, c = 1/sqrt 2, so q = sqrt 2 / (1/2) = 2 sqrt 2."""
    model = run("1 | a", tmp_path, rate=0.5)
    c, r = 1 / np.sqrt(2), 2.0
    q = 2 * c * r
    # The flow of log(1 + e^-m) solves m + e^m = 1 + eta q.
    m = model.table[model.table[:, 0] != 0, 0].sum()
    assert m + np.exp(m) == pytest.approx(1 + 0.5 * q, rel=1e-6)


def test_several_classes_are_one_against_all(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [(int(k), f"| f{k} g{rng.integers(9)} h{rng.integers(9)}") for k in rng.choice(3, 150)]
    # Classes are numbered as they come.
    order = list(dict.fromkeys(k for k, _ in rows))
    model = run("\n".join(f"{k} {x}" for k, x in rows), tmp_path, most_classes=3)
    assert model.settings.classes == [str(k) for k in order]
    cells = model.table.reshape(-1, 3, 4)
    for column, k in enumerate(order):
        one = run("\n".join(f"{1 if k == y else -1} {x}" for y, x in rows), tmp_path)
        assert np.array_equal(cells[:, column], one.table)


def test_quantile_is_one(tmp_path: Path) -> None:
    """With nothing but a constant, the weights go to the quantile of the labels."""
    y = np.random.default_rng(0).exponential(size=20_000)
    text = "\n".join(f"{v:.6f} |" for v in y)
    model = run(text, tmp_path, loss="quantile", loss_parameter=0.9, rule="plain", rate=1.0)
    # The standard error of the 0.9 quantile is sqrt(.09/n)/.1 = .02; the last step is .9/141.
    assert model.table[-1, 0] == pytest.approx(np.log(10), abs=0.1)
