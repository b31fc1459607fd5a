//! Intervals, comparisons, trends, knees and steady state: numbers in, numbers out.
//!
//! Every function is pure: no I/O, no clock, no global random state; a function that resamples takes a seed. n counts
//! trials, never operations. If a result cannot be computed, the function returns a typed reason (usually
//! [`NoInterval`]), never a zero, a NaN or a panic. `docs/statistics.md` explains the methods and gives their measured
//! coverage.
//!
//! Compared responses are positive (latencies, throughputs, counts), so comparisons are ratios: the mean of the natural
//! logarithms of ratios paired within rounds. Tables of trials are complete randomised blocks, `rounds[round][column]`;
//! a column is a level, a cell or an arm.

// In a test a panic is the report.
#![cfg_attr(test, allow(clippy::unwrap_used))]

/// The examples of the README are compiled, and run, with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod blocks;
mod distribution;
mod permutation;
mod shuffle;

pub mod bootstrap;
pub mod carry_over;
pub mod change_point;
pub mod comb;
pub mod confidence;
pub mod contrast;
pub mod crossover;
pub mod dependence;
pub mod drift;
pub mod equivalence;
pub mod family;
pub mod hierarchical;
pub mod interaction;
pub mod interval;
pub mod knee;
pub mod noise;
pub mod outlier;
pub mod proportion;
pub mod quantile;
pub mod quantised;
pub mod rank;
pub mod rounds;
pub mod run_spread;
pub mod sample;
pub mod screening;
pub mod sequential;
pub mod shape;
pub mod steady_state;
pub mod step;
pub mod threshold;
pub mod trend;
pub mod unpaired;

pub use confidence::Confidence;
pub use contrast::Ratio;
pub use dependence::Dependence;
pub use equivalence::{Answer, Decided, EQUIVALENCE_MARGIN, Rule};
pub use interval::{Interval, NoInterval, TRIALS_MIN};
pub use noise::NoiseFloor;
pub use proportion::Count;
pub use run_spread::RunSpread;
pub use shuffle::shuffle;

/// Which way a response is better: the models of knees and rankings need to know, the arithmetic does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Throughput.
    Higher,
    /// Latency, CPU time, device bytes.
    Lower,
}

impl Better {
    /// `+1` if higher is better, `-1` if lower is: multiplies a logarithm so that greater always means better.
    pub(crate) fn sign(self) -> f64 {
        match self {
            Self::Higher => 1.0,
            Self::Lower => -1.0,
        }
    }
}
