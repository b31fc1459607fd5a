//! Laws that only tables were held against, held against trials.

use super::*;

#[test]
fn latencies_are_in_order() {
    check(
        &Synthetic::commit(),
        "impossible-order",
        Status::Pass,
        "Minimum, percentiles, mean, deviation and maximum are consistent in 50 trials.",
    );
    check(
        &metric("sync_latency_p99_us", 1.0),
        "impossible-order",
        Status::Fail,
        "mode=buffered group_size=1: 20 of 20 trials; furthest off: p50 581 µs is above p99 1.00 µs.",
    );
}

#[test]
fn direct_io_is_as_slow_as_a_device() {
    check(
        &Synthetic::commit(),
        "not-direct",
        Status::Pass,
        "No direct I/O is faster than a device (20 trials).",
    );
    let from_memory = metric("read_latency_mean_us", 0.6);
    check(
        &from_memory,
        "not-direct",
        Status::Fail,
        "mode=direct group_size=1: 10 of 10 trials; furthest off: stated to be direct, but its mean latency \
         is 600 ns: a device needs 2.00 µs or more.",
    );
}

/// Five rounds alike, and one in which everything took a hundred times longer.
#[test]
fn a_mean_with_one_outlier_says_so() {
    check(
        &Synthetic::commit(),
        "spread-exceeds-mean",
        Status::Pass,
        "No spread is larger than its figure in 4 configurations.",
    );
    check(
        &Synthetic::commit(),
        "interval-excludes-median",
        Status::Pass,
        "The mean's interval contains the median in 4 configurations.",
    );
    let one = Synthetic::commit().rounds(6).edit(|record| {
        let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
        if let Some(Measured::Value(rate)) = metrics.get_mut("commits_per_s") {
            *rate *= if record.key.round == 3 { 100.0 } else { 1.0 };
        }
    });
    check(
        &one,
        "spread-exceeds-mean",
        Status::Warn,
        "mode=buffered group_size=1 (the only configuration): commits_per_s is 17\u{2009}776, ± \
         43\u{2009}119.",
    );
    check(
        &Synthetic::commit().rounds(3),
        "spread-exceeds-mean",
        Status::NotApplicable,
        "No configuration gives a figure with a spread.",
    );
}
