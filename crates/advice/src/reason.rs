//! What a decision rests on, in a line: the figures themselves first, then their ratio with its interval.

use crate::candidate::Candidate;
use crate::decision::{Decision, Recommendation};
use crate::effect::Effect;
use crate::no_advice::{Needs, NoAdvice, Why};
use crate::setting::Setting;
use model::metric::Unit;
use verdict::Estimate;
use verdict::quantity::with_interval;

impl Setting {
    /// Why this is the decision: a clause without a full stop.
    pub fn reason(&self) -> String {
        match &self.decision {
            Decision::ChangeTo(found) => self.gain(found),
            Decision::Candidate(found) => self.predicted(found),
            Decision::Keep(found) => kept(found),
            Decision::Judged(found) => found.statement.text(),
            Decision::Undecided(none) | Decision::DoesNotApply(none) => none.text(),
            Decision::Withheld(none) => withheld(none),
        }
    }

    /// What was measured; `None` if the reason has it already.
    pub fn measured(&self) -> Option<String> {
        let measured = self.decision.recommended()?.statement.text();
        (measured != self.reason()).then_some(measured)
    }

    /// What would decide more; `None` if the reason has it already.
    pub fn needs(&self) -> Option<String> {
        match &self.decision {
            Decision::Candidate(_) => None,
            Decision::ChangeTo(found) | Decision::Keep(found) | Decision::Judged(found) => {
                found.needs.as_ref().map(Needs::text)
            }
            Decision::Undecided(none) | Decision::DoesNotApply(none) | Decision::Withheld(none) => {
                none.needs.as_ref().map(Needs::text)
            }
        }
    }

    /// Every candidate, with what was measured of it against the value in use; empty if there is only that one.
    pub(crate) fn candidates_text(&self) -> String {
        if self.candidates.len() < 2 {
            return String::new();
        }
        self.candidates.iter().map(Candidate::text).collect::<Vec<_>>().join(", ")
    }

    /// Its name, with the versions that have it if not all have: `io_method (18 and later)`.
    pub(crate) fn name_with_versions(&self) -> String {
        if self.versions.are_all() {
            return self.name.clone();
        }
        format!("{} ({})", self.name, self.versions.text())
    }

    fn gain(&self, found: &Recommendation) -> String {
        match (&found.estimate, found.effects.first()) {
            (Some(estimate), _) => estimated(estimate, self.in_use.value().unwrap_or_default()),
            (None, Some(effect)) => effect.text(),
            (None, None) => found.statement.text(),
        }
    }

    /// What the disk predicts, and what would prove it.
    fn predicted(&self, found: &Recommendation) -> String {
        let proof = match &found.needs {
            Some(needs) => needs.text(),
            None => "no command of Syncline proves it, so try it with your own load".to_owned(),
        };
        format!("predicted from the disk: {}; {proof}", self.gain(found))
    }
}

fn kept(found: &Recommendation) -> String {
    if let Some(estimate) = &found.estimate {
        return estimated(estimate, &found.value);
    }
    let Some(regret) = &found.regret else { return found.statement.text() };
    let rival = found.effects.iter().find(|effect| effect.over == regret.over);
    let figures = rival.map_or_else(String::new, Effect::text);
    format!("{figures}; {}", regret.text())
}

/// `measured 1.11 (0.750–1.65, 99.4 %), less than 4.0`: the value in use against what was measured.
fn estimated(estimate: &Estimate, in_use: &str) -> String {
    let place = match (in_use.parse::<f64>(), estimate.interval) {
        (Ok(number), Some((_, high))) if number > high => format!(", less than {in_use}"),
        (Ok(number), Some((low, _))) if number < low => format!(", more than {in_use}"),
        (Ok(_), Some(_)) => format!(", which includes {in_use}"),
        (_, _) => String::new(),
    };
    format!("measured {}{place}", with_interval(estimate, Unit::Count))
}

fn withheld(none: &NoAdvice) -> String {
    match none.audit.as_deref() {
        Some(found) if none.why == Why::AuditFailed => {
            format!("audit {} of study {} failed", found.audit, found.study)
        }
        Some(found) => format!("audit {} of study {} could not be carried out", found.audit, found.study),
        None => none.cause.text(),
    }
}
