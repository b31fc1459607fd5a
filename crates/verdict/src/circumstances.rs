//! What a trial's parameters mean: which accesses it made, how many could be in flight, what lay in the page cache.
//!
//! Workloads name their parameters and metrics each in their own way. This module, with one file per workload, is the
//! only place of the verdict that knows those names; audits ask it. To add a workload: its file, its variant of
//! [`Workload`] and its arms below.

mod append;
mod commit;
mod device;
mod kv;
mod pool;
mod scan;

use model::buffer::BUFFER_PAGES;
use model::trial::{FileFacts, Phase, TrialRecord};
use model::{BufferPages, Configuration, IoMode, Value};

/// The workloads whose records can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Workload {
    Append,
    Commit,
    Device,
    Kv,
    Pool,
    Scan,
    /// One of a later version: what depends on its parameters cannot be assessed.
    Unknown,
}

/// How one kind of operation reaches its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    /// Its I/O mode.
    pub(crate) mode: IoMode,
    /// Bytes of one operation.
    pub(crate) block_bytes: u64,
}

impl Access {
    /// Whether the page cache is left out.
    pub(crate) fn is_direct(self) -> bool {
        self.mode == IoMode::Direct
    }
}

/// What the page cache was asked to hold of the data file before the measurement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Cache {
    Cold,
    Warm,
    /// Whatever was there.
    #[default]
    AsIs,
}

/// What is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Content {
    #[default]
    Random,
    Zero,
    Compressible,
}

/// One configuration's parameters in words that every workload shares.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Circumstances {
    /// Reads of the data file; `None` where there are none.
    pub(crate) reads: Option<Access>,
    /// Writes, to whichever file.
    pub(crate) writes: Option<Access>,
    /// Whether those writes go to the data file.
    pub(crate) writes_data: bool,
    /// What they carry.
    pub(crate) content: Content,
    /// Whether an engine stands between them and its files: it may compress by itself.
    pub(crate) in_engine: bool,
    /// Whether they are made durable within the measured time.
    pub(crate) syncs: bool,
    /// Threads that drive operations.
    pub(crate) threads: f64,
    /// Operations that may be in flight at a time, over all threads.
    pub(crate) in_flight_max: f64,
    /// Operations that each thread keeps in flight, where a parameter says so: its name and level.
    pub(crate) depth: Option<(&'static str, u64)>,
    /// Arrivals per second over all threads, in an open loop.
    pub(crate) arrivals_per_s: Option<f64>,
    /// The data file's pages before the measurement.
    pub(crate) cache: Cache,
    /// Seconds that the workload runs after that and before it is measured.
    pub(crate) ramp_s: f64,
    /// What pages the buffers were to have; `None` where no parameter says so.
    pub(crate) buffer_pages: Option<BufferPages>,
    /// Seconds that a phase takes by time alone, but for what is in flight at its end; `None` where it ends by count, or
    /// where a sync at its end has to write what memory took.
    pub(crate) runtime_s: Option<f64>,
    /// Bytes of the data file.
    pub(crate) data_bytes: Option<u64>,
    /// Limit of the worker's memory in bytes, page cache included.
    pub(crate) memory_cap_bytes: Option<f64>,
}

impl Default for Circumstances {
    fn default() -> Self {
        Self {
            reads: None,
            writes: None,
            writes_data: false,
            content: Content::Random,
            in_engine: false,
            syncs: false,
            threads: 1.0,
            in_flight_max: 1.0,
            depth: None,
            arrivals_per_s: None,
            cache: Cache::AsIs,
            ramp_s: 0.0,
            buffer_pages: None,
            runtime_s: None,
            data_bytes: None,
            memory_cap_bytes: None,
        }
    }
}

impl Circumstances {
    /// Accesses to the data file.
    pub(crate) fn data_accesses(&self) -> impl Iterator<Item = Access> {
        self.reads.into_iter().chain(self.writes.filter(|_| self.writes_data))
    }

    /// Whether every operation leaves the page cache out; not where there is none at all.
    pub(crate) fn is_all_direct(&self) -> bool {
        let accesses = [self.reads, self.writes];
        accesses.iter().any(Option::is_some) && accesses.into_iter().flatten().all(Access::is_direct)
    }
}

/// Operations of one kind: how many complete per second, and how long each is in flight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stream {
    /// Completions per second that share one latency.
    pub(crate) per_second: f64,
    /// Mean latency, seconds.
    pub(crate) latency_s: f64,
    /// Operations behind one latency, at most: several that are submitted together are in flight once at least and
    /// each of them at most.
    pub(crate) overlapping_max: f64,
}

/// One pass over data that a trial reads several times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PassReading {
    /// What the page cache was asked to hold before it.
    pub(crate) asked: Cache,
    /// Share of its bytes that came from the page cache.
    pub(crate) hit_share: Option<f64>,
    /// Share of the data that was cached when it began, 0…1.
    pub(crate) cached_share_before: Option<f64>,
}

/// What of a trial's data the page cache held when the trial had read it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cached {
    /// What is meant: `of the data file`.
    pub(crate) of: &'static str,
    pub(crate) bytes: f64,
    /// All of it, cached or not.
    pub(crate) size_bytes: f64,
}

/// What an open loop's arrivals are for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paced {
    /// Parameter that gives their rate.
    pub(crate) parameter: &'static str,
    /// Metrics of what was completed, each of the phase that it stands in.
    pub(crate) rates: &'static [&'static str],
}

/// Syncs that were asked for, and flushes that the device saw for each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flushes {
    /// What is counted: `commit`, `sync`.
    pub(crate) unit: &'static str,
    /// Units in the trial, where that is known.
    pub(crate) units: Option<f64>,
    /// Flushes per unit; `None` where the device does not count them.
    pub(crate) per_unit: Option<f64>,
    /// Whether every write asks the drive to force it to media, if it can (FUA).
    pub(crate) forced: bool,
}

/// A latency that times different work in different modes, and what to compare instead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Partial {
    /// Parameter that moves the work.
    pub(crate) parameter: &'static str,
    /// How: a clause.
    pub(crate) how: &'static str,
    /// What compares: a sentence.
    pub(crate) instead: &'static str,
}

impl Workload {
    /// The workload of this name.
    pub(crate) fn of(name: &str) -> Self {
        match name {
            "append" => Self::Append,
            "commit" => Self::Commit,
            "device" => Self::Device,
            "kv" => Self::Kv,
            "pool" => Self::Pool,
            "scan" => Self::Scan,
            _ => Self::Unknown,
        }
    }

    /// What these parameters mean.
    pub(crate) fn circumstances(self, values: &Configuration) -> Circumstances {
        let (circumstances, files_bytes) = match self {
            Self::Commit => commit::circumstances(values),
            Self::Device => device::circumstances(values),
            Self::Append => append::circumstances(values),
            Self::Kv => kv::circumstances(values),
            Self::Pool => pool::circumstances(values),
            Self::Scan => scan::circumstances(values),
            Self::Unknown => (Circumstances::default(), 0),
        };
        Circumstances {
            memory_cap_bytes: cap_bytes(values, files_bytes),
            buffer_pages: BufferPages::of(values).ok().filter(|_| self.has_buffers(values)),
            ..circumstances
        }
    }

    /// Latency families whose curves are drawn. The first counts what a trial does, so its series is the throughput.
    pub(crate) fn families(self) -> &'static [&'static str] {
        match self {
            Self::Commit => &["commit_latency", "sync_latency", "read_latency"],
            Self::Device => &["completion_latency", "read_latency", "write_latency", "sync_latency"],
            Self::Append => &["append_latency", "write_latency", "sync_latency"],
            Self::Kv => &["load_latency", "hit_latency", "miss_latency", "mixed_latency", "scan_latency"],
            Self::Pool => &["page_read_latency", "page_write_latency", "page_hit_latency"],
            Self::Scan => &["block_latency", "file_latency"],
            Self::Unknown => &[],
        }
    }

    /// Whether its trials count the operations in flight beside rates and latencies of the same phase.
    pub(crate) fn counts_in_flight(self) -> bool {
        match self {
            Self::Append | Self::Commit | Self::Device | Self::Scan => true,
            Self::Kv | Self::Pool | Self::Unknown => false,
        }
    }

    /// Whether its trials tell how many of the bytes that they read came from the page cache.
    pub(crate) fn tells_hits(self) -> bool {
        match self {
            Self::Commit | Self::Device | Self::Scan => true,
            Self::Append | Self::Kv | Self::Pool | Self::Unknown => false,
        }
    }

    /// How the file that is written lies on the device, by the name of its layout, where the time of a write depends on it.
    pub(crate) fn layout(self, values: &Configuration) -> Option<String> {
        match self {
            Self::Commit => Some(values.text("wal_layout").unwrap_or_else(|_| "prefilled".to_owned())),
            Self::Device => Some("prefilled".to_owned()),
            // What engines, servers and growing files lie in is no claim of theirs.
            Self::Append | Self::Kv | Self::Pool | Self::Scan | Self::Unknown => None,
        }
    }

    /// What is in flight, stream by stream; `None` where a figure is missing.
    pub(crate) fn streams(self, record: &TrialRecord) -> Option<Vec<Stream>> {
        match self {
            Self::Commit => commit::streams(record),
            Self::Device => device::streams(record),
            Self::Append => append::streams(record),
            Self::Scan => scan::streams(record),
            // Its phases have rates and latencies each, and one count of operations in flight for none of them.
            Self::Kv | Self::Pool | Self::Unknown => None,
        }
    }

    /// Share of the bytes read that came from the page cache: 1 − bytes from the device ÷ bytes requested, below zero where
    /// more was read ahead than used.
    pub(crate) fn hit_share(self, record: &TrialRecord) -> Option<f64> {
        match self {
            Self::Commit => commit::hit_share(record),
            Self::Device => device::hit_share(record),
            // Each pass of a scan has its own: see `passes`.
            Self::Append | Self::Kv | Self::Pool | Self::Scan | Self::Unknown => None,
        }
    }

    /// The passes of a trial that reads the same data several times; none where there is no such thing.
    pub(crate) fn passes(self, record: &TrialRecord) -> Vec<PassReading> {
        match self {
            Self::Scan => scan::passes(record),
            Self::Pool => pool::passes(record),
            Self::Append | Self::Commit | Self::Device | Self::Kv | Self::Unknown => Vec::new(),
        }
    }

    /// What the page cache held of a trial's data at its end.
    pub(crate) fn cached_at_end(self, record: &TrialRecord) -> Option<Cached> {
        match self {
            Self::Kv => kv::cached(record),
            Self::Append | Self::Commit | Self::Device | Self::Pool | Self::Scan | Self::Unknown => {
                let data = data_file(record)?;
                let size_bytes = data.size_bytes as f64;
                let bytes = data.cached_share_after.value()? * size_bytes;
                bytes.is_finite().then_some(Cached { of: "of the data file", bytes, size_bytes })
            }
        }
    }

    /// What comes at a rate in an open loop; `None` where no such loop exists.
    pub(crate) fn paced(self) -> Option<Paced> {
        match self {
            Self::Device => Some(Paced { parameter: "rate_iops", rates: &["iops"] }),
            Self::Kv => Some(kv::PACED),
            Self::Append | Self::Commit | Self::Pool | Self::Scan | Self::Unknown => None,
        }
    }

    /// Metric of the bytes that reached the device per byte written, until the last operation ended. Commits are
    /// acknowledged by their sync, so none of theirs may still be in memory.
    pub(crate) fn reached_device(self) -> Option<&'static str> {
        match self {
            Self::Device => Some("device_written_bytes_per_written_byte"),
            // What appends leave in memory is what they measure: exposed_bytes. A load is counted with its drain.
            Self::Append | Self::Commit | Self::Kv | Self::Pool | Self::Scan | Self::Unknown => None,
        }
    }

    /// Flushes against what asked for them; `None` where nothing did.
    pub(crate) fn flushes(self, record: &TrialRecord) -> Option<Flushes> {
        match self {
            Self::Commit => commit::flushes(record),
            Self::Device => device::flushes(record),
            Self::Append => append::flushes(record),
            Self::Kv | Self::Pool | Self::Scan | Self::Unknown => None,
        }
    }

    /// Parameters that together say what an arm is, where arms are named and no grid: arms that differ in these differ
    /// in what they are, and in anything else by mistake.
    pub(crate) fn arm_parameters(self) -> &'static [&'static str] {
        match self {
            Self::Append => append::ARM_PARAMETERS,
            Self::Commit | Self::Device | Self::Kv | Self::Pool | Self::Scan | Self::Unknown => &[],
        }
    }

    /// Whether the memory that is read into and written from is Syncline's own, and not an engine's, a server's or a client's.
    pub(crate) fn has_buffers(self, values: &Configuration) -> bool {
        match self {
            Self::Commit | Self::Device => true,
            Self::Append => values.is("engine", "file"),
            Self::Pool => !values.is("subject", "postgres"),
            Self::Scan => !values.text("target").is_ok_and(|target| target.starts_with("s3://")),
            Self::Kv | Self::Unknown => false,
        }
    }

    /// What a parameter was before it existed, for the records that lack it: a clause.
    pub(crate) fn unwritten(self, parameter: &str) -> Option<&'static str> {
        match (self, parameter) {
            (Self::Append | Self::Commit | Self::Device | Self::Pool, BUFFER_PAGES) => {
                Some("not recorded (huge if the version asked for huge pages, else what the kernel gives)")
            }
            (Self::Scan, BUFFER_PAGES) => Some("not recorded (huge if the kernel gives them unasked)"),
            (Self::Append | Self::Commit | Self::Device | Self::Pool, "registered") => {
                Some("not recorded (true, unless memory could not be locked)")
            }
            (_, "age") => Some("not recorded (0s)"),
            (_, _) => None,
        }
    }

    /// Parameters across which a latency family does not compare, between these arms.
    pub(crate) fn partial(self, family: &str, arms: &[&Configuration]) -> Vec<Partial> {
        match self {
            Self::Commit => commit::partial(family, arms),
            Self::Device => device::partial(family, arms),
            Self::Append => append::partial(family, arms),
            Self::Kv | Self::Pool | Self::Scan | Self::Unknown => Vec::new(),
        }
    }
}

/// What is known of the data file.
pub(crate) fn data_file(record: &TrialRecord) -> Option<&FileFacts> {
    record.measurement.as_ref()?.files.iter().find(|file| file.role == "data")
}

/// 1 − bytes fetched from the device ÷ bytes asked for in a phase: below zero where more was read ahead than used, of which
/// a metric says nothing and an audit does.
/// Events of a rate in the phase that reports it; `None` where there are none.
fn in_trial(record: &TrialRecord, rate: &str) -> Option<f64> {
    let phases = &record.measurement.as_ref()?.phases;
    let per_s = |phase: &Phase| phase.metrics.get(rate)?.value().copied();
    let events = phases.iter().find_map(|phase| Some(per_s(phase)? * phase.duration_s))?;
    (events.is_finite() && events > 0.0).then_some(events)
}

fn hit_share_of(phase: &Phase, asked_bytes: f64) -> Option<f64> {
    let fetched = phase.mechanism.process_io.value()?.read_bytes as f64;
    Some(1.0 - fetched / asked_bytes).filter(|share| share.is_finite())
}

/// `memory_cap` in bytes; a percentage is one of all files together, as the lab takes it.
fn cap_bytes(values: &Configuration, files_bytes: u64) -> Option<f64> {
    let bytes = match values.get("memory_cap")? {
        Value::Bytes(bytes) => *bytes as f64,
        Value::Percent(percent) => files_bytes as f64 * percent / 100.0,
        Value::Name(_) | Value::Duration(_) | Value::Count(_) | Value::Number(_) | Value::Flag(_) => {
            return None;
        }
    };
    (bytes.is_finite() && bytes > 0.0).then_some(bytes)
}

/// `runtime`, where it limits anything.
fn runtime_s(values: &Configuration) -> Option<f64> {
    let runtime = values.duration("runtime").ok()?.seconds();
    (runtime > 0.0).then_some(runtime)
}

fn cache(values: &Configuration) -> Cache {
    if values.is("cache", "cold") {
        Cache::Cold
    } else if values.is("cache", "warm") {
        Cache::Warm
    } else {
        Cache::AsIs
    }
}

/// What is asked of the whole file: none of it warm is cold; a part that is warm is recorded, and neither.
fn cache_of_all(values: &Configuration) -> Cache {
    match (cache(values), values.count("cached_percentage")) {
        (Cache::Warm, Ok(0)) => Cache::Cold,
        (Cache::Warm, Ok(1..100)) => Cache::AsIs,
        (asked, _) => asked,
    }
}

#[cfg(test)]
mod tests;
