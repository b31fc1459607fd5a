//! The object workload's parameters, and what follows from them.

use super::levels::{LogFormat, SizeDistribution, Step};
use super::sizes::ObjectSizes;
use crate::kv::keys::Stripe;
use crate::popularity::Popularity;
use model::object::OBJECT_BYTES_MAX;
use model::parameter::{ParameterKind, bytes, count, count_up_to, number, one_of, shares_of};
use model::units::{GIB, MIB, format_bytes};
use model::{
    Cache, Configuration, DurabilityClass, Endpoints, IoMode, LevelError, Levels, Nanos, ObjectTree, Shares,
    Sizes, parameters,
};

/// The workload's name in study files.
pub(super) const WORKLOAD: &str = "object";

parameters! {
    /// One value for every parameter of the object workload.
    pub struct Parameters;
    /// The object workload's parameters.
    pub const PARAMETERS: Handles;

    /// where the objects are: none = files in the run's directory, or s3://bucket/prefix, below which they are written
    /// in a prefix of their own that is deleted at the end
    target: Option<String> = "none",
    /// addresses of the target's store, with spaces between them: client k uses number k modulo their count, and
    /// everything that is not measured uses the first; none = the address in the environment
    endpoints: Option<String> = "none" in ParameterKind::Endpoints,
    /// objects that are there before the measurement
    objects: u64 = "256" in count(1..=1_000_000),
    /// mean size of an object; no effect with size_table
    object_size: u64 = "1MiB" in bytes(1..=OBJECT_BYTES_MAX),
    /// sizes of objects: fixed, uniform up to twice the mean, or log-normal up to 16 times the mean; no effect
    /// with size_table
    size_distribution: SizeDistribution = "fixed",
    /// standard deviation of the logarithm of log-normal sizes; no effect with other sizes
    size_sigma: f64 = "1" in number(0.1..=3.0),
    /// sizes with a percentage of the objects each
    size_table: Sizes = "none",
    /// folders in each folder; no effect if prefix_depth = 0
    prefixes: u32 = "16" in count(1..=1000),
    /// folders above an object
    prefix_depth: u32 = "1" in count(0..=4),
    /// percent of each 4 KiB of an object that is zeros; the rest does not compress
    compressible: u32 = "0" in count(0..=100),
    /// percent of the 4 KiB units of objects that are equal to many others
    duplicates: u32 = "0" in count(0..=100),
    /// operations with their shares in percent: get, get_range (of range_size), put (of a new object), multipart_put
    /// (in parts of part_size), stat, list (of a folder), delete (of the oldest object that was put)
    mix: Shares = "get/100" in shares_of(Step::NAMES),
    /// bytes of a get_range, which begins at a multiple of 4 KiB; no effect without get_range
    range_size: u64 = "64KiB" in bytes(1..=OBJECT_BYTES_MAX),
    /// bytes of a part, at least 5 MiB on most stores; a file is written in pieces of it; no effect without
    /// multipart_put
    part_size: u64 = "8MiB" in bytes(MIB..=OBJECT_BYTES_MAX),
    /// parts of one object in flight; no effect without multipart_put, and on files, which have one piece at a time
    parts_in_flight: u32 = "4" in count(1..=64),
    /// names of a page of a list; no effect without list
    list_page: u32 = "1000" in count(1..=1000),
    /// which objects are read: uniform (all as often), zipf (some are hot), latest (what was put last is)
    popularity: Popularity = "uniform",
    /// skew of the popularity: the k-th hottest object comes with a probability proportional to k^-zipf_theta
    zipf_theta: f64 = "0.99" in number(0.01..=10.0),
    /// objects that puts keep, over all clients: later ones replace the oldest; no effect without puts
    kept_objects: u64 = "256" in count(1..=1_000_000),
    /// I/O of files through the page cache or direct
    io: IoMode = "buffered" in one_of(&[IoMode::Buffered.name(), IoMode::Direct.name()]),
    /// bytes of one read of a file, a multiple of 4 KiB: the first one is its first bytes
    read_size: u64 = "1MiB" in bytes(4096..=GIB),
    /// sync a file that is put, and its folder, before the put is complete
    sync_puts: bool = "false",
    /// write a file that is put under another name, and rename it when it is complete (with sync_puts: and synced)
    rename_puts: bool = "false",
    /// sync the folder of a file that is removed before the delete is complete
    sync_deletes: bool = "false",
    /// after the measurement, evict what the puts have left and read it once, as a restore does; each client reads what
    /// it has put
    restore: bool = "false",
    /// the files' pages before the measurement; verified
    cache: Cache = "cold",
    /// clients, each a thread
    clients: u32 = "1" in count(1..=256),
    /// clients that do nothing but the puts and deletes of the mix, while the others do the rest of it; 0 = each client
    /// does all of it
    writers: u32 = "0" in count(0..=255),
    /// operations that each client has in flight; more than 1 needs an object store
    iodepth: u32 = "1" in count(1..=1024),
    /// operations over all clients at most; 0 = until runtime
    operations_max: u64 = "0" in count(0..=1_000_000_000_000),
    /// length of the measurement; 0s = until operations_max
    runtime: Nanos = "2s",
    /// arrivals per second of each client, Poisson: an open loop, whose latencies count from the intended start
    rate_ops: Option<u64> = "none" in count_up_to(100_000_000),
    /// log of operations that is replayed in place of the mix, in the format of Syncline, sai3-bench or MinIO warp,
    /// also compressed by zstd: operations come at their recorded times, and latencies count from then; objects, sizes,
    /// mix and runtime are those of the log
    replay: Option<String> = "none",
    /// speed of the replay: 2 is twice as fast as recorded; no effect without replay
    replay_speed: f64 = "1" in number(0.001..=1000.0),
    /// operations of a trial that are logged in the folder operations of the run, over all clients; 0 = none
    log_operations: u64 = "0" in count(0..=10_000_000),
    /// format of that log: csv (Syncline's own), op_log (of sai3-bench), warp (of MinIO warp); no effect without
    /// log_operations
    log_format: LogFormat = "csv",
    /// compare what is read with what was written, outside of latencies; a difference fails the trial
    verify: bool = "true",
    /// operations that may fail in the end, after their repetitions: they are counted by themselves, and one more fails
    /// the trial
    failures_max: u64 = "0" in count(0..=1_000_000_000),
}

impl Parameters {
    /// Reads a complete configuration.
    pub fn read(configuration: &Configuration) -> Result<Self, LevelError> {
        Self::of(&Levels::new(WORKLOAD, configuration))
    }

    /// Whether the target is an object store.
    pub fn is_remote(&self) -> bool {
        self.target.is_some()
    }

    /// The addresses of the target's store; `None` if the environment has its address.
    ///
    /// # Errors
    /// What is wrong with them, as a clause that repeats nothing of them.
    pub fn addresses(&self) -> Result<Option<Endpoints>, String> {
        let addresses = self.endpoints.as_deref().map(Endpoints::parse).transpose();
        addresses.map_err(|why| format!("{}: {why}", PARAMETERS.endpoints.name()))
    }

    /// Whether the trial repeats a log.
    pub fn is_replay(&self) -> bool {
        self.replay.is_some()
    }

    /// Whether some operation of the mix is one of these.
    pub(super) fn has(&self, is: impl Fn(Step) -> bool) -> bool {
        Step::ALL.iter().any(|step| is(*step) && self.mix.of(step.name()) > 0)
    }

    /// Whether what the puts leave is read after the measurement.
    pub fn restores(&self) -> bool {
        self.restore && self.has(Step::writes)
    }

    /// What the objects are called.
    pub fn tree(&self) -> ObjectTree {
        ObjectTree { objects: self.objects, prefixes: self.prefixes, depth: self.prefix_depth }
    }

    /// How large the objects are.
    pub fn sizes(&self) -> ObjectSizes {
        ObjectSizes::new(&self.size_table, self.size_distribution, self.object_size, self.size_sigma)
    }

    /// The objects of a client that it puts: their numbers follow from it.
    pub(super) fn stripe(&self, client: u32) -> Stripe {
        Stripe::new(client, self.clients)
    }

    /// Whether a client does this operation of the mix.
    pub(super) fn performs(&self, client: u32, step: Step) -> bool {
        self.writers == 0 || (client < self.writers) == step.changes()
    }

    /// The clients that put and delete.
    pub(super) fn changing_clients(&self) -> u32 {
        if self.writers == 0 { self.clients } else { self.writers }
    }

    /// Objects that one client's puts keep.
    pub(super) fn kept_by_client(&self) -> u64 {
        self.kept_objects.div_ceil(u64::from(self.changing_clients()))
    }

    /// Bytes of the dataset, as its sizes have them on average.
    pub(super) fn dataset_bytes(&self) -> u64 {
        self.objects.saturating_mul(self.size_mean())
    }

    /// Bytes of an object on average.
    pub(super) fn size_mean(&self) -> u64 {
        if self.is_replay() || self.size_table.is_empty() {
            self.object_size
        } else {
            self.size_table.mean_bytes()
        }
    }

    /// Bytes of what puts keep.
    pub(super) fn kept_bytes(&self) -> u64 {
        if self.has(Step::writes) { self.kept_objects.saturating_mul(self.size_mean()) } else { 0 }
    }

    /// What distinguishes the dataset from others, as a part of a name.
    pub fn dataset_name(&self) -> String {
        let sizes = if let Some(log) = &self.replay {
            // FNV-1a: logs of different names have different objects.
            let hash = log.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            format!("{}-log-{hash:016x}", format_bytes(self.object_size))
        } else if !self.size_table.is_empty() {
            self.size_table.to_string().replace(['/', ':'], "-")
        } else if self.size_distribution == SizeDistribution::LogNormal {
            format!("{}-log_normal-{}", format_bytes(self.object_size), self.size_sigma)
        } else {
            format!("{}-{}", format_bytes(self.object_size), self.size_distribution.name())
        };
        let Self { objects, prefixes, prefix_depth: depth, compressible, duplicates, .. } = self;
        format!("object-{objects}-{sizes}-{prefixes}x{depth}-{compressible}-{duplicates}")
    }

    /// What an acknowledged put survives: of a file, what its syncs make of it; a store states no class.
    pub fn durability(&self) -> DurabilityClass {
        if self.sync_puts && !self.is_remote() { DurabilityClass::Power } else { DurabilityClass::Process }
    }
}
