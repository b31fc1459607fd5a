//! btrfs, which writes every block to another place: stores with options from the whole space are killed, opened with
//! others, and read.
//!
//! Without the test harness: a mount namespace, and a process that forks, have no other thread.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use disk::filesystem::{FileSystemKind, mount};
use disk::kernel::fork::in_child;
use disk::kernel::scheduling::private_mounts;
use disk::work_directory::WorkDirectory;
use model::{DurabilityClass, IoMode};
use std::fs;
use std::path::Path;
use store::{
    CompactionOptions, FilterKind, LeveledOptions, LogLayout, LogPacking, LogSync, Options, ReadEngine,
    SizeTieredOptions, Store, StoreError,
};

const DISK_BYTES: u64 = 256 << 20;
/// Stores, and the lives of each.
const STORES: u64 = 8;
const LIVES: u64 = 4;
/// Most puts of a life.
const PUTS: u64 = 1500;

/// How a child ends that was refused, and one that found something wrong.
const REFUSED: u8 = 2;
const WRONG: u8 = 1;

fn main() {
    private_mounts().unwrap_or_else(|error| {
        skip::because(error);
        std::process::exit(0);
    });
    let work = WorkDirectory::create(Path::new(env!("CARGO_TARGET_TMPDIR"))).unwrap();
    let mounted = match mount(work.path(), FileSystemKind::Btrfs, DISK_BYTES) {
        Ok(mounted) => mounted,
        Err(error) => {
            skip::because(error);
            work.remove().unwrap();
            return;
        }
    };
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let path = mounted.point.join("store");
    let mut opened = 0;
    for number in 0..STORES {
        // The puts of each life that opened the store.
        let mut lives = Vec::new();
        for life in 0..LIVES {
            let options = random_options(&mut random);
            let puts = random.below(PUTS) as u32;
            match in_child(|| live(&path, &options, &lives, puts)).unwrap() {
                0 => {
                    lives.push(puts);
                    opened += 1;
                }
                status if status == i32::from(REFUSED) => {}
                status => panic!("store {number}, life {life}: status {status} with {options:?}"),
            }
        }
        let _ = fs::remove_dir_all(&path);
    }
    println!("{opened} of {} lives opened their store", STORES * LIVES);
    assert!(opened > STORES, "most options are not refused");
    work.remove().unwrap();
}

fn key(life: u32, number: u32) -> Vec<u8> {
    format!("{:03}/{life}", number % 300).into_bytes()
}

fn value(life: u32, number: u32) -> Vec<u8> {
    let bytes = if number.is_multiple_of(97) { 30_000 } else { 700 };
    (life * 100_000 + number).to_be_bytes().iter().copied().cycle().take(bytes).collect()
}

/// Opens the store, reads what its earlier lives wrote, writes more, and ends without closing it: as if it was killed.
fn live(path: &Path, options: &Options, lives: &[u32], puts: u32) -> u8 {
    let store = match Store::open(path, options) {
        Ok(store) => store,
        Err(StoreError::Options { option, reason }) => {
            println!("refused: {option}: {reason}");
            return REFUSED;
        }
        Err(error) => {
            println!("not opened: {error}");
            return WRONG;
        }
    };
    for (life, puts) in (0..).zip(lives) {
        for number in puts.saturating_sub(300)..*puts {
            match store.get(&key(life, number)) {
                Ok(Some(found)) if found == value(life, number) => {}
                other => {
                    println!(
                        "life {life}, {number}: {:?}",
                        other.map(|found| found.map(|value| value.len()))
                    );
                    return WRONG;
                }
            }
        }
    }
    let life = lives.len() as u32;
    let written = (0..puts).try_for_each(|number| store.put(&key(life, number), &value(life, number)));
    let promised = written.and_then(|()| match options.durability {
        DurabilityClass::None => store.sync(),
        DurabilityClass::Process | DurabilityClass::Power => Ok(()),
    });
    // It is not dropped: the process ends here, whatever its threads do.
    std::mem::forget(store);
    match promised {
        Ok(()) => 0,
        Err(error) => {
            println!("{error}");
            WRONG
        }
    }
}

/// Random numbers from a seed (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) % end
    }

    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize].clone()
    }
}

const MODES: [IoMode; 4] = [IoMode::Buffered, IoMode::Direct, IoMode::DontCache, IoMode::Mmap];

/// Options that the store takes, from their whole space.
fn random_options(random: &mut Random) -> Options {
    loop {
        let mut options = Options {
            partitions: 2,
            durability: random.of(&[DurabilityClass::None, DurabilityClass::Process, DurabilityClass::Power]),
            memtable_bytes: random.of(&[64 << 10, 200 << 10, 1 << 20]),
            memtables_max: random.of(&[2, 4]),
            large_value_bytes: random.of(&[10_000, 256 << 10]),
            cache_bytes: random.of(&[0, 1 << 20]),
            reserve_bytes: random.of(&[None, Some(0)]),
            background_threads: random.of(&[0, 1, 2]),
            background_io_depth: random.of(&[1, 4]),
            ..Options::default()
        };
        options.values.separate_bytes = random.of(&[0, 500]);
        options.log.io = random.of(&MODES);
        options.log.layout = random.of(&[LogLayout::Append, LogLayout::Prefilled, LogLayout::Recycled]);
        options.log.packing = random.of(&[LogPacking::Packed, LogPacking::Padded]);
        options.log.sync = random.of(&[LogSync::Fdatasync, LogSync::Dsync]);
        options.log.depth = random.of(&[1, 2, 16]);
        options.log.segment_bytes = random.of(&[64 << 10, 1 << 20]);
        options.log.buffer_bytes = random.of(&[100, 100_000]);
        options.data.io = random.of(&MODES);
        options.data.page_bytes = random.of(&[4096, 16 << 10, 64 << 10]);
        options.data.checksums = random.of(&[true, false]);
        options.data.filter = random.of(&[FilterKind::None, FilterKind::Fuse8, FilterKind::Fuse16]);
        options.data.write_bytes = random.of(&[4096, 64 << 10]);
        options.data.write_depth = random.of(&[0, 2, 8]);
        options.data.compaction_read_depth = random.of(&[0, 1, 4]);
        options.data.compaction_read_io = random.of(&[None, Some(IoMode::Direct), Some(IoMode::Buffered)]);
        options.reads.engine = random.of(&[ReadEngine::Auto, ReadEngine::Psync, ReadEngine::Uring]);
        options.reads.depth = random.of(&[1, 32]);
        options.compaction = random.of(&[
            CompactionOptions::SizeTiered(SizeTieredOptions::default()),
            CompactionOptions::Leveled(LeveledOptions { level1_bytes: 1 << 20, ..LeveledOptions::default() }),
            CompactionOptions::Off,
        ]);
        if options.check().is_ok() {
            return options;
        }
    }
}
