//! Each level compared with the baseline, or with the reference of its durability class: the main effect as a ratio,
//! paired within rounds.

use super::hypothesis::{Hypothesis, Topic};
use super::pair;
use super::within_class;
use crate::arms;
use crate::finding::{Reason, Subject};
use crate::references::References;
use model::Value;

/// One hypothesis for each level except the baseline's, as far as the plan has both with all else alike.
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
    // Exclusions may leave a level nowhere beside the baseline: then the plan does not ask about it.
    let (asked, unpaired): (Vec<&Value>, Vec<&Value>) =
        others.partition(|level| pair::is_planned(topic, baseline, level));
    let asked = if asked.is_empty() { unpaired } else { asked };
    asked
        .into_iter()
        .map(|level| {
            let levels = pair::levels(topic, baseline, level);
            pair::hypothesis(topic, Subject::Levels(levels))
        })
        .collect()
}
