//! Records that no lab would write: whatever they contain, the verdict must be complete.

use crate::analyse;
use crate::finding::Finding;
use crate::verdict::Answer;
use model::Value;
use model::canary::{CanaryPair, CompressionCanary};
use model::durability::DurabilityClass;
use model::mechanism::Measured;
use model::run::Run;
use model::study::{Ask, AskKind};
use model::trial::{TrialOutcome, TrialRecord};
use proptest::prelude::*;
use synthetic::{Synthetic, ask, name};

/// One thing that can be wrong with a record.
#[derive(Clone, Debug)]
enum Defect {
    Figure(usize, f64),
    Duration(f64),
    Wall(f64),
    Place { round: u32, configuration: usize, duplicate: bool },
    Study(String),
    TrialOutcome(u8),
    NoMeasurement,
    NoPhases,
    NoValues,
    Foreign(String, u64),
    Class,
    Warmup,
    Session(u32),
    Cached(f64, f64),
    FileSize(u64),
    Counters(u64),
    Parameter(usize, Value),
    Canary(Vec<[f64; 4]>),
}

fn figure() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(-1.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(f64::MIN_POSITIVE),
        Just(f64::MAX),
        any::<f64>()
    ]
}

/// Parameters that influence how an audit judges a record.
const PARAMETERS: &[&str] = &[
    "rw",
    "bs",
    "iodepth",
    "numjobs",
    "mode",
    "size",
    "fdatasync",
    "end_fsync",
    "rate_iops",
    "memory_cap",
    "cache",
    "data",
];

fn parameter() -> impl Strategy<Value = Value> {
    const NAMES: &[&str] = &["none", "direct", "mmap", "randwrite", "rw", "zero", "warm", "as_is", ""];
    prop_oneof![
        prop_oneof![Just(0), Just(1), any::<u64>()].prop_map(Value::Count),
        prop_oneof![Just(0), any::<u64>()].prop_map(Value::Bytes),
        figure().prop_map(Value::Percent),
        any::<bool>().prop_map(Value::Flag),
        proptest::sample::select(NAMES).prop_map(name),
    ]
}

fn defect() -> impl Strategy<Value = Defect> {
    prop_oneof![
        (0..20_usize, figure()).prop_map(|(metric, value)| Defect::Figure(metric, value)),
        figure().prop_map(Defect::Duration),
        figure().prop_map(Defect::Wall),
        (any::<u32>(), any::<usize>(), any::<bool>())
            .prop_map(|(round, configuration, duplicate)| Defect::Place { round, configuration, duplicate }),
        (0..8_u32, 0..5_usize, any::<bool>()).prop_map(|(round, configuration, duplicate)| Defect::Place {
            round,
            configuration,
            duplicate
        }),
        "[a-z]{0,6}".prop_map(Defect::Study),
        (0..3_u8).prop_map(Defect::TrialOutcome),
        Just(Defect::NoMeasurement),
        Just(Defect::NoPhases),
        Just(Defect::NoValues),
        ("[a-z_]{1,12}", any::<u64>()).prop_map(|(name, value)| Defect::Foreign(name, value)),
        Just(Defect::Class),
        Just(Defect::Warmup),
        any::<u32>().prop_map(Defect::Session),
        (figure(), figure()).prop_map(|(before, after)| Defect::Cached(before, after)),
        prop_oneof![Just(0), any::<u64>()].prop_map(Defect::FileSize),
        prop_oneof![Just(0), Just(u64::MAX)].prop_map(Defect::Counters),
        (0..PARAMETERS.len(), parameter()).prop_map(|(index, value)| Defect::Parameter(index, value)),
        proptest::collection::vec(proptest::array::uniform4(figure()), 0..9).prop_map(Defect::Canary),
    ]
}

fn spoil(record: &mut TrialRecord, defect: &Defect) {
    match defect.clone() {
        Defect::Figure(index, value) => each_phase(record, |phase| {
            if let Some(figure) = phase.metrics.values_mut().nth(index) {
                *figure = Measured::Value(value);
            }
        }),
        Defect::Duration(seconds) => each_phase(record, |phase| phase.duration_s = seconds),
        Defect::Wall(seconds) => record.wall_s = seconds,
        Defect::Place { round, configuration, duplicate } => {
            record.key.round = round;
            record.key.configuration = configuration;
            record.key.duplicate = duplicate;
        }
        Defect::Study(name) => record.key.study = name,
        Defect::TrialOutcome(0) => record.outcome = TrialOutcome::Failed("EIO".to_owned()),
        Defect::TrialOutcome(1) => record.outcome = TrialOutcome::Killed(f64::NAN),
        Defect::TrialOutcome(_) => record.outcome = TrialOutcome::Unsupported(String::new()),
        Defect::NoMeasurement => record.measurement = None,
        Defect::NoPhases => record.measurement.iter_mut().for_each(|measurement| measurement.phases.clear()),
        Defect::NoValues => record.values.0.clear(),
        Defect::Foreign(name, value) => {
            record.values.0.insert(name.clone(), Value::Count(value));
            each_phase(record, |phase| {
                phase.metrics.insert(name.clone(), Measured::Value(value as f64));
            });
        }
        Defect::Class => record.measurement.iter_mut().for_each(|it| it.durability = DurabilityClass::None),
        Defect::Warmup => record.warmup = true,
        Defect::Session(session) => record.session = session,
        Defect::Cached(before, after) => each_file(record, |file| {
            file.cached_share_before = Measured::Value(before);
            file.cached_share_after = Measured::Value(after);
        }),
        Defect::FileSize(bytes) => each_file(record, |file| file.size_bytes = bytes),
        Defect::Counters(count) => each_phase(record, |phase| {
            phase.operations = count;
            if let Measured::Value(device) = &mut phase.mechanism.device {
                (device.reads, device.read_bytes, device.writes, device.written_bytes) =
                    (count, count, count, count);
            }
            if let Measured::Value(process) = &mut phase.mechanism.process_io {
                (process.read_bytes, process.written_bytes) = (count, count);
            }
        }),
        Defect::Parameter(index, value) => {
            record.values.0.insert(PARAMETERS[index].to_owned(), value);
        }
        Defect::Canary(pairs) => {
            let pair = |[random_write_s, zero_write_s, random_read_s, zero_read_s]: [f64; 4]| CanaryPair {
                random_write_s,
                zero_write_s,
                random_read_s,
                zero_read_s,
            };
            let pairs = pairs.into_iter().map(pair).collect();
            record.canary = Some(Measured::Value(CompressionCanary { bytes: 0, pairs }));
        }
    }
}

fn each_phase(record: &mut TrialRecord, edit: impl Fn(&mut model::trial::Phase)) {
    record.measurement.iter_mut().flat_map(|measurement| &mut measurement.phases).for_each(edit);
}

fn each_file(record: &mut TrialRecord, edit: impl Fn(&mut model::trial::FileFacts)) {
    record.measurement.iter_mut().flat_map(|measurement| &mut measurement.files).for_each(edit);
}

/// Every kind of ask, in both directions: a device study over a cap with a level that is not a number.
fn device(rounds: u32) -> Run {
    let on = ["iops", "completion_latency_p50_us", "sync_latency_mean_us", "page_cache_hit_share"];
    let factors = ["memory_cap", "mode"];
    let asks = ASKS.iter().flat_map(|kind| {
        factors.map(|factor| Ask {
            between: Some("mode".to_owned()),
            limit: Some(10.0),
            ..ask(*kind, factor, &on)
        })
    });
    let levels = vec![name("none"), Value::Percent(50.0)];
    let study = Synthetic::device().fix("rw", name("rw")).vary("memory_cap", levels);
    study.rounds(rounds).asks(asks.collect()).run()
}

const ASKS: &[AskKind] = &[
    AskKind::Compare,
    AskKind::Trend,
    AskKind::Crossover,
    AskKind::Knee,
    AskKind::Threshold,
    AskKind::Rank,
    AskKind::Across,
];

fn base(rounds: u32) -> Run {
    let on = ["commits_per_s", "commit_latency_p50_us", "device_flushes_per_commit", "never_heard_of"];
    let factors = ["group_size", "mode", "no_such_factor"];
    let asks = ASKS.iter().flat_map(|kind| {
        factors.map(|factor| Ask {
            between: Some("mode".to_owned()),
            limit: Some(1000.0),
            ..ask(*kind, factor, &on)
        })
    });
    Synthetic::commit().rounds(rounds).asks(asks.collect()).run()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn hostile_records_never_panic(
        rounds in 0..8_u32,
        is_device in any::<bool>(),
        defects in proptest::collection::vec((any::<proptest::sample::Index>(), defect()), 0..40),
        everywhere in proptest::option::of(defect()),
    ) {
        let mut run = if is_device { device(rounds) } else { base(rounds) };
        for (index, defect) in &defects {
            if !run.records.is_empty() {
                let index = index.index(run.records.len());
                spoil(&mut run.records[index], defect);
            }
        }
        if let Some(defect) = &everywhere {
            run.records.iter_mut().for_each(|record| spoil(record, defect));
        }
        let verdict = analyse(&run, &|_| None);
        prop_assert!(serde_json::to_string(&verdict).is_ok());
        for study in &verdict.studies {
            prop_assert_eq!(study.cells.len(), 4);
            let is_open = |finding: &Finding| finding.answer() == Answer::Undecided;
            prop_assert!(study.findings.iter().all(|finding| finding.outlook.is_some() == is_open(finding)));
            prop_assert!(study.answer.iter().all(|place| *place < study.findings.len()));
            prop_assert!(study.audits.iter().all(|audit| audit.summary.ends_with('.')));
        }
    }

    #[test]
    fn hostile_plans_never_panic(
        rounds in any::<u32>(),
        warmup_rounds in any::<u32>(),
        workload in proptest::sample::select(&["commit", "device", "scan"]),
        duplicate in any::<usize>(),
        drop_configurations in 0..5_usize,
        drop_levels in any::<bool>(),
        strange_baseline in any::<bool>(),
    ) {
        let mut run = base(7);
        let plan = &mut run.plan.studies[0];
        plan.rounds = rounds;
        workload.clone_into(&mut plan.workload);
        plan.warmup_rounds = warmup_rounds;
        plan.duplicate = duplicate;
        plan.configurations.truncate(4 - drop_configurations.min(4));
        if drop_levels {
            plan.factors.iter_mut().for_each(|factor| factor.levels.clear());
        }
        if strange_baseline {
            plan.baseline.0.insert("mode".to_owned(), name("mmap"));
        }
        let verdict = analyse(&run, &|_| None);
        prop_assert!(serde_json::to_string(&verdict).is_ok());
    }
}
