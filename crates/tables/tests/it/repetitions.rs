//! Rows that stand for several runs, of Syncline and of fio's, and what is reported about them.

use crate::clean;

use laws::{Arrivals, Cache, Direction};
use model::mechanism::Measured;
use model::run::Run;
use model::{DurabilityClass, Value};
use tables::{Belief, Mapping, ReadError, Report, Table, audit, read};
use verdict::{Audit, Status};

const FIO: &[u8] = include_bytes!("../../../fio/tests/fixtures/fio-3.33.json");

fn find<'a>(report: &'a Report, name: &str) -> &'a Audit {
    report.audits.iter().find(|audit| audit.name == name).unwrap()
}

/// Multiplies every rate and latency by what `factors` says about a trial: its round, rate and latency.
fn distorted(factors: fn(u32) -> (f64, f64)) -> Run {
    let mut run = clean::run();
    for record in &mut run.records {
        let (rate, latency) = factors(record.key.round);
        for (name, figure) in &mut record.measurement.as_mut().unwrap().phases[0].metrics {
            let Measured::Value(value) = figure else { continue };
            if name.contains("latency") {
                *value *= latency;
            } else if name != "in_flight_mean" {
                *value *= rate;
            }
        }
    }
    run
}

fn exported(run: &Run, mapping: &str) -> Result<Table, ReadError> {
    read("long.csv", clean::long_export(run).as_bytes(), &Mapping::parse(mapping).unwrap())
}

fn condemned(run: &Run) -> Vec<String> {
    let report = audit(&exported(run, "").unwrap());
    let failed = report.audits.into_iter().filter(|audit| audit.status == Status::Fail);
    failed.map(|audit| audit.name).collect()
}

/// A short run on a noisy machine: rates of 25 000/s on average and latencies of 15 ms gave 377 in flight of 64, and
/// the p99.9 of the one slow trial that had operations enough lay above the p99.99.
#[test]
fn noise_is_no_lie() {
    let mut noisy = distorted(|round| {
        let slow = [1.0, 0.13, 2.9, 0.31, 1.7, 0.57, 1.1][round as usize];
        (slow, 1.0 / slow)
    });
    let table = exported(&noisy, "").unwrap();
    let row = &table.rows[2];
    assert!(row.operations_per_s.unwrap() * row.latency.mean_ns.unwrap() / 1e9 > 60.0, "32 possible");
    assert!((row.in_flight_accounted.unwrap().0 - 32.0).abs() < 1e-6);
    for record in noisy.records.iter_mut().filter(|record| record.key.round == 2) {
        let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
        let Measured::Value(below) = metrics["completion_latency_p99_9_us"] else { panic!("made up") };
        metrics.insert("completion_latency_p99_99_us".to_owned(), Measured::Value(below * 1.1));
    }
    assert_eq!(condemned(&noisy), [""; 0]);
    let table = exported(&noisy, "").unwrap();
    assert!(table.rows[2].latency.percentiles.iter().all(|percentile| percentile.quantile < 0.9995));
    insta::assert_snapshot!(table.remarks[1], @"Left out of rows where not every trial could give them: latency p99.99.");
    // The same noise, and three times the operations that can have been in flight.
    let false_run = distorted(|round| {
        let slow = [1.0, 0.13, 2.9, 0.31, 1.7, 0.57, 1.1][round as usize];
        (3.0 * slow, 1.0 / slow)
    });
    assert_eq!(condemned(&false_run), ["littles-law"]);
}

#[test]
fn a_run_that_is_warm_on_purpose_measures_what_it_says() {
    let working_set = |cache: &str, share: Option<f64>| {
        let mut run = clean::run();
        for record in &mut run.records {
            for (name, value) in [("mode", "buffered"), ("cache", cache)] {
                record.values.0.insert(name.to_owned(), Value::Name(value.to_owned()));
            }
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            let share = share.map(|share| ("page_cache_hit_share".to_owned(), Measured::Value(share)));
            metrics.extend(share);
        }
        let report = audit(&exported(&run, "memory_bytes:4GiB").unwrap());
        find(&report, "working-set").clone()
    };
    assert_eq!(working_set("warm", Some(1.0)).status, Status::Pass);
    assert_eq!(working_set("cold", Some(0.01)).status, Status::Pass);
    let cached = working_set("cold", Some(0.61));
    assert_eq!(cached.status, Status::Warn);
    insta::assert_snapshot!(cached.evidence[0], @"depth iodepth=1 (configuration 1), depth iodepth=4 (configuration 2) and 2 more rows: buffered reads of 1.00 GiB with 4.00 GiB of memory: 61.0 % of the bytes came from there.");
    assert_eq!(working_set("as_is", None).status, Status::Warn);
}

#[test]
fn what_holds_for_every_row_can_be_told_of_an_export() {
    let told = |mapping: &str| exported(&clean::run(), mapping);
    let table = told("memory_bytes:64GiB,n:7").unwrap();
    assert_eq!((table.rows[0].setting.memory_bytes, table.rows[0].n), (Some(64 << 30), Some(7)));
    assert_eq!(
        told("n:x").unwrap_err().to_string(),
        "long.csv: the value stated for n: \"x\" is not a number"
    );
}

#[test]
fn what_holds_for_every_row_can_be_told_of_fios_json() {
    let table = read("fio.json", FIO, &Mapping::parse("memory_bytes:64GiB,n:6").unwrap()).unwrap();
    assert!(table.rows.iter().all(|row| row.setting.memory_bytes == Some(64 << 30) && row.n == Some(6)));
}

/// A job of one direction, as `jobs` of one report: options, rate, mean latency in µs.
fn fio_job(name: &str, options: &str, iops: f64, mean_us: f64) -> String {
    format!(
        r#"{{"jobname":"{name}","groupid":0,"error":0,"job options":{{"rw":"randread","direct":"1","ioengine":"io_uring",
        {options}}},"read":{{"iops":{iops},"bw_bytes":{},"runtime":30000,"total_ios":{},"lat_ns":{{"min":{},"max":{},
        "mean":{},"stddev":{},"N":{}}}}}}}"#,
        iops * 4096.0,
        (iops * 30.0).round(),
        mean_us * 500.0,
        mean_us * 9000.0,
        mean_us * 1e3,
        mean_us * 300.0,
        (iops * 30.0).round(),
    )
}

fn fio_table(jobs: &[String]) -> Table {
    let text = format!(r#"{{"fio version":"fio-3.33","jobs":[{}]}}"#, jobs.join(","));
    read("fio.json", text.as_bytes(), &Mapping::default()).unwrap()
}

#[test]
fn jobs_with_one_name_and_the_same_options_are_runs_of_one_row() {
    let slow = [1.0, 0.4, 1.3, 0.9, 1.6, 1.1];
    let deep = |slow: &f64| fio_job("a", r#""iodepth":"32""#, 100_000.0 * slow, 320.0 / slow);
    let mut jobs: Vec<String> = slow.iter().map(deep).collect();
    jobs.insert(3, fio_job("a", r#""iodepth":"1""#, 10_000.0, 100.0));
    let table = fio_table(&jobs);
    assert_eq!(table.rows.len(), 2);
    let row = &table.rows[0];
    assert_eq!((row.place.as_str(), row.n), ("jobs 1, 2, 3, 5 and 2 more", Some(6)));
    assert!((row.operations_per_s.unwrap() - 105_000.0).abs() < 1.0);
    assert!((row.latency.min_ns.unwrap() - 100_000.0).abs() < 1.0, "the least of all runs");
    assert!((row.in_flight_accounted.unwrap().0 - 32.0).abs() < 1e-6);
    assert_eq!((table.rows[1].place.as_str(), table.rows[1].n), ("job 4", Some(1)));
    let report = audit(&table);
    assert!(report.rows[0].numbers.iter().any(|number| number.name == "± of iops"));
    assert_eq!(report.rows[0].belief, Belief::CanBeBelieved, "{:?}", report.rows[0]);
    assert!(report.remarks[0].ends_with("taken as 6 runs of one row."), "{:?}", report.remarks);
    let few = fio_table(&jobs[..3]);
    assert_eq!((few.rows.len(), few.rows[0].place.as_str()), (1, "jobs 1 to 3"));
    assert!(audit(&few).rows[0].numbers.iter().any(|number| number.name == "sd of iops"));
}

#[test]
fn clones_of_one_job_are_no_runs_of_their_own() {
    let clone = fio_job("a", r#""iodepth":"32","numjobs":"2""#, 100_000.0, 320.0);
    let table = fio_table(&[clone.clone(), clone.clone()]);
    assert_eq!(table.rows.iter().map(|row| row.n).collect::<Vec<_>>(), [Some(1), Some(1)]);
    // Three entries are not one for each of two jobs: each is the sum of both.
    let group = fio_job("a", r#""iodepth":"16","numjobs":"2""#, 100_000.0, 320.0);
    let table = fio_table(&[group.clone(), group.clone(), group]);
    assert_eq!((table.rows.len(), table.rows[0].n), (1, Some(3)));
    assert_eq!(find(&audit(&table), "littles-law").status, Status::Pass);
}

/// etcd's own command: a write of 14 µs, then an fdatasync of 4.5 ms that no latency holds. Rate × latency is 0.003 in
/// flight of one, and that was called an error.
#[test]
fn the_time_of_an_fdatasync_is_no_write_latency() {
    const ETCD: &[u8] = include_bytes!("../../../fio/tests/fixtures/fio-3.33-fdatasync.json");
    let table = read("fio.json", ETCD, &Mapping::default()).unwrap();
    let row = &table.rows[0];
    assert!(row.syncs_under_way.unwrap() > 0.99, "{row:?}");
    assert!((row.sync.mean_ns.unwrap() / 1e6 - 4.468).abs() < 0.001);
    assert_eq!(find(&audit(&table), "littles-law").status, Status::Pass);
    assert_eq!(row.setting.sync, Some(laws::Sync::Fdatasync));
    // Without the sync's latency nothing is known about empty slots, and of too many in flight still.
    let text = String::from_utf8(ETCD.to_vec()).unwrap();
    let (before, after) = text.split_once("\"sync\" :").unwrap();
    let hidden = format!("{before}\"other\" :{after}");
    let table = read("fio.json", hidden.as_bytes(), &Mapping::default()).unwrap();
    assert_eq!(table.rows[0].syncs_under_way, None);
    assert_eq!(find(&audit(&table), "littles-law").status, Status::NotAssessable);
    let mut crowded = table.clone();
    crowded.rows[0].operations_per_s = Some(200_000.0);
    assert_eq!(find(&audit(&crowded), "littles-law").status, Status::Fail);
}

/// What an export's configurations are was read from the names of their parameters, and a cap in percent was taken of
/// `size` alone.
#[test]
fn the_settings_of_an_export_are_those_that_its_workload_describes() {
    let mut run = clean::run();
    for record in &mut run.records {
        for (name, value) in [
            ("rw", Value::Name("write".to_owned())),
            ("fdatasync", Value::Count(1)),
            ("memory_cap", Value::Percent(50.0)),
        ] {
            record.values.0.insert(name.to_owned(), value);
        }
    }
    let table = exported(&run, "").unwrap();
    let setting = &table.rows[2].setting;
    assert_eq!(setting.pattern.as_deref(), Some("write"));
    assert_eq!(setting.direction, Some(Direction::Write));
    assert_eq!((setting.block_bytes, setting.iodepth, setting.numjobs), (Some(4096), Some(16), Some(2)));
    assert_eq!((setting.file_bytes, setting.memory_cap_bytes), (Some(1 << 30), Some(1 << 29)));
    assert_eq!((setting.synced, setting.durability), (Some(true), Some(DurabilityClass::Power)));
    assert_eq!((setting.cache, setting.arrivals), (Some(Cache::Cold), Some(Arrivals::Closed)));
    assert_eq!(setting.knobs["iodepth"], "16");
    // Writes that are durable one by one, each within less than any drive needs.
    let faster = |run: &mut Run| {
        for record in &mut run.records {
            let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
            metrics.insert("iops".to_owned(), Measured::Value(9e6));
        }
    };
    faster(&mut run);
    assert_eq!(find(&audit(&exported(&run, "").unwrap()), "sync-too-fast").status, Status::Fail);
}

/// An unknown level is not taken for another one: the row keeps its figures, and its settings are not used.
#[test]
fn an_export_with_an_unknown_level_has_no_settings() {
    let mut run = clean::run();
    for record in &mut run.records {
        record.values.0.insert("mode".to_owned(), Value::Name("telepathic".to_owned()));
    }
    let table = exported(&run, "").unwrap();
    assert!(table.rows.iter().all(|row| row.setting.direction.is_none() && row.setting.mode.is_none()));
    insta::assert_snapshot!(table.remarks.join("\n"), @r#"
    Syncline's long export: rows are means over the trials that count.
    The settings of study depth are unknown here: unknown level of mode "telepathic"; there are: buffered, direct, dontcache, mmap. Its rows are judged by their figures.
    "#);
    assert_eq!(table.rows[0].setting.knobs["mode"], "telepathic");
}
