//! Which findings answer a study's question. The order of the asks in a study file is the study's own ranking: the
//! answer begins with the first ask, undecided or not, and continues with further decided findings while it stays
//! short.

use crate::attribution::failed_for;
use crate::finding::Finding;
use crate::verdict::{Answer, Audit, Estimate};

/// The maximum number of levels of one factor in an answer.
const LEVELS_MAX: usize = 2;
/// The maximum number of findings in an answer, unless the first ask alone has more.
const FINDINGS_MAX: usize = 3;

/// Indices among the findings: those of the first ask, then one decided finding of each further ask.
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

/// The first metric of an ask, level by level: reliable findings first, then decided ones, the largest effects first.
fn main_effects<'a>(ask: &[(usize, &'a Finding)], audits: &[Audit]) -> Vec<(usize, &'a Finding)> {
    let Some((_, first)) = ask.first() else { return Vec::new() };
    let mut levels: Vec<(usize, &Finding)> =
        ask.iter().filter(|(_, finding)| finding.metric == first.metric).copied().collect();
    if first.subject.is_ladder() {
        // The price of a class is listed with the classes below it.
        return levels;
    }
    let is_doubtful = |finding: &Finding| failed_for(audits, &finding.rests_on).next().is_some();
    levels.sort_by(|(_, a), (_, b)| {
        let key = |finding: &Finding| (is_doubtful(finding), finding.answer(), effect(finding));
        let ((a_doubtful, a_answer, a_effect), (b_doubtful, b_answer, b_effect)) = (key(a), key(b));
        a_doubtful.cmp(&b_doubtful).then(a_answer.cmp(&b_answer)).then(b_effect.total_cmp(&a_effect))
    });
    // Reliable findings stand alone if they answer anything.
    let is_sound = |finding: &Finding| !is_doubtful(finding) && finding.answer() != Answer::NotAssessable;
    if levels.first().is_some_and(|(_, finding)| is_sound(finding)) {
        levels.retain(|(_, finding)| !is_doubtful(finding));
    }
    levels.truncate(LEVELS_MAX);
    levels
}

/// The size of an effect in either direction; the largest of its cells if their directions differ.
fn effect(finding: &Finding) -> f64 {
    match &finding.ratio {
        Some(ratio) => ratio.effect(),
        None => finding.part_estimates().map(Estimate::effect).fold(0.0, f64::max),
    }
}

impl Estimate {
    /// The distance of a ratio from 1 in either direction: the absolute value of its logarithm; 0 without a ratio.
    pub fn effect(&self) -> f64 {
        let ratio = self.point.filter(|ratio| *ratio > 0.0);
        ratio.map_or(0.0, |ratio| ratio.ln().abs())
    }
}
