//! Which findings answer a study's question. The order of the asks in a study file is the study's own ranking: the answer
//! begins with the first ask, undecided or not, and goes on with what else was decided while it stays short.

use crate::attribution::failed_for;
use crate::finding::Finding;
use crate::verdict::{Answer, Audit, Estimate};

/// Levels of one factor that an answer names at most.
const LEVELS_MAX: usize = 2;
/// Findings that an answer has at most, unless the first ask alone has more.
const FINDINGS_MAX: usize = 3;

/// Their places among the findings: those of the first ask, then one decided finding of each further ask.
pub(crate) fn places(findings: &[Finding], audits: &[Audit]) -> Vec<usize> {
    let all: Vec<(usize, &Finding)> = findings.iter().enumerate().collect();
    let mut chosen: Vec<usize> = Vec::new();
    for (index, ask) in all.chunk_by(|(_, a), (_, b)| a.is_of_ask(b)).enumerate() {
        let mut levels = main_effects(ask, audits);
        if index > 0 {
            if chosen.len() >= FINDINGS_MAX {
                break;
            }
            levels.retain(|(_, finding)| finding.answer().is_decided());
            levels.truncate(1);
        }
        chosen.extend(levels.into_iter().map(|(place, _)| place));
    }
    chosen
}

/// An ask's first metric: its levels, what can be relied on first, then what was decided, the largest effects first.
fn main_effects<'a>(ask: &[(usize, &'a Finding)], audits: &[Audit]) -> Vec<(usize, &'a Finding)> {
    let Some((_, first)) = ask.first() else { return Vec::new() };
    let mut levels: Vec<(usize, &Finding)> =
        ask.iter().filter(|(_, finding)| finding.metric == first.metric).copied().collect();
    if first.subject.is_ladder() {
        // A price is told with those below it.
        return levels;
    }
    let is_doubtful = |finding: &Finding| failed_for(audits, &finding.rests_on).next().is_some();
    levels.sort_by(|(_, a), (_, b)| {
        let key = |finding: &Finding| (is_doubtful(finding), finding.answer(), effect(finding));
        let ((a_doubtful, a_answer, a_effect), (b_doubtful, b_answer, b_effect)) = (key(a), key(b));
        a_doubtful.cmp(&b_doubtful).then(a_answer.cmp(&b_answer)).then(b_effect.total_cmp(&a_effect))
    });
    // What can be relied on is told alone, as long as it says anything.
    let is_sound = |finding: &Finding| !is_doubtful(finding) && finding.answer() != Answer::NotAssessable;
    if levels.first().is_some_and(|(_, finding)| is_sound(finding)) {
        levels.retain(|(_, finding)| !is_doubtful(finding));
    }
    levels.truncate(LEVELS_MAX);
    levels
}

/// How large an effect is, either way; the largest of its cells where they point different ways.
fn effect(finding: &Finding) -> f64 {
    match &finding.ratio {
        Some(ratio) => ratio.effect(),
        None => finding.by_cell.iter().map(|(_, ratio)| ratio.effect()).fold(0.0, f64::max),
    }
}

impl Estimate {
    /// How far a ratio lies from 1, either way: the size of its logarithm; 0 where there is none.
    pub fn effect(&self) -> f64 {
        let ratio = self.point.filter(|ratio| *ratio > 0.0);
        ratio.map_or(0.0, |ratio| ratio.ln().abs())
    }
}
