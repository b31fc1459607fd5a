//! The parts of a database's file: its settings with their rules, and the settings that give up durability.

use crate::audited::audited;
use crate::evidence::{Evidence, Proposal};
use crate::setting::{Decision, DefaultValue, Kind, NoAdvice, Syntax, Why};
use crate::source::Source;
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
    pub(crate) rules: &'static [Rule],
    /// Settings that give up durability: never advised, and reported if a user has them.
    pub(crate) hazards: &'static [Hazard],
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
    pub(crate) setting: &'static str,
    pub(crate) kind: Kind,
    /// As in the database's manual.
    pub(crate) default: DefaultValue,
    /// The study that measures what the rule needs, as arguments of `syncline run`.
    pub(crate) source: Source,
    /// The maximum number of its comparisons: its share of the database's family.
    pub(crate) comparisons: usize,
    pub(crate) decide: fn(&Evidence<'_>) -> Result<Proposal, NoAdvice>,
}

impl Rule {
    /// Decides from a run, as one of the rules that together draw this number of comparisons.
    pub(crate) fn decision(&self, run: &Run, verdict: &Verdict, comparisons: usize) -> Decision {
        let used = RefCell::new(Vec::new());
        let proposal = (self.decide)(&Evidence::new(run, verdict, comparisons, &used));
        match proposal.and_then(|proposal| audited(run, &used.borrow(), proposal)) {
            Ok(recommendation) => Decision::Advised(Box::new(recommendation)),
            Err(mut none) => {
                if none.why == Why::NotMeasured {
                    none.study = Some(self.source.to_string());
                }
                none.effort = none.effort.map(|effort| effort.timed(run));
                Decision::NoAdvice(none)
            }
        }
    }
}
