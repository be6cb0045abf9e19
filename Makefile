# make demo    set up everything and run the main job
# make test    set up everything and run all tests
# make check   style, types, architecture and docs
# make lint    style and types alone
# make bench   measure against peers and floors, and write benchmarks/RESULTS.md
# make soak    kill the server a hundred times while simulated people work, or a panel or coders vote and lock, on SQLite and on PostgreSQL
# make fix     format and mend what can be mended by itself
# make lock    write anew which versions are installed, with their hashes

VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
INTEROP_VENV ?= .venv-interop
INTEROP_INSTALLED := $(INTEROP_VENV)/.installed
INTEROP_TESTS := tests/formats/exports/test_croissant.py tests/workflows/exports/test_draw_exports.py tests/workflows/exports/test_exports.py
BENCH_VENV ?= .venv-bench
BENCH_INSTALLED := $(BENCH_VENV)/.installed

.PHONY: install environments demo test test-scripts test-interop translate check check-tree lint lint-python lint-scripts bench soak fix lock screenshots clean

# Tests start many processes: what each of them loads is compiled once, whatever the environment says.
unexport PYTHONDONTWRITEBYTECODE

install: $(INSTALLED)

$(INSTALLED): pyproject.toml locks/dev.txt scripts/make_venv.sh
	@bash scripts/make_venv.sh $(VENV) dev
	@touch $@

# The readers of other programs, with which exports are tested. They need an older NumPy, so they have an environment of their own.
$(INTEROP_INSTALLED): pyproject.toml locks/interop.txt scripts/make_venv.sh
	@bash scripts/make_venv.sh $(INTEROP_VENV) interop
	@touch $@

demo: install
	@$(BIN)/regauge demo

# Both at once.
environments:
	@$(MAKE) --no-print-directory --jobs 2 $(INSTALLED) $(INTEROP_INSTALLED)

# Twice as many processes as there are processors: tests of pages and of servers wait for others half of their time.
N_WORKERS ?= $(shell echo $$(( $$(nproc) * 2 )))

# Tests come in a random order that keeps modules together, and each process takes its share of
# it, so that what a module sets up is set up once; the first lines say how to repeat it.
test: environments
	@bash scripts/install_system.sh wordnet-base postgresql chromium
	@bash scripts/install_system.sh chromium-headless-shell 2>/dev/null # It draws pages with less work; Chromium does, too.
	@$(MAKE) --no-print-directory --jobs 2 --output-sync test-scripts test-interop translate
	$(BIN)/python -m pytest -n $(N_WORKERS) --dist worksteal --doctest-modules

test-scripts:
	@bash scripts/check_scripts.sh test

test-interop: $(INTEROP_INSTALLED)
	$(INTEROP_VENV)/bin/python -m pytest -q $(INTEROP_TESTS)

# In a new checkout all tests are translated once, while others run, and not by every process that collects them.
translate: install
	@[ -d tests/stats/__pycache__ ] || $(BIN)/python -m pytest --collect-only -qq --doctest-modules > /dev/null

# Each by itself is slow to begin, so they go at once.
check: install
	@$(MAKE) --no-print-directory --jobs 3 --output-sync lint-python lint-scripts check-tree

check-tree: install
	$(BIN)/python -m pytest -q tests/test_architecture.py tests/test_imports.py tests/test_workflow_imports.py tests/test_rooms.py tests/test_vocabulary.py tests/test_docs.py

lint: install
	@$(MAKE) --no-print-directory --jobs 2 --output-sync lint-python lint-scripts

lint-python: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m scripts.check_examples

lint-scripts:
	@bash scripts/check_scripts.sh lint

fix: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(BENCH_INSTALLED)
	$(BENCH_VENV)/bin/python -m benchmarks.run_all

$(BENCH_INSTALLED): pyproject.toml locks/dev.txt benchmarks/requirements.txt scripts/make_venv.sh
	@bash scripts/make_venv.sh $(BENCH_VENV) dev
	$(BENCH_VENV)/bin/pip install --quiet -r benchmarks/requirements.txt
	$(BENCH_VENV)/bin/pip install --quiet --no-deps timm
	@touch $@

lock:
	python3 scripts/lock.py

soak: install
	@bash scripts/install_system.sh postgresql
	$(BIN)/python -m scripts.soak_server
	$(BIN)/python -m scripts.soak_server --private-postgres
	$(BIN)/python -m scripts.soak_server --private-postgres --workers 4
	$(BIN)/python -m scripts.soak_panel
	$(BIN)/python -m scripts.soak_panel --private-postgres
	$(BIN)/python -m scripts.soak_panel --private-postgres --workers 4
	$(BIN)/python -m scripts.soak_panel --kind code
	$(BIN)/python -m scripts.soak_panel --kind code --private-postgres --workers 4

screenshots: install
	$(BIN)/python -m scripts.make_screenshots

clean:
	rm -rf $(VENV) $(INTEROP_VENV) $(BENCH_VENV) node_modules regauge-demo .mypy_cache .ruff_cache .pytest_cache .hypothesis
