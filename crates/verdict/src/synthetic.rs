//! Runs made up for tests: a commit study whose every figure is known, and the means to spoil one.

use hdrhistogram::Histogram;
use model::durability::DurabilityClass;
use model::host::{HostFacts, Placement};
use model::mechanism::{DeviceCounters, Measured, Mechanism, Pressure, ProcessCounters};
use model::plan::{Factor, Plan, StudyPlan};
use model::run::Run;
use model::sidecar::Sidecar;
use model::study::{Ask, AskKind};
use model::trial::{ExtentFacts, FileFacts, Measurement, Outcome, Phase, TrialKey, TrialRecord};
use model::{Configuration, Nanos, Value};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::collections::BTreeMap;

type Rate = Box<dyn Fn(&Configuration, u32) -> f64>;
type Edit = Box<dyn Fn(&mut TrialRecord)>;

/// A made-up study: what it asks, what is true of it, and how much its trials scatter.
pub(crate) struct Synthetic {
    factors: Vec<Factor>,
    fixed: BTreeMap<String, Value>,
    asks: Vec<Ask>,
    rounds: u32,
    rate: Rate,
    scatter: f64,
    edits: Vec<Edit>,
}

pub(crate) fn name(text: &str) -> Value {
    Value::Name(text.to_owned())
}

pub(crate) fn ask(kind: AskKind, factor: &str, on: &[&str]) -> Ask {
    let on = on.iter().map(|metric| (*metric).to_owned()).collect();
    Ask { kind, factor: factor.to_owned(), between: None, limit: None, on }
}

impl Synthetic {
    /// mode × `group_size`, ten rounds, 1000 commits/s everywhere, 2 % of scatter.
    pub(crate) fn commit() -> Self {
        let counts = |levels: &[u64]| levels.iter().map(|level| Value::Count(*level)).collect();
        let fixed = [
            ("sync", name("fdatasync")),
            ("group_write", name("coalesced")),
            ("data_mode", name("same")),
            ("wal_mode", name("same")),
            ("cache", name("cold")),
            ("pacing", name("exact")),
            ("submission", name("uring")),
            ("committers", Value::Count(1)),
            ("read_depth", Value::Count(4)),
            ("reads_per_commit", Value::Count(4)),
            ("page_size", Value::Bytes(4096)),
            ("runtime", Value::Duration(Nanos::from_millis(2000))),
        ];
        Self {
            factors: vec![
                Factor { name: "mode".to_owned(), levels: vec![name("buffered"), name("direct")] },
                Factor { name: "group_size".to_owned(), levels: counts(&[1, 4]) },
            ],
            fixed: fixed.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
            asks: vec![ask(AskKind::Compare, "mode", &["commits_per_s"])],
            rounds: 10,
            rate: Box::new(|_, _| 1000.0),
            scatter: 0.02,
            edits: Vec::new(),
        }
    }

    pub(crate) fn rounds(mut self, rounds: u32) -> Self {
        self.rounds = rounds;
        self
    }

    /// The true rate of commits by configuration and round.
    pub(crate) fn rate(mut self, rate: impl Fn(&Configuration, u32) -> f64 + 'static) -> Self {
        self.rate = Box::new(rate);
        self
    }

    /// Standard deviation of the rate's logarithm over trials.
    pub(crate) fn scatter(mut self, scatter: f64) -> Self {
        self.scatter = scatter;
        self
    }

    pub(crate) fn asks(mut self, asks: Vec<Ask>) -> Self {
        self.asks = asks;
        self
    }

    pub(crate) fn fix(mut self, parameter: &str, value: Value) -> Self {
        self.fixed.insert(parameter.to_owned(), value);
        self
    }

    /// Replaces the levels of a factor, or adds the factor.
    pub(crate) fn vary(mut self, factor: &str, levels: Vec<Value>) -> Self {
        match self.factors.iter_mut().find(|known| known.name == factor) {
            Some(known) => known.levels = levels,
            None => self.factors.push(Factor { name: factor.to_owned(), levels }),
        }
        self
    }

    /// Changes every record after it was made.
    pub(crate) fn edit(mut self, edit: impl Fn(&mut TrialRecord) + 'static) -> Self {
        self.edits.push(Box::new(edit));
        self
    }

    pub(crate) fn plan(&self) -> StudyPlan {
        let mut configurations = vec![Configuration(self.fixed.clone())];
        for factor in &self.factors {
            configurations = configurations
                .iter()
                .flat_map(|configuration| {
                    factor.levels.iter().map(|level| {
                        let mut configuration = configuration.clone();
                        configuration.0.insert(factor.name.clone(), level.clone());
                        configuration
                    })
                })
                .collect();
        }
        StudyPlan {
            name: "commit".to_owned(),
            question: "Does O_DIRECT make commits cheaper?".to_owned(),
            workload: "commit".to_owned(),
            profile: "quick".to_owned(),
            factors: self.factors.clone(),
            configurations,
            baseline: Configuration(BTreeMap::from([("mode".to_owned(), name("buffered"))])),
            duplicate: 0,
            asks: self.asks.clone(),
            warmup_rounds: 0,
            rounds: self.rounds,
            fresh_placement: false,
            excluded: Vec::new(),
        }
    }

    pub(crate) fn run(&self) -> Run {
        let plan = self.plan();
        let mut records = Vec::new();
        for round in 0..plan.rounds {
            for index in 0..plan.trials_per_round() {
                let duplicate = index == plan.configurations.len();
                let configuration = if duplicate { plan.duplicate } else { index };
                let key = TrialKey { study: plan.name.clone(), round, configuration, duplicate };
                let mut record = self.record(&plan, key, index);
                self.edits.iter().for_each(|edit| edit(&mut record));
                records.push(record);
            }
        }
        let plan = Plan {
            format_version: 1,
            program_version: "0.1.0".to_owned(),
            created_at: "2026-11-21T10:00:00Z".to_owned(),
            directory: "/srv/data".to_owned(),
            seed: 1,
            studies: vec![plan],
        };
        Run { plan, host: host(), records, remarks: Vec::new() }
    }

    fn record(&self, plan: &StudyPlan, key: TrialKey, position: usize) -> TrialRecord {
        let values = plan.configurations[key.configuration].clone();
        let seed = u64::from(key.round) * 1000 + position as u64;
        let commits = (self.rate)(&values, key.round) * (self.scatter * normal(seed)).exp();
        let measurement = measurement(&values, commits);
        TrialRecord {
            format_version: 1,
            position: position as u32,
            warmup: false,
            session: 0,
            seed,
            started_at: format!("2026-11-21T10:{:02}:{position:02}Z", key.round),
            wall_s: 2.5,
            prepare_s: 0.1,
            outcome: Outcome::Ok,
            measurement: Some(measurement),
            values,
            key,
        }
    }
}

/// The latencies of a made-up trial: a sync that takes half of the commit's time, and a tail.
pub(crate) fn sidecar(key: &TrialKey) -> Option<Sidecar> {
    let mut sidecar = Sidecar::default();
    let bounds = Histogram::<u64>::new_with_bounds(1, 60_000_000_000, 3);
    let mut histogram = bounds.ok()?;
    let mut random = SplitMix64::seed_from_u64(u64::from(key.round) * 77 + key.configuration as u64);
    for _ in 0..500 {
        let uniform = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        histogram.record((400_000.0 - 150_000.0 * (1.0 - uniform).ln()) as u64).ok()?;
    }
    for family in ["commit_latency", "sync_latency", "read_latency"] {
        sidecar.insert(family, &histogram).ok()?;
    }
    Some(sidecar)
}

/// A standard normal figure (Box and Muller 1958).
fn normal(seed: u64) -> f64 {
    let mut random = SplitMix64::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut uniform = || ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
    let radius = (-2.0 * uniform().ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform()).cos()
}

fn measurement(values: &Configuration, commits: f64) -> Measurement {
    let commit_us = 0.8e6 / commits;
    let (write_us, sync_us, read_us) = (commit_us * 0.2, commit_us * 0.8, 100.0);
    let reads_per_commit = values.count("reads_per_commit").unwrap_or(4) as f64;
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
    let metrics =
        metrics.into_iter().map(|(name, value)| (name.to_owned(), Measured::Value(value))).collect();
    let operations = (2.0 * (reads + 2.0 * commits)) as u64;
    let phase =
        Phase { name: "measure".to_owned(), duration_s: 2.0, operations, metrics, mechanism: mechanism() };
    Measurement {
        phases: vec![phase],
        durability: DurabilityClass::Power,
        files: vec![file("data", 1 << 30), file("wal", 256 << 20)],
        placement: placement(),
        quiesce_s: 0.2,
        cache_s: 0.1,
        notes: Vec::new(),
        sidecar: None,
    }
}

fn file(role: &str, size_bytes: u64) -> FileFacts {
    FileFacts {
        role: role.to_owned(),
        size_bytes,
        layout: "prefilled".to_owned(),
        extents: Measured::Value(ExtentFacts { count: 3, unwritten_bytes: 0, hole_bytes: 0 }),
        cached_share_before: Measured::Value(0.0),
        cached_share_after: Measured::Value(0.02),
    }
}

fn mechanism() -> Mechanism {
    let device = DeviceCounters {
        reads: 8000,
        read_bytes: 8000 * 4096,
        writes: 4000,
        written_bytes: 4000 * 4096,
        discards: 0,
        flushes: Measured::Value(2000),
        busy_s: 1.9,
        queue_s: 4.0,
    };
    Mechanism {
        device: Measured::Value(device),
        process: ProcessCounters { user_s: 0.1, system_s: 0.3, ..ProcessCounters::default() },
        process_io: Measured::unsupported("not read"),
        run_queue_delay_s: Measured::Value(0.01),
        pressure: Measured::Value(Pressure { cpu_some_s: 0.02, ..Pressure::default() }),
        steal_s: Measured::Value(0.01),
        page_cache: Measured::unsupported("not read"),
        cpu_frequency_mhz: Measured::unsupported("not read"),
        device_temperature_celsius: Measured::unsupported("not read"),
    }
}

fn placement() -> Placement {
    Placement {
        filesystem: "ext4".to_owned(),
        mount_options: "rw,relatime".to_owned(),
        device: Measured::Value("vda".to_owned()),
        model: Measured::unsupported("virtio disks have none"),
        device_bytes: Measured::Value(64 << 30),
        write_cache: Measured::Value("write back".to_owned()),
        fua: Measured::Value(false),
        scheduler: Measured::Value("none".to_owned()),
        rotational: Measured::Value(false),
        direct_offset_alignment_bytes: Measured::Value(512),
        direct_memory_alignment_bytes: Measured::Value(512),
    }
}

fn host() -> HostFacts {
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
        root: false,
    }
}
