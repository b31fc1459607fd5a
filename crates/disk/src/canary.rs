//! Whether the storage below a directory treats zeroes better than random data.
//!
//! Benchmarks that write zeroes, or one buffer again and again, measure a shortcut wherever something between them and
//! the medium looks at the data: a controller that compresses, a file system that does (ZFS, btrfs), a thin volume or a
//! hypervisor that recognises zeroes and stores or moves nothing, a deduplicating array. The canary writes and reads
//! both kinds of data alternately, so that the ratio says what `data = zero` would be worth here. A ratio near 1 says
//! only that nobody looked at this path at this moment: a layer that compresses later, or in the background, does not
//! show; neither does a file system that compresses buffered writes alone, because these are direct. A cache above the
//! medium (a hypervisor's, a controller's) may answer the reads of both kinds, and does so alike.

use crate::arena::Arena;
use crate::failure::Failure;
use crate::files::direct_support;
use crate::work_directory::require_inside;
use model::canary::{CanaryPair, CompressionCanary};
use model::mechanism::Measured;
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Bytes of each of the two files.
const FILE_BYTES: usize = 8 << 20;
/// Bytes of each write and read.
const STEP_BYTES: usize = 1 << 20;
/// Bytes of one kind before it is the other kind's turn.
const TURN_BYTES: usize = 2 << 20;
/// Pairs: the least that give an interval.
const PAIRS: usize = 6;
/// A slow device ends with fewer pairs: the canary must not become the longest part of a short run.
const DURATION_MAX: Duration = Duration::from_secs(3);

/// Measures writes and reads of zeroes and of random data below a work directory, with direct I/O on two files of its
/// own, which it removes again. Takes a fraction of a second on an SSD; if it takes more than three seconds, there
/// are fewer pairs.
///
/// `Unsupported` without direct I/O, and with the kernel's error if something failed.
pub fn measure(directory: &Path) -> Measured<CompressionCanary> {
    match try_measure(directory) {
        Ok(canary) => Measured::Value(canary),
        Err(why) => Measured::unsupported(why),
    }
}

fn try_measure(directory: &Path) -> Result<CompressionCanary, String> {
    let alignment = direct_support(directory)?;
    let (step, page) = (STEP_BYTES as u64, rustix::param::page_size() as u64);
    if !step.is_multiple_of(alignment.offset_bytes) || !page.is_multiple_of(alignment.memory_bytes) {
        return Err(format!(
            "{}: direct I/O needs more than pages and MiB: {alignment:?}",
            directory.display()
        ));
    }
    let told = |failure: Failure| failure.to_string();
    // A seed that no earlier run had: a device that deduplicates must not know the data already.
    let seed = RandomState::new().hash_one(std::process::id());
    // Both begin with random data, so that the first pair overwrites the same as the others.
    let mut random = Canary::create(directory, "random", seed)?;
    let mut zero = Canary::create(directory, "zero", seed.wrapping_add(1))?;
    zero.content.fill_zero();
    let began = Instant::now();
    let mut pairs = Vec::with_capacity(PAIRS);
    for index in 0..PAIRS {
        random.content.fill_random(seed.wrapping_add(2 + index as u64));
        let (random_write_s, zero_write_s) =
            alternate(&mut random, &mut zero, index, Canary::write).map_err(told)?;
        let (random_read_s, zero_read_s) =
            alternate(&mut random, &mut zero, index, Canary::read).map_err(told)?;
        pairs.push(CanaryPair { random_write_s, zero_write_s, random_read_s, zero_read_s });
        if began.elapsed() > DURATION_MAX {
            break;
        }
    }
    Ok(CompressionCanary { bytes: FILE_BYTES as u64, pairs })
}

/// Does the same to both files in turns, in alternating order, so that what disturbs the machine for some milliseconds
/// disturbs both. Returns the seconds of each.
fn alternate(
    random: &mut Canary,
    zero: &mut Canary,
    pair: usize,
    act: impl Fn(&mut Canary, usize) -> Result<f64, Failure>,
) -> Result<(f64, f64), Failure> {
    let (mut random_s, mut zero_s) = (0.0, 0.0);
    for turn in 0..FILE_BYTES / TURN_BYTES {
        let offset = turn * TURN_BYTES;
        if (pair + turn).is_multiple_of(2) {
            random_s += act(random, offset)?;
            zero_s += act(zero, offset)?;
        } else {
            zero_s += act(zero, offset)?;
            random_s += act(random, offset)?;
        }
    }
    Ok((random_s, zero_s))
}

/// A file of the canary's own, removed when this is dropped, and what is written to it.
struct Canary {
    path: PathBuf,
    file: File,
    content: Arena,
}

impl Canary {
    /// A new file of random data on the device.
    fn create(directory: &Path, kind: &str, seed: u64) -> Result<Self, String> {
        let path = directory.join(format!(".syncline-canary-{kind}-{}", std::process::id()));
        require_inside(&path).map_err(|error| error.to_string())?;
        let mut content =
            Arena::new(FILE_BYTES).map_err(|error| format!("no memory for the canary: {error}"))?;
        content.fill_random(seed);
        let told = |failure: Failure| failure.to_string();
        // EXCL: never somebody else's file.
        let flags = OFlags::RDWR
            | OFlags::CREATE
            | OFlags::EXCL
            | OFlags::NOFOLLOW
            | OFlags::CLOEXEC
            | OFlags::DIRECT;
        let file = rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR)
            .map_err(Failure::on("create", &path))
            .map_err(told)?;
        let mut canary = Self { path, file: File::from(file), content };
        for offset in (0..FILE_BYTES).step_by(TURN_BYTES) {
            canary.write(offset).map_err(told)?;
        }
        canary.file.sync_all().map_err(Failure::on("fsync", &canary.path)).map_err(told)?;
        Ok(canary)
    }

    /// Overwrites one turn's bytes and waits until they are durable: what is left in a volatile cache would be paid for
    /// by the other file's next turn. Returns the seconds it took.
    fn write(&mut self, offset: usize) -> Result<f64, Failure> {
        let began = Instant::now();
        for offset in (offset..offset + TURN_BYTES).step_by(STEP_BYTES) {
            let step = self.content.bytes(offset, STEP_BYTES);
            self.file.write_all_at(step, offset as u64).map_err(Failure::on("write", &self.path))?;
        }
        self.file.sync_data().map_err(Failure::on("fdatasync", &self.path))?;
        Ok(began.elapsed().as_secs_f64())
    }

    /// Reads one turn's bytes back, over what was written. Returns the seconds it took.
    fn read(&mut self, offset: usize) -> Result<f64, Failure> {
        let began = Instant::now();
        for offset in (offset..offset + TURN_BYTES).step_by(STEP_BYTES) {
            let step = self.content.bytes(offset, STEP_BYTES);
            self.file.read_exact_at(step, offset as u64).map_err(Failure::on("read", &self.path))?;
        }
        Ok(began.elapsed().as_secs_f64())
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        // Best effort: a work directory is removed with all that is in it.
        let _ = std::fs::remove_file(&self.path);
    }
}
