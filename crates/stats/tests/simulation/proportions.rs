//! Outcomes that are yes or no, and how often their bounds hold.

use crate::documented::measured;
use crate::share;
use stats::Count;

const RUNS: u32 = 20_000;

#[test]
fn a_bound_of_a_share_holds_whatever_the_share() {
    for (seed, n, failing) in [(951, 6, 0.1), (952, 6, 0.5), (953, 20, 0.1), (954, 20, 0.3)] {
        let rate = share(seed, RUNS, |source| {
            let of = (0..n).filter(|_| source.uniform() < failing).count();
            Count { of, n }.share_at_most(0.95) >= failing
        });
        let percent = 100.0 * failing;
        measured(
            &format!("share of failing trials below its 95 % bound, true share {percent} %, n = {n}"),
            rate,
        );
        // Exact: never below its level, and above it if the count has few values.
        assert!(rate >= 0.945, "{rate}");
    }
}

#[test]
fn one_failing_trial_in_ten_is_often_not_seen() {
    let rate = share(961, RUNS, |source| (0..6).all(|_| source.uniform() >= 0.1));
    measured("no failing trial among six, where one in ten fails", rate);
    assert!((rate - 0.9_f64.powi(6)).abs() < 0.01, "{rate}");
}
