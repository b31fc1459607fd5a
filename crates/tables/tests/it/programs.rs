//! Output of programs, as they print it: the same seeds that the fuzz targets begin from.

use laws::{Arrivals, Claim, Direction, Sync};
use tables::{Belief, Mapping, Table, audit, read};
use verdict::Status;

macro_rules! seed {
    ($name:literal) => {
        table(include_bytes!(concat!("../../../hostile/seeds/", $name)))
    };
}

fn table(bytes: &[u8]) -> Table {
    read("output", bytes, &Mapping::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn row<'a>(table: &'a Table, label: &str) -> &'a Claim {
    table.rows.iter().find(|row| row.label == label).unwrap_or_else(|| panic!("{label}: {table:?}"))
}

fn status(table: &Table, name: &str) -> Status {
    audit(table).audits.into_iter().find(|audit| audit.name == name).unwrap().status
}

fn is_near(found: Option<f64>, expected: f64) -> bool {
    found.is_some_and(|found| (found - expected).abs() <= 1e-9 * expected)
}

#[test]
fn fio_for_people() {
    let table = seed!("fio_normal/fio-3.txt");
    let row = row(&table, "a");
    assert_eq!((row.place.as_str(), row.n, row.runtime_s), ("line 4", Some(1), Some(30.001)));
    assert!(
        is_near(row.operations_per_s, 545e3) && is_near(row.bandwidth_bytes_per_s, 2131.0 * 1_048_576.0),
        "{row:?}"
    );
    assert!(is_near(row.latency.mean_ns, 351_450.0) && is_near(row.latency.min_ns, 17_000.0), "{row:?}");
    assert!(is_near(row.completion.as_ref().unwrap().mean_ns, 350_450.0));
    assert!(is_near(row.sync.mean_ns, 12_500.0), "{:?}", row.sync);
    assert_eq!(row.completion.as_ref().unwrap().percentiles.len(), 3);
    assert_eq!(row.operations, Some(16_353_000));
    let setting = &row.setting;
    assert_eq!((setting.iodepth, setting.numjobs, setting.block_bytes), (Some(16), Some(12), Some(4096)));
    assert_eq!((setting.direction, setting.mode), (Some(Direction::Write), Some(model::IoMode::Direct)));
    for check in ["littles-law", "bandwidth", "impossible-order", "not-direct"] {
        assert_eq!(status(&table, check), Status::Pass, "{check}");
    }
    assert!(table.remarks.contains(&"Output of fio: 1 row.".to_owned()), "{:?}", table.remarks);
}

/// Options below a backslash were not read, so nothing was known about O_DIRECT or the log.
#[test]
fn a_command_goes_on_below_a_backslash() {
    let fio = "$ fio --name=a --rw=randwrite --bs=4k \\\n    --direct=1 --fdatasync=1 \\\n    --ioengine=psync\n\
        a: (groupid=0, jobs=1): err= 0: pid=1\n  write: IOPS=5000, BW=19.5MiB/s (20.5MB/s)(195MiB/10001msec)\n";
    let setting = &table(fio.as_bytes()).rows[0].setting;
    assert_eq!((setting.mode, setting.sync), (Some(model::IoMode::Direct), Some(Sync::Fdatasync)));
    assert_eq!(setting.arrivals, Some(Arrivals::Closed), "all options are known");
    let quoted = format!("> {}", fio.trim_end().replace('\n', "\n> "));
    assert_eq!(table(quoted.as_bytes()).rows[0].setting.mode, Some(model::IoMode::Direct));
    let db_bench = "./db_bench --benchmarks=fillseq \\\n  --sync=1 \\\n  --threads=4\n\
        fillseq      :       1.885 micros/op 530463 ops/sec\n";
    let setting = &table(db_bench.as_bytes()).rows[0].setting;
    assert_eq!((setting.sync, setting.in_flight), (Some(Sync::Fdatasync), Some(4)));
}

/// fio 2 calls KiB KB, and prints no command line here: nothing is known about O_DIRECT.
#[test]
fn fio_2_without_its_command_line() {
    let table = seed!("fio_normal/fio-2.txt");
    let row = row(&table, "randread");
    assert!(is_near(row.bandwidth_bytes_per_s, 371_947.0 * 1024.0), "{row:?}");
    assert_eq!((row.setting.mode, row.setting.file_bytes, row.setting.sync), (None, None, None));
    assert_eq!((row.setting.iodepth, row.setting.numjobs), (Some(32), Some(16)));
    assert_eq!(status(&table, "bandwidth"), Status::Pass);
    assert_eq!(status(&table, "littles-law"), Status::Pass);
    assert_eq!(status(&table, "not-direct"), Status::NotAssessable);
}

#[test]
fn fio_terse() {
    let table = seed!("fio_terse/v3.txt");
    let row = row(&table, "a");
    assert_eq!((row.operations_per_s, row.bandwidth_bytes_per_s), (Some(512.0), Some(2048.0 * 1024.0)));
    assert!(is_near(row.latency.mean_ns, 53_000.0) && is_near(row.latency.max_ns, 93_000.0), "{row:?}");
    assert_eq!(row.completion.as_ref().unwrap().percentiles.len(), 17);
    assert_eq!((row.setting.iodepth, row.setting.mode), (None, None), "a terse line has no option");
    assert_eq!((table.rows.len(), row.setting.direction), (1, Some(Direction::Read)));
    // Whole microseconds: a maximum of 0 is up to 1 µs, and no mean of 190 ns contradicts it.
    let fast = include_str!("../../../hostile/seeds/fio_terse/v3.txt")
        .replace(";12;93;53.0;5.1;", ";0;0;0.19;0.02;")
        .replace(";90;50.5;", ";90;47.0;");
    assert_eq!(status(&self::table(fast.as_bytes()), "impossible-order"), Status::Pass);
}

#[test]
fn pg_test_fsync() {
    let table = seed!("pg_test_fsync/output.txt");
    assert_eq!(table.rows.len(), 5);
    let datasync = row(&table, "open_datasync");
    assert!(is_near(datasync.operations_per_s, 1002.075));
    assert_eq!(
        (datasync.setting.sync, datasync.setting.mode),
        (Some(Sync::ODsync), Some(model::IoMode::Direct))
    );
    assert_eq!((datasync.setting.block_bytes, datasync.runtime_s), (Some(8192), Some(5.0)));
    assert_eq!(row(&table, "write").setting.sync, Some(Sync::Never));
    // Sections are not compared: one syncs, another does not.
    assert_eq!(status(&table, "unlike-durability"), Status::Pass);
    assert_eq!(status(&table, "sync-too-fast"), Status::Pass);
    let fast =
        include_str!("../../../hostile/seeds/pg_test_fsync/output.txt").replace("1062.147", "406200.147");
    assert_eq!(status(&self::table(fast.as_bytes()), "sync-too-fast"), Status::Fail);
}

#[test]
fn pgbench_measures_latency_only_with_a_deviation() {
    let table = seed!("pgbench/output.txt");
    let measured = &table.rows[0];
    assert!(is_near(measured.operations_per_s, 2_903.794_774) && is_near(measured.latency.mean_ns, 5.508e6));
    assert_eq!((measured.setting.in_flight, measured.setting.arrivals), (Some(16), Some(Arrivals::Closed)));
    assert_eq!((measured.operations, measured.runtime_s), (Some(174_236), Some(60.0)));
    assert_eq!(status(&table, "littles-law"), Status::Pass);
    let text =
        include_str!("../../../hostile/seeds/pgbench/output.txt").replace("latency stddev = 4.884 ms\n", "");
    let computed = self::table(text.as_bytes());
    assert_eq!(computed.rows[0].latency.mean_ns, None);
    assert_eq!(status(&computed, "littles-law"), Status::NotAssessable, "the rate and itself");
    assert!(
        computed.remarks.iter().any(|remark| remark.contains("neither confirms the other")),
        "{:?}",
        computed.remarks
    );
    assert_eq!(audit(&computed).rows[0].belief, Belief::Unchecked);
}

#[test]
fn db_bench() {
    let table = seed!("db_bench/output.txt");
    let fill = row(&table, "fillseq");
    assert!(is_near(fill.operations_per_s, 2_122_015.0) && is_near(fill.latency.mean_ns, 1885.0), "{fill:?}");
    assert_eq!(
        (fill.setting.block_bytes, fill.setting.in_flight, fill.operations),
        (Some(116), Some(4), Some(400_000))
    );
    assert_eq!(fill.setting.sync, Some(Sync::Never), "the command line has no --sync");
    assert!(is_near(fill.latency.max_ns, 4e6) && fill.latency.percentiles.len() == 5, "{fill:?}");
    assert_eq!(row(&table, "readrandom").setting.direction, Some(Direction::Read));
    // micros/op is the threads' time divided by the operations: no evidence beside the rate.
    assert_eq!(status(&table, "derived-latency"), Status::Warn);
    assert_eq!(status(&table, "littles-law"), Status::NotAssessable);
    assert_eq!(status(&table, "bandwidth"), Status::Pass);
    let old = self::table(
        b"Keys:       16 bytes each\nfillsync     :     268.409 micros/op;    0.4 MB/s (10000 ops)\n",
    );
    assert_eq!(old.rows[0].setting.sync, Some(Sync::Fdatasync));
    assert_eq!(old.rows[0].setting.in_flight, None, "no command line tells the threads");
}

/// `fillrandsync` of 2.3 µs was believed: only `fillsync` was known to sync, and a write's latency was not looked at.
#[test]
fn a_database_writes_and_syncs_in_one_operation() {
    let result = "fillrandsync     :       2.317 micros/op 431592 ops/sec;   47.7 MB/s (1000 ops)\n";
    for command in ["", "./db_bench --benchmarks=fillrandsync,fillrandom --db=/tmp/x\n"] {
        let text = format!("{command}{result}fillrandom : 3.683 micros/op 271553 ops/sec; 30.0 MB/s\n");
        let table = table(text.as_bytes());
        assert_eq!(table.rows[0].setting.sync, Some(Sync::Fdatasync));
        assert_eq!(status(&table, "sync-too-fast"), Status::Fail, "{command}");
        let beliefs: Vec<Belief> = audit(&table).rows.into_iter().map(|row| row.belief).collect();
        assert_eq!(beliefs[0], Belief::CannotBeBelieved);
        assert_ne!(beliefs[1], Belief::CannotBeBelieved);
    }
}

/// One person's threads were taken for those of another's result further down the page.
#[test]
fn a_command_line_is_of_its_own_results_alone() {
    const COMMAND: &str = "$ ./db_bench --benchmarks=readrandom,fillseq --sync=1 --threads=2\n";
    const HEAD: &str = "Keys:       16 bytes each\nValues:     100 bytes each\n";
    const READS: &str = "readrandom   :      11.940 micros/op 83750 ops/sec;    9.3 MB/s\n";
    const FILL: &str = "fillseq   :      11.940 micros/op 83750 ops/sec;    9.3 MB/s\n";
    const OTHER: &str = "fillrandom   :      11.940 micros/op 83750 ops/sec;    9.3 MB/s\n";
    let threads = |text: String| -> Vec<Option<u64>> {
        table(text.as_bytes()).rows.iter().map(|row| row.setting.in_flight).collect()
    };
    assert_eq!(threads(format!("{COMMAND}{HEAD}{READS}{FILL}")), [Some(2), Some(2)]);
    assert_eq!(threads(format!("{COMMAND}{READS}\n# Other\n{READS}{FILL}")), [Some(2), None, None]);
    assert_eq!(threads(format!("{COMMAND}{READS}{OTHER}")), [Some(2), None], "not in its list");
    let repeated = COMMAND.replace("readrandom", "readrandom[X2]");
    assert_eq!(threads(format!("{repeated}{READS}{READS}")), [Some(2), Some(2)]);
    let sizes = table(format!("{HEAD}{FILL}{FILL}").as_bytes());
    assert_eq!(sizes.rows[0].setting.block_bytes, Some(116));
    assert_eq!(sizes.rows[1].setting.block_bytes, None, "another run may have other keys");
}

/// The same with fio and pg_test_fsync.
#[test]
fn what_a_run_printed_first_is_of_that_run_alone() {
    let run = "w: (g=0): rw=write, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1\n\
        w: (groupid=0, jobs=1): err= 0: pid=1\n  write: IOPS=5000, BW=19.5MiB/s (20.5MB/s)(195MiB/10001msec)\n";
    let fio = table(format!("$ fio --name=w --rw=write --bs=4k --direct=1\n{run}\n{run}").as_bytes());
    let modes: Vec<Option<model::IoMode>> = fio.rows.iter().map(|row| row.setting.mode).collect();
    assert_eq!(modes, [Some(model::IoMode::Direct), None]);
    let syncs = "Compare file sync methods using one 8kB write:\n        fdatasync   548.172 ops/sec    1824 usecs/op\n";
    let syncs = table(format!("2 seconds per test\n{syncs}\n{syncs}").as_bytes());
    assert_eq!(syncs.rows.iter().map(|row| row.runtime_s).collect::<Vec<_>>(), [Some(2.0), None]);
}

/// The marks behind a figure hid the clients, so that nothing was checked.
#[test]
fn a_report_in_bold_type() {
    let plain = include_str!("../../../hostile/seeds/pgbench/output.txt");
    let bold = format!("**{}**\n", plain.trim_end().replace('\n', "**\n\n**"));
    let table = table(bold.as_bytes());
    assert_eq!((table.rows[0].setting.in_flight, table.rows[0].runtime_s), (Some(16), Some(60.0)));
    assert_eq!(status(&table, "littles-law"), Status::Pass);
}

/// The line "5 seconds per test" made the same output doubtful: so brief a run shows no steady state, but measures what
/// it measures.
#[test]
fn a_fuller_output_is_not_rated_worse() {
    let full = include_str!("../../../hostile/seeds/pg_test_fsync/output.txt");
    let without = full.replace("5 seconds per test\n", "");
    assert_ne!(full, without);
    let beliefs = |text: &str| -> Vec<Belief> {
        audit(&table(text.as_bytes())).rows.into_iter().map(|row| row.belief).collect()
    };
    assert_eq!(beliefs(full), beliefs(&without));
    assert_eq!(status(&table(full.as_bytes()), "too-short"), Status::Warn);
}

/// `pgbench -t 10` with 200 clients: half a second, which was not said.
#[test]
fn operations_and_their_rate_are_a_runtime() {
    let text = "transaction type: <builtin: TPC-B (sort of)>\nnumber of clients: 200\n\
        number of transactions actually processed: 2000/2000\ntps = 4194.358169 (without initial connection time)\n";
    let brief = table(text.as_bytes());
    assert_eq!(status(&brief, "too-short"), Status::Warn);
    assert_eq!(audit(&brief).rows[0].belief, Belief::Doubtful);
    let long = text.replace("2000/2000", "2000000/2000000");
    assert_eq!(status(&table(long.as_bytes()), "too-short"), Status::Pass);
}

#[test]
fn sysbench() {
    let files = seed!("sysbench/fileio.txt");
    let reads = row(&files, "reads");
    assert_eq!((reads.operations_per_s, reads.setting.block_bytes), (Some(447.81), Some(16_384)));
    assert_eq!(
        (reads.setting.mode, reads.setting.pattern.as_deref()),
        (Some(model::IoMode::Buffered), Some("randread"))
    );
    assert!(
        reads.latency.is_empty(),
        "a latency of reads, writes and fsyncs together belongs to none of them"
    );
    assert_eq!(status(&files, "bandwidth"), Status::Pass);
    let transactions = seed!("sysbench/oltp.txt");
    let row = &transactions.rows[0];
    assert!(is_near(row.operations_per_s, 2006.04) && is_near(row.latency.mean_ns, 3.99e6), "{row:?}");
    assert_eq!((row.setting.in_flight, row.operations), (Some(8), Some(20_063)));
    assert_eq!(status(&transactions, "littles-law"), Status::Pass);
}

#[test]
fn kbench_has_a_run_for_each_figure() {
    let table = seed!("kbench/comparison.txt");
    assert_eq!(table.rows.len(), 16);
    let reads = row(&table, "Longhorn randread IOPS");
    assert_eq!((reads.operations_per_s, reads.bandwidth_bytes_per_s), (Some(24_711.0), None));
    assert_eq!(reads.setting.file_bytes, Some(30 << 30));
    let latency = row(&table, "Local-Path randwrite latency");
    assert!(is_near(latency.latency.mean_ns, 44_437.0), "{latency:?}");
    assert_eq!(status(&table, "not-direct"), Status::Pass);
}

#[test]
fn a_page_quotes_programs_between_its_tables() {
    let page = "\
# Disk

| test | IOPS | depth | jobs | lat (us) |
|---|---|---|---|---|
| a | 14,334.5 | 1 | 1 | 69.5 |

```console
> transaction type: <builtin: select only>
> number of clients: 1
> latency average = 0.058 ms
> tps = 17201.844726 (without initial connection time)
```
";
    let table = table(page.as_bytes());
    assert_eq!(table.rows.iter().map(|row| row.place.as_str()).collect::<Vec<_>>(), ["line 8", "line 5"]);
    assert!(is_near(table.rows[1].operations_per_s, 14_334.5));
    assert_eq!(table.rows[1].study.as_deref(), Some("Disk (line 3)"));
}

/// 75,012 fdatasync/s beside 1,032 fsync/s were believed.
#[test]
fn ways_to_sync_of_pg_test_fsync_differ_by_flushes_only() {
    let seed = include_str!("../../../hostile/seeds/pg_test_fsync/output.txt");
    assert_eq!(status(&table(seed.as_bytes()), "sync-methods-differ"), Status::Pass);
    let fast = table(seed.replace("1062.147", "75012.147").replace("34.400", "1032.400").as_bytes());
    assert_eq!(status(&fast, "sync-methods-differ"), Status::Warn);
    let report = audit(&fast);
    let beliefs: Vec<(&str, Belief)> =
        report.rows.iter().map(|row| (row.label.as_str(), row.belief)).collect();
    assert!(beliefs.contains(&("fdatasync", Belief::Doubtful)), "{beliefs:?}");
    assert!(!beliefs.contains(&("fsync", Belief::Doubtful)), "{beliefs:?}");
}
