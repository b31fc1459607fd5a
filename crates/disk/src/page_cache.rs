//! How much of a file is cached, and making it cold or warm, proven.

use crate::failure::Failure;
use crate::kernel::{cachestat::cachestat, mincore};
use model::mechanism::{Measured, PageCache};
use rustix::fs::{Advice, Mode, OFlags};
use std::fs::File;
use std::io::{self, Read};
use std::num::NonZeroU64;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A file counts as warm from this share on: the kernel may reclaim a page at any time.
pub const WARM_SHARE: f64 = 0.999;
/// Times a warm-up or an eviction is tried before it is given up.
const ATTEMPTS: usize = 3;
/// Pages that are being read cannot be dropped, and a mapped file's readahead goes on after the fault that began it
/// has been served: this long between two evictions.
const EVICT_PAUSE: Duration = Duration::from_millis(20);
const READ_BYTES: usize = 1 << 20;
/// As much as one piece of advice to read may cover.
const WILL_NEED_BYTES: u64 = 128 << 10;

/// A file's pages could not be brought into the state that was requested.
#[derive(Debug, thiserror::Error)]
pub enum PageCacheError {
    /// Not all of the file stays cached.
    #[error(
        "{path} does not stay in the page cache: a share of {share:.4} is cached after reading it {ATTEMPTS} times; \
         raise the memory cap, free memory, or use a smaller file"
    )]
    NotWarm {
        path: PathBuf,
        /// Share of it that is cached, 0…1.
        share: f64,
    },
    /// Not a regular file.
    #[error("{path} is not a regular file: Syncline touches only files that it created")]
    NotAFile {
        /// What it is instead a path of.
        path: PathBuf,
    },
    /// A system call failed.
    #[error(transparent)]
    Kernel(#[from] Failure),
}

/// The file's cached, dirty and writeback pages, by `cachestat`. `Unsupported` if the kernel has no such call
/// (before 6.5), as nothing else tells dirty pages; [`cached_share`] still works there.
pub fn residency(path: &Path) -> Measured<PageCache> {
    match open(path) {
        Ok(file) => cachestat(&file).map_err(|error| format!("cachestat: {error}")).into(),
        Err(error) => Measured::unsupported(error.to_string()),
    }
}

/// Share of the file that is cached, 0…1, by `cachestat`, or `mincore` on kernels before 6.5.
pub fn cached_share(path: &Path) -> Result<Measured<f64>, PageCacheError> {
    share_of(&open(path)?, path)
}

/// Drops the file from the page cache: fsync, then `POSIX_FADV_DONTNEED`, which needs no privilege. Returns the
/// share that is cached after it, 0…1: mapped or busy pages stay, and other processes may read the file.
pub fn evict(path: &Path) -> Result<Measured<f64>, PageCacheError> {
    let file = open(path)?;
    rustix::fs::fsync(&file).map_err(Failure::on("fsync", path))?;
    let mut share = Measured::unsupported("never asked");
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            std::thread::sleep(EVICT_PAUSE);
        }
        drop_pages(&file).map_err(Failure::on("evict", path))?;
        share = share_of(&file, path)?;
        if share.value().is_none_or(|&share| share == 0.0) {
            break;
        }
    }
    Ok(share)
}

/// Reads the whole file into the page cache and proves that it stayed. Reads again if it did not: the kernel
/// may have reclaimed some (DAMON does, of files that lie idle).
///
/// # Errors
/// [`PageCacheError::NotWarm`] below a share of [`WARM_SHARE`], which a memory cap below the file's size brings.
pub fn warm(path: &Path) -> Result<Measured<f64>, PageCacheError> {
    let mut share = read_through(path)?;
    for _ in 1..ATTEMPTS {
        if share.value().is_none_or(|&share| share >= WARM_SHARE) {
            return Ok(share);
        }
        share = read_through(path)?;
    }
    match share {
        Measured::Value(share) if share < WARM_SHARE => {
            Err(PageCacheError::NotWarm { path: path.to_owned(), share })
        }
        Measured::Value(_) | Measured::Unsupported { .. } => Ok(share),
    }
}

/// Reads the whole file once, so that as much of it is cached as memory or a cap allows. Returns that share, 0…1.
pub fn read_through(path: &Path) -> Result<Measured<f64>, PageCacheError> {
    let mut file = open(path)?;
    let mut buffer = vec![0; READ_BYTES];
    while file.read(&mut buffer).map_err(Failure::on("read", path))? > 0 {}
    share_of(&file, path)
}

/// Reads about this percentage of the file's blocks into the page cache, the same ones every time and scattered as if
/// by chance, and nothing between them. Returns the share that is cached, 0…1.
///
/// First every run of chosen blocks is requested without waiting (`POSIX_FADV_WILLNEED`), so that the device has many
/// to do at once; then each is read, which waits for it, and reads it if the kernel ignored the advice.
pub fn warm_scattered(path: &Path, percent: u64, block_bytes: u64) -> Result<Measured<f64>, PageCacheError> {
    let file = open(path)?;
    let size = file.metadata().map_err(Failure::on("read the size of", path))?.len();
    // The advice is the open description's, so the measuring process still has readahead.
    rustix::fs::fadvise(&file, 0, None, Advice::Random).map_err(Failure::on("advise", path))?;
    let block_bytes = block_bytes.max(1);
    let chosen: Vec<u64> =
        (0..size / block_bytes).filter(|block| scattered_percent(*block) < percent).collect();
    for run in chosen.chunk_by(|block, next| block + 1 == *next) {
        // The kernel takes no more of one piece of advice than it would read ahead, at least 128 KiB.
        for piece in run.chunks((WILL_NEED_BYTES / block_bytes).max(1) as usize) {
            let length = NonZeroU64::new(piece.len() as u64 * block_bytes);
            rustix::fs::fadvise(&file, piece[0] * block_bytes, length, Advice::WillNeed)
                .map_err(Failure::on("advise", path))?;
        }
    }
    let mut buffer = vec![0; block_bytes as usize];
    for block in chosen {
        file.read_exact_at(&mut buffer, block * block_bytes).map_err(Failure::on("read", path))?;
    }
    share_of(&file, path)
}

/// A number from 0 to 99 for each block: the finaliser of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014).
fn scattered_percent(block: u64) -> u64 {
    let mut mixed = (block + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) % 100
}

/// Drops a file's clean pages; dirty ones stay (`posix_fadvise(2)`).
/// Writes out what is dirty of a file; returns when the device has it. A file without dirty pages is left alone.
pub fn write_out(path: &Path) -> Result<(), PageCacheError> {
    let file = open(path)?;
    let is_clean = cachestat(&file).is_ok_and(|pages| pages.dirty_bytes + pages.writeback_bytes == 0);
    if is_clean {
        return Ok(());
    }
    Ok(rustix::fs::fdatasync(&file).map_err(Failure::on("fdatasync", path))?)
}

/// A file whose pages are dropped from the page cache again and again: it stays open.
#[derive(Debug)]
pub struct OpenFile(File);

impl OpenFile {
    pub fn open(path: &Path) -> Result<Self, PageCacheError> {
        open(path).map(Self)
    }

    /// Drops this range of it, to its end without a length. Pages that are dirty or in use stay.
    pub fn drop_range(&self, offset: u64, length: Option<NonZeroU64>) -> io::Result<()> {
        Ok(rustix::fs::fadvise(&self.0, offset, length, Advice::DontNeed)?)
    }
}

pub(crate) fn drop_pages(file: &File) -> io::Result<()> {
    Ok(rustix::fs::fadvise(file, 0, None, Advice::DontNeed)?)
}

fn open(path: &Path) -> Result<File, PageCacheError> {
    // NONBLOCK so that opening a FIFO cannot hang; it means nothing for regular files.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    // Looked at before it is opened, because opening a device can already act on it.
    let facts = std::fs::symlink_metadata(path).map_err(Failure::on("open", path))?;
    if !facts.is_file() {
        return Err(PageCacheError::NotAFile { path: path.to_owned() });
    }
    Ok(rustix::fs::open(path, flags, Mode::empty()).map(File::from).map_err(Failure::on("open", path))?)
}

fn share_of(file: &File, path: &Path) -> Result<Measured<f64>, PageCacheError> {
    let size = file.metadata().map_err(Failure::on("read the size of", path))?.len();
    if size == 0 {
        return Ok(Measured::unsupported("the file is empty"));
    }
    let cached = match cachestat(file) {
        Ok(pages) => pages.cached_bytes,
        Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => {
            mincore::cached_bytes(file, size).map_err(Failure::on("read the cached pages of", path))?
        }
        Err(error) => return Ok(Measured::unsupported(format!("cachestat: {error}"))),
    };
    // The last page is cached whole.
    let pages_bytes = size.next_multiple_of(rustix::param::page_size() as u64);
    Ok(Measured::Value(cached as f64 / pages_bytes as f64))
}
