//! The tests of this crate's public face: one program, so that they are linked once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod parsers;
mod run_directories;
mod targets;
