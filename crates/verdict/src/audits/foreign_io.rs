//! Whether the device's counters hold other programs' I/O. `/proc/diskstats` counts whoever used the device;
//! `/proc/self/io` what the kernel charged to the worker when it sent requests there (kernel
//! `include/linux/task_io_accounting_ops.h`). What the device did beyond that was not the worker's, and neither is an
//! explanation that rests on it.
//!
//! Writes are judged where the two count the same: direct or synced ones over blocks that were written before. Journals
//! of growing files, copy-on-write file systems and writeback of what was dirtied earlier write more than was asked.

use super::{Context, Judgement, Trial};
use crate::phrase::count;
use crate::verdict::Status;
use model::trial::TrialRecord;
use model::units::{MIB, format_bytes_approximate};

/// The device may exceed the process by this share: metadata, journal, requests cut off at the ends of the phase.
const SHARE_AT_MOST: f64 = 0.10;
/// … and by this many bytes, which a short trial's metadata come to.
const BYTES_AT_MOST: f64 = 8.0 * MIB as f64;
/// Up to this many disturbed trials, or this share of all, are a few.
const FEW_TRIALS: usize = 2;
const FEW_SHARE: f64 = 0.05;
/// File systems that write metadata for every overwrite.
const COPY_ON_WRITE: &[&str] = &["btrfs", "bcachefs", "zfs", "f2fs"];

/// Bytes of one direction, as the device and as the worker's own accounting have them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Moved {
    device: f64,
    process: f64,
}

impl Moved {
    /// Bytes that others moved, where they are more than metadata.
    fn foreign(self) -> Option<f64> {
        let excess = self.device - self.process;
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
    /// Of one trial; `None` where a counter is missing.
    fn of(trial: &Trial<'_>) -> Option<Self> {
        let judges_writes = judges_writes(trial);
        let mut traffic = Self::default();
        for phase in &trial.record.measurement.as_ref()?.phases {
            let device = phase.mechanism.device.value()?;
            let process = phase.mechanism.process_io.value()?;
            traffic.read.device += device.read_bytes as f64;
            traffic.read.process += process.read_bytes as f64;
            if judges_writes {
                traffic.written.device += device.written_bytes as f64;
                traffic.written.process += process.written_bytes as f64;
            }
        }
        Some(traffic)
    }

    fn plus(mut self, other: Self) -> Self {
        for (sum, moved) in [(&mut self.read, other.read), (&mut self.written, other.written)] {
            sum.device += moved.device;
            sum.process += moved.process;
        }
        self
    }

    /// Bytes that others moved either way.
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

/// Whether the worker's accounting holds all that the device should have written for it.
fn judges_writes(trial: &Trial<'_>) -> bool {
    let circumstances = &trial.circumstances;
    let Some(writes) = circumstances.writes else { return true };
    let Some(measurement) = &trial.record.measurement else { return false };
    let is_overwrite = measurement.files.iter().all(|file| file.layout == "prefilled");
    let is_in_place = !COPY_ON_WRITE.contains(&measurement.placement.filesystem.as_str());
    let ends_on_device = writes.is_direct() || (circumstances.syncs && circumstances.ramp_s <= 0.0);
    is_overwrite && is_in_place && ends_on_device
}

pub(super) fn check(context: &Context<'_>) -> Judgement {
    let trials = context.trials.iter().flatten();
    let trials: Vec<(&TrialRecord, Traffic)> =
        trials.filter_map(|trial| Some((trial.record, Traffic::of(trial)?))).collect();
    if trials.is_empty() {
        return Judgement::not_assessable(
            "No trial has the device's counters beside what the kernel charged to the worker.",
        );
    }
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
            "What the device read and wrote was the worker's own, but for {share}, in which others moved {bytes}."
        ))
    } else {
        Judgement::new(
            Status::Warn,
            format!(
                "Other programs used the device in {share} and moved {bytes} there: its counters are not the worker's \
                 alone, and what they explain is withheld from the findings concerned."
            ),
            "Stop other work on this disk, or give the files a device with counters of its own (filesystem = ext4, as root).",
        )
        .at(disturbed.iter().map(|(record, _, _)| record.key.configuration))
    };
    judgement.with([worst])
}

/// By configuration: what others moved on the device during its trials together, where that is more than metadata.
pub(super) fn by_configuration(context: &Context<'_>) -> Vec<Option<String>> {
    let foreign = |trials: &Vec<Trial<'_>>| {
        let all = trials.iter().filter_map(Traffic::of).fold(Traffic::default(), Traffic::plus);
        all.foreign().map(|_| all.words())
    };
    context.trials.iter().map(foreign).collect()
}
