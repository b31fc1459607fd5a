//! An advice against a finding of the same run: a reader sees both, so neither may stand against the other.
//!
//! A rule compares the cells that resemble its database; a finding may be about others too. If both are about the same
//! two levels of one parameter, share a cell and prove opposite directions, the rule's comparison decides nothing.

use crate::cause::Cause;
use crate::level::Level;
use crate::no_advice::NoAdvice;
use model::Value;
use verdict::{Answer, Contrast, Estimate, Finding, StudyVerdict};

/// Refuses a comparison whose opposite a finding of the same study proves.
pub(crate) fn require_no_contradiction(
    study: &StudyVerdict,
    (base, other): (&[Level], &[Level]),
    metric: &str,
    contrast: &Contrast,
) -> Result<(), NoAdvice> {
    // Arms that differ in several parameters are values of all of them together, and no finding is about that.
    let ([(parameter, base)], [(same, other)]) = (base, other) else { return Ok(()) };
    let Some(is_higher) = side(&contrast.ratio).filter(|_| parameter == same) else { return Ok(()) };
    let (higher, lower) = if is_higher { (other, base) } else { (base, other) };
    let configurations = &contrast.rests_on.configurations;
    let opposes = |finding: &&Finding| {
        let is_shared = |index: &usize| finding.rests_on.configurations.contains(index);
        order(finding, parameter, metric) == Some((lower, higher)) && configurations.iter().any(is_shared)
    };
    match study.findings.iter().find(opposes) {
        None => Ok(()),
        Some(finding) => Err(against(study, finding, &contrast.ratio)),
    }
}

/// A finding that rests on one of these configurations and proves a level to have a lower figure than another one.
pub(crate) fn proven_lower<'a>(
    study: &'a StudyVerdict,
    (parameter, level): &Level,
    metric: &str,
    is_concerned: impl Fn(&usize) -> bool,
) -> Option<&'a Finding> {
    let is_lower =
        |finding: &&Finding| order(finding, parameter, metric).is_some_and(|(_, lower)| lower == level);
    let rests = |finding: &&Finding| finding.rests_on.configurations.iter().any(&is_concerned);
    study.findings.iter().filter(rests).find(is_lower)
}

/// No advice, because a finding proves the opposite of this ratio.
pub(crate) fn against(study: &StudyVerdict, finding: &Finding, compared: &Estimate) -> NoAdvice {
    NoAdvice::undecided(Cause::AgainstFinding {
        study: study.name.clone(),
        finding: finding.ask.name(),
        found: finding.ratio.clone().unwrap_or_else(|| compared.clone()),
        compared: compared.clone(),
    })
}

/// The two levels of a parameter that a finding orders by a metric, the one with the higher figure first; `None` if it
/// is not about them, or proves nothing.
fn order<'a>(finding: &'a Finding, parameter: &str, metric: &str) -> Option<(&'a Value, &'a Value)> {
    let levels = finding.subject.levels().filter(|levels| levels.factor == parameter)?;
    let is_proven = finding.metric == metric && finding.answer() == Answer::Different;
    let is_higher = side(finding.ratio.as_ref()?).filter(|_| is_proven)?;
    let (level, baseline) = (&levels.level, &levels.baseline);
    Some(if is_higher { (level, baseline) } else { (baseline, level) })
}

/// Whether a whole interval lies above 1; `None` if it includes 1.
fn side(ratio: &Estimate) -> Option<bool> {
    let (low, high) = ratio.interval?;
    (low > 1.0 || high < 1.0).then_some(low > 1.0)
}
