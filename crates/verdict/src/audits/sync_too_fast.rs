//! Syncs that are too short for a device: something acknowledged them that made nothing durable. Flushes that
//! several threads share hide one skipped sync of two; its time does not.
//!
//! A device with a volatile cache must be sent a flush by every sync, so the sync's own time is judged. Without
//! such a cache a direct write is durable before its sync, and on a file system with a log of its own one thread's
//! sync may answer for another's; there the time from the write to its acknowledgement is judged.

use super::tally::{Rule, Tally};
use super::{Bearing, Check, Context, Judgement, Trial, Use};
use crate::claims::latency;
use crate::described;
use crate::observations::value;
use crate::verdict::Status;
use laws::list::sync_too_fast::LAW;
use laws::{Circumstances, Claim, Latency};
use model::DurabilityClass;
use model::description::Flushes;
use model::host::Placement;
use model::medium::WriteCache;

/// On these the kernel may answer a sync whose data the sync of another thread made durable without a flush of its own
/// (`skip_sync` in `fs/btrfs/file.c`, `f2fs_do_sync_file`).
const ANSWERS_FOR_OTHERS: &[&str] = &["btrfs", "bcachefs", "f2fs", "nilfs2", "zfs"];

pub(super) const CHECK: Check = Check {
    name: "sync-too-fast",
    bearing,
    moot: "Nothing that is synced has a latency by itself.",
    judge: check,
};

/// The same figures and promises as `volatile-cache`, if a latency was recorded.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    let has_latency = used.description.figures.flushes.as_ref().is_some_and(Flushes::has_latency);
    let is_used = used.is_of_device() || used.is_promise();
    (has_latency && is_used && used.promises_durability()).then_some(Bearing::Required)
}

fn check(context: &Context<'_>) -> Judgement {
    // The class `power` applies to every sync, and no chance makes a device faster than it can be.
    let tally = Tally::by_law(context, Rule::AnyTrial, &LAW, |trial| claim(context, trial));
    let status = tally.status();
    let judgement = match status {
        Status::Pass => Judgement::pass("Acknowledgements of durable writes take long enough for a device."),
        Status::NotAssessable | Status::NotApplicable => {
            Judgement::not_assessable("No latency of a sync or of an acknowledged write was recorded.")
        }
        Status::Warn | Status::Fail => Judgement::new(
            status,
            format!(
                "Syncs were faster than a device can make anything durable in {}: not all acknowledged data had \
                 reached stable media.",
                tally.share()
            ),
            "Find out what answers these syncs: a library that is loaded first (LD_PRELOAD), the file system, the \
             hypervisor.",
        ),
    };
    tally.tell(judgement)
}

/// What a trial claims of the time of its syncs, or of its commits if its syncs may have had nothing to do.
fn claim(context: &Context<'_>, trial: &Trial<'_>) -> Option<Claim> {
    described::flushed(trial.record)?;
    let placement = &trial.record.measurement.as_ref()?.placement;
    let flushes = trial.description.figures.flushes.as_ref()?;
    let family = family(flushes, placement)?;
    let line = latency(family, &|name| value(trial.record, name));
    let is_sync = flushes.sync_latency.as_deref() == Some(family);
    let (sync, commit) = if is_sync { (line, Latency::default()) } else { (Latency::default(), line) };
    Some(Claim {
        sync,
        commit,
        syncs_too_short: context.latencies.share_too_short(trial.record.key.configuration, family),
        setting: Circumstances { durability: Some(DurabilityClass::Power), ..Circumstances::default() },
        ..Claim::default()
    })
}

/// The latencies that no device makes shorter; `None` if none was recorded, or in persistent memory.
fn family<'a>(flushes: &'a Flushes, placement: &Placement) -> Option<&'a str> {
    if placement.device.value().is_some_and(|device| device.starts_with("pmem")) {
        return None;
    }
    let answers_for_others = ANSWERS_FOR_OTHERS.contains(&placement.filesystem.as_str());
    let each_flushes = match placement.volatile_cache() {
        WriteCache::Volatile(_) | WriteCache::Hidden(_) => !answers_for_others,
        WriteCache::Absent(_) | WriteCache::Unproven(_) => false,
    };
    let alone = flushes.sync_latency.as_deref().filter(|_| each_flushes);
    alone.or(flushes.acknowledged_latency.as_deref())
}
