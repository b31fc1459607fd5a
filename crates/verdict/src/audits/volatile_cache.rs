//! Whether acknowledged commits reached stable media: a drive with a volatile write cache must have seen flushes, or
//! writes with force-unit-access (kernel `Documentation/block/writeback_cache_control.rst`).

use super::tally::{Reading, Tally};
use super::{Context, Judgement};
use crate::observations::value;
use crate::verdict::Status;
use model::trial::TrialRecord;
use model::units::format_significant;

/// Committers that sync at the same time share flushes, so one flush may serve all of them; less than half of that
/// share means that commits were acknowledged without any.
const SHARED_FLUSHES_AT_LEAST: f64 = 0.5;

pub(super) fn check(context: &Context<'_>) -> Judgement {
    let tally = Tally::of(context, read);
    let status = tally.status();
    let judgement = match status {
        Status::Pass => {
            Judgement::pass("The device saw the flushes (or forced writes) that acknowledged commits need.")
        }
        Status::NotAssessable => Judgement::not_assessable(
            "Whether commits reached stable media cannot be told: nothing was synced, or the device's write cache or \
             its flush count is unknown.",
        ),
        Status::Warn | Status::Fail => Judgement::new(
            status,
            format!(
                "The drive has a volatile write cache and saw no flush per commit in {}: acknowledged commits did not \
                 reach stable media.",
                tally.share()
            ),
            "Do not rely on these commits: check the mount options (nobarrier), the hypervisor's cache mode and \
             queue/write_cache.",
        ),
    };
    judgement.with(tally.evidence())
}

fn read(record: &TrialRecord) -> Option<Reading> {
    let values = &record.values;
    if !matches!(values.text("sync").as_deref(), Ok("fdatasync" | "fsync" | "dsync")) {
        return None;
    }
    let placement = &record.measurement.as_ref()?.placement;
    let cache = placement.write_cache.value()?.as_str();
    let flushes = value(record, "device_flushes_per_commit");
    if cache == "write through" {
        let text = "the drive says that it has no volatile cache, so nothing needs a flush".to_owned();
        return Some(Reading { status: Status::Pass, severity: 0.0, text });
    }
    let flushes = flushes?;
    let wal_mode = if values.is("wal_mode", "same") { "mode" } else { "wal_mode" };
    let forced = values.is("sync", "dsync") && values.is(wal_mode, "direct");
    if forced && placement.fua.value() == Some(&true) {
        let text = format!(
            "direct dsync writes are forced to media by the drive (FUA), {} flushes per commit",
            format_significant(flushes)
        );
        return Some(Reading { status: Status::Pass, severity: 0.0, text });
    }
    let committers = values.count("committers").unwrap_or(1).max(1) as f64;
    let needed = SHARED_FLUSHES_AT_LEAST / committers;
    let status = if flushes < needed { Status::Fail } else { Status::Pass };
    let text = format!("{cache} cache, {} flushes per commit", format_significant(flushes));
    Some(Reading { status, severity: 1.0 / (1.0 + flushes.max(0.0)), text })
}
