//! Linux, huge pages, and InnoDB's writes of pages.

use super::{decision, kept, measure, names, no_advice, predicted, times, with};
use crate::database::innodb::pages::FEWER_THAN_MIN;
use crate::{Cause, Command, Decision, Statement, Why};
use model::Value;
use model::trial::TrialRecord;
use synthetic::{Synthetic, name};

const CONF: &str = "postgresql.conf";
const MYSQL: &str = "my.cnf";
const MARIADB: &str = "mariadb.cnf";
const LINUX: &str = "linux.txt";

/// Direct writes of 16 KiB: at random this many a second, and in order this many times as many.
fn page_writes(iops: f64, in_order: f64) -> Synthetic {
    Synthetic::device()
        .vary("mode", names(&["direct"]))
        .vary("rw", names(&["randwrite", "write"]))
        .fix("bs", Value::Bytes(16 << 10))
        .rate(move |values, _| if values.is("rw", "write") { iops * in_order } else { iops })
}

/// InnoDB assumed 10000 writes a second on a disk that makes 300.
#[test]
fn a_disk_refutes_more_writes_than_it_makes() {
    for setting in ["innodb_io_capacity", "innodb_io_capacity_max"] {
        let found = predicted(&page_writes(312.0, 1.0), MYSQL, setting, "310");
        let (low, high) = found.estimate.unwrap().interval.unwrap();
        assert!(low < 312.0 && 312.0 < high, "{low} {high}");
        // What it can make refutes no smaller value.
        let fast = page_writes(50_000.0, 1.0);
        assert!(matches!(decision(&fast, MYSQL, setting), Decision::Keep(_)));
        assert!(matches!(with(&fast, MYSQL, setting, "200"), Decision::Keep(_)));
    }
}

/// What the disk makes is between 3700 and 8900: neither 5000 nor 6000 is refuted, and neither is proven.
#[test]
fn a_scattered_disk_decides_no_value_inside_its_interval() {
    let scattered = page_writes(5800.0, 1.0).scatter(0.6);
    let decision = with(&scattered, MYSQL, "innodb_io_capacity", "6000");
    let Decision::Undecided(none) = decision else { panic!("{decision:?}") };
    assert!(matches!(*none.cause, Cause::TooWide { .. }), "{none:?}");
    assert!(matches!(with(&scattered, MYSQL, "innodb_io_capacity", "200"), Decision::Keep(_)));
}

/// A value in use was read as a number in another way than it was compared, so one in hexadecimal was refuted.
#[test]
fn a_number_is_read_alike_wherever_it_is_compared() {
    assert!(matches!(
        with(&page_writes(5000.0, 1.0), MYSQL, "innodb_io_capacity", "0xC8"),
        Decision::Keep(_)
    ));
}

/// InnoDB takes no smaller value, although the disk makes fewer writes.
#[test]
fn a_disk_slower_than_the_smallest_value_is_named() {
    let found = predicted(&page_writes(60.0, 1.0), MYSQL, "innodb_io_capacity", "100");
    assert!(found.estimate.unwrap().interval.unwrap().1 < 100.0);
    assert!(found.caveats.contains(&FEWER_THAN_MIN), "{:?}", found.caveats);
}

#[test]
fn neighbours_are_for_disks_where_order_pays() {
    kept(&page_writes(5000.0, 1.0), MYSQL, "innodb_flush_neighbors", "0");
    no_advice(&page_writes(200.0, 20.0), MYSQL, "innodb_flush_neighbors", Why::Undecided, |cause| {
        matches!(cause, Cause::Untried { statement: Statement::Compared { .. }, withdrawn: None, .. })
    });
}

/// MariaDB has 1 by default, and MySQL 0.
#[test]
fn neighbours_have_another_default_in_mariadb() {
    let flash = page_writes(5000.0, 1.0);
    let decision = decision(&flash, MARIADB, "innodb_flush_neighbors");
    let Decision::Undecided(none) = decision else { panic!("{decision:?}") };
    assert!(matches!(*none.cause, Cause::Untried { withdrawn: None, .. }), "{none:?}");
    let settings = vec!["innodb_flush_neighbors".to_owned()];
    assert_eq!(none.needs.unwrap().command, Command::Prove { database: "mariadb".to_owned(), settings });
    assert!(matches!(with(&flash, MARIADB, "innodb_flush_neighbors", "0"), Decision::Keep(_)));
    assert!(matches!(with(&flash, MYSQL, "innodb_flush_neighbors", "1"), Decision::Undecided(_)));
}

/// A disk that makes 312 writes a second refutes MySQL's 10000, and not MariaDB's 200.
#[test]
fn the_same_disk_refutes_the_default_of_one_server_and_not_of_the_other() {
    let slow = page_writes(312.0, 1.0);
    predicted(&slow, MYSQL, "innodb_io_capacity", "310");
    kept(&slow, MARIADB, "innodb_io_capacity", "200");
    predicted(&slow, MARIADB, "innodb_io_capacity_max", "310");
}

#[test]
fn the_doublewrite_buffer_stays() {
    let found = kept(&page_writes(5000.0, 3.0), MYSQL, "innodb_doublewrite", "ON");
    assert_eq!(found.alternatives[0].value, "OFF");
    let Decision::DoesNotApply(none) = with(&page_writes(5000.0, 3.0), MYSQL, "innodb_doublewrite", "OFF")
    else {
        panic!()
    };
    assert_eq!(*none.cause, Cause::GuaranteesLess { safe: "ON" });
}

fn sequential_reads(factors: &'static [(&str, f64)], now_kb: u32) -> Synthetic {
    let rate = times("advice", factors);
    Synthetic::device()
        .vary("mode", names(&["buffered"]))
        .vary("advice", names(&["normal", "sequential"]))
        .fix("rw", name("read"))
        .edit(move |record| {
            let round = record.key.round;
            let scatter = 1.0 + 0.01 * f64::from((round + record.key.configuration as u32) % 3);
            measure(record, "bandwidth_bytes_per_s", 1e6 * rate(&record.values, round) * scatter);
            let queue = &mut record.measurement.as_mut().unwrap().placement.queue_settings;
            *queue = vec![format!("read_ahead_kb={now_kb}")];
        })
}

/// The value in use is what the run read from the device's queue.
#[test]
fn a_wider_readahead_where_sequential_reads_gain() {
    let found = predicted(&sequential_reads(&[("sequential", 1.4)], 128), LINUX, "read_ahead_kb", "256");
    assert_eq!(found.effects[0].over, "128");
    predicted(&sequential_reads(&[("sequential", 1.4)], 512), LINUX, "read_ahead_kb", "1024");
    let same = kept(&sequential_reads(&[], 4096), LINUX, "read_ahead_kb", "4096");
    assert!(same.regret.unwrap().is_proven_small);
}

/// Commits on loop images, with each kind of log.
fn filesystems(xfs: f64, growing: f64) -> Synthetic {
    super::log()
        .vary("filesystem", names(&["host", "ext4", "xfs"]))
        .vary("wal_layout", names(&["prefilled", "append"]))
        .rate(move |values, _| {
            let log = if values.is("wal_layout", "append") { growing } else { 1.0 };
            1000.0 * if values.is("filesystem", "xfs") { xfs * log } else { 1.0 }
        })
        .edit(|record: &mut TrialRecord| {
            "ext4".clone_into(&mut record.measurement.as_mut().unwrap().placement.filesystem);
        })
}

#[test]
fn a_file_system_has_to_be_no_worse_with_any_log() {
    predicted(&filesystems(1.3, 1.0), LINUX, "filesystem", "xfs");
    kept(&filesystems(0.8, 1.0), LINUX, "filesystem", "ext4");
    // Better with a log that was written before, and worse with one that grows.
    let regret = super::kept_at_a_risk(&filesystems(1.3, 0.5), LINUX, "filesystem", "ext4");
    assert!((regret.share_at_most - 0.23).abs() < 0.05, "{regret:?}");
}

fn cached_reads(huge: f64) -> Synthetic {
    Synthetic::device()
        .vary("mode", names(&["buffered"]))
        .vary("buffer_pages", names(&["small", "huge"]))
        .fix("cache", name("warm"))
        .edit(move |record| {
            let is_huge = record.values.is("buffer_pages", "huge");
            let scatter = 1.0 + 0.01 * f64::from((record.key.round + record.key.configuration as u32) % 3);
            let factor = if is_huge { huge } else { 1.0 };
            measure(record, "bandwidth_bytes_per_s", 1e9 * factor * scatter);
        })
}

#[test]
fn huge_pages_are_tried_where_they_gain() {
    let found = kept(&cached_reads(1.4), CONF, "huge_pages", "try");
    assert!(found.regret.unwrap().share_at_most < 0.01);
    let Decision::Candidate(found) = with(&cached_reads(1.4), CONF, "huge_pages", "off") else { panic!() };
    assert_eq!(found.value, "try");
}

pub(super) fn speaking() -> Vec<(&'static str, &'static str, Synthetic)> {
    let pages = || page_writes(5000.0, 1.0);
    vec![
        ("innodb_io_capacity", MYSQL, pages()),
        ("innodb_io_capacity_max", MYSQL, pages()),
        ("innodb_flush_neighbors", MYSQL, pages()),
        ("innodb_doublewrite", MYSQL, pages()),
        ("innodb_io_capacity", MARIADB, pages()),
        ("innodb_io_capacity_max", MARIADB, pages()),
        ("innodb_flush_neighbors", MARIADB, page_writes(200.0, 20.0)),
        ("innodb_doublewrite", MARIADB, pages()),
        ("read_ahead_kb", LINUX, sequential_reads(&[("sequential", 1.4)], 128)),
        ("filesystem", LINUX, filesystems(1.3, 1.0)),
        ("huge_pages", CONF, cached_reads(1.4)),
    ]
}
