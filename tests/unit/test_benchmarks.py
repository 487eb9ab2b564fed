"""The races: who runs when, what is compared with what, what is kept and shown."""

from __future__ import annotations

import gc
import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import benchmarks.__main__ as program
import numpy as np
import pytest
from benchmarks import _data, _report, _results, _run, catalogue
from benchmarks._benchmark import Benchmark, Contestant, Quality, Target
from benchmarks._machine import Machine, this_machine
from benchmarks._results import Report, Result
from typer.testing import CliRunner

import inducer

ROOT = Path(__file__).parents[2]


class Stopwatch:
    """A clock that only work moves, and who worked, in order, with which seed."""

    def __init__(self) -> None:
        self.now = 0.0
        self.calls: list[tuple[str, int]] = []
        self.rests: list[float] = []

    def perf_counter(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        """Rest; nothing that rests is counted."""
        self.rests.append(seconds)

    def works(self, name: str, *seconds: float) -> Contestant:
        """Return a contestant that takes these seconds in turn (the last again and again).

        What it makes is the seed.
        """
        left = list(seconds)

        def work(data: Any, seed: int) -> int:
            self.now += left.pop(0) if len(left) > 1 else left[0]
            self.calls.append((name, seed))
            return seed

        return Contestant(name, work)


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Stopwatch:
    """Return the clock that `run` will read."""
    stopwatch = Stopwatch()
    monkeypatch.setattr(_run, "time", stopwatch)
    monkeypatch.setattr(gc, "collect", int)  # takes its time, and there is nothing to collect
    return stopwatch


def race(*contestants: Contestant, **changes: Any) -> Benchmark:
    toy = Benchmark(
        name="toy",
        what="nothing | at all",
        data=lambda scale: scale,
        contestants=contestants,
        target=Target("faster", 2.0),
    )
    return replace(toy, **changes)


def scored(by_seed: dict[int, float], tolerance: float = 0.0) -> Quality:
    return Quality("accuracy", lambda _, made: by_seed[made], tolerance)


# ---- targets and quality -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "other", "value", "met"),
    [
        (Target("faster", 2.0), 8.0, 2.0, True),
        (Target("faster", 2.01), 8.0, 2.0, False),
        (Target("cost", 2.0), 2.0, 2.0, False),
        (Target("cost", 2.01), 2.0, 2.0, True),
        (Target("within", 4.0), None, 4.0, False),
        (Target("within", 4.01), None, 4.0, True),
    ],
)
def test_targets(target: Target, other: float | None, value: float, met: bool) -> None:
    assert target.value(4.0, other) == value
    assert target.met(value) is met


@pytest.mark.parametrize(
    ("better", "ours", "fails"),
    [
        ("higher", 0.5, False),
        ("higher", 0.25, False),
        ("higher", 0.2499, True),
        ("higher", math.nan, True),
        ("lower", 0.5, False),
        ("lower", 0.75, False),
        ("lower", 0.7501, True),
        ("lower", math.nan, True),
    ],
)
def test_worse_by_more_than_the_tolerance_is_a_fault(better: Any, ours: float, fails: bool) -> None:
    quality = Quality("loss", lambda _, made: made, 0.25, better)
    fault = quality.fault(ours, 0.5)
    assert bool(fault) is fails
    assert not fault or fault.startswith(f"loss {ours:.6g} against 0.5")


# ---- the runner ----------------------------------------------------------------------------------


def test_turns_seeds_and_ratios(watch: Stopwatch) -> None:
    # Two calls each to warm up, then three rounds.
    ours = watch.works("ours", 50.0, 1.0, 1.0, 0.5, 3.0)
    peer = watch.works("peer", 50.0, 2.0, 4.0, 1.5, 2.0)
    result = _run.run(race(ours, peer), repeat=3)
    turns = [("ours", 0), ("peer", 0), ("peer", 1), ("ours", 1), ("ours", 2), ("peer", 2)]
    assert watch.calls == [("ours", 0)] * 2 + [("peer", 0)] * 2 + turns
    assert watch.rests == [_run.REST] * len(watch.calls)  # before each, outside of its time
    assert [timing.seconds for timing in result.timings] == [[1.0, 0.5, 3.0], [4.0, 1.5, 2.0]]
    assert [(t.best, t.median) for t in result.timings] == [(0.5, 1.0), (1.5, 2.0)]
    (comparison,) = result.comparisons
    assert (comparison.other, comparison.value, comparison.typical) == ("peer", 3.0, 2.0)
    assert comparison.met
    assert comparison.fault == ""


def test_each_peer_is_compared(watch: Stopwatch) -> None:
    result = _run.run(
        race(watch.works("ours", 1.0), watch.works("slow", 3.0), watch.works("quick", 1.5)),
        repeat=1,
    )
    assert [(c.other, c.value, c.met) for c in result.comparisons] == [
        ("slow", 3.0, True),
        ("quick", 1.5, False),
    ]


def test_without_a_peer_the_seconds_count(watch: Stopwatch) -> None:
    result = _run.run(race(watch.works("ours", 0.5), target=Target("within", 0.4)), repeat=1)
    (comparison,) = result.comparisons
    assert (comparison.other, comparison.value, comparison.met) == (None, 0.5, False)


@pytest.mark.parametrize("repeat", [1, 2, 3, 5])
def test_quality_is_the_mean_over_three_seeds(repeat: int, watch: Stopwatch) -> None:
    toy = race(
        watch.works("ours", 1.0),
        watch.works("peer", 1.0),
        quality=scored({0: 0.1, 1: 0.2, 2: 0.6}),
    )
    result = _run.run(toy, repeat=repeat)
    assert [timing.score for timing in result.timings] == [pytest.approx(0.3)] * 2
    assert [len(timing.seconds) for timing in result.timings] == [repeat] * 2


def test_rounds_end_when_the_time_is_up_but_not_before_the_third(watch: Stopwatch) -> None:
    toy = race(watch.works("ours", 1.0), watch.works("peer", 1.0))
    rounds = [
        len(_run.run(replace(toy, seconds=seconds), repeat=9).timings[0].seconds)
        for seconds in (0.5, 7.0, 7.9, 100.0)
    ]
    assert rounds == [3, 4, 4, 9]


def test_short_work_is_called_often_and_timed_by_the_call(watch: Stopwatch) -> None:
    result = _run.run(race(watch.works("ours", 0.003), watch.works("peer", 0.5)), repeat=2)
    assert [timing.calls for timing in result.timings] == [7, 1]  # 20 ms a round
    assert result.timings[0].seconds == pytest.approx([0.003] * 2)
    assert [name for name, _ in watch.calls].count("ours") == 2 + 2 * 7


def test_work_is_timed_without_garbage_collection_and_on_so_many_threads() -> None:
    seen = []

    def work(data: Any, seed: int) -> None:
        seen.append((gc.isenabled(), inducer.threads()))

    before = inducer.threads()
    _run.run(race(Contestant("ours", work), Contestant("peer", work), threads=3), repeat=1)
    assert set(seen) == {(False, 3)}
    assert gc.isenabled()
    assert inducer.threads() == before


def test_an_error_leaves_garbage_collection_on() -> None:
    def work(data: Any, seed: int) -> None:
        raise KeyError

    with pytest.raises(KeyError):
        _run.run(race(Contestant("ours", work)), repeat=1)
    assert gc.isenabled()


# ---- results -------------------------------------------------------------------------------------


@pytest.fixture
def result(watch: Stopwatch) -> Result:
    toy = race(
        watch.works("ours", 0.25),
        watch.works("peer", 1.0),
        quality=scored(dict.fromkeys(range(3), 0.5)),
    )
    return _run.run(toy, repeat=2)


@pytest.fixture
def report(result: Result) -> Report:
    return Report(date="2026-11-19T07:00:00+00:00", machine=this_machine(), results=[result])


def test_json_holds_everything(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    _results.write(report, path)
    entries = json.loads(path.read_text(encoding="utf-8"))
    assert list(entries) == ["schema", "date", "machine", "results"]
    assert entries["schema"] == 1
    assert set(entries["machine"]) == {
        *("cpu", "cores", "memory", "system", "python", "packages", "isa", "load")
    }
    assert set(entries["machine"]["packages"]) == {"inducer", "numpy", "scipy", "scikit-learn"}
    assert entries["results"] == [
        {
            "name": "toy",
            "what": "nothing | at all",
            "threads": 1,
            "target": {"kind": "faster", "limit": 2.0},
            "quality": "accuracy",
            "timings": [
                {"name": "ours", "seconds": [0.25, 0.25], "calls": 1, "score": 0.5},
                {"name": "peer", "seconds": [1.0, 1.0], "calls": 1, "score": 0.5},
            ],
            "comparisons": [
                {"other": "peer", "value": 4.0, "typical": 4.0, "met": True, "fault": ""}
            ],
        }
    ]
    assert _results.read(path) == report


def test_another_schema_is_refused(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    _results.write(report, path)
    path.write_text(path.read_text(encoding="utf-8").replace('"schema": 1', '"schema": 2'))
    with pytest.raises(ValueError, match=r"run\.json has schema 2"):
        _results.read(path)


def test_the_machine_is_described() -> None:
    machine = this_machine()
    assert machine.cpu
    assert machine.cores >= 1
    assert machine.memory > 0
    assert machine.packages["inducer"] == inducer.__version__
    assert machine.isa in _report.describe(machine)


@pytest.mark.parametrize(("load", "quiet"), [(None, True), (0.4, True), (0.5, False), (3.0, False)])
def test_a_loaded_machine_is_not_quiet(load: float | None, quiet: bool) -> None:
    machine: Machine = replace(this_machine(), load=load)
    assert machine.quiet is quiet


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (12.34, "12.3 s"),
        (1.0, "1.00 s"),
        (0.1234, "123 ms"),
        (0.09996, "100 ms"),
        (0.00999, "9.99 ms"),
        (0.009996, "10.0 ms"),
        (0.000431, "431 µs"),
    ],
)
def test_seconds_are_shown_with_three_digits(seconds: float, words: str) -> None:
    assert _report.show_seconds(seconds) == words


# ---- README --------------------------------------------------------------------------------------


def test_the_table_goes_between_the_marks(report: Report, tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("# before\n<!-- speed -->\nold\n<!-- /speed -->\nafter\n", encoding="utf-8")
    _report.update_readme(report, readme)
    text = readme.read_text(encoding="utf-8")
    assert text.startswith("# before\n<!-- speed -->\n| what |")
    assert text.endswith("\n<!-- /speed -->\nafter\n")
    assert "old" not in text
    assert "| nothing \\| at all | 250 ms | 1.00 s (peer) | **4.0×** | ≥ 2× |" in text
    assert "on 2026-11-19: " in text
    assert report.machine.cpu in text
    _report.update_readme(report, readme)
    assert readme.read_text(encoding="utf-8") == text


def test_a_missed_target_is_admitted(result: Result, report: Report) -> None:
    slow = replace(result, comparisons=[replace(result.comparisons[0], met=False)])
    assert "≥ 2×, missed |" in _report.markdown(replace(report, results=[slow]))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<!-- speed -->",
        "<!-- /speed -->",
        "<!-- /speed --> <!-- speed -->",
        "<!-- speed --> <!-- speed --> <!-- /speed -->",
        "<!-- speed --> <!-- /speed --> <!-- /speed -->",
    ],
)
def test_a_readme_without_both_marks_is_left_alone(
    text: str, report: Report, tmp_path: Path
) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape("README.md must have one line <!-- speed -->")):
        _report.update_readme(report, readme)
    assert readme.read_text(encoding="utf-8") == text


# ---- the program ---------------------------------------------------------------------------------

MARKED = "<!-- speed -->\n<!-- /speed -->\n"


@pytest.fixture
def toys(watch: Stopwatch, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> SimpleNamespace:
    """Return the program's README and the scores by seed of the toy that it runs."""
    places = SimpleNamespace(readme=tmp_path / "README.md", score=0.5)
    places.readme.write_text(MARKED, encoding="utf-8")
    quality = Quality("accuracy", lambda _, made: places.score if made == "ours" else 0.5, 0.1)

    def works(name: str, seconds: float) -> Contestant:
        def work(data: Any, seed: int) -> str:
            watch.now += seconds
            return name

        return Contestant(name, work)

    good = race(works("ours", 1.0), works("peer", 3.0), quality=quality)
    slow = race(works("ours", 3.0), works("peer", 1.0), name="slow")
    monkeypatch.setattr(program, "catalogue", lambda: {"toy": good, "slow": slow})
    monkeypatch.setattr(program, "README", places.readme)
    return places


def call(*arguments: str | Path) -> Any:
    return CliRunner().invoke(program.app, [str(argument) for argument in arguments])


def test_a_run_prints_keeps_and_publishes(toys: SimpleNamespace, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    done = call("--repeat", "2", "--json", path, "--readme")
    assert done.exit_code == 0, done.output
    assert re.search(r"peer.*3\.00 s.*3\.00×.*≥ 2×.*met", done.output)
    assert re.search(r"0\.33×.*≥ 2×.*missed", done.output)
    report = _results.read(path)
    assert [result.name for result in report.results] == ["toy", "slow"]
    assert toys.readme.read_text(encoding="utf-8") == (
        f"<!-- speed -->\n{_report.markdown(report)}\n<!-- /speed -->\n"
    )


def test_worse_quality_fails_loudly(toys: SimpleNamespace, tmp_path: Path) -> None:
    toys.score = 0.3
    path = tmp_path / "run.json"
    done = call("--repeat", "1", "--json", path, "--readme")
    assert done.exit_code == 1
    assert "WORSE QUALITY toy: accuracy 0.3 against 0.5" in done.output
    assert _results.read(path).faults  # kept, to be looked at
    assert toys.readme.read_text(encoding="utf-8") == MARKED  # but not published
    assert call("--from", path, "--readme").exit_code == 1
    assert toys.readme.read_text(encoding="utf-8") == MARKED


def test_kept_results_are_shown_and_published(
    toys: SimpleNamespace, watch: Stopwatch, tmp_path: Path
) -> None:
    path = tmp_path / "run.json"
    call("--repeat", "1", "--json", path)
    before = watch.now
    shown = call("slow", "--from", path)
    assert "slow" in shown.output
    assert "toy" not in shown.output
    done = call("--from", path, "--readme")
    assert done.exit_code == 0, done.output
    assert watch.now == before  # nobody worked
    rows = [r for r in toys.readme.read_text(encoding="utf-8").splitlines() if "(peer)" in r]
    assert len(rows) == 2
    assert "**0.3×** | ≥ 2×, missed" in rows[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nobody",), "no benchmark is called nobody"),
        (("--repeat", "0"), "--repeat"),
        (("--from", "README.md"), "--from"),
    ],
)
@pytest.mark.usefixtures("toys")
def test_misuse(
    arguments: tuple[str, ...], words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)  # README.md is no JSON
    done = call(*arguments)
    assert done.exit_code == 2
    assert words in done.output


def test_a_readme_without_marks_is_an_error(toys: SimpleNamespace) -> None:
    toys.readme.write_text("# inducer\n", encoding="utf-8")
    done = call("--repeat", "1", "--readme")
    assert done.exit_code == 2
    assert "must have one line" in done.output


def test_a_part_of_a_run_is_not_published(toys: SimpleNamespace) -> None:
    done = call("toy", "--repeat", "1", "--readme")
    assert done.exit_code == 2
    assert "give no names" in done.output
    assert toys.readme.read_text(encoding="utf-8") == MARKED


# ---- the real ones -------------------------------------------------------------------------------

FOR_EVER = {
    "perceptron-dense",
    "perceptron-averaged-dense",
    "perceptron-csr",
    "perceptron-averaged-csr",
    "averaging-cost-dense",
    "averaging-cost-csr",
}


def test_names_are_for_ever() -> None:
    kept = {
        result.name
        for path in (ROOT / "benchmarks" / "results").glob("*.json")
        for result in _results.read(path).results
    }
    assert FOR_EVER | kept <= set(catalogue())


def test_list_names_all() -> None:
    done = call("--list")
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.output.splitlines()] == list(catalogue())


@pytest.mark.parametrize("name", catalogue())
def test_every_contestant_runs_on_a_hundredth_of_the_data(name: str) -> None:
    benchmark = catalogue()[name]
    data = benchmark.data(0.01)
    for contestant in benchmark.contestants:
        made = contestant.work(data, 0)
        if benchmark.quality is not None:
            assert math.isfinite(benchmark.quality.score(data, made))
    assert (benchmark.target.kind == "within") is (len(benchmark.contestants) == 1)


@pytest.mark.parametrize(
    "make",
    [
        lambda: _data.dense(100, 5, noise=0.1, classes=3),
        lambda: _data.text(100, 500, 20, noise=0.1),
        lambda: _data.separable(100, 5, gap=0.1),
    ],
)
def test_data_are_the_same_every_time(make: Callable[[], _data.Table]) -> None:
    tables = []
    for _ in range(2):
        for maker in (_data.dense, _data.text, _data.separable):
            maker.cache_clear()
        tables.append(make())
    first, second = tables
    assert first.X is not second.X
    assert (first.X != second.X).sum() == 0
    np.testing.assert_array_equal(first.y, second.y)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_texts_are_like_texts(dtype: type) -> None:
    X, y = _data.text(2000, 5000, 40, noise=0.1, dtype=dtype)
    assert X.shape == (2000, 5000)
    assert (X.dtype, X.indices.dtype) == (dtype, np.int32)
    assert np.all(np.diff(X.indptr) == 40)
    assert np.all(np.diff(X.indices.reshape(2000, 40), axis=1) > 0)
    assert X.indices.min() >= 0
    assert X.indices.max() < 5000
    assert X.data.min() > 0
    assert np.bincount(y).tolist() == [1000, 1000]
    # A twentieth of the words makes up over half of the texts, as in Zipf's; and they are
    # scattered: a twentieth of the columns side by side does not.
    used = np.bincount(X.indices, minlength=5000) / X.nnz
    assert np.sort(used)[-250:].sum() > 0.5
    assert used.reshape(20, 250).sum(axis=1).max() < 0.2


def test_separable_rows_have_the_gap() -> None:
    X, y = _data.separable(500, 4, gap=0.25)
    # The normal is the one the maker drew, after the rows.
    random = np.random.default_rng(_data.SEED)
    random.standard_normal(X.shape)
    normal = random.standard_normal(4)
    distances = np.where(y == 1, 1, -1) * (X @ normal) / np.linalg.norm(normal)
    assert distances.min() >= 0.25 - 1e-12
    assert distances.min() < 0.26
