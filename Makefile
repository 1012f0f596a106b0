# Every target makes the environment it needs; a machine with Python >= 3.11, git and make is enough.

PYTHON ?= $(shell tools/find-python)
# where virtual environments keep their commands
COMMANDS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN := .venv/$(COMMANDS)
ENVIRONMENTS := .venv .venv-3.11 .venv-3.12 .venv-3.13 .venv-3.14
# property tests meet the same few examples in every run of `make test`, others with SEED=7, say; plain pytest and
# `make test-slow` look for new ones
FEW_EXAMPLES := --hypothesis-profile=ci $(if $(SEED),--hypothesis-seed=$(SEED))
CLUSTER := -m "cluster and not slow" tests/scaleout tests/geometry/measure/test_joblib_backends.py
# the short tests in parts that run side by side, each of which looks at its own folders only; what is in none of them is
# the part `rest`
ONLINE := tests/classifiers/online tests/papers tests/test_river.py
MACHINES := tests/classifiers/lp_machine tests/classifiers/hilbert_svm tests/classifiers/lipschitz tests/estimators tests/bounds
NEIGHBORS := tests/classifiers/neighbors tests/classifiers/margin_neighbors tests/classifiers/linear tests/geometry
METRICS := tests/metrics tests/objects tests/embeddings tests/doctor tests/guarantees tests/insight tests/hostile tests/golden
PROGRAMS := tests/cli tests/serve tests/examples tests/choice
SOURCES := src docs README.md tests/architecture
# each part's output in one piece, where make can (3.81 cannot)
SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
PARTS := online machines neighbors sources programs metrics
APART := $(ONLINE) $(MACHINES) $(NEIGHBORS) $(METRICS) $(PROGRAMS) tests/architecture tests/scaleout tests/browser
SHORT = $(BIN)/pytest --quiet $(FEW_EXAMPLES)
INSTALL = $(COMMANDS)/python -m pip install --quiet --disable-pip-version-check
# an environment with all that users can have, and groups of pyproject.toml, which pip knows from 25.1 on: that of older Pythons is
# older
define environment
	$(if $(PYTHON),,exit 1)
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/$(INSTALL) 'pip>=25.1'
	$(@D)/$(INSTALL) --editable '.[all]' --group $(1) $(if $(LOCKED),--constraint tools/constraints.txt)
	@touch $@
endef
# every process of the tests would compile all sources anew
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-rest coverage test-browser test-cluster test-slow mutants test-pythons bench bench-quick bench-compare report-bundle docs dist lint shape audit lock clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s%s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo:  ## names by the best of many models, texts with answers that are proved to survive edits, and reports of it all
	@echo "Names by the best of many models, texts with answers that are proved to survive edits, and reports of it all."
	@$(MAKE) --no-print-directory .venv-demo/.ready
	@.venv-demo/$(COMMANDS)/python examples/first_names.py

test: .venv/.ready  ## all checks and the short tests; SEED=7 tries other examples
	@echo "Lint, the tests of a cluster and of a browser, and the short tests in seven parts, three at a time; each tells when it is done."
	@$(MAKE) --no-print-directory --jobs=3 --keep-going $(SYNC) test-cluster $(PARTS:%=test-%) test-browser lint test-rest
	@echo "All checks have passed."

# three processes on two cores: some of them wait at times, for a worker or for a browser
$(PARTS:%=test-%): test-%: .venv/.ready
	$(SHORT) $($(shell echo $* | tr a-z A-Z))

test-rest: .venv/.ready
	$(SHORT) $(APART:%=--ignore=%) tests

coverage: .venv/.ready  ## the short tests once more, traced: branches that they leave out, 5 % at most
	$(BIN)/coverage erase
	$(BIN)/pytest -n 2 --dist=worksteal $(FEW_EXAMPLES) --cov --cov-append --cov-report=
	$(BIN)/pytest -n 2 --dist=loadfile $(FEW_EXAMPLES) $(CLUSTER) --cov --cov-append --cov-report=
	$(BIN)/coverage report --fail-under=95

test-browser: .venv/.ready  ## the report and the page of `serve` in a real browser, where a Chromium and its driver are installed
	@if tools/find-chromium; then $(BIN)/pytest -m "browser and not slow" tests/browser; fi

test-cluster: .venv/.ready  ## the same answers on a Dask cluster of this machine, also when workers are killed
	$(BIN)/pytest $(FEW_EXAMPLES) $(CLUSTER)

test-slow: .venv/.ready  ## the tests that take long, all combinations of parameters too: an hour, by folder; can be stopped and goes on
	@tools/test-slow $(BIN)/pytest

mutants: .venv/.ready  ## changes of the sources at random, and whether a test notices: hours; can be stopped
	$(BIN)/python tools/mutants.py $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT))

test-pythons:  ## the short tests on every Python 3.11 to 3.14 found; some on 3.15 and on 3.14 without its lock
	@tools/test-pythons

bench: .venv-bench/.ready .venv-aeon/.ready  ## all figures beside other libraries that are not of this code: hours; can be stopped
	.venv-bench/$(COMMANDS)/python -m benchmarks --environment bench
	.venv-aeon/$(COMMANDS)/python -m benchmarks --environment aeon

bench-quick: .venv-bench/.ready  ## the headline rows, from installable data, beside the stored ones: 15 minutes
	.venv-bench/$(COMMANDS)/python -m benchmarks --quick

bench-compare: .venv-bench/.ready  ## differences beyond noise of two folders of results or revisions: A=... B=...
	@.venv-bench/$(COMMANDS)/python -m benchmarks --compare $(or $(A),HEAD) $(or $(B),benchmarks/results)

docs: .venv-docs/.ready  ## the site, with a gallery that is run and links that are checked, into build/site
	.venv-docs/$(COMMANDS)/python -m sphinx --fail-on-warning --keep-going --quiet -b html docs build/site
	.venv-docs/$(COMMANDS)/python tools/check_site.py build/site
	@echo "The site is in build/site/index.html."

report-bundle:  ## build the vendored figures of the report anew; it needs npm, and CHECK=1 only compares
	@tools/report-bundle/make $(if $(CHECK),--check)

lint: .venv/.ready  ## format, lint, spelling, types, layers, workflows, security
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/codespell
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/zizmor --offline --quiet --no-progress .github

shape: .venv/.ready  ## how many files a piece of work visits and what the tree is made of, to look at; SHOW=name lists the places
	@$(BIN)/python tools/shape.py $(if $(SHOW),--show $(SHOW))

audit: .venv/.ready  ## known vulnerabilities of the dependencies; fails too if the data about them cannot be reached
	$(BIN)/python tools/audit.py

lock:  ## pin the versions of today for `make test LOCKED=1`, into tools/constraints.txt; it needs uv
	uv pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 --no-annotate --no-header --quiet --upgrade --output-file tools/constraints.txt

dist: .venv/.ready  ## the source distribution and, from it, the wheel, into dist/
	rm -rf dist
	$(BIN)/python -m build --no-isolation

clean:  ## remove environments, caches and builds
	rm -rf .venv .venv-* .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(ENVIRONMENTS:%=%/.ready): pyproject.toml
	@echo "Installing wideberth and what its tests need into $(@D), once: about 160 packages and 2 GB, which takes minutes."
	$(call environment,dev)

.venv-demo/.ready: pyproject.toml
	$(if $(PYTHON),,exit 1)
	@echo "First, once: wideberth and about 30 packages that it needs go into $(@D), 560 MB."
	@$(PYTHON) -m venv --clear $(@D)
	@$(@D)/$(COMMANDS)/python -m pip install --disable-pip-version-check --no-compile --editable '.[report]' | awk '/^(Collecting|Installing)/ { print "  " $$1, $$2; fflush() }'
	@test -x $(@D)/$(COMMANDS)/wideberth && touch $@

.venv-bench/.ready: pyproject.toml
	$(call environment,bench)

# aeon holds numpy, scipy and numba back, which is why the peers without it have newer ones, and why the site, whose gallery
# shows its series, has an environment of its own
.venv-aeon/.ready: pyproject.toml
	$(call environment,bench-aeon)

.venv-docs/.ready: pyproject.toml
	$(call environment,docs)
