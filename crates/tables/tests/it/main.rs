//! The tests of this crate's public API: one program, so that they are linked once. A test that needs its own process
//! is a separate program beside this directory.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod clean;
mod durability;
mod formats;
mod hostile;
mod pages;
mod planted;
mod programs;
mod repetitions;
mod seeds;
