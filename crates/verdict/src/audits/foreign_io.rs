//! Whether the device's counters include other programs' I/O. `/proc/diskstats` counts all use of the device;
//! `/proc/self/io` counts what the kernel charged to the worker when it sent requests there (kernel
//! `include/linux/task_io_accounting_ops.h`). The difference is not the worker's, so an explanation that rests on the
//! device's counters is not about the worker either.
//!
//! Writes are judged only if all of them are on the device when the phase ends. For blocks that were written before,
//! both counters agree. For a growing file the journal writes more, and the audit allows for it. The writes of
//! copy-on-write file systems and the writeback of older dirty pages have no known bound, and are not judged.
//!
//! A few foreign requests only blur what the counters explain. The audit fails if the device moved more for others than
//! for the worker, and so much per second that it costs time: then the worker's own figures are those of a shared
//! device.

use super::check::Traced;
use super::tally::{Reading, Rule, Tally};
use super::{Bearing, Check, Context, Judgement, Trial, Use};
use crate::phrase::{count, percent};
use crate::verdict::Status;
use model::DurabilityClass;
use model::figure::round;
use model::metric::Source;
use model::trial::{Phase, TrialRecord};
use model::units::{KIB, MIB, format_bytes_approximate};

/// The device may exceed the process by this share: metadata, journal, requests cut off at the ends of the phase.
const SHARE_AT_MOST: f64 = 0.10;
/// … and by this number of bytes, which covers a short trial's metadata.
const BYTES_AT_MOST: f64 = 8.0 * MIB as f64;
/// The device moved this share of its bytes or more for others …
const FOREIGN_SHARE_FAIL: f64 = 0.5;
/// … and at a rate that takes a noticeable part of its time: a tenth of a spinning disk's, some 3 % of a SATA drive's
/// 530 MB/s. A lower rate is typical of a log file.
const FOREIGN_PER_S_FAIL: f64 = 16.0 * MIB as f64;
/// The maximum that a journal writes for one operation that changes metadata: a commit into a growing or unwritten file
/// took 24 KiB beyond its 4 KiB on ext4 and 2 KiB on XFS (measured by device counters).
const JOURNAL_BYTES_PER_OPERATION: f64 = 64.0 * KIB as f64;
/// The maximum number of disturbed trials, or share of all, that counts as a few.
const FEW_TRIALS: usize = 2;
const FEW_SHARE: f64 = 0.05;
/// File systems that write metadata for every overwrite.
const COPY_ON_WRITE: &[&str] = &["btrfs", "bcachefs", "zfs", "f2fs"];

/// Bytes of one direction, by the device's counters and by the worker's own accounting.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Moved {
    device: f64,
    process: f64,
    /// The maximum that the file system may have written by itself for the worker.
    metadata: f64,
}

impl Moved {
    /// Bytes that others moved, if they are more than metadata.
    fn foreign(self) -> Option<f64> {
        let excess = self.device - self.process - self.metadata;
        (excess > BYTES_AT_MOST && excess > SHARE_AT_MOST * self.process).then_some(excess)
    }
}

/// Both directions of one trial, or of several together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Traffic {
    read: Moved,
    written: Moved,
}

impl Traffic {
    /// For one trial; `None` if a counter is missing.
    fn in_trial(trial: &Trial<'_>) -> Option<Self> {
        let metadata_bytes = metadata_bytes(trial);
        let mut traffic = Self::default();
        for phase in &trial.record.measurement.as_ref()?.phases {
            let device = phase.mechanism.device.value()?;
            let process = phase.mechanism.process_io.value()?;
            traffic.read.device += device.read_bytes as f64;
            traffic.read.process += process.read_bytes as f64;
            if metadata_bytes.is_some() {
                traffic.written.device += device.written_bytes as f64;
                traffic.written.process += process.written_bytes as f64;
            }
        }
        traffic.written.metadata = metadata_bytes.unwrap_or(0.0);
        Some(traffic)
    }

    fn plus(mut self, other: Self) -> Self {
        for (sum, moved) in [(&mut self.read, other.read), (&mut self.written, other.written)] {
            sum.device += moved.device;
            sum.process += moved.process;
            sum.metadata += moved.metadata;
        }
        self
    }

    /// Bytes that others moved in both directions.
    fn foreign(self) -> Option<f64> {
        let (read, written) = (self.read.foreign(), self.written.foreign());
        (read.is_some() || written.is_some()).then(|| read.unwrap_or(0.0) + written.unwrap_or(0.0))
    }

    /// `read 312 MiB and wrote 20.0 MiB`.
    fn words(self) -> String {
        let part = |verb: &str, moved: Moved| {
            moved.foreign().map(|bytes| {
                let own = format_bytes_approximate(moved.process);
                format!("{verb} {} beside the worker's {own}", format_bytes_approximate(bytes))
            })
        };
        let parts: Vec<String> =
            part("read", self.read).into_iter().chain(part("wrote", self.written)).collect();
        parts.join(" and ")
    }
}

/// Bytes that the file system may write beyond the worker's accounting; `None` if there is no bound.
fn metadata_bytes(trial: &Trial<'_>) -> Option<f64> {
    let description = trial.description;
    let Some(writes) = description.writes() else { return Some(0.0) };
    let measurement = trial.record.measurement.as_ref()?;
    let is_in_place = !COPY_ON_WRITE.contains(&measurement.placement.filesystem.as_str());
    // Dirty pages from a ramp are written during the phase.
    let is_ramped = description.duration.unmeasured_max_s() > 0.0;
    let is_durable_at_once = description.durability == Some(DurabilityClass::Power);
    let ends_on_device = writes.is_direct() || (description.syncs && (is_durable_at_once || !is_ramped));
    // An engine writes any amount at any time.
    if !is_in_place || !ends_on_device || description.in_engine {
        return None;
    }
    let is_overwrite = measurement.files.iter().all(|file| file.layout == "prefilled");
    let operations: f64 = measurement.phases.iter().map(|phase| phase.counted_operations() as f64).sum();
    Some(if is_overwrite { 0.0 } else { operations * JOURNAL_BYTES_PER_OPERATION })
}

pub(super) const CHECK: Check = Check {
    name: "foreign-io",
    bearing,
    moot: "No figure is read from the clock or from the counters of the device.",
    judge: check,
};

pub(super) const TRACED: Traced = Traced {
    audit: CHECK.name,
    shown: |family| {
        let (requests, operation) = (family.all.foreign_requests_per_operation, family.operation());
        format!("the device got {} requests of other threads during the mean {operation}", round(requests))
    },
    caused: |neighbour| {
        let share = neighbour.requests_share;
        (share, format!("{} sent {} of the requests of other threads", neighbour.program, percent(share)))
    },
    unseen: "A trace shows the requests of one kernel: those of other machines, or of other guests of the host, are \
             part of the time in the device.",
};

/// The device's counters include all programs. A time only becomes longer, equally in all arms of a round.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    match used.source {
        Some(Source::Device) => Some(Bearing::Required),
        Some(Source::Clock) => Some(Bearing::Limiting),
        Some(Source::Process | Source::Program) | None => None,
    }
}

fn check(context: &Context<'_>) -> Judgement {
    let trials = context.trials.iter().flatten();
    let trials: Vec<(&TrialRecord, Traffic)> =
        trials.filter_map(|trial| Some((trial.record, Traffic::in_trial(trial)?))).collect();
    if trials.is_empty() {
        return Judgement::not_assessable(
            "No trial has both the device's counters and the bytes that the kernel charged to the worker.",
        );
    }
    // Other programs come and go, and a paired comparison of several rounds tolerates one or two disturbed trials.
    let shared = Tally::read(context, Rule::MoreThanATenth, shared);
    if shared.status() == Status::Fail {
        return Judgement::new(
            Status::Fail,
            format!(
                "The device moved more for other programs than for the worker in {}: their requests affect every \
                 figure there.",
                shared.share()
            ),
            ADVICE,
        )
        .about(shared.about())
        .with(shared.evidence());
    }
    let has_counters =
        |trials: &Vec<Trial<'_>>| trials.iter().all(|trial| Traffic::in_trial(trial).is_some());
    let of_all = context.trials.iter().enumerate();
    let unread = of_all.filter(|(_, trials)| !has_counters(trials)).map(|(configuration, _)| configuration);
    blurred(context, &trials).unassessed(unread)
}

/// Whether the device worked more for others than for the worker in a trial.
fn shared(trial: &Trial<'_>) -> Option<Reading> {
    let traffic = Traffic::in_trial(trial)?;
    let duration_s: f64 = trial.record.measurement.as_ref()?.phases.iter().map(Phase::counted_s).sum();
    let foreign = traffic.foreign().unwrap_or(0.0);
    let share = foreign / (traffic.read.device + traffic.written.device).max(1.0);
    let is_much = foreign / duration_s > FOREIGN_PER_S_FAIL;
    let limit = if is_much { FOREIGN_SHARE_FAIL } else { f64::INFINITY };
    let text = format!("other programs {} (round {})", traffic.words(), trial.record.key.round);
    Some(Reading::judged(share, limit, limit, text))
}

const ADVICE: &str = "Stop other work on this disk, or put the files on a device with its own counters (filesystem = \
                      ext4, as root).";

/// The judgement if others moved too little to spoil the figures: the counters are not the worker's alone.
fn blurred(context: &Context<'_>, trials: &[(&TrialRecord, Traffic)]) -> Judgement {
    let mut disturbed: Vec<_> =
        trials.iter().filter_map(|(record, traffic)| Some((record, traffic, traffic.foreign()?))).collect();
    disturbed.sort_by(|a, b| b.2.total_cmp(&a.2));
    let share = format!("{} of {}", disturbed.len(), count(trials.len(), "trial"));
    let Some((record, traffic, _)) = disturbed.first() else {
        return Judgement::pass("What the device read and wrote was the worker's own, in every trial.");
    };
    let label = context.observations.plan.label(record.key.configuration);
    let trial = format!("{label} round {}", record.key.round);
    let worst = format!("Most in {}: other programs {}.", trial.trim_start(), traffic.words());
    let bytes: f64 = disturbed.iter().map(|(_, _, bytes)| bytes).sum();
    let bytes = format_bytes_approximate(bytes);
    let few = FEW_TRIALS.max((FEW_SHARE * trials.len() as f64) as usize);
    let judgement = if disturbed.len() <= few {
        Judgement::pass(format!(
            "What the device read and wrote was the worker's own, except in {share}, in which others moved {bytes}."
        ))
    } else {
        Judgement::new(
            Status::Warn,
            format!(
                "Other programs used the device in {share} and moved {bytes} there: its counters are not the worker's \
                 alone, and what they explain is withheld from the findings concerned."
            ),
            ADVICE,
        )
        .at(disturbed.iter().map(|(record, _, _)| record.key.configuration))
    };
    judgement.with([worst])
}

/// By configuration: what others moved on the device during its trials together, if it is more than metadata.
pub(super) fn by_configuration(context: &Context<'_>) -> Vec<Option<String>> {
    let foreign = |trials: &Vec<Trial<'_>>| {
        let all = trials.iter().filter_map(Traffic::in_trial).fold(Traffic::default(), Traffic::plus);
        all.foreign().map(|_| all.words())
    };
    context.trials.iter().map(foreign).collect()
}
