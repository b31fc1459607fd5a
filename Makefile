# Syncline. `make run` measures the disk below the current directory, `make test` checks everything, `make bench`
# compares the instrument with fio, with a bare loop over RocksDB and with itself, `make dist` packs a release.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# In CI the clone is thrown away: the build outlives it in a cache folder.
ifdef CI
export CARGO_TARGET_DIR ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/syncline/target
endif
TARGET := $(or $(CARGO_TARGET_DIR),target)
SYNCLINE := $(TARGET)/release/syncline
# One study, or all of them.
STUDY ?=

# The tests and benches have RocksDB and S3 in them, and all of them the same features, so that nothing is built twice. The
# library is built once and lives in the cache folder.
FEATURES := --features rocksdb,object-store
WITH_ROCKSDB = prefix=$$(./scripts/build-rocksdb) && ROCKSDB_LIB_DIR=$$prefix/lib ROCKSDB_STATIC=1

.PHONY: help run build test tools format lint unit default-features docs bench dist clean

help:
	@echo "make run    measure the disk below this directory and write a report (one study: make run STUDY=commit)"
	@echo "make test   install what the tests need, then format check, lints, all tests, docs"
	@echo "make bench  the instrument's own cost, and its agreement with fio and RocksDB alone"
	@echo "make dist   a release archive: the stripped program, completions, manual pages, docs"

build:
	cargo build --release --locked --package syncline

run: build
	$(SYNCLINE) run $(STUDY) --dir . || [ $$? -eq 3 ]

test: tools format lint unit default-features docs

tools:
	./scripts/install-test-tools
	./scripts/install-versitygw
	./scripts/install-axe-core
	./scripts/install-data-frames >/dev/null
	./scripts/build-rocksdb

format:
	cargo fmt --all --check

lint:
	$(WITH_ROCKSDB) cargo clippy --workspace $(FEATURES) --all-targets --locked -- -D warnings

unit:
	$(WITH_ROCKSDB) cargo test --workspace $(FEATURES) --locked --quiet --no-fail-fast

# What `make run` builds, and that an engine which is not built in is refused with its feature's name.
default-features:
	cargo check --package syncline --locked --quiet
	cargo test --package syncline-engine --test refusals --locked --quiet
	cargo test --package syncline --test append --test bad_engine_input --locked --quiet an_engine_that_is_not_built_in

docs:
	$(WITH_ROCKSDB) RUSTDOCFLAGS="-D warnings" cargo doc --workspace $(FEATURES) --no-deps --locked --quiet

bench: tools build
	cargo bench --locked --package syncline --bench instrument
	$(WITH_ROCKSDB) cargo bench --locked --package syncline-engine --features rocksdb --bench blocking --bench rocksdb
	cargo run --release --locked --quiet --package syncline-disk --example backend_speed
	cargo bench --locked --package syncline --bench fio
	cargo bench --locked --package syncline --bench start
	cargo bench --locked --package syncline-report --bench ten_thousand_trials
	cargo bench --locked --package syncline-disk --bench device
	cargo bench --locked --package syncline-buffer --bench pool
	cargo bench --locked --package syncline-object --features object-store --bench scan

# crates/syncline/tests/archive.rs packs and unpacks one by the same script, from the tests' own binary.
dist: build
	./scripts/dist $(SYNCLINE) $(TARGET)/dist

clean:
	cargo clean
