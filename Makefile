# make test is the one test command; it makes its own environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BENCH := .venv-bench

.PHONY: demo serve-demo test test-all debian-packages lint format docs bench clean help

help:
	@echo "make demo      rank the example campaign: table, head-to-head, plot, audit, report"
	@echo "make serve-demo serve a bundled campaign: the judge's page and the organiser's"
	@echo "make test      the tests"
	@echo "make test-all  the tests, the slow ones too, and the documentation"
	@echo "make lint      ruff and mypy"
	@echo "make docs      the documentation, into docs/_build/html"
	@echo "make bench     the benchmarks, in an environment of their own"

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

$(VENV)/.docs: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

$(BENCH)/.ready: pyproject.toml
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --upgrade pip
	$(BENCH)/bin/python -m pip install --quiet --editable '.[bench]'
	touch $@

demo: $(VENV)/.ready
	$(BIN)/palmares describe examples/campaign.csv
	@echo
	mkdir -p demo-output
	$(BIN)/palmares rank examples/campaign.csv --plot demo-output/rank-ranges.svg
	@echo
	$(BIN)/palmares head-to-head examples/campaign.csv
	@echo
	$(BIN)/palmares audit examples/campaign.csv
	@echo
	$(BIN)/palmares report examples/campaign.csv -o demo-output/campaign/ --compare bradley-terry --compare trueskill
	@echo "a finished campaign, with its report, tables and plots: open $(CURDIR)/demo-output/campaign/index.html"

serve-demo: $(VENV)/.ready
	$(BIN)/palmares serve --demo

test: $(VENV)/.ready debian-packages
	$(BIN)/python -m pytest -n auto -m "not slow"

test-all: $(VENV)/.ready debian-packages lint docs
	$(BIN)/python -m pytest -n auto

debian-packages:
	tests/debian-packages

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.docs
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html

bench: $(BENCH)/.ready
	$(BENCH)/bin/python -m benchmarks

clean:
	rm -rf $(VENV) $(BENCH) build dist docs/_build demo-output .pytest_cache .mypy_cache .ruff_cache
