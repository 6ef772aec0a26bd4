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

.PHONY: help demo test docs lint types bench train soak torture paper paper-quick sanitize wheel free-threaded cross clean

help:
	@echo "make demo      cluster a file from the command line, and a stream; print tables, write pictures"
	@echo "make test      run all tests"
	@echo "make docs      build the site into build/docs/html, with all examples run and links checked"
	@echo "make lint      check style (ruff, clang-format)"
	@echo "make types     check types (mypy, strict)"
	@echo "make bench     measure against artlib, river, scikit-learn and hdbscan (long)"
	@echo "make train     train the choice of DensityART again, into build/training (an hour)"
	@echo "make soak      send 20 million rows through resonart stream, three times, and watch memory and pace (three quarters of an hour)"
	@echo "make torture   attack files, streams, threads and memory for an hour; goes on where it stopped"
	@echo "make paper     repeat the experiments of the DDVFA paper, and write paper/README.md (hours)"
	@echo "make paper-quick  the same on made data in build/paper-quick (seconds)"
	@echo "make sanitize  run the engine's tests and two attacks with address and undefined-behaviour sanitizers"
	@echo "make wheel     build sdist and wheels; install and try them in fresh environments without a compiler"
	@echo "make free-threaded  put together a Python without the GIL; build its wheel, run the tests of threads"
	@echo "make cross     compile the engine for other systems (aarch64, Windows, musl, macOS), by zig"
	@echo "make clean     remove everything that was made"

$(VENV)/.tools: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "resonart needs Python 3.11 or later: make PYTHON=python3.x ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --group build --group test --group lint
	touch $@

$(VENV)/.installed: $(VENV)/.tools $(ENGINE)
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable ".[plot,cli]"
	touch $@

demo: $(VENV)/.installed
	$(BIN)/python examples/demo.py

# The second time, whatever searches boxes does so by the index, however few they are.
NO_SEARCH := architecture benchmarks cli_app cli_commands cli_files cli_parts damaged_files dask datasets demo density_benchmarks density_choice density_tree distributed docs drift_benchmarks escape explore explore_page \
  failing_allocations forks full_disk in_blocks index io_read io_write joblib_backends lacking_threads live_rows nothing_lost outliers \
  outside packaging parameters plot readme removal require search_costs show soak stream stream_that_forgets stub suite text_tables torture times training undo vat
test: $(VENV)/.installed
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal src/resonart --doctest-modules
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal tests
	RESONART_INDEX=on RESONART_TEST_PROFILE=quick $(BIN)/python -m pytest --numprocesses 2 --dist worksteal tests \
	  --ignore=tests/paper $(foreach name,$(NO_SEARCH),--ignore=tests/test_$(name).py)

# Warnings are errors. RESONART_DOCS=quick leaves the examples unrun, as tests/test_docs.py does.
docs: $(VENV)/.installed
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --jobs auto --builder html docs build/docs/html
	@echo "the site: build/docs/html/index.html"

lint: $(VENV)/.tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(shell find cpp -name '*.?pp')

types: $(VENV)/.tools
	$(BIN)/mypy

# (pyclustertend asks for old versions of what is here already, and runs with the new ones.)
bench: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --group bench
	$(BIN)/python -m pip install --quiet --no-deps pyclustertend
	$(BIN)/python -m benchmarks.run

# What is made is kept in build/training: stopped at any time, it goes on from there.
train: $(VENV)/.installed
	$(BIN)/python -m training

soak: $(VENV)/.installed
	$(BIN)/python -m benchmarks.soak --out build/soak

# MINUTES=600 make torture: longer; what was tried is kept in build/torture.
torture: $(VENV)/.installed
	PYTHONPATH=tests $(BIN)/python -m torture --minutes $(or $(MINUTES),60)

# What is done is kept in paper/.runs: stopped at any time, it goes on from there.
paper: $(VENV)/.installed
	$(BIN)/python -m paper run
	$(BIN)/python -m paper report

paper-quick: $(VENV)/.installed
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
sanitize: $(VENV)/.installed
	rm -rf $(SANITIZED)
	$(BIN)/python -m venv $(SANITIZED)
	$(BIN)/python -c 'import sys; print(*(p for p in sys.path if p.endswith("site-packages")), sep="\n")' \
	  > $$($(SANITIZED)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/shared.pth
	RESONART_SANITIZE=ON PATH="$(abspath $(BIN)):$$PATH" $(SANITIZED)/bin/python -m pip install --quiet --no-build-isolation --no-deps .
	$(WATCHED) $(SANITIZED)/bin/python -m pytest -p no:cacheprovider --numprocesses 2 --dist worksteal \
	  -m "not subprocess" $(SANITIZED_TESTS:%=tests/test_%.py)
	$(WATCHED) PYTHONPATH=tests $(SANITIZED)/bin/python -m torture --only calls --only forged --minutes 2 \
	  --out $(SANITIZED)/torture

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
