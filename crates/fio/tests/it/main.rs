//! The tests of this crate's public API: one program, so that they are linked once. A test that needs its own process
//! is a separate program beside this directory.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod examples;
mod export;
mod hostile_text;
mod json;
mod translate;
