//! Readers beside writers.

use super::*;
use crate::Evidence;
use driver::Driven;

const BESIDE: [(&str, &str); 9] = [
    ("rw", "randwrite"),
    ("bs", "8KiB"),
    ("numjobs", "2"),
    ("iodepth", "4"),
    ("number_ios", "0"),
    ("runtime", "1ms"),
    ("beside", "randread"),
    ("beside_iodepth", "16"),
    ("beside_rate_iops", "none"),
];

fn with(changes: &[(&str, &str)]) -> Parameters {
    parameters(&[&BESIDE, changes].concat())
}

fn recorded(parameters: &Parameters) -> Vec<Observed> {
    let jobs = Device::team(parameters, 1).into_iter().zip(parameters.jobs());
    jobs.map(|(job, own)| observe_job(&own, job, |_| 0)).collect()
}

#[test]
fn each_side_has_its_own_jobs() {
    let p = with(&[]);
    let team = recorded(&p);
    let told: Vec<_> = team
        .iter()
        .map(|job| {
            let first = job.operations[0];
            let all_alike =
                job.operations.iter().all(|op| op.kind == first.kind && op.length == first.length);
            assert!(all_alike && job.operations.len() > 100);
            (first.kind, first.length, job.device.in_flight_max())
        })
        .collect();
    assert_eq!(told, [(BlockKind::Write, 8192, 4), (BlockKind::Write, 8192, 4), (BlockKind::Read, 4096, 16)]);
    assert_ne!(team[0].blocks()[..50], team[2].blocks()[..50], "readers follow the writers");
}

/// What ramped up goes on as it was: a reader that continued with the writers' parameters would have written.
#[test]
fn the_sides_stay_apart_after_the_ramp() {
    let p = with(&[("ramp_time", "1ms")]);
    let team: Vec<Device> = Device::team(&p.ramp().unwrap(), 1);
    for (job, own) in team.into_iter().map(|job| job.go_on(p.clone())).zip(p.jobs()) {
        let writes = own.writes();
        let seen = observe_job(&own, job, |_| 0);
        assert!(seen.kinds().iter().all(|kind| (*kind == BlockKind::Write) == writes), "{own:?}");
    }
}

#[test]
fn each_side_has_its_own_figures() {
    let p = with(&[]);
    let mut recorder = Recorder::new(FAMILIES);
    let team = recorded(&p);
    let mut sums = [0_u64; 2];
    for job in &team {
        recorder.merge(&job.recorder);
        sums[0] += job.device.reads();
        sums[1] += job.device.writes();
    }
    let second = Nanos::from_millis(1000);
    let driven = Driven {
        workload: Vec::new(),
        recorder,
        began: Nanos::ZERO,
        ended: second,
        windows: None,
        turns: None,
        worked: Nanos::ZERO,
        operations: sums[0] + sums[1],
        in_windows: (sums[0] + sums[1]) as f64,
        performed: sums[0] + sums[1],
        in_flight_mean: 24.0,
        system_calls: 1,
        longest_gap: Nanos::ZERO,
    };
    let mechanism = metrics::mechanism(metrics::counters());
    let evidence =
        Evidence { mechanism: &mechanism, instrument_overhead_ns: model::mechanism::Measured::Value(40.0) };
    let figures = metrics(&p, &driven, &evidence);
    let value = |name: &str| figures[name].value().copied().unwrap();
    assert!((value("read_iops") - sums[0] as f64).abs() < 0.5 && sums[0] > 0);
    assert!((value("write_iops") - sums[1] as f64).abs() < 0.5 && sums[1] > 0);
    assert!((value("bandwidth_bytes_per_s") - (sums[0] * 4096 + sums[1] * 8192) as f64).abs() < 1.0);
    assert!(value("read_latency_p50_us") > 0.0 && value("write_latency_p50_us") > 0.0);
}

#[test]
fn the_description_has_both_streams() {
    let describe =
        |changes: &[(&str, &str)]| (SCHEMA.describe)(&configuration(&[&BESIDE, changes].concat())).unwrap();
    let both = describe(&[]);
    let streams: Vec<_> = both
        .streams
        .iter()
        .map(|stream| (stream.direction, stream.block_bytes, stream.in_flight_max))
        .collect();
    assert_eq!(
        streams,
        [
            (model::description::Direction::Read, Some(4096), Some(16)),
            (model::description::Direction::Write, Some(8192), Some(8)),
        ]
    );
    assert_eq!((both.threads, both.in_flight_max), (3, 24));
    assert!(both.depth.is_none() && both.arrivals.is_none() && both.figures.multiples.is_empty());
    let arrivals = describe(&[("rate_iops", "100")]).arrivals.unwrap();
    assert_eq!((arrivals.per_s, arrivals.rates), (200.0, vec!["write_iops".to_owned()]));
    let beside = describe(&[("beside_rate_iops", "100")]).arrivals.unwrap();
    assert_eq!((beside.parameter.as_str(), beside.rates), ("beside_rate_iops", vec!["read_iops".to_owned()]));
}

#[test]
fn what_makes_no_sense_beside_is_refused() {
    for (changes, why) in [
        (
            &[("rw", "randread")][..],
            "beside = randread reads beside jobs that write, but rw is randread: set rw = write or rw = randwrite",
        ),
        (
            &[("rw", "rw")],
            "beside = randread reads beside jobs that write, but rw is rw: set rw = write or rw = randwrite",
        ),
        (
            &[("number_ios", "5")],
            "beside needs jobs that end together: set runtime, number_ios = 0 and end_fsync = false",
        ),
        (
            &[("end_fsync", "true")],
            "beside needs jobs that end together: set runtime, number_ios = 0 and end_fsync = false",
        ),
        (
            &[("beside_rate_iops", "0")],
            "beside_rate_iops = 0 issues no operation: set a rate, or none for a closed loop",
        ),
        (
            &[("beside_bs", "2MiB")],
            "of the jobs beside: size = 1MiB is smaller than bs = 2MiB: take a larger size",
        ),
        (
            &[("ioengine", "psync"), ("iodepth", "1")],
            "of the jobs beside: ioengine = psync has one operation in flight, but iodepth is 16: set iodepth = 1 and take more numjobs",
        ),
    ] {
        let refused = (SCHEMA.check)(&configuration(&[&BESIDE, changes].concat())).unwrap_err();
        assert_eq!(refused, why);
    }
}

/// A log that is written through the page cache, beside direct reads of a file of their own.
#[test]
fn jobs_beside_may_have_another_engine_mode_and_file() {
    let p = with(&[
        ("rw", "write"),
        ("iodepth", "1"),
        ("ioengine", "psync"),
        ("mode", "buffered"),
        ("advice", "sequential"),
        ("beside_ioengine", "uring"),
        ("beside_mode", "direct"),
        ("beside_advice", "normal"),
        ("beside_size", "4MiB"),
    ]);
    let readers = p.readers().unwrap();
    assert_eq!(
        (readers.ioengine, readers.mode, readers.advice, readers.size),
        (crate::IoEngine::Uring, model::IoMode::Direct, Advice::Normal, 4096 * KIB)
    );
    let files: Vec<(String, u64)> =
        p.files().into_iter().map(|file| (file.name, file.size_bytes / KIB)).collect();
    assert_eq!(files, [("data-1MiB".to_owned(), 1024), ("beside-4MiB".to_owned(), 4096)]);
    assert_eq!(p.data_bytes(), 5 * 1024 * KIB);
    // Both sides go through the whole of their own file.
    let furthest = |job: &Observed| job.blocks().into_iter().max().unwrap();
    let team = recorded(&p);
    assert!(furthest(&team[0]) < 128 && furthest(team.last().unwrap()) > 256);
}
