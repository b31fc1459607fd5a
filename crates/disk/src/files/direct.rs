//! Whether `O_DIRECT` is direct below a directory, and what alignment it needs.

use crate::failure::Failure;
use crate::kernel::cachestat::cachestat;
use rustix::fs::{AtFlags, Mode, OFlags, StatFs, StatxFlags};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Enough for every device's logical block and every page, so the probe itself is aligned.
const PROBE_BYTES: usize = 64 << 10;
/// Written to see whether writes dirty pages.
const DIRTY_PROBE_BYTES: usize = 4 << 20;

/// What `O_DIRECT` needs of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alignment {
    /// For file offsets and lengths, bytes.
    pub offset_bytes: u64,
    /// For buffer addresses, bytes.
    pub memory_bytes: u64,
    /// How it is known.
    pub source: AlignmentSource,
    /// Whether writes nevertheless go through the page cache: btrfs copies them there to have stable bytes to
    /// checksum (since Linux 6.14), unless the file is `nodatasum`. Reads are direct even then.
    pub writes_buffered: bool,
}

/// Where an alignment comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlignmentSource {
    /// The file system says so (statx `STATX_DIOALIGN`, Linux 6.1).
    Kernel,
    /// The file system does not say; its block size, which a probe was accepted with.
    BlockSize,
}

/// Whether files below a work directory can be read and written with direct I/O.
///
/// Tries it on a file of its own. The error is the reason why not, a sentence: tmpfs accepts the flag and
/// serves everything from memory, which is not direct.
pub fn direct_support(directory: &Path) -> Result<Alignment, String> {
    let path = directory.join(format!(".syncline-direct-probe-{}", std::process::id()));
    // O_EXCL refuses a file that is there already.
    let file = open(&path, OFlags::RDWR | OFlags::CREATE | OFlags::EXCL)?;
    let result = probe(&file, &path);
    // Best effort: it is empty of meaning, and a work directory is removed with all that is in it.
    let _ = std::fs::remove_file(&path);
    result
}

/// What `O_DIRECT` needs on the file system of a file that is there. Writes nothing, so it works on a full or read-only
/// file system; it does not see whether writes go through the page cache, as [`direct_support`] does.
///
/// # Errors
/// The reason why there is no direct I/O, a sentence.
pub fn direct_alignment(path: &Path) -> Result<Alignment, String> {
    let file = open(path, OFlags::RDONLY)?;
    alignment(&file, path, &system(&file, path)?)
}

fn open(path: &Path, flags: OFlags) -> Result<File, String> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::DIRECT;
    match rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR) {
        Ok(file) => Ok(File::from(file)),
        Err(rustix::io::Errno::INVAL) => {
            if flags.contains(OFlags::EXCL) {
                // Some file systems refuse O_DIRECT only after they have made the file.
                let _ = std::fs::remove_file(path);
            }
            Err("this file system refuses O_DIRECT".to_owned())
        }
        Err(errno) => Err(Failure::on("open with O_DIRECT", path)(errno).to_string()),
    }
}

fn system(file: &File, path: &Path) -> Result<StatFs, String> {
    rustix::fs::fstatfs(file).map_err(|errno| Failure::on("read the type of", path)(errno).to_string())
}

fn alignment(file: &File, path: &Path, system: &StatFs) -> Result<Alignment, String> {
    let told = |failure: Failure| failure.to_string();
    if matches!(system.f_type as u64, TMPFS_MAGIC | RAMFS_MAGIC) {
        return Err("this file system is in memory: its O_DIRECT is the page cache".to_owned());
    }
    let facts = rustix::fs::statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN)
        .map_err(Failure::on("read the alignment of", path))
        .map_err(told)?;
    if facts.stx_mask & StatxFlags::DIOALIGN.bits() == 0 {
        let block = (system.f_bsize as u64).max(rustix::param::page_size() as u64);
        return Ok(Alignment {
            offset_bytes: block,
            memory_bytes: block,
            source: AlignmentSource::BlockSize,
            writes_buffered: false,
        });
    }
    if facts.stx_dio_offset_align == 0 {
        return Err("the kernel says that O_DIRECT is not supported on this file".to_owned());
    }
    Ok(Alignment {
        offset_bytes: u64::from(facts.stx_dio_offset_align),
        memory_bytes: u64::from(facts.stx_dio_mem_align.max(1)),
        source: AlignmentSource::Kernel,
        writes_buffered: false,
    })
}

fn probe(file: &File, path: &Path) -> Result<Alignment, String> {
    let told = |failure: Failure| failure.to_string();
    let system = system(file, path)?;
    let alignment = alignment(file, path, &system)?;
    let mut memory = vec![0u8; 2 * PROBE_BYTES];
    let start = memory.as_ptr().align_offset(PROBE_BYTES);
    let buffer = &mut memory[start..start + PROBE_BYTES];
    if leaves_pages(file, path, buffer).map_err(told)? {
        return Err("O_DIRECT leaves its pages in the page cache here: it is not direct".to_owned());
    }
    if system.f_type as u64 == BTRFS_MAGIC {
        return Ok(Alignment { writes_buffered: dirties_pages(file).map_err(told_of(path))?, ..alignment });
    }
    Ok(alignment)
}

/// Whether `O_DIRECT` leaves pages in the page cache every time. A file system that writes through the page cache drops
/// the pages afterwards if nobody holds them at that moment: btrfs left them in 1 of some 15 tries. Without cachestat
/// the kernel's word has to do.
fn leaves_pages(file: &File, path: &Path, buffer: &mut [u8]) -> Result<bool, Failure> {
    const TRIES: usize = 5;
    for _ in 0..TRIES {
        file.write_all_at(buffer, 0).map_err(Failure::on("write with O_DIRECT to", path))?;
        file.read_exact_at(buffer, 0).map_err(Failure::on("read with O_DIRECT from", path))?;
        if cachestat(file).map_or(0, |pages| pages.cached_bytes) == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

fn told_of(path: &Path) -> impl FnOnce(std::io::Error) -> String {
    move |error| Failure::on("write with O_DIRECT to", path)(error).to_string()
}

/// Whether writes through this `O_DIRECT` descriptor dirty pages, by the machine's count of dirtied pages. The pages
/// themselves are gone when the write returns. Others dirty pages too, so the least of a few tries decides; the
/// kernel folds the count of each CPU with a delay, so a try is much larger than what that hides.
fn dirties_pages(file: &File) -> std::io::Result<bool> {
    const TRIES: usize = 5;
    let pages = (DIRTY_PROBE_BYTES / rustix::param::page_size()) as u64;
    let mut memory = vec![1u8; DIRTY_PROBE_BYTES + PROBE_BYTES];
    let start = memory.as_ptr().align_offset(PROBE_BYTES);
    let buffer = &mut memory[start..start + DIRTY_PROBE_BYTES];
    let mut least = u64::MAX;
    for _ in 0..TRIES {
        let before = dirtied_pages()?;
        file.write_all_at(buffer, 0)?;
        least = least.min(dirtied_pages()?.saturating_sub(before));
    }
    Ok(least >= pages / 2)
}

fn dirtied_pages() -> std::io::Result<u64> {
    let text = std::fs::read_to_string("/proc/vmstat")?;
    let count = text.lines().find_map(|line| line.strip_prefix("nr_dirtied ")?.parse().ok());
    count.ok_or_else(|| std::io::Error::other("/proc/vmstat has no nr_dirtied"))
}

/// `include/uapi/linux/magic.h`.
const TMPFS_MAGIC: u64 = 0x0102_1994;
const RAMFS_MAGIC: u64 = 0x8584_58f6;
const BTRFS_MAGIC: u64 = 0x9123_683e;
