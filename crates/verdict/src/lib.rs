//! From records to findings, audits and advice: a pure function of a run.

pub mod verdict;

pub use verdict::*;
