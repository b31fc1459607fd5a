//! A comparison of arms that promise different things, by the references that the ask names: first the references with
//! each other, which is the cost ladder of durability, then every other arm with the reference of its own class.

use super::{Draft, Topic, compare, ladder};
use crate::references::References;
use model::Value;

/// One draft per rung and per other arm.
pub(super) fn drafts<'a>(topic: Topic<'a>, references: &References<'a>) -> Vec<Draft<'a>> {
    let mut drafts: Vec<Draft<'a>> = ladder::drafts(topic, references);
    for (level, reference) in references.members() {
        drafts.push(match reference {
            Ok(reference) => compare::draft(topic, reference, level, None),
            Err(why) => Draft::settled(topic, &level.to_string(), &with_reason(topic, level, why)),
        });
    }
    drafts
}

/// Behind why a level has no class: what its trials died of, if they did.
fn with_reason(topic: Topic<'_>, level: &Value, why: String) -> String {
    let observations = topic.inquiry.observations;
    let is_dead = |index: &usize| {
        let at_level = topic.plan().configurations[*index].get(&topic.ask.factor) == Some(level);
        at_level && observations.of_configuration(*index).next().is_none()
    };
    let dead = (0..topic.plan().configurations.len()).find(is_dead);
    match dead {
        Some(index) => format!("{why}; {}", observations.reason(index, topic.metric)),
        None => why,
    }
}
