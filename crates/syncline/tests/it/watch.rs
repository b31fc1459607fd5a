//! `syncline watch` on the real disk: probes one after another, signals and kills at any moment, what is left then.

use crate::ci_example::cached;
use crate::laboratory::{self, Laboratory, refuses, text, waiting};
use disk::kernel::block_device::BlockDevice;
use model::spikes::SpikesOfRecording;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

const RUNTIME: i32 = 1;
const USAGE: i32 = 2;
/// No disk is this slow: what takes longer hangs.
const PATIENCE: Duration = Duration::from_mins(5);

/// Two configurations of twenty commits.
const STUDY: &str = r#"
question = "Does the probe work?"
workload = "commit"
baseline = { mode = "buffered" }
[factors]
mode = ["buffered", "direct"]
[fixed]
ioengine = "psync"
read_depth = 0
record_size = "4KiB"
data_size = "1MiB"
wal_size = "1MiB"
groups = 20
runtime = "0s"
[[ask]]
compare = "mode"
on = ["commits_per_s"]
[profile.quick]
rounds = 1
warmup_rounds = 0
[profile.large]
rounds = 1
warmup_rounds = 0
fixed.wal_size = "1T"
"#;

/// Probes of the study without a pause, whatever other tests do to the disk.
const WATCH: [&str; 12] = [
    "watch",
    "probe.toml",
    "--dir",
    "disk",
    "--history",
    "history",
    "--interval",
    "0s",
    "--budget",
    "1h",
    "--busy-limit",
    "100%",
];

fn laboratory() -> Laboratory {
    let lab = Laboratory::new();
    fs::write(lab.path().join("probe.toml"), STUDY).unwrap();
    lab
}

fn watch(lab: &Laboratory, more: &[&str]) -> Command {
    let mut command = lab.syncline(&WATCH);
    command.args(more);
    command
}

/// Everything in the history but the record and its lock.
fn kept(lab: &Laboratory) -> Vec<String> {
    let entries = fs::read_dir(lab.path().join("history")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name != "watch.json" && name != "watch.lock");
    names.sort();
    names
}

fn record(lab: &Laboratory) -> Value {
    serde_json::from_slice(&fs::read(lab.path().join("history/watch.json")).unwrap()).unwrap()
}

/// Runs that `syncline history` uses; it can read every one of them.
#[track_caller]
fn runs_of_history(lab: &Laboratory) -> usize {
    let output = lab.syncline(&["history", "history", "--format", "json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let history: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(history.get("unused").is_none(), "{history}");
    assert_eq!(history["disks"].as_array().unwrap().len(), 1);
    history["disks"][0]["runs"].as_array().unwrap().len()
}

#[test]
fn probes_become_a_history_that_is_read_as_it_is_and_metrics_that_prometheus_reads() {
    let Some(_disk) = laboratory::watching() else { return };
    let lab = laboratory();
    fs::create_dir_all(lab.path().join("history/mine")).unwrap();
    let more = ["--probes", "6", "--keep", "4", "--textfile", "syncline.prom"];
    let output = watch(&lab, &more).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    lab.assert_clean();
    assert_eq!(kept(&lab).len(), 5, "{:?}", kept(&lab));
    assert_eq!(runs_of_history(&lab), 4);
    let record = record(&lab);
    assert_eq!((&record["totals"]["finished"], &record["totals"]["removed_runs"]), (&6.into(), &2.into()));
    assert!(record["totals"]["written_bytes"].as_u64().unwrap() >= 6 * 3 * (1 << 20), "{record}");
    let page = fs::read_to_string(lab.path().join("syncline.prom")).unwrap();
    let sample = |start: &str| page.lines().find(|line| line.starts_with(start)).unwrap_or_default();
    assert!(sample("syncline_watch_probes_total{").ends_with(",outcome=\"finished\"} 6"), "{page}");
    let directory = lab.disk().canonicalize().unwrap().display().to_string();
    assert!(
        sample("syncline_trials{").contains(&format!("directory=\"{directory}\",study=\"probe\"")),
        "{page}"
    );
    let left: Vec<_> = fs::read_dir(lab.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with(".syncline")), "{left:?}");
    let Some(promtool) = cached("ci-tools/venv/bin/promtool") else { return };
    let file = fs::File::open(lab.path().join("syncline.prom")).unwrap();
    let output = Command::new(promtool).args(["check", "metrics"]).stdin(file).output().unwrap();
    assert!(output.status.success() && text(&output).trim().is_empty(), "{}", text(&output));
}

/// The service manager of a watcher, which knows from its notices what it does.
struct Manager {
    socket: UnixDatagram,
    path: PathBuf,
    finished: Vec<PathBuf>,
}

impl Manager {
    fn new(lab: &Laboratory) -> Self {
        let path = lab.path().join("notify");
        let _ = fs::remove_file(&path);
        let socket = UnixDatagram::bind(&path).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Self { socket, path, finished: Vec::new() }
    }

    fn start(&self, lab: &Laboratory, more: &[&str]) -> Child {
        let mut command = watch(lab, more);
        command.env("NOTIFY_SOCKET", &self.path).stderr(Stdio::null()).spawn().unwrap()
    }

    fn next(&mut self) -> Option<String> {
        let mut buffer = [0; 4096];
        let bytes = self.socket.recv(&mut buffer).ok()?;
        let notice = String::from_utf8(buffer[..bytes].to_vec()).unwrap();
        let finished =
            notice.strip_prefix("STATUS=probe finished in ").and_then(|rest| rest.split_once(": "));
        self.finished.extend(finished.map(|(_, path)| PathBuf::from(path)));
        Some(notice)
    }

    #[track_caller]
    fn wait_for(&mut self, wanted: &str) {
        while self.next().expect("a notice") != wanted {}
    }

    /// Everything that was sent until now.
    fn drain(&mut self) -> Vec<String> {
        self.socket.set_nonblocking(true).unwrap();
        let notices = std::iter::from_fn(|| self.next()).collect();
        self.socket.set_nonblocking(false).unwrap();
        notices
    }
}

/// Moments of a probe, which takes some tenths of a second: when it begins, among its trials, when it ends.
const MOMENTS_MS: [u64; 6] = [0, 15, 60, 130, 250, 420];

#[test]
fn a_signal_ends_it_at_any_moment_and_nothing_is_left() {
    let Some(_disk) = laboratory::watching() else { return };
    let lab = laboratory();
    for moment_ms in MOMENTS_MS {
        let mut manager = Manager::new(&lab);
        let mut child = manager.start(&lab, &[]);
        manager.wait_for("READY=1");
        manager.wait_for("STATUS=a probe is under way");
        thread::sleep(Duration::from_millis(moment_ms));
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        let status = waiting::for_end(&mut child, PATIENCE).expect("ends");
        assert_eq!(status.code(), Some(0), "{moment_ms} ms");
        lab.assert_clean();
        assert_eq!(manager.drain().last().map(String::as_str), Some("STOPPING=1"));
        let whole = kept(&lab);
        assert!(whole.iter().all(|name| name.ends_with("-watch") && !name.starts_with('.')), "{whole:?}");
        let record = record(&lab);
        assert!(record["probes"].as_array().unwrap().iter().all(|probe| probe["outcome"] != "under_way"));
        assert_eq!(record["totals"]["finished"], whole.len());
    }
}

#[test]
fn a_kill_loses_no_finished_probe_and_the_next_start_removes_what_it_left() {
    let Some(_disk) = laboratory::watching() else { return };
    let lab = laboratory();
    for moment_ms in MOMENTS_MS {
        let mut manager = Manager::new(&lab);
        let mut child = manager.start(&lab, &[]);
        manager.wait_for("STATUS=a probe is under way");
        thread::sleep(Duration::from_millis(moment_ms));
        kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
        waiting::for_end(&mut child, PATIENCE).expect("ends");
        manager.drain();
        for run in &manager.finished {
            assert!(lab.path().join(run).join("plan.json").exists(), "{moment_ms} ms: {}", run.display());
        }
    }
    let output = watch(&lab, &["--probes", "1"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    // A directory that was not marked yet is left alone for ten seconds: its maker may be at work.
    for left in fs::read_dir(lab.disk()).unwrap() {
        let left = left.unwrap().path();
        let bytes = fs::read_dir(&left).unwrap().map(|file| file.unwrap().metadata().unwrap().len());
        assert_eq!(bytes.sum::<u64>(), 0, "{}", left.display());
    }
    let whole = kept(&lab);
    assert!(whole.iter().all(|name| name.ends_with("-watch") && !name.starts_with('.')), "{whole:?}");
    assert_eq!(runs_of_history(&lab), whole.len());
    let totals = &record(&lab)["totals"];
    assert_eq!(totals["finished"], whole.len(), "{totals}");
    // A kill came after the record of a probe and before that of the next one, or within one.
    assert!(totals["killed"].as_u64().unwrap() <= MOMENTS_MS.len() as u64, "{totals}");
}

#[test]
fn the_endpoint_answers_while_it_waits_and_the_disk_has_one_watcher() {
    let Some(_disk) = laboratory::watching() else { return };
    let lab = laboratory();
    // The first probe is over, the next one is due in an hour.
    let once = watch(&lab, &["--once"]).output().unwrap();
    assert_eq!(once.status.code(), Some(0), "{}", text(&once));
    let mut hourly = WATCH;
    hourly[7] = "1h";
    let mut command = lab.syncline(&hourly);
    command.args(["--listen", "127.0.0.1:0"]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let told = lines.find_map(|line| line.unwrap().strip_prefix("metrics at http://").map(str::to_owned));
    let told = told.expect("the address");
    let address = told.strip_suffix("/metrics").unwrap();
    let mut page = String::new();
    // It listens before it has published.
    while !page.contains("syncline_watch_kept_runs") {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        page.clear();
        stream.read_to_string(&mut page).unwrap();
    }
    assert!(page.starts_with("HTTP/1.1 200 OK") && page.contains("syncline_trials{"), "{page}");
    let mut other = WATCH;
    other[5] = "other";
    let second = lab.syncline(&other).arg("--once").output().unwrap();
    let is_on_a_disk = BlockDevice::below(&lab.disk()).value().is_some();
    assert_eq!(second.status.code(), Some(if is_on_a_disk { RUNTIME } else { 0 }), "{}", text(&second));
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(waiting::for_end(&mut child, PATIENCE).expect("ends").code(), Some(0));
    lab.assert_clean();
    assert_eq!(runs_of_history(&lab), 1);
}

#[test]
fn a_probe_that_does_not_take_place_or_fails_is_recorded_with_its_reason() {
    let Some(_disk) = laboratory::watching() else { return };
    let lab = laboratory();
    let skipped = watch(&lab, &["--once", "--write-budget", "0"]).output().unwrap();
    assert_eq!(skipped.status.code(), Some(0), "{}", text(&skipped));
    let failed = watch(&lab, &["--once", "--profile", "large"]).output().unwrap();
    assert_eq!(failed.status.code(), Some(RUNTIME), "{}", text(&failed));
    lab.assert_clean();
    assert_eq!(kept(&lab), Vec::<String>::new());
    let record = record(&lab);
    let incidents = record["incidents"].as_array().unwrap();
    assert_eq!(incidents.len(), 2, "{record}");
    assert_eq!(incidents[0]["reason"]["reason"], "budget");
    assert_eq!(incidents[1]["what"], "failed");
    assert!(incidents[1]["why"].as_str().unwrap().contains("TiB"), "{record}");
    assert_eq!((&record["totals"]["skipped_budget"], &record["totals"]["failed"]), (&1.into(), &1.into()));
}

/// Every durable commit takes longer than a microsecond.
#[test]
fn spikes_come_from_traced_trials_and_are_counted_everywhere_alike() {
    let Some(_disk) = laboratory::watching() else { return };
    if !laboratory::observing::is_possible() {
        return;
    }
    let lab = laboratory();
    let more = ["--once", "--spikes", "1us", "--textfile", "syncline.prom"];
    let output = watch(&lab, &more).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    lab.assert_clean();
    let run = lab.path().join("history").join(kept(&lab).remove(0));
    let lines = fs::read_to_string(run.join("spikes.jsonl")).unwrap();
    let recordings: Vec<SpikesOfRecording> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(recordings.len(), 2, "one of each configuration");
    for recording in &recordings {
        assert!(recording.seen >= 20, "every commit is one: {recording:?}");
        assert!((recording.threshold_us - 1.0).abs() < 1e-9);
        if recording.seen > recording.slowest.len() as u64 {
            // Others use the disk, and their operations may be the slowest.
            continue;
        }
        let own: Vec<_> = recording.slowest.iter().filter(|spike| spike.of_trial).collect();
        assert!(own.len() >= 20, "{recording:?}");
        assert!(own.iter().any(|spike| !spike.segments.is_empty() && spike.path.contains("disk")));
    }
    // The traced trials have no records.
    let trials = fs::read_to_string(run.join("trials.jsonl")).unwrap().lines().count();
    assert_eq!(trials, 2, "two configurations in one round");
    let seen: u64 = recordings.iter().map(|recording| recording.seen).sum();
    let record = record(&lab);
    assert_eq!(record["probes"][0]["spikes"], seen);
    let page = fs::read_to_string(lab.path().join("syncline.prom")).unwrap();
    let counted = page.lines().filter(|line| line.starts_with("syncline_watch_spikes_total{"));
    let counted: f64 = counted.map(|line| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap()).sum();
    assert!((counted - seen as f64).abs() < 0.5, "{counted} of {seen}: {page}");
    let output = lab.syncline(&["history", "history", "--format", "json"]).output().unwrap();
    let history: Value = serde_json::from_slice(&output.stdout).unwrap();
    let spikes = &history["disks"][0]["spikes"];
    let causes = spikes["causes"].as_array().unwrap().iter().map(|of| of["count"].as_u64().unwrap());
    assert_eq!((spikes["runs"].as_u64(), causes.sum::<u64>()), (Some(1), seen), "{spikes}");
    // The next probe removes a run with spikes as any other.
    let again = watch(&lab, &["--probes", "1", "--keep", "1"]).output().unwrap();
    assert_eq!(again.status.code(), Some(0), "{}", text(&again));
    assert!(!run.exists() && kept(&lab).len() == 1);
}

#[test]
fn a_probe_goes_on_where_the_kernel_permits_no_trace() {
    let Some(_disk) = laboratory::watching() else { return };
    if !rustix::process::geteuid().is_root() {
        skip::because("only root can give up its capabilities");
        return;
    }
    let paranoid = fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").unwrap_or_default();
    if paranoid.trim().starts_with('-') {
        skip::because("this kernel permits everybody to trace (perf_event_paranoid)");
        return;
    }
    let lab = laboratory();
    let mut command = Command::new("setpriv");
    command.args(["--bounding-set=-all", "--inh-caps=-all", "--"]).arg(env!("CARGO_BIN_EXE_syncline"));
    command.args(WATCH).args(["--once", "--spikes", "50ms"]).current_dir(lab.path());
    command.env("XDG_CONFIG_HOME", lab.path().join("configuration"));
    let output = command.output().unwrap();
    let told = text(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert_eq!(told.lines().filter(|line| line.contains("no spikes are captured")).count(), 1, "{told}");
    let run = lab.path().join("history").join(kept(&lab).remove(0));
    assert!(!run.join("spikes.jsonl").exists() && !run.join("traced.jsonl").exists());
    assert_eq!(record(&lab)["probes"][0].get("spikes"), None);
}

#[test]
fn what_makes_no_sense_is_one_line() {
    let Some(_disk) = laboratory::watching() else { return };
    let lab = laboratory();
    let cases: &[(&[&str], i32, &str)] = &[
        (
            &["--listen", "0.0.0.0:9750"],
            USAGE,
            "0.0.0.0:9750 is not a loopback address: use 127.0.0.1 or [::1], and a proxy if others should read it",
        ),
        (
            &["--textfile", "metrics.txt"],
            USAGE,
            "--textfile metrics.txt: node_exporter reads files that end in .prom only",
        ),
        (&["--profile", "none"], USAGE, "[..]profile[..]"),
        (&["--interval", "often"], USAGE, "[..]--interval[..]"),
        (&["--busy-limit", "101%"], USAGE, "[..]--busy-limit[..]"),
        (&["--spikes", "soon"], USAGE, "[..]--spikes[..]"),
    ];
    for (more, code, line) in cases {
        let kept: Vec<&str> = match more[0] {
            option @ ("--interval" | "--busy-limit") => {
                let at = WATCH.iter().position(|word| *word == option).unwrap();
                [&WATCH[..at], &WATCH[at + 2..]].concat()
            }
            _ => WATCH.to_vec(),
        };
        refuses(&lab, lab.syncline(&kept).args(*more), *code, line);
    }
    // Also of the studies that are probed if none are named.
    refuses(&lab, &mut lab.syncline(&["watch", "--profile", "none"]), USAGE, "[..]profile[..]");
    fs::create_dir(lab.path().join("history")).unwrap();
    fs::write(lab.path().join("history/watch.json"), "{}").unwrap();
    let spoiled =
        "[..] is not a record of syncline watch ([..]): restore it, or move it away to begin a new one";
    refuses(&lab, &mut watch(&lab, &["--once"]), RUNTIME, spoiled);
}
