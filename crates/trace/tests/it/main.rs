//! The kernel's own events, and operations made of them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod planted;
mod real;
mod recorded;
mod ring;
mod stream;
mod support;
