//! Whether the page cache was in the configured state when the clock started (and, for warm files, until it stopped),
//! proven by cachestat. The audit `cache-or-disk` checks where the reads then came from.

use super::tally::{Reading, Rule, Tally};
use super::{Bearing, Check, Context, Judgement, Trial, Use};
use crate::described::{Pass, data_file, passes};
use crate::phrase::percent;
use crate::verdict::Status;
use model::description::Stream;
use model::mechanism::Measured;
use model::trial::FileFacts;
use model::units::MIB;
use model::{Cache, IoMode};

/// The maximum cached share of a cold file: the page or two that its preparation touched.
const COLD_AT_MOST: f64 = 0.01;
/// The minimum cached share of a warm file, before and after: the kernel may reclaim pages at any time.
const WARM_AT_LEAST: f64 = 0.99;
/// Under a memory cap the worker's own memory takes its part, and the kernel reclaims in batches: half of the rest must
/// be cached. A worker that maps the file counts it as its own memory; without that it needs at most about this much.
const WORKER_BYTES: f64 = 32.0 * MIB as f64;
const CAPPED_AT_LEAST: f64 = 0.5;
/// The maximum share of the file that a ramp after the eviction may have cached when the measurement begins.
const RAMPED_AT_MOST: f64 = 0.10;

pub(super) const CHECK: Check = Check {
    name: "cold-cache",
    bearing,
    moot: "No configuration sets a data file to cold or warm, or all reads of it are direct.",
    judge: check,
};

/// A configuration with a cold or a warm file claims to have measured that state. Direct I/O finds the same data on the
/// device either way.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    let cache = used.description.cache;
    let is_asked = cache != Cache::AsIs && used.description.data_streams().next().is_some();
    if !(is_asked && used.depends_on_storage()) {
        return None;
    }
    match (used.uses_page_cache(), cache) {
        (true, _) => Some(Bearing::Required),
        (false, Cache::Cold) => Some(Bearing::Limiting),
        (false, Cache::Warm | Cache::AsIs) => None,
    }
}

fn check(context: &Context<'_>) -> Judgement {
    // Cached pages are counted one by one: a trial in another cache state measured something else, and is not a
    // replicate of the others.
    let tally = Tally::read(context, Rule::AnyTrial, read);
    let roomless = roomless(context);
    let status = tally.status();
    let judgement = match status {
        Status::Pass => Judgement::pass(match ramped(context) {
            None => "The page cache was as cold or as warm as configured, in every trial.".to_owned(),
            Some(words) => format!("The page cache was as configured before the ramp; {words}."),
        }),
        Status::NotAssessable | Status::NotApplicable => Judgement::not_assessable(if roomless.is_empty() {
            "No trial has a cold or warm data file whose cached share is known."
        } else {
            "memory_cap is no larger than the worker's own memory, so a warm file has no room in the cache."
        }),
        Status::Warn | Status::Fail => Judgement::new(
            status,
            format!("The page cache was not as configured in {}.", tally.share()),
            "Use a data file well above memory (or a memory_cap) for cold reads, and well below it for warm ones; \
             shorten ramp_time, which fills the cache; or use direct reads.",
        ),
    };
    tally.tell(judgement).with(roomless).with(as_is(context))
}

fn read(trial: &Trial<'_>) -> Option<Reading> {
    let description = trial.description;
    let bypasses = description.data_streams().all(Stream::is_direct);
    description.data_streams().next()?;
    let passes = passes(trial.record, description);
    if !passes.is_empty() {
        return by_pass(&passes, bypasses);
    }
    let data = data_file(trial.record)?;
    match description.cache {
        Cache::Cold if is_ramped(trial) => after_ramp(data).or_else(|| cold(data)),
        Cache::Cold => cold(data),
        Cache::Warm if !bypasses => warm(data, trial),
        Cache::Warm | Cache::AsIs => None,
    }
}

/// For a trial of several passes: the pass that began farthest from the configured state.
fn by_pass(passes: &[Pass], bypasses: bool) -> Option<Reading> {
    let of_pass = |(index, pass): (usize, &Pass)| {
        let before = pass.cached_share_before?;
        let (off, limit, asked) = match pass.asked {
            Cache::Cold => (before, COLD_AT_MOST, "cold"),
            Cache::Warm if !bypasses => (1.0 - before, 1.0 - WARM_AT_LEAST, "warm"),
            Cache::Warm | Cache::AsIs => return None,
        };
        Some((
            off,
            limit,
            format!(
                "configured {asked}, {} of the dataset was cached before pass {}",
                percent(before),
                index + 1
            ),
        ))
    };
    let worst = passes.iter().enumerate().filter_map(of_pass).max_by(|a, b| a.0.total_cmp(&b.0));
    worst.map(|(off, limit, text)| Reading::judged(off, limit, limit, text))
}

fn cold(data: &FileFacts) -> Option<Reading> {
    let before = share(&data.cached_share_before)?;
    let text = format!("configured cold, {} of the data file was cached before", percent(before));
    Some(Reading::judged(before, COLD_AT_MOST, COLD_AT_MOST, text))
}

/// For a file that was evicted before the ramp: the pages that the ramp read are cached when the measurement begins.
fn after_ramp(data: &FileFacts) -> Option<Reading> {
    let before = share(&data.cached_share_before)?;
    let began = share(data.cached_share_after_ramp.as_ref()?)?;
    if before > COLD_AT_MOST {
        return cold(data);
    }
    let text = format!(
        "configured cold, cold before the ramp; {} cached when the measurement began",
        percent(began)
    );
    Some(Reading::judged(began, RAMPED_AT_MOST, f64::INFINITY, text))
}

/// Whether the workload runs between the eviction of its files and the measurement.
fn is_ramped(trial: &Trial<'_>) -> bool {
    trial.description.duration.unmeasured_max_s() > 0.0
}

/// The maximum that ramps had cached when the measurement began; `None` if no cold trial has a ramp.
fn ramped(context: &Context<'_>) -> Option<String> {
    let trials = context.trials.iter().flatten();
    let ramped = trials.filter(|trial| trial.description.cache == Cache::Cold && is_ramped(trial));
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

fn warm(data: &FileFacts, trial: &Trial<'_>) -> Option<Reading> {
    let before = share(&data.cached_share_before)?;
    let after = share(&data.cached_share_after).unwrap_or(before);
    let cached =
        format!("{} of the data file was cached before and {} after", percent(before), percent(after));
    match room(data, trial) {
        Room::All => {
            let limit = 1.0 - WARM_AT_LEAST;
            let text = format!("configured warm, {cached}");
            Some(Reading::judged(1.0 - before.min(after), limit, limit, text))
        }
        Room::Share(room) => {
            let text = format!(
                "configured warm as far as memory_cap leaves room ({} of it), {cached}",
                percent(room)
            );
            Some(Reading::judged(room * CAPPED_AT_LEAST - before.min(after), 0.0, f64::INFINITY, text))
        }
        Room::None => None,
    }
}

/// How much of a file fits into the page cache beside the worker.
enum Room {
    /// All of it: there is no cap, or the file and the worker fit under it.
    All,
    /// This share, below 1.
    Share(f64),
    /// The worker needs the whole cap, so any cached share is as large as possible.
    None,
}

fn room(data: &FileFacts, trial: &Trial<'_>) -> Room {
    let size = data.size_bytes as f64;
    let cap = trial.description.memory_cap_bytes.map(|bytes| bytes as f64);
    let Some(cap) = cap.filter(|cap| *cap < size + WORKER_BYTES) else { return Room::All };
    let left = cap - worker_bytes(trial);
    if left > 0.0 { Room::Share((left / size).min(1.0)) } else { Room::None }
}

/// The worker's own memory: its largest resident set, including pages of libraries, which other groups may be charged
/// for.
fn worker_bytes(trial: &Trial<'_>) -> f64 {
    let maps = trial.description.data_streams().any(|stream| stream.mode == IoMode::Mmap);
    let phases = trial.record.measurement.iter().flat_map(|measurement| &measurement.phases);
    let resident = phases.map(|phase| phase.mechanism.process.resident_bytes_max).max();
    match resident.filter(|bytes| !maps && *bytes > 0) {
        Some(bytes) => bytes as f64,
        None => WORKER_BYTES,
    }
}

/// Configurations with a warm file under a cap that leaves it no room.
fn roomless(context: &Context<'_>) -> Vec<String> {
    let is_roomless = |trial: &Trial<'_>| {
        let is_cached = trial.description.data_streams().any(|stream| !stream.is_direct());
        let asks = trial.description.cache == Cache::Warm && is_cached;
        let data =
            data_file(trial.record).filter(|_| asks && passes(trial.record, trial.description).is_empty());
        data.is_some_and(|data| matches!(room(data, trial), Room::None))
    };
    let sentence = |(configuration, trials): (usize, &Vec<Trial<'_>>)| {
        trials.iter().any(is_roomless).then(|| {
            format!(
                "{}: configured warm, but memory_cap is no larger than the worker's own memory; not assessed.",
                context.observations.plan.label(configuration)
            )
        })
    };
    context.trials.iter().enumerate().filter_map(sentence).collect()
}

/// The cached share if no state was configured: reported, not judged.
fn as_is(context: &Context<'_>) -> Vec<String> {
    let sentence = |(configuration, trials): (usize, &Vec<Trial<'_>>)| {
        let as_is = trials.iter().filter(|trial| trial.description.cache == Cache::AsIs);
        let shares: Vec<f64> = as_is
            .filter(|trial| trial.description.data_streams().next().is_some())
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
