//! What the device did a second, compared with the limits of the trial's control group. More of it is I/O that the
//! limits do not reach: of other programs, or written back by the kernel.

use super::super::{Context, Judgement, Trial};
use super::realised::name;
use crate::phrase::limit;
use crate::verdict::{Cell, Status};
use model::IoCap;
use model::every_trial::IO_CAP;
use model::host::LimitOf;
use model::mechanism::DeviceCounters;
use model::units::format_significant;

/// A limit lets through this share more: the first slice of the kernel begins with a full one, and the files' metadata
/// is written by the file system's own threads.
const WITHIN: f64 = 0.1;

pub(super) fn check(context: &Context<'_>) -> Option<Judgement> {
    let capped: Vec<(&Cell, Vec<Held>)> = context
        .cells
        .iter()
        .filter_map(|cell| {
            let trials = context.trials.get(cell.configuration)?;
            let cap = trials.first()?.description.io_cap?;
            Some((cell, held(trials, cap)))
        })
        .filter(|(_, held)| !held.is_empty())
        .collect();
    if capped.is_empty() {
        return None;
    }
    let is_exceeded = |held: &[Held]| held.iter().any(Held::is_exceeded);
    let exceeded: Vec<usize> =
        capped.iter().filter(|(_, held)| is_exceeded(held)).map(|(cell, _)| cell.configuration).collect();
    let evidence = capped.iter().map(|(cell, held)| {
        let held: Vec<String> = held.iter().map(Held::words).collect();
        format!("{}: {}", name(&cell.label), held.join("; "))
    });
    let judgement = if exceeded.is_empty() {
        Judgement::pass(format!("The device did no more than {IO_CAP} allows."))
    } else {
        Judgement::new(
            Status::Fail,
            format!(
                "The device did more than {IO_CAP} allows, by more than {}, in {} of {} configurations: a part of its \
                 work was not limited.",
                limit(WITHIN),
                exceeded.len(),
                capped.len()
            ),
            "Use direct I/O or sync every write, so that the kernel charges the writes to the control group; measure \
             when no other program uses the disk.",
        )
        .at(exceeded)
    };
    Some(judgement.with(evidence))
}

/// A limit, and how much of it a second the device did.
struct Held {
    of: LimitOf,
    limit_per_s: f64,
    done_per_s: f64,
}

impl Held {
    fn is_exceeded(&self) -> bool {
        self.done_per_s > self.limit_per_s * (1.0 + WITHIN)
    }

    fn words(&self) -> String {
        let what = match self.of {
            LimitOf::BytesRead => "bytes read",
            LimitOf::BytesWritten => "bytes written",
            LimitOf::Reads => "reads",
            LimitOf::Writes => "writes",
        };
        let number = format_significant;
        format!("{} of at most {} {what} a second", number(self.done_per_s), number(self.limit_per_s))
    }
}

/// Each limit, over all trials; none if the device's counters are not known.
fn held(trials: &[Trial<'_>], cap: IoCap) -> Vec<Held> {
    let phases = || {
        let measured = trials.iter().filter_map(|trial| trial.record.measurement.as_ref());
        measured.flat_map(|measurement| &measurement.phases)
    };
    let counters = || phases().filter_map(|phase| Some((phase.mechanism.device.value()?, phase.duration_s)));
    let seconds: f64 = counters().map(|(_, seconds)| seconds.max(0.0)).sum();
    if seconds <= 0.0 {
        return Vec::new();
    }
    let done_per_s = |of| counters().map(|(device, _)| counted(device, of) as f64).sum::<f64>() / seconds;
    let held = |(of, limit)| Held { of, limit_per_s: limit as f64, done_per_s: done_per_s(of) };
    cap.limits().map(held).collect()
}

/// A flush is a write request without bytes, and no limit counts it.
fn counted(device: &DeviceCounters, of: LimitOf) -> u64 {
    match of {
        LimitOf::BytesRead => device.read_bytes,
        LimitOf::BytesWritten => device.written_bytes,
        LimitOf::Reads => device.reads,
        LimitOf::Writes => device.writes.saturating_sub(device.flushes.value().copied().unwrap_or(0)),
    }
}
