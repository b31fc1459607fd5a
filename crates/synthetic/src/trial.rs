//! What one made-up trial measured.

use hdrhistogram::Histogram;
use model::durability::DurabilityClass;
use model::host::{HostFacts, Placement};
use model::mechanism::{
    Continuity, CpuContention, DeviceCounters, Measured, Mechanism, Pressure, ProcessCounters, ProcessIo,
    QuotaCounters, Window,
};
use model::sidecar::Sidecar;
use model::trial::{ExtentFacts, FileFacts, Measurement, Phase, TrialKey};
use model::{BufferMemory, BufferPages, Configuration};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The latencies of a made-up trial: a sync that takes half of the commit's time, and a tail.
pub fn sidecar(key: &TrialKey) -> Option<Sidecar> {
    let mut sidecar = Sidecar::default();
    let bounds = Histogram::<u64>::new_with_bounds(1, 60_000_000_000, 3);
    let mut histogram = bounds.ok()?;
    let mut random = SplitMix64::seed_from_u64(u64::from(key.round) * 77 + key.configuration as u64);
    for _ in 0..500 {
        let uniform = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        histogram.record((400_000.0 - 150_000.0 * (1.0 - uniform).ln()) as u64).ok()?;
    }
    for family in ["commit_latency", "completion_latency", "sync_latency", "read_latency"] {
        sidecar.insert(family, &histogram).ok()?;
    }
    Some(sidecar)
}

/// The same with these latencies of one family, ns.
pub fn sidecar_with(key: &TrialKey, family: &str, nanos: impl IntoIterator<Item = u64>) -> Option<Sidecar> {
    let mut sidecar = sidecar(key)?;
    let mut histogram = Histogram::<u64>::new_with_bounds(1, 60_000_000_000, 3).ok()?;
    for value in nanos {
        histogram.record(value).ok()?;
    }
    sidecar.insert(family, &histogram).ok()?;
    Some(sidecar)
}

/// A standard normal figure, the same for a seed on every machine (Box and Muller 1958).
pub fn normal(seed: u64) -> f64 {
    let mut random = SplitMix64::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut uniform = || ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    let radius = (-2.0 * uniform().ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform()).cos()
}

pub(super) fn measurement(values: &Configuration, commits: f64) -> Measurement {
    let commit_us = 0.8e6 / commits;
    let (write_us, sync_us, read_us) = (commit_us * 0.2, commit_us * 0.8, 100.0);
    let has_reads = values.count("read_depth") != Ok(0);
    let reads_per_commit = if has_reads { values.count("reads_per_commit").unwrap_or(4) as f64 } else { 0.0 };
    let reads = commits * reads_per_commit;
    let group_size = values.count("group_size").unwrap_or(1) as f64;
    let in_flight = (reads * read_us + commits * commit_us) / 1e6;
    let metrics = [
        ("commits_per_s", commits),
        ("transactions_per_s", commits * group_size),
        ("commit_latency_mean_us", commit_us),
        ("commit_latency_p50_us", commit_us * 0.9),
        ("sync_latency_mean_us", sync_us),
        ("sync_latency_p50_us", sync_us * 0.9),
        ("write_latency_mean_us", write_us),
        ("reads_per_s", reads),
        ("read_latency_mean_us", read_us),
        ("realised_reads_per_commit", reads_per_commit),
        ("device_writes_per_commit", 2.0),
        ("device_written_bytes_per_commit", 4198.0),
        ("device_flushes_per_commit", 1.0),
        ("device_read_bytes_per_read", 4096.0),
        ("efficiency_share", commits * sync_us / 1e6),
        ("in_flight_mean", in_flight),
        ("cpu_seconds_per_million_operations", 4.2),
        ("instrument_overhead_ns", 80.0),
    ];
    let is_there = |name: &str| has_reads || !name.contains("read");
    let metrics = metrics.into_iter().filter(|(name, _)| is_there(name));
    let metrics = metrics.map(|(name, value)| (name.to_owned(), Measured::Value(value))).collect();
    let operations = (2.0 * (reads + 2.0 * commits)) as u64;
    let phase = Phase::new("measure".to_owned(), 2.0, operations, metrics, mechanism());
    Measurement {
        phases: vec![phase],
        durability: DurabilityClass::Power,
        files: vec![file("data", 1 << 30), file("wal", 256 << 20)],
        placement: placement(),
        quiesce_s: 0.2,
        cache_s: 0.1,
        aftermath_s: 0.05,
        buffers: None,
        steady_ramp: None,
        server: None,
        notes: Vec::new(),
        operation_log: None,
        sidecar: None,
    }
}

/// Memory of the kind that was requested.
pub(super) fn buffers(pages: BufferPages) -> Measured<BufferMemory> {
    let (resident_bytes, kernel_page_bytes) = (8 << 20, 4096);
    let huge_bytes = if pages == BufferPages::Huge { resident_bytes } else { 0 };
    Measured::Value(BufferMemory { resident_bytes, huge_bytes, kernel_page_bytes })
}

pub(super) fn file(role: &str, size_bytes: u64) -> FileFacts {
    FileFacts {
        role: role.to_owned(),
        size_bytes,
        layout: "prefilled".to_owned(),
        extents: Measured::Value(ExtentFacts { count: 3, unwritten_bytes: 0, hole_bytes: 0 }),
        age_s: None,
        cached_share_before: Measured::Value(0.0),
        cached_share_after_ramp: None,
        cached_share_after: Measured::Value(0.02),
    }
}

pub(super) fn mechanism() -> Mechanism {
    let device = DeviceCounters {
        reads: 8000,
        read_bytes: 8000 * 4096,
        writes: 4000,
        written_bytes: 4000 * 4096,
        discards: 0,
        flushes: Measured::Value(2000),
        busy_s: 1.9,
        queue_s: 2.0,
    };
    Mechanism {
        device: Measured::Value(device),
        process: ProcessCounters { user_s: 0.1, system_s: 0.3, ..ProcessCounters::default() },
        process_io: Measured::Value(ProcessIo {
            read_bytes: 8000 * 4096,
            written_bytes: 4000 * 4096,
            ..ProcessIo::default()
        }),
        run_queue_delay_s: Measured::Value(0.01),
        pressure: Measured::Value(Pressure { cpu_some_s: 0.02, ..Pressure::default() }),
        steal_s: Measured::Value(0.01),
        page_cache: Measured::unsupported("not read"),
        cpu_frequency_mhz: Measured::unsupported("not read"),
        device_temperature_celsius: Measured::unsupported("not read"),
        continuity: Continuity {
            window: Measured::Value(Window { began_s: 1000.0, ended_s: 1002.0 }),
            suspended_s: Measured::Value(0.0),
            longest_gap_s: Measured::Value(0.02),
        },
        cpu_contention: CpuContention {
            others_user_s: Measured::Value(0.05),
            quota: Measured::Value(QuotaCounters::default()),
        },
        server: None,
    }
}

pub(super) fn placement() -> Placement {
    Placement {
        filesystem: "ext4".to_owned(),
        mount_options: "rw,relatime".to_owned(),
        in_memory: None,
        below: None,
        io_limits: Some(Vec::new()),
        device: Measured::Value("vda".to_owned()),
        model: Measured::unsupported("virtio disks have none"),
        firmware: None,
        device_bytes: Measured::Value(64 << 30),
        write_cache: Measured::Value("write back".to_owned()),
        fua: Measured::Value(false),
        scheduler: Measured::Value("none".to_owned()),
        rotational: Measured::Value(false),
        direct_offset_alignment_bytes: Measured::Value(512),
        direct_memory_alignment_bytes: Measured::Value(512),
        queue_settings: Vec::new(),
    }
}

pub(super) fn host() -> HostFacts {
    HostFacts {
        name: "made-up".to_owned(),
        distribution: "Debian 12".to_owned(),
        kernel: "6.18.0".to_owned(),
        kernel_command_line: String::new(),
        processor: "none".to_owned(),
        cpus: 2,
        memory_bytes: 4 << 30,
        virtualisation: "kvm".to_owned(),
        governor: Measured::unsupported("no cpufreq"),
        clock_source: "tsc".to_owned(),
        dirty_settings: Vec::new(),
        memory_settings: Vec::new(),
        root: false,
        databases: None,
    }
}
