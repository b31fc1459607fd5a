//! A user's file of provisioned volumes.

use super::refusal::says_something;
use sizing::Volumes;

pub(super) fn volumes(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Volumes::parse(text) {
        Ok(volumes) => {
            for volume in volumes.iter() {
                for gib in [1.0, 1e6] {
                    let figures = [volume.iops(gib), volume.bytes_per_s(gib), volume.usd_per_month(gib)];
                    assert!(figures.iter().flatten().all(|n| n.is_finite() && *n >= 0.0), "{volume:?}");
                }
            }
        }
        Err(why) => says_something(why),
    }
}
