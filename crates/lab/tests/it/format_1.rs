//! A run of before plans kept descriptions (`tests/format_1`: two committers, with half of their files as a memory cap)
//! still opens, and its configurations are described as those of today are.

use lab::run_directory::RunFiles;
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
    let with_sidecar = run.records.iter().filter(|record| files.sidecar(&record.key).is_some());
    assert_eq!(with_sidecar.count(), 15);
}
