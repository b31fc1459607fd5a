//! Which parts of an arm matter on this disk: each level of a part against its best one, over all levels of the others.

use super::arm::Measured;
use crate::cause::Cause;
use crate::caveat::{Caveat, LoaderParameter, Matters};
use crate::effect::Standing;
use crate::evidence::Evidence;
use crate::level::{Level, label};

/// Comparisons that the caveat draws.
pub(super) fn comparisons(measured: &Measured) -> usize {
    parts(measured).iter().map(|levels| levels.len() - 1).sum()
}

/// `None` if no part has several levels.
pub(super) fn caveat(evidence: &Evidence<'_>, measured: &Measured) -> Option<Caveat> {
    let parameter = |levels: Vec<Level>| {
        let (name, _) = levels.first()?;
        Some(LoaderParameter { name: (*name).to_owned(), matters: matters(evidence, measured, &levels) })
    };
    let parameters: Vec<LoaderParameter> = parts(measured).into_iter().filter_map(parameter).collect();
    (!parameters.is_empty()).then_some(Caveat::Parameters(parameters))
}

/// The levels of each part that has several, that of the best arm first.
fn parts(measured: &Measured) -> Vec<Vec<Level>> {
    let mut parts: Vec<Vec<Level>> = Vec::new();
    for arm in &measured.arms {
        for (part, level) in arm.levels().into_iter().enumerate() {
            if parts.len() == part {
                parts.push(Vec::new());
            }
            if !parts[part].contains(&level) {
                parts[part].push(level);
            }
        }
    }
    parts.retain(|levels| levels.len() > 1);
    parts
}

/// From the level of the best arm against each other one.
fn matters(evidence: &Evidence<'_>, measured: &Measured, levels: &[Level]) -> Matters {
    let Some((best, others)) = levels.split_first() else { return Matters::Undecided };
    let best = std::slice::from_ref(best);
    let mut found = Matters::No;
    for other in others.iter().map(std::slice::from_ref) {
        match measured.levels_over(evidence, best, other) {
            Ok(comparison) => match comparison.outcome {
                Standing::Better | Standing::Worse => {
                    return Matters::Yes(Box::new(comparison.pair(label(best), label(other))));
                }
                Standing::Equal => {}
                Standing::Open => found = Matters::Undecided,
            },
            Err(none) if matches!(*none.cause, Cause::DependsOn { .. }) => return Matters::Depends,
            Err(_) => found = Matters::Undecided,
        }
    }
    found
}
