//! What a proof makes of the advice that it proves: a candidate becomes a change, or is withdrawn.

use crate::claim::{Judged, Outcome};
use crate::conclude::{Line, Proof, Standing};
use advice::{Advice, Effect};
use verdict::{Answer, Estimate};

impl Proof {
    /// The advice of the run that it proves, with each candidate that it decided.
    #[must_use]
    pub fn settled(&self, advice: Vec<Advice>) -> Vec<Advice> {
        let effects: Vec<(&str, Effect)> = self
            .settings
            .iter()
            .filter_map(|standing| Some((standing.name.as_str(), effect(standing)?)))
            .collect();
        let of_database = |mut advice: Advice| {
            for (name, effect) in effects.iter().filter(|_| advice.id == self.design.database.id) {
                for setting in advice.settings.iter_mut().filter(|setting| setting.name == *name) {
                    *setting = setting.after_proof(&advice.id, effect);
                }
            }
            advice
        };
        advice.into_iter().map(of_database).collect()
    }
}

/// The value over the one of now, on the database; `None` if nothing was decided about it. A value that is proven only among others
/// that are not is left open.
fn effect(standing: &Standing) -> Option<Effect> {
    let answer = match (&standing.claim.outcome, standing.line) {
        (Outcome::Proven, Line::Active) | (Outcome::Refuted, _) => Answer::Different,
        (Outcome::Harmless, _) => Answer::Equivalent,
        (Outcome::Proven, Line::Comment) | (Outcome::Undecided { .. }, _) => return None,
    };
    let Judged { ratio, metric, means, .. } = standing.claim.decisive()?;
    let ratio = ratio.as_ref()?;
    Some(Effect {
        value: standing.value.clone(),
        over: standing.now.clone()?,
        metric: metric.clone(),
        ratio: Estimate {
            point: Some(ratio.point),
            interval: Some((ratio.low, ratio.high)),
            level: Some(ratio.level),
            reason: None,
        },
        figures: means.map(|(base, other)| (other, base)),
        conditions: None,
        answer,
    })
}
