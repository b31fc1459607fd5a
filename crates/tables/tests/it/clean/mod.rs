//! A run of the device workload as it should be: six rounds, direct, ten seconds, every figure consistent.

use model::durability::DurabilityClass;
use model::host::{HostFacts, Placement};
use model::mechanism::{Continuity, CpuContention, Measured, Mechanism, ProcessCounters};
use model::plan::{Factor, Plan, StudyPlan};
use model::run::Run;
use model::trial::{FileFacts, Measurement, Phase, TrialKey, TrialOutcome, TrialRecord};
use model::{Configuration, Nanos, Value};
use std::fmt::Write;

const ROUNDS: u32 = 6;
const DEPTHS: [u64; 4] = [1, 4, 16, 64];

fn name(text: &str) -> Value {
    Value::Name(text.to_owned())
}

fn configuration(depth: u64) -> Configuration {
    let values = [
        ("rw", name("randread")),
        ("mode", name("direct")),
        ("bs", Value::Bytes(4096)),
        ("iodepth", Value::Count(depth)),
        ("numjobs", Value::Count(2)),
        ("ioengine", name("uring")),
        ("size", Value::Bytes(1 << 30)),
        ("end_fsync", Value::Flag(false)),
        ("fdatasync", Value::Count(0)),
        ("rate_iops", name("none")),
        ("memory_cap", name("none")),
        ("runtime", Value::Duration(Nanos::from_millis(12_000))),
    ];
    Configuration(values.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

pub(crate) fn run() -> Run {
    let mut plan = StudyPlan {
        name: "depth".to_owned(),
        question: "How deep?".to_owned(),
        workload: "device".to_owned(),
        profile: "standard".to_owned(),
        factors: vec![Factor { name: "iodepth".to_owned(), levels: DEPTHS.map(Value::Count).to_vec() }],
        configurations: DEPTHS.map(configuration).to_vec(),
        warmup_rounds: 1,
        rounds: ROUNDS,
        ..StudyPlan::default()
    };
    workload::older_plan::complete(&mut plan);
    let rounds = 0..=ROUNDS;
    let places = rounds.flat_map(|round| (0..DEPTHS.len()).map(move |configuration| (round, configuration)));
    let mut records: Vec<TrialRecord> =
        places.map(|(round, configuration)| record(round, configuration)).collect();
    // The A/A arm: the first configuration once more in each round.
    records.extend((0..=ROUNDS).map(|round| {
        let first = record(round, plan.duplicate);
        TrialRecord { key: TrialKey { duplicate: true, ..first.key }, position: DEPTHS.len() as u32, ..first }
    }));
    let plan = Plan {
        program_version: "0.1.0".to_owned(),
        created_at: "2026-11-21T10:00:00Z".to_owned(),
        directory: "/srv/data".into(),
        seed: 1,
        studies: vec![plan],
        ..Plan::default()
    };
    Run { plan, host: host(), records, remarks: Vec::new() }
}

/// The run as `syncline export --format long` writes it.
pub(crate) fn long_export(run: &Run) -> String {
    let parameters: Vec<String> = configuration(1).0.keys().cloned().chain(["cache".to_owned()]).collect();
    let mut text = format!(
        "study,round,position,warmup,duplicate,outcome,{},phase,metric,unit,value,reason\n",
        parameters.join(",")
    );
    for record in &run.records {
        let levels =
            parameters.iter().map(|name| record.values.get(name).map_or_else(String::new, Value::to_string));
        let levels: Vec<String> = levels.collect();
        let TrialKey { study, round, .. } = &record.key;
        let (position, warmup, duplicate) = (record.position, record.warmup, record.key.duplicate);
        let key = format!("{study},{round},{position},{warmup},{duplicate},ok,{}", levels.join(","));
        let phase = &record.measurement.as_ref().unwrap().phases[0];
        for (metric, figure) in &phase.metrics {
            let Measured::Value(value) = figure else { panic!("made up") };
            writeln!(text, "{key},{},{metric},unit,{value},", phase.name).unwrap();
        }
    }
    text
}

fn record(round: u32, configuration: usize) -> TrialRecord {
    TrialRecord {
        format_version: 1,
        key: TrialKey { study: "depth".to_owned(), round, configuration, duplicate: false, block: 0 },
        position: configuration as u32,
        warmup: round == 0,
        session: 0,
        values: self::configuration(DEPTHS[configuration]),
        seed: 1,
        ensemble: Vec::new(),
        started_at: "2026-11-21T10:00:00Z".to_owned(),
        wall_s: 13.0,
        prepare_s: 0.1,
        canary: None,
        pauses: None,
        outcome: TrialOutcome::Ok,
        measurement: Some(measurement(round, configuration)),
    }
}

fn measurement(round: u32, configuration: usize) -> Measurement {
    // The warm-up is far off: it must not be counted.
    let scatter = [9.0, 1.0, 1.013, 0.991, 1.022, 0.986, 1.007][round as usize];
    let in_flight = (DEPTHS[configuration] * 2) as f64;
    let mean_us = (60.0 + 10.0 * in_flight) * scatter;
    let iops = in_flight / mean_us * 1e6;
    let metrics = [
        ("iops", iops),
        ("bandwidth_bytes_per_s", iops * 4096.0),
        ("completion_latency_mean_us", mean_us),
        ("completion_latency_sd_us", mean_us * 0.4),
        ("completion_latency_p50_us", mean_us * 0.95),
        ("completion_latency_p90_us", mean_us * 1.2),
        ("completion_latency_p99_us", mean_us * 2.0),
        ("completion_latency_p99_9_us", mean_us * 4.0),
        ("completion_latency_max_us", mean_us * 40.0),
        ("in_flight_mean", in_flight),
    ];
    let metrics =
        metrics.into_iter().map(|(name, value)| (name.to_owned(), Measured::Value(value))).collect();
    let phase = Phase::new("measure".to_owned(), 12.0, (iops * 12.0) as u64, metrics, mechanism());
    Measurement {
        phases: vec![phase],
        durability: DurabilityClass::None,
        files: vec![file()],
        placement: placement(),
        quiesce_s: 0.1,
        cache_s: 0.1,
        aftermath_s: 0.0,
        buffers: None,
        steady_ramp: None,
        server: None,
        notes: Vec::new(),
        operation_log: None,
        sidecar: None,
    }
}

fn file() -> FileFacts {
    FileFacts {
        role: "data".to_owned(),
        size_bytes: 1 << 30,
        layout: "prefilled".to_owned(),
        extents: unread(),
        age_s: None,
        cached_share_before: Measured::Value(0.0),
        cached_share_after_ramp: None,
        cached_share_after: Measured::Value(0.0),
    }
}

fn unread<T>() -> Measured<T> {
    Measured::unsupported("not read")
}

fn mechanism() -> Mechanism {
    Mechanism {
        device: unread(),
        process: ProcessCounters::default(),
        process_io: unread(),
        run_queue_delay_s: unread(),
        pressure: unread(),
        steal_s: unread(),
        page_cache: unread(),
        cpu_frequency_mhz: unread(),
        device_temperature_celsius: unread(),
        continuity: Continuity::default(),
        cpu_contention: CpuContention::default(),
        server: None,
    }
}

fn placement() -> Placement {
    Placement {
        filesystem: "ext4".to_owned(),
        mount_options: "rw".to_owned(),
        in_memory: None,
        below: None,
        io_limits: None,
        device: unread(),
        model: unread(),
        firmware: None,
        device_bytes: unread(),
        write_cache: unread(),
        fua: unread(),
        scheduler: unread(),
        rotational: unread(),
        direct_offset_alignment_bytes: unread(),
        direct_memory_alignment_bytes: unread(),
        queue_settings: Vec::new(),
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
        governor: unread(),
        clock_source: "tsc".to_owned(),
        dirty_settings: Vec::new(),
        memory_settings: Vec::new(),
        root: false,
        databases: None,
    }
}
