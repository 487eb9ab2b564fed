"""The C++ tests on every instruction set and under sanitizers, and a fuzz test of the bindings.

`make test` builds what runs here: build/tests has every level, build/sanitize and build/thread
have one.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TIMEOUT = 300


def built(path: str) -> Path:
    """Return the one file in build/ that matches a pattern."""
    files = list((ROOT / "build").glob(path))
    assert len(files) == 1, f"build/{path}: run `make test`, which builds it"
    return files[0]


def libraries(file: Path) -> dict[str, str]:
    """Return the shared libraries of a program or library: name to path."""
    done = subprocess.run(["ldd", file], capture_output=True, text=True, check=True)
    return dict(re.findall(r"(\S+?)\.so\S* => (\S+)", done.stdout))


def run(*command: str | Path, **environment: str) -> str:
    """Return the output of a program that must end well."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("INDUCER_")}
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=inherited | environment,
        timeout=TIMEOUT,
    )
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stdout[-10_000:]}"
    return done.stdout


def test_cpp_on_every_level() -> None:
    assert re.search(r"^[1-9]\d* passed, 0 failed$", run(built("tests/inducer_tests")), re.M)


def test_cpp_under_the_address_and_undefined_behaviour_sanitizers() -> None:
    program = built("sanitize/inducer_tests")
    assert libraries(program).keys() >= {"libasan", "libubsan"}
    output = run(program, UBSAN_OPTIONS="print_stacktrace=1")
    assert re.search(r"^[1-9]\d* passed, 0 failed$", output, re.M)


def test_cpp_threads_under_the_thread_sanitizer() -> None:
    program = built("thread/inducer_tests")
    assert "libtsan" in libraries(program)
    for part in ("parallel", "number_of_threads", "stream"):
        # Some kernels scatter memory more than this sanitizer can bear.
        still = [found, "-R"] if (found := shutil.which("setarch")) and scatters(program) else []
        output = run(*still, program, part, TSAN_OPTIONS="halt_on_error=1 die_after_fork=0")
        assert re.search(r"^[1-9]\d* passed, 0 failed$", output, re.M)


def scatters(program: Path) -> bool:
    """Return whether the thread sanitizer gives up before it begins."""
    done = subprocess.run([program, "parallel_loop_of_nothing"], capture_output=True, text=True)
    return "unexpected memory mapping" in done.stdout + done.stderr


def test_bindings_survive_nasty_arguments() -> None:
    module = built("sanitize/inducer/_core*.so")
    # The sanitizer must be there before Python, and what it watches exceptions of, too.
    needed = [path for name, path in libraries(module).items() if name in ("libasan", "libstdc++")]
    assert len(needed) == 2
    output = run(
        sys.executable,
        "-X",
        "faulthandler",
        "-W",
        "ignore::RuntimeWarning",  # nanobind's, about objects that were never made
        Path(__file__).with_name("fuzz_core.py"),
        module,
        LD_PRELOAD=":".join(needed),
        ASAN_OPTIONS="detect_leaks=0",  # Python itself leaves much behind
        UBSAN_OPTIONS="print_stacktrace=1",
    )
    assert re.search(r"^\d{5,} calls survived$", output, re.M)
