//! What a race keeps, and what it picks.

use crate::change::Change;
use crate::claim::{Claim, Judged};
use crate::comparison::Subject;
use crate::outcome::ProofOutcome;
use crate::ratio::Ratio;
use crate::stage_kind::StageKind;
use std::collections::BTreeMap;

/// What the last heat that measured a candidate says about it; if none could measure it, why the last could not.
pub(crate) fn claim(change: &Change, judged: &[Judged]) -> Option<Claim> {
    let subject = Subject::Candidate { name: change.name.clone(), value: change.value.clone() };
    let about: Vec<&Judged> = judged.iter().filter(|judged| judged.subject == subject).collect();
    let measured = about.iter().filter(|judged| judged.ratio.is_some());
    let last: Option<StageKind> = measured.map(|judged| judged.stage).max();
    let last = last.or_else(|| about.iter().map(|judged| judged.stage).max())?;
    let of_last = about.into_iter().filter(|judged| judged.stage == last).cloned().collect();
    Some(Claim::over_loads(subject, of_last))
}

/// The candidates that no heat so far proved worse.
pub(crate) fn survivors<'a>(candidates: &'a [Change], judged: &[Judged]) -> Vec<&'a Change> {
    let is_refuted =
        |change: &&Change| claim(change, judged).is_some_and(|claim| claim.outcome == ProofOutcome::Refuted);
    candidates.iter().filter(|change| !is_refuted(change)).collect()
}

/// The best candidate of each setting, if it is better than what runs now by its own 95 % interval under some load, and
/// worse by none.
///
/// Picking spends no error: what is picked is proven on other rounds.
pub(crate) fn picked<'a>(candidates: &'a [Change], judged: &[Judged]) -> Vec<&'a Change> {
    let mut best: BTreeMap<&str, (f64, &Change)> = BTreeMap::new();
    for change in survivors(candidates, judged) {
        let Some(score) = claim(change, judged).and_then(|claim| score(&claim)) else { continue };
        let known = best.entry(&change.name).or_insert((score, change));
        if score > known.0 {
            *known = (score, change);
        }
    }
    let is_best =
        |change: &&Change| best.get(change.name.as_str()).is_some_and(|(_, best)| best.value == change.value);
    candidates.iter().filter(is_best).collect()
}

/// The mean log ratio over loads; `None` if the candidate is not worth a proof.
fn score(claim: &Claim) -> Option<f64> {
    let alone: Vec<_> = claim.by_load.iter().filter_map(|judged| judged.alone).collect();
    let is_better = alone.iter().any(Ratio::is_above_one);
    let is_worse = alone.iter().any(|ratio| ratio.high < 1.0);
    let mean = alone.iter().map(|ratio| ratio.point.ln()).sum::<f64>() / alone.len().max(1) as f64;
    (is_better && !is_worse && mean > 0.0).then_some(mean)
}
