//! What parameters mean, for each workload.

use super::{Access, Cache, Circumstances, Content, Workload};
use crate::synthetic::{Synthetic, name};
use model::{IoMode, Value};

fn of(study: &Synthetic) -> Circumstances {
    let plan = study.plan();
    Workload::of(&plan.workload).circumstances(&plan.configurations[0])
}

fn buffered(block_bytes: u64) -> Access {
    Access { mode: IoMode::Buffered, block_bytes }
}

#[test]
fn a_commit_reads_pages_and_writes_a_log() {
    let commit = of(&Synthetic::commit());
    assert_eq!((commit.reads, commit.writes), (Some(buffered(4096)), Some(buffered(0))));
    assert!(commit.syncs && !commit.writes_data && commit.cache == Cache::Cold);
    assert_eq!((commit.threads, commit.in_flight_max, commit.arrivals_per_s), (1.0, 5.0, None));
    let apart = Synthetic::commit().fix("data_mode", name("direct")).fix("committers", Value::Count(3));
    let apart = of(&apart);
    assert_eq!(apart.reads.map(|access| access.mode), Some(IoMode::Direct));
    assert_eq!((apart.writes.map(|access| access.mode), apart.threads), (Some(IoMode::Buffered), 3.0));
    assert!(!apart.is_all_direct());
}

#[test]
fn a_device_job_reads_or_writes_one_file() {
    let read = of(&Synthetic::device());
    assert_eq!((read.reads, read.writes), (Some(buffered(4096)), None));
    assert_eq!((read.threads, read.in_flight_max), (2.0, 32.0));
    let write = of(&Synthetic::device().fix("rw", name("write")).fix("data", name("zero")));
    assert_eq!((write.reads, write.writes, write.content), (None, Some(buffered(4096)), Content::Zero));
    let mixed = of(&Synthetic::device().fix("rw", name("randrw")));
    assert!(mixed.reads.is_some() && mixed.writes.is_some());
    let open = of(&Synthetic::device().fix("rate_iops", Value::Count(300)));
    assert_eq!(open.arrivals_per_s, Some(600.0));
}

#[test]
fn a_cap_in_percent_is_one_of_all_files() {
    let capped = of(&Synthetic::device().fix("memory_cap", Value::Percent(12.5)));
    assert_eq!(capped.memory_cap_bytes, Some((2_u64 << 30) as f64));
    let commit = Synthetic::commit()
        .fix("data_size", Value::Bytes(300))
        .fix("wal_size", Value::Bytes(100))
        .fix("memory_cap", Value::Percent(50.0));
    assert_eq!(of(&commit).memory_cap_bytes, Some(200.0));
}

#[test]
fn a_workload_of_a_later_version_means_nothing_yet() {
    let values = Synthetic::device().plan().configurations.remove(0);
    let unknown = Workload::of("scan").circumstances(&values);
    assert_eq!(unknown, Circumstances::default());
}
