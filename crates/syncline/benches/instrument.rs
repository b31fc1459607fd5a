//! What the instrument itself costs: the commit workload through driver and histograms on the null backend, and the
//! memory it takes as operations grow.
//!
//! Targets: under 120 ns per operation on one core; resident memory within 1 MiB between 10⁵ and 10⁸ operations.

use disk::arena::Arena;
use disk::backend::{BackendKind, Setup};
use disk::file_table::FileTable;
use driver::{Driver, MonotonicClock};
use model::{Layout, Nanos};
use std::fs;
use std::sync::Arc;
use workload::commit::{Commit, Parameters, SCHEMA};

const NANOS_PER_OPERATION_MAX: f64 = 120.0;
const MEMORY_GROWTH_BYTES_MAX: u64 = 1 << 20;
const REPETITIONS: usize = 7;

fn parameters(read_depth: u32, reads_per_commit: u64, groups: u64) -> Parameters {
    let defaults = Parameters::read(&SCHEMA.defaults()).expect("defaults are complete");
    Parameters {
        read_depth,
        reads_per_commit,
        groups,
        runtime: Nanos::ZERO,
        wal_layout: Layout::Prefilled,
        ..defaults
    }
}

/// Nanoseconds per operation of one run to `groups` commits.
fn drive(parameters: &Parameters) -> f64 {
    let clock = MonotonicClock::start();
    let arena = Arena::new(parameters.arena_bytes()).expect("memory for the buffers");
    let setup = Setup {
        files: Arc::new(FileTable::new()),
        arena: Arc::new(arena),
        clock,
        in_flight_max: (parameters.read_depth + parameters.group_size + 1) as usize,
        registered: true,
    };
    let backend = BackendKind::Null.build(&setup).expect("null always builds");
    let driven =
        Driver::new(Commit::new(parameters.clone(), 1), backend, clock).run().expect("null never fails");
    driven.ns_per_operation()
}

/// Largest resident memory since the last call of [`forget_peak`].
fn peak_bytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a process has memory");
    let kib: u64 = line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("kilobytes");
    kib * 1024
}

/// proc(5), `clear_refs`: 5 sets the peak back to what is resident now.
fn forget_peak() {
    fs::write("/proc/self/clear_refs", "5").expect("a process may reset its own peak");
}

fn main() {
    println!("null backend, commit workload, one thread: nanoseconds per operation (best of {REPETITIONS})");
    let mut ok = true;
    for (read_depth, reads_per_commit) in [(32, 128), (32, 16), (32, 1), (0, 1)] {
        let groups = 4_000_000 / (reads_per_commit + 2);
        let parameters = parameters(read_depth, reads_per_commit, groups);
        let best = (0..REPETITIONS).map(|_| drive(&parameters)).fold(f64::INFINITY, f64::min);
        let verdict = if best < NANOS_PER_OPERATION_MAX { "ok" } else { "MISSED" };
        ok &= best < NANOS_PER_OPERATION_MAX;
        println!(
            "  read_depth {read_depth:3}  reads_per_commit {reads_per_commit:3}: {best:6.1} ns  (< {NANOS_PER_OPERATION_MAX} ns: {verdict})"
        );
    }

    forget_peak();
    drive(&parameters(32, 98, 1_000));
    let before = peak_bytes();
    forget_peak();
    drive(&parameters(32, 98, 1_000_000));
    let after = peak_bytes();
    let growth = after.saturating_sub(before);
    let flat = growth <= MEMORY_GROWTH_BYTES_MAX;
    ok &= flat;
    println!(
        "peak resident memory of 10^5 operations {} KiB, of 10^8 {} KiB: {}",
        before >> 10,
        after >> 10,
        if flat { "flat (within 1 MiB: ok)" } else { "it GREW" }
    );
    assert!(ok, "a target was missed");
}
