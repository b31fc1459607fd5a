//! The parts of a database's file: its settings with their rules, and the settings that give up durability.

use crate::audited::audited;
use crate::evidence::Evidence;
use crate::measured_on::OfItself;
use crate::names::Names;
use crate::no_advice::{Command, Needs, NoAdvice, RunName, Why};
use crate::setting::{Advice, Facts, Setting};
use crate::signs::Signs;
use crate::source::Source;
use crate::tried::{Trying, comparisons, tried};
use crate::values::Values;
use crate::weighed::Weighed;
use model::plan::Plan;
use model::run::Run;
use settings::Syntax;
use std::cell::RefCell;
use verdict::Verdict;

/// A database that gets advice.
pub(crate) struct Database {
    pub(crate) name: &'static str,
    /// The program, without versions.
    pub(crate) program: &'static str,
    /// What `syncline run --for` calls it.
    pub(crate) id: &'static str,
    /// Other names by which users know it, in lower case.
    pub(crate) aliases: &'static [&'static str],
    /// Name of the file with its settings.
    pub(crate) fragment: &'static str,
    pub(crate) syntax: Syntax,
    /// The names of all of its settings, if they are listed.
    pub(crate) names: Option<fn() -> &'static Names>,
    /// One list for each family of settings.
    pub(crate) families: &'static [&'static [Rule]],
    /// The trials that run it itself.
    pub(crate) of_itself: &'static [OfItself],
    /// Settings that give up durability: never advised, and reported if a user has them.
    pub(crate) hazards: &'static [Hazard],
    /// By what it is recognised on a machine.
    pub(crate) signs: Signs,
}

impl Database {
    /// The names of all of its settings, if they are listed.
    pub(crate) fn names(&self) -> Option<&'static Names> {
        self.names.map(|names| names())
    }

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
            computed: Vec::new(),
            trace: None,
            run: RunName::default(),
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

/// How one setting follows from what was measured.
pub(crate) struct Rule {
    pub(crate) facts: Facts,
    /// The study that measures what the rule needs; `None` if only the database itself can.
    pub(crate) source: Option<Source>,
    /// The maximum number of its comparisons in a study: its share of the database's family.
    pub(crate) comparisons: usize,
    pub(crate) decide: Decide,
}

/// How a rule weighs its values.
pub(crate) enum Decide {
    /// By arms of a study that do what the values do.
    Study(fn(&Evidence<'_>) -> Result<Weighed, NoAdvice>),
    /// By the values themselves, tried on the database.
    Tried(Trying),
}

impl Rule {
    /// Its share of the database's family, fixed by the plan.
    pub(crate) fn comparisons(&self, plan: &Plan) -> usize {
        match &self.decide {
            Decide::Study(_) => self.comparisons,
            Decide::Tried(trying) => comparisons(plan, &self.facts, trying),
        }
    }

    /// What a run shows about it, as one of the rules of a database that together draw this number of comparisons.
    pub(crate) fn weighed(
        &self,
        (run, verdict): (&Run, &Verdict),
        database: &Database,
        comparisons: usize,
    ) -> Result<Weighed, NoAdvice> {
        let used = RefCell::new(Vec::new());
        let evidence = Evidence::new(run, verdict, comparisons, &used);
        let weighed = match &self.decide {
            Decide::Study(decide) => decide(&evidence),
            Decide::Tried(trying) => tried(&evidence, &self.facts, trying),
        };
        let audited = weighed.and_then(|weighed| audited(run, &used.borrow(), database.of_itself, weighed));
        audited.map_err(|none| NoAdvice {
            needs: none.needs.clone().or_else(|| self.needs(&none, database)),
            ..none
        })
    }

    /// A proof on the database itself, if a load shows what the setting does.
    pub(crate) fn proof(&self, database: &Database) -> Option<Needs> {
        self.facts.is_provable.then(|| Needs::proof(database.id, self.facts.name))
    }

    /// What would decide it.
    fn needs(&self, none: &NoAdvice, database: &Database) -> Option<Needs> {
        match none.why {
            Why::NotMeasured => match self.source {
                Some(source) => Some(Needs::new(
                    Command::Run { study: source.to_string() },
                    Some(60.0 * f64::from(source.minutes)),
                )),
                None => self.proof(database),
            },
            Why::Undecided => self.proof(database),
            Why::AuditFailed | Why::NotProven | Why::Unsupported | Why::DoesNotApply => None,
        }
    }
}

/// A setting whose values are tried on PostgreSQL.
pub(crate) const fn on_postgresql(facts: Facts) -> Rule {
    const TRYING: Trying =
        Trying { workload: "transactions", held: Vec::new, metrics: &["transactions_per_s"] };
    by_the_database(facts, None, TRYING)
}

/// A setting whose effect no study of a disk shows, and where it is tried instead.
pub(crate) const fn by_the_database(facts: Facts, source: Option<Source>, trying: Trying) -> Rule {
    Rule { facts, source, comparisons: 0, decide: Decide::Tried(trying) }
}
