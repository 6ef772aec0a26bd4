# Everything runs in .venv, which is made on first use and rebuilt when its inputs change.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

# Where the 30 benchmark data sets lie, for the tests that use them; unset, those are skipped.
DATASETS := $(abspath $(wildcard ../shared/datasets))
ifneq ($(DATASETS),)
export RESONART_DATA ?= $(DATASETS)
endif
# Where more labelled sets lie, which the choice of DensityART is trained and measured on.
POOL := $(abspath $(wildcard ../shared/pool))
ifneq ($(POOL),)
export RESONART_POOL ?= $(POOL)
endif
# Where labelled streams that change lie, which forgetting is measured on.
STREAMS := $(abspath $(wildcard ../shared/streams))
ifneq ($(STREAMS),)
export RESONART_STREAMS ?= $(STREAMS)
endif
# Where real tables lie, on which the steadiness of DensityART is measured.
TABLES := $(abspath $(wildcard ../shared/tables))
ifneq ($(TABLES),)
export RESONART_TABLES ?= $(TABLES)
endif

ENGINE := CMakeLists.txt $(shell find cpp -type f)

.PHONY: help demo check test test-all test-index test-also test-project docs lint types bench train soak attacks paper paper-quick sanitize wheel free-threaded cross clean

help:
	@echo "make demo      cluster a file from the command line, and a stream; print tables, write pictures"
	@echo "make check     lint, types, and the core's tests with few examples: a minute, before every commit"
	@echo "make test      run the tests of the product (minutes)"
	@echo "make test-all  also with the index always on; browsers, notebooks, docs, packaging, attacks; paper, benchmarks, training"
	@echo "make docs      build the site into build/docs/html, with all examples run and links checked"
	@echo "make lint      check style (ruff, clang-format)"
	@echo "make types     check types (mypy, strict)"
	@echo "make bench     measure against artlib, river, scikit-learn and hdbscan (long)"
	@echo "make train     train the choice of DensityART again, into build/training (an hour)"
	@echo "make soak      send 20 million rows through resonart stream, three times, and watch memory and pace (three quarters of an hour)"
	@echo "make attacks   attack files, streams, threads and memory for an hour; goes on where it stopped"
	@echo "make paper     repeat the experiments of the DDVFA paper, and write paper/README.md (hours)"
	@echo "make paper-quick  the same on made data in build/paper-quick (seconds)"
	@echo "make sanitize  run the engine's tests and two attacks with address and undefined-behaviour sanitizers"
	@echo "make wheel     build sdist and wheels; install and try them in fresh environments without a compiler"
	@echo "make free-threaded  put together a Python without the GIL; build its wheel, run the tests of threads"
	@echo "make cross     compile the engine for other systems (aarch64, Windows, musl, macOS), by zig"
	@echo "make clean     remove everything that was made"

# uv installs faster than pip, and shares files between environments; neither is needed.
UV := $(shell command -v uv)
INSTALL := $(if $(UV),$(UV) pip install --quiet --python $(BIN)/python,$(BIN)/python -m pip install --quiet)
# Two installs into one environment at the same time would break it.
.NOTPARALLEL:

# One stamp for each kind of work, so that nobody waits for packages that the work does not need.
# The groups are in pyproject.toml.
$(VENV)/.made:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "resonart needs Python 3.11 or later: make PYTHON=python3.x ...")'
	$(if $(UV),$(UV) venv --quiet --clear --seed --python $(PYTHON) $(VENV),$(PYTHON) -m venv $(VENV))
	$(INSTALL) --upgrade "pip>=25.1"
	touch $@

$(VENV)/.run: $(VENV)/.made pyproject.toml $(ENGINE)
	$(INSTALL) --group build
	$(INSTALL) --no-build-isolation --editable ".[plot,cli]"
	touch $@

$(VENV)/.%: $(VENV)/.made pyproject.toml
	$(INSTALL) --group $*
	touch $@

demo: $(VENV)/.run
	$(BIN)/python examples/demo.py

PYTEST := $(BIN)/python -m pytest --numprocesses 2 --dist worksteal
# What make test leaves to make test-all: the markers are in pyproject.toml.
ALSO := browser or notebook or docs or packaging or attacks or thorough

# Before every commit, in a minute: the core, with a few examples for each property, on made rows.
check: lint types $(VENV)/.run $(VENV)/.test
	RESONART_DATA= RESONART_POOL= RESONART_STREAMS= RESONART_TABLES= RESONART_TEST_PROFILE=check $(PYTEST) -m "not subprocess and not long and not ($(ALSO))" \
	  $(patsubst %,tests/%,engine rows estimators reports model_files merging)

# The product: all that its users rely on.
test: $(VENV)/.run $(VENV)/.test
	$(PYTEST) --doctest-modules src/resonart
	$(PYTEST) -m "not ($(ALSO))" tests

test-all: test test-index test-also test-project

# Once more with the index: whatever searches boxes does so by it, however few they are.
test-index: $(VENV)/.run $(VENV)/.test
	RESONART_INDEX=on RESONART_TEST_PROFILE=quick $(PYTEST) -m "searches_boxes and not ($(ALSO))" tests

test-also: $(VENV)/.run $(VENV)/.test-all
	$(PYTEST) -m "$(ALSO)" tests

# What lies beside the product.
test-project: $(VENV)/.run $(VENV)/.test-all
	$(PYTEST) paper/tests benchmarks/tests training/tests

# Warnings are errors. RESONART_DOCS=quick leaves the examples unrun, as tests/repository/test_docs.py does.
docs: $(VENV)/.run $(VENV)/.docs
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --jobs auto --builder html docs build/docs/html
	@echo "the site: build/docs/html/index.html"

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PYTHONPATH=src $(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/clang-format --dry-run --Werror $(shell find cpp -name '*.?pp')

types: $(VENV)/.types
	$(BIN)/mypy

# (pyclustertend asks for old versions of what is here already, and runs with the new ones.)
bench: $(VENV)/.run $(VENV)/.bench
	$(INSTALL) --no-deps pyclustertend
	$(BIN)/python -m benchmarks.run

# What is made is kept in build/training: stopped at any time, it goes on from there.
train: $(VENV)/.run $(VENV)/.paper
	$(BIN)/python -m training

soak: $(VENV)/.run
	$(BIN)/python -m benchmarks.soak --out build/soak

# MINUTES=600 make attacks: longer; what was tried is kept in build/attacks.
attacks: $(VENV)/.run $(VENV)/.test
	PYTHONPATH=tests $(BIN)/python -m attacks --minutes $(or $(MINUTES),60)

# What is done is kept in paper/.runs: stopped at any time, it goes on from there.
paper: $(VENV)/.run $(VENV)/.paper
	$(BIN)/python -m paper run
	$(BIN)/python -m paper report

paper-quick: $(VENV)/.run $(VENV)/.paper
	$(BIN)/python -m paper run --quick
	$(BIN)/python -m paper report --quick

# A second environment that shares the first one's packages but has its own, sanitized engine. After
# the tests, a minute of random calls and a minute of forged files.
SANITIZED := build/sanitize
SANITIZED_TESTS := against_reference auto bad_input bounds copies damaged_files density_art density_choice density_tree \
  diary engine forgetting index input_kinds invariants many_categories max_categories merging nothing_lost one_moment \
  removal sweep topo_art transform undo vat
WATCHED := RESONART_TEST_PROFILE=quick ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
  LD_PRELOAD="$$($${CXX:-c++} -print-file-name=libasan.so) $$($${CXX:-c++} -print-file-name=libstdc++.so)"
sanitize: $(VENV)/.run $(VENV)/.test
	rm -rf $(SANITIZED)
	$(BIN)/python -m venv $(SANITIZED)
	$(BIN)/python -c 'import sys; print(*(p for p in sys.path if p.endswith("site-packages")), sep="\n")' \
	  > $$($(SANITIZED)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/shared.pth
	RESONART_SANITIZE=ON PATH="$(abspath $(BIN)):$$PATH" $(SANITIZED)/bin/python -m pip install --quiet --no-build-isolation --no-deps .
	$(WATCHED) $(SANITIZED)/bin/python -m pytest -p no:cacheprovider --numprocesses 2 --dist worksteal \
	  -m "not subprocess" $(wildcard $(SANITIZED_TESTS:%=tests/*/test_%.py))
	$(WATCHED) PYTHONPATH=tests $(SANITIZED)/bin/python -m attacks --only calls --only forged --minutes 2 \
	  --out $(SANITIZED)/attacks

# Tools of their own: nothing but them is needed, not even the engine.
RELEASE := build/release
$(RELEASE)/.tools: pyproject.toml
	$(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(RELEASE)/bin/python -m pip install --quiet --group release
	touch $@

# ONLY="3.12 3.13" make wheel: with these Pythons alone.
wheel: $(RELEASE)/.tools
	$(RELEASE)/bin/python packaging/wheel.py $(if $(ONLY),--only $(ONLY))

free-threaded: $(RELEASE)/.tools
	$(RELEASE)/bin/python packaging/free_threaded.py

cross: $(RELEASE)/.tools
	$(RELEASE)/bin/python -m pip install --quiet --group cross
	$(RELEASE)/bin/python packaging/cross.py

clean:
	rm -rf docs/gallery docs/generated docs/repository
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis resonart-demo.png resonart-demo-iris.png
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
