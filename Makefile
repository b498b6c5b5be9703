# Needs make and python3 >= 3.11 with venv; everything else is set up in .venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
WORKERS ?= 2
SITE ?= site

.PHONY: play serve test check bench docs wheel clean help
.DEFAULT_GOAL := help

help: ## Show what there is to make
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

# Two stamps: people who play do not install what only the checks need.
$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Kaguraden needs Python 3.11 or newer; set PYTHON=…")'
	@echo "setting up $(VENV) …"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.checks: $(VENV)/.installed
	@echo "adding what the checks need …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

$(VENV)/.docs: $(VENV)/.installed
	@echo "adding what the documentation needs …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@

play: $(VENV)/.installed ## Play odoriko against three bots in this terminal
	@$(BIN)/kaguraden play --bots 3 $(ARGS)

serve: $(VENV)/.installed ## Host games for the local network, on port 8765
	@$(BIN)/kaguraden serve --lan $(ARGS)

test: check ## Run all checks and tests
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal $(ARGS)

check: $(VENV)/.checks ## Run the linter, the formatter's check and the type checker
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.checks ## Measure the rules, or with ARGS=load the server under load
	$(BIN)/python -m tests.bench $(ARGS)

docs: $(VENV)/.docs ## Build the documentation site into site/
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --site-dir $(SITE)
	@echo "$(SITE)/index.html"

wheel: $(VENV)/.checks ## Build the wheel into dist/
	$(BIN)/python -m build --quiet --wheel

clean: ## Remove what the other targets made
	rm -rf $(VENV) dist build $(SITE) .mypy_cache .ruff_cache .pytest_cache .hypothesis
