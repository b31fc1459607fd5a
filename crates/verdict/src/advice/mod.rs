//! From findings to settings of real databases: a pure function of the studies' verdicts.
//!
//! A rule says a value only where it was measured: two arms of a study that do what two values of the setting do, compared
//! within rounds. The comparisons that a database's rules draw are fixed in advance and share 5 % of error. Where the
//! interval spans the boundary, an audit failed, one that is required could not be carried out, or nothing measured it, the
//! rule is silent and says why. Which audits those are no rule says: they follow from the metrics and the configurations
//! that it has used. No rule advises to give up durability; where a weaker promise was measured, its price and its loss are
//! told beside the advice.
//!
//! To add a database: its file here, and its line in `DATABASES`.

mod contrast;
pub mod current;
mod data_loader;
mod etcd;
mod evidence;
mod expiry;
mod innodb;
mod postgresql;
mod rocksdb;
mod setting;
mod sqlite;
#[cfg(test)]
mod tests;

pub use expiry::{Expiry, Surroundings};
pub use setting::{
    Advice, Alternative, DefaultValue, Effect, Ground, Kind, Recommendation, Ruling, Setting, Silence,
    Syntax, Why,
};

use crate::attribution::{Footing, impugning, open_question, unproven};
use crate::verdict::{Audit, Status, StudyVerdict};
use evidence::{Draft, Evidence, Used};
use model::run::Run;
use std::cell::RefCell;

/// A database that gets advice.
struct Database {
    name: &'static str,
    /// Name of the file with its settings.
    fragment: &'static str,
    syntax: Syntax,
    rules: &'static [Rule],
    /// Settings that give up durability: never advised, and named where a user has them.
    hazards: &'static [Hazard],
}

/// Values of a setting that give up durability.
struct Hazard {
    setting: &'static str,
    values: Values,
    /// A clause.
    loses: &'static str,
}

/// Which values those are.
enum Values {
    These(&'static [&'static str]),
    AllBut(&'static str),
}

/// How one setting follows from what was measured.
struct Rule {
    setting: &'static str,
    kind: Kind,
    /// As the manual gives it.
    default: DefaultValue,
    /// What measures what it needs, behind `syncline run`.
    study: &'static str,
    /// Comparisons that it draws at most: its share of the database's family.
    comparisons: usize,
    decide: fn(&Evidence<'_>) -> Result<Draft, Silence>,
}

const DATABASES: &[Database] = &[
    postgresql::DATABASE,
    rocksdb::DATABASE,
    innodb::DATABASE,
    sqlite::DATABASE,
    etcd::DATABASE,
    data_loader::DATABASE,
];

/// What a run says about every database's settings.
pub(crate) fn advise(run: &Run, studies: &[StudyVerdict]) -> Vec<Advice> {
    let of_database = |database: &Database| {
        let comparisons = database.rules.iter().map(|rule| rule.comparisons).sum();
        let setting = |rule: &Rule| Setting {
            name: rule.setting.to_owned(),
            kind: rule.kind,
            default: rule.default,
            ruling: rule.ruling(run, studies, comparisons),
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

impl Rule {
    fn ruling(&self, run: &Run, studies: &[StudyVerdict], comparisons: usize) -> Ruling {
        let used = RefCell::new(Vec::new());
        let draft = (self.decide)(&Evidence::new(run, studies, comparisons, &used));
        match draft.and_then(|draft| audited(run, &used.borrow(), draft)) {
            Ok(recommendation) => Ruling::Advised(Box::new(recommendation)),
            Err(mut silence) => {
                if silence.why == Why::NotMeasured {
                    silence.study = Some(self.study.to_owned());
                }
                Ruling::Silent(silence)
            }
        }
    }
}

/// A failed audit withholds the advice that rests on it, and so does one that could not be carried out where the figures
/// that the rule has used require it. One that warns limits the advice.
fn audited(run: &Run, used: &[Used<'_>], draft: Draft) -> Result<Recommendation, Silence> {
    let named = |audit: &Audit, study: &StudyVerdict| {
        format!("audit {} of study {}: {}", audit.name, study.name, audit.summary)
    };
    let mut caveats = draft.caveats;
    for Used { study, footing } in used {
        if let Some(audit) = impugning(&study.audits, footing).next() {
            let reason = format!("It rests on the failed {}", named(audit, study));
            return Err(Silence::because(Why::AuditFailed, reason));
        }
        if let Some(audit) = unproven(&study.audits, footing).next() {
            let reason = format!("It is not proven: in study {}, {}", study.name, open_question(audit));
            return Err(Silence::because(Why::NotProven, reason));
        }
        let limits = |audit: &&Audit| {
            audit.status == Status::Warn && footing.bearing(&audit.name).is_some() && audit.concerns(footing)
        };
        for audit in study.audits.iter().filter(limits) {
            let warning = format!("A warning of {}", named(audit, study));
            if !caveats.contains(&warning) {
                caveats.push(warning);
            }
        }
    }
    let vouching = || used.iter().flat_map(|Used { footing, .. }| &footing.requires);
    let mut names: Vec<&str> = Vec::new();
    for required in vouching() {
        if !names.contains(&required.audit.as_str()) {
            names.push(&required.audit);
        }
    }
    let ended = |name: &str, is: &dyn Fn(&Audit, &Footing) -> bool| {
        let mut leaning = used.iter().filter(|used| used.footing.bearing(name).is_some());
        leaning.all(|Used { study, footing }| {
            study.audits.iter().find(|audit| audit.name == name).is_some_and(|audit| is(audit, footing))
        })
    };
    let has_passed =
        |audit: &Audit, footing: &Footing| audit.status == Status::Pass && !audit.is_open(footing);
    let is_closed = |audit: &Audit, footing: &Footing| !audit.is_open(footing);
    let listed = |wanted: &dyn Fn(&str) -> bool| {
        names.iter().filter(|name| wanted(name)).map(|name| (*name).to_owned()).collect()
    };
    Ok(Recommendation {
        value: draft.value,
        loadable: draft.loadable,
        estimate: draft.estimate,
        statement: draft.statement,
        effects: draft.effects,
        alternatives: draft.alternatives,
        stronger: draft.stronger.iter().map(|value| (*value).to_owned()).collect(),
        audits: listed(&|name| ended(name, &has_passed)),
        unchecked: listed(&|name| !ended(name, &is_closed)),
        expires: Expiry::of(run, &draft.grounds),
        grounds: draft.grounds,
        caveats,
    })
}
