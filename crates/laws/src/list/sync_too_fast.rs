//! Syncs that are faster than a device can make anything durable: nothing was written, or nothing flushed.
//!
//! A sync of a written block is one device write or one flush at least. The fastest drives behind a bus (Optane)
//! take 5 µs for 4 KiB, and more with the kernel's own work. Persistent memory alone is faster.

use crate::claim::{Claim, Figure, NumberKind, Sync, Timed, time};
use crate::law::{Law, Looks, Reads};
use crate::reading::{Concern, LATENCY, Reading};
use crate::status::Status;
use model::DurabilityClass;
use model::sidecar::Counts;
use model::units::format_significant;

/// No drive makes a block durable earlier, ns.
const SYNC_MIN_NS: f64 = 5000.0;
/// A clock that steps makes a few operations look short.
const SHARE_MAX: f64 = 0.01;

pub const LAW: Law = Law {
    name: "sync-too-fast",
    looks: Looks::AtFigures,
    needs: "sync_latency_p50_us (or sync, iops, in_flight)",
    held: "Syncs take long enough for a device in {}.",
    broken: "Syncs are faster than any device in {}.",
    advice: "Find out what the sync did: count the device's writes and flushes in /proc/diskstats. Memory, \
        a file system that ignores flushes, or an fdatasync with nothing to write is as fast; persistent \
        memory may be.",
    lacking: "No {} gives a sync's latency, or syncs each write and gives a latency or what was in flight.",
    reads: Reads::Numbers(numbers),
};

/// Share of the operations of a histogram that are too short for a device; `None` if it has none.
pub fn share_too_short(counts: &Counts) -> Option<f64> {
    let of =
        |counted: &mut dyn Iterator<Item = &(u64, u64)>| counted.map(|(_, count)| *count as f64).sum::<f64>();
    let all = of(&mut counts.iter());
    let short = of(&mut counts.iter().filter(|(nanos, _)| (*nanos as f64) < SYNC_MIN_NS));
    (all > 0.0).then(|| short / all)
}

fn numbers(claim: &Claim) -> Vec<Reading> {
    [by_latency(claim), by_write(claim), by_rate(claim)].into_iter().flatten().collect()
}

fn judge(kinds: &'static [NumberKind], took: Figure, text: String) -> Option<Reading> {
    let status = if took.most() < SYNC_MIN_NS { Status::Fail } else { Status::Pass };
    let reading = Reading::new(Concern::Kinds(kinds), status, text);
    (took.value > 0.0).then_some(Reading { severity: SYNC_MIN_NS / took.value.max(1.0), ..reading })
}

/// Half of the syncs, or all of them on average, as some find nothing to write; or more of them than a clock that
/// steps makes short. Durable commits stand for syncs of which nothing is known.
fn by_latency(claim: &Claim) -> Option<Reading> {
    let is_durable = claim.setting.survives() == Some(DurabilityClass::Power);
    let commit = || claim.typical(Timed::Commit).filter(|_| is_durable);
    let (what, kinds, (name, took)): (_, &[NumberKind], _) = match claim.typical(Timed::Sync) {
        Some(sync) => ("a sync", &[NumberKind::Sync], sync),
        None => ("a commit", &[NumberKind::Commit], commit()?),
    };
    let share = claim.syncs_too_short.unwrap_or(0.0);
    let shorter =
        format!(", {} % of them less than {}", format_significant(share * 100.0), time(SYNC_MIN_NS));
    let shorter = if share > 0.0 { shorter } else { String::new() };
    let text = format!("{what} takes {} ({name}){shorter}: {}.", time(took.value), needed());
    let reading = judge(kinds, took, text)?;
    let status = if share > SHARE_MAX { Status::Fail } else { reading.status };
    Some(Reading { status, severity: reading.severity + share, ..reading })
}

/// `O_SYNC`, `O_DSYNC`, and databases that sync: the write ends when it is durable.
fn by_write(claim: &Claim) -> Option<Reading> {
    let is_held = |sync: &Sync| !sync.is_call() || claim.setting.latency_holds_sync;
    let sync = claim.setting.sync.filter(|sync| sync.is_each_write() && is_held(sync))?;
    let (name, took) = claim.typical(Timed::Operation)?;
    let joined = if sync.is_call() { "with" } else { "by" };
    let text = format!("a write {joined} {} takes {} ({name}): {}.", sync.name(), time(took.value), needed());
    judge(LATENCY, took, text)
}

/// A sync covers no more writes than can be in flight.
fn by_rate(claim: &Claim) -> Option<Reading> {
    let durable = match claim.setting.sync {
        Some(sync) => sync.is_each_write().then(|| format!("with {}", sync.name()))?,
        None => claim
            .setting
            .durability
            .filter(|class| *class == DurabilityClass::Power)
            .map(|_| "made durable".to_owned())?,
    };
    if claim.setting.writes() == Some(false) {
        return None;
    }
    let rate = claim.rate().filter(|rate| rate.value > 0.0)?;
    // A thread that syncs each write waits for it.
    let possible = claim.setting.in_flight_possible().or(claim.setting.numjobs)? as f64;
    let value = possible / rate.value * 1e9;
    let text = format!(
        "{}/s {durable} by each of {} in flight leaves {} for one: {}.",
        format_significant(rate.value),
        format_significant(possible),
        time(value),
        needed()
    );
    judge(
        &[NumberKind::Rate, NumberKind::Bandwidth],
        Figure { value, uncertainty: value * rate.relative() },
        text,
    )
}

fn needed() -> String {
    format!("a drive needs {} or more", time(SYNC_MIN_NS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Latency;
    use crate::tests::check;

    #[test]
    fn syncs_faster_than_a_device_can() {
        check(
            &LAW,
            "sync_latency_p50_us\n2.1\n",
            Status::Fail,
            "a sync takes 2.10 µs (p50): a drive needs 5.00 µs",
        );
        check(&LAW, "sync_latency_p50_us\n18\n", Status::Pass, "long enough for");
        let table = |row: &str| format!("rw,sync,iops,in_flight,latency_mean_us\nwrite,{row}\n");
        check(&LAW, &table("o_dsync,,,3.3"), Status::Fail, "a write by o_dsync takes 3.30 µs");
        check(&LAW, &table("fdatasync,430522,1,"), Status::Fail, "leaves 2.32 µs for one");
        // A group commit syncs for all that wait.
        check(&LAW, &table("fdatasync,430522,64,"), Status::Pass, "long enough for");
        check(&LAW, &table("fdatasync,19455,1,"), Status::Pass, "long enough for");
        check(&LAW, &table("later,430522,1,2.1"), Status::NotAssessable, "syncs each write");
    }

    #[test]
    fn the_share_is_of_operations() {
        assert_eq!(share_too_short(&vec![(200, 3), (4999, 1), (5000, 6), (90_000, 6)]), Some(0.25));
        assert_eq!(share_too_short(&Vec::new()), None);
    }

    /// One skipped sync of two has a typical time that is long enough.
    #[test]
    fn some_of_the_syncs_are_too_short() {
        let judge = |share| {
            let sync = Latency { mean_ns: Some(900_000.0), ..Latency::default() };
            LAW.judge(&[Claim { sync, syncs_too_short: Some(share), ..Claim::default() }], "row")
        };
        assert_eq!((judge(0.005).status, judge(0.25).status), (Status::Pass, Status::Fail));
        assert!(
            judge(0.25).evidence[0].contains("25.0 % of them less than 5.00 µs"),
            "{:?}",
            judge(0.25).evidence
        );
    }
}
