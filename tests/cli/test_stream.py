"""`inducer stream` and `inducer predict`, as they are typed."""

from __future__ import annotations

import gzip
import os
import random
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import inducer
from cli.streaming import INDUCER, Run, same, some_text
from inducer.linear import Perceptron
from inducer.online._stream.model import load_model, save_model
from inducer.online._stream.run import Stream

CASES = tomllib.loads(Path(__file__).with_name("streams.toml").read_text(encoding="utf-8"))["case"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(case: dict[str, Any], run: Run, tmp_path: Path) -> None:
    for name, text in case.get("files", {}).items():
        (tmp_path / name).write_bytes(text.encode())
    for step in case["run"]:
        done = run(step["line"], step.get("stdin", "").encode(), step.get("code", 0))
        for words in step.get("out", ()):
            assert words in done.out, step["line"]
        for words in step.get("not_out", ()):
            assert words not in done.out, step["line"]
        for words in step.get("err", ()):
            assert words in done.err, step["line"]
        for name, lines in step.get("made", {}).items():
            text = (tmp_path / name).read_text(encoding="utf-8")
            for words in lines:
                assert words in text, step["line"]


# Where the bytes come from


@pytest.mark.parametrize("options", ["", "--passes 3 --holdout 5 --patience 9", "--quadratic"])
def test_gzip_and_pipe_are_the_plain_file(options: str, run: Run, tmp_path: Path) -> None:
    text = some_text(700)
    (tmp_path / "a.vw").write_bytes(text)
    (tmp_path / "b.vw.gz").write_bytes(gzip.compress(text))
    run(f"stream a.vw {options} --save a --predictions a.csv --quiet")
    run(f"stream b.vw.gz {options} --save b --predictions b.csv --quiet")
    run(f"stream --format vw {options} --save c --predictions c.csv --quiet", stdin=text)
    run(f"stream - --format vw {options} --save d --quiet", stdin=gzip.compress(text))
    for other in "bcd":
        same(tmp_path / "a", tmp_path / other)
    said = (tmp_path / "a.csv").read_bytes()
    assert said.count(b"\n") == 701
    assert said == (tmp_path / "b.csv").read_bytes() == (tmp_path / "c.csv").read_bytes()


def test_cut_gzip_is_an_error(run: Run, tmp_path: Path) -> None:
    packed = gzip.compress(some_text(500))
    (tmp_path / "cut.vw.gz").write_bytes(packed[:-100])
    assert "ends in the middle" in run("stream cut.vw.gz", code=2).err
    (tmp_path / "bad.vw.gz").write_bytes(packed[:500] + b"xxxxxxxx" + packed[508:])
    assert "error:" in run("stream bad.vw.gz", code=2).err


@pytest.fixture
def numbers(tmp_path: Path) -> polars.DataFrame:
    """Write the same numbers as SVMlight, CSV and Parquet."""
    rng = np.random.default_rng(3)
    X = np.where(rng.random((400, 6)) < 0.3, 0, np.round(rng.normal(size=(400, 6)), 4))
    y = np.where(X.sum(axis=1) + rng.normal(size=400) > 0, 1, -1)
    lines = [
        f"{label} " + " ".join(f"{j}:{v!r}" for j, v in enumerate(row.tolist(), 1) if v)
        for label, row in zip(y, X, strict=True)
    ]
    (tmp_path / "t.svm").write_text("\n".join(lines) + "\n")
    table = polars.DataFrame({"y": y, **{str(j + 1): X[:, j] for j in range(6)}})
    table.write_csv(tmp_path / "t.csv")
    table.write_parquet(tmp_path / "t.parquet")
    return table


def test_csv_and_parquet_are_svmlight(numbers: polars.DataFrame, run: Run, tmp_path: Path) -> None:
    for name in ("t.svm", "t.csv", "t.parquet"):
        run(f"stream {name} --passes 2 --save {name}.m --quiet --names {name}.w")
    # The header is a line of a table, but no example.
    for name in ("t.csv", "t.parquet"):
        same(tmp_path / "t.svm.m", tmp_path / f"{name}.m")
    weights = polars.read_csv(tmp_path / "t.csv.w")
    assert sorted(weights["feature"]) == ["(bias)", *"123456"]


def test_parquet_of_words(run: Run, tmp_path: Path) -> None:
    table = polars.DataFrame(
        {"zip": ["01", "02", None] * 5, "long": ["a\nb", "c,d", 'e"f'] * 5,
         "yes": [True, False, None] * 5, "y": [1, 0, 1] * 5}
    )  # fmt: skip
    table.write_parquet(tmp_path / "t.parquet")
    run("stream t.parquet --target y --names w.csv --save m --quiet")
    names = set(polars.read_csv(tmp_path / "w.csv")["feature"])
    assert names == {"(bias)", "zip=01", "zip=02", "long=a b", "long=c,d", 'long=e"f', "yes=true",
                     "yes=false"}  # fmt: skip
    assert "15 examples" in run("predict m t.parquet").err
    (tmp_path / "t.parquet").write_bytes(b"PAR1 no")
    assert "error: Cannot read t.parquet as Parquet" in run("stream t.parquet", code=2).err


def test_parquet_of_other_types(run: Run, tmp_path: Path) -> None:
    kinds = polars.DataFrame(
        {
            "kind": polars.Series(["a\nb", "c", None], dtype=polars.Categorical),
            "two\nlines": polars.Series(["a\r\nb", "c", "c"], dtype=polars.Enum(["a\r\nb", "c"])),
            "day": polars.Series([0, 1, 2], dtype=polars.Date),
            "none": polars.Series([None] * 3, dtype=polars.Null),
            "yes": [True, False, True],
        }
    )
    kinds.write_parquet(tmp_path / "t.parquet")
    run("stream t.parquet --target yes --names w.csv --save m --quiet")
    names = set(polars.read_csv(tmp_path / "w.csv")["feature"])
    assert names == {"(bias)", "kind=a b", "kind=c", "two lines=a  b", "two lines=c",
                     "day=1970-01-01", "day=1970-01-02", "day=1970-01-03"}  # fmt: skip
    run("stream t.parquet --target yes --classes false,true --quiet")
    assert "none of -1, 0 and 1" in run("stream t.parquet --target kind", code=2).err
    for column in ([[1], [2]], [{"a": 1}, {"a": 2}], [b"x", b"y"]):
        polars.DataFrame({"y": [0, 1], "odd": column}).write_parquet(tmp_path / "o.parquet")
        err = run("stream o.parquet", code=2).err
        assert err.startswith("error: o.parquet: the column 'odd' holds ")
        assert err.count("\n") == 1
    polars.DataFrame({"y": [0, 1]}).clear().write_parquet(tmp_path / "e.parquet")
    assert "0 examples" in run("stream e.parquet").out


# Interrupted


def interrupt(monkeypatch: pytest.MonkeyPatch, reads: int) -> None:
    """Have Ctrl-C come while the stream is read."""
    from inducer.online._stream import run as module

    left = [reads]
    pass_on = Stream._pass_on

    def passing(self: Stream) -> None:
        pass_on(self)
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt

    monkeypatch.setattr(module.Stream, "_pass_on", passing)


@pytest.mark.parametrize("reads", [1, 2, 7, 8, 9, 12, 17])
@pytest.mark.parametrize("kind", ["plain", "gzip", "pipe", "csv"])
def test_resumed_is_uninterrupted(
    kind: str, reads: int, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the place: in the first pass or a later one, in a line or between passes."""
    from inducer.online._stream import run as run_module
    from inducer.online._stream import source

    monkeypatch.setattr(source, "CHUNK", 5_000)
    monkeypatch.setattr(run_module, "CHUNK", 5_000)
    text, stdin, begin, data = some_text(500), b"", "", "d.vw"
    if kind == "gzip":
        data, content = "d.vw.gz", gzip.compress(text)
    elif kind == "csv":
        rows = ["y,a,b"] + [f"{i % 2},{i % 7},{'uvw'[i % 3]}" for i in range(4000)]
        data, content = "d.csv", ("\n".join(rows) + "\n").encode()
    else:
        content = text
    (tmp_path / data).write_bytes(content)
    if kind == "pipe":
        data, stdin, begin = "-", content, "--format vw "
    options = "--passes 3 --holdout 7 --patience 5 --cache {0}.cache --names {0}.w"
    begin += "--skip-bad"
    run(f"stream {data} {begin} {options.format('a')} --save a --predictions a.csv", stdin)
    with monkeypatch.context() as patch:
        interrupt(patch, reads)
        done = run(
            f"stream {data} {begin} {options.format('b')} --save b --predictions b.csv",
            stdin, code=130,
        )  # fmt: skip
        assert f"inducer stream {data} --resume b" in done.out
    state = load_model(tmp_path / "b").state
    assert 0 <= state["pass"] < 3
    options = "--passes 3 --patience 5 --cache b.cache --names b.w"
    run(f"stream {data} --resume b {options} --predictions b.csv", stdin)
    same(tmp_path / "a", tmp_path / "b")
    for name in ("csv", "w"):
        assert (tmp_path / f"a.{name}").read_bytes() == (tmp_path / f"b.{name}").read_bytes()


def test_ctrl_c_is_heard(tmp_path: Path) -> None:
    """A real signal, to a real process that waits for its pipe."""
    with subprocess.Popen(
        [INDUCER, "stream", "--format", "vw", "--save", "m"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=tmp_path,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(some_text(64))
        process.stdin.flush()
        while b"        64 " not in (line := process.stdout.readline()):
            assert line, "it ended"
        process.send_signal(signal.SIGINT)
        out = process.stdout.read()
    assert process.returncode == 130
    assert b"after line 64" in out
    assert b"Traceback" not in out
    assert load_model(tmp_path / "m").state["tally"]["examples"] == 64


def test_early_stop_keeps_the_best_pass(run: Run, tmp_path: Path) -> None:
    rng = random.Random(0)
    noise = "".join(f"{rng.choice([-1, 1])} | w{i} c{i % 3}\n" for i in range(400))
    (tmp_path / "n.vw").write_text(noise)
    done = run("stream n.vw --passes 50 --holdout 4 --patience 2 --rate 2 --save m")
    state = load_model(tmp_path / "m").state
    losses = [record["held_loss"] for record in state["passes"]]
    best = losses.index(min(losses))
    assert len(losses) == best + 3 < 50
    run(f"stream n.vw --passes {best + 1} --holdout 4 --patience 50 --rate 2 --save b --quiet")
    assert np.array_equal(load_model(tmp_path / "m").table, load_model(tmp_path / "b").table)
    assert f"held out {losses[0]:.6f}" in done.out


# Saved


def test_kill_while_saving_leaves_the_old_model(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.vw").write_bytes(some_text(300))
    run("stream a.vw --save m --quiet")
    old = (tmp_path / "m").read_bytes()
    code = """
import os, signal, sys
from pathlib import Path
from inducer.online._stream import model
put = model._write_table
def killed(table, write):
    put(table, write)
    os.kill(os.getpid(), signal.SIGKILL)
model._write_table = killed
loaded = model.load_model(Path("m"))
model.save_model(loaded, Path("m"))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path)
    assert done.returncode == -signal.SIGKILL
    assert (tmp_path / "m").read_bytes() == old
    assert run("predict m a.vw -o p.csv").err.startswith("300 examples")


def test_full_disk_leaves_the_old_model(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.vw").write_bytes(some_text(300))
    run("stream a.vw --save m --quiet")
    old = (tmp_path / "m").read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    done = run("stream a.vw --passes 2 --save m --quiet", code=2)
    assert done.err == "error: Cannot write m: No space left on device.\n"
    assert (tmp_path / "m").read_bytes() == old
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.vw", "m"]


def test_damaged_model_is_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.vw").write_bytes(some_text(30))
    run("stream a.vw --bits 6 --save m --names w --quiet")
    good = (tmp_path / "m").read_bytes()
    draw = random.Random(0)
    begin = len(b"inducer stream 1\n")
    for at in [begin, len(good) - 1, *(draw.randrange(begin, len(good)) for _ in range(40))]:
        (tmp_path / "bad").write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        assert "damaged" in run("predict bad a.vw", code=2).err
        (tmp_path / "bad").write_bytes(good[:at])
        assert "damaged" in run("predict bad a.vw", code=2).err


def test_model_that_lies_is_an_error(run: Run, tmp_path: Path) -> None:
    """The checksum is right: someone made it so."""
    (tmp_path / "a.vw").write_bytes(some_text(30))
    run("stream a.vw --bits 6 --save m --quiet")
    changes: list[tuple[str, Any]] = [
        ("bits", 99), ("bits", "x"), ("format", "no"), ("loss", "zero_one"), ("ngram", 0),
        ("classes", [1]), ("most_classes", 1), ("interactions", [["a"]]), ("separator", ""),
    ]  # fmt: skip
    for name, value in changes:
        model = load_model(tmp_path / "m")
        setattr(model.settings, name, value)
        save_model(model, tmp_path / "bad")
        assert "error:" in run("predict bad a.vw", code=2).err
    model = load_model(tmp_path / "m")
    del model.state["tally"]["loss"]
    save_model(model, tmp_path / "bad")
    assert "error:" in run("stream a.vw --resume bad --passes 2", code=2).err


def test_checkpoint_can_be_resumed(run: Run, tmp_path: Path) -> None:
    """Saved again and again while it runs; here after each chunk."""
    (tmp_path / "a.vw").write_bytes(some_text(3000))
    run("stream a.vw --save a --quiet")
    run("stream a.vw --save b --checkpoint 0.000001 --quiet")
    same(tmp_path / "a", tmp_path / "b")


# Other models


def test_predict_with_a_saved_learner(run: Run, tmp_path: Path) -> None:
    table = polars.DataFrame({"a": [1.0, 2, 3, 4], "b": [0.0, 1, 0, 1], "y": ["n", "n", "p", "p"]})
    table.write_csv(tmp_path / "t.csv")
    table.write_parquet(tmp_path / "t.parquet")
    model = Perceptron(random_state=0).fit(table.select("b", "a"), table["y"])
    inducer.save(model, tmp_path / "m.skops")
    expected = model.predict(table.select("b", "a")).tolist()
    for name in ("t.csv", "t.parquet"):
        run(f"predict m.skops {name} -o out.csv")
        assert polars.read_csv(tmp_path / "out.csv")["prediction"].to_list() == expected
    table.drop("a").write_csv(tmp_path / "u.csv")
    assert "u.csv has no column 'a'" in run("predict m.skops u.csv", code=2).err


# Memory


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the kernel's own figure")
@pytest.mark.parametrize("kind", ["vw", "parquet"])
def test_memory_does_not_grow_with_the_input(kind: str, tmp_path: Path) -> None:
    """Sixty times the lines, 60 MB, and the same peak, each in a process of its own.

    A Parquet table is one group of rows. Not by getrusage: that of a new process begins with what
    its parent had.
    """
    code = """
import re, sys
from pathlib import Path
from inducer.cli import app
sys.argv = ["inducer", "stream", sys.argv[1], "--quiet", "--predictions", "/dev/null"]
try:
    app.main()
finally:
    print(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""
    data = tmp_path / f"m.{kind}"
    used = []
    for times in (1, 60):
        if kind == "vw":
            data.write_bytes(some_text(10_000) * times)
        else:
            X = np.random.default_rng(0).normal(size=(12_500 * times, 10))
            table = polars.DataFrame(X, schema=[f"x{j}" for j in range(10)])
            table.insert_column(0, (table["x0"] > 0).alias("y"))
            table.write_parquet(data, row_group_size=len(table))
        done = subprocess.run(
            [sys.executable, "-c", code, str(data)], capture_output=True, check=True
        )
        used.append(int(done.stdout.split()[-1]) / 1024)
    assert used[1] < 300  # MiB; the target of issue 3
    assert used[1] - used[0] < (8 if kind == "vw" else 24)  # MiB: noise of the allocators


def test_a_pipe_is_learned_from_as_it_comes(tmp_path: Path) -> None:
    """A slow writer: what is there is read, and not waited for."""
    with subprocess.Popen(
        [INDUCER, "stream", "--format", "vw", "--predictions", "-", "--quiet"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"1 'first| a\n")
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"prediction")
        assert process.stdout.readline() == b"-1,0.5,first\n"
        process.stdin.close()
        assert process.wait() == 0
