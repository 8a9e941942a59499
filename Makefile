PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: help env demo test test-slow lint bench clean

help:  ## Say what each target does
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

env: $(INSTALLED)  ## Make the environment in .venv

$(INSTALLED): pyproject.toml constraints.txt
	@echo "Installing Taskfoundry and what it needs into $(VENV): once, for one to five minutes, without a word"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: env  ## Build the demo dataset in out/demo (no key, no Docker, no network)
	$(BIN)/taskfoundry build examples/demo/config.yaml -o out/demo

test: env  ## Run the tests that every change must pass
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not slow and not network" tests

test-slow: env  ## Run the slow tests and those that need a package index
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "slow or network" tests

lint: env  ## Check style, types and import directions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: env  ## Print the speed ratios of the sandbox, mutation and dedup
	$(BIN)/python benchmarks/sandbox.py
	for name in suites mutation dedup; do $(BIN)/python -m benchmarks.$$name; done

clean:  ## Remove the environment and all output
	rm -rf $(VENV) out build dist .cache
