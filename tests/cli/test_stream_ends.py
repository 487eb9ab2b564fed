"""Streams that do not end as they should: signals, outputs that fail, files that are in the way."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from cli.streaming import INDUCER, Run, same, some_text
from inducer.online._stream import run as run_module
from inducer.online._stream import source
from inducer.online._stream.model import load_model
from inducer.online._stream.predictions import Predictions


def press(times: int = 1) -> None:
    """Send Ctrl-C to this process; Python's handler has run when it returns."""
    for _ in range(times):
        os.kill(os.getpid(), signal.SIGINT)
        sum(range(10))


# Ctrl-C


@pytest.mark.parametrize("at", [1, 3, 6])
@pytest.mark.parametrize("point", ["predictions", "cache", "save"])
@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_loses_nothing(
    point: str, at: int, times: int, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real signal between taking something out of the core and writing it down."""
    monkeypatch.setattr(source, "CHUNK", 5_000)
    text, left = some_text(500), [at]

    def pressed() -> None:
        left[0] -= 1
        if left[0] == 0:
            press(times)

    options = "--passes 2 --cache {0}.cache --predictions {0}.csv"
    run(f"stream - --format vw --save a --quiet {options.format('a')}", text)
    with monkeypatch.context() as patch:
        if point == "predictions":
            write = Predictions.write

            def writing(self: Predictions, *what: Any) -> None:
                pressed()
                write(self, *what)

            patch.setattr(Predictions, "write", writing)
        elif point == "cache":
            told = run_module._cache_told

            def telling() -> Any:
                pressed()
                return told()

            patch.setattr(run_module, "_cache_told", telling)
        else:
            save, settle = run_module.save_model, run_module.Stream._settle

            def saving(*what: Any) -> None:
                pressed()
                save(*what)

            def settling(self: run_module.Stream) -> None:
                pressed()
                settle(self)

            patch.setattr(run_module, "save_model", saving)
            patch.setattr(run_module.Stream, "_settle", settling)
        line = f"stream - --format vw --save b --checkpoint 1e-9 {options.format('b')}"
        done = run(line, text, code=None)
    if done.code == 130:
        assert "; saving b\n" in done.out
        assert "to go on: inducer stream - --resume b\n" in done.out
        run(f"stream - --resume b --quiet {options.format('b')}", text)
    same(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_third_ctrl_c_is_heard_at_once(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.vw").write_bytes(some_text(10))
    monkeypatch.setattr(Predictions, "write", lambda *_: press(3))
    done = run("stream a.vw --predictions p.csv --save m --quiet", code=None)
    assert done.code != 0


def test_ctrl_c_while_it_starts() -> None:
    """Before anything is imported that could say what to do about it."""
    code = """
import os, signal, sys
class Press:
    def find_spec(self, name, *_):
        if name == "typer":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Press())
from inducer.cli.entry import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert (done.returncode, done.stderr) == (130, b"")


# Resumed beside other files


@pytest.mark.parametrize("content", [None, b"", b"prediction,pro"])
@pytest.mark.parametrize("what", ["csv", "cache"])
def test_resume_without_what_was_written(
    what: str, content: bytes | None, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "CHUNK", 5_000)
    text, left = some_text(300), [3]
    options = "--passes 2 --cache b.cache --predictions b.csv"
    with monkeypatch.context() as patch:
        settle = run_module.Stream._end_pass

        def ending(self: run_module.Stream) -> None:
            settle(self)
            press()

        patch.setattr(run_module.Stream, "_end_pass", ending)
        run(f"stream - --format vw --save b --quiet {options}", text, code=130)
    assert left
    path = tmp_path / f"b.{what}"
    path.unlink() if content is None else path.write_bytes(content)
    done = run(f"stream - --resume b --quiet {options}", text, code=2)
    name = {"csv": "file of predictions", "cache": "cache"}[what]
    assert done.err.startswith(f"error: b.{what}")
    assert f"the {name} that the model was saved with" in done.err
    assert path.exists() == (content is not None)
    if content is not None:
        assert path.read_bytes() == content


# Outputs that fail


def test_model_is_saved_when_the_screen_is_gone(tmp_path: Path) -> None:
    (tmp_path / "a.vw").write_bytes(some_text(3000))
    command = [INDUCER, "stream", "a.vw", "--save", "m", "--names", "w"]

    # Unbuffered standard output is another object, that may write less than it is given.
    env = {name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"}

    def stream(stdout: BinaryIO | int, *more: str) -> tuple[int, bytes]:
        for name in ("m", "w"):
            (tmp_path / name).unlink(missing_ok=True)
        done = subprocess.run(
            [*command, *more], stdout=stdout, stderr=subprocess.PIPE, cwd=tmp_path, env=env
        )
        assert load_model(tmp_path / "m").state["tally"]["examples"] == 3000
        assert (tmp_path / "w").exists()
        return done.returncode, done.stderr

    for more in ((), ("--predictions", "-"), ("--predictions", "-", "--checkpoint", "1e-9")):
        if "--checkpoint" in more:
            env["PYTHONUNBUFFERED"] = "1"
        reading, writing = os.pipe()
        os.close(reading)
        code, err = stream(writing, *more)
        os.close(writing)
        assert code == 2
        assert err.endswith(b"no longer read.\n")
        assert b"Exception" not in err
        if Path("/dev/full").exists():
            with Path("/dev/full").open("wb") as full:
                code, err = stream(full, *more)
            assert code == 2
            assert err.endswith(b": No space left on device.\n")
            assert b"Exception" not in err
    shell = ["sh", "-c", 'exec "$@" >&-', "sh", *map(str, command)]
    done = subprocess.run(shell, stderr=subprocess.PIPE, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    done = subprocess.run([*shell, "--predictions", "-"], stderr=subprocess.PIPE, cwd=tmp_path)
    assert done.stderr == b"error: standard output is closed.\n"
    shell[2] = 'exec "$@" <&-'
    done = subprocess.run([*shell[:4], INDUCER, "stream"], capture_output=True)
    assert done.stderr == b"error: standard input is closed.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the device")
def test_nothing_to_save_is_no_reason_to_go_on(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.vw").write_bytes(some_text(3000))
    done = run("stream a.vw --predictions /dev/full --quiet", code=2)
    assert done.err == "error: Cannot write /dev/full: No space left on device.\n"


def test_lost_predictions_do_not_come_again(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.vw").write_bytes(some_text(300))

    def full(self: Predictions, *_: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Predictions, "write", full)
        done = run("stream a.vw --predictions p.csv --save m", code=2)
    assert done.err == "error: Cannot write p.csv: No space left on device.\n"
    assert "300 examples" in done.out
    done = run("stream a.vw --resume m --passes 2 --predictions p.csv", code=2)
    assert "Some predictions could not be written" in done.err
    run("stream a.vw --resume m --passes 2")


# What is left of a killed process


def test_next_save_removes_what_a_killed_one_left(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.vw").write_bytes(some_text(30))
    code = """
import os, signal
from pathlib import Path
from inducer.base._replacing import replace_file
def write(stream):
    stream.write(b"begun")
    stream.flush()
    os.kill(os.getpid(), signal.SIGKILL)
replace_file(Path("m"), write)
"""
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path)
    left = [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
    assert len(left) == 1
    others = [".m.txt.00000000.tmp", ".mm.00000000.tmp", ".m.tmp"]
    for name in others:
        (tmp_path / name).touch()
    run("stream a.vw --save m --quiet")
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == sorted(["a.vw", "m", *others])


def test_next_save_leaves_what_another_one_writes(tmp_path: Path) -> None:
    from inducer.base._replacing import replace_file

    def outer(stream: BinaryIO) -> None:
        stream.write(b"outer")
        replace_file(tmp_path / "m", lambda stream: stream.write(b"inner"))
        assert (tmp_path / "m").read_bytes() == b"inner"

    replace_file(tmp_path / "m", outer)
    assert (tmp_path / "m").read_bytes() == b"outer"


# Files in the way


@pytest.mark.parametrize(
    "line",
    [
        "stream d.vw --predictions d.vw",
        "stream d.vw --save d.vw",
        "stream d.vw --save ./d.vw",
        "stream d.vw --save link.vw",
        "stream d.vw --names hard.vw",
        "stream d.vw --cache d.vw",
        "stream d.vw --costs c.csv --classes -1,1 --save c.csv",
        "stream d.vw --save o --names o",
        "stream d.vw --predictions o --names ./o",
        "stream d.vw --cache o --save o",
        "stream d.vw --resume m --passes 2 --names m",
        "stream d.vw --resume m --passes 2 --save o --predictions m",
        "predict m d.vw -o d.vw",
        "predict m d.vw -o m",
    ],
)
def test_no_output_onto_another_file(line: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "d.vw").write_bytes(some_text(30))
    (tmp_path / "link.vw").symlink_to("d.vw")
    os.link(tmp_path / "d.vw", tmp_path / "hard.vw")
    (tmp_path / "c.csv").write_text(",-1,1\n-1,0,1\n1,1,0\n")
    run("stream d.vw --save m --quiet")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    done = run(line, code=2)
    assert done.err.startswith("error: ")
    assert "name another file" in done.err
    assert before == {path.name: path.read_bytes() for path in tmp_path.iterdir()}


def test_no_output_onto_standard_input(tmp_path: Path) -> None:
    text = some_text(30)
    (tmp_path / "h.vw").write_bytes(text)
    with (tmp_path / "h.vw").open("rb") as stdin:
        done = subprocess.run(
            [INDUCER, "stream", "-", "--format", "vw", "--passes", "2", "--cache", "h.vw"],
            stdin=stdin, capture_output=True, cwd=tmp_path,
        )  # fmt: skip
    assert done.returncode == 2
    assert b"standard input" in done.stderr
    assert (tmp_path / "h.vw").read_bytes() == text


# What the screen says


def test_screen_names_classes_and_keeps_its_columns(run: Run, tmp_path: Path) -> None:
    draw = random.Random(0)
    (tmp_path / "c.vw").write_text(
        "".join(f"{draw.choice(['ham', 'spam', 'egg'])} | w{i % 9}\n" for i in range(40))
    )
    out = run("stream c.vw --classes 3").out
    assert "#" not in out
    assert "spam" in out
    (tmp_path / "n.vw").write_text("1e30 1e15 | a\n-1e30 | b:1e14\n1e-30 | c\n" * 4)
    out = run("stream n.vw --loss squared").out
    table = out.splitlines()[1:]
    for line in table[: table.index(next(row for row in table if row.startswith("pass")))]:
        assert len(line) == 70, line
        assert all(line[j] == " " for j in range(0, 70, 10)), line
