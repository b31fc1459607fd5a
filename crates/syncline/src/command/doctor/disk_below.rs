//! The file system and the device below the directory.

use super::check::{Check, Sign, check, told};
use model::host::Placement;
use model::mechanism::Measured;
use model::medium::{Medium, WriteCache};
use model::units::format_bytes_approximate;

pub(super) fn of_disk(placement: &Placement, space_bytes: u64) -> Vec<Check> {
    const COMFORTABLE_BYTES: u64 = 4 << 30;
    let discards = placement.mount_options.split(',').any(|option| option == "discard");
    let journal = match placement.filesystem.as_str() {
        "ext4" | "xfs" | "jfs" => {
            "journals metadata: a commit that changes it (append, unwritten extents) flushes twice"
        }
        "btrfs" | "zfs" | "bcachefs" => {
            "copies on write: every overwrite allocates, so a prefilled log does not stay in place"
        }
        _ => "Syncline does not know its journal",
    };
    let mut checks = vec![
        check(
            Sign::Note,
            format!("file system {} ({})", placement.filesystem, placement.mount_options),
            journal,
        ),
        check(
            Sign::Note,
            format!("device {}, {}", told(&placement.device), told(&placement.model)),
            "Syncline reads its counters from /proc/diskstats; they include other users of the device",
        ),
        write_cache(placement),
        scheduler(placement),
        match (&placement.direct_offset_alignment_bytes, &placement.direct_memory_alignment_bytes) {
            (Measured::Value(offset), Measured::Value(memory)) => check(
                Sign::Good,
                format!(
                    "O_DIRECT works: offsets and lengths in multiples of {offset} bytes, memory of {memory}"
                ),
                "record_size and page_size must be multiples of it in direct mode",
            ),
            (offset, _) => check(
                Sign::Bad,
                format!("no O_DIRECT: {}", told(offset)),
                "direct mode cannot be measured here",
            ),
        },
        check(
            if space_bytes >= COMFORTABLE_BYTES { Sign::Good } else { Sign::Note },
            format!("{} free", format_bytes_approximate(space_bytes as f64)),
            "a run checks its room before it starts, and its option --dry-run prints how much it needs",
        ),
    ];
    match placement.medium() {
        Medium::Device => {}
        Medium::Memory(what) => {
            checks.insert(
                0,
                check(Sign::Bad, what, "it is memory, not a disk: Syncline measures nothing here"),
            );
        }
        Medium::Unseen { veil, what } => {
            checks.insert(0, check(Sign::Bad, format!("{what}: no device is seen below it"), veil.unknown()));
        }
    }
    if discards {
        checks.push(check(
            Sign::Note,
            "mounted with discard",
            "unlinking causes device discards: Syncline unlinks \
         work files at the end of a run, not between trials",
        ));
    }
    checks
}

fn write_cache(placement: &Placement) -> Check {
    let fua = placement.fua.value().copied().unwrap_or(false);
    match placement.volatile_cache() {
        WriteCache::Volatile(why) => check(
            Sign::Note,
            format!("volatile write cache ({why}), FUA {}", if fua { "supported" } else { "not supported" }),
            "an acknowledged commit survives power loss only if a flush reached the device: flushes are counted",
        ),
        WriteCache::Absent(why) => check(
            Sign::Note,
            format!("no volatile write cache: {why}"),
            "the kernel sends no flushes: a sync costs no more than its writes; behind a hypervisor this may be untrue",
        ),
        WriteCache::Hidden(why) => {
            check(Sign::Bad, why, "no flush is sent, so a power loss loses what a sync acknowledged")
        }
        WriteCache::Unproven(why) => check(Sign::Note, why, "whether flushes are needed is unknown"),
    }
}

fn scheduler(placement: &Placement) -> Check {
    match placement.scheduler.value().map(String::as_str) {
        Some("none") => {
            check(Sign::Good, "I/O scheduler none", "requests reach the device in the order they were made")
        }
        Some(name) => check(
            Sign::Note,
            format!("I/O scheduler {name}"),
            "it reorders and merges: NVMe and virtual disks are usually measured with none",
        ),
        None => check(
            Sign::Note,
            format!("I/O scheduler {}", told(&placement.scheduler)),
            "it may reorder requests",
        ),
    }
}
