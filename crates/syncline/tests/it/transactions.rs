//! Transactions on real PostgreSQL servers through the whole program: every script, turns, settings, kills.

#![allow(clippy::float_cmp, reason = "counts are exact")]
#![cfg(feature = "postgresql")]

use crate::laboratory::servers::{
    assert_empties, assert_empty, kill, postmaster_and_worker, processes_of, reachable, wait_for,
};
use crate::laboratory::{Laboratory, WITHOUT_WAITING, assert_line, refuses, text};
use model::server::Pinned;
use model::trial::{FileFacts, Phase, TrialOutcome, TrialRecord};
use model::{DurabilityClass, Script};
use postgresql::Installation;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A study of some levels, one round.
pub(super) fn study(factor: &str, fixed: &str) -> String {
    let (name, levels) = factor.split_once(" = ").unwrap();
    let first = levels.trim_start_matches('[').split(']').next().unwrap();
    let first = first.split("\", \"").next().unwrap().trim_matches('"');
    format!(
        "workload = \"transactions\"\nbaseline = {{ {name} = \"{first}\" }}\n[factors]\n{name} = {levels}\n[fixed]\n\
         runtime = \"200ms\"\nscale = 1\n{fixed}\n[[ask]]\ncompare = \"{name}\"\non = [\"transactions_per_s\"]\n\
         [profile.quick]\nrounds = 1\nwarmup_rounds = 0\n"
    )
}

fn run(lab: &Laboratory, disk: &Path, study: &str) -> Command {
    fs::write(lab.path().join("study.toml"), study).unwrap();
    let mut command = lab.syncline(&["run", "study.toml", "--out", "run", "--seed", "1", "--dir"]);
    command.arg(disk).args(WITHOUT_WAITING);
    command
}

/// The records of such a study.
pub(super) fn records(disk: &Path, study: &str) -> Vec<TrialRecord> {
    let lab = Laboratory::new();
    let output = run(&lab, disk, study).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    lab.records()
}

pub(super) fn phase(record: &TrialRecord) -> &Phase {
    assert_eq!(record.outcome, TrialOutcome::Ok, "{:?}", record.values);
    &record.measurement.as_ref().unwrap().phases[0]
}

pub(super) fn figure(record: &TrialRecord, name: &str) -> f64 {
    phase(record);
    record.figure(name).unwrap_or_else(|| panic!("{name}: {:?}", record.metric(name)))
}

pub(super) fn of<'a>(records: &'a [TrialRecord], name: &str, level: &str) -> &'a TrialRecord {
    let found = records.iter().find(|record| record.values.is(name, level) && !record.key.duplicate);
    found.unwrap_or_else(|| panic!("no record with {name} = {level}"))
}

#[test]
fn each_script_of_a_warm_database_does_what_it_is_called() {
    let disk = reachable();
    let scripts = "[\"tpcb_like\", \"simple_update\", \"select_only\", \"insert\", \"queries\"]";
    let records = records(disk.path(), &study(&format!("script = {scripts}"), "clients = 2"));
    assert_eq!(records.len(), 5);
    for record in &records {
        let turns = phase(record).turns.as_ref().expect("servers take turns");
        assert!(turns.slices > 0 && turns.slice_s >= 0.08, "{turns:?}");
        assert_eq!(turns.left_bytes_max.as_ref().map_or(Some(0), |left| left.value().copied()), Some(0));
        assert!(figure(record, "transactions_per_s") > 0.0);
        assert!(figure(record, "transaction_latency_mean_us") > 0.0);
        assert_eq!(figure(record, "checkpoints"), 0.0);
        let measurement = record.measurement.as_ref().unwrap();
        let facts = measurement.server.as_ref().expect("a server was measured");
        assert!(facts.version.starts_with("18.") && facts.settings.is_empty());
        let writes = Script::from_name(&record.values.get("script").unwrap().to_string()).unwrap().writes();
        // Reads have nothing to lose.
        let class = if writes { DurabilityClass::Power } else { DurabilityClass::Process };
        assert_eq!(measurement.durability, class);
    }
    for (script, syncs_least, wal_bytes) in [
        ("tpcb_like", 0.4, 300.0..2000.0),
        ("simple_update", 0.4, 200.0..1500.0),
        ("insert", 0.4, 60.0..800.0),
    ] {
        let record = of(&records, "script", script);
        let syncs = figure(record, "wal_syncs_per_transaction");
        assert!((syncs_least..1.5).contains(&syncs), "{script}: {syncs} syncs a transaction");
        let logged = figure(record, "wal_bytes_per_transaction");
        assert!(wal_bytes.contains(&logged), "{script}: {logged} bytes a transaction");
        assert_eq!(figure(record, "wal_segments_created"), 0.0, "{script}");
        // All pages were written whole before: what remains are pages that are new.
        assert!(figure(record, "full_page_images_per_transaction") < 0.5, "{script}");
    }
    for script in ["select_only", "queries"] {
        let record = of(&records, "script", script);
        // The server logs a few pages of its catalogs, and every 15 s which transactions run.
        let all = phase(record).counted_operations() as f64;
        let (bytes, syncs) = (
            figure(record, "wal_bytes_per_transaction") * all,
            figure(record, "wal_syncs_per_transaction") * all,
        );
        assert!(bytes < 200_000.0 && syncs < 10.0, "{script}: {bytes} bytes, {syncs} syncs");
    }
    let plans = |script: &str| {
        of(&records, "script", script).measurement.as_ref().unwrap().server.clone().unwrap().plans
    };
    assert_eq!(plans("select_only").iter().map(|plan| &plan.nodes[..]).collect::<Vec<_>>(), [["Index Scan"]]);
    assert_eq!(plans("queries").len(), 4);
    assert!(plans("tpcb_like").is_empty(), "how it writes is no choice");
    assert_empty(disk.path());
}

#[test]
fn cold_scripts_read_the_device_each_time() {
    let disk = reachable();
    let fixed = "runtime = \"400ms\"\nscale = 20";
    let names: Vec<String> =
        Script::SCANS.iter().chain(&[Script::Analyze]).map(|script| format!("\"{script}\"")).collect();
    let text = study(&format!("script = [{}]", names.join(", ")), "")
        .replace("runtime = \"200ms\"\nscale = 1", fixed);
    let records = records(disk.path(), &text);
    for record in &records {
        let (read, blocks) = (
            figure(record, "device_read_bytes_per_transaction"),
            figure(record, "blocks_read_per_transaction"),
        );
        let script = Script::from_name(&record.values.get("script").unwrap().to_string()).unwrap();
        let expected = script.scan().map_or(300.0, |scan| f64::from(scan.pages()));
        assert!(blocks > expected * 0.6, "{:?}: {blocks} blocks", record.values);
        assert!(read > expected * 0.6 * 8192.0, "{:?}: {read} bytes from the device", record.values);
        let measurement = record.measurement.as_ref().unwrap();
        let server = measurement.server.as_ref().unwrap();
        let circumstances = server.circumstances.as_ref().unwrap();
        assert_eq!(circumstances.shared_buffers, "64MB");
        assert_eq!((circumstances.pinned, circumstances.cpus.is_some()), (Pinned::Nothing, true));
        if let Some(scan) = script.scan() {
            assert_eq!(circumstances.dropped, scan.relations().collect::<Vec<_>>());
            assert!(server.plans[0].nodes.iter().any(|node| node == scan.access.definition().node));
        }
        let dropped: Vec<&FileFacts> =
            measurement.files.iter().filter(|file| ["data", "index"].contains(&file.role.as_str())).collect();
        assert_eq!(dropped.len(), circumstances.dropped.len());
        for file in dropped {
            let cached = *file.cached_share_before.value().unwrap();
            assert!(file.size_bytes > 0 && cached < 0.01, "{cached} of {} was cached", file.role);
        }
    }
    assert_empty(disk.path());
}

#[test]
fn settings_take_effect_and_are_read_back() {
    let disk = reachable();
    let levels = "[\"none\", \"wal_sync_method = open_datasync; wal_buffers = 4096kB; max_wal_size = 2GB\", \"commit_delay = 20000; \
                  commit_siblings = 0\"]";
    let records = records(disk.path(), &study(&format!("settings = {levels}"), "script = \"insert\""));
    let with = |part: &str| {
        let has =
            |record: &&TrialRecord| record.values.get("settings").unwrap().to_string().starts_with(part);
        records.iter().find(has).unwrap()
    };
    let facts = |record: &TrialRecord| record.measurement.as_ref().unwrap().server.clone().unwrap();
    let by_writing = with("wal_sync_method = open_datasync");
    assert_eq!(facts(by_writing).settings["wal_sync_method"], "open_datasync");
    assert_eq!(facts(by_writing).settings["wal_buffers"], "4MB", "as SHOW prints it");
    assert_line(&facts(by_writing).not_applied["max_wal_size"], "checkpoints");
    assert_eq!(figure(by_writing, "wal_syncs_per_transaction"), 0.0, "the writes sync");
    let delayed = with("commit_delay");
    assert_eq!(facts(delayed).settings["commit_siblings"], "0");
    assert!(figure(delayed, "transaction_latency_mean_us") > 15_000.0, "each commit waits 20 ms for others");
    assert_empty(disk.path());
}

#[test]
fn what_the_server_does_not_take_fails_in_one_line() {
    let disk = reachable();
    for (setting, part) in [
        (
            "wal_sync_metod = fsync",
            "PostgreSQL does not start: unrecognized configuration parameter \"wal_sync_metod\"",
        ),
        (
            "wal_sync_method = fastest",
            "PostgreSQL does not start: invalid value for parameter \"wal_sync_method\": \"fastest\" (Available values: fsync, fdatasync, open_sync, open_datasync)",
        ),
        (
            "shared_buffers = 1001kB",
            "settings: shared_buffers = 1001kB was requested, and the server has 1000kB",
        ),
        ("nosuch.setting = 1", "settings: this PostgreSQL has no setting nosuch.setting"),
    ] {
        let records = records(
            disk.path(),
            &study(&format!("settings = [\"none\", \"{setting}\"]"), "script = \"insert\""),
        );
        let failed = of(&records, "settings", setting);
        let TrialOutcome::Failed(why) = &failed.outcome else { panic!("{setting}: {:?}", failed.outcome) };
        assert_line(why, part);
        phase(of(&records, "settings", "none"));
    }
    assert_empty(disk.path());
}

#[test]
fn what_can_be_lost_is_declared_and_takes_no_turns() {
    let disk = reachable();
    let levels = "[\"none\", \"synchronous_commit = off\", \"fsync = off\"]";
    let records = records(disk.path(), &study(&format!("settings = {levels}"), "script = \"insert\""));
    for (level, class) in [
        ("none", DurabilityClass::Power),
        ("synchronous_commit = off", DurabilityClass::None),
        ("fsync = off", DurabilityClass::Process),
    ] {
        let record = of(&records, "settings", level);
        // What is compared with a trial that runs alone runs alone.
        assert!(phase(record).turns.is_none(), "{level}");
        assert_eq!(record.measurement.as_ref().unwrap().durability, class, "{level}");
    }
    assert_empty(disk.path());
}

#[test]
fn new_segments_are_made_where_they_are_the_question() {
    let disk = reachable();
    let fixed = "script = \"simple_update\"\nclients = 4\nwal_segments = \"fresh\"\nruntime = \"1s\"";
    let text =
        study("settings = [\"none\", \"wal_init_zero = off\"]", "").replace("runtime = \"200ms\"", fixed);
    let records = records(disk.path(), &text);
    for record in &records {
        let logged = figure(record, "wal_bytes_per_transaction") * phase(record).counted_operations() as f64;
        let made = figure(record, "wal_segments_created");
        assert!(made >= (logged / f64::from(1 << 20)).floor(), "{made} segments for {logged} bytes");
    }
    assert_empty(disk.path());
}

/// Statements as text, an open loop, a server of other programs, and files in another place.
#[test]
fn a_client_may_send_text_at_a_rate_to_another_server_elsewhere() {
    let (disk, elsewhere, programs) = (reachable(), reachable(), reachable());
    let installed = Installation::cached_or_downloaded(|_| ()).unwrap();
    let tree = installed.programs().parent().unwrap();
    let copied = Command::new("cp").arg("-r").arg(tree).arg(programs.path().join("pg")).status().unwrap();
    assert!(copied.success());
    let bin = programs.path().join("pg/bin");
    let fixed = format!(
        "script = \"tpcb_like\"\nprepared = false\nrate = 40\nclients = 2\nruntime = \"1s\"\ndirectory = \"{}\"\n\
         programs = \"{}\"",
        elsewhere.path().display(),
        bin.display()
    );
    let text = study("wal_segments = [\"prefilled\"]", "").replace("runtime = \"200ms\"", &fixed);
    let records = records(disk.path(), &text);
    for record in &records {
        // A slow disk does not serve all that arrive; the note counts the others.
        let mut notes = record.measurement.as_ref().unwrap().notes.iter();
        let told = |note: &String| {
            note.strip_prefix("the server could not keep up with rate: ")?.split(' ').next()?.parse().ok()
        };
        let unserved: u64 = notes.find_map(told).unwrap_or(0);
        let arrived = phase(record).operations + unserved;
        assert!((10..80).contains(&arrived), "{arrived} transactions arrived in a second, of 40");
    }
    assert_empty(disk.path());
    assert_empty(elsewhere.path());
}

#[test]
fn a_worker_that_is_killed_takes_its_server_with_it_and_the_others_go_on() {
    let (lab, disk) = (Laboratory::new(), reachable());
    let text =
        study("settings = [\"none\", \"commit_delay = 1\"]", "script = \"insert\"").replace("200ms", "3s");
    let mut child = run(&lab, disk.path(), &text).spawn().unwrap();
    let (server, worker) = wait_for("two servers", || {
        let found = postmaster_and_worker(disk.path())?;
        (postmasters(disk.path()) >= 2).then_some(found)
    });
    kill(worker);
    wait_for("the server's end", || (!Path::new(&format!("/proc/{server}")).exists()).then_some(()));
    let status = child.wait().unwrap();
    assert!(matches!(status.code(), Some(0 | 1 | 3)), "{status:?}");
    let records = lab.records();
    let failed = records.iter().filter(|record| matches!(record.outcome, TrialOutcome::Failed(_))).count();
    assert_eq!((records.len(), failed), (2, 1), "one trial failed");
    assert_empties(disk.path());
}

#[test]
fn an_interrupt_leaves_no_server() {
    let (lab, disk) = (Laboratory::new(), reachable());
    let text =
        study("settings = [\"none\", \"commit_delay = 1\"]", "script = \"insert\"").replace("200ms", "60s");
    let mut child = run(&lab, disk.path(), &text).spawn().unwrap();
    wait_for("two servers", || (postmasters(disk.path()) == 2).then_some(()));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    child.wait().unwrap();
    assert_empties(disk.path());
}

/// Servers that are up: each has a file that says so.
fn postmasters(disk: &Path) -> usize {
    let running = processes_of(disk).into_iter().filter(|pid| {
        let command = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        command.split(|&byte| byte == 0).any(|word| word.ends_with(b"/data"))
    });
    running.count()
}

#[test]
fn the_users_server_is_refused_before_anything_is_made() {
    let lab = Laboratory::new();
    fs::write(lab.path().join("study.toml"), study("script = [\"insert\"]", "")).unwrap();
    let mut command = lab.syncline(&["run", "study.toml", "--dir", "disk", "--dsn", "host=/nowhere"]);
    refuses(
        &lab,
        &mut command,
        2,
        "the workload transactions changes settings that need a restart: it runs on servers of Syncline's own, not on the user's",
    );
}
