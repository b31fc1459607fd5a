//! What a proof makes of the advice that it proves: a candidate becomes a change, or is withdrawn.

use crate::claim::{Claim, Judged};
use crate::load::Load;
use crate::outcome::ProofOutcome;
use crate::proof::{FileLine, JudgedSetting, Proof};
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

/// The value over the one of now, on the database; `None` if nothing was decided about it. A value that is proven only
/// among others that are not is left open.
fn effect(standing: &JudgedSetting) -> Option<Effect> {
    let answer = match (&standing.claim.outcome, standing.line) {
        (ProofOutcome::Proven, FileLine::Active) | (ProofOutcome::Refuted, _) => Answer::Different,
        (ProofOutcome::Harmless, _) => Answer::Equivalent,
        (ProofOutcome::Proven, FileLine::Comment) | (ProofOutcome::Undecided { .. }, _) => return None,
    };
    let Judged { ratio, metric, means, load, .. } = standing.claim.decisive()?;
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
        conditions: Some(conditions(&standing.claim, *load).into()),
        answer,
    })
}

/// To which load the ratio belongs, with its scope, and what the others show: a clause.
fn conditions(claim: &Claim, decisive: Load) -> String {
    let (own, others): (Vec<&Judged>, Vec<&Judged>) =
        claim.by_load.iter().partition(|found| found.load == decisive);
    let own = own.into_iter().map(|found| format!("with {decisive} ({})", found.scope.words()));
    let others = others.into_iter().map(|found| {
        let effect = match found.outcome {
            ProofOutcome::Proven => "faster",
            ProofOutcome::Refuted => "slower",
            ProofOutcome::Harmless => "equal",
            ProofOutcome::Undecided { .. } => "undecided",
        };
        format!("{effect} with {}", found.load)
    });
    own.chain(others).collect::<Vec<_>>().join("; ")
}
