//! Options from the whole space of those that [`Options::check`] accepts.

use crate::random::Random;
use store::{
    CompactionOptions, DataOptions, DurabilityClass, FilterKind, IoMode, LeveledOptions, LogLayout,
    LogOptions, LogPacking, LogSync, Options, ReadEngine, ReadOptions, SizeTieredOptions, ValueOptions,
};

const BLOCK: usize = store::BLOCK_BYTES;

/// Draws options until they do not contradict each other. The machine may still lack what they need.
pub(crate) fn draw(random: &mut Random, durability: DurabilityClass, partitions: usize) -> Options {
    loop {
        let options = Options {
            partitions,
            durability,
            memtable_bytes: random.choose(&[4 << 10, 32 << 10, 256 << 10, 4 << 20]),
            memtables_max: 2 + random.below(3) as usize,
            large_value_bytes: random.choose(&[2 << 10, 256 << 10]),
            values: ValueOptions {
                separate_bytes: random.choose(&[0, 1, 300, 1 << 10]),
                garbage_percent: random.choose(&[1, 30, 50, 100]),
            },
            log: log(random),
            data: data(random),
            reads: reads(random),
            cache_bytes: random.choose(&[0, 0, 1 << 20]),
            reserve_bytes: random.choose(&[None, Some(0), Some(1 << 20)]),
            compaction: compaction(random),
            background_threads: random.below(4) as usize,
            background_nice: random.choose(&[0, 0, 19]),
            background_io_depth: random.choose(&[1, 1, 4, 64]),
        };
        if options.check().is_ok() {
            return options;
        }
    }
}

fn io(random: &mut Random) -> IoMode {
    random.choose(&[IoMode::Direct, IoMode::Buffered, IoMode::DontCache, IoMode::Mmap])
}

fn log(random: &mut Random) -> LogOptions {
    LogOptions {
        io: io(random),
        layout: random.choose(&[LogLayout::Append, LogLayout::Prefilled, LogLayout::Recycled]),
        packing: random.choose(&[LogPacking::Packed, LogPacking::Padded]),
        sync: random.choose(&[LogSync::Fdatasync, LogSync::Dsync]),
        depth: random.choose(&[1, 2, 4, 16]),
        segment_bytes: random.choose(&[16 << 10, 64 << 10, 1 << 20]),
        buffer_bytes: random.choose(&[1, 4 << 10, 64 << 10]),
    }
}

fn data(random: &mut Random) -> DataOptions {
    DataOptions {
        io: io(random),
        page_bytes: random.choose(&[BLOCK, 4 * BLOCK, 16 * BLOCK]),
        prefix_compression: random.chance(2),
        checksums: !random.chance(4),
        filter: random.choose(&[FilterKind::None, FilterKind::Fuse8, FilterKind::Fuse16]),
        write_bytes: random.choose(&[BLOCK, 16 * BLOCK]),
        write_depth: random.below(4) as usize,
        compaction_read_bytes: random.choose(&[BLOCK, 16 * BLOCK]),
        compaction_read_depth: random.below(3) as usize,
        compaction_read_io: random.chance(2).then(|| io(random)),
        scan_read_bytes: random.choose(&[BLOCK, 16 * BLOCK]),
    }
}

fn reads(random: &mut Random) -> ReadOptions {
    ReadOptions {
        engine: random.choose(&[ReadEngine::Auto, ReadEngine::Psync]),
        depth: random.choose(&[1, 8, 64]),
        verify_checksums: !random.chance(4),
    }
}

fn compaction(random: &mut Random) -> CompactionOptions {
    match random.below(3) {
        0 => CompactionOptions::SizeTiered(SizeTieredOptions {
            runs_merged: 2 + random.below(3) as usize,
            size_ratio: 2.0,
            runs_max: 6 + random.below(20) as usize,
            merge_for_scans: random.below(2) == 0,
        }),
        1 => CompactionOptions::Leveled(LeveledOptions {
            level0_runs: 1 + random.below(4) as usize,
            level1_bytes: random.choose(&[64 << 10, 1 << 20]),
            size_ratio: 2 + random.below(7),
            run_bytes: random.choose(&[16 << 10, 1 << 20]),
            level0_runs_max: 6 + random.below(10) as usize,
        }),
        _ => CompactionOptions::Off,
    }
}
