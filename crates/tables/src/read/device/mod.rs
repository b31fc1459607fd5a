//! Files that tell a scheduler how fast a disk is, alone or quoted in a page.
//!
//! | file | of |
//! |---|---|
//! | `io_properties.yaml` | Seastar and ScyllaDB, written by `iotune` |
//! | `osd_mclock_max_capacity_iops_ssd`, `…_hdd` in a `ceph.conf`, in what `ceph config dump` prints, or in the commands that set them | Ceph's mClock scheduler |
//! | `io.cost.model`, `io.cost.qos` | Linux, cgroup v2 |

mod ceph;
mod disks;
mod io_cost;
mod seastar;

use super::error::ReadError;
use super::program::NumberedLine;
use disks::Disk;
use laws::Claim;

/// Most disks that are judged.
const DISKS_MAX: usize = 100_000;

/// Recognises and reads a file; `None` for lines of another kind.
type Reader = fn(&str, &[NumberedLine<'_>]) -> Option<Result<Vec<Disk>, ReadError>>;

/// The disks in these lines; `None` if the lines are of another kind.
pub(super) fn read(source: &str, lines: &[NumberedLine<'_>]) -> Option<Result<Vec<Claim>, ReadError>> {
    let readers: [Reader; 3] = [seastar::read, io_cost::read, ceph::read];
    let disks = readers.iter().find_map(|reader| reader(source, lines))?;
    Some(disks.and_then(|disks| match disks.len() {
        0..=DISKS_MAX => Ok(disks.into_iter().map(Disk::into_claim).collect()),
        _ => Err(ReadError::whole(source, format!("more than {DISKS_MAX} disks: audit a part of it"))),
    }))
}

#[cfg(test)]
mod tests;
