//! Whether synced data reached stable media: a drive with a volatile write cache must have received flushes, or writes
//! with force-unit-access (kernel `Documentation/block/writeback_cache_control.rst`).
//!
//! Flushes are counted over the trial: too few refute the durability class; enough do not show that each came before
//! its acknowledgement.

use super::tally::{Reading, Rule, Tally};
use super::{Bearing, Check, Context, Judgement, Trial, Use};
use crate::described;
use crate::verdict::Status;
use model::medium::{Medium, WriteCache};
use model::units::format_significant;

/// One writer waits for each of its syncs, so each has its own flush, unless another user of the disk requested a flush
/// at the same moment that serves both.
const FLUSHES_OF_ONE_WRITER_MIN: f64 = 0.95;
/// Flushes that the ends of a trial's window may cut off: one in progress at the start, or at the end.
const CUT_OFF_MAX: f64 = 1.0;

pub(super) const CHECK: Check = Check {
    name: "volatile-cache",
    bearing,
    moot: "Nothing is synced or declared to survive a power loss.",
    judge: check,
};

/// The time of a sync means nothing unless the acknowledged data was flushed.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    let is_used = used.is_of_device() || used.is_promise();
    (is_used && used.promises_durability()).then_some(Bearing::Required)
}

fn check(context: &Context<'_>) -> Judgement {
    // The class `power` applies to every commit: one trial with fewer flushes than it needed refutes it.
    let tally = Tally::read(context, Rule::AnyTrial, read);
    let status = tally.status();
    let judgement = match status {
        Status::Pass => Judgement::pass(
            "The device saw as many flushes (or forced writes) as acknowledged syncs need: one each for a single \
                 writer, fewer if threads share them.",
        ),
        Status::NotAssessable | Status::NotApplicable => Judgement::not_assessable(
            "It is unknown whether syncs reached stable media: nothing was synced, the device's write cache or its \
             flush count is unknown, or only a flag that anybody may set says that it has no volatile cache.",
        ),
        Status::Warn | Status::Fail => Judgement::new(
            status,
            format!(
                "A layer has a volatile write cache and saw fewer flushes than acknowledged syncs need in {}: not all \
                 acknowledged data had reached stable media.",
                tally.share()
            ),
            "Do not rely on these syncs: check the mount options (nobarrier), the hypervisor's cache mode and \
             queue/write_cache.",
        ),
    };
    tally.tell(judgement)
}

/// Flushes of one trial compared with what it acknowledged as durable.
pub(super) fn read(trial: &Trial<'_>) -> Option<Reading> {
    let flushes = described::flushed(trial.record)?;
    let placement = &trial.record.measurement.as_ref()?.placement;
    match (placement.medium(), placement.volatile_cache()) {
        (Medium::Unseen { .. }, _) | (_, WriteCache::Unproven(_)) => return None,
        (_, WriteCache::Absent(text)) => return Some(Reading { status: Status::Pass, severity: 0.0, text }),
        (_, WriteCache::Hidden(text)) => return Some(Reading { status: Status::Fail, severity: 1.0, text }),
        (Medium::Memory(_) | Medium::Device, WriteCache::Volatile(_)) => {}
    }
    let (per_unit, unit) = (flushes.per_unit.filter(|flushes| flushes.is_finite())?, flushes.unit.name());
    if flushes.is_forced && placement.fua.value() == Some(&true) {
        let text = format!(
            "direct dsync writes are forced to media by the drive (FUA), {} flushes per {unit}",
            format_significant(per_unit)
        );
        return Some(Reading { status: Status::Pass, severity: 0.0, text });
    }
    let threads = described::threads(trial.description);
    // Each thread waits for one sync at a time, so one flush serves at most one sync of every thread.
    let needed = FLUSHES_OF_ONE_WRITER_MIN.min(1.0 / threads);
    let missing = flushes.units.map(|units| (needed - per_unit) * units);
    let status = match missing {
        _ if per_unit >= needed => Status::Pass,
        Some(missing) if missing <= CUT_OFF_MAX => Status::Warn,
        Some(_) | None => Status::Fail,
    };
    let text = format!("write back cache, {} flushes per {unit}", format_significant(per_unit));
    Some(Reading { status, severity: 1.0 / (1.0 + per_unit.max(0.0)), text })
}
