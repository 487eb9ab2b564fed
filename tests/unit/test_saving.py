"""Saving and loading: the same bits come back, and a bad file is an error and nothing else."""

from __future__ import annotations

import io
import json
import os
import random
import stat
import warnings
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skops.io
from scipy import sparse
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.callback import ProgressBar
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import inducer
from inducer._core.base import Monitor
from inducer.base import InputError, Learner, ParameterError, Trace, _saving
from inducer.base.part import Part
from inducer.linear import Perceptron


class Keeper(Learner):
    """A learner that holds whatever it is given."""

    def __init__(self, thing: Any = None) -> None:
        self.thing = thing

    def fit(self, X: Any, y: Any = None) -> Keeper:  # noqa: ARG002
        self.kept_ = self.thing
        return self


KEEPER = [f"{Keeper.__module__}.Keeper"]


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 4))
    return X, np.where(X @ [1.0, -2.0, 0.5, 0.0] > 0, "yes", "no")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "model.skops"


def through(model: Any, file: Path, **options: Any) -> Any:
    inducer.save(model, file)
    return inducer.load(file, **options)


def assert_same(a: Any, b: Any) -> None:
    """Assert equality down to the bits, the types and the orders."""
    assert type(a) is type(b)
    if isinstance(a, np.ndarray):
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        if a.dtype.hasobject:
            assert_same(a.tolist(), b.tolist())
        else:
            assert a.tobytes() == b.tobytes()
    elif sparse.issparse(a):
        assert a.shape == b.shape
        for part in ("data", "indices", "indptr"):
            assert_same(getattr(a, part), getattr(b, part))
    elif isinstance(a, dict):
        assert [*a] == [*b]
        assert [type(key) for key in a] == [type(key) for key in b]
        for key in a:
            assert_same(a[key], b[key])
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for one, other in zip(a, b, strict=True):
            assert_same(one, other)
    elif isinstance(a, BaseEstimator):
        assert_same(vars(a), vars(b))
    elif isinstance(a, float):
        assert np.float64(a).tobytes() == np.float64(b).tobytes()
    else:
        assert a == b


# ---- there and back -----------------------------------------------------------------------------


def test_fitted_learner_comes_back_bit_for_bit(data: tuple[Any, Any], file: Path) -> None:
    X, y = data
    model = Perceptron(random_state=5, class_weight={"yes": 2.0, "no": 1.0}).fit(X, y)
    again = through(model, file)
    assert_same(model, again)
    assert_same(model.decision_function(X), again.decision_function(X))
    assert_same(model.predict(X), again.predict(X))


def test_a_fit_goes_on_after_loading(data: tuple[Any, Any], file: Path) -> None:
    X, y = data
    model = Perceptron(random_state=5, average=True).partial_fit(X, y, classes=["no", "yes"])
    again = through(model, file)
    assert_same(model.partial_fit(X, y), again.partial_fit(X, y))


def test_unfitted_learner(file: Path) -> None:
    again = through(Perceptron(max_iter=7, shuffle="never"), file)
    assert again.get_params() == Perceptron(max_iter=7, shuffle="never").get_params()
    assert not hasattr(again, "coef_")


def test_pipeline_that_holds_ours(data: tuple[Any, Any], file: Path) -> None:
    X, y = data
    model = make_pipeline(SimpleImputer(), StandardScaler(), Perceptron(random_state=0)).fit(X, y)
    again = through(model, file)
    assert isinstance(again, Pipeline)
    assert_same(model.decision_function(X), again.decision_function(X))


def test_text_pipeline(file: Path) -> None:
    """The vocabulary holds words that are names of skops's own."""
    texts = ["__loader__ __class__ content", "plain words", "__loader__ once more", "words again"]
    model = make_pipeline(CountVectorizer(), Perceptron(random_state=0)).fit(texts, [1, 0, 1, 0])
    again = through(model, file)
    assert_same(model[0].vocabulary_, again[0].vocabulary_)
    assert_same(model.decision_function(texts), again.decision_function(texts))


def test_metadata_requests(file: Path) -> None:
    """scikit-learn's requests refer back to their owner: skops alone would never end."""
    with config_context(enable_metadata_routing=True):
        model = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False),
            Perceptron().set_fit_request(sample_weight="weights"),
        )
        again = through(model, file)
        for step in (0, 1):
            old, new = (m[step].get_metadata_routing().fit.requests for m in (model, again))
            assert old == new
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
        again.fit(X, y, weights=np.ones(20))


THINGS = {
    "none": None,
    "numbers": [1, -(2**80), 1.5, float("nan"), float("inf"), True, "text", "\ud800", b"\x00\xff"],
    "containers": ({"a": (1, [2, {}])}, {1, 2}, frozenset({"x"}), (), range(2, 9, 3), slice(1, 4)),
    "keys": {"a": 1, 2: 3, -0.5: 4},
    "keys of numpy": {np.int64(3): 1.0, np.str_("a"): 2.0, np.float32(0.1): 3.0},
    "boolean keys": {False: 1.0, True: 5.0},
    "numpy boolean keys": {np.False_: 1.0, np.True_: 5.0},
    "keys that look alike": {1: "number", "1": "text"},
    "odd keys": {None: 1, (0, 1): 2},
    "float64": np.array([0.1, -0.0, np.nan, np.inf, 5e-324]),
    "fortran": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    "float32": np.float32([[0.1], [1e-45]]),
    "integers": np.array([-(2**63), 2**63 - 1]),
    "empty": np.empty((0, 3), dtype=np.int8),
    "booleans": np.array([True, False]),
    "words": np.array(["α", "bc"]),
    "objects": np.array(["α", 2, None], dtype=object),
    "dates": np.array(["2020-02-29"], dtype="datetime64[D]"),
    "records": np.array([(1, 2.5)], dtype=[("a", np.int32), ("b", np.float64)]),
    "scalar": np.float32(0.1),
    "dtype": np.dtype("float32"),
    "ordered": OrderedDict(b=1, a=2),
    "csr": sparse.random_array((5, 4), density=0.5, format="csr", rng=np.random.default_rng(0)),
    "csc": sparse.csc_matrix(np.eye(3, dtype=np.float32)),
    "explicit zeros": sparse.csr_array((np.array([0.0]), np.array([1]), np.array([0, 1])), (1, 2)),
    "ufunc": np.log1p,
    "type": np.float64,
}


@pytest.mark.parametrize("name", THINGS)
def test_values(name: str, file: Path) -> None:
    thing = THINGS[name]
    model = Keeper(thing).fit(None)
    again = through(model, file, trusted=KEEPER)
    assert_same(again.thing, thing)
    assert again.kept_ is again.thing or isinstance(thing, (np.generic, bytes))


@pytest.mark.parametrize("kind", ["coo", "dok", "lil", "dia", "bsr"])
def test_other_sparse_formats(kind: str, file: Path) -> None:
    thing = sparse.eye_array(4, 6, format="csr").asformat(kind)
    again = through(Keeper(thing), file, trusted=KEEPER).thing
    assert type(again) is type(thing)
    assert (again != thing).nnz == 0


def test_generators_go_on_where_they_were(file: Path) -> None:
    for make in (np.random.default_rng, np.random.RandomState):
        generator = make(7)
        generator.normal(size=3)
        again = through(Perceptron(random_state=generator), file).random_state
        assert type(again) is type(generator)
        assert again.normal(size=5).tobytes() == generator.normal(size=5).tobytes()


def test_shared_parts_stay_shared(file: Path) -> None:
    inner = Perceptron(max_iter=3)
    again = through(Keeper([inner, {"same": inner}]), file, trusted=KEEPER).thing
    assert again[0] is again[1]["same"]


def test_path_as_text_and_as_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    inducer.save(Perceptron(), "one.skops")
    assert isinstance(inducer.load(Path("one.skops")), Perceptron)


# ---- what belongs to the process stays behind ---------------------------------------------------


def test_callbacks_are_not_saved(data: tuple[Any, Any], file: Path) -> None:
    X, y = data
    inner = Perceptron(max_iter=2, tol=None, random_state=0).set_callbacks(Trace())
    logistic = LogisticRegression().set_callbacks(ProgressBar())
    model = Pipeline([("scale", StandardScaler()), ("learn", inner)]).fit(X, y)
    callbacks = inner._skl_callbacks
    again = through(Keeper([model, logistic]), file, trusted=KEEPER).thing
    assert not hasattr(again[0][1], "_skl_callbacks")
    assert not hasattr(again[1], "_skl_callbacks")
    assert inner._skl_callbacks is callbacks  # and the user's model is untouched
    assert logistic._skl_callbacks
    assert_same(again[0][1].history_, inner.history_)
    assert model[1] is inner


def test_callback_that_cannot_be_written_does_not_matter(file: Path) -> None:
    callback = Trace()
    callback.lock = Monitor()  # type: ignore[attr-defined]
    assert isinstance(through(Perceptron().set_callbacks(callback), file), Perceptron)


# ---- what a file cannot hold is refused when saving ---------------------------------------------


def named_function(X: Any) -> Any:
    return X + 1


class Slotted:
    __slots__ = ("a",)

    def __init__(self) -> None:
        self.a = 1


def circle() -> list[Any]:
    """A list that holds itself."""
    made: list[Any] = []
    made.append({"again": made})
    return made


def deep() -> list[Any]:
    made: list[Any] = []
    for _ in range(5000):
        made = [made]
    return made


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (lambda X: X, r"Keeper\.thing is <function .*top of a module"),
        ({"a": [0, lambda X: X]}, r"Keeper\.thing\['a'\]\[1\] is <function"),
        (np.array([None, lambda X: X], dtype=object), r"Keeper\.thing\[1\] is <function"),
        ([1].append, r"Keeper\.thing is <built-in method"),
        (Perceptron().fit, r"Keeper\.thing is <bound method"),
        (partial(named_function, 1), r"Keeper\.thing is a functools\.partial"),
        (np.random, r"Keeper\.thing is a builtins\.module"),
        (io.BytesIO(), r"Keeper\.thing is a _io\.BytesIO"),
        (1j, r"Keeper\.thing is a builtins\.complex"),
        ((n for n in ()), r"Keeper\.thing is a builtins\.generator"),
        (Slotted(), r"Keeper\.thing is a .*Slotted"),
        (type("Local", (), {})(), r"Keeper\.thing is a .*Local"),
        (OrderedDict({True: 2}), r"Keeper\.thing is a OrderedDict with keys that are neither"),
        (circle(), r"Keeper\.thing\[0\]\['again'\] refers back to what holds it"),
        (deep(), r"Keeper is nested too deeply"),
        (Pipeline([("f", FunctionTransformer(lambda X: X))]), r"thing\.steps\[0\]\[1\]\.func is"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else type(value).__name__,
)
def test_hidden_objects_are_named(thing: Any, words: str, file: Path) -> None:
    with pytest.raises(InputError, match=words):
        inducer.save(Keeper(thing), file)
    assert not any(file.parent.iterdir())


def test_objects_of_the_compiled_module_are_named(file: Path) -> None:
    """Not a case of the above: what a parameter list holds lives on until the process ends."""
    with pytest.raises(InputError, match=r"Keeper\.thing is a inducer\._core\.base\.Monitor"):
        inducer.save(Keeper(Monitor()), file)


@pytest.mark.parametrize("model", [Perceptron, {"a": 1}, None, "model"])
def test_only_learners_are_saved(model: Any, file: Path) -> None:
    with pytest.raises(InputError, match="save takes a learner"):
        inducer.save(model, file)


# ---- what is trusted ----------------------------------------------------------------------------


def test_other_types_must_be_named(file: Path) -> None:
    inducer.save(Keeper(1.0), file)
    with pytest.raises(InputError) as caught:
        inducer.load(file)
    assert KEEPER[0] in str(caught.value)
    assert f"trusted={KEEPER!r}" in str(caught.value)
    assert isinstance(inducer.load(file, trusted=[Keeper]), Keeper)
    assert isinstance(inducer.load(file, trusted=iter(KEEPER)), Keeper)


def test_only_what_is_not_trusted_is_named(data: tuple[Any, Any], file: Path) -> None:
    X, y = data
    model = Keeper([DecisionTreeClassifier().fit(X, y), FunctionTransformer(named_function)])
    inducer.save(model, file)
    with pytest.raises(InputError) as caught:
        inducer.load(file, trusted=KEEPER)
    words = str(caught.value)
    assert "sklearn.tree._tree.Tree" in words
    assert f"{__name__}.named_function" in words
    assert "Keeper" not in words
    assert "DecisionTreeClassifier" not in words
    names = [*KEEPER, "sklearn.tree._tree.Tree", f"{__name__}.named_function"]
    tree, transformer = inducer.load(file, trusted=names).thing
    assert_same(tree.predict(X), model.thing[0].predict(X))
    assert transformer.func is named_function


def test_scikit_learn_parts_that_skops_leaves_open(data: tuple[Any, Any], file: Path) -> None:
    X, y = data
    model = KNeighborsClassifier(algorithm="brute").fit(sparse.csr_array(X), y)
    assert_same(through(model, file).predict(X), model.predict(X))


@pytest.mark.parametrize("trusted", ["a.b.C", Keeper, b"a", 3, True, [3], [None]])
def test_trusted_is_a_list_of_types(trusted: Any, file: Path) -> None:
    inducer.save(Perceptron(), file)
    with pytest.raises(ParameterError, match="trusted"):
        inducer.load(file, trusted=trusted)


def public_classes() -> Iterator[type]:
    import pkgutil

    for info in pkgutil.walk_packages(inducer.__path__, "inducer."):
        if info.ispkg and "._" not in info.name:
            package = import_module(info.name)
            for name in getattr(package, "__all__", ()):
                with _todo():
                    if isinstance(value := getattr(package, name), type):
                        yield value


@contextmanager
def _todo() -> Iterator[None]:
    """A name whose module does not exist is a matter for test_import."""
    try:
        yield
    except ImportError:
        return


def test_every_public_learner_and_part_is_trusted_and_nothing_else_is() -> None:
    learners = parts = 0
    for cls in public_classes():
        is_learner, is_part = issubclass(cls, BaseEstimator), issubclass(cls, Part)
        trusted = _saving.is_learner(f"{cls.__module__}.{cls.__qualname__}")
        assert trusted == (is_learner or is_part), cls
        homes = ("inducer.losses.", "inducer.penalties.", "inducer.trees.")
        assert not is_part or cls.__module__.startswith(homes)
        learners += is_learner
        parts += is_part
    assert learners >= 2
    assert parts >= 2


@pytest.mark.parametrize(
    "name",
    [
        "inducer.linear.Perceptron",  # not its full name
        "inducer.linear.perceptron.Learner",
        "inducer.linear.multiclass.Perceptron",
        "inducer.base.blocks.RowBlocks",
        "inducer.base._threads.threads",
        "inducer._core.base.Monitor",
        "inducer.cli.app.main",
        "inducer.../../evil.X.Y",
        "inducer",
        "inducer.",
        "",
        "os.system",
        "inducer.linear.perceptron.Perceptron.fit",
    ],
)
def test_not_trusted(name: str) -> None:
    assert not _saving.is_learner(name)


# ---- files that are not what they should be -----------------------------------------------------


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory, data: tuple[Any, Any]) -> tuple[bytes, Any]:
    X, y = data
    file = tmp_path_factory.mktemp("saved") / "model.skops"
    model = make_pipeline(StandardScaler(), Perceptron(max_iter=3, tol=None, random_state=0)).fit(
        X, y
    )
    inducer.save(model, file)
    return file.read_bytes(), model


def test_nothing_is_compressed(saved: tuple[bytes, Any]) -> None:
    with zipfile.ZipFile(io.BytesIO(saved[0])) as archive:
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}


def test_skops_reads_our_files(saved: tuple[bytes, Any]) -> None:
    name = f"{Perceptron.__module__}.Perceptron"
    again = skops.io.loads(saved[0], trusted=[name])
    assert_same(again[1].coef_, saved[1][1].coef_)


def test_cut_off_files(saved: tuple[bytes, Any], file: Path) -> None:
    content, _ = saved
    lengths = {0, 1, 4, 21, 22, *range(30, len(content), 499), len(content) - 1, len(content) - 22}
    for length in sorted(lengths):
        file.write_bytes(content[:length])
        with pytest.raises(InputError, match=r"is damaged, or was not written by inducer\.save"):
            inducer.load(file)


def test_flipped_bits(saved: tuple[bytes, Any], file: Path) -> None:
    """Each flip is found, or is in a place that does not matter: never a different model."""
    content, model = saved
    rng = random.Random(11)
    directory = content.rindex(b"PK\x05\x06") - 600  # flips there are the interesting ones
    places = [rng.randrange(len(content)) for _ in range(150)]
    places += [rng.randrange(directory, len(content)) for _ in range(150)]
    found = 0
    for place in places:
        flipped = bytearray(content)
        flipped[place] ^= 1 << rng.randrange(8)
        file.write_bytes(flipped)
        try:
            again = inducer.load(file)
        except InputError:
            found += 1
        else:
            assert_same(again[1].coef_, model[1].coef_)
            assert_same(again[0].mean_, model[0].mean_)
    assert found > 150


def test_overwritten_bytes_with_a_right_checksum(saved: tuple[bytes, Any], file: Path) -> None:
    """Damage behind the checksum: words of the tree of objects, one after the other."""
    content, _ = saved
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        schema = archive.read("schema.json")
    rng = random.Random(5)
    found = 0
    for _ in range(120):
        changed = bytearray(schema)
        changed[rng.randrange(len(schema))] = rng.randrange(32, 127)
        file.write_bytes(rewritten(content, {"schema.json": bytes(changed)}))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a changed version of scikit-learn, for one
                inducer.load(file)
        except InputError:
            found += 1
    assert found > 20


def rewritten(content: bytes, parts: dict[str, Any], **options: Any) -> bytes:
    """Return an archive with some parts replaced, None for left out."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", **options) as new:
        for name in dict.fromkeys([*old.namelist(), *parts]):
            part = parts.get(name, old.read(name) if name in old.namelist() else None)
            if part is not None:
                new.writestr(name, part if isinstance(part, bytes) else json.dumps(part))
    return out.getvalue()


def forged(saved: tuple[bytes, Any], change: Callable[[dict[str, Any]], Any]) -> bytes:
    """Return the archive with its tree of objects changed."""
    with zipfile.ZipFile(io.BytesIO(saved[0])) as archive:
        schema = json.loads(archive.read("schema.json"))
    changed = change(schema)
    return rewritten(saved[0], {"schema.json": schema if changed is None else changed})


@pytest.mark.parametrize("schema", [b"", b"{", b"[]", b"null", b"3", b"{}", b'{"protocol": 2}'])
def test_wrong_schema(schema: bytes, saved: tuple[bytes, Any], file: Path) -> None:
    file.write_bytes(rewritten(saved[0], {"schema.json": schema}))
    with pytest.raises(InputError, match="damaged"):
        inducer.load(file)


@pytest.mark.parametrize("protocol", [-1, 0, 1, 10**6, None, "2", True])
def test_wrong_protocol(protocol: Any, saved: tuple[bytes, Any], file: Path) -> None:
    file.write_bytes(forged(saved, lambda schema: schema.update(protocol=protocol)))
    with pytest.raises(InputError, match="damaged"):
        inducer.load(file)


def test_files_of_others(file: Path) -> None:
    skops.io.dump(Perceptron(), file)
    with pytest.raises(InputError, match=r"not written by inducer\.save.*inducer\.json"):
        inducer.load(file)
    file.write_bytes(b"cos\nsystem\n(S'true'\ntR.")  # a pickle
    with pytest.raises(InputError, match="damaged"):
        inducer.load(file)


def test_zip_bomb(saved: tuple[bytes, Any], file: Path) -> None:
    bomb = rewritten(
        saved[0],
        {"bomb.bin": bytes(50_000_000)},
        compression=zipfile.ZIP_DEFLATED,
    )
    assert len(bomb) < 100_000
    file.write_bytes(bomb)
    with pytest.raises(InputError, match="compressed"):
        inducer.load(file)


def test_parts_that_overlap(saved: tuple[bytes, Any], file: Path) -> None:
    """Two names for the same bytes: more comes out than the file holds."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        with zipfile.ZipFile(io.BytesIO(saved[0])) as old:
            for name in old.namelist():
                archive.writestr(name, old.read(name))
        archive.writestr("big.bin", bytes(40_000))
        for number in range(3):
            twin = zipfile.ZipInfo(f"twin{number}.bin")
            original = archive.getinfo("big.bin")
            for field in ("header_offset", "CRC", "file_size", "compress_size"):
                setattr(twin, field, getattr(original, field))
            archive.filelist.append(twin)
    file.write_bytes(out.getvalue())
    with pytest.raises(InputError, match="claims to hold"):
        inducer.load(file)


def array_node(node: Any) -> dict[str, Any]:
    """Return the first array in a tree of objects."""
    for part in node.values() if isinstance(node, dict) else node:
        if isinstance(part, dict) and part.get("type") == "numpy":
            return part
        if isinstance(part, (dict, list)) and (found := array_node(part)):
            return found
    return {}


def test_array_that_claims_to_be_huge(saved: tuple[bytes, Any], file: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(saved[0])) as archive:
        name = array_node(json.loads(archive.read("schema.json")))["file"]
    head = io.BytesIO()
    huge = {"descr": "<f8", "fortran_order": False, "shape": (2**40,)}
    np.lib.format.write_array_header_1_0(head, huge)
    file.write_bytes(rewritten(saved[0], {name: head.getvalue() + bytes(64)}))
    with pytest.raises(InputError, match="not as long as its header says"):
        inducer.load(file)


def test_pickled_array(saved: tuple[bytes, Any], file: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(saved[0])) as archive:
        name = array_node(json.loads(archive.read("schema.json")))["file"]
    pickled = io.BytesIO()
    np.save(pickled, np.array([{}, []], dtype=object), allow_pickle=True)
    file.write_bytes(rewritten(saved[0], {name: pickled.getvalue()}))
    with pytest.raises(InputError, match="holds objects"):
        inducer.load(file)


def test_array_that_is_an_archive(saved: tuple[bytes, Any], file: Path) -> None:
    """NumPy would open it, and what is in it may be compressed."""
    with zipfile.ZipFile(io.BytesIO(saved[0])) as archive:
        name = array_node(json.loads(archive.read("schema.json")))["file"]
    inner = io.BytesIO()
    np.savez_compressed(inner, a=np.zeros(10**6))
    file.write_bytes(rewritten(saved[0], {name: inner.getvalue()}))
    with pytest.raises(InputError, match="damaged"):
        inducer.load(file)


def list_of(parts: list[Any], name: int) -> dict[str, Any]:
    return {
        "__class__": "list",
        "__module__": "builtins",
        "__loader__": "ListNode",
        "__id__": name,
        "content": parts,
    }


def test_object_that_holds_itself(saved: tuple[bytes, Any], file: Path) -> None:
    def change(schema: dict[str, Any]) -> None:
        schema["content"]["content"]["steps"] = list_of([list_of([], 77)], 77)

    file.write_bytes(forged(saved, change))
    with pytest.raises(InputError, match="holds itself"):
        inducer.load(file)


def test_tree_that_doubles_at_every_level(saved: tuple[bytes, Any], file: Path) -> None:
    """60 levels of one and the same object twice: skops would go through 2^60 of them."""

    def change(schema: dict[str, Any]) -> None:
        node = list_of([], 1000)
        for level in range(1001, 1060):
            node = list_of([node, list_of([], level - 1)], level)
        schema["content"]["content"]["steps"] = node

    file.write_bytes(forged(saved, change))
    with pytest.raises(InputError, match="without end"):
        inducer.load(file)


def test_tree_that_is_too_deep(saved: tuple[bytes, Any], file: Path) -> None:
    def change(_: Any) -> bytes:
        return b'{"a":' * 100_000 + b"1" + b"}" * 100_000

    file.write_bytes(forged(saved, change))
    with pytest.raises(InputError, match="damaged"):
        inducer.load(file)


def test_sparse_node_of_skops_is_refused(file: Path) -> None:
    """It holds an archive of its own, compressed."""
    skops.io.dump(SimpleImputer(fill_value=sparse.eye_array(3, format="csr")), file)
    note = {"state_version": 1, "inducer": "0.1.0"}
    file.write_bytes(rewritten(file.read_bytes(), {"inducer.json": note}))
    with pytest.raises(InputError, match="sparse matrix, as we never write it"):
        inducer.load(file)


def test_unsound_sparse_matrix(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = sparse.csr_array(np.eye(3))
    matrix.indices[1] = 7
    inducer.save(Keeper(matrix), file)
    with pytest.raises(InputError, match="damaged"):
        inducer.load(file, trusted=KEEPER)


RAN: list[str] = []


def dangerous(*words: Any) -> None:
    RAN.append("dangerous")


@pytest.mark.parametrize(
    "loader", ["FunctionNode", "TypeNode", "ConstructorFromReduceNode", "ObjectNode", "ListNode"]
)
def test_code_in_a_file_does_not_run(loader: str, saved: tuple[bytes, Any], file: Path) -> None:
    RAN.clear()

    def change(schema: dict[str, Any]) -> None:
        schema["content"]["content"]["memory"] = {
            **list_of([], 78),
            "__class__": "dangerous",
            "__module__": __name__,
            "__loader__": loader,
            "content": list_of([], 79) if loader != "ListNode" else [],
        }

    file.write_bytes(forged(saved, change))
    with pytest.raises(InputError, match=rf"does not know: {__name__}\.dangerous"):
        inducer.load(file)
    assert not RAN


def test_file_that_holds_no_learner(saved: tuple[bytes, Any], file: Path) -> None:
    def change(schema: dict[str, Any]) -> dict[str, Any]:
        return {**list_of([], 5), "protocol": schema["protocol"]}

    file.write_bytes(forged(saved, change))
    with pytest.raises(InputError, match="holds a list, not a learner"):
        inducer.load(file)


# ---- versions -----------------------------------------------------------------------------------


def test_newer_state_is_refused_with_words(saved: tuple[bytes, Any], file: Path) -> None:
    note = {"state_version": _saving.STATE_VERSION + 1, "inducer": "9.8.7"}
    file.write_bytes(rewritten(saved[0], {"inducer.json": note}))
    with pytest.raises(InputError, match=r"saved by inducer 9\.8\.7.*Install a newer inducer"):
        inducer.load(file)


@pytest.mark.parametrize("version", [0, -1, True, "1", None, 1.0])
def test_senseless_state_version(version: Any, saved: tuple[bytes, Any], file: Path) -> None:
    note = {"state_version": version, "inducer": "0.1.0"}
    file.write_bytes(rewritten(saved[0], {"inducer.json": note}))
    with pytest.raises(InputError, match="damaged"):
        inducer.load(file)


def test_every_old_version_has_its_migration() -> None:
    assert set(_saving.MIGRATIONS) == set(range(1, _saving.STATE_VERSION))


def test_older_state_is_migrated_step_by_step(
    saved: tuple[bytes, Any], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rename(old: str, new: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
        def migrate(schema: dict[str, Any]) -> dict[str, Any]:
            words = json.dumps(schema)
            assert f'"{old}"' in words
            return json.loads(words.replace(f'"{old}"', f'"{new}"'))  # type: ignore[no-any-return]

        return migrate

    monkeypatch.setattr(_saving, "STATE_VERSION", 3)
    monkeypatch.setattr(
        _saving, "MIGRATIONS", {1: rename("coef_", "middle_"), 2: rename("middle_", "weights_")}
    )
    file.write_bytes(saved[0])
    again = inducer.load(file)
    assert_same(again[1].weights_, saved[1][1].coef_)
    assert not hasattr(again[1], "coef_")


# ---- the file system ----------------------------------------------------------------------------


def test_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Cannot write .*nowhere.*No such file or directory"):
        inducer.save(Perceptron(), tmp_path / "nowhere" / "model.skops")


def test_missing_file(file: Path) -> None:
    with pytest.raises(InputError, match=r"Cannot read .*model\.skops: No such file"):
        inducer.load(file)


def test_folder_instead_of_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        inducer.load(tmp_path)
    with pytest.raises(InputError, match="Cannot write"):
        inducer.save(Perceptron(), tmp_path)
    assert not any(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_pipe_instead_of_file(file: Path) -> None:
    os.mkfifo(file)
    with pytest.raises(InputError, match="no ordinary file"):
        inducer.load(file)
    with pytest.raises(InputError, match=r"Cannot write .* a device or a pipe"):
        inducer.save(Perceptron(), file)
    assert file.is_fifo()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_file_without_permission(file: Path) -> None:
    inducer.save(Perceptron(), file)
    file.chmod(0)
    with pytest.raises(InputError, match="Permission denied"):
        inducer.load(file)


@pytest.mark.parametrize("path", [None, 3, 1.5, ["a"], "a\0b", b"a\0b"])
def test_not_a_path(path: Any) -> None:
    with pytest.raises(ParameterError, match="path"):
        inducer.save(Perceptron(), path)
    with pytest.raises(ParameterError, match="path"):
        inducer.load(path)


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_failure_leaves_the_old_file(
    step: str, error: BaseException, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inducer.save(Perceptron(max_iter=1), file)
    before = file.read_bytes()

    def fail(*_: Any) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(*((os, "fsync", fail) if step == "fsync" else (Path, "replace", fail)))
        with pytest.raises((InputError, KeyboardInterrupt)) as caught:
            inducer.save(Perceptron(max_iter=2), file)
    if isinstance(error, OSError):
        assert "No space left on device" in str(caught.value)
    assert file.read_bytes() == before
    assert [*file.parent.iterdir()] == [file]


def test_the_file_is_on_disk_before_it_gets_its_name(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    fsync, replace = os.fsync, Path.replace
    monkeypatch.setattr(os, "fsync", lambda handle: (steps.append("fsync"), fsync(handle))[1])
    monkeypatch.setattr(Path, "replace", lambda a, b: (steps.append("replace"), replace(a, b))[1])
    inducer.save(Perceptron(), file)
    assert steps[:2] == ["fsync", "replace"]
    assert [*file.parent.iterdir()] == [file]


@pytest.mark.skipif(os.name != "posix", reason="modes and links of POSIX")
def test_mode_and_link_are_kept(tmp_path: Path) -> None:
    real, link = tmp_path / "real.skops", tmp_path / "link.skops"
    mask = os.umask(0o022)
    try:
        inducer.save(Perceptron(max_iter=1), real)
    finally:
        os.umask(mask)
    assert stat.S_IMODE(real.stat().st_mode) == 0o644
    real.chmod(0o600)
    link.symlink_to(real)
    inducer.save(Perceptron(max_iter=2), link)
    assert link.is_symlink()
    assert inducer.load(real).max_iter == 2
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
