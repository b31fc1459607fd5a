//! Buffered reads of a file that fits into memory: the page cache is measured, and no device.
//!
//! Without the sizes of file and memory the fastest read decides: no device answers within two microseconds, so it was
//! copied from memory. A row that was made warm on purpose says itself what it measures.

use super::memory_as_device::DEVICE_MIN_NS;
use crate::claim::{Cache, Claim, Direction, Figure, Timed, time};
use crate::law::{Law, Looks, Reads};
use crate::reading::MEASURED;
use crate::status::Status;
use model::IoMode;
use model::units::{format_bytes_approximate, format_significant};

/// Share of the bytes read from the page cache up to which the device was measured, whatever the sizes are: a run
/// from a cold start reads some blocks twice.
pub const DISK_HITS_MAX: f64 = 0.10;
/// A file must be larger than the memory by this factor to count as larger than the cache: nearly all of a file
/// that only just exceeds it fits.
pub const LARGER_TIMES: f64 = 2.0;

pub const LAW: Law = Law {
    name: "working-set",
    looks: Looks::AtFigures,
    needs: "rw, mode, file_bytes, memory_bytes",
    held: "Files are larger than the memory that could cache them, read directly, or cold or warm by \
        intention, in {}.",
    broken: "The page cache served reads, all or in part, in {}.",
    advice: "Read such rows as the speed of memory in whole or in part, or cap the memory below the file's \
        size.",
    lacking: "No {} reads and gives its I/O mode, the file's size and the memory that could cache it, or a \
        latency that gives memory away.",
    reads: Reads::Each(MEASURED, read),
};

fn read(claim: &Claim) -> Option<(Status, String)> {
    let setting = &claim.setting;
    if setting.direction? == Direction::Write {
        return None;
    }
    let mode = setting.mode?;
    if mode == IoMode::Direct || setting.cache == Some(Cache::Warm) {
        return Some((Status::Pass, String::new()));
    }
    let (Some(file), Some(memory)) = (setting.file_bytes, setting.cache_bytes()) else {
        return copied(claim, mode);
    };
    let share = claim.page_cache_hit_share;
    let fits = (file as f64) < LARGER_TIMES * memory as f64;
    let is_cached = fits && share.is_none_or(|share| share > DISK_HITS_MAX);
    let told = share.map_or(String::new(), |share| {
        format!(": {} % of the bytes came from there", format_significant(share * 100.0))
    });
    let text = format!(
        "{mode} reads of {} with {} of memory{told}.",
        format_bytes_approximate(file as f64),
        format_bytes_approximate(memory as f64)
    );
    Some((if is_cached { Status::Warn } else { Status::Pass }, text))
}

/// A row without sizes: a fastest read that no device can have given. A slower one tells nothing.
fn copied(claim: &Claim, mode: IoMode) -> Option<(Status, String)> {
    let is_copy = |fastest: &Figure| fastest.value > 0.0 && fastest.most() < DEVICE_MIN_NS;
    let fastest = claim.timed(Timed::Operation, "min").filter(is_copy)?;
    let text = format!(
        "{mode} reads, and the fastest took {}, a copy from memory: at least a part of them came from the page cache.",
        time(fastest.value)
    );
    Some((Status::Warn, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn working_set() {
        let table =
            |row: &str| format!("iops,rw,mode,file_bytes,memory_bytes,memory_cap_bytes\n1000,{row}\n");
        check(&LAW, &table("randread,buffered,2GiB,32GiB,"), Status::Warn, "reads of 2.00 GiB with 32.0 GiB");
        check(&LAW, &table("randread,buffered,2GiB,32GiB,512MiB"), Status::Pass, "larger");
        check(&LAW, &table("randread,direct,2GiB,32GiB,"), Status::Pass, "directly");
        check(&LAW, &table("randread,buffered,2GiB,,"), Status::NotAssessable, "memory");
        // Without sizes the fastest read decides: no device answers in half a microsecond.
        let fastest = |row: &str| format!("iops,rw,mode,latency_min_ns\n1000,{row}\n");
        check(
            &LAW,
            &fastest("randread,buffered,532"),
            Status::Warn,
            "the fastest took 532 ns, a copy from memory: at least a part",
        );
        check(&LAW, &fastest("randread,buffered,55000"), Status::NotAssessable, "memory");
        check(&LAW, &fastest("randread,direct,532"), Status::Pass, "directly");
        check(&LAW, &table("randwrite,buffered,2GiB,32GiB,"), Status::NotAssessable, "No row reads");
    }
}
