//! Laws that only tables were held against, held against trials.

use super::*;

#[test]
fn latencies_are_in_order() {
    check(&Synthetic::commit(), "impossible-order", Status::Pass, "are consistent in 50 trials");
    check(&metric("sync_latency_p99_us", 1.0), "impossible-order", Status::Fail, "is above p99 1.00 µs");
}

#[test]
fn direct_io_is_as_slow_as_a_device() {
    check(&Synthetic::commit(), "not-direct", Status::Pass, "faster than a device");
    let from_memory = metric("read_latency_mean_us", 0.6);
    check(&from_memory, "not-direct", Status::Fail, "its mean latency is 600 ns: a device needs 2.00 µs");
}

/// Five rounds alike, and one in which everything took a hundred times longer.
#[test]
fn a_mean_with_one_outlier_says_so() {
    check(&Synthetic::commit(), "spread-exceeds-mean", Status::Pass, "4 configurations");
    check(&Synthetic::commit(), "interval-excludes-median", Status::Pass, "4 configurations");
    let one = Synthetic::commit().rounds(6).edit(|record| {
        let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
        if let Some(Measured::Value(rate)) = metrics.get_mut("commits_per_s") {
            *rate *= if record.key.round == 3 { 100.0 } else { 1.0 };
        }
    });
    check(&one, "spread-exceeds-mean", Status::Warn, "commits_per_s is");
    check(&Synthetic::commit().rounds(3), "spread-exceeds-mean", Status::NotApplicable, "No configuration");
}
