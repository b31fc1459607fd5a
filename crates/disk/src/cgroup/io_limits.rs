//! Limits of I/O on a device, of the control group of this process and of those above it: `io.max` (kernel
//! `Documentation/admin-guide/cgroup-v2.rst`) and `blkio.throttle.*_device` (`cgroup-v1/blkio-controller.rst`). A limit
//! of any of them holds.

use super::hierarchy::ancestry;
use crate::kernel::block_device::BlockDevice;
use model::host::{IoLimit, LimitOf};
/// The keys of v2's one file.
pub(super) use model::io_cap::KEYS;
use std::fs;
use std::path::{Path, PathBuf};

/// The files of v1, one a limit.
pub(super) const FILES: [(&str, LimitOf); 4] = [
    ("blkio.throttle.read_bps_device", LimitOf::BytesRead),
    ("blkio.throttle.write_bps_device", LimitOf::BytesWritten),
    ("blkio.throttle.read_iops_device", LimitOf::Reads),
    ("blkio.throttle.write_iops_device", LimitOf::Writes),
];

/// The lowest limit of each kind on a device; `None` if the groups or the device's number cannot be read.
pub(crate) fn io_limits(device: &BlockDevice) -> Option<Vec<IoLimit>> {
    let number = fs::read_to_string(device.disk_directory.join("dev")).ok()?;
    Some(lowest(&ancestry("blkio").ok()?, number.trim()))
}

fn lowest(groups: &[PathBuf], number: &str) -> Vec<IoLimit> {
    let mut lowest: Vec<IoLimit> = Vec::new();
    for limit in groups.iter().flat_map(|group| of_group(group, number)) {
        match lowest.iter_mut().find(|known| known.of == limit.of) {
            Some(known) if known.per_s <= limit.per_s => {}
            Some(known) => *known = limit,
            None => lowest.push(limit),
        }
    }
    lowest
}

fn of_group(group: &Path, number: &str) -> Vec<IoLimit> {
    let read = |name: &str| fs::read_to_string(group.join(name)).unwrap_or_default();
    let limit = |of, per_s| IoLimit { of, per_s, group: group.display().to_string() };
    let unified = read("io.max");
    let pairs = of_device(&unified, number).into_iter().flat_map(str::split_whitespace);
    let of_pair = |pair: &str| {
        let (key, value) = pair.split_once('=')?;
        let (_, of) = KEYS.into_iter().find(|(name, _)| *name == key)?;
        // No limit is `max`.
        Some(limit(of, value.parse().ok()?))
    };
    let own_file = |(name, of)| Some(limit(of, of_device(&read(name), number)?.trim().parse().ok()?));
    pairs.filter_map(of_pair).chain(FILES.into_iter().filter_map(own_file)).collect()
}

/// What stands behind a device's number on its line.
fn of_device<'a>(text: &'a str, number: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(number)?.strip_prefix(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A write limit from the start was not named: every figure was the limit's.
    #[test]
    fn the_lowest_limit_at_and_above_the_group_is_found_in_both_versions() {
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("inner");
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("io.max"), "254:0 rbps=max wbps=9000000 riops=max wiops=120\n").unwrap();
        fs::write(
            root.path().join("io.max"),
            "8:0 rbps=1 wbps=1 riops=1 wiops=1\n254:0 rbps=max wbps=1000000 riops=max wiops=max\n",
        )
        .unwrap();
        fs::write(root.path().join("blkio.throttle.read_bps_device"), "254:16 7\n254:0 5000000\n").unwrap();
        let found = lowest(&[inner, root.path().to_owned()], "254:0");
        let mut limits: Vec<(LimitOf, u64)> = found.iter().map(|limit| (limit.of, limit.per_s)).collect();
        limits.sort_by_key(|(_, per_s)| *per_s);
        let expected =
            [(LimitOf::Writes, 120), (LimitOf::BytesWritten, 1_000_000), (LimitOf::BytesRead, 5_000_000)];
        assert_eq!(limits, expected);
        assert_eq!(lowest(&[root.path().to_owned()], "253:0"), []);
    }
}
