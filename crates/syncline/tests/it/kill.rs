//! A process that is killed while it appends, and what another finds then: asked of the workers themselves, with damage
//! done between the two.

use crate::laboratory;

use disk::shared_counters::SharedCounters;
use disk::work_directory::WorkDirectory;
use laboratory::{Laboratory, assert_line};
use model::trial::{TrialSpec, WorkerReply, WorkerRequest};
use model::{FORMAT_VERSION, Value};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;
use workload::append::SCHEMA;

fn start(lab: &Laboratory, request: &WorkerRequest) -> Child {
    let mut worker = lab.syncline(&["worker"]);
    let mut child = worker.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    serde_json::to_writer(child.stdin.take().unwrap(), request).unwrap();
    child
}

fn ask(lab: &Laboratory, request: &WorkerRequest) -> WorkerReply {
    serde_json::from_slice(&start(lab, request).wait_with_output().unwrap().stdout).unwrap()
}

/// Kills a process of this engine, lets `damage` happen to the trial's files, and asks what is there.
fn kill_and_recover(engine: &str, damage: impl Fn(&Path)) -> WorkerReply {
    let lab = Laboratory::new();
    let work = WorkDirectory::create(&lab.disk()).unwrap();
    let mut configuration = SCHEMA.defaults();
    configuration.0.insert("engine".to_owned(), Value::Name(engine.to_owned()));
    let spec = TrialSpec {
        format_version: FORMAT_VERSION,
        workload: "append".to_owned(),
        configuration,
        seed: 1,
        work_directory: work.path().to_owned(),
        placement_round: None,
        image_bytes: 0,
        memory_group: None,
        io_group: None,
        parent_process: std::process::id(),
        quiesce_max_s: None,
        server: None,
        other_work_directory: None,
        seat: None,
        takes_turns: false,
        is_traced: false,
        has_whole_turns: false,
        rank: 0,
    };
    let prepared = ask(&lab, &WorkerRequest::Prepare(spec.clone()));
    assert!(matches!(prepared, WorkerReply::Prepared { .. }), "{prepared:?}");
    let counters = SharedCounters::create(&work.path().join("acknowledged"), 16).unwrap();
    let mut child = start(&lab, &WorkerRequest::Acknowledge(spec.clone()));
    while counters.counters()[0].load(Ordering::Acquire) == 0 {
        assert!(child.try_wait().unwrap().is_none(), "{engine} ended by itself");
        // The worker counts in shared memory, which nobody can wait for.
        thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    damage(&work.path().join("files"));
    let reply = ask(&lab, &WorkerRequest::Recover(spec));
    drop(counters);
    work.remove().unwrap();
    reply
}

/// Every regular file below.
fn files_below(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

/// Leaves less of each file than any header has. What a reader misses first in a longer part depends on the moment of
/// the kill.
fn cut_off(directory: &Path) {
    for path in files_below(directory) {
        File::options().write(true).open(path).unwrap().set_len(1).unwrap();
    }
}

#[test]
fn a_kill_alone_loses_nothing() {
    for engine in ["file", "store", "fjall", "lmdb", "redb", "sqlite"] {
        let reply = kill_and_recover(engine, |_| ());
        assert!(
            matches!(reply, WorkerReply::Recovered { acknowledged: 1.., missing: 0 }),
            "{engine}: {reply:?}"
        );
    }
}

#[test]
fn what_is_cut_off_is_missed_entry_by_entry() {
    let reply = kill_and_recover("file", |files| {
        for path in files_below(files) {
            File::options().write(true).open(path).unwrap().set_len(0).unwrap();
        }
    });
    let WorkerReply::Recovered { acknowledged, missing } = reply else { panic!("{reply:?}") };
    assert!(acknowledged > 0 && missing == acknowledged, "{missing} of {acknowledged}");
}

/// The trial counts everything as lost then (`trial/src/kill/killer.rs`).
#[test]
fn a_store_that_does_not_open_any_more_is_said() {
    let reply = kill_and_recover("redb", |files| cut_off(&files.join("store/data")));
    let WorkerReply::Failed { why } = &reply else { panic!("{reply:?}") };
    assert_line(why, "phase open: redb: open: Not a redb database: magic number mismatch");
}
