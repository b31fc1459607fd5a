//! Turns findings into decisions about settings of real databases: a pure function of a run and its verdict.
//!
//! [`advise`] decides for every setting that has a rule: a value with what it rests on, or the reason why there is none.
//! [`current`] reads the files in which databases keep their settings and compares them with that.
//!
//! # What binds every rule
//!
//! - **Only what was measured.** A rule advises a value if two arms of a study do what two values of the setting do, in cells
//!   that are like the database. It is silent, and says why, where nothing measured that or the interval spans the boundary
//!   between two values.
//! - **No durability is traded.** No rule is about a setting that gives up durability, and no rule weighs arms of different
//!   durability classes against each other. Where a weaker promise was measured, its price and its loss stand beside the
//!   advice; whoever has a value that promises more keeps it.
//! - **Not assessable is not passed.** A failed audit withholds what rests on it, and so does a required one that could not be
//!   carried out. One that warns limits the advice.
//! - **What a rule rests on is derived.** No rule lists audits: they follow from the metrics and the configurations that it
//!   takes from the run. It takes them through `Evidence` alone, which notes each.
//! - **One comparison.** Arms are compared by [`verdict::StudyVerdict::contrast`], as the asks of a study are, so advice and
//!   findings of the same cells cannot disagree.
//! - **A database's comparisons share 5 % of error.** How many its rules draw is fixed in advance; a rule that draws more than
//!   its share divides that. A run under a budget has spent some of the error at earlier looks.
//! - **Advice expires.** It holds for the kernel, the device, the file system and the memory that it was measured on.
//! - **Files are text here.** Which file an include means and what stands in it, the caller says.
//!
//! To add a database: its file in `database/`, and its line in the list there.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod audited;
mod comparison;
pub mod current;
mod database;
mod evidence;
mod expiry;
mod level;
mod rule;
mod setting;
#[cfg(test)]
mod tests;

pub use expiry::{Expiry, Surroundings};
pub use setting::{
    Advice, Alternative, Decision, DefaultValue, Effect, Ground, Kind, NoAdvice, Recommendation, Setting,
    Syntax, Why,
};

use database::DATABASES;
use model::run::Run;
use rule::{Database, Rule};
use verdict::Verdict;

/// What a run says about every database's settings, in the order of the list of databases.
pub fn advise(run: &Run, verdict: &Verdict) -> Vec<Advice> {
    let of_database = |database: &Database| {
        let comparisons = database.rules.iter().map(|rule| rule.comparisons).sum();
        let setting = |rule: &Rule| Setting {
            name: rule.setting.to_owned(),
            kind: rule.kind,
            default: rule.default,
            decision: rule.decision(run, verdict, comparisons),
        };
        Advice {
            database: database.name.to_owned(),
            fragment: database.fragment.to_owned(),
            syntax: database.syntax,
            settings: database.rules.iter().map(setting).collect(),
        }
    };
    DATABASES.iter().map(of_database).collect()
}
