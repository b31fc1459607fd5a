//! A user's file of limits.

use super::refusal::says_something;
use preflight::{LIMITS_MAX, Limits};

pub(super) fn limits(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let metrics =
        ["commits_per_s", "commit_latency_p99_us", "iops", "bandwidth_bytes_per_s"].map(str::to_owned);
    let limits = Limits::parse(text).and_then(|limits| limits.on(&metrics, "the planned studies"));
    match limits {
        Ok(limits) => {
            assert!((1..=LIMITS_MAX).contains(&limits.len()));
            for limit in limits {
                assert!(metrics.contains(&limit.metric), "{limit:?}");
                assert!(limit.value.is_finite() && limit.value >= 0.0, "{limit:?}");
            }
        }
        Err(why) => says_something(why),
    }
}
