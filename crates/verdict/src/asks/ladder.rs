//! The cost ladder of durability: the reference of each class against that of the next stronger one, and what surviving
//! more costs in words.

use super::outlook::Outlook;
use super::{Draft, Topic, compare};
use crate::phrase::{bounds, figure, ratio, three_digits, title};
use crate::references::{Reference, References};
use model::durability::DurabilityClass;
use model::metric::Better;
use stats::{Decision, Rule};

/// What its findings are called: they are told one after another, from the weakest promise up.
pub(crate) const NAME: &str = "durability ladder";

/// One step of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rung {
    weaker: DurabilityClass,
    stronger: DurabilityClass,
    /// Whether there is a step below it, whose cost comes first.
    is_further: bool,
}

/// One draft for each step, and one that says which references are missing, where some are.
pub(super) fn drafts<'a>(topic: Topic<'a>, references: &References<'a>) -> Vec<Draft<'a>> {
    let step = |(index, (weaker, stronger)): (usize, (Reference<'a>, Reference<'a>))| {
        let rung = Rung { weaker: weaker.class, stronger: stronger.class, is_further: index > 0 };
        compare::draft(topic, weaker.level, stronger.level, Some(rung))
    };
    let mut drafts: Vec<Draft<'a>> = references.ladder().enumerate().map(step).collect();
    if !references.missing.is_empty() {
        let mut finding = topic.blank(NAME);
        NAME.clone_into(&mut finding.ask);
        let (name, missing) = (title(topic.metric), references.missing.join("; "));
        finding.statement = format!("What every class costs in {name} cannot be told: {missing}.");
        drafts.push(Draft { p: None, rests_on: Vec::new(), finish: Box::new(move |_| finding) });
    }
    drafts
}

/// What a rung's sentence is made of.
pub(super) struct Words<'a> {
    pub(super) metric: &'a str,
    /// Names of the weaker arm and of the stronger one.
    pub(super) arms: (&'a str, &'a str),
    /// Their means, where there is one cell.
    pub(super) means: Option<(f64, f64)>,
    /// `99 % simultaneous interval`, and behind it rounds and cells.
    pub(super) interval: String,
    pub(super) behind: String,
    /// Ratios over the cells, where they differ.
    pub(super) range: Option<String>,
}

impl Rung {
    /// `Surviving power loss, as declared,`.
    fn promise(self) -> &'static str {
        match self.stronger {
            DurabilityClass::None => "Surviving nothing",
            DurabilityClass::Process => "Surviving a killed process",
            DurabilityClass::Power => "Surviving power loss (as declared)",
        }
    }

    /// What the step costs, in words; `None` of a metric of which neither direction is a cost.
    pub(super) fn statement(self, words: &Words<'_>, decision: &Decision, rule: &Rule) -> Option<String> {
        let Words { metric, arms: (weaker, stronger), interval, behind, .. } = words;
        let found = &decision.ratio.interval;
        let costs = match crate::phrase::better(metric) {
            Better::Neither => return None,
            Better::Higher => (1.0 / found.estimate, (1.0 / found.high, 1.0 / found.low)),
            Better::Lower => (found.estimate, (found.low, found.high)),
        };
        let (cost, range) = costs;
        let (promise, name) = (self.promise(), title(metric));
        let arms = format!("from {weaker} (class {}) to {stronger} (class {})", self.weaker, self.stronger);
        let proof = format!("{interval} {}, {behind}", bounds(range));
        let cells = words
            .range
            .as_ref()
            .map_or_else(String::new, |range| format!("; the ratio depends on the cell: {range}"));
        Some(match decision.answer {
            stats::Answer::Different if cost > 1.0 => {
                let further = if self.is_further { "a further " } else { "" };
                let means = words.means.map_or_else(String::new, |(theirs, ours)| {
                    let told = |mean| figure(metric, three_digits(mean));
                    format!(", {} become {}", told(theirs), told(ours))
                });
                format!("{promise} costs {further}{} in {name} ({proof}): {arms}{means}{cells}.", ratio(cost))
            }
            stats::Answer::Different => {
                format!(
                    "{promise} costs nothing in {name}: it is {} better {arms} ({proof}){cells}.",
                    ratio(1.0 / cost)
                )
            }
            stats::Answer::Equivalent => {
                format!(
                    "{promise} costs nothing in {name}: it is the same within 5 % {arms} ({proof}){cells}."
                )
            }
            stats::Answer::Undecided { rounds_needed } => format!(
                "{promise} came to {} in {name} ({proof}) {arms}: the data decide neither a cost nor that there is \
                 none; {}{cells}.",
                ratio(cost),
                Outlook::of(decision, rounds_needed, rule).words()
            ),
        })
    }
}
