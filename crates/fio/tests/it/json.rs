//! Reports of fio 3.33 as it wrote them (see `fixtures`), and Syncline's own, read back.

use fio::json::{self, DirectionResult, DiskFigures, JobResult, Latencies, ReadError};
use serde_json::Value;
use std::collections::BTreeSet;

const REPORT: &str = include_str!("../fixtures/fio-3.33.json");
const PLUS: &str = include_str!("../fixtures/fio-3.33-plus.json");
/// In the shape of fio 2, whose keys differ; written by hand, not by fio.
const VERSION_2: &str = include_str!("../fixtures/fio-2-by-hand.json");

#[test]
fn a_report_of_fio_3() {
    let report = json::read(REPORT.as_bytes()).unwrap();
    assert_eq!((report.version.as_str(), report.reports, report.jobs.len()), ("fio-3.33", 1, 2));
    let [mix, seq] = &report.jobs[..] else { panic!() };
    assert_eq!((mix.name.as_str(), mix.error, mix.group, mix.is_group), ("mix", Some(0), Some(0), true));
    assert_eq!((mix.iodepth(), mix.numjobs(), mix.option("rwmixread")), (Some(4), Some(2), Some("70")));
    assert_eq!(mix.time("ramp_time"), Some(model::Nanos::from_millis(100)));
    assert_eq!(mix.size("size"), Some(8 << 20));
    let reads = mix.read.as_ref().unwrap();
    assert_eq!((reads.operations, reads.runtime_ms), (Some(19952), Some(301)));
    assert!((reads.bytes_per_s.unwrap() - 271_574_325.0).abs() < 0.5);
    let completion = reads.completion.as_ref().unwrap();
    assert_eq!((completion.operations, completion.max_ns), (Some(19957), Some(1_883_783.0)));
    assert_eq!(completion.percentiles.len(), 17);
    assert_eq!(completion.percentiles[6], (50.0, 51_456.0));
    assert_eq!(mix.sync.as_ref().unwrap().operations, Some(6136));
    assert!(mix.trim.is_none() && seq.read.is_none() && seq.sync.is_none());
    assert_eq!((seq.iodepth(), seq.is_group, seq.option("direct")), (Some(1), false, Some("1")));
    assert_eq!((report.disks[0].name.as_str(), report.disks[0].reads), ("vda", Some(26620)));
}

#[test]
fn a_json_plus_report_has_its_distribution() {
    let report = json::read(PLUS.as_bytes()).unwrap();
    let reads = report.jobs[0].read.as_ref().unwrap();
    let completion = reads.completion.as_ref().unwrap();
    assert!(completion.bins.is_sorted());
    assert_eq!(completion.bins.iter().map(|(_, count)| count).sum::<u64>(), 200);
}

#[test]
fn microseconds_of_fio_2_become_nanoseconds() {
    let report = json::read(VERSION_2.as_bytes()).unwrap();
    let writes = report.jobs[0].write.as_ref().unwrap();
    assert_eq!(writes.bytes, Some(64 << 20));
    assert_eq!(writes.bytes_per_s, Some(524_288.0 * 1024.0));
    let completion = writes.completion.as_ref().unwrap();
    assert_eq!((completion.min_ns, completion.mean_ns), (Some(50_000.0), Some(110_500.0)));
    assert_eq!(completion.percentiles, [(50.0, 108_000.0), (99.0, 202_000.0)]);
    assert_eq!(completion.operations, None);
    assert!(report.jobs[0].read.is_none());
}

#[test]
fn what_fio_prints_around_a_report_is_passed_over() {
    let around = format!("fio: note {{both}} iodepth >= 1\n{REPORT}\nDisk stats: {{}}\n");
    assert_eq!(json::read(around.as_bytes()).unwrap().jobs.len(), 2);
    let twice = format!("{REPORT}{PLUS}");
    let last = json::read(twice.as_bytes()).unwrap();
    assert_eq!((last.reports, last.jobs[0].name.as_str()), (2, "reads"));
}

#[test]
fn a_clients_report() {
    let text = r#"{"fio version": "fio-3.36", "global options": [{"bs": "4k", "numjobs": 2}],
        "client_stats": [{"jobname": "a", "read": {"iops": 5.5, "total_ios": 11}}, {"jobname": "All clients"}]}"#;
    let report = json::read(text.as_bytes()).unwrap();
    assert_eq!(
        (report.jobs.len(), report.jobs[0].size("bs"), report.jobs[0].numjobs()),
        (2, Some(4096), Some(2))
    );
    assert_eq!(report.jobs[0].read.as_ref().unwrap().iops, Some(5.5));
}

#[test]
fn what_is_no_report_is_said_with_its_place() {
    assert_eq!(json::read(b"read: IOPS=1"), Err(ReadError::NoObject));
    assert_eq!(json::read(b"{}"), Err(ReadError::NoJobs));
    let shape = json::read(b"note\n{\"jobs\": [\n{\"read\": 7}]}").unwrap_err();
    assert_eq!(
        shape.to_string(),
        "not fio JSON: at byte 26: invalid type: integer `7`, expected struct Direction"
    );
    let cut = json::read(&REPORT.as_bytes()[..5000]).unwrap_err().to_string();
    assert!(
        cut.starts_with("not fio JSON: at byte 5000: EOF") && cut.ends_with("the file is cut off"),
        "{cut}"
    );
}

/// Lists that would grow in memory far beyond the file are refused.
#[test]
fn hostile_reports_are_bounded() {
    let jobs = format!("{{\"jobs\":[{}{{}}]}}", "{},".repeat(20_000));
    insta::assert_snapshot!(json::read(jobs.as_bytes()).unwrap_err(), @"not fio JSON: at byte 30012: a list of more than 10000");
    let options: Vec<String> = (0..1000).map(|n| format!("\"{n}\":1")).collect();
    let options = format!("{{\"global options\":{{{}}}}}", options.join(","));
    insta::assert_snapshot!(json::read(options.as_bytes()).unwrap_err(), @"not fio JSON: at byte 4010: a map of more than 512");
    let deep = format!("{{\"jobs\":{}", "[".repeat(1 << 20));
    assert!(json::read(deep.as_bytes()).is_err());
}

fn result() -> JobResult {
    let latencies = Latencies::from_counts([(800, 10), (60_000, 9_000), (3_000_000, 990)]);
    JobResult {
        name: "mode=direct".to_owned(),
        options: [("rw", "randread"), ("bs", "4k"), ("iodepth", "8"), ("numjobs", "2")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
        runtime_ms: 2000,
        elapsed_s: 3,
        iodepth: 8,
        numjobs: 2,
        read: Some(DirectionResult {
            operations: 10_000,
            bytes: 40_960_000,
            latencies,
            iops_series: vec![4000.0, 6000.0],
        }),
        sync: None,
        disk: Some(DiskFigures { name: "vda".to_owned(), reads: 10_000, ..DiskFigures::default() }),
        user_cpu_percent: Some(10.0),
        ..JobResult::default()
    }
}

#[test]
fn our_report_is_read_back() {
    let text = json::write("syncline-0.1.0", 1_800_000_000, "Fri Jan 15 08:00:00 2027", &[result()]);
    let report = json::read(text.as_bytes()).unwrap();
    assert_eq!((report.version.as_str(), report.timestamp), ("syncline-0.1.0", Some(1_800_000_000)));
    let job = &report.jobs[0];
    assert_eq!((job.iodepth(), job.numjobs(), job.is_group, job.error), (Some(8), Some(2), true, Some(0)));
    let reads = job.read.as_ref().unwrap();
    assert_eq!((reads.iops, reads.bytes), (Some(5000.0), Some(40_960_000)));
    assert_eq!((reads.iops_mean, reads.iops_samples), (Some(5000.0), Some(2)));
    assert!(reads.submission.is_none());
    let completion = reads.completion.as_ref().unwrap();
    assert_eq!((completion.min_ns, completion.max_ns), (Some(800.0), Some(3_000_000.0)));
    // 10 000 operations say something of 99.9 % and nothing of 99.95 %.
    assert_eq!(completion.percentiles.last(), Some(&(99.9, 3_000_000.0)));
    assert_eq!((job.user_cpu_percent, job.system_cpu_percent), (Some(10.0), None));
    assert!(job.write.is_none() && job.sync.is_none());
}

#[test]
fn a_device_is_listed_once() {
    let job = |name: &str, reads, runtime_ms, utilisation| JobResult {
        disk: Some(DiskFigures {
            name: name.to_owned(),
            reads,
            queue_ms: Some(reads),
            utilisation_percent: utilisation,
            ..DiskFigures::default()
        }),
        runtime_ms,
        ..result()
    };
    let jobs = [
        job("vda", 100, 1000, Some(10.0)),
        job("vdb", 7, 1000, None),
        job("vda", 50, 3000, Some(50.0)),
        job("vdb", 3, 1000, Some(4.0)),
    ];
    let report: Value = serde_json::from_str(&json::write("syncline", 0, "", &jobs)).unwrap();
    let disks = report["disk_util"].as_array().unwrap();
    assert_eq!(disks.len(), 2);
    assert_eq!(
        (&disks[0]["name"], &disks[0]["read_ios"], &disks[0]["in_queue"]),
        (&"vda".into(), &150.into(), &150.into())
    );
    assert_eq!((&disks[0]["util"], &disks[0]["read_ticks"]), (&40.0.into(), &Value::Null));
    assert_eq!((&disks[1]["read_ios"], &disks[1]["util"]), (&10.into(), &Value::Null));
}

#[test]
fn latencies_fall_into_fios_buckets() {
    let report: Value = serde_json::from_str(&json::write("syncline", 0, "", &[result()])).unwrap();
    let job = &report["jobs"][0];
    assert_eq!(job["latency_ns"]["1000"], 0.1);
    assert_eq!(job["latency_us"]["100"], 90.0);
    assert_eq!(job["latency_ms"]["4"], 9.9);
    assert_eq!(job["latency_ms"][">=2000"], 0.0);
    assert_eq!(job["write"]["iops"], 0.0);
    assert_eq!(job["write"]["lat_ns"]["mean"], Value::Null);
}

fn keys(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    let Some(map) = value.as_object() else { return };
    for (key, value) in map {
        let path = format!("{path}/{key}");
        keys(value, &path, found);
        found.insert(path);
    }
}

/// Every key of Syncline is fio's, and those that fio has beyond are the ones that the documentation lists.
#[test]
fn keys_are_fios() {
    let job_keys = |text: &str| {
        let report: Value = serde_json::from_str(text).unwrap();
        let mut found = BTreeSet::new();
        keys(&report["jobs"][0], "", &mut found);
        found.retain(|key| !key.starts_with("/job options/"));
        found
    };
    let latencies = Latencies::from_counts([(5, 1)]);
    let direction =
        DirectionResult { operations: 1, bytes: 4096, latencies: latencies.clone(), iops_series: Vec::new() };
    let both = JobResult {
        write: Some(direction.clone()),
        read: Some(direction),
        sync: Some(latencies),
        ..JobResult::default()
    };
    let ours = job_keys(&json::write("syncline", 0, "", &[both]));
    let fios = job_keys(REPORT);
    let strange: Vec<&String> = ours.difference(&fios).collect();
    assert!(strange.is_empty(), "{strange:?}");
    let left_out: Vec<&String> = fios
        .difference(&ours)
        .filter(|key| !["/slat_ns", "/iodepth_"].iter().any(|known| key.contains(known)))
        .collect();
    assert!(left_out.is_empty(), "{left_out:?}");
}
