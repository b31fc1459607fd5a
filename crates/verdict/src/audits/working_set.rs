//! Whether the data fits in a cache that the study does not intend to measure: the page cache (of the machine, or of a
//! memory cap), or the cache of the drive or hypervisor below direct I/O.

mod fit;
mod passes;

use self::fit::{COLD_AT_MOST, Fit};
use super::factor_took_effect::Capped;
use super::{Bearing, Check, Context, Judgement, Trial, Use};
use crate::described::{self, data_file, hit_share};
use crate::phrase::{count, percent};
use crate::verdict::Status;
use laws::list::working_set::{DISK_HITS_MAX, LARGER_TIMES};
use model::description::{Direction, Stream};
use model::units::{GIB, format_bytes, format_bytes_approximate};
use model::{Cache, Description};
use stats::sample::mean;

/// A smaller file may fit in the cache of the drive, its controller or the hypervisor.
const DRIVE_CACHE_BYTES: u64 = GIB;
/// Reads of a proven cold file measured the disk if no more than this share of them hit the page cache.
const HITS_AT_MOST: f64 = 0.50;

pub(super) const CHECK: Check =
    Check { name: "working-set", bearing, moot: "Nothing is read.", judge: check };

/// A configuration under a memory cap claims that no more was cached than the cap allows.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    let is_capped = used.description.memory_cap_bytes.is_some() && used.uses_page_cache();
    if !used.depends_on_storage() {
        return None;
    }
    if is_capped {
        return Some(Bearing::Required);
    }
    used.description.reads().map(|_| Bearing::Limiting)
}

fn check(context: &Context<'_>) -> Judgement {
    let mut evidence = Vec::new();
    let (mut small, mut unbound, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    let mut judged = 0;
    for (configuration, trials) in context.trials.iter().enumerate() {
        let label = context.observations.plan.label(configuration);
        let label = if label.is_empty() { "the only configuration" } else { &label };
        match Capped::in_trials(trials) {
            Some(capped) if capped.is_exceeded() => {
                evidence.push(format!("{label}: {}, more than the cap allows.", capped.words()));
                unbound.push(configuration);
            }
            None if is_capped(trials) => unknown.push(configuration),
            Some(_) | None => {}
        }
        evidence.extend(unsynced(context, trials).map(|words| format!("{label}: {words}.")));
        let Some(fit) = fit(context, trials) else {
            unknown.extend(trials.first().and_then(|trial| trial.description.reads()).map(|_| configuration));
            continue;
        };
        judged += 1;
        if fit.status == Status::Warn {
            small.push(configuration);
        }
        evidence.push(format!("{label}: {}.", fit.text));
    }
    let of = count(judged, "configuration");
    let judgement = if !unbound.is_empty() {
        Judgement::new(
            Status::Fail,
            format!(
                "memory_cap did not hold in {} of {of}: more of the file was cached than fits below it.",
                unbound.len()
            ),
            "Without the cap these are uncapped trials: see syncline doctor for why it does not bind.",
        )
        .at(unbound)
    } else if judged == 0 {
        Judgement::not_assessable(
            "No trial reads a data file whose size is known; the audit cache-or-disk judges how much of \
             the written data reached the device.",
        )
    } else if !small.is_empty() {
        Judgement::new(
            Status::Warn,
            format!(
                "The file, or much of it, fits in memory in {} of {of}, so buffered reads there measure the page \
                 cache or a mixture.",
                small.len()
            ),
            "Use a file of twice the memory or a memory_cap of half the file; or cache = cold and a runtime that reads \
             less than half of it.",
        )
        .at(small)
    } else {
        Judgement::pass("No figure measures a cache that the study does not intend to measure.")
    };
    judgement.unassessed(unknown).with(evidence)
}

fn is_capped(trials: &[Trial<'_>]) -> bool {
    trials.first().is_some_and(|trial| trial.description.memory_cap_bytes.is_some())
}

fn fit(context: &Context<'_>, trials: &[Trial<'_>]) -> Option<Fit> {
    let first = trials.first()?;
    let description = first.description;
    let access = description.reads()?;
    let in_passes = passes::are_known(&described::passes(first.record, description));
    let size =
        if in_passes { description.data_bytes } else { data_file(first.record).map(|file| file.size_bytes) };
    let size = size.filter(|bytes| *bytes > 0)?;
    let file = format!("{} {}", format_bytes(size), if in_passes { "dataset" } else { "file" });
    let pass = |text: String| Some(Fit { status: Status::Pass, text });
    if access.is_direct() {
        return if size < DRIVE_CACHE_BYTES {
            pass(format!("direct reads of a {file}, which the drive's or hypervisor's cache may hold"))
        } else {
            pass(format!("direct reads of a {file}"))
        };
    }
    let memory = context.host.memory_bytes as f64;
    let room = room_bytes(description, memory);
    let against =
        format!("{} reads of a {file} with {} of memory", access.mode, format_bytes_approximate(room));
    if size as f64 >= LARGER_TIMES * room {
        return pass(format!("{against}: larger than the cache"));
    }
    if in_passes {
        return passes::fit(trials, &against);
    }
    if description.cache == Cache::Warm {
        return pass(format!("{against}: the page cache is measured, as configured"));
    }
    let hits: Vec<f64> =
        trials.iter().filter_map(|trial| hit_share(trial.record, trial.description)).collect();
    let hit = mean(&hits).filter(|hit| hit.is_finite());
    let fits = if size as f64 >= room { "most of it may fit" } else { "it fits" };
    let proven = description.cache == Cache::Cold && trials.iter().all(is_proven_cold);
    match hit {
        Some(hit) if proven && hit <= HITS_AT_MOST => pass(format!(
            "{against}: {fits}, but was proven cold and read so briefly that {} of the bytes were hits",
            percent(hit.max(0.0))
        )),
        Some(hit) if hit <= DISK_HITS_MAX => {
            pass(format!("{against}: {fits}, but only {} of the bytes were hits", percent(hit.max(0.0))))
        }
        _ => {
            let why =
                if proven { "it was read for so long that it filled the cache" } else { "not proven cold" };
            Some(Fit { status: Status::Warn, text: format!("{against}: {fits}, and {why}") })
        }
    }
}

/// Buffered writes of a file that fits in memory, which were never synced: judged by the audit that knows how much
/// reached the device.
fn unsynced(context: &Context<'_>, trials: &[Trial<'_>]) -> Option<String> {
    let first = trials.first()?;
    let description = first.description;
    let is_cached = |stream: &&Stream| stream.direction == Direction::Write && !stream.is_direct();
    let writes = description.data_streams().find(is_cached)?;
    let size = data_file(first.record).map(|file| file.size_bytes)?;
    let memory = context.host.memory_bytes as f64;
    let room = room_bytes(description, memory);
    (!description.syncs && (size as f64) < LARGER_TIMES * room).then(|| {
        format!(
            "{} writes of a {} file without a sync may end in memory: not judged here; the audit cache-or-disk reports \
             how much reached the device",
            writes.mode,
            format_bytes(size)
        )
    })
}

/// Memory that the page cache may use.
fn room_bytes(description: &Description, memory_bytes: f64) -> f64 {
    description.memory_cap_bytes.map_or(memory_bytes, |cap| memory_bytes.min(cap as f64))
}

fn is_proven_cold(trial: &Trial<'_>) -> bool {
    let before = data_file(trial.record).and_then(|file| file.cached_share_before.value().copied());
    before.is_some_and(|share| share <= COLD_AT_MOST)
}
