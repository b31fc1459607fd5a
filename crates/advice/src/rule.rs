//! The parts of a database's file: its settings with their rules, and the settings that give up durability.

use crate::audited::audited;
use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::no_advice::{Command, Needs, NoAdvice, Why};
use crate::setting::{Advice, Facts, Setting, Syntax};
use crate::source::Source;
use crate::weighed::Weighed;
use model::run::Run;
use std::cell::RefCell;
use verdict::Verdict;

/// A database that gets advice.
pub(crate) struct Database {
    pub(crate) name: &'static str,
    /// What `syncline run --for` calls it.
    pub(crate) id: &'static str,
    /// Name of the file with its settings.
    pub(crate) fragment: &'static str,
    pub(crate) syntax: Syntax,
    /// One list for each family of settings.
    pub(crate) families: &'static [&'static [Rule]],
    /// Settings that give up durability: never advised, and reported if a user has them.
    pub(crate) hazards: &'static [Hazard],
}

impl Database {
    pub(crate) fn rules(&self) -> impl Iterator<Item = &'static Rule> {
        self.families.iter().copied().flatten()
    }

    /// Its settings, decided for a database that has the defaults.
    pub(crate) fn advice(&self, weighed: impl Fn(&Rule) -> Result<Weighed, NoAdvice>) -> Advice {
        let setting = |rule: &Rule| Setting::new(rule.facts, self.id, weighed(rule));
        Advice {
            database: self.name.to_owned(),
            id: self.id.to_owned(),
            fragment: self.fragment.to_owned(),
            syntax: self.syntax,
            settings: self.rules().map(setting).collect(),
        }
    }
}

/// Values of a setting that give up durability.
pub(crate) struct Hazard {
    pub(crate) setting: &'static str,
    pub(crate) values: Values,
    /// What is lost, as a clause.
    pub(crate) loses: &'static str,
}

/// The values that give up durability.
pub(crate) enum Values {
    These(&'static [&'static str]),
    AllBut(&'static str),
}

/// How one setting follows from what was measured.
pub(crate) struct Rule {
    pub(crate) facts: Facts,
    /// The study that measures what the rule needs; `None` if only the database itself can.
    pub(crate) source: Option<Source>,
    /// The maximum number of its comparisons: its share of the database's family.
    pub(crate) comparisons: usize,
    pub(crate) decide: fn(&Evidence<'_>) -> Result<Weighed, NoAdvice>,
}

impl Rule {
    /// What a run shows about it, as one of the rules of a database that together draw this number of comparisons.
    pub(crate) fn weighed(
        &self,
        (run, verdict): (&Run, &Verdict),
        database: &Database,
        comparisons: usize,
    ) -> Result<Weighed, NoAdvice> {
        let used = RefCell::new(Vec::new());
        let weighed = (self.decide)(&Evidence::new(run, verdict, comparisons, &used));
        let audited = weighed.and_then(|weighed| audited(run, &used.borrow(), weighed));
        audited.map_err(|none| NoAdvice {
            needs: none.needs.clone().or_else(|| self.needs(&none, database)),
            ..none
        })
    }

    /// What would decide it.
    fn needs(&self, none: &NoAdvice, database: &Database) -> Option<Needs> {
        match none.why {
            Why::NotMeasured => match self.source {
                Some(source) => Some(Needs {
                    command: Command::Run { study: source.to_string() },
                    seconds: Some(60.0 * f64::from(source.minutes)),
                }),
                None => Needs::proof(database.id, self.facts.name),
            },
            Why::Undecided => Needs::proof(database.id, self.facts.name),
            Why::AuditFailed | Why::NotProven | Why::Unsupported | Why::DoesNotApply => None,
        }
    }
}

/// For a setting whose effect no study of a disk shows.
pub(crate) fn only_the_database(_: &Evidence<'_>) -> Result<Weighed, NoAdvice> {
    Err(NoAdvice::not_measured(Cause::OnlyTheDatabase))
}
