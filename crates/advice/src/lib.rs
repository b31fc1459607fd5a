//! Turns findings into decisions about settings of real databases: a pure function of a run and its verdict.
//!
//! [`advise`] decides about every setting that has a rule. A setting has candidates: the value in use, the default, and
//! others. The decision is to change to another value, to keep the one in use, a candidate for a proof, or it names
//! what would decide. [`current`] compares a settings file with the advice. [`computed`] has the settings that follow
//! from arithmetic; they stand apart.
//!
//! # Rules for every rule
//!
//! - **Only what was measured.** A rule compares values if two arms of a study do what two values of the setting do, in
//!   cells that resemble the database.
//! - **A decision is made by the interval** (`decide.rs`). A new value must be proven better than the value in use.
//!   Otherwise the value in use stays, with the most that could be lost by keeping it. An estimate refutes what is
//!   outside its interval, and nothing inside. If nothing was measured, the decision names the command that would.
//! - **Predicted is not measured.** What is better on the disk is a candidate, which the database itself proves or
//!   refutes ([`MeasuredOn`]). Only what was measured on the database itself is a change.
//! - **A rule that misses twice is corrected or withdrawn** ([`Withdrawn`]). What it found is then a value for a proof
//!   to try, without a predicted gain and with the reason.
//! - **No durability is traded.** No rule is about a setting that gives up durability, and no rule prefers an arm of a
//!   weaker durability class. If a weaker class was measured, the advice states what it would gain and lose. A user
//!   whose value guarantees more keeps it.
//! - **Not assessable is not passed.** A failed audit withholds the advice that rests on it. So does a required audit
//!   that could not be carried out. A warning limits the advice.
//! - **The basis of a rule is derived.** Rules do not list audits: the audits follow from the metrics and
//!   configurations that a rule takes from the run. `Evidence` is the only way to take them, and records each.
//! - **One comparison.** Rules compare arms by [`verdict::StudyVerdict::contrast`], as the asks of a study do.
//! - **No advice against a finding.** If a finding of the same run proves the opposite of what a rule compared, the
//!   rule decides nothing (`contradiction.rs`). Parameters that were varied together are one value: no ratio is
//!   credited to one of them.
//! - **The comparisons of a database share 5 % of error.** Their number is fixed in advance. A rule that draws more
//!   comparisons than its share divides the share. A run under a budget has spent some of the error at earlier looks.
//! - **A setting states what it acts on** ([`Facts::acts_on`]). [`Advice::for_load`] leaves out what does not matter
//!   for a load that was observed.
//! - **Advice expires.** It holds for the kernel, device, file system and memory that it was measured on.
//! - **An advice is data, with its words in the same file.** What was measured, what limits it and why there is none
//!   are enums with figures ([`Statement`], [`Caveat`], [`Cause`]), each with its text. What only one rule says is a
//!   clause of that rule, and is printed whole: what an arm does, what the database's manual says, what a value gives
//!   up, how the rule measures.
//! - **The result is a document** (`document.rs`), which the crate `page` renders.
//! - **The file that a database loads** is written with the measurement above each line (`fragment.rs`).
//!
//! To add a database, write its file in `database/`, and add its line to the list there.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod after_proof;
mod audited;
mod candidate;
mod cause;
mod caveat;
mod compared;
mod comparison;
pub mod computed;
mod computed_values;
mod contradiction;
pub mod current;
mod database;
mod decide;
mod decision;
mod document;
mod durability;
mod effect;
mod evidence;
mod expiry;
mod fact;
mod first_screen;
mod for_load;
mod fragment;
mod ground;
mod level;
mod log;
mod measured_on;
mod names;
mod needs_and_risks;
mod no_advice;
mod not_here;
mod place;
mod reason;
mod rule;
mod setting;
mod signs;
mod source;
mod statement;
mod syncs;
mod takes_effect;
#[cfg(test)]
mod tests;
mod to_do;
mod tried;
mod value;
mod values;
mod verb;
mod weighed;
mod withdrawn;

pub use candidate::{Candidate, Role};
pub use cause::{Cause, Levels};
pub use caveat::{Caveat, LoaderParameter, Matters};
pub use compared::{Arm, Compared};
pub use decision::{Alternative, Decision, Loss, Recommendation, Regret};
pub use document::section;
pub use durability::{gives_up_durability, is_overridden};
pub use effect::Effect;
pub use expiry::{Changed, Expiry, Surroundings, What};
pub use first_screen::{first_screen, in_a_sentence};
pub use for_load::{ForLoad, LeftOut, for_load};
pub use fragment::{ComputedValues, fragment};
pub use ground::Ground;
pub use log::Log;
pub use measured_on::MeasuredOn;
pub use no_advice::{Command, Needs, NoAdvice, RunName, Why, Withheld};
pub use setting::{Advice, DefaultValue, Facts, Now, Setting, ValueKind};
pub use signs::Signs;
pub use source::Source;
pub use statement::Statement;
pub use syncs::Syncs;
pub use takes_effect::TakesEffect;
pub use to_do::to_do;
pub use values::{Override, Values};
pub use verb::Verb;
pub use weighed::{Choose, Weighed};
pub use withdrawn::Withdrawn;

use computed::Machine;
use database::DATABASES;
use model::run::Run;
use names::Names;
use rule::Database;
use settings::{NotAVersion, Release, Version, Versions};
use verdict::Verdict;

/// The database whose servers a run drives.
const SERVER: &str = "postgresql";

/// The advice for every database that follows from a run, for databases that have the defaults; [`current::against`]
/// decides for one that has other values. The databases that were found on the machine come first, the others in the
/// order of the list of databases. A run for one database gives advice for that one, and a run that drove a PostgreSQL
/// server gives advice for its version.
pub fn advise(run: &Run, verdict: &Verdict) -> Vec<Advice> {
    let of_database = |database: &Database| {
        let comparisons = database.rules().map(|rule| rule.comparisons(&run.plan)).sum();
        let advice = database.advice(|rule| rule.weighed((run, verdict), database, comparisons));
        if database.id != SERVER {
            return advice;
        }
        let advice = advice.computing(Machine::of(run), None);
        match &run.plan.server {
            Some(server) => match server.version().parse() {
                Ok(version) => advice.of(&Release::Of(version)),
                Err(NotAVersion) => advice,
            },
            None => advice,
        }
    };
    let is_wanted =
        |database: &&Database| run.plan.database.as_deref().is_none_or(|wanted| wanted == database.id);
    let found = run.host.databases.as_deref().unwrap_or_default();
    let traced = |advice: Advice| {
        let trace = found.iter().find(|found| found.database == advice.id).map(|found| found.trace);
        Advice { trace, ..advice }
    };
    let mut all: Vec<Advice> = DATABASES.iter().filter(is_wanted).map(of_database).map(traced).collect();
    all.sort_by_key(|advice| {
        found.iter().position(|found| found.database == advice.id).unwrap_or(found.len())
    });
    all
}

/// Every setting of a database with its candidates, if nothing was measured: what a proof of all settings tries. `None`
/// if no database has this name.
pub fn unmeasured(database: &str) -> Option<Advice> {
    let database = Database::named(database)?;
    Some(database.advice(|rule| {
        let needs = rule.proof(database);
        Err(NoAdvice { needs, ..NoAdvice::not_measured(Cause::NothingMeasured) })
    }))
}

/// The versions of a database that have a setting; `None` if Syncline does not know the setting.
pub fn versions(database: &str, setting: &str) -> Option<Versions> {
    Database::named(database)?.versions(setting)
}

/// Every setting of a database with the versions that have it; none if its settings are not listed.
pub fn settings(database: &str) -> impl Iterator<Item = (&'static str, Versions)> {
    let names = Database::named(database).and_then(Database::names);
    names.into_iter().flat_map(Names::iter)
}

/// Whether the settings of a version of a database are listed.
pub fn has_list_of(database: &str, version: &Version) -> bool {
    let names = Database::named(database).and_then(Database::names);
    names.is_some_and(|names| names.has_list_of(version))
}

/// The names by which `syncline run --for` knows the databases.
pub fn databases() -> impl Iterator<Item = &'static str> + Clone {
    DATABASES.iter().map(|database| database.id)
}

/// By what each database is recognised on a machine, with its name on the command line.
pub fn signs() -> impl Iterator<Item = (&'static str, Signs)> {
    DATABASES.iter().map(|database| (database.id, database.signs))
}

/// The name in [`databases`] of the database that users know by this name, such as postgresql for Postgres.
pub fn database_known_as(name: &str) -> Option<&'static str> {
    Database::known_as(name).map(|database| database.id)
}

/// What measures the settings of a database, in the order of its rules; each once.
pub fn sources(database: &str) -> Vec<Source> {
    let rules = Database::named(database).into_iter().flat_map(Database::rules);
    let mut sources: Vec<Source> = Vec::new();
    for rule in rules {
        sources.extend(rule.source.filter(|source| !sources.contains(source)));
    }
    sources
}
