//! Each level compared with the baseline, or with the reference of its durability class: the main effect as a ratio,
//! paired within rounds.

use super::hypothesis::{Hypothesis, Topic};
use super::pair;
use super::within_class;
use crate::arms;
use crate::finding::{Reason, Subject};
use crate::references::References;

/// One hypothesis for each level except the baseline's.
pub(super) fn hypotheses(topic: Topic<'_>) -> Vec<Hypothesis<'_>> {
    let none = |why| vec![Hypothesis::not_assessable(topic, Subject::Factor, why)];
    let factor = match topic.factor() {
        Ok(factor) => factor,
        Err(why) => return none(why),
    };
    let Some(baseline) = arms::baseline_level(topic.plan(), factor).filter(|_| factor.levels.len() > 1)
    else {
        return none(Reason::OneLevel(factor.name.clone()));
    };
    if let Some(references) = References::for_ask(topic.plan(), topic.classes(), topic.ask, factor) {
        return within_class::hypotheses(topic, &references);
    }
    let others = factor.levels.iter().filter(|level| *level != baseline);
    others
        .map(|level| {
            let levels = pair::levels(topic, baseline, level);
            pair::hypothesis(topic, Subject::Levels(levels))
        })
        .collect()
}
