# `make demo` and `make test` need Python 3.11 or later and nothing else; all goes into .venv.
PYTHON ?= python3
BIN := .venv/bin
SETUP := .venv/.installed
DOCS_SETUP := .venv/.docs-installed
REPRODUCE_SETUP := .venv/.reproduce-installed
COMPARE_SETUP := .venv/.compare-installed

MINIMUM_SETUP := .venv-min/.installed
# One process per core: further threads for linear algebra would only wait for each other.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadgroup --durations=25

.PHONY: help demo test test-all fuzz fuzz-tests test-minimum coverage lint docs locked lock package bench size reproduce compare clean

help:
	@echo "make demo          set up .venv and run the main job on generated data; see demo.html"
	@echo "make test          set up .venv and run the tests, but for the slow ones"
	@echo "make test-all      the slow tests too"
	@echo "make fuzz          random programs, minima, files and kills against oracles; TIME=3600"
	@echo "make fuzz-tests    tests on random cases, with many more of them"
	@echo "make test-minimum  the tests with the lowest versions that pyproject.toml declares"
	@echo "make coverage      branch coverage of the package"
	@echo "make lint          ruff, mypy on the whole package, import layers"
	@echo "make docs          build the pages and the gallery into docs/_build/html"
	@echo "make locked        set up .venv from the lock file, as CI does (Python 3.11, Linux x86-64)"
	@echo "make lock          renew the lock files"
	@echo "make package       build sdist and wheel, twice and equal; use the wheel in an empty environment"
	@echo "make bench         speed and memory, as ratios measured side by side, beside the last run"
	@echo "make size          lines of code per room; SINCE=REVISION compares"
	@echo "make reproduce     published tables and figures beside ours (two hours)"
	@echo "make compare       comparisons with other methods on real and generated data (hours)"

$(SETUP): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $@

demo: $(SETUP)
	$(BIN)/fewest demo --report demo.html

test: $(SETUP)
	$(PYTEST) -m "not slow"

test-all: $(SETUP)
	$(PYTEST)

# Random cases of every kind against oracles, for TIME seconds; SEED=N repeats a run, JOBS=N says
# how many processes (default: one per core).
TIME ?= 60
fuzz: $(SETUP)
	$(BIN)/python -m fuzzing --seconds $(TIME) $(if $(SEED),--seed $(SEED)) $(if $(JOBS),--jobs $(JOBS))

# The tests on random cases: twenty times as many, and others each time.
fuzz-tests: $(SETUP)
	FEWEST_FUZZ=20 $(PYTEST) -m "fuzz or hypothesis"

# From wheels only, with Python 3.11: the oldest of everything.
$(MINIMUM_SETUP): pyproject.toml .ci/minimum_versions.py
	$(PYTHON) -m venv .venv-min
	.venv-min/bin/python .ci/minimum_versions.py > .venv-min/constraints.txt
	.venv-min/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: \
		--constraint .venv-min/constraints.txt --editable ".[test]"
	@touch $@

test-minimum: $(MINIMUM_SETUP)
	.venv-min/bin/python -m pytest -n auto --dist loadgroup -m "not slow"

# Coverage cannot look into functions that numba compiles: their tests on small data run a second
# time, uncompiled.
UNCOMPILED := tests/filters tests/minimum/test_exact.py tests/minimum/test_pairs.py \
	tests/minimum/test_search.py tests/solvers/box_lasso/test_box_lasso_parts.py \
	tests/solvers/linear/test_walk.py tests/solvers/test_svm.py

coverage: $(SETUP)
	$(PYTEST) -m "not slow" --cov --cov-report=
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(UNCOMPILED) -k "not newton_is_given" \
		--cov --cov-append --cov-report=term-missing:skip-covered

lint: $(SETUP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

$(DOCS_SETUP): $(SETUP)
	@echo "Installing what the pages are built with, once."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[docs]"
	@touch $@

# Sphinx says which page, and the gallery which script, it is at: all of it takes some minutes.
docs: $(DOCS_SETUP)
	@echo "Building the pages and running the scripts of the gallery: some minutes."
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html
	@echo "The pages are in docs/_build/html. Open $(CURDIR)/docs/_build/html/index.html"

# For tests, lint and documentation; the lock file is for Python 3.11 on Linux x86-64. It names all
# packages: with their dependencies, pip would ask for newer ones of those that have extras.
locked:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --no-deps \
		--require-hashes -r .ci/requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps \
		--no-build-isolation --editable .
	@touch $(SETUP) $(DOCS_SETUP)

lock: $(SETUP)
	$(BIN)/python .ci/lock.py

package: $(SETUP)
	$(BIN)/python .ci/package.py

bench: $(SETUP)
	$(BIN)/python -m benchmarks

size: $(SETUP)
	$(BIN)/python -m benchmarks.code_size $(if $(SINCE),--since $(SINCE))

$(REPRODUCE_SETUP): $(SETUP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[reproduce]"
	@touch $@

# NAME: the name of a table or figure, or the beginning of several; QUICK=1: few runs of each.
reproduce: $(REPRODUCE_SETUP)
	$(BIN)/python -m reproductions $(NAME) $(if $(QUICK),--quick)

$(COMPARE_SETUP): $(SETUP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[compare]"
	@touch $@

compare: $(COMPARE_SETUP)
	$(BIN)/python -m benchmarks.liknon_selection
	$(BIN)/python -m benchmarks.real_data
	$(BIN)/python -m benchmarks.probabilities
	$(BIN)/python -m benchmarks.chance
	$(BIN)/python -m benchmarks.verdict
	$(BIN)/python -m benchmarks.baselines
	$(BIN)/python -m benchmarks.minimum
	$(BIN)/python -m benchmarks.error_front
	$(BIN)/python -m benchmarks.informative
	$(BIN)/python -m benchmarks.whole_brain
	$(BIN)/python -m benchmarks.brain_regions
	$(BIN)/python -m benchmarks.haxby
	$(BIN)/python -m benchmarks.many_classes

clean:
	rm -rf .venv .venv-min .coverage build dist docs/_build docs/gallery docs/api/generated .pytest_cache .mypy_cache .ruff_cache .hypothesis
