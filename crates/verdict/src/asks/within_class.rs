//! A comparison of arms with different durability, using the references that the ask names. First the references are
//! compared with each other, which gives the cost ladder of durability; then every other arm is compared with the
//! reference of its own class.

use super::hypothesis::{Hypothesis, Topic};
use super::pair;
use crate::finding::{NoReference, Reason, Rung, Subject};
use crate::references::References;

/// One hypothesis for each step of the ladder, one for missing references if there are any, and one for every other
/// arm.
pub(super) fn hypotheses<'a>(topic: Topic<'a>, references: &References<'a>) -> Vec<Hypothesis<'a>> {
    let mut hypotheses: Vec<Hypothesis<'a>> = Vec::new();
    for (index, (weaker, stronger)) in references.ladder().enumerate() {
        let levels = pair::levels(topic, weaker.level, stronger.level);
        let (stronger, weaker) = (stronger.class, weaker.class);
        let rung = Rung { levels, stronger, weaker, is_further: index > 0 };
        hypotheses.push(pair::hypothesis(topic, Subject::Rung(rung)));
    }
    if !references.missing.is_empty() {
        let why = Reason::NoReference(references.missing.clone());
        hypotheses.push(Hypothesis::not_assessable(topic, Subject::Ladder, why));
    }
    for (level, reference) in references.members() {
        hypotheses.push(match reference {
            Ok(reference) => pair::hypothesis(topic, Subject::Levels(pair::levels(topic, reference, level))),
            Err(why) => {
                let why = Reason::NoReference(vec![with_reason(topic, why)]);
                Hypothesis::not_assessable(topic, Subject::Level(level.clone()), why)
            }
        });
    }
    hypotheses
}

/// A level without trials, with the reason for their failure.
fn with_reason(topic: Topic<'_>, missing: NoReference) -> NoReference {
    let NoReference::NotMeasured { level, .. } = missing else { return missing };
    let observations = topic.data.observations;
    let is_dead = |index: &usize| {
        let at_level = topic.plan().configurations[*index].get(&topic.ask.factor) == Some(&level);
        at_level && observations.of_configuration(*index).next().is_none()
    };
    let dead = (0..topic.plan().configurations.len()).find(is_dead);
    NoReference::NotMeasured { level, why: dead.map(|index| observations.reason(index, topic.metric)) }
}
