//! From records to findings and audits: a pure function of a run.
//!
//! - **A finding is data** (`finding.rs`): the ask, the levels, the outcome, both sides' figures, the proof, the
//!   outlook and the remarks are types, and each has its words in the same file. The sentence that a finding is
//!   (`sentence`) is made of its fields, absolute figures first. The reason why an ask cannot be answered is an error
//!   and carries a clause, as errors do; audits carry their text as a compiler's diagnostics do. All are printed whole
//!   and never parsed.
//! - **A study's result is a document** (`study`), which the crate `page` renders.
//! - **An answer rests on configurations, and an audit is about some of them.** Each comparison names the
//!   configurations behind it. Each judgement of an audit names the configurations that its outcome is about, or the
//!   effect of one parameter alone (levels that were not realised). One module decides which audits affect which
//!   answers (`attribution.rs`); findings, answers and advice use it.
//! - **The requirements of an answer follow from its figures.** Each audit declares how much one figure of one
//!   configuration depends on it (`bearing` of its check, from the metric's source in the metric table and from the
//!   claims of the configuration). No rule lists audits.
//! - **Arms with different guarantees are compared within their durability class.** A comparison with `references` has
//!   one level for each class. Every other level is compared with the reference of its own class. The references are
//!   compared with each other: that is the cost ladder of durability, and the answer. The records declare the class of
//!   a level. For `power` the reference is `pwrite` and `fdatasync`, not `O_DSYNC`, because it differs from the
//!   reference below it by exactly one call.
//! - **There is one paired comparison** (`asks/contrast.rs`): asks use it, and the crate `advice` uses it
//!   ([`StudyVerdict::contrast`]), so a finding and an advice about the same cells agree.
//! - **Dependence between rounds is estimated once for each metric, over all arms of the study** (`dependence.rs`),
//!   because the few rounds of one comparison hardly show it; a comparison of two arms adds its own estimate. Every
//!   ratio paired within rounds, its tests and the noise floor allow for it.
//! - **Trials that took turns are trusted until the audit `carry-over` fails.** The study then continues with trials
//!   one after another (`fallback.rs`), and as soon as these give an interval, every figure is of them
//!   (`interleaving.rs`).
//! - **The blocks of a divided round are compared through their baselines** (`control.rs`), so every arm has one value
//!   a round, and every ask sees complete rounds. Cells keep the values as they were measured.
//! - **Traced trials add the mechanism and no more** (`explanation`): after the analysis, findings get the segments of
//!   time that differ between their sides, and audits get evidence. No outcome changes by it.
//! - **Two runs are compared configuration by configuration** (`compare`), by Welch's t test on logarithms, because
//!   nothing pairs their rounds. A parameter that was set differently is refused until the user allows it by name.
//!   Differences around the runs (kernel, disk, mount options, day) are the subject of a comparison and come first. A
//!   failed audit on either side withholds the comparisons that rest on its configurations and leaves the figures. A
//!   limit of `--fail-if` is kept only if every interval lies within it; an undecided limit never passes.
//! - **Many runs of one disk are a history** (`history`): series of ratios to the anchor of the same run, and where
//!   their level changed. Runs of another disk or with other parameters are another history.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod analyse;
mod answer;
mod arms;
mod asks;
mod attribution;
mod audits;
mod basis;
mod best;
mod blocks;
mod cells;
mod claims;
mod comb;
pub mod compare;
mod completeness;
mod conditions;
mod control;
mod costs;
mod counts;
mod curves;
mod dependence;
mod described;
mod durability;
mod engines;
mod estimate;
mod explained;
pub mod explanation;
mod fallback;
pub mod finding;
pub mod history;
mod idle_servers;
mod interleaving;
mod latencies;
mod looks;
mod mechanism;
mod noise;
mod observations;
pub mod phrase;
mod promise;
mod promises;
pub mod quantity;
mod references;
mod replayed;
mod run_remark;
mod sentence;
mod series;
mod size_classes;
mod slices;
pub mod study;
pub mod turns;
pub mod verdict;

#[cfg(test)]
mod tests;

pub use analyse::{analyse, analyse_for};
pub use asks::{Contrast, Pairs};
pub use attribution::{failed_for, unproven};
pub use audits::shows_busy_machine;
pub use basis::{Basis, Bearing, Requirement, Scope};
pub use claims::claim;
pub use conditions::{Conditions, DeviceLatency, DeviceReadahead};
pub use costs::Prices;
pub use fallback::{leaves_turns, takes_turns};
pub use finding::Finding;
pub use interleaving::{Interleaving, Way};
pub use latencies::{Drawing, ReadSidecar};
pub use observations::Observations;
pub use promise::{Flushes, Kills, Promise};
pub use run_remark::RunRemark;
pub use stats::EQUIVALENCE_MARGIN;
pub use stats::knee::KNEE_TOLERANCE;

pub use verdict::*;
