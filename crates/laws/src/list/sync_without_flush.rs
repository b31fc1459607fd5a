//! Syncs that do not empty the drive's cache: on macOS `fsync` and `O_SYNC` hand the data to the drive and no more
//! (Apple's fsync(2)); only `F_FULLFSYNC` flushes it. Page 003 takes `O_SYNC` there for durable.

use crate::claim::{Claim, Direction, NumberKind, Sync, System, Timed, time};
use crate::law::{Law, Looks, Reads};
use crate::status::Status;

/// No Mac's drive empties its cache earlier, ns: those measured take some milliseconds for an `F_FULLFSYNC`, a
/// plain fsync some tens of microseconds.
const FULL_SYNC_MIN_NS: f64 = 500_000.0;

/// The figures of what is synced.
const CONCERNS: &[NumberKind] = &[
    NumberKind::Rate,
    NumberKind::Bandwidth,
    NumberKind::LatencyMean,
    NumberKind::LatencySd,
    NumberKind::LatencyExtreme,
    NumberKind::LatencyPercentile,
    NumberKind::CommitRate,
    NumberKind::Sync,
    NumberKind::Commit,
];

pub const LAW: Law = Law {
    name: "sync-without-flush",
    looks: Looks::AtFigures,
    needs: "system, sync",
    held: "Syncs flush the drive's cache in {}.",
    broken: "Syncs leave the data in the drive's cache in {}.",
    advice: "Run it with fcntl(F_FULLFSYNC), as databases do on macOS, or do not call it durable.",
    lacking: "No {} states its operating system and how it syncs.",
    reads: Reads::Each(CONCERNS, read),
};

fn read(claim: &Claim) -> Option<(Status, String)> {
    let system = claim.setting.system?;
    if claim.setting.direction == Some(Direction::Read) {
        return None;
    }
    let Some(sync) = claim.setting.sync else { return unnamed(claim, system) };
    if sync == Sync::Never {
        return None;
    }
    let text = format!("{} on macOS does not empty the drive's cache.", sync.call());
    Some((if sync.empties_cache(system) { Status::Pass } else { Status::Warn }, text))
}

/// A sync whose call is not named: its time says whether the cache was emptied.
fn unnamed(claim: &Claim, system: System) -> Option<(Status, String)> {
    let (name, took) = claim.typical(Timed::Sync).filter(|(_, took)| took.value > 0.0)?;
    let is_brief = took.most() < FULL_SYNC_MIN_NS;
    let text = format!(
        "a sync on macOS takes {} ({name}): an F_FULLFSYNC needs {} or more.",
        time(took.value),
        time(FULL_SYNC_MIN_NS)
    );
    (system == System::MacOs).then_some((if is_brief { Status::Warn } else { Status::Pass }, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn a_sync_that_flushes_nothing() {
        let table = |row: &str| format!("iops,system,sync\n19455,{row}\n");
        check(&LAW, &table("macos,o_sync"), Status::Warn, "O_SYNC on macOS does not empty");
        check(&LAW, &table("macos,full_fsync"), Status::Pass, "flush the drive's cache");
        check(&LAW, &table("linux,o_sync"), Status::Pass, "flush the drive's cache");
        check(&LAW, &table("macos,never"), Status::NotAssessable, "how it syncs");
        check(&LAW, &table(",o_sync"), Status::NotAssessable, "operating system");
    }
}
