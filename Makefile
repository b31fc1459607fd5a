# Syncline. `make run` measures the disk below the current directory, `make test` checks everything, `make bench`
# compares the instrument with fio and with itself.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# In CI the clone is thrown away: the build outlives it in a cache folder.
ifdef CI
export CARGO_TARGET_DIR ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/syncline/target
endif
TARGET := $(or $(CARGO_TARGET_DIR),target)
SYNCLINE := $(TARGET)/release/syncline
STUDY ?= commit

.PHONY: help run build test tools format lint unit docs bench clean

help:
	@echo "make run    measure the disk below this directory (STUDY=$(STUDY)) and write a report"
	@echo "make test   install what the tests need, then format check, lints, all tests, docs"
	@echo "make bench  the instrument's own cost, and its agreement with fio"

build:
	cargo build --release --locked --package syncline

run: build
	$(SYNCLINE) run $(STUDY) --dir . || [ $$? -eq 3 ]

test: tools format lint unit docs

tools:
	./scripts/install-test-tools

format:
	cargo fmt --all --check

lint:
	cargo clippy --workspace --all-targets --locked -- -D warnings

unit:
	cargo test --workspace --locked --quiet --no-fail-fast

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked --quiet

bench: tools build
	cargo bench --locked --package syncline --bench instrument
	cargo bench --locked --package syncline-engine --bench blocking
	cargo run --release --locked --quiet --package syncline-disk --example backend_speed
	cargo bench --locked --package syncline --bench fio
	cargo bench --locked --package syncline-disk --bench device

clean:
	cargo clean
