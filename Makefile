# `make demo` and `make test` need Python 3.11 or later and nothing else; all goes into .venv.
PYTHON ?= python3
BIN := .venv/bin
SETUP := .venv/.installed
DOCS_SETUP := .venv/.docs-installed

.PHONY: help demo test lint docs bench reproduce clean

help:
	@echo "make demo       set up .venv and run the main job on generated data; see demo.html"
	@echo "make test       set up .venv and run the tests"
	@echo "make lint       ruff, mypy on the core, import layers"
	@echo "make docs       build the pages and the gallery into docs/_build/html"
	@echo "make bench      speed and memory, as ratios measured side by side"
	@echo "make reproduce  the papers' tables and the comparisons on real data (minutes)"

$(SETUP): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $@

demo: $(SETUP)
	$(BIN)/fewest demo --report demo.html

test: $(SETUP)
	$(BIN)/python -m pytest

lint: $(SETUP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

$(DOCS_SETUP): $(SETUP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[docs]"
	@touch $@

docs: $(DOCS_SETUP)
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html

bench: $(SETUP)
	$(BIN)/python -m benchmarks

reproduce: $(SETUP)
	$(BIN)/python -m benchmarks.reproduce
	$(BIN)/python -m benchmarks.liknon_selection
	$(BIN)/python -m benchmarks.leukemia_repetitive
	$(BIN)/python -m benchmarks.real_data
	$(BIN)/python -m benchmarks.chance
	$(BIN)/python -m benchmarks.leave_one_out
	$(BIN)/python -m benchmarks.baselines
	$(BIN)/python -m benchmarks.minimum
	$(BIN)/python -m benchmarks.potential
	$(BIN)/python -m benchmarks.informative
	$(BIN)/python -m benchmarks.whole_brain
	$(BIN)/python -m benchmarks.brain_regions
	$(BIN)/python -m benchmarks.haxby

clean:
	rm -rf .venv build dist docs/_build docs/gallery docs/api/generated .pytest_cache .mypy_cache .ruff_cache .hypothesis
