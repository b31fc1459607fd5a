//! From findings to settings of real databases: a pure function of the studies' verdicts.
//!
//! A rule says a value only where it was measured: two arms of a study that do what two values of the setting do, compared
//! within rounds. The comparisons that a database's rules draw are fixed in advance and share 5 % of error. Where the
//! interval spans the boundary, an audit failed, or nothing measured it, the rule is silent and says why. No rule advises
//! to give up durability; where a weaker promise was measured, its price and its loss are told beside the advice.
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

use crate::verdict::{Audit, Status, StudyVerdict};
use evidence::{Draft, Evidence};
use model::run::Run;

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
    /// Audits that it rests on, beside those that every figure does.
    audits: &'static [&'static str],
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

/// Audits without which no figure of a study can be believed.
const ALWAYS: &[&str] = &[
    "littles-law",
    "factor-took-effect",
    "foreign-io",
    "same-knobs",
    "overhead",
    "failed-trials",
    "small-n",
];

/// What a run says about every database's settings.
pub(crate) fn advise(run: &Run, studies: &[StudyVerdict]) -> Vec<Advice> {
    let of_database = |database: &Database| {
        let comparisons = database.rules.iter().map(|rule| rule.comparisons).sum();
        let evidence = Evidence { run, studies, comparisons };
        let setting = |rule: &Rule| Setting {
            name: rule.setting.to_owned(),
            kind: rule.kind,
            default: rule.default,
            ruling: rule.ruling(&evidence),
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
    fn ruling(&self, evidence: &Evidence<'_>) -> Ruling {
        match (self.decide)(evidence).and_then(|draft| self.audited(evidence, draft)) {
            Ok(recommendation) => Ruling::Advised(Box::new(recommendation)),
            Err(mut silence) => {
                if silence.why == Why::NotMeasured {
                    silence.study = Some(self.study.to_owned());
                }
                Ruling::Silent(silence)
            }
        }
    }

    /// A failed audit withholds the advice that rests on it; one that warns limits it.
    fn audited(&self, evidence: &Evidence<'_>, draft: Draft) -> Result<Recommendation, Silence> {
        let names: Vec<&str> = ALWAYS.iter().chain(self.audits).copied().collect();
        let rests_on = |study: &&StudyVerdict| draft.grounds.iter().any(|ground| ground.study == study.name);
        let studies: Vec<&StudyVerdict> = evidence.studies.iter().filter(rests_on).collect();
        let mut caveats = draft.caveats;
        for study in &studies {
            let grounds = || draft.grounds.iter().filter(|ground| ground.study == study.name);
            let concerned = |audit: &&Audit| {
                names.contains(&audit.name.as_str())
                    && grounds().any(|ground| audit.concerns(&ground.rests_on))
            };
            for audit in study.audits.iter().filter(concerned) {
                let said = format!("audit {} of study {}: {}", audit.name, study.name, audit.summary);
                match audit.status {
                    Status::Fail => {
                        return Err(Silence::because(
                            Why::AuditFailed,
                            format!("It rests on the failed {said}"),
                        ));
                    }
                    Status::Warn => caveats.push(format!("A warning of {said}")),
                    Status::NotAssessable | Status::Pass => {}
                }
            }
        }
        let carried_out =
            |name: &&&str| studies.iter().any(|study| study.audits.iter().any(|audit| audit.name == ***name));
        Ok(Recommendation {
            value: draft.value,
            loadable: draft.loadable,
            estimate: draft.estimate,
            statement: draft.statement,
            effects: draft.effects,
            alternatives: draft.alternatives,
            stronger: draft.stronger.iter().map(|value| (*value).to_owned()).collect(),
            audits: names.iter().filter(carried_out).map(|name| (*name).to_owned()).collect(),
            expires: Expiry::of(evidence.run, &draft.grounds),
            grounds: draft.grounds,
            caveats,
        })
    }
}
