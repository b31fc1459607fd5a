//! The settings of a run, by their names.

use crate::Failure;
use model::{DurabilityClass, IoMode};
use std::path::PathBuf;
use store::{CompactionOptions, LeveledOptions, Options, ReadEngine};

/// What is measured, by default what page 001 measured.
pub(crate) struct Settings {
    pub(crate) what: What,
    pub(crate) keys: u64,
    /// Threads that load and threads that read.
    pub(crate) threads: u64,
    /// Reads of each thread.
    pub(crate) reads: u64,
    /// Keys in one multi-get.
    pub(crate) batch: usize,
    /// Scans of each thread.
    pub(crate) scans: u64,
    /// Entries of a scan.
    pub(crate) length: u64,
    /// Bytes of a value, where a measurement has no size of its own.
    pub(crate) value_bytes: usize,
    /// Rounds of a comparison.
    pub(crate) rounds: u64,
    pub(crate) directory: PathBuf,
    pub(crate) options: Options,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Load,
    Scan,
    Crash,
    /// The part of `Crash` that is another process's.
    Log,
    Compaction,
    Commits,
    Fio,
    Values,
}

/// Reads the settings from the command line.
pub(crate) fn settings() -> Result<Settings, Failure> {
    let mut settings = Settings {
        what: What::Load,
        keys: 5_000_000,
        threads: 2,
        reads: 200_000,
        batch: 1024,
        scans: 20_000,
        length: 100,
        value_bytes: 4096,
        rounds: 6,
        directory: PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
        options: Options { durability: DurabilityClass::Process, ..Options::default() },
    };
    settings.options.log.io = IoMode::Mmap;
    for argument in std::env::args().skip(1).filter(|argument| argument != "--bench") {
        let (name, value) = argument.split_once('=').ok_or("write name=value")?;
        let quoted = format!("\"{value}\"");
        let options = &mut settings.options;
        match name {
            "what" => {
                settings.what = match value {
                    "load" => What::Load,
                    "scan" => What::Scan,
                    "crash" => What::Crash,
                    "log" => What::Log,
                    "compaction" => What::Compaction,
                    "commits" => What::Commits,
                    "fio" => What::Fio,
                    "values" => What::Values,
                    _ => {
                        return Err(
                            "choose what=load, scan, crash, compaction, commits, fio or values".into()
                        );
                    }
                };
            }
            "keys" => settings.keys = value.parse()?,
            "threads" => settings.threads = value.parse()?,
            "reads" => settings.reads = value.parse()?,
            "batch" => settings.batch = value.parse()?,
            "scans" => settings.scans = value.parse()?,
            "length" => settings.length = value.parse()?,
            "value_bytes" => settings.value_bytes = value.parse()?,
            "rounds" => settings.rounds = value.parse()?,
            "directory" => settings.directory = value.into(),
            "durability" => options.durability = serde_json::from_str(&quoted)?,
            "log" => options.log.io = serde_json::from_str(&quoted)?,
            "layout" => options.log.layout = serde_json::from_str(&quoted)?,
            "packing" => options.log.packing = serde_json::from_str(&quoted)?,
            "sync" => options.log.sync = serde_json::from_str(&quoted)?,
            "log_depth" => options.log.depth = value.parse()?,
            "data" => options.data.io = serde_json::from_str(&quoted)?,
            "page" => options.data.page_bytes = value.parse()?,
            "filter" => options.data.filter = serde_json::from_str(&quoted)?,
            "engine" => options.reads.engine = serde_json::from_str::<ReadEngine>(&quoted)?,
            "depth" => options.reads.depth = value.parse()?,
            "separate" => options.values.separate_bytes = value.parse()?,
            "garbage" => options.values.garbage_percent = value.parse()?,
            "write_bytes" => options.data.write_bytes = value.parse()?,
            "write_depth" => options.data.write_depth = value.parse()?,
            "compaction_read_bytes" => options.data.compaction_read_bytes = value.parse()?,
            "compaction_read_depth" => options.data.compaction_read_depth = value.parse()?,
            "compaction_read_io" => options.data.compaction_read_io = Some(serde_json::from_str(&quoted)?),
            "prefix_compression" => options.data.prefix_compression = value.parse()?,
            "checksums" => options.data.checksums = value.parse()?,
            "verify_checksums" => options.reads.verify_checksums = value.parse()?,
            "partitions" => options.partitions = value.parse()?,
            "memtable" => options.memtable_bytes = value.parse()?,
            "memtables" => options.memtables_max = value.parse()?,
            "cache" => options.cache_bytes = value.parse()?,
            "background_depth" => options.background_io_depth = value.parse()?,
            "nice" => options.background_nice = value.parse()?,
            "background" => options.background_threads = value.parse()?,
            "policy" if value == "leveled" => {
                options.compaction = CompactionOptions::Leveled(LeveledOptions::default());
            }
            "policy" if value == "off" => options.compaction = CompactionOptions::Off,
            "policy" if value == "size-tiered" => {}
            _ => return Err(format!("there is no setting {argument}").into()),
        }
    }
    Ok(settings)
}
