//! Trials that read the same data several times: what each pass measured. A later pass may find data of an earlier pass
//! in the page cache. That is a result if the study configured it, and an error if every pass should have been cold.

use super::super::{Context, Trial};
use super::hits::{CACHE, COLD_AT_MOST, DISK, DISK_HITS_MAX, MIXTURE, measured};
use super::trouble::Trouble;
use crate::described::passes;
use crate::phrase::percent;
use model::Cache;
use stats::sample::mean;

/// One pass of a configuration, over its trials.
struct PassMean {
    asked: Cache,
    hit: f64,
}

fn means(trials: &[Trial<'_>]) -> Vec<PassMean> {
    let of_trials: Vec<_> = trials.iter().map(|trial| passes(trial.record, trial.description)).collect();
    let count = of_trials.iter().map(Vec::len).min().unwrap_or(0);
    let of_pass = |index: usize| {
        let hits: Vec<f64> = of_trials.iter().filter_map(|passes| passes[index].hit_share).collect();
        let hit = mean(&hits).filter(|hit| hit.is_finite())?;
        Some(PassMean { asked: of_trials.first()?[index].asked, hit })
    };
    (0..count).filter_map(of_pass).collect()
}

/// The passes of a configuration in words, grouped by what they measured, and what is wrong with them.
pub(super) fn found(context: &Context<'_>, trials: &[Trial<'_>]) -> Option<(String, Option<Trouble>)> {
    let passes = means(trials);
    let is_direct = trials.first()?.description.is_all_direct();
    let trouble = |pass: &PassMean| {
        if is_direct {
            (pass.hit > DISK_HITS_MAX).then_some(Trouble::NotDirect)
        } else {
            let is_cached = pass.asked == Cache::Cold && pass.hit > COLD_AT_MOST;
            (is_cached && !context.asked.is_empty()).then_some(Trouble::NotCold)
        }
    };
    let worst = passes.iter().filter_map(trouble).min();
    let mut words = Vec::new();
    let mut begin = 0;
    for group in passes.chunk_by(|a, b| measured(a.hit) == measured(b.hit)) {
        let end = begin + group.len();
        let which =
            if group.len() == 1 { format!("pass {end}") } else { format!("passes {} to {end}", begin + 1) };
        let hits: Vec<f64> = group.iter().map(|pass| pass.hit).collect();
        let hit = mean(&hits)?;
        let origin = if hit < 0.0 {
            format!("{} more bytes were read ahead than requested", percent(-hit))
        } else {
            format!("{} of the bytes came from the page cache", percent(hit.min(1.0)))
        };
        words.push(format!("{which} measured {}: {origin}", measured(hit)));
        begin = end;
    }
    (!words.is_empty()).then(|| (words.join("; "), worst))
}

/// The number of passes by what they measured; `None` if no trial has any.
pub(super) fn told(context: &Context<'_>) -> Option<String> {
    let passes: Vec<PassMean> = context.trials.iter().flat_map(|trials| means(trials)).collect();
    let [disk, cache, mixture] =
        [DISK, CACHE, MIXTURE].map(|kind| passes.iter().filter(|pass| measured(pass.hit) == kind).count());
    (!passes.is_empty()).then(|| {
        format!(
            "Over all configurations there are {} passes: {disk} measured the disk, {cache} the page cache and \
             {mixture} a mixture of both.",
            passes.len()
        )
    })
}
