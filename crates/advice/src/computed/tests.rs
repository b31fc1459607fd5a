//! Each formula on small, usual and large machines.

use super::{Computation, Computed, Machine, Missing, Period, ServerCounters, WalVolume, computed};
use model::mechanism::Measured;
use model::units::{GIB, MIB};

const TIB: u64 = 1024 * GIB;

fn machine(memory_bytes: u64) -> Machine {
    Machine { memory_bytes: Some(memory_bytes), rotates: Some(false) }
}

/// A server of 100 connections that writes this much log in a second.
fn writing(bytes_per_s: u64) -> ServerCounters {
    let wal = WalVolume { bytes: bytes_per_s * 86_400, seconds: 86_400.0, period: Period::SinceReset };
    ServerCounters { connections_max: 100, wal: Measured::Value(wal) }
}

fn of<'a>(all: &'a [Computed], name: &str) -> &'a Computed {
    all.iter().find(|computed| computed.name == name).unwrap()
}

fn value(machine: Machine, counters: Option<&ServerCounters>, name: &str) -> String {
    of(&computed(machine, counters), name).value().unwrap().to_owned()
}

fn missing(machine: Machine, counters: Option<&ServerCounters>, name: &str) -> Missing {
    match of(&computed(machine, counters), name).computation.clone() {
        Computation::Missing(missing) => missing,
        Computation::Value { value, .. } => panic!("{name} = {value}"),
    }
}

#[test]
fn sizes_follow_from_the_memory() {
    for (name, expected) in [
        ("shared_buffers", ["64MB", "256MB", "6GB", "64GB"]),
        ("effective_cache_size", ["256MB", "768MB", "18GB", "768GB"]),
        ("work_mem", ["764kB", "1MB", "30MB", "1638MB"]),
        ("maintenance_work_mem", ["32MB", "64MB", "1536MB", "2GB"]),
    ] {
        let found = [512 * MIB, GIB, 24 * GIB, TIB].map(|memory| value(machine(memory), None, name));
        assert_eq!(found, expected, "{name}");
    }
    assert_eq!(value(machine(64 * MIB), None, "work_mem"), "95kB");
}

#[test]
fn work_mem_is_divided_among_the_connections_of_the_server() {
    let of = |connections_max| {
        let counters = ServerCounters { connections_max, ..writing(1) };
        value(machine(24 * GIB), Some(&counters), "work_mem")
    };
    assert_eq!(
        (of(100), of(1000), of(u64::MAX), of(0)),
        ("30MB".into(), "3MB".into(), "64kB".into(), "3GB".into())
    );
}

#[test]
fn the_log_volume_decides_when_checkpoints_begin() {
    for (rate, timeout, size) in [
        (0, "15min", "1GB"),
        (MIB, "15min", "3GB"),
        (10 * MIB, "15min", "26GB"),
        (20 * MIB, "10min", "34GB"),
        (100 * MIB, "5min", "84GB"),
    ] {
        let counters = writing(rate);
        let of = |name| value(machine(GIB), Some(&counters), name);
        assert_eq!((of("checkpoint_timeout"), of("max_wal_size")), (timeout.into(), size.into()), "{rate}");
    }
    let none = WalVolume { bytes: 0, seconds: 0.0, period: Period::BetweenReads };
    let counters = ServerCounters { wal: Measured::Value(none), ..writing(0) };
    assert_eq!(value(machine(GIB), Some(&counters), "max_wal_size"), "1GB");
}

#[test]
fn autovacuum_is_faster_only_on_a_disk_that_does_not_rotate() {
    let of = |rotates| {
        value(Machine { rotates: Some(rotates), ..machine(GIB) }, None, "autovacuum_vacuum_cost_limit")
    };
    assert_eq!((of(false), of(true)), ("1000".to_owned(), "200".to_owned()));
}

#[test]
fn what_is_missing_is_named() {
    let unknown = Machine { memory_bytes: None, rotates: None };
    for name in ["shared_buffers", "effective_cache_size", "work_mem", "maintenance_work_mem"] {
        assert_eq!(missing(unknown, None, name), Missing::Memory, "{name}");
    }
    assert_eq!(missing(unknown, None, "autovacuum_vacuum_cost_limit"), Missing::Rotation);
    let old = ServerCounters { wal: Measured::unsupported("it is of version 13"), ..writing(0) };
    for name in ["checkpoint_timeout", "max_wal_size"] {
        assert_eq!(missing(machine(GIB), None, name), Missing::Server, "{name}");
        let found = missing(machine(GIB), Some(&old), name);
        assert_eq!(found, Missing::WalVolume("it is of version 13".to_owned()), "{name}");
    }
}

/// PostgreSQL takes whole numbers with kB, MB, GB, ms and min.
#[test]
fn values_are_in_the_syntax_of_postgresql() {
    let units = ["kB", "MB", "GB", "ms", "min", ""];
    for memory in [MIB, 512 * MIB, GIB, 24 * GIB + 12_345, 10 * TIB] {
        for computed in computed(machine(memory), Some(&writing(memory / 10_000))) {
            let value = computed.value().unwrap();
            let digits = value.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
            let is_number = digits.parse::<u64>().is_ok() || value == "0.9";
            assert!(is_number && units.contains(&&value[digits.len()..]), "{} = {value}", computed.name);
        }
    }
}
