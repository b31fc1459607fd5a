//! A run of before plans kept descriptions (`tests/format_1`: two committers, with half of their files as a memory cap)
//! still opens, and its configurations are described as those of today are.

use lab::run_directory::RunFiles;
use model::description::SyncUnit;
use model::{Cache, DurabilityClass, IoMode};
use std::path::Path;

#[test]
fn a_run_of_format_1_opens_with_every_configuration_described() {
    let files = RunFiles::open(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/format_1"))).unwrap();
    let run = files.run().unwrap();
    assert_eq!((run.plan.format_version, run.remarks.len()), (1, 0));
    let [study] = &run.plan.studies[..] else { panic!("one study") };
    assert_eq!(study.descriptions.len(), study.configurations.len());
    for (values, description) in study.configurations.iter().zip(&study.descriptions) {
        let mode = if values.is("mode", "direct") { IoMode::Direct } else { IoMode::Buffered };
        assert!(description.streams.iter().all(|stream| stream.mode == mode), "{values}");
        assert_eq!((description.cache, description.threads), (Cache::Cold, 2));
        assert_eq!(description.durability, Some(DurabilityClass::Power));
        let half_of_all_files = (16 + 2 * 4) << 19;
        assert_eq!(description.memory_cap_bytes, Some(half_of_all_files));
    }
    assert_eq!(run.records.len(), 35);
    for measured in run.records.iter().filter_map(|record| record.measurement.as_ref()) {
        let phase = &measured.phases[0];
        let [write, sync, read] = phase.streams[..] else { panic!("{:?}", phase.streams) };
        let commits_per_s = phase.metrics["commits_per_s"].value().copied().unwrap();
        let sync_us = phase.metrics["sync_latency_mean_us"].value().copied().unwrap();
        assert_eq!((write.latencies_per_s, sync.latencies_per_s), (commits_per_s, commits_per_s));
        assert!((sync.latency_mean_s * 1e6 - sync_us).abs() < 1e-6 && read.latencies_per_s > commits_per_s);
        let flushes = phase.flushes.expect("each commit is synced");
        assert_eq!((flushes.unit, flushes.is_forced), (SyncUnit::Commit, false));
        assert!((flushes.units.unwrap() - commits_per_s * phase.duration_s).abs() < 1e-6);
        assert_eq!(flushes.per_unit, phase.metrics["device_flushes_per_commit"].value().copied());
    }
    let with_sidecar = run.records.iter().filter(|record| files.sidecar(&record.key).is_some());
    assert_eq!(with_sidecar.count(), 15);
}
