//! What the text of a page states about its tables: `30 iterations`, `3 passes`, `macOS`, `64 GB RAM`.
//!
//! A page compares things in its text too. So a fact is taken if all of its statements agree, and if no column,
//! label or command gives it.

mod fact;
mod facts;
mod statements;

pub(crate) use facts::{Facts, Sentence};
pub(crate) use statements::stated_n;
