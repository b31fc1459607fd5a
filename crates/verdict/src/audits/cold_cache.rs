//! Whether the page cache held what the configuration says when the clock started (and, for warm files, until it
//! stopped): proven by cachestat. What the reads then came from is the audit `cache-or-disk`.

use super::tally::{Reading, Tally};
use super::{Context, Judgement, Trial};
use crate::circumstances::{Access, Cache, Circumstances, PassReading, data_file};
use crate::phrase::percent;
use crate::verdict::Status;
use model::mechanism::Measured;
use model::trial::FileFacts;
use model::units::MIB;

/// A cold file may have this share of its pages cached: the page or two that preparing it touched.
const COLD_AT_MOST: f64 = 0.01;
/// A warm file must have this share of its pages cached, before and after: the kernel may reclaim them behind our back.
const WARM_AT_LEAST: f64 = 0.99;
/// Under a memory cap the worker's own memory takes its part, at most about this much, and the kernel reclaims in
/// batches: half of what is left must be cached.
const WORKER_BYTES: f64 = 32.0 * MIB as f64;
const CAPPED_AT_LEAST: f64 = 0.5;
/// A ramp after the eviction may have cached this share of the file by the time the measurement begins.
const RAMPED_AT_MOST: f64 = 0.10;

pub(super) fn check(context: &Context<'_>) -> Judgement {
    let tally = Tally::of(context, read);
    let status = tally.status();
    let judgement = match status {
        Status::Pass => Judgement::pass(match ramped(context) {
            None => "The page cache was as cold or as warm as asked, in every trial.".to_owned(),
            Some(words) => format!("The page cache was as asked before the ramp; {words}."),
        }),
        Status::NotAssessable => Judgement::not_assessable(
            "No trial asks for a cold or warm data file whose place in the page cache is known.",
        ),
        Status::Warn | Status::Fail => Judgement::new(
            status,
            format!("The page cache was not what the configuration says in {}.", tally.share()),
            "Use a data file well above memory (or a memory_cap) for cold reads, and well below it for warm ones; shorten \
             ramp_time, which fills the cache; or read directly.",
        ),
    };
    judgement.about(tally.about()).with(tally.evidence()).with(as_is(context))
}

fn read(trial: &Trial<'_>) -> Option<Reading> {
    let circumstances = &trial.circumstances;
    let bypasses = circumstances.data_accesses().all(Access::is_direct);
    circumstances.data_accesses().next()?;
    let passes = trial.workload.passes(trial.record);
    if !passes.is_empty() {
        return by_pass(&passes, bypasses);
    }
    let data = data_file(trial.record)?;
    match circumstances.cache {
        Cache::Cold if circumstances.ramp_s > 0.0 => after_ramp(data).or_else(|| cold(data)),
        Cache::Cold => cold(data),
        Cache::Warm if !bypasses => warm(data, circumstances),
        Cache::Warm | Cache::AsIs => None,
    }
}

/// Of a trial of several passes: the one that began farthest from what was asked.
fn by_pass(passes: &[PassReading], bypasses: bool) -> Option<Reading> {
    let of_pass = |(index, pass): (usize, &PassReading)| {
        let before = pass.cached_share_before?;
        let (off, limit, asked) = match pass.asked {
            Cache::Cold => (before, COLD_AT_MOST, "cold"),
            Cache::Warm if !bypasses => (1.0 - before, 1.0 - WARM_AT_LEAST, "warm"),
            Cache::Warm | Cache::AsIs => return None,
        };
        Some((
            off,
            limit,
            format!("asked {asked}, {} of the dataset was cached before pass {}", percent(before), index + 1),
        ))
    };
    let worst = passes.iter().enumerate().filter_map(of_pass).max_by(|a, b| a.0.total_cmp(&b.0));
    worst.map(|(off, limit, text)| Reading::judged(off, limit, limit, text))
}

fn cold(data: &FileFacts) -> Option<Reading> {
    let before = share(&data.cached_share_before)?;
    let text = format!("asked cold, {} of the data file was cached before", percent(before));
    Some(Reading::judged(before, COLD_AT_MOST, COLD_AT_MOST, text))
}

/// Of a file that was evicted before the ramp: what the ramp read is cached when the measurement begins.
fn after_ramp(data: &FileFacts) -> Option<Reading> {
    let before = share(&data.cached_share_before)?;
    let began = share(data.cached_share_after_ramp.as_ref()?)?;
    if before > COLD_AT_MOST {
        return cold(data);
    }
    let text =
        format!("asked cold, cold before the ramp; {} cached when the measurement began", percent(began));
    Some(Reading::judged(began, RAMPED_AT_MOST, f64::INFINITY, text))
}

/// What ramps had cached at most by the time the measurement began; `None` where no cold trial has a ramp.
fn ramped(context: &Context<'_>) -> Option<String> {
    let trials = context.trials.iter().flatten();
    let ramped =
        trials.filter(|trial| trial.circumstances.cache == Cache::Cold && trial.circumstances.ramp_s > 0.0);
    let files: Vec<&FileFacts> = ramped.filter_map(|trial| data_file(trial.record)).collect();
    if files.is_empty() {
        return None;
    }
    let began = |file: &&FileFacts| share(file.cached_share_after_ramp.as_ref()?);
    Some(match files.iter().filter_map(began).reduce(f64::max) {
        Some(most) => {
            format!("at most {} of the data file was cached when the measurement began", percent(most))
        }
        None => "what the ramp cached is not recorded".to_owned(),
    })
}

fn warm(data: &FileFacts, circumstances: &Circumstances) -> Option<Reading> {
    let before = share(&data.cached_share_before)?;
    let after = share(&data.cached_share_after).unwrap_or(before);
    let size = data.size_bytes as f64;
    let cached =
        format!("{} of the data file was cached before and {} after", percent(before), percent(after));
    // A cap that the file and the worker fit under allows all of it.
    match circumstances.memory_cap_bytes.filter(|cap| *cap < size + WORKER_BYTES) {
        None => {
            let limit = 1.0 - WARM_AT_LEAST;
            let text = format!("asked warm, {cached}");
            Some(Reading::judged(1.0 - before.min(after), limit, limit, text))
        }
        Some(cap) => {
            let allowed = ((cap - WORKER_BYTES) / size).max(0.0) * CAPPED_AT_LEAST;
            let text =
                format!("asked warm as far as memory_cap allows ({} of it), {cached}", percent(cap / size));
            Some(Reading::judged(allowed - before.min(after), 0.0, f64::INFINITY, text))
        }
    }
}

/// What was cached where nothing was asked: reported, not judged.
fn as_is(context: &Context<'_>) -> Vec<String> {
    let sentence = |(configuration, trials): (usize, &Vec<Trial<'_>>)| {
        let as_is = trials.iter().filter(|trial| trial.circumstances.cache == Cache::AsIs);
        let shares: Vec<f64> = as_is
            .filter(|trial| trial.circumstances.data_accesses().next().is_some())
            .filter_map(|trial| share(&data_file(trial.record)?.cached_share_before))
            .collect();
        let least = shares.iter().copied().reduce(f64::min)?;
        let most = shares.iter().copied().reduce(f64::max)?;
        Some(format!(
            "{}: cache = as_is, {} to {} of the data file was cached before.",
            context.observations.plan.label(configuration),
            percent(least),
            percent(most)
        ))
    };
    context.trials.iter().enumerate().filter_map(sentence).collect()
}

fn share(facts: &Measured<f64>) -> Option<f64> {
    facts.value().copied().filter(|share| share.is_finite())
}
