//! Latency distributions of each configuration: the histograms of its trials, read one by one and merged.
//!
//! An HDR histogram is half a megabyte of counters, nearly all of them zero; only the others are kept.

use crate::comb;
use crate::curves::{self, Bands};
use crate::described;
use crate::observations::Observations;
use crate::series::{self, OverTime};
use crate::slices::{self, TrialSlices};
use crate::verdict::{Curve, Series};
use laws::list::sync_too_fast::share_too_short;
use model::plan::StudyPlan;
use model::sidecar::Counts;
use model::sidecar::Sidecar;
use model::trial::{TrialKey, TrialRecord};
use stats::comb::Comb;
use stats::contrast::ratio_of_logs;
use stats::steady_state::thirds;
use stats::{NoInterval, Ratio};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Reads the histograms and series of one trial; `None` if it has none.
pub type ReadSidecar<'a> = dyn Fn(&TrialKey) -> Option<Sidecar> + Sync + 'a;

/// What a report will draw from a verdict. Findings and audits do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawing {
    /// Latency curves with their bands, which take most of a verdict's time.
    Curves,
    /// Nothing: for a comparison of two runs, advice, a verdict without figures.
    Nothing,
}

/// One configuration's latencies of one family, all trials merged.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Distribution {
    /// Index of the configuration.
    pub(crate) configuration: usize,
    pub(crate) family: String,
    /// The comb that it lies on, if it does.
    pub(crate) comb: Option<Comb>,
    /// Share of operations that are too short for a device to have made anything durable.
    pub(crate) share_too_short: Option<f64>,
}

/// The content of all sidecars.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latencies {
    /// By configuration, then family; only distributions with operations.
    pub(crate) distributions: Vec<Distribution>,
    /// A curve for each of them.
    pub(crate) curves: Vec<Curve>,
    /// Operations over the time of a trial.
    pub(crate) series: Vec<Series>,
    /// Operations per minute of every trial that ran for minutes.
    pub(crate) throughputs: Vec<Throughput>,
    /// The first and last thirds of the trials, by configuration.
    pub(crate) ends: Vec<Ends>,
    /// The slices of the trials that took turns, the A/A arm's included.
    pub(crate) slices: Vec<TrialSlices>,
    /// Histograms that could not be read, with the reason.
    pub(crate) unreadable: Vec<String>,
    /// Sidecars that were read.
    pub(crate) read: usize,
    /// Names of missing sidecars: every trial that measured has one.
    pub(crate) missing: Vec<String>,
}

/// The last third of each trial of a configuration relative to its first.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ends {
    /// Index of the configuration.
    pub(crate) configuration: usize,
    /// Natural logarithms of last ÷ first, one per trial.
    pub(crate) logs: Vec<f64>,
}

impl Ends {
    /// Their geometric mean with its t interval.
    pub(crate) fn ratio(&self) -> Result<Ratio, NoInterval> {
        ratio_of_logs(&self.logs, 0.95)
    }
}

/// A long trial's operations minute by minute.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Throughput {
    /// Index of the configuration.
    pub(crate) configuration: usize,
    /// Round of the trial.
    pub(crate) round: u32,
    /// Operations in each whole minute.
    pub(crate) per_minute: Vec<f64>,
}

impl Latencies {
    /// Share of a configuration's operations of one family that are too short for a device to have made anything
    /// durable.
    pub(crate) fn share_too_short(&self, configuration: usize, family: &str) -> Option<f64> {
        let mut distributions = self.distributions.iter();
        distributions.find(|it| it.configuration == configuration && it.family == family)?.share_too_short
    }
}

/// Reads the sidecars of every analysed trial. Decoding them takes most of a verdict's time, and configurations are
/// independent, so every CPU takes the next one.
pub(crate) fn read(
    observations: &Observations<'_>,
    sidecar: &ReadSidecar<'_>,
    drawing: Drawing,
) -> Latencies {
    let configurations = observations.plan.configurations.len();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut parts = Vec::new();
        let mut bands = Bands::default();
        loop {
            let configuration = next.fetch_add(1, Ordering::Relaxed);
            if configuration >= configurations {
                return parts;
            }
            let mut part = of_configuration(observations, configuration, sidecar);
            part.finish(observations.plan, drawing, &mut bands);
            parts.push((configuration, part.latencies));
        }
    };
    let cpus = thread::available_parallelism().map_or(1, NonZero::get);
    let mut parts = thread::scope(|scope| {
        // If a thread cannot be started, the others do its work.
        let spawn = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..cpus.min(configurations)).filter_map(spawn).collect();
        let mut parts = work();
        for other in others {
            parts.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        parts
    });
    parts.sort_by_key(|(configuration, _)| *configuration);
    let mut all = Latencies::default();
    for (_, part) in parts {
        all.distributions.extend(part.distributions);
        all.curves.extend(part.curves);
        all.series.extend(part.series);
        all.throughputs.extend(part.throughputs);
        all.ends.extend(part.ends);
        all.slices.extend(part.slices);
        all.unreadable.extend(part.unreadable);
        all.read += part.read;
        all.missing.extend(part.missing);
    }
    all
}

/// The content of the sidecars of one configuration.
fn of_configuration(
    observations: &Observations<'_>,
    configuration: usize,
    sidecar: &ReadSidecar<'_>,
) -> Part {
    let plan = observations.plan;
    let families = &described::configuration(plan, configuration).figures.families;
    let mut latencies = Latencies::default();
    let mut by_family: Vec<Vec<Counts>> = vec![Vec::new(); families.len()];
    let mut logs = Vec::new();
    let mut over_time = Vec::new();
    for record in observations.of_configuration(configuration) {
        let Some(sidecar) = sidecar(&record.key) else {
            latencies.missing.push(record.key.sidecar_name());
            continue;
        };
        latencies.read += 1;
        latencies.slices.extend(slices::of_trial(record, &sidecar));
        logs.extend(log_of_ends(&sidecar, record, families));
        over_time.extend(OverTime::from_sidecar(&sidecar, record, families));
        let per_minute = per_minute(&sidecar, families);
        if !per_minute.is_empty() {
            let round = record.key.round;
            latencies.throughputs.push(Throughput { configuration, round, per_minute });
        }
        for (family, trials) in families.iter().zip(&mut by_family) {
            match sidecar.counts(family) {
                Ok(Some(counts)) if !counts.is_empty() => trials.push(counts),
                Ok(_) => {}
                Err(error) => {
                    latencies.unreadable.push(format!("{}: {family}: {error}", record.key.sidecar_name()));
                }
            }
        }
    }
    // The A/A arm's second trials are in no curve; what they left behind is in the others' slices.
    let second = observations.second_trials(configuration).filter(|record| slices::took_turns(record));
    for record in second {
        latencies.slices.extend(sidecar(&record.key).iter().flat_map(|it| slices::of_trial(record, it)));
    }
    latencies.series.extend(series::of_configuration(configuration, plan.label(configuration), &over_time));
    if !logs.is_empty() {
        latencies.ends.push(Ends { configuration, logs });
    }
    let families = families.iter().cloned().zip(by_family).filter(|(_, trials)| !trials.is_empty());
    Part { configuration, latencies, families: families.collect() }
}

/// The content of the sidecars of one configuration, and the histograms of each family that are not merged yet.
struct Part {
    configuration: usize,
    latencies: Latencies,
    families: Vec<(String, Vec<Counts>)>,
}

impl Part {
    /// Merges the histograms, looks for combs, and draws curves if the report needs them.
    fn finish(&mut self, plan: &StudyPlan, drawing: Drawing, bands: &mut Bands) {
        let configuration = self.configuration;
        for (family, trials) in self.families.drain(..) {
            let merged = merge(&trials);
            let distribution = Distribution {
                configuration,
                family: family.clone(),
                comb: comb::of_latencies(&merged),
                share_too_short: share_too_short(&merged),
            };
            self.latencies.distributions.push(distribution);
            match drawing {
                Drawing::Curves => self.latencies.curves.push(Curve {
                    family,
                    configuration,
                    label: plan.label(configuration),
                    points: curves::points(&trials, &merged, bands),
                }),
                Drawing::Nothing => {}
            }
        }
    }
}

/// Operations in each whole minute.
fn per_minute(sidecar: &Sidecar, families: &[String]) -> Vec<f64> {
    let per_chunk = (60.0 / sidecar.interval_s).round() as usize;
    let minutes =
        series::every_interval(sidecar, families).unwrap_or_default().chunks_exact(per_chunk.max(1));
    minutes.map(sum).collect()
}

/// Natural logarithm of the last third's operations ÷ the first's. The thirds must have operations, not each of their
/// intervals: a slow device has none in many a tenth of a second.
fn log_of_ends(sidecar: &Sidecar, record: &TrialRecord, families: &[String]) -> Option<f64> {
    let whole = series::whole_intervals(sidecar, record, families)?;
    let third = whole.len() / 3;
    if third == 0 {
        return None;
    }
    let (first, last) = (sum(&whole[..third]), sum(&whole[whole.len() - third..]));
    // The middle third is not used, so the trial counts even if it is empty.
    thirds(&[first, first, last]).map(|thirds| thirds.ratio.ln()).filter(|log| log.is_finite())
}

fn sum(counts: &[u64]) -> f64 {
    counts.iter().map(|count| *count as f64).sum()
}

/// All trials in one list, merged by halves: otherwise every trial would cost as much as all earlier ones together.
fn merge(trials: &[Counts]) -> Counts {
    match trials {
        [] => Counts::new(),
        [only] => only.clone(),
        several => {
            let (one, other) = several.split_at(several.len() / 2);
            add(&merge(one), &merge(other))
        }
    }
}

/// Merges two strictly ascending lists. The order of their elements is practically random, so no step branches on it.
fn add(one: &Counts, other: &Counts) -> Counts {
    let mut sum = Counts::with_capacity(one.len() + other.len());
    let (mut ours, mut theirs) = (0, 0);
    while let (Some(&(our_nanos, our_count)), Some(&(their_nanos, their_count))) =
        (one.get(ours), other.get(theirs))
    {
        let nanos = our_nanos.min(their_nanos);
        let (is_ours, is_theirs) = (our_nanos == nanos, their_nanos == nanos);
        let count = (our_count * u64::from(is_ours)).saturating_add(their_count * u64::from(is_theirs));
        sum.push((nanos, count));
        ours += usize::from(is_ours);
        theirs += usize::from(is_theirs);
    }
    sum.extend_from_slice(&one[ours..]);
    sum.extend_from_slice(&other[theirs..]);
    sum
}
