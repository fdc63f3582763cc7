# Two commands are the whole workflow: `make check` and `make test`. Each target makes its own virtual environment, of
# the versions that constraints.txt names.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
MODELS := .venv-models
DEMO := build/demo

# Tests start Python hundreds of times: let it keep what it compiled.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-all test-models lock check format bench answers pictures clean

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $(READY)

# Write constraints.txt anew: the newest versions that pyproject.toml allows, as a clean install with PYTHON takes them.
lock:
	rm -rf build/lock
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet --upgrade pip
	build/lock/bin/python -m pip install --quiet --editable '.[dev]'
	echo '# The versions that a clean `make` installs; `make lock` writes this file anew.' > constraints.txt
	build/lock/bin/python -m pip freeze --exclude-editable >> constraints.txt
	rm -rf build/lock

# Index the example vault in a copy, so that the checkout stays clean, and show what a person can do with it.
demo: $(READY)
	BIN=$(BIN) DEMO=$(DEMO) sh examples/demo.sh

# The tests on every core, in a shuffled order: the run prints its seed, and ARGS=--randomly-seed=N repeats that order.
# `make test` samples the moments of the crash tests and the generated examples, and has a fast embedder index the
# example vault. `make test-all` leaves nothing out. ARGS are more words for pytest, as in: make test ARGS="-k walk".
ARGS ?=
PYTEST := $(BIN)/python -m pytest --numprocesses auto --dist worksteal
test: $(READY)
	$(PYTEST) $(ARGS)

test-all: $(READY)
	$(PYTEST) --full $(ARGS)

# The libraries of the extras, loaded on tiny models that the tests make. TORCH says which PyTorch to install: where the
# package index gives a build for GPUs, several gigabytes large, add the index of the builds for processors to it.
TORCH ?= torch==2.13.0
$(MODELS)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(MODELS)
	$(MODELS)/bin/python -m pip install --quiet --upgrade pip
	$(MODELS)/bin/python -m pip install --quiet $(TORCH)
	$(MODELS)/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[flagembedding,fastembed]' 'pytest>=8.3' 'pytest-timeout>=2.3' onnx
	touch $@

test-models: $(MODELS)/.ready
	HF_HUB_OFFLINE=1 $(MODELS)/bin/python -m pytest tests/models tests/contract/test_embedders.py tests/contract/test_rerankers.py

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# VAULT is the vault to measure on.
VAULT ?= examples/vault
bench: $(READY)
	$(BIN)/python benchmarks/index.py $(VAULT)
	$(BIN)/python benchmarks/search.py $(VAULT) --queries examples/questions.jsonl
	$(BIN)/python benchmarks/reasoning.py

# docs/answers.md: what the questions of examples/asked.txt are answered with, to be read through.
answers: $(READY)
	$(BIN)/python examples/answers.py

# The pictures of the documentation, from a copy of the example vault.
pictures: $(READY)
	$(BIN)/python docs/pictures/make.py

clean:
	rm -rf $(VENV) $(MODELS) build
