//! What the text of a page states about its tables: `30 iterations`, `3 passes`, `macOS`, `64 GB RAM`.
//!
//! A page compares things in its text too. So only what all of its statements agree about is taken, and only where no column,
//! label or command says it.

mod fact;
mod facts;
mod statements;

pub(crate) use facts::{Facts, Sentence};
pub(crate) use statements::stated_n;
