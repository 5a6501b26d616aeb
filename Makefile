# Two commands: `make demo` to see it, `make check` to test it. Each makes its own .venv from
# nothing but Python 3.11 and the package registry, once.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo check format schemas lint types imports docs test bench clean

demo: $(VENV)/.installed
	$(BIN)/bwb demo

check: $(VENV)/.installed-dev lint types imports docs test

format: $(VENV)/.installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Regenerate what is derived from the records; a test fails if it was forgotten.
schemas: $(VENV)/.installed-dev
	$(BIN)/python -c "from pathlib import Path; from bwb.schema import write_schemas; write_schemas(Path('schemas'))"

lint: $(VENV)/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

imports: $(VENV)/.installed-dev
	$(BIN)/lint-imports

# The warning is of the theme, about a version of MkDocs that is not asked for.
docs: $(VENV)/.installed-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

test: $(VENV)/.installed-dev
	$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder

bench: $(VENV)/.installed-dev
	for script in benchmarks/*.py; do $(BIN)/python $$script; done

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("bwb needs Python 3.11 or later; this is %d.%d (make PYTHON=python3.11 …)" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) site dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
