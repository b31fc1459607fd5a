//! The device's counters count what we do, and the device becomes quiet.

use crate::support;

use disk::counters::{Collected, Snapshot, run_queue};
use disk::kernel::block_device::BlockDevice;
use disk::placement::placement;
use disk::quiesce::{Quiescence, quiesce};
use model::mechanism::{Measured, Mechanism, PageCache};
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use support::{retry, scratch, until};

const SYNCS: u64 = 50;

fn measured(directory: &Path, work: impl FnOnce()) -> Mechanism {
    let device = BlockDevice::below(directory);
    let before = Snapshot::take(&device);
    work();
    let page_cache = Measured::Value(PageCache::default());
    let longest_gap_s = Measured::unsupported("nothing is driven");
    let collected =
        Collected { run_queue_delay_s: run_queue::delay_of_this_thread_s(), page_cache, longest_gap_s };
    before.delta(&Snapshot::take(&device), collected, &device)
}

#[test]
fn every_sync_is_a_flush_of_the_device() {
    let directory = scratch();
    let place = placement(directory.path());
    if place.write_cache.value().is_none_or(|cache| cache != "write back") {
        skip::because(format_args!(
            "the device has no volatile cache, so it is never flushed: {:?}",
            place.write_cache
        ));
        return;
    }
    let mut file = File::create(directory.path().join("wal")).expect("made");
    // The kernel merges this flush with another process's, if one is waiting at that moment.
    retry(5, || {
        let mechanism = measured(directory.path(), || {
            for _ in 0..SYNCS {
                file.write_all(&[1; 4096]).expect("written");
                file.sync_data().expect("synced");
            }
        });
        let device = mechanism.device.value().expect("a device");
        let flushes = *device.flushes.value().expect("Linux 5.5");
        assert!(device.written_bytes >= SYNCS * 4096 && device.writes >= SYNCS, "{device:?}");
        assert!(device.busy_s >= 0.0 && device.queue_s >= 0.0, "{device:?}");
        let io = mechanism.process_io.value().expect("task accounting");
        assert!(io.write_calls >= SYNCS && io.written_characters >= SYNCS * 4096, "{io:?}");
        if flushes >= SYNCS { Ok(()) } else { Err(format!("{flushes} flushes for {SYNCS} syncs")) }
    });
}

#[test]
fn the_placement_describes_the_disk_below() {
    let directory = scratch();
    let place = placement(directory.path());
    println!("{place:#?}");
    let device = place.device.value().expect("the build is on a disk");
    assert!(std::fs::read_to_string("/proc/diskstats").expect("readable").contains(device.as_str()));
    assert!(*place.device_bytes.value().expect("has a size") > 1 << 30);
    assert!(place.mount_options.starts_with("rw"), "{}", place.mount_options);
    assert!(place.rotational.value().is_some() && place.scheduler.value().is_some());
    assert!(place.direct_offset_alignment_bytes.value().is_some());
}

/// Other processes share the disk of the machine that runs the tests: which answer comes is theirs to decide. What
/// leads to it is tested beside the code.
#[test]
fn a_wait_for_the_device_ends_with_an_answer() {
    let directory = scratch();
    let device = BlockDevice::below(directory.path());
    let limit = Duration::from_millis(400);
    match quiesce(directory.path(), &device, limit).expect("syncfs") {
        Quiescence::Quiet { elapsed } => assert!(elapsed >= limit / 8, "{elapsed:?}"),
        Quiescence::Busy { elapsed, why } => {
            assert!(elapsed >= limit && !why.is_empty(), "{elapsed:?}: {why}");
        }
    }
}

#[test]
fn a_busy_device_is_said_to_be_busy_at_the_time_limit() {
    let directory = scratch();
    let device = BlockDevice::below(directory.path());
    let stop = AtomicBool::new(false);
    let file = File::create(directory.path().join("wal")).expect("made");
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                file.write_all_at(&[1; 4096], 0).expect("written");
                file.sync_data().expect("synced");
            }
        });
        // Other programs can keep the writer from the CPU, and dirty pages of others can be the reason.
        let limit = Duration::from_millis(200);
        let is_seen = || match quiesce(directory.path(), &device, limit) {
            Ok(Quiescence::Busy { elapsed, why }) => elapsed >= limit && why.contains("completed"),
            Ok(Quiescence::Quiet { .. }) | Err(_) => false,
        };
        let seen = until(is_seen);
        stop.store(true, Ordering::Relaxed);
        assert!(seen, "the device was never found busy");
    });
}

#[test]
fn waiting_for_a_cpu_is_counted_for_each_thread() {
    let directory = scratch();
    let mechanism = measured(directory.path(), || {});
    match &mechanism.run_queue_delay_s {
        Measured::Value(seconds) => assert!(*seconds >= 0.0),
        Measured::Unsupported { unsupported } => skip::because(unsupported),
    }
    for reason in
        [mechanism.pressure.reason(), mechanism.steal_s.reason(), mechanism.cpu_frequency_mhz.reason()]
    {
        println!("{}", reason.unwrap_or("there"));
    }
}
