//! How often a limit is called kept that is not: etcd's 10 ms, by trials and by a mean of percentiles.

use stats::proportion::{Count, Majority};

use crate::random::Distribution;
use crate::{share, slack};

const RUNS: u32 = 10_000;

/// Half of all trials exceed the limit: whatever their distribution, "kept" is reported in no more than half of 5 % of
/// studies.
#[test]
fn a_limit_that_half_of_all_trials_exceed_is_seldom_called_kept() {
    for (name, distribution) in Distribution::ALL {
        let mut many = distribution.sample(&mut crate::random::Source::new(1), 100_001);
        many.sort_by(f64::total_cmp);
        let median = many[50_000];
        for n in [6, 10, 20] {
            let kept = share(n as u64, RUNS, |source| {
                let above = distribution.sample(source, n).iter().filter(|value| **value >= median).count();
                Count { of: above, n }.majority(0.95) == Majority::HaveNot
            });
            assert!(kept <= 0.025 + slack(0.025, RUNS), "{name}, n = {n}: {kept}");
        }
    }
}
