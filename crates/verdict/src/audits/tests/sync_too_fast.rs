//! A library that skips half or three quarters of `fdatasync` passed every audit with several committers: flushes that
//! they share leave room for it. The time of what it skipped does not.

use super::*;
use model::sidecar::Sidecar;
use model::trial::TrialKey;

/// Syncs of a device, with this share of them acknowledged in 0.2 µs.
fn syncs(skipped: f64) -> impl Fn(&TrialKey) -> Option<Sidecar> + Sync {
    let of = move |place: u32| {
        let is_skipped = f64::from(place) < 1000.0 * skipped;
        if is_skipped { 200 } else { 90_000 + u64::from(place) * 40 }
    };
    move |key| synthetic::sidecar_with(key, "sync_latency", (0..1000).map(of))
}

fn found(study: &Synthetic, skipped: f64) -> Status {
    let verdict = analyse(&study.run(), &syncs(skipped));
    let audits = &verdict.studies[0].audits;
    audits.iter().find(|audit| audit.name == "sync-too-fast").unwrap().status
}

fn committers(committers: u64, flushes: f64) -> Synthetic {
    metric("device_flushes_per_commit", flushes).fix("committers", Value::Count(committers))
}

#[test]
fn skipped_syncs_fail_and_honest_twins_pass() {
    // Flushes a commit as measured with direct overwrites.
    for (threads, flushes) in [(1, 1.0), (4, 0.79), (8, 0.42)] {
        assert_eq!(found(&committers(threads, flushes), 0.0), Status::Pass, "{threads}");
        for skipped in [0.5, 0.75] {
            let skipping = committers(threads, flushes * (1.0 - skipped));
            assert_eq!(found(&skipping, skipped), Status::Fail, "{threads} committers, {skipped} skipped");
        }
    }
}

#[test]
fn without_a_histogram_the_median_decides() {
    check(
        &metric("sync_latency_p50_us", 0.2),
        "sync-too-fast",
        Status::Fail,
        "mode=buffered group_size=1: 20 of 20 trials; furthest off: a sync takes 200 ns (p50): a drive \
         needs 5.00 µs or more.",
    );
    check(
        &Synthetic::commit(),
        "sync-too-fast",
        Status::Pass,
        "Acknowledgements of durable writes take long enough for a device.",
    );
}

/// A direct write to a device without a volatile cache is durable before its sync, which then does nothing.
#[test]
fn a_sync_that_has_nothing_to_do_is_judged_with_its_write() {
    let of = |commit_us: f64| {
        measured(move |measurement| {
            let write_cache = WriteCache::Absent("made up".to_owned());
            measurement.placement.below = Some(Below { medium: Medium::Device, write_cache });
            let metrics = &mut measurement.phases[0].metrics;
            metrics.insert("sync_latency_p50_us".to_owned(), Measured::Value(0.8));
            metrics.insert("commit_latency_p50_us".to_owned(), Measured::Value(commit_us));
        })
    };
    check(
        &of(14.0),
        "sync-too-fast",
        Status::Pass,
        "Closest to the limit, mode=direct group_size=4: a commit takes 14.0 µs (p50): a drive needs 5.00 \
         µs or more.",
    );
    check(
        &of(3.0),
        "sync-too-fast",
        Status::Fail,
        "mode=buffered group_size=1: 20 of 20 trials; furthest off: a commit takes 3.00 µs (p50): a drive \
         needs 5.00 µs or more.",
    );
}

#[test]
fn what_is_not_durable_may_be_fast() {
    let unsynced = measured(|measurement| measurement.durability = DurabilityClass::Process);
    check(
        &unsynced.fix("sync", name("none")),
        "sync-too-fast",
        Status::NotApplicable,
        "Nothing that is synced has a latency by itself.",
    );
}
