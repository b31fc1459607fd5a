//! The object workload on S3 through the whole program, against a real server.

#![cfg(feature = "object-store")]

use crate::laboratory;
use crate::object::{assert_mixed, count, study};
use crate::scan_s3::gateway;

use gateway::{BUCKET, Fault, Gateway, Proxy, SECRET};
use laboratory::trial::figure;
use laboratory::{Laboratory, text};
use model::host::Placement;
use model::trial::{TrialOutcome, TrialRecord};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_mins(5);
const TARGET: &str = "target = \"s3://data/set\"";

fn run(lab: &Laboratory, study: &str, address: &str) -> Command {
    fs::write(lab.path().join("objects.toml"), study).unwrap();
    let mut command = lab.syncline(&["run", "objects.toml", "--dir", "disk", "--out", "run"]);
    command.envs(Gateway::environment(address));
    command
}

fn files_below(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    let below = |path: PathBuf| if path.is_dir() { files_below(&path) } else { vec![path] };
    entries.flatten().flat_map(|entry| below(entry.path())).collect()
}

/// A bucket in which somebody else's objects are, also in a prefix that is called like Syncline's.
fn theirs(gateway: &Gateway) -> Vec<PathBuf> {
    for name in ["set/theirs", "set/syncline-theirs/data/0000000001"] {
        let path = gateway.bucket().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "precious").unwrap();
    }
    let mut files = files_below(&gateway.bucket());
    files.sort();
    files
}

fn assert_only(gateway: &Gateway, theirs: &[PathBuf]) {
    let mut left = files_below(&gateway.bucket());
    left.sort();
    assert_eq!(left, theirs);
}

const MIX: &str = "get/25:get_range/10:put/15:multipart_put/20:stat/10:list/20";

/// Rates of the steps of [`MIX`].
const RATES: [&str; 6] = [
    "object_gets_per_s",
    "object_ranges_per_s",
    "object_puts_per_s",
    "object_multiparts_per_s",
    "object_stats_per_s",
    "object_lists_per_s",
];

fn mixed(factors: &str, mix: &str) -> String {
    let mix = format!("mix = \"{mix}\"\nrange_size = \"4KiB\"");
    study(factors, &format!("{TARGET}\n{mix}")).replace("kept_objects = 8", "kept_objects = 16")
}

fn assert_measured(record: &TrialRecord, rates: &[&str]) {
    assert_eq!(record.outcome, TrialOutcome::Ok, "{}", record.values);
    let placement = &record.measurement.as_ref().unwrap().placement;
    assert_eq!(*placement, Placement::in_object_store(), "the local disk has no part in it");
    assert_mixed(record, rates);
    assert!(figure(record, "request_retries").abs() < f64::EPSILON);
    assert!(figure(record, "overloaded_answers").abs() < f64::EPSILON);
    assert_requests(record);
}

#[test]
fn objects_are_read_written_in_parts_and_listed_and_nothing_else_is_touched() {
    let Some(gateway) = Gateway::start() else { return };
    let theirs = theirs(&gateway);
    let lab = Laboratory::new();
    let output = run(&lab, &mixed("iodepth = [1, 4]", MIX), gateway.address()).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let records = lab.records();
    assert_eq!(records.len(), 2);
    for record in &records {
        assert_measured(record, &RATES);
    }
    let report = lab.syncline(&["report", "run", "--format", "json"]).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    let costs = report["studies"][0]["costs"].as_array().unwrap();
    assert_eq!(costs.len(), 2);
    assert!(costs[0]["by_store"][0]["usd_per_million"]["point"].as_f64().unwrap() > 0.0, "{costs:#?}");
    assert_only(&gateway, &theirs);
    lab.assert_clean();
    assert!(!text(&output).contains(SECRET));
    for file in files_below(&lab.run_directory()) {
        let bytes = fs::read(&file).unwrap();
        assert!(!bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes()), "{}", file.display());
    }
}

/// One operation at a time: this gateway removes a folder with its last object, and refuses a put into the folder that
/// it removes (`ExistingObjectIsDirectory`).
#[test]
fn objects_are_removed_and_nothing_else_is_touched() {
    let Some(gateway) = Gateway::start() else { return };
    let theirs = theirs(&gateway);
    let lab = Laboratory::new();
    let mix = MIX.replace("multipart_put/20", "multipart_put/10:delete/10");
    let study = mixed("iodepth = [1]", &mix).replace("clients = 2", "clients = 1");
    let output = run(&lab, &study, gateway.address()).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let [record] = &lab.records()[..] else { panic!("one trial") };
    assert_measured(record, &[RATES.as_slice(), &["object_deletes_per_s"]].concat());
    assert_only(&gateway, &theirs);
    lab.assert_clean();
}

/// A store charges for each request: a put in one part is three of them, and a list is one for each page.
fn assert_requests(record: &TrialRecord) {
    let requests = |name: &str| (figure(record, name) * 200.0).round() as u64;
    let counted = |rate: &str| count(record, rate);
    assert_eq!(
        requests("write_requests_per_operation"),
        counted("object_puts_per_s") + 3 * counted("object_multiparts_per_s")
    );
    // Five names in pages of three.
    assert_eq!(requests("list_requests_per_operation"), 2 * counted("object_lists_per_s"));
    assert_eq!(
        requests("read_requests_per_operation"),
        counted("object_gets_per_s") + counted("object_ranges_per_s") + counted("object_stats_per_s")
    );
    if record.figure("object_deletes_per_s").is_some() {
        assert_eq!(requests("delete_requests_per_operation"), counted("object_deletes_per_s"));
    }
}

/// What a store refuses for its load is counted by itself, and so is what fails in the end: neither is throughput.
#[test]
fn refusals_and_failures_are_counted_apart() {
    let Some(gateway) = Gateway::start() else { return };
    let proxy = Proxy::before(&gateway);
    let lab = Laboratory::new();
    let one = "mix = \"get/100\"\nfailures_max = 5\nclients = 1\nkept_objects = 2";
    let study = study("iodepth = [1]", TARGET).replace("clients = 2\nkept_objects = 8", one);
    // One get is refused five times and fails, another one is refused and reset once each.
    let faults = [[Fault::SlowDown; 5].as_slice(), &[Fault::SlowDown, Fault::Reset]].concat();
    proxy.inject_for("/data/0", &faults);
    let output = run(&lab, &study, proxy.address()).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let [record] = &lab.records()[..] else { panic!("one trial") };
    assert_eq!(record.outcome, TrialOutcome::Ok);
    assert_eq!(proxy.left(), 0);
    let counted = |name: &str| figure(record, name).round() as u64;
    assert_eq!((counted("failed_operations"), counted("overloaded_answers")), (1, 6));
    assert_eq!(counted("request_retries"), 6);
    // What is repeated is paid for.
    let reads = figure(record, "read_requests_per_operation") * 199.0;
    assert_eq!(reads.round() as u64, 200 + 6);
    assert_eq!(count(record, "object_operations_per_s"), 199, "a failure is no throughput");
    assert_eq!(record.measurement.as_ref().unwrap().phases[0].operations, 199);
}

#[test]
fn a_failure_that_is_not_tolerated_fails_the_trial_with_the_object_and_the_reason() {
    let Some(gateway) = Gateway::start() else { return };
    let proxy = Proxy::before(&gateway);
    let lab = Laboratory::new();
    let study = study("iodepth = [1]", &format!("{TARGET}\nmix = \"get/100\""));
    proxy.inject_for("/data/0", &[Fault::SlowDown; 40]);
    let output = run(&lab, &study, proxy.address()).output().unwrap();
    assert!(!text(&output).contains(SECRET), "{}", text(&output));
    let [record] = &lab.records()[..] else { panic!("one trial") };
    let TrialOutcome::Failed(why) = &record.outcome else { panic!("{:?}", record.outcome) };
    assert!(why.contains("s3://data/set/syncline-") && why.contains("get of 10000 bytes"), "{why}");
    assert!(why.contains("stayed overloaded"), "{why}");
    assert_only(&gateway, &[]);
}

/// A study of gets through the gateways at these addresses, one client for each.
fn through(addresses: &[&str], fixed: &str) -> String {
    let endpoints: Vec<String> = addresses.iter().map(|address| format!("http://{address}")).collect();
    let endpoints = endpoints.join(" ");
    study("iodepth = [1]", &format!("{TARGET}\nmix = \"get/100\"\nendpoints = \"{endpoints}\"\n{fixed}"))
}

/// Objects of the dataset that were read through a gateway.
fn gets(gateway: &Gateway) -> usize {
    gateway.requests(&["GetObject", "/data/0"])
}

#[test]
fn clients_use_several_endpoints_in_turn() {
    let Some(gateway) = Gateway::start() else { return };
    let theirs = theirs(&gateway);
    let other = gateway.beside();
    let lab = Laboratory::new();
    let study = through(&[gateway.address(), other.address()], "");
    // Nobody listens at the environment's address: no request may go there.
    let output = run(&lab, &study, "127.0.0.1:1").output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let [record] = &lab.records()[..] else { panic!("one trial") };
    assert_eq!(record.outcome, TrialOutcome::Ok);
    assert_eq!(count(record, "object_operations_per_s"), 200);
    assert_eq!(
        record.values.text("endpoints"),
        Ok(format!("http://{} http://{}", gateway.address(), other.address()))
    );
    // A gateway may log a request after it has answered it.
    let started = Instant::now();
    while gets(&gateway) + gets(&other) < 200 && started.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!((gets(&gateway), gets(&other)), (100, 100));
    assert_eq!(other.requests(&["PutObject"]), 0, "what is not measured goes through the first");
    assert_only(&gateway, &theirs);
    lab.assert_clean();
}

/// Ranks of one launch go on where the one before ends: three clients of rank 1 are the clients 3, 4 and 5.
#[test]
fn the_clients_of_all_ranks_use_several_endpoints_in_turn() {
    let Some(gateway) = Gateway::start() else { return };
    let other = gateway.beside();
    let lab = Laboratory::new();
    let study = through(&[gateway.address(), other.address()], "")
        .replace("clients = 2", "clients = 3")
        .replace("operations_max = 200", "operations_max = 30");
    let mut command = run(&lab, &study, gateway.address());
    let output = command.args(["--rank", "1", "--of", "2"]).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let started = Instant::now();
    while gets(&gateway) + gets(&other) < 30 && started.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!((gets(&gateway), gets(&other)), (10, 20));
    assert_eq!(other.requests(&["PutObject"]), 0, "what is not measured goes through the first");
    assert_only(&gateway, &[]);
}

/// A server that is not a store, or that sends its clients around, is refused before the first trial.
#[test]
fn a_store_that_answers_without_end_or_redirects_in_a_circle_is_refused_before_the_first_trial() {
    let circle = gateway::redirecting(None).0;
    for address in [gateway::endless("200 OK"), gateway::endless("403 Forbidden"), circle] {
        let lab = Laboratory::new();
        let study = study("iodepth = [1]", &format!("{TARGET}\nmix = \"get/100\""));
        let output = run(&lab, &study, &address).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(!text(&output).contains(SECRET), "{}", text(&output));
        assert!(!lab.run_directory().exists());
    }
}

/// A store that answers late has a latency, and no failure.
#[test]
fn an_answer_that_comes_late_is_in_the_latency() {
    let Some(gateway) = Gateway::start() else { return };
    let proxy = Proxy::before(&gateway);
    let lab = Laboratory::new();
    let study = study("iodepth = [1]", &format!("{TARGET}\nmix = \"get/100\""))
        .replace("operations_max = 200", "operations_max = 20");
    proxy.inject_for("/data/0", &[Fault::SlowFirstByte(300)]);
    let output = run(&lab, &study, proxy.address()).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let [record] = &lab.records()[..] else { panic!("one trial") };
    assert_eq!(record.outcome, TrialOutcome::Ok);
    assert_eq!(record.measurement.as_ref().unwrap().phases[0].operations, 20);
    for family in ["object_get_latency", "object_first_byte_latency"] {
        // Twenty operations, of which one took 300 ms at least.
        assert!(figure(record, &format!("{family}_mean_us")) * 20.0 >= 300_000.0, "{family}");
    }
    assert!(figure(record, "failed_operations").abs() < f64::EPSILON);
    assert_only(&gateway, &[]);
}

#[test]
fn what_an_endpoint_that_is_down_does_not_answer_is_counted_as_failed() {
    let Some(gateway) = Gateway::start() else { return };
    let down = gateway.beside().address().to_owned();
    let few = |fixed: &str| {
        let study = through(&[gateway.address(), &down], fixed);
        study.replace("operations_max = 200", "operations_max = 20")
    };
    let lab = Laboratory::new();
    let output = run(&lab, &few("failures_max = 10"), gateway.address()).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let [record] = &lab.records()[..] else { panic!("one trial") };
    assert_eq!(record.outcome, TrialOutcome::Ok);
    assert_eq!(figure(record, "failed_operations").round() as u64, 10);
    assert_eq!(count(record, "object_operations_per_s"), 10, "a failure is no throughput");
    assert_eq!(record.measurement.as_ref().unwrap().phases[0].operations, 10);
    assert_only(&gateway, &[]);
    // If no failure is tolerated, nothing is measured.
    let lab = Laboratory::new();
    let output = run(&lab, &few(""), gateway.address()).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains(&down), "{}", text(&output));
    assert_only(&gateway, &[]);
}

#[test]
fn credentials_in_an_endpoint_are_refused_and_not_repeated() {
    let lab = Laboratory::new();
    let levels = "endpoints=http://a:7070,http://AKIAXXXX:hush@b:7070";
    let mut command = lab.syncline(&["run", "object-mix", "--dir", "disk", "--out", "run", "--vary", levels]);
    let output = command.args(["--fix", "target=s3://data/set"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(!text(&output).contains("hush") && !text(&output).contains("AKIAXXXX"), "{}", text(&output));
    assert!(!lab.run_directory().exists());
}

/// The parts of a put that nobody completes are in no list and are paid for.
#[test]
fn what_a_killed_run_left_the_next_start_removes() {
    let Some(gateway) = Gateway::start() else { return };
    let theirs = theirs(&gateway);
    let lab = Laboratory::new();
    let large = "mix = \"multipart_put/100\"\npart_size = \"5MiB\"\nruntime = \"10min\"\noperations_max = 0\nkept_objects = 8";
    let study = study("iodepth = [2]", TARGET)
        .replace("object_size = \"10000B\"", "object_size = \"20MiB\"")
        .replace("objects = 20", "objects = 1")
        .replace("kept_objects = 8\noperations_max = 200\nruntime = \"0s\"", large);
    let mut child =
        run(&lab, &study, gateway.address()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    let written = || files_below(&gateway.bucket()).iter().filter(|path| is_written(path)).count();
    while written() < 2 {
        assert!(started.elapsed() < PATIENCE && child.try_wait().unwrap().is_none(), "nothing is written");
        thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // The worker dies with its parent; its last request may still be under way.
    let mut left = files_below(&gateway.bucket()).len();
    loop {
        thread::sleep(Duration::from_millis(500));
        let now = files_below(&gateway.bucket()).len();
        if now == left {
            break;
        }
        left = now;
    }
    assert!(left > theirs.len(), "the killed run left nothing: the test proves nothing");
    let small = crate::object::study("iodepth = [1]", &format!("{TARGET}\nmix = \"get/100\""));
    fs::remove_dir_all(lab.run_directory()).unwrap();
    let output = run(&lab, &small, gateway.address()).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    assert_only(&gateway, &theirs);
    lab.assert_clean();
}

fn is_written(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "written")
}

/// Nothing is measured if the bucket is not there, and nothing is written to one without a marker of Syncline's.
#[test]
fn a_bucket_that_is_not_there_is_refused_before_the_first_trial() {
    let Some(gateway) = Gateway::start() else { return };
    let lab = Laboratory::new();
    let study = study("iodepth = [1]", "target = \"s3://nothing/set\"\nmix = \"get/100\"");
    let output = run(&lab, &study, gateway.address()).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("the bucket does not exist"), "{}", text(&output));
    assert!(gateway.bucket().ends_with(BUCKET));
    assert_only(&gateway, &[]);
}

/// A log of each format on a real server, below a prefix of Syncline's that is gone at the end.
#[test]
fn a_log_is_replayed_on_objects() {
    let Some(gateway) = Gateway::start() else { return };
    let theirs = theirs(&gateway);
    for (log, operations) in [("own.csv", 7), ("op_log.tsv", 5), ("warp.csv", 3)] {
        let lab = Laboratory::new();
        let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hostile/seeds/operation_log");
        let fixed = format!("{TARGET}\nreplay = \"{}\"", seeds.join(log).display());
        let study = study("iodepth = [1, 4]", &fixed).replace("operations_max = 200", "operations_max = 0");
        let output = run(&lab, &study, gateway.address()).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
        for record in &lab.records() {
            assert_eq!(record.outcome, TrialOutcome::Ok, "{log} {}", record.values);
            assert_eq!(count(record, "object_operations_per_s"), operations, "{log}");
        }
        assert_only(&gateway, &theirs);
        lab.assert_clean();
    }
}
