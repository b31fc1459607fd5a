//! Calls of `sync_file_range` between writes.

use super::*;
use model::RangeSync;

fn ranges(seen: &Observed) -> Vec<(u64, u32)> {
    let calls = seen.operations.iter().filter(|operation| matches!(operation.kind, BlockKind::RangeSync(_)));
    calls.map(|call| (call.offset, call.length)).collect()
}

#[test]
fn a_call_has_what_was_written_since_the_last() {
    let p = parameters(&[
        ("rw", "write"),
        ("sync_file_range", "wait_before_write"),
        ("sync_file_range_writes", "3"),
        ("number_ios", "8"),
    ]);
    let seen = observe_in_order(&p);
    assert_eq!(ranges(&seen), [(0, 12_288), (12_288, 12_288)]);
    assert!(seen.kinds().contains(&BlockKind::RangeSync(RangeSync::WaitBeforeWrite)));
    assert_eq!((seen.device.writes(), seen.device.syncs()), (8, 2));
    assert_eq!(seen.recorder.histogram("sync_file_range_latency").unwrap().len(), 2);
    assert_eq!(seen.recorder.histogram("sync_latency").unwrap().len(), 0);
}

/// From the first byte to the last, whatever lies between them.
#[test]
fn of_random_writes_it_is_one_range() {
    let p = parameters(&[("rw", "randwrite"), ("sync_file_range", "write"), ("sync_file_range_writes", "5")]);
    let seen = observe_in_order(&p);
    for ((offset, length), writes) in ranges(&seen).into_iter().zip(seen.blocks().chunks(5)) {
        let (first, last) = (writes.iter().min().unwrap(), writes.iter().max().unwrap());
        assert_eq!((offset, u64::from(length)), (first * 4096, (last + 1 - first) * 4096));
    }
}

/// `fsync` at the end has a latency of its own, and the range nothing of durability.
#[test]
fn it_makes_nothing_durable() {
    let changes = [("rw", "write"), ("sync_file_range", "write"), ("end_fsync", "true"), ("number_ios", "3")];
    let seen = observe_in_order(&parameters(&changes));
    assert_eq!(seen.kinds().last(), Some(&BlockKind::FullSync));
    let count = |family| seen.recorder.histogram(family).unwrap().len();
    assert_eq!((count("sync_file_range_latency"), count("sync_latency")), (3, 1));
    let described = (SCHEMA.describe)(&configuration(&changes[..2])).unwrap();
    assert!(!described.syncs && described.figures.flushes.is_none());
    assert_eq!(described.durability, Some(model::DurabilityClass::Process));
}

#[test]
fn a_job_syncs_in_one_way() {
    let both = configuration(&[("rw", "write"), ("sync_file_range", "write"), ("fdatasync", "1")]);
    insta::assert_snapshot!((SCHEMA.check)(&both).unwrap_err(), @"a job syncs in one way between its writes: set fdatasync = 0 or sync_file_range = none");
}

#[test]
fn reads_alone_call_nothing() {
    let p = parameters(&[("sync_file_range", "write")]);
    assert_eq!((observe_in_order(&p).device.syncs(), p.in_flight_max()), (0, 1));
}
