# Syncline. `make run` measures the disk below the current directory, `make quick` runs the unit tests, `make test` checks
# everything, `make bench` compares the instrument with fio, with a bare loop over RocksDB and with itself, `make soak` is
# the fault suite at length, `make dist` packs a release.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# In CI the clone is thrown away: the build outlives it in a cache folder.
ifdef CI
export CARGO_TARGET_DIR ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/syncline/target
endif
TARGET := $(or $(CARGO_TARGET_DIR),target)
# One study, or all of them.
STUDY ?=
# What `make run` builds beside the default: make run WITH=postgresql,rocksdb,object-store
WITH ?=

# Tests, benches and archives have everything in them, and all the same features, so that nothing is built twice. RocksDB is
# its official build, in the cache folder.
FEATURES := --features postgresql,rocksdb,object-store
WITH_ROCKSDB = rocksdb=$$(./scripts/install-rocksdb); env $$rocksdb

.PHONY: help run build quick test tools format lint dependencies unit no-features mpi crates docs soak bench dist clean

help:
	@echo "make run    measure the disk below this directory and write a report (one study: make run STUDY=commit)"
	@echo "make quick  run the unit tests alone: they need no root, no downloads and no other program"
	@echo "make test   install what the tests need, then format check, lints, dependencies, all tests, docs"
	@echo "make soak   three hours of faults: kills of runs, stores and databases, spoiled run directories, every parser fuzzed; a line of figures for each"
	@echo "make bench  the instrument's own cost, and its agreement with fio and RocksDB alone"
	@echo "make dist   a release archive, a Debian package and a Python wheel"

build:
	$(if $(findstring rocksdb,$(WITH)),$(WITH_ROCKSDB)) cargo build --profile local --locked --package syncline $(if $(WITH),--features $(WITH))

run: build
	$(TARGET)/local/syncline run $(STUDY) --dir . || [ $$? -eq 3 ]

# The tests that stand beside the sources, with the default features: they need a Rust toolchain and a C compiler. Hundreds of
# simulated proofs take minutes: `make test` has them.
quick:
	cargo test --workspace --lib --bins --locked --quiet -- --skip tests::simulated --skip tests::raced

# One after another, and at the end what each cost; what compiling costs, crate by crate, cargo draws in target/cargo-timings.
# Tests that were skipped are counted last.
STEPS := tools format lint dependencies unit no-features mpi crates docs
test: export SYNCLINE_SKIPPED := $(abspath $(TARGET))/skipped-tests
test:
	@mkdir -p $(TARGET) && rm -f "$$SYNCLINE_SKIPPED"
	@cost=; for step in $(STEPS); do \
	  begun=$$SECONDS; $(MAKE) --no-print-directory $$step; cost+=" $$step $$((SECONDS - begun)) s,"; \
	done; echo "make test:$$cost all of it $$SECONDS s"
	@./scripts/skipped-tests "$$SYNCLINE_SKIPPED"

tools:
	./scripts/install-test-tools
	./scripts/install-versitygw
	./scripts/install-actionlint
	./scripts/install-servers >/dev/null
	./scripts/install-axe-core
	./scripts/install-grafana-schema
	./scripts/install-fio-examples
	./scripts/install-data-frames >/dev/null
	./scripts/install-mcp-client >/dev/null
	./scripts/install-ci-tools >/dev/null
	./scripts/install-kubernetes-tools >/dev/null
	./scripts/install-device-file-readers >/dev/null
	./scripts/install-rocksdb >/dev/null
	./scripts/install-container-base >/dev/null

format:
	cargo fmt --all --check

lint:
	$(WITH_ROCKSDB) cargo clippy --workspace $(FEATURES) --all-targets --locked -- -D warnings

# Licences, second versions, and known defects where their list can be fetched.
dependencies:
	./scripts/check-dependencies

# Tests wait for disks and for clocks more than they compute.
unit: export RUST_TEST_THREADS ?= $(shell echo $$(($$(nproc) + 1)))
unit:
	$(WITH_ROCKSDB) cargo test --workspace $(FEATURES) --locked --quiet --no-fail-fast --timings

# The smallest build and its tests are type-checked too: nothing is compiled twice for it.
no-features:
	cargo check --package syncline --all-targets --no-default-features --locked --quiet

# A feature of its own: archives run where no MPI is installed.
mpi:
	$(WITH_ROCKSDB) cargo clippy --workspace $(FEATURES),mpi --bin syncline --example meet --locked --quiet -- -D warnings
	$(WITH_ROCKSDB) cargo build --workspace $(FEATURES),mpi --bin syncline --example meet --locked --quiet
	./scripts/test-mpi $(TARGET)/debug

# The crates that are useful alone can be packaged. The workflow of a release also builds them from their packages: here a second
# build would find the first one's sources, which cargo keeps for a version as if they had been published.
crates:
	cargo publish --workspace --dry-run --no-verify --allow-dirty --locked --quiet

docs:
	$(WITH_ROCKSDB) RUSTDOCFLAGS="-D warnings" cargo doc --workspace $(FEATURES) --no-deps --locked --quiet

# The fault suite at length; in small it is part of the tests. SEED=… KILLS=… RUNS=… CYCLES=…
# LINEARIZABLE=… INTERLEAVINGS=… CRASHES=… ONLY=power|kill CRASHED=FILE EXECUTIONS=… change its numbers.
soak: tools
	SEED=$(SEED) KILLS=$(KILLS) RUNS=$(RUNS) CYCLES=$(CYCLES) LINEARIZABLE=$(LINEARIZABLE) INTERLEAVINGS=$(INTERLEAVINGS) \
	    CRASHES=$(CRASHES) ONLY=$(ONLY) CRASHED=$(CRASHED) EXECUTIONS=$(EXECUTIONS) ./scripts/soak

bench: tools
	cargo bench --locked --package syncline --bench instrument
	$(WITH_ROCKSDB) cargo bench --locked --package syncline-engine --features rocksdb --bench blocking --bench rocksdb
	cargo run --release --locked --quiet --package syncline-disk --example backend_speed
	cargo bench --locked --package syncline --bench fio
	cargo bench --locked --package syncline --bench reads_in_turns
	cargo bench --locked --package syncline --bench start
	cargo bench --locked --package syncline --bench fleet
	cargo bench --locked --package syncline-forget --bench commits
	cargo bench --locked --package syncline-lab --bench turns
	cargo bench --locked --package syncline-report --bench ten_thousand_trials
	cargo bench --locked --package syncline-disk --bench device
	cargo bench --locked --package syncline-buffer --bench pool
	cargo bench --locked --package syncline-dataset --features object-store --bench scan
	cargo bench --locked --package syncline-trial --features postgresql --bench pgbench
	./scripts/agree-with-pgbench

# crates/syncline/tests/it/archive.rs packs and unpacks one by the same script, from the tests' own binary.
dist:
	$(WITH_ROCKSDB) ./scripts/dist-build $(FEATURES)
	$(WITH_ROCKSDB) ./scripts/dist $(TARGET)/release/syncline $(TARGET)/dist $(FEATURES)

clean:
	cargo clean
