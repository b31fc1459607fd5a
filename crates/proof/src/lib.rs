//! Proofs: settings compared on a real database with what runs there now. Pure: no I/O, no clock.
//!
//! A proof is a few ordinary studies, run by the ordinary lab. [`next`] designs the next stage from what the stages
//! before it showed, [`judge`] reads a stage's verdict, and [`conclude`] says what is proven. What a proof has to know
//! about a database is in its [`Database`]; nothing else has a database's name.
//!
//! ```text
//! Design ─► next ─► Stage ─► studies ─► a run ─► judge ─► conclude ─► Proof
//! ```
//!
//! - **The bundle comes first.** All changes together are compared with what runs now. Under a load that one change
//!   alone acts under, that is the change. Under the others, if the bundle is decided there, each change is left out
//!   once: the bundle ÷ the bundle without it is what the change does among the others. If a change is refuted, the
//!   rest of the bundle is proven again, under the loads that the refuted change acts under; under all others it is
//!   what the bundle was.
//! - **What chooses does not prove.** A race drops candidates that are proven worse and picks the best of the others.
//!   What it picked is proven on rounds that took no part in picking, so a lucky candidate gains nothing.
//! - **All claims of a proof share 5 % of error.** The number of comparisons follows from the design alone, before the
//!   first trial ([`Design::family`]). Every interval is simultaneous over them, and each look spends its part, as in a
//!   run.
//! - **There is one paired comparison**, [`verdict::StudyVerdict::contrast`]: a proof, a finding and an advice agree.
//! - **A loss is never averaged away.** A change that is proven worse under one load is refuted, whatever it gains
//!   under others.
//! - **A failed audit proves nothing.** Neither does a required audit that could not be carried out.
//! - **Durability is not for sale.** [`refused`] names each setting that gives it up, before anything runs.
//! - **A claim has the scope that it was measured in** ([`Scope`]), and loads that disagree have no common ratio
//!   ([`Claim::ratio`]).
//! - **The words of a variant are in its file**, and the whole is a document ([`Proof::document`]).

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod change;
mod claim;
mod comparison;
mod conclude;
mod conditions;
mod database;
mod design;
mod document;
mod effect;
mod judge;
mod load;
mod next;
mod outcome;
mod proof;
mod proven_settings;
mod race;
mod ratio;
mod refusal;
mod scope;
mod score;
mod server;
mod settled;
mod stage;
mod stage_kind;
mod tables;
#[cfg(test)]
mod tests;
mod unmeasured;
mod within;
mod work;
mod written;

pub use change::{Change, Predicted};
pub use claim::{Agreement, Claim, Judged, Plans};
pub use comparison::{Comparison, Subject};
pub use conclude::conclude;
pub use database::Database;
pub use design::{Asked, Design};
pub use document::{CHECKED, Plots};
pub use judge::{Look, is_decided, judge, judge_study};
pub use load::Load;
pub use next::{following, next, stages};
pub use outcome::{Doubt, ProofOutcome};
pub use proof::{Ending, FileLine, JudgedSetting, Proof};
pub use proven_settings::proven_settings;
pub use ratio::Ratio;
pub use refusal::{Refusal, refused};
pub use scope::{Scope, Workers};
pub use score::Score;
pub use server::{NamedServer, Server};
pub use stage::{Stage, StageStudy};
pub use stage_kind::StageKind;
pub use unmeasured::{Limits, Obstacle, Unmeasured};
pub use work::{RequestWork, StoreWork, Work};

/// The name of the arm that runs what runs now.
pub const CURRENT: &str = "current";
