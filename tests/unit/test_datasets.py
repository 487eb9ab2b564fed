"""The bundled tables hold what their sources say; the toy sets give the course's numbers."""

from __future__ import annotations

import inspect
import itertools
from collections import Counter
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from inducer import datasets
from inducer.base import ParameterError

FUNCTIONS = [name for name in datasets.__all__ if name != "tables"]
GENERATORS = [
    name
    for name in FUNCTIONS
    if "random_state" in inspect.signature(getattr(datasets, name)).parameters
]


def call(name: str, **arguments: Any) -> Any:
    function: Callable[..., Any] = getattr(datasets, name)
    seed = {"random_state": 0} if name in GENERATORS else {}
    return function(**{**seed, **arguments})


def same(left: Any, right: Any) -> bool:
    """Return whether two features or targets are equal bit for bit."""
    if isinstance(left, pl.DataFrame):
        return left.equals(right)
    if sparse.issparse(left):
        return all(
            np.array_equal(getattr(left, part), getattr(right, part))
            for part in ("data", "indices", "indptr")
        )
    return np.array_equal(left, right, equal_nan=left.dtype.kind == "f")


class TestEveryFunction:
    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_bunch_is_complete(self, name: str) -> None:
        bunch = call(name)
        assert isinstance(bunch.frame, pl.DataFrame)
        assert bunch.data.shape == (len(bunch.target), len(bunch.feature_names))
        assert bunch.target_column in bunch.frame.columns
        assert bunch.DESCR.startswith("Return")
        assert "Parameters" not in bunch.DESCR
        if bunch.target.ndim == 1:
            assert len(bunch.frame) == len(bunch.target)
        if "target_names" in bunch:
            assert set(bunch.target) == set(range(len(bunch.target_names)))

    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_pair_is_data_and_target(self, name: str) -> None:
        bunch = call(name)
        X, y = call(name, return_X_y=True)
        assert same(X, bunch.data)
        assert same(y, bunch.target)
        assert y.flags.writeable

    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_dense_numbers_are_float64_rows(self, name: str) -> None:
        X = call(name).data
        if isinstance(X, np.ndarray):
            assert X.dtype == np.float64
            assert X.flags.c_contiguous
            assert X.flags.writeable

    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_only_n_samples_may_be_positional(self, name: str) -> None:
        parameters = inspect.signature(getattr(datasets, name)).parameters.values()
        positional = {p.name for p in parameters if p.kind is not p.KEYWORD_ONLY}
        assert positional <= {"n_samples"}

    @pytest.mark.parametrize("name", FUNCTIONS)
    def test_return_X_y_is_checked(self, name: str) -> None:
        with pytest.raises(ParameterError, match=f"'return_X_y' parameter of {name} must be"):
            call(name, return_X_y="yes")

    @pytest.mark.parametrize("name", GENERATORS)
    def test_same_seed_same_bits(self, name: str) -> None:
        first, second = call(name, random_state=7), call(name, random_state=7)
        assert same(first.data, second.data)
        assert same(first.target, second.target)
        assert first.frame.equals(second.frame)
        assert not same(first.data, call(name, random_state=8).data)

    @pytest.mark.parametrize("name", GENERATORS)
    @pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
    def test_generators_give_their_next_stream(self, name: str, make: Callable[..., Any]) -> None:
        state = make(3)
        first = call(name, random_state=state).data
        assert same(first, call(name, random_state=make(3)).data)
        assert not same(first, call(name, random_state=state).data)

    @pytest.mark.parametrize("name", GENERATORS)
    def test_no_seed_is_a_new_one(self, name: str) -> None:
        assert not same(call(name, random_state=None).data, call(name, random_state=None).data)

    @pytest.mark.parametrize("name", GENERATORS)
    def test_number_of_samples(self, name: str) -> None:
        X, y = call(name, n_samples=13, return_X_y=True)
        assert X.shape[0] == y.shape[0] == 13

    @pytest.mark.parametrize("name", GENERATORS)
    @pytest.mark.parametrize("bad", [{"n_samples": 0}, {"n_samples": 2.5}, {"random_state": "x"}])
    def test_bad_number_or_seed(self, name: str, bad: dict[str, Any]) -> None:
        with pytest.raises(ParameterError, match=f"'{next(iter(bad))}' parameter of {name}"):
            call(name, **bad)


class TestTables:
    def test_names(self) -> None:
        assert datasets.tables() == ["auto_mpg", "course_ratings", "digits", "heart", "penguins"]
        assert set(datasets.tables()) <= set(FUNCTIONS)

    def test_every_file_and_column_has_its_licence_note(self) -> None:
        folder = files("inducer.datasets") / "data"
        notes = (folder / "LICENCES.md").read_text(encoding="utf-8")
        tables = [entry for entry in folder.iterdir() if entry.name.endswith(".csv")]
        assert len(tables) == 4
        for table in tables:
            _, heading, rest = notes.partition(f"## {table.name}\n")
            assert heading
            section = rest.partition("\n## ")[0]
            described = {
                name.strip()
                for line in section.splitlines()
                if line.startswith("| ")
                for name in line.split("|")[1].split(",")
            }
            assert set(pl.read_csv(table.read_bytes()).columns) == described - {"column"}

    def test_heart(self) -> None:
        heart = datasets.heart()
        assert heart.data.shape == (303, 13)
        assert Counter(heart.target.tolist()) == {0: 164, 1: 139}
        missing = {c: n for c, n in heart.data.null_count().row(0, named=True).items() if n}
        assert missing == {"major_vessels": 4, "thal": 2}
        assert len(heart.data.drop_nulls()) == 297  # the notes' complete rows
        assert heart.frame["narrowing"].to_list() == heart.target.tolist()

    def test_auto_mpg(self) -> None:
        cars = datasets.auto_mpg()
        assert cars.data.shape == (398, 7)
        assert cars.data.null_count().row(0, named=True)["horsepower"] == 6
        assert np.isfinite(cars.target).all()
        # The mean of the 398 rows of the repository's file.
        assert cars.target.mean() == pytest.approx(23.514573, abs=1e-6)

    def test_penguins(self) -> None:
        penguins = datasets.penguins()
        assert penguins.data.shape == (344, 6)
        assert np.bincount(penguins.target).tolist() == [152, 68, 124]
        assert penguins.data.null_count().sum_horizontal().item() == 2 * 4 + 11
        names = [penguins.target_names[code] for code in penguins.target]
        assert penguins.frame["species"].to_list() == names

    def test_course_ratings(self) -> None:
        printed = (
            "+2 yynyn | +2 yynyn | +2 nynnn | +2 nnnyn | +2 nyyny | +1 yynnn | +1 yynyn | "
            "+1 nynyn | 0 nnnny | 0 ynnyy | 0 nynyn | 0 yyyyy | -1 yyyny | -1 nnyyn | -1 nnyny | "
            "-1 ynyny | -2 nnyyn | -2 nyyny | -2 ynynn | -2 ynyny"
        )
        courses = datasets.course_ratings()
        rows = [row.split() for row in printed.split(" | ")]
        assert courses.frame["rating"].to_list() == [int(rating) for rating, _ in rows]
        answers = ["".join("y" if cell else "n" for cell in row) for row in courses.data]
        assert answers == [features for _, features in rows]
        right = [
            sum(
                max(Counter(y).values()) for y in (courses.target[x == v] for v in (0, 1)) if y.size
            )
            for x in courses.data.T
        ]
        # Majority answers of each question, as chapter 1 counts them.
        assert dict(zip(courses.feature_names, right, strict=True)) == {
            "easy": 12, "ai": 15, "systems": 18, "theory": 14, "morning": 13
        }  # fmt: skip
        assert len(np.unique(courses.data, axis=0)) == 14

    def test_digits(self) -> None:
        digits = datasets.digits()
        assert digits.data.shape == (1797, 64)
        assert digits.data.min() == 0
        assert digits.data.max() == 16
        assert digits.frame["pixel_3_4"].to_list() == digits.data[:, 3 * 8 + 4].tolist()

    @pytest.mark.parametrize(
        ("name", "columns"), [("heart", 22), ("auto_mpg", 9), ("penguins", 8), ("mixed", 16)]
    )
    def test_numeric_features_hold_the_same_cells(self, name: str, columns: int) -> None:
        frame, bunch = call(name).data, call(name, numeric=True)
        assert bunch.data.shape == (len(frame), columns) == (len(frame), len(bunch.feature_names))
        for column, values in zip(bunch.feature_names, bunch.data.T, strict=True):
            feature, _, level = column.partition("=")
            for cell, number in zip(frame[feature].to_list(), values, strict=True):
                if cell is None:
                    assert np.isnan(number)
                else:
                    assert number == (float(cell == level) if level else float(cell))

    def test_two_levels_are_one_column(self) -> None:
        names = datasets.heart(numeric=True).feature_names
        assert [name for name in names if name.startswith("sex")] == ["sex=male"]
        assert sum(name.startswith("thal=") for name in names) == 3

    def test_a_table_is_the_callers_own(self) -> None:
        _, y = datasets.heart(return_X_y=True)
        y[:] = -1
        assert datasets.heart().target.min() == 0

    def test_numeric_is_checked(self) -> None:
        with pytest.raises(ParameterError, match="'numeric' parameter of heart"):
            datasets.heart(numeric=None)


class TestShapes:
    def test_blobs_lie_around_their_centers(self) -> None:
        blobs = datasets.blobs(3000, centers=[[0, 0, 9], [5, 5, 5]], spread=[1, 2], random_state=0)
        for label, (center, spread) in enumerate([((0, 0, 9), 1), ((5, 5, 5), 2)]):
            cloud = blobs.data[blobs.target == label]
            assert len(cloud) == 1500
            # Five standard errors of the mean and of the standard deviation.
            assert np.abs(cloud.mean(axis=0) - center).max() < 5 * spread / 1500**0.5
            assert np.abs(cloud.std(axis=0) - spread).max() < 5 * spread / 3000**0.5
        assert blobs.centers.tolist() == [[0, 0, 9], [5, 5, 5]]

    def test_blobs_with_drawn_centers(self) -> None:
        blobs = datasets.blobs(10, n_features=4, centers=3, spread=0, random_state=0)
        assert blobs.centers.shape == (3, 4)
        assert np.abs(blobs.centers).max() <= 10
        assert np.array_equal(blobs.data, blobs.centers[blobs.target])
        assert sorted(np.bincount(blobs.target)) == [3, 3, 4]

    def test_blobs_weights_are_probabilities(self) -> None:
        _, y = datasets.blobs(4000, weights=[0.9, 0.1], random_state=0, return_X_y=True)
        assert y.mean() == pytest.approx(0.1, abs=5 * (0.09 / 4000) ** 0.5)
        _, y = datasets.blobs(50, weights=[0, 1], random_state=0, return_X_y=True)
        assert y.min() == 1

    @pytest.mark.parametrize(
        ("bad", "message"),
        [
            ({"centers": 0}, "'centers' parameter of blobs"),
            ({"centers": [1.0, 2.0]}, r"shape \(n_classes, n_features\)"),
            ({"centers": [[1.0], [2.0, 3.0]]}, "centres of one length"),
            ({"centers": [[np.nan, 1.0]]}, "all finite"),
            ({"spread": -1}, "'spread' parameter of blobs"),
            ({"spread": [1, 2, 3]}, "one for each of the 2 classes"),
            ({"weights": [0.5, 0.6]}, "sum 1"),
            ({"weights": [1.0]}, "one for each class"),
            ({"weights": [-0.5, 1.5]}, "none negative"),
        ],
    )
    def test_blobs_refuses(self, bad: dict[str, Any], message: str) -> None:
        with pytest.raises(ParameterError, match=message):
            datasets.blobs(**bad)

    def test_moons_are_half_circles(self) -> None:
        X, y = datasets.moons(100, noise=0, random_state=0, return_X_y=True)
        middles = np.array([[0, 0], [1, 0.5]])[y]
        assert np.hypot(*(X - middles).T) == pytest.approx(1, abs=1e-12)
        side = np.where(y == 0, 1, -1)
        assert (side * (X - middles)[:, 1] >= 0).all()

    def test_noise_is_a_standard_deviation(self) -> None:
        clean = datasets.moons(2000, noise=0, random_state=0).data
        noisy = datasets.moons(2000, noise=0.3, random_state=0).data
        assert (noisy - clean).std() == pytest.approx(0.3, abs=5 * 0.3 / 8000**0.5)

    def test_circles_have_their_radii(self) -> None:
        X, y = datasets.circles(101, factor=0.3, noise=0, random_state=0, return_X_y=True)
        assert np.hypot(*X.T) == pytest.approx(np.where(y == 1, 0.3, 1), abs=1e-12)
        # All around the ring, not half of it: each quadrant has some of both.
        quadrants = Counter(zip(y.tolist(), *(X > 0).T.tolist(), strict=True))
        assert len(quadrants) == 8

    @pytest.mark.parametrize("factor", [0, 1])
    def test_circles_must_differ(self, factor: float) -> None:
        with pytest.raises(ParameterError, match="'factor' parameter of circles"):
            datasets.circles(factor=factor)

    def test_disc_flips_labels(self) -> None:
        X, y = datasets.disc(4000, noise=0.1, random_state=0, return_X_y=True)
        inside = (X**2).sum(axis=1) < 0.6
        assert (y != inside).mean() == pytest.approx(0.1, abs=5 * (0.09 / 4000) ** 0.5)
        # A share of pi 0.6 / 4 of the square is inside.
        assert inside.mean() == pytest.approx(0.471, abs=5 * (0.25 / 4000) ** 0.5)

    @pytest.mark.parametrize("n_features", [1, 2, 3, 5])
    def test_xor_has_each_corner_once(self, n_features: int) -> None:
        corners = 2**n_features
        X, y = datasets.xor(
            corners, n_features=n_features, noise=0, random_state=0, return_X_y=True
        )
        expected = {
            (*corner, sum(c > 0 for c in corner) % 2)
            for corner in itertools.product((-1, 1), repeat=n_features)
        }
        assert {(*map(int, x), int(label)) for x, label in zip(X, y, strict=True)} == expected

    def test_xor_in_many_dimensions(self) -> None:
        X, y = datasets.xor(50, n_features=62, noise=0, random_state=0, return_X_y=True)
        assert np.array_equal((X > 0).sum(axis=1) % 2, y)
        assert len(np.unique(X, axis=0)) == 50
        with pytest.raises(ParameterError, match="'n_features' parameter of xor"):
            datasets.xor(n_features=63)

    def test_linear_margin_is_the_largest_there_is(self) -> None:
        points = datasets.linear(60, n_features=5, margin=0.2, intercept=-1.5, random_state=0)
        side = 2 * points.target - 1
        distance = side * (points.data @ points.coef + points.intercept)
        assert np.linalg.norm(points.coef) == pytest.approx(1, abs=1e-12)
        assert distance.min() == pytest.approx(0.2, abs=1e-12)
        # Two points of different classes 2 * margin apart: no hyperplane can be further from both.
        gaps = np.linalg.norm(points.data[side > 0][:, np.newaxis] - points.data[side < 0], axis=2)
        assert gaps.min() == pytest.approx(0.4, abs=1e-12)

    @pytest.mark.parametrize("bad", [{"margin": 0}, {"margin": -1}, {"n_samples": 1}])
    def test_linear_refuses(self, bad: dict[str, Any]) -> None:
        with pytest.raises(ParameterError, match=f"'{next(iter(bad))}' parameter of linear"):
            datasets.linear(**bad)

    def test_parallel_lines(self) -> None:
        X, y = datasets.parallel_lines(30, random_state=0, return_X_y=True)
        assert X[:, 1] == pytest.approx(X[:, 0] + np.where(y == 1, 1, -1), abs=1e-12)


class TestText:
    def test_counts_are_sound_and_those_of_the_documents(self) -> None:
        documents = datasets.text(80, n_features=6000, n_classes=3, random_state=0)
        X = documents.data
        assert X.format == "csr"
        assert X.dtype == np.float64
        assert X.indices.dtype == X.indptr.dtype == np.int32
        assert X.has_canonical_format
        assert X.data.min() >= 1
        counted = CountVectorizer(vocabulary=documents.feature_names).transform(
            documents.frame["text"]
        )
        assert (counted != X).nnz == 0
        assert len(set(documents.feature_names)) == 6000

    def test_rank_and_frequency_follow_the_law(self) -> None:
        X, _ = datasets.text(
            2000, n_features=300, contrast=0, exponent=1.2, random_state=0, return_X_y=True
        )
        counts = np.asarray(X.sum(axis=0))
        shares = (np.arange(1, 301) + 2.7) ** -1.2
        expected = counts.sum() * shares / shares.sum()
        chi_squared = ((counts - expected) ** 2 / expected).sum()
        # 299 degrees of freedom: mean 299, standard deviation 24.5.
        assert abs(chi_squared - 299) < 5 * 24.5

    def test_length_is_the_mean_number_of_words(self) -> None:
        X, _ = datasets.text(1000, length=20, random_state=0, return_X_y=True)
        assert X.sum() / 1000 == pytest.approx(20, abs=5 * (20 / 1000) ** 0.5)
        X, _ = datasets.text(50, length=0.01, random_state=0, return_X_y=True)
        assert X.sum(axis=1).min() == 1

    @pytest.mark.parametrize(("contrast", "apart"), [(0.0, False), (1.0, True)])
    def test_contrast_parts_the_classes(self, contrast: float, apart: bool) -> None:
        X, y = datasets.text(
            400, n_features=200, contrast=contrast, random_state=0, return_X_y=True
        )
        train = np.arange(400) < 200
        word_counts = [np.asarray(X[train & (y == label)].sum(axis=0)) + 1 for label in (0, 1)]
        log_odds = np.log(word_counts[1] / word_counts[1].sum()) - np.log(
            word_counts[0] / word_counts[0].sum()
        )
        right = (((X @ log_odds) > 0) == y)[~train].mean()
        assert right > 0.95 if apart else abs(right - 0.5) < 5 * (0.25 / 200) ** 0.5

    def test_single_word(self) -> None:
        X, _ = datasets.text(3, n_features=1, random_state=0, return_X_y=True)
        assert X.shape == (3, 1)


class TestMixed:
    def test_kinds_of_columns(self) -> None:
        frame = datasets.mixed(20, random_state=0).frame
        kinds = Counter(type(kind).__name__ for kind in frame.dtypes)
        assert kinds == {"Int64": 3, "Float64": 2, "Enum": 3, "Date": 1, "Boolean": 1}

    @pytest.mark.parametrize("missing", [0.0, 0.2, 1.0])
    def test_share_of_missing_cells(self, missing: float) -> None:
        X, y = datasets.mixed(1000, missing=missing, random_state=0, return_X_y=True)
        share = X.null_count().sum_horizontal().item() / (1000 * 8)
        assert abs(share - missing) <= 5 * (missing * (1 - missing) / 8000) ** 0.5
        assert set(y) == {0, 1}

    def test_holes_change_nothing_else(self) -> None:
        full = datasets.mixed(200, missing=0, random_state=0)
        holed = datasets.mixed(200, missing=0.3, random_state=0)
        assert same(full.target, holed.target)
        for name in full.feature_names:
            left = holed.data[name].is_not_null()
            assert holed.data[name].filter(left).equals(full.data[name].filter(left))

    def test_approval_is_drawn_with_the_odds_of_the_score(self) -> None:
        table = datasets.mixed(8000, missing=0, random_state=0)
        chance = 1 / (1 + np.exp(-table.score))
        # Calibrated, below the middle of the scores and above it.
        for half in (table.score < 0, table.score >= 0):
            error = (table.target - chance)[half].sum() / np.sqrt(
                (chance * (1 - chance))[half].sum()
            )
            assert abs(error) < 5
        years = table.frame["age"] - table.frame["years_in_job"]
        assert years.min() >= 17


def rosenblatt(
    rows: list[tuple[int, int, int, int]], start: tuple[int, int, int]
) -> tuple[int, list[int], Counter[int]]:
    """Return passes, weights and mistakes of a perceptron in whole numbers, which never round."""
    weights, mistakes = list(start), Counter[int]()
    for passes in itertools.count(1):
        before = mistakes.total()
        for n, (one, r, late, sign) in enumerate(rows):
            if sign * (weights[0] * one + weights[1] * r + weights[2] * late) <= 0:
                weights = [w + sign * x for w, x in zip(weights, (one, r, late), strict=True)]
                mistakes[n] += 1
        if mistakes.total() == before:
            return passes, weights, mistakes
    raise AssertionError


def entropy(labels: NDArray[Any]) -> float:
    shares = np.bincount(labels) / len(labels)
    return -sum(float(p * np.log2(p)) for p in shares if p)


def best_split(X: NDArray[np.float64], y: NDArray[Any]) -> tuple[int, float]:
    """Return the column and threshold of least average entropy."""
    splits = {}
    for column, values in enumerate(X.T):
        for low, high in itertools.pairwise(np.unique(values)):
            left = values < (low + high) / 2
            splits[column, (low + high) / 2] = left.mean() * entropy(y[left]) + (
                1 - left.mean()
            ) * entropy(y[~left])
    return min(splits, key=splits.__getitem__)


class TestCourse:
    def test_bankruptcy_perceptron_makes_the_passes_of_the_notes(self) -> None:
        X, y = datasets.bankruptcy(return_X_y=True)
        # All coordinates times ten; the rate 0.1 then makes the weights a hundredth.
        rows = [(10, round(10 * r), round(10 * late), 2 * c - 1) for (r, late), c in zip(X, y)]  # noqa: B905
        passes, weights, _ = rosenblatt(rows, (0, 0, 0))
        assert (passes, weights) == (49, [-220, 94, 40])
        passes, weights, mistakes = rosenblatt(rows, (-100, 100, 100))
        assert (passes, weights) == (10, [-170, 81, 30])
        counts = {tuple(X[n]): count for n, count in mistakes.items()}
        assert counts == {
            (0.2, 6): 5, (1.1, 3): 3, (0.2, 3): 9, (0.7, 2): 1, (0.5, 4): 4, (1.7, 1): 1
        }  # fmt: skip

    def test_bankruptcy_tree_asks_what_the_notes_ask(self) -> None:
        X, y = datasets.bankruptcy(return_X_y=True)
        assert [len(np.unique(values)) - 1 for values in X.T] == [9, 6]
        asked = []
        while len(set(y)) > 1:
            column, threshold = best_split(X, y)
            asked.append((column, threshold))
            above = X[:, column] > threshold
            impure = above if len(set(y[above])) > 1 else ~above
            X, y = X[impure], y[impure]
            if len(asked) == 3:
                break
        assert asked == [(1, 1.5), (0, pytest.approx(0.9)), (1, 5.0)]

    def test_bankruptcy_nearest_neighbour_says_no(self) -> None:
        X, y = datasets.bankruptcy(return_X_y=True)
        distance = np.hypot(5 * (X[:, 0] - 0.3), X[:, 1] - 2)
        assert y[np.argmin(distance)] == 0
        assert np.sum(distance == distance.min()) == 1

    def test_weather_has_the_frequencies_of_the_notes(self) -> None:
        X, y = datasets.weather(return_X_y=True)
        sunny, windy = X.T == 1
        counts = [(int(y[days].sum()), int(days.sum())) for days in (sunny, ~sunny, windy, ~windy)]
        assert counts == [(1, 3), (4, 5), (2, 4), (3, 4)]

    def test_conjunctions_leave_the_terms_of_the_trace(self) -> None:
        X, y = datasets.conjunctions(return_X_y=True)
        terms = {(d, value) for d in range(4) for value in (0, 1)}
        left = []
        for x in X[y == 1]:
            terms &= {(d, int(value)) for d, value in enumerate(x)}
            left.append(set(terms))
        assert left == [{(0, 0), (1, 0), (2, 1), (3, 1)}, {(0, 0), (2, 1), (3, 1)}]
        assert not all(X[y == 0][0][d] == value for d, value in terms)

    def test_variance_split(self) -> None:
        X, y = datasets.variance_split(return_X_y=True)
        assert y.var(ddof=1) == pytest.approx(40.5, abs=0.05)
        parts = {
            name: sorted(round(float(y[x == v].var(ddof=1)), 2) for v in (0, 1))
            for name, x in zip(("f3", "f7"), X.T, strict=True)
        }
        assert parts == {"f3": [1.67, 3.7], "f7": [40.67, 48.7]}

    def test_birds_are_explained_by_three_ideas(self) -> None:
        birds = datasets.birds()
        assert all(np.array_equal(idea, birds.target) for idea in birds.data.T)
        answers = ["".join("BA"[int(a)] for a in idea) for idea in birds.test.T]
        assert answers == ["ABBA", "AABB", "ABAB"]

    @pytest.mark.parametrize("neighbours", [1, 3, 5])
    def test_skis_depend_on_the_unit(self, neighbours: int) -> None:
        votes = {}
        for width in ("mm", "cm"):
            skis = datasets.skis(width=width)
            distance = np.linalg.norm(skis.data - skis.query, axis=1)
            nearest = np.argsort(distance)[:neighbours]
            votes[width] = skis.target_names[round(skis.target[nearest].mean())]
        assert votes == {"mm": "ski", "cm": "snowboard"}
        assert datasets.skis(width="cm").data[:, 0] == pytest.approx(
            datasets.skis().data[:, 0] / 10, rel=1e-12
        )
        with pytest.raises(ParameterError, match="'width' parameter of skis"):
            datasets.skis(width="inch")

    def test_reviews_need_products_of_words(self) -> None:
        reviews = datasets.reviews()
        course = (reviews.frame["domain"] == "course").to_numpy()
        excellent, terrible, negated, _, _ = reviews.data[course].T
        y = 2 * reviews.target[course] - 1
        score = excellent - terrible - 2 * excellent * negated + 2 * terrible * negated
        assert (score * y > 0).all()
        # Exclusive or: both ways of praising together have the words of both ways of blaming.
        words = reviews.data[course]
        praise, blame = (np.unique(words[y == sign], axis=0) for sign in (1, -1))
        assert praise.sum(axis=0).tolist() == blame.sum(axis=0).tolist()

    def test_reviews_domains_disagree_on_small(self) -> None:
        reviews = datasets.reviews()
        small = reviews.data[:, reviews.feature_names.index("small")] == 1
        verdicts = {
            domain: set(
                reviews.target[small & (reviews.frame["domain"] == domain).to_numpy()].tolist()
            )
            for domain in ("gadget", "hotel")
        }
        assert verdicts == {"gadget": {1}, "hotel": {0}}


class TestStories:
    def test_coins_are_nearest_to_their_kind(self) -> None:
        coins = datasets.coins(400, noise=0, random_state=0)
        kinds = np.unique(np.column_stack([coins.target, coins.data]), axis=0)
        # The Mint's millimetres and grams.
        assert kinds.tolist() == [
            [0, 19.05, 2.5],
            [1, 21.21, 5.0],
            [2, 17.91, 2.268],
            [3, 24.26, 5.67],
        ]

    def test_noisy_bit(self) -> None:
        X, y = datasets.noisy_bit(4000, noise=0.2, random_state=0, return_X_y=True)
        assert set(X.ravel()) == {-1.0, 1.0}
        assert ((X[:, 0] > 0) != y).mean() == pytest.approx(0.2, abs=5 * (0.16 / 4000) ** 0.5)
        assert y.mean() == pytest.approx(0.5, abs=5 * (0.25 / 4000) ** 0.5)

    @pytest.mark.parametrize("degree", [0, 1, 20, 50])
    def test_polynomial_has_mean_square_one(self, degree: int) -> None:
        coef = datasets.polynomial(degree=degree, random_state=0).coef
        assert len(coef) == degree + 1
        # Gauss's rule with 60 points is exact for the square, of degree 100 at most.
        nodes, weights = np.polynomial.legendre.leggauss(60)
        values = np.polynomial.legendre.legval(nodes, coef)
        assert (weights @ np.square(values)) / 2 == pytest.approx(1, abs=1e-10)

    def test_polynomial_noise(self) -> None:
        points = datasets.polynomial(4000, noise=0.5, random_state=0)
        clean = np.polynomial.legendre.legval(points.data[:, 0], points.coef)
        assert (points.target - clean).std() == pytest.approx(0.5, abs=5 * 0.5 / 8000**0.5)

    def test_xor_chain_follows_its_rule(self) -> None:
        games = datasets.xor_chain(30, horizon=6, random_state=0)
        for shown, right in zip(games.data, games.target, strict=True):
            before = 0
            for digit, button in zip(shown, right, strict=True):
                assert button == int(digit) ^ before
                before = button
        assert games.frame.select("shown", "right").row(7) == (games.data[1, 1], games.target[1, 1])

    def test_exam_students_answer_with_their_skill(self) -> None:
        exam = datasets.exam(400, n_questions=500, skill=(0.3, 0.9), random_state=0)
        share = (exam.data == exam.key).mean(axis=1)
        error = (share - exam.target) / np.sqrt(exam.target * (1 - exam.target) / 500)
        assert np.abs(error).max() < 5
        assert error.std() == pytest.approx(1, abs=5 / 800**0.5)
        assert 0.3 <= exam.target.min() < 0.31
        assert 0.89 < exam.target.max() <= 0.9

    @pytest.mark.parametrize("skill", [(0.9, 0.5), (-0.1, 1), (0, 2), (0.5,), ("a", "b"), "no"])
    def test_exam_refuses(self, skill: Any) -> None:
        with pytest.raises(ParameterError, match="'skill' parameter of exam"):
            datasets.exam(skill=skill)
