//! The tests of this crate's public API: one program, so that they are linked once. A test that needs its own process
//! is a separate program beside this directory.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod blocking;
mod conformance;
mod durability;
mod equivalence;
mod refusals;
mod rocksdb;
mod rocksdb_advice;
mod settings;
mod sqlite_proof;
