//! Ways to sync that differ by more than flushes can: each makes a write durable on one drive, so the fast one did
//! not flush it, or had nothing to flush. `pg_test_fsync` with 75,012 fdatasync/s beside 1,032 fsync/s shows a file
//! that was written already.
//!
//! An `fsync` of a file that grows writes the file system's journal too: a few flushes and seeks instead of one.

use crate::claim::{Claim, NumberKind, Sync};
use crate::law::{Law, LawResult, Looks, Reads};
use crate::reading::{Concern, Reading, grouped};
use crate::status::Status;
use model::units::format_significant;

/// Times as many syncs as by the slowest way, which flushes and journals do not explain.
const TIMES_MAX: f64 = 50.0;
/// The same for syncs so fast that no flush is in them, if another way shows that the drive's flushes are slow.
const TIMES_MAX_UNFLUSHED: f64 = 10.0;
/// Syncs per second beyond which only a drive whose flushes are fast in every way has them.
const UNFLUSHED_PER_S: f64 = 10_000.0;

/// The figures of a row that is too fast.
const CONCERNS: &[NumberKind] =
    &[NumberKind::Rate, NumberKind::Sync, NumberKind::LatencyMean, NumberKind::LatencyPercentile];

pub const LAW: Law = Law {
    name: "sync-methods-differ",
    looks: Looks::AtFigures,
    needs: "label, sync, iops",
    held: "The ways to sync differ by no more than flushes can in {}.",
    broken: "A way to sync is too fast beside another one in {}.",
    advice: "Count the drive's flushes during each of them (/proc/diskstats): on macOS only F_FULLFSYNC \
        flushes, and a drive may ignore FUA writes.",
    lacking: "No two {}s are named after ways to sync and give a rate.",
    reads: Reads::Together(together),
};

fn together(claims: &[Claim]) -> LawResult {
    let key = |claim: &Claim| rate(claim).map(|_| (claim.study.clone(), claim.setting.block_bytes));
    grouped(claims, key).iter().flat_map(|group| judge(claims, group)).collect()
}

/// Writes per second that are durable one by one, of a claim that is named after its way to sync.
fn rate(claim: &Claim) -> Option<f64> {
    claim.setting.sync.filter(|sync| sync.is_each_write())?;
    let is_alone = claim.setting.in_flight_possible().is_none_or(|possible| possible == 1);
    let of_latency =
        || claim.sync.typical().or_else(|| claim.latency.typical()).map(|(_, nanos)| 1e9 / nanos);
    let rate = claim.operations_per_s.or_else(of_latency).filter(|rate| *rate > 0.0 && rate.is_finite())?;
    (is_alone && is_method(&claim.label)).then_some(rate)
}

/// Whether a label names a way to sync and nothing else: claims with such labels measure one file on one drive.
fn is_method(label: &str) -> bool {
    let plain = label.to_ascii_lowercase();
    let mut words = plain.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    let is_known = |word: &str| {
        matches!(word, "write" | "pwrite" | "close") || Sync::WAYS.iter().any(|(known, _)| *known == word)
    };
    !plain.is_empty() && words.all(is_known)
}

fn judge(claims: &[Claim], group: &[usize]) -> Vec<Reading> {
    let rated = || group.iter().filter_map(|claim| Some((*claim, rate(&claims[*claim])?)));
    let slowest = rated().min_by(|a, b| a.1.total_cmp(&b.1));
    let Some((slowest, least)) = slowest.filter(|_| group.len() > 1) else { return Vec::new() };
    let reading = |(claim, rate)| {
        let times = rate / least;
        let most = if rate > UNFLUSHED_PER_S { TIMES_MAX_UNFLUSHED } else { TIMES_MAX };
        let status = if times > most { Status::Warn } else { Status::Pass };
        let [rate, times, least] = [rate, times, least].map(format_significant);
        let text = format!("{rate}/s is {times} × the {least}/s of {}.", claims[slowest].name());
        Reading::new(Concern::Kinds(CONCERNS), status, text).of(claim)
    };
    rated().map(reading).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn one_way_is_too_fast_beside_another() {
        let table = |fast: u32| format!("label,sync,iops\nfsync,fsync,1032\nfdatasync,fdatasync,{fast}\n");
        check(&LAW, &table(2950), Status::Pass, "no more than flushes can");
        check(&LAW, &table(75_012), Status::Warn, "is 72.7 × the");
        check(
            &LAW,
            "label,sync,iops\nRedis,fsync,5\nSQLite,fsync,5000\n",
            Status::NotAssessable,
            "named after",
        );
    }
}
