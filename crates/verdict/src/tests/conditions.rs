//! Readahead and device latency are conditions of what a study of sequential reads finds.

use crate::analyse;
use crate::conditions::{Conditions, DeviceReadahead};
use model::description::{Description, Readahead};
use model::mechanism::{DeviceCounters, Measured};
use model::run::Run;
use model::trial::TrialRecord;
use std::collections::BTreeSet;
use synthetic::Synthetic;

/// A run of two configurations whose reads depend on the readahead.
fn run(edit: impl Fn(&mut TrialRecord) + 'static) -> Run {
    let mut run = Synthetic::device().rounds(6).edit(edit).run();
    let study = &mut run.plan.studies[0];
    let of = |readahead| Description { readahead: Some(readahead), ..Description::default() };
    study.descriptions = vec![of(Readahead::Doubled), of(Readahead::Bypassed)];
    run
}

fn conditions(run: &Run) -> Option<Conditions> {
    analyse(run, &|_| None).studies.remove(0).conditions
}

/// 100 requests of 64 KiB take 50 ms more in each round.
fn counted(record: &mut TrialRecord) {
    let measurement = record.measurement.as_mut().unwrap();
    measurement.placement.queue_settings = vec!["nomerges=0".to_owned(), "read_ahead_kb=137".to_owned()];
    measurement.phases[0].mechanism.device = Measured::Value(DeviceCounters {
        reads: 100,
        read_bytes: 100 << 16,
        writes: 0,
        written_bytes: 0,
        discards: 0,
        flushes: Measured::Value(0),
        busy_s: 0.05,
        queue_s: 0.05 * f64::from(record.key.round + 1),
    });
}

#[test]
fn readahead_hints_and_latency_of_the_device_are_told() {
    let found = conditions(&run(counted)).unwrap();
    let device = Measured::Value("vda".to_owned());
    assert_eq!(found.devices, [DeviceReadahead { device, read_ahead_kib: Measured::Value(137) }]);
    assert_eq!(found.hints, BTreeSet::from([Readahead::Doubled, Readahead::Bypassed]));
    let latency = found.device_latency.value().unwrap();
    assert!(
        (latency.least_us - 500.0).abs() < 1e-6 && (latency.most_us - 3000.0).abs() < 1e-6,
        "{latency:?}"
    );
    assert!((latency.median_us - 1750.0).abs() < 1e-6, "{latency:?}");
    assert!((latency.request_bytes - 65536.0).abs() < 1e-6 && latency.trials >= 12, "{latency:?}");
}

#[test]
fn what_was_not_recorded_is_unknown_with_the_reason() {
    let unknown = conditions(&run(|record| {
        let measurement = record.measurement.as_mut().unwrap();
        measurement.phases[0].mechanism.device = Measured::unsupported("no diskstats here");
    }));
    let unknown = unknown.unwrap();
    assert!(unknown.devices[0].read_ahead_kib.reason().is_some(), "{unknown:?}");
    assert_eq!(unknown.device_latency.reason(), Some("no diskstats here"));

    let idle = conditions(&run(|record| {
        counted(record);
        let device = &mut record.measurement.as_mut().unwrap().phases[0].mechanism.device;
        if let Measured::Value(device) = device {
            (device.reads, device.queue_s) = (0, 0.0);
        }
    }));
    assert!(idle.unwrap().device_latency.reason().is_some());

    let mut nothing = run(counted);
    nothing.records.clear();
    let nothing = conditions(&nothing).unwrap();
    assert!(nothing.devices.is_empty() && nothing.device_latency.reason().is_some(), "{nothing:?}");
}

#[test]
fn a_study_that_does_not_depend_on_the_readahead_has_no_such_conditions() {
    assert_eq!(conditions(&Synthetic::commit().rounds(6).run()), None);
}
