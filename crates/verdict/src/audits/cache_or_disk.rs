//! What was measured: the disk, the page cache, or a mixture of both. `cold-cache` proves where the data was when the
//! clock started; this audit checks where the bytes came from and went to until it stopped.

mod hits;
mod passes;
mod trouble;

use self::hits::{CACHE, CACHE_AT_LEAST, COLD_AT_MOST, DISK, DISK_HITS_MAX, MIXTURE, measured};
use self::trouble::Trouble;
use super::{Bearing, Check, Context, Judgement, Trial, Use};
use crate::arms::{self, Others, Stratum};
use crate::described::{self, hit_share};
use crate::observations::value;
use crate::phrase::{better, count, family, limit, percent};
use crate::verdict::{Cell, Status};
use model::description::Stream;
use model::metric::Better;
use model::plan::StudyPlan;
use model::study::Ask;
use model::{Cache, Description};
use stats::sample::mean;

/// A mixture whose misses or throughput changed by more than this factor was moving from one to the other.
const MOVED: f64 = 1.20;
/// With less than this share of the written bytes on the device, most of them were still in memory.
const REACHED_AT_LEAST: f64 = 0.50;
/// Arms differ in what reached the device if the shares are this far apart.
const REACHED_APART: f64 = 0.20;
/// Bytes fetched beyond the requested ones, as a share of these, that are attributed to the operations cut off at the
/// end.
const EXCESS_TOLD: f64 = 0.01;
const LEVEL: f64 = 0.95;

pub(super) const CHECK: Check = Check {
    name: "cache-or-disk",
    bearing,
    moot: "Nothing is read, and every write is synced or direct.",
    judge: check,
};

/// Direct reads, and reads of a file that was configured as cold, claim to measure the disk. The audit `cold-cache`
/// checks whether a table that is read once was cold.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    let is_known = used.description.figures.hits.is_some();
    if !used.depends_on_storage() {
        return None;
    }
    let claims_disk = |reads: &Stream| reads.is_direct() || used.description.cache == Cache::Cold;
    match used.description.reads() {
        Some(reads) if is_known && claims_disk(reads) => Some(Bearing::Required),
        Some(_) => Some(Bearing::Limiting),
        None => stays_in_memory(used.description).then_some(Bearing::Limiting),
    }
}

fn check(context: &Context<'_>) -> Judgement {
    let mut troubles: Vec<Trouble> = Vec::new();
    let mut troubled: Vec<(Status, usize)> = Vec::new();
    let mut evidence = Vec::new();
    let mut unknown: Vec<usize> = Vec::new();
    for (configuration, trials) in context.trials.iter().enumerate() {
        let found = [reads(context, configuration, trials), passes::found(context, trials), writes(trials)];
        if found[..2].iter().all(Option::is_none) {
            unknown.push(configuration);
        }
        for (words, trouble) in found.into_iter().flatten() {
            let label = context.observations.plan.label(configuration);
            let label = if label.is_empty() { "the only configuration" } else { &label };
            evidence.push(format!("{label}: {words}."));
            troubled.extend(trouble.map(|trouble| (trouble.status(), configuration)));
            troubles.extend(trouble);
        }
    }
    troubles.sort_unstable();
    troubles.dedup();
    let judgement = match troubles.iter().map(|trouble| trouble.status()).min() {
        None if evidence.is_empty() => Judgement::not_assessable(
            "No trial reports the bytes of the device beside those of the workload.",
        ),
        None => Judgement::pass(passes::told(context).unwrap_or_else(|| told(&evidence))),
        Some(status) => {
            let join = |of: fn(Trouble) -> &'static str| {
                troubles.iter().map(|trouble| of(*trouble)).collect::<Vec<&str>>().join(" ")
            };
            let worst = troubled.iter().filter(|(found, _)| *found == status);
            Judgement::new(status, join(Trouble::summary), join(Trouble::advice))
                .at(worst.map(|(_, configuration)| *configuration))
        }
    };
    let noted = if judgement.status == Status::Fail { noted(context) } else { Vec::new() };
    judgement.unassessed(unknown).with(noted).with(evidence)
}

/// The workers' notes, each once: why a file was read from no device, such as its holes.
fn noted(context: &Context<'_>) -> Vec<String> {
    let measurements = context.trials.iter().flatten().filter_map(|trial| trial.record.measurement.as_ref());
    let mut noted: Vec<String> = Vec::new();
    for note in measurements.flat_map(|measurement| &measurement.notes) {
        let sentence = format!("The worker noted: {}.", note.trim_end_matches('.'));
        if !noted.contains(&sentence) {
            noted.push(sentence);
        }
    }
    noted
}

/// The number of configurations by what they measured.
fn told(evidence: &[String]) -> String {
    let with = |words: &str| evidence.iter().filter(|sentence| sentence.contains(words)).count();
    let [disk, cache, mixture] =
        [DISK, CACHE, MIXTURE].map(|measured| with(&format!("reads measured {measured},")));
    match (disk + cache + mixture, disk, cache) {
        (0, _, _) => "The written data had reached the device, or was synced to it.".to_owned(),
        (all, disk, _) if all == disk => "Reads measured the disk in every configuration.".to_owned(),
        (all, _, cache) if all == cache => {
            "Reads measured the page cache in every configuration, as configured.".to_owned()
        }
        (_, _, _) => format!(
            "Reads measured the disk in {}, the page cache in {cache} and a mixture in {mixture}.",
            count(disk, "configuration")
        ),
    }
}

/// The source of the bytes that a configuration read.
fn reads(
    context: &Context<'_>,
    configuration: usize,
    trials: &[Trial<'_>],
) -> Option<(String, Option<Trouble>)> {
    let description = trials.first()?.description;
    let access = description.reads()?;
    let hits: Vec<f64> =
        trials.iter().filter_map(|trial| hit_share(trial.record, trial.description)).collect();
    let hit = mean(&hits).filter(|hit| hit.is_finite())?;
    let measured = measured(hit);
    let is_mixture = hit > DISK_HITS_MAX && hit < CACHE_AT_LEAST;
    let trouble = if access.is_direct() {
        (hit > DISK_HITS_MAX).then_some(Trouble::NotDirect)
    } else if description.cache == Cache::Cold && hit > COLD_AT_MOST && !context.asked.is_empty() {
        Some(Trouble::NotCold)
    } else {
        (is_mixture && has_moved(context, configuration, trials)).then_some(Trouble::Moving)
    };
    Some((format!("reads measured {measured}, {}", origin(hit, access)), trouble))
}

/// The source of the bytes that were read. If more than requested was fetched, it is readahead, provided that the page
/// cache is used; the share is then below zero and is reported as readahead.
fn origin(hit: f64, access: &Stream) -> String {
    if hit < -EXCESS_TOLD {
        let why = if access.is_direct() { "not the reads alone" } else { "readahead" };
        return format!("{} more bytes were fetched from the device than requested ({why})", percent(-hit));
    }
    if hit > 1.0 {
        return "all of their bytes came from the page cache".to_owned();
    }
    format!("{} of their bytes came from the page cache", percent(hit.max(0.0)))
}

/// Whether misses changed over the rounds, or throughput within the trials.
fn has_moved(context: &Context<'_>, configuration: usize, trials: &[Trial<'_>]) -> bool {
    let misses: Vec<(f64, f64)> = trials
        .iter()
        .filter_map(|trial| {
            Some((f64::from(trial.record.key.round), 1.0 - hit_share(trial.record, trial.description)?))
        })
        .collect();
    let over_rounds = stats::drift::drift(&misses, LEVEL)
        .is_ok_and(|drift| drift.total.low > MOVED || drift.total.high < 1.0 / MOVED);
    let ends = context.latencies.ends.iter().find(|ends| ends.configuration == configuration);
    over_rounds
        || ends
            .and_then(|ends| ends.ratio().ok())
            .is_some_and(|ratio| ratio.interval.low > MOVED || ratio.interval.high < 1.0 / MOVED)
}

/// The share of a configuration's written bytes that reached the device in time.
fn writes(trials: &[Trial<'_>]) -> Option<(String, Option<Trouble>)> {
    let description = trials.first()?.description;
    let metric = description.figures.reached_device.as_deref().filter(|_| description.writes().is_some())?;
    let shares: Vec<f64> = trials.iter().filter_map(|trial| value(trial.record, metric)).collect();
    let reached = mean(&shares).filter(|share| share.is_finite())?;
    let trouble =
        (stays_in_memory(description) && reached < REACHED_AT_LEAST).then_some(Trouble::StillInMemory);
    let words =
        format!("of the bytes written, {} had reached the device when the clock stopped", percent(reached));
    Some((words, trouble))
}

/// Whether writes may complete while their data is only in memory.
fn stays_in_memory(description: &Description) -> bool {
    description.writes().is_some_and(|writes| !writes.is_direct()) && !description.syncs
}

/// The caveat if the arms of a comparison differ in how much of their written data reached the device.
pub(super) fn caveat(plan: &StudyPlan, cells: &[Cell], ask: &Ask, metric: &str) -> Option<String> {
    if better(metric) == Better::Neither || family(metric).starts_with("read_") {
        return None;
    }
    let compared = arms::compared(ask)?;
    let factor = plan.factor(compared)?;
    let baseline = arms::baseline_level(plan, factor)?;
    let at = |index: usize| -> Option<(&Description, f64)> {
        let description = described::configuration(plan, index);
        let reached = description.figures.reached_device.as_ref()?;
        Some((description, cells.get(index)?.figures.get(reached)?.mean.point?))
    };
    let others = factor.levels.iter().filter(|level| *level != baseline);
    let pairs = others.flat_map(|level| {
        let strata = arms::strata(plan, &[(compared, vec![baseline, level])], Others::AtBaseline);
        strata.into_iter().map(move |stratum| (level, stratum))
    });
    let found = pairs.filter_map(|(level, stratum)| {
        let Stratum { label, configurations } = stratum;
        let ((ours, our_share), (theirs, their_share)) =
            (at(*configurations.first()?)?, at(*configurations.get(1)?)?);
        let (less, share) = if our_share < their_share { (ours, our_share) } else { (theirs, their_share) };
        let apart = (our_share - their_share).abs();
        (stays_in_memory(less) && share < REACHED_AT_LEAST && apart > REACHED_APART).then_some((
            apart,
            level,
            label,
            our_share,
            their_share,
        ))
    });
    let (_, level, label, ours, theirs) = found.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let place = if label.is_empty() { String::new() } else { format!(" (at {label})") };
    Some(format!(
        "When the clock stopped, {} of the bytes written had reached the device with {baseline} and {} with \
         {level}{place}: most of the written data was still in memory, so writes into the page cache are compared with \
         writes to the device; set end_fsync = true.",
        limit(round(ours)),
        limit(round(theirs))
    ))
}

/// To whole percents: more would pretend that the share is the same in every cell.
fn round(share: f64) -> f64 {
    (share * 100.0).round() / 100.0
}
