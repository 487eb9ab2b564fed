# Five commands; each sets up what it needs in .venv, and does its job.
#   make study   train the perceptron family on the bundled heart table and compare
#   make test    every test: Python, C++ under sanitizers, doctests
#   make bench   time us and our peers, and print the ratios
#   make docs    build the documentation into docs/_build/html
#   make lint    ruff, mypy, import-linter, clang-format

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/stamps
JOBS ?= $(shell nproc)

CPP_SOURCES := $(shell find cpp/include cpp/src bindings -name '*.h' -o -name '*.cpp') CMakeLists.txt
CPP_FILES := $(shell find cpp bindings -name '*.h' -o -name '*.cpp')

.PHONY: study test bench docs lint format clean
.DEFAULT_GOAL := study

$(STAMP)/venv: pyproject.toml
	@mkdir -p $(STAMP)
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --group build
	@touch $@

# The package itself: editable, so that only a change of the core builds again.
$(STAMP)/inducer: $(STAMP)/venv $(CPP_SOURCES)
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable .
	@touch $@

$(STAMP)/group-%: $(STAMP)/venv pyproject.toml
	$(BIN)/python -m pip install --quiet --group $*
	@touch $@

study: $(STAMP)/inducer
	$(BIN)/inducer study heart

test: $(STAMP)/inducer $(STAMP)/group-test $(STAMP)/cpp-tests $(STAMP)/cpp-sanitize $(STAMP)/cpp-thread
	$(BIN)/python -m pytest --numprocesses $(JOBS) --dist worksteal

# The C++ tests: for every instruction set; and for one of them (the build's default where there is
# no v3) under the sanitizers, once with a Python module for the fuzz test.
LEVEL := $(shell grep -qw avx2 /proc/cpuinfo 2>/dev/null && echo v3)
$(STAMP)/cpp-tests: OPTIONS := -DINDUCER_PYTHON=OFF
$(STAMP)/cpp-sanitize: OPTIONS := -DINDUCER_LEVELS=$(LEVEL) -DINDUCER_SANITIZE=address,undefined \
	-DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python
$(STAMP)/cpp-thread: OPTIONS := -DINDUCER_LEVELS=$(LEVEL) -DINDUCER_SANITIZE=thread \
	-DINDUCER_PYTHON=OFF
$(STAMP)/cpp-%: $(STAMP)/venv $(CPP_SOURCES) $(CPP_FILES)
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake --fresh -S . -B build/$* -G Ninja \
		-DINDUCER_DEVELOPER=ON -DINDUCER_TESTS=ON $(OPTIONS)
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build build/$* --parallel $(JOBS)
	@touch $@

bench: $(STAMP)/inducer $(STAMP)/group-bench
	$(BIN)/python -m benchmarks

docs: $(STAMP)/inducer $(STAMP)/group-docs
	rm -rf docs/api/generated  # a page of a name that is gone would fail
	$(BIN)/python -m sphinx -W --keep-going --quiet --fresh-env -b html docs docs/_build/html

lint: $(STAMP)/inducer $(STAMP)/group-lint
	$(BIN)/python tools/stubs.py
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/clang-format --dry-run --Werror $(CPP_FILES)

format: $(STAMP)/group-lint
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(CPP_FILES)

clean:
	rm -rf build .venv docs/_build src/inducer/_core
