//! The figures of device files, found in a run.

use model::Description;
use model::FileSystem;
use model::description::{Direction, Stream};
use model::medium::Medium;
use model::plan::StudyPlan;
use model::run::Run;
use serde::Serialize;
use verdict::{Audit, Cell, Estimate, StudyVerdict, Verdict, failed_for, unproven};

/// Bytes of the requests that are counted.
const PAGE_BYTES: u64 = 4096;
/// Bytes of a request from which on its size no longer limits the bandwidth.
const LARGE_BYTES_MIN: u64 = 128 * 1024;

/// A figure of a device file: the most that a disk does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ability {
    /// Random reads of 4 KiB a second.
    RandomReads,
    /// Sequential reads of 4 KiB a second.
    SequentialReads,
    /// Bytes read a second, in order and in large requests.
    ReadBandwidth,
    /// Random writes of 4 KiB a second.
    RandomWrites,
    /// Sequential writes of 4 KiB a second.
    SequentialWrites,
    /// Bytes written a second, in order and in large requests.
    WriteBandwidth,
    /// 99th percentile of the latency of those random reads, µs.
    RandomReadP99,
    /// 99th percentile of the latency of those random writes, µs.
    RandomWriteP99,
}

/// A figure of a run for a device file.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Capacity {
    /// The mean over trials with its interval.
    pub estimate: Estimate,
    /// Full name of the metric.
    pub metric: &'static str,
    pub study: String,
    pub label: String,
    pub trials: usize,
    /// Configurations that it is the fastest of: the most of several means is a little flattering.
    pub fastest_of: usize,
}

/// Why a run has no figure for a device file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NoCapacity {
    /// No configuration measures it.
    NotMeasured,
    /// The files were in memory.
    InMemory,
    /// No device is seen below the files. Says which layer hides it, a clause.
    Unseen(String),
    /// There is no figure or no interval: a clause that says why.
    NoInterval(String),
    /// Audits that it rests on failed, or could not be carried out.
    NotBelieved(Vec<String>),
}

impl Ability {
    fn metric(self) -> &'static str {
        match self {
            Self::RandomReads | Self::SequentialReads | Self::RandomWrites | Self::SequentialWrites => "iops",
            Self::ReadBandwidth | Self::WriteBandwidth => "bandwidth_bytes_per_s",
            Self::RandomReadP99 | Self::RandomWriteP99 => "completion_latency_p99_us",
        }
    }

    /// The metric by which the fastest configuration is chosen.
    fn rate(self) -> &'static str {
        match self {
            Self::ReadBandwidth | Self::WriteBandwidth => "bandwidth_bytes_per_s",
            Self::RandomReads
            | Self::SequentialReads
            | Self::RandomWrites
            | Self::SequentialWrites
            | Self::RandomReadP99
            | Self::RandomWriteP99 => "iops",
        }
    }

    /// Whether a stream is of such requests.
    fn is_of(self, stream: &Stream) -> bool {
        let (direction, is_random, is_large) = match self {
            Self::RandomReads | Self::RandomReadP99 => (Direction::Read, true, false),
            Self::SequentialReads => (Direction::Read, false, false),
            Self::ReadBandwidth => (Direction::Read, false, true),
            Self::RandomWrites | Self::RandomWriteP99 => (Direction::Write, true, false),
            Self::SequentialWrites => (Direction::Write, false, false),
            Self::WriteBandwidth => (Direction::Write, false, true),
        };
        let fits = |bytes: u64| if is_large { bytes >= LARGE_BYTES_MIN } else { bytes == PAGE_BYTES };
        stream.direction == direction
            && stream.is_random == Some(is_random)
            && stream.block_bytes.is_some_and(fits)
            && stream.is_direct()
    }
}

/// The fastest configuration of a run that does nothing else and has no limit of its own.
pub(crate) fn capacity(run: &Run, verdict: &Verdict, ability: Ability) -> Result<Capacity, NoCapacity> {
    let measures = |description: &Description| {
        description.filesystem == FileSystem::Host
            && description.arrivals.is_none()
            && !description.pauses
            && description.memory_cap_bytes.is_none()
            && matches!(&description.streams[..], [stream] if ability.is_of(stream))
    };
    let mut measured: Vec<(&StudyVerdict, &StudyPlan, &Cell)> = Vec::new();
    for study in &verdict.studies {
        let Some(plan) = run.plan.studies.iter().find(|plan| plan.name == study.name) else { continue };
        let asked = |cell: &&Cell| plan.description(cell.configuration).is_some_and(measures);
        measured.extend(study.cells.iter().filter(asked).map(|cell| (study, plan, cell)));
    }
    let rate = |cell: &Cell| {
        let figure = cell.figures.get(ability.rate());
        figure.and_then(|figure| figure.mean.point).unwrap_or(0.0)
    };
    let fastest = measured.iter().max_by(|(_, _, a), (_, _, b)| rate(a).total_cmp(&rate(b)));
    let (study, plan, cell) = *fastest.ok_or(NoCapacity::NotMeasured)?;
    match run.medium(plan) {
        Some(Medium::Memory(_)) => return Err(NoCapacity::InMemory),
        Some(Medium::Unseen { what, .. }) => return Err(NoCapacity::Unseen(what)),
        Some(Medium::Device) | None => {}
    }
    let metric = ability.metric();
    let figure = cell.figures.get(metric);
    let Some(estimate) = figure.map(|figure| figure.mean.clone()).filter(|mean| mean.interval.is_some())
    else {
        let reason = figure.and_then(|figure| figure.unsupported.as_ref().or(figure.mean.reason.as_ref()));
        let why = reason.or(study.failures.first()).cloned();
        return Err(NoCapacity::NoInterval(why.unwrap_or_else(|| "no trial has succeeded".to_owned())));
    };
    let basis = study.basis(plan, cell.configuration, metric);
    let names = |audits: &mut dyn Iterator<Item = &Audit>| audits.map(|audit| audit.name.clone()).collect();
    let mut audits: Vec<String> = names(&mut failed_for(&study.audits, &basis));
    audits.extend::<Vec<String>>(names(&mut unproven(&study.audits, &basis)));
    if !audits.is_empty() {
        return Err(NoCapacity::NotBelieved(audits));
    }
    Ok(Capacity {
        estimate,
        metric,
        study: study.name.clone(),
        label: cell.label.clone(),
        trials: cell.n,
        fastest_of: measured.len(),
    })
}

#[cfg(test)]
mod tests;
