//! What traced trials add to audits: evidence, and for a warning or a failure the program that is most to be blamed.

use super::check::Traced;
use super::{foreign_io, steal_and_pressure};
use crate::basis::Scope;
use crate::explained::{ExplainedArm, ExplainedFamily};
use crate::verdict::{Audit, Status};

const TRACED: &[Traced] = &[steal_and_pressure::TRACED, foreign_io::TRACED];

/// Neighbours that a sentence of evidence names.
const NAMED_MAX: usize = 3;
/// The share that a neighbour has at least if it is named.
const NAMED_MIN: f64 = 0.05;

/// Adds what the traced trials of a study show to its audits.
pub(crate) fn add_traced(audits: &mut [Audit], arms: &[ExplainedArm]) {
    for traced in TRACED {
        let audit = audits.iter_mut().find(|audit| audit.name == traced.audit);
        let Some(audit) = audit.filter(|audit| audit.status != Status::NotApplicable) else { continue };
        let families = || arms.iter().filter_map(|arm| Some((arm, arm.families.first()?)));
        if families().next().is_none() {
            continue;
        }
        audit.evidence.extend(families().map(|(arm, family)| sentence(traced, arm, family)));
        audit.evidence.push(traced.unseen.to_owned());
        let is_concerned = |arm: &ExplainedArm| {
            let mut scopes = audit.about.iter().map(Scope::configurations);
            scopes.any(|scope| scope.is_none_or(|scope| scope.contains(&arm.configuration)))
        };
        let concerned = families().filter(|(arm, _)| is_concerned(arm));
        let causes = concerned.flat_map(|(_, family)| causes(traced, family));
        let largest = causes.max_by(|(one, _), (other, _)| one.total_cmp(other));
        if let (Status::Fail | Status::Warn, Some((_, cause))) = (audit.status, largest) {
            audit.summary = format!("{} In traced trials, which ran later, {cause}.", audit.summary);
        }
    }
}

/// What the traced trials of a configuration show.
fn sentence(traced: &Traced, arm: &ExplainedArm, family: &ExplainedFamily) -> String {
    let of = if arm.label.is_empty() { String::new() } else { format!(" of {}", arm.label) };
    let shown = (traced.shown)(family);
    let causes = causes(traced, family).into_iter().take(NAMED_MAX).map(|(_, cause)| cause);
    let clauses: Vec<String> = [shown].into_iter().chain(causes).collect();
    format!("Traced trials{of}: {}.", clauses.join("; "))
}

/// The neighbours that caused most of it, the first one most.
fn causes(traced: &Traced, family: &ExplainedFamily) -> Vec<(f64, String)> {
    let causes = family.neighbours.iter().map(traced.caused);
    let mut causes: Vec<(f64, String)> = causes.filter(|(share, _)| *share >= NAMED_MIN).collect();
    causes.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    causes
}
