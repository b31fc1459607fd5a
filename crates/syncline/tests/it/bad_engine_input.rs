//! What goes wrong with an engine is its trial's failure, in the engine's own words: the run goes on, and the space is
//! freed.

use crate::laboratory;

use disk::work_directory::WorkDirectory;
use laboratory::{ENGINE_ARMS, Laboratory, assert_line, refuses, text};
use model::FORMAT_VERSION;
use model::trial::{TrialOutcome, TrialRecord, TrialSpec, WorkerReply, WorkerRequest};
use rustix::fs::FallocateFlags;
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// For what takes a second, on a machine whose disk others keep busy: every trial waits for it first.
const PATIENCE: Duration = Duration::from_mins(10);

/// The exit code of a run that an interrupt ended.
const INTERRUPTED: i32 = 130;

/// One engine more, if it is built in.
const ROCKSDB: &str = if cfg!(feature = "rocksdb") {
    "[[arm]]\nname = \"rocksdb\"\nengine = \"rocksdb\"\ndurability = \"wal\"\n"
} else {
    ""
};

fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "waited in vain for {what}");
        // What is waited for is in records and in directories of other processes, whatever `look` looks at.
        thread::sleep(Duration::from_millis(2));
    }
}

/// Whole records, while the run is under way.
fn recorded(lab: &Laboratory) -> Vec<TrialRecord> {
    let text = fs::read_to_string(lab.run_directory().join("trials.jsonl")).unwrap_or_default();
    text.split_inclusive('\n')
        .filter(|line| line.ends_with('\n'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn why(record: &TrialRecord) -> Option<&str> {
    match &record.outcome {
        TrialOutcome::Failed(why) => Some(why),
        TrialOutcome::Ok | TrialOutcome::Unsupported(_) | TrialOutcome::Killed(_) => None,
    }
}

/// How many trials of the report failed.
fn failed_trials(lab: &Laboratory) -> u64 {
    let report = lab.syncline(&["report", "run", "--format", "json"]).output().unwrap();
    assert!(matches!(report.status.code(), Some(0 | 3)), "{}", text(&report));
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    report["studies"][0]["trials"]["failed"].as_u64().unwrap()
}

/// A run that has trials which failed, and others, ends in a report.
fn assert_reported(lab: &Laboratory, child: Child) {
    let output = child.wait_with_output().unwrap();
    let said = text(&output);
    assert!(matches!(output.status.code(), Some(0 | 3)), "{said}");
    assert!(failed_trials(lab) > 0, "{said}");
    assert!(lab.run_directory().join("report.html").exists(), "{said}");
}

/// Somebody made a directory where the store was to be, below Syncline's own.
#[test]
fn a_store_that_is_not_ours_is_refused_and_kept() {
    let lab = Laboratory::new();
    let study = "workload = \"kv\"\n[factors]\nengine = [\"fjall\"]\n[fixed]\nkeys = 100\nreads = 10\n\
                 phase_runtime = \"0s\"\n[profile.quick]\nrounds = 1\nwarmup_rounds = 0\n";
    let mut configuration = lab.measure(study).remove(0).values;
    let work = WorkDirectory::create(&lab.disk()).unwrap();
    for engine in ["fjall", "lmdb", "redb", "sqlite", "store"] {
        let level = model::Value::Name(engine.to_owned());
        configuration.0.insert("engine".to_owned(), level);
        let spec = TrialSpec {
            format_version: FORMAT_VERSION,
            workload: "kv".to_owned(),
            configuration: configuration.clone(),
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
        let store = work.path().join("files/store");
        fs::create_dir_all(&store).unwrap();
        fs::write(store.join("mine"), "precious").unwrap();
        for request in [WorkerRequest::Prepare(spec.clone()), WorkerRequest::Trial(spec)] {
            let WorkerReply::Failed { why } = ask(&lab, &request) else { panic!("{engine} took it") };
            let expected = format!(
                "{} exists and is not a store of Syncline; Syncline touches nothing in it",
                store.display()
            );
            assert_eq!(why, expected, "{engine}");
        }
        assert_eq!(fs::read_to_string(store.join("mine")).unwrap(), "precious");
    }
    work.remove().unwrap();
    lab.assert_clean();
}

fn ask(lab: &Laboratory, request: &WorkerRequest) -> WorkerReply {
    let mut worker = lab.syncline(&["worker"]);
    let mut child = worker.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    serde_json::to_writer(child.stdin.take().unwrap(), request).unwrap();
    let output = child.wait_with_output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(&output)))
}

/// The run's worker, once the store holds this much.
fn worker_with_a_store(lab: &Laboratory, run: &Child, bytes: u64) -> Pid {
    wait_for("a load under way", || {
        let work = fs::read_dir(lab.disk()).ok()?.flatten().next()?.path();
        let stored = engine::store::disk_bytes(&work.join("files/store")).ok()?;
        if stored < bytes {
            return None;
        }
        children(run.id()).into_iter().next()
    })
}

/// Processes whose parent this is, proc(5): the fourth field of `stat`, after a name in parentheses.
fn children(parent: u32) -> Vec<Pid> {
    let is_child = |pid: &i32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
        fields.split_whitespace().nth(1) == Some(&parent.to_string())
    };
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(is_child).filter_map(Pid::from_raw).collect()
}

#[test]
fn a_worker_killed_during_the_load_is_recorded_and_its_store_goes() {
    let lab = Laboratory::new();
    let study = "workload = \"kv\"\n[factors]\nengine = [\"fjall\"]\n[fixed]\nkeys = 60000\nvalue_size = \"1KiB\"\n\
                 reads = 10\nphase_runtime = \"0s\"\n[profile.quick]\nrounds = 3\nwarmup_rounds = 0\n";
    fs::write(lab.path().join("tiny.toml"), study).unwrap();
    let child =
        lab.run(&["--interleave", "off"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    kill_process(worker_with_a_store(&lab, &child, 4 << 20), Signal::KILL).unwrap();
    assert_reported(&lab, child);
    lab.assert_clean();
    let records = lab.records();
    let failed: Vec<&str> = records.iter().filter_map(why).collect();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert!(failed[0].starts_with("the worker was ended by signal 9 (SIGKILL"), "{failed:?}");
    let measured = records.iter().filter(|record| record.outcome == TrialOutcome::Ok).count();
    assert!(measured >= 2 && measured + 1 == records.len(), "{measured} of {}", records.len());
}

/// A file system of its own for a run, that fills and empties again while the run goes on.
struct SmallDisk {
    run: Child,
    ballast: PathBuf,
}

impl SmallDisk {
    const BYTES: u64 = 512 << 20;
    /// Bitmaps, inodes and the like take less than this, and the fiftieth of the blocks that ext4 keeps for itself
    /// (`reserved_clusters`): a little more than `BYTES` is available while there is no store.
    const OF_THE_FILE_SYSTEM_BYTES: u64 = 12 << 20;

    /// `None`, with the reason printed, if nobody may mount. The mount ends with the run.
    fn run(lab: &Laboratory, study: &str) -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            skip::because("mounting needs root");
            return None;
        }
        fs::write(lab.path().join("tiny.toml"), study).unwrap();
        let script = format!(
            "truncate -s {} image && mkfs.ext4 -q -m 0 -N 512 -O ^has_journal,^resize_inode image && mount -o loop image disk && \
             exec {} run tiny.toml --dir disk --out run",
            Self::BYTES + Self::OF_THE_FILE_SYSTEM_BYTES,
            env!("CARGO_BIN_EXE_syncline")
        );
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", &script]).current_dir(lab.path());
        let run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // The disk as that process sees it.
        let disk = Path::new("/proc").join(run.id().to_string()).join("root");
        let ballast = disk.join(lab.disk().strip_prefix("/").unwrap()).join("ballast");
        Some(Self { run, ballast })
    }

    /// Takes all but this much: between two trials, when there is no store. An attempt that fails would fill the disk
    /// for a moment, so none is made before there is room.
    fn fill(&self, room_bytes: u64) {
        let file = File::create(&self.ballast).unwrap();
        wait_for("a moment without a store", || {
            let facts = rustix::fs::fstatvfs(&file).unwrap();
            let available = facts.f_bavail * facts.f_frsize;
            let take =
                || rustix::fs::fallocate(&file, FallocateFlags::empty(), 0, available - room_bytes).ok();
            (available >= Self::BYTES).then(take).flatten()
        });
    }

    fn empty(&self) {
        fs::remove_file(&self.ballast).unwrap();
    }
}

/// Waits until every arm has failed with this much room, frees the room, waits for a successful trial, and returns the
/// failures' reasons by arm.
fn failures_with_room(lab: &Laboratory, study: &str, room_bytes: u64) -> Option<Vec<(String, String)>> {
    let disk = SmallDisk::run(lab, study)?;
    wait_for("the first trial", || (!recorded(lab).is_empty()).then_some(()));
    disk.fill(room_bytes);
    let arms = study.matches("[[arm]]").count();
    let of_arms = || {
        let mut failed: Vec<(String, String)> = recorded(lab)
            .iter()
            .filter_map(|record| Some((record.values.text("arm").ok()?, why(record)?.to_owned())))
            .collect();
        failed.sort();
        failed.dedup_by_key(|(arm, _)| arm.clone());
        failed
    };
    let failed = wait_for("a failure of every arm", || Some(of_arms()).filter(|failed| failed.len() == arms));
    disk.empty();
    let full = recorded(lab).len();
    // One trial may be under way that met the full disk; the plan has more rounds than any machine takes meanwhile.
    let again =
        || recorded(lab).iter().skip(full + 1).any(|record| record.outcome == TrialOutcome::Ok).then_some(());
    wait_for("a trial that has room again", again);
    kill_process(Pid::from_child(&disk.run), Signal::INT).unwrap();
    let output = disk.run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(INTERRUPTED), "{}", text(&output));
    assert!(failed_trials(lab) > 0);
    Some(failed)
}

#[test]
fn a_disk_that_is_full_during_the_load_is_said_by_every_engine() {
    let lab = Laboratory::new();
    let study = format!(
        "workload = \"kv\"\nbaseline = {{ arm = \"fjall\" }}\n{ENGINE_ARMS}{ROCKSDB}\n\
         [fixed]\nkeys = 5000\nvalue_size = \"4KiB\"\nreads = 10\nphase_runtime = \"0s\"\n\
         [profile.quick]\nrounds = 1000\nwarmup_rounds = 0\n"
    );
    let Some(failed) = failures_with_room(&lab, &study, 8 << 20) else { return };
    for (arm, why) in &failed {
        // redb at the level `none` writes what it was given when it has to sync. fjall's log may just fit, and then
        // the tables that it is written to do not.
        let phases: &[&str] = match arm.as_str() {
            "redb" => &["phase drain: redb: sync: "],
            "fjall" => &["phase load: put ", "phase drain: fjall: "],
            // Its log's first segment is written before the first put.
            "store" => &["phase load: put ", "phase open: store: "],
            _ => &["phase load: put "],
        };
        assert!(phases.iter().any(|phase| why.starts_with(phase)), "{arm}: {why}");
        assert_line(
            why,
            &format!("phase [..]: {arm}: [..] are free on the file system: free space or take fewer keys"),
        );
    }
}

/// An LSM tree's log fits, and the tables that the memtable is written to do not.
#[test]
fn a_disk_that_is_full_during_the_drain_does_not_hold_the_run_up() {
    let lab = Laboratory::new();
    let fjall = "workload = \"kv\"\nbaseline = { arm = \"fjall\" }\n[[arm]]\nname = \"fjall\"\nengine = \"fjall\"\n\
                 durability = \"buffer\"\n";
    let study = format!(
        "{fjall}{ROCKSDB}[fixed]\nkeys = 5000\nvalue_size = \"4KiB\"\nreads = 10\nphase_runtime = \"0s\"\n\
         [profile.quick]\nrounds = 1000\nwarmup_rounds = 0\n"
    );
    let Some(failed) = failures_with_room(&lab, &study, 30 << 20) else { return };
    for (arm, why) in &failed {
        assert!(why.starts_with(&format!("phase drain: {arm}: ")), "{arm}: {why}");
        assert!(why.ends_with(" are free on the file system: free space or take fewer keys"), "{arm}: {why}");
    }
}

/// 100 MB in a write buffer that may grow to 1 GiB, in 32 MiB of memory.
#[test]
fn a_trial_that_its_memory_cap_kills_says_so() {
    if let Err(why) = disk::cgroup::cap_method() {
        skip::because(why);
        return;
    }
    let lab = Laboratory::new();
    let study = "workload = \"kv\"\n[factors]\nengine = [\"fjall\"]\n[fixed]\nmemory_cap = \"32MiB\"\nkeys = 100000\n\
                 value_size = \"1KiB\"\nwrite_buffer_size = \"1GiB\"\nphase_runtime = \"100ms\"\n\
                 [profile.quick]\nrounds = 1\nwarmup_rounds = 0\n";
    fs::write(lab.path().join("study.toml"), study).unwrap();
    let mut command = lab.syncline(&["run", "study.toml", "--dir", "disk", "--out", "run"]);
    refuses(
        &lab,
        &mut command,
        1,
        "no trial succeeded: the trial needs more memory than memory_cap allows: raise memory_cap; the worker was ended by signal 9 (SIGKILL: memory probably ran out, because the kernel killed 1 process for lack of memory meanwhile; make the study smaller or free memory): it said nothing",
    );
}
