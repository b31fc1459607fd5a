//! `syncline prove` on real servers of MariaDB and etcd: settings whose truth is known, and what leaves nothing behind.

#![cfg(feature = "survive")]

use crate::laboratory::{Laboratory, WITHOUT_WAITING, refuses, servers, text};
use model::trial::{TrialOutcome, TrialRecord};
use serde_json::Value;
use servers::{assert_empties, processes_of, reachable, wait_for};
use std::fs;
use std::process::{Output, Stdio};

const PROVEN: i32 = 0;
const USAGE: i32 = 2;
const UNDECIDED: i32 = 98;
const REFUTED: i32 = 99;

/// Whether the machine has a server.
fn has(name: &str) -> bool {
    let server = server::named(name).expect("listed");
    match server.find(server::unpacked().as_deref()) {
        Err(why) if why.is_absence() => {
            skip::because(why);
            false
        }
        found => found.is_ok(),
    }
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {}", text(output)))
}

/// The proof of a file under one load.
fn prove(
    lab: &Laboratory,
    database: &str,
    (file, content): (&str, &str),
    more: &[&str],
) -> (Option<i32>, Value) {
    let disk = reachable();
    fs::write(lab.path().join(file), content).unwrap();
    let begin = ["prove", "--for", database, "--settings-file", file, "--out", "proof", "--seed", "1"];
    let mut command = lab.syncline(&begin);
    command.args(["--format", "json", "--quiet"]).args(more).arg("--dir").arg(disk.path());
    let output = command.output().unwrap();
    assert_empties(disk.path());
    (output.status.code(), document(&output))
}

fn records(lab: &Laboratory) -> Vec<TrialRecord> {
    lab.records_of("proof/stages/bundle")
}

/// With one client nobody else commits, so each commit waits ten milliseconds for a second one that does not come.
#[test]
fn a_commit_of_mariadb_that_waits_for_nobody_is_not_proven() {
    if !has("mariadb") {
        return;
    }
    let lab = Laboratory::new();
    let slow = "[mysqld]\nbinlog_commit_wait_count = 2\nbinlog_commit_wait_usec = 10000\n";
    let more = ["--load", "insert_row_logged-1", "--runtime", "100ms", "--budget", "10m"];
    let (code, proof) = prove(&lab, "mariadb", ("slow.cnf", slow), &more);
    let decisive = &proof["bundle"]["by_load"][0];
    let means = (decisive["means"][0].as_f64().unwrap(), decisive["means"][1].as_f64().unwrap());
    assert!(means.1 < means.0 && means.1 < 100.0, "{decisive:#}");
    let outcome = &proof["bundle"]["outcome"];
    if outcome == "refuted" {
        assert_eq!(code, Some(REFUTED), "{outcome:#}");
    } else {
        // A busy machine scatters by tens, or an audit does not believe it.
        let doubt = &outcome["undecided"]["doubt"];
        assert!(doubt.get("audit").or_else(|| doubt.get("scatter")).is_some(), "{outcome:#}");
        assert_eq!(code, Some(UNDECIDED), "{outcome:#}");
    }
    let settings = fs::read_to_string(lab.path().join("proof/mariadb.cnf")).unwrap();
    assert!(settings.contains("[mariadbd]") && !settings.contains("\nbinlog_"), "{settings}");
    for record in records(&lab) {
        assert_eq!(record.outcome, TrialOutcome::Ok);
        let measurement = record.measurement.as_ref().unwrap();
        let server = measurement.server.as_ref().unwrap();
        assert!(server.version.contains("MariaDB"), "{server:?}");
        assert!(matches!(server.settings.len(), 0 | 2), "{server:?}");
        assert_eq!(measurement.durability, model::DurabilityClass::Power);
        let buffers = &server.circumstances.as_ref().unwrap().buffers;
        assert_eq!(buffers.get("innodb_buffer_pool_size").map(String::as_str), Some("32M"));
    }
}

#[test]
fn a_file_of_comments_harms_nothing_on_mariadb() {
    if !has("mariadb") {
        return;
    }
    let lab = Laboratory::new();
    let more = ["--load", "update_row-2", "--runtime", "100ms", "--fix", "rows=3000", "--budget", "50s"];
    let (code, proof) = prove(&lab, "mariadb", ("same.cnf", "[mysqld]\n# nothing\n"), &more);
    let outcome = &proof["bundle"]["outcome"];
    assert!(outcome != "refuted" && outcome != "proven", "{proof:#}");
    assert!(matches!(code, Some(PROVEN | UNDECIDED)), "{code:?}");
    let drops = |record: &TrialRecord| {
        let server = record.measurement.as_ref()?.server.as_ref()?;
        server.circumstances.as_ref().map(|found| found.drops_after_turns)
    };
    let records = records(&lab);
    assert!(records.iter().all(|record| drops(record) == Some(true)));
    // What the audits of a cold cache and of flushes compare.
    for measurement in records.iter().filter_map(|record| record.measurement.as_ref()) {
        let rows = measurement.files.iter().find(|file| file.role == "data").expect("the file of the rows");
        assert!(rows.size_bytes > 3_000_000 && rows.cached_share_before.value() < Some(&0.01), "{rows:?}");
        let flushes = measurement.phases[0].flushes.as_ref().expect("each update is a commit");
        assert!(flushes.units > Some(0.0), "{flushes:?}");
    }
}

/// A log of 4 MiB, and one of 8 MiB, which takes twice as many updates.
#[test]
fn a_trial_over_cycles_of_the_log_writes_all_of_it() {
    if !has("mariadb") {
        return;
    }
    let (lab, disk) = (Laboratory::new(), reachable());
    let study = r#"workload = "requests"
baseline = { settings = "none" }
[factors]
settings = ["none", "innodb_log_file_size = 192M"]
[fixed]
request = "update"
clients = 8
rows = 3000
log_cycles = "whole"
log_scale = 24
runtime = "100ms"
[[ask]]
compare = "settings"
on = ["requests_per_s"]
[profile.quick]
rounds = 1
warmup_rounds = 0
"#;
    fs::write(lab.path().join("study.toml"), study).unwrap();
    let mut command = lab.syncline(&["run", "study.toml", "--out", "run", "--seed", "1", "--dir"]);
    let output = command.arg(disk.path()).args(WITHOUT_WAITING).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    assert_empties(disk.path());
    let records = lab.records();
    let mut updates: Vec<(u64, u64)> = Vec::new();
    for record in records.iter().filter(|record| !record.key.duplicate) {
        let measurement = record.measurement.as_ref().unwrap_or_else(|| panic!("{:?}", record.outcome));
        let settings = &measurement.server.as_ref().unwrap().settings;
        let bytes = settings.get("innodb_log_file_size").map_or(4 << 20, |size| size.parse().unwrap());
        let turns = measurement.phases[0].turns.as_ref().expect("servers take turns");
        updates.push((bytes, turns.operations));
    }
    updates.sort_unstable();
    let [(small, few), (large, many)] = updates[..] else { panic!("{updates:?}") };
    assert_eq!((small, large), (4 << 20, 8 << 20), "made small");
    // An update logs at least what it changes, and less than a page.
    assert!(few * (16 << 10) > small && many * (16 << 10) > large, "{updates:?}");
    assert!(many > few, "a larger log takes more updates: {updates:?}");
}

#[test]
fn ranges_of_etcd_are_read_beside_compactions() {
    if !has("etcd") {
        return;
    }
    let lab = Laboratory::new();
    let more = ["--load", "range_keys-2", "--runtime", "100ms", "--fix", "rows=500", "--budget", "50s"];
    let (code, proof) = prove(&lab, "etcd", ("etcd.env", "ETCD_BACKEND_BATCH_LIMIT=1000\n"), &more);
    assert!(matches!(code, Some(PROVEN | UNDECIDED | REFUTED)), "{code:?}: {proof:#}");
    let records = records(&lab);
    let requests = |record: &TrialRecord| {
        let measurement = record.measurement.as_ref().unwrap_or_else(|| panic!("{:?}", record.outcome));
        measurement.phases.iter().map(|phase| phase.operations).sum::<u64>()
    };
    assert!(!records.is_empty() && records.iter().all(|record| requests(record) > 0), "{proof:#}");
    for record in &records {
        let flushes = record.measurement.as_ref().unwrap().phases[0].flushes.expect("a tenth are commits");
        assert!(flushes.units < Some(requests(record) as f64 / 5.0), "{flushes:?}");
    }
    let written = fs::read_to_string(lab.path().join("proof/etcd.env")).unwrap();
    assert!(written.contains("ETCD_BACKEND_BATCH_LIMIT=1000"), "{written}");
}

/// The record has the server's own words.
#[test]
fn a_value_that_mariadb_refuses_fails_its_trials() {
    if !has("mariadb") {
        return;
    }
    let lab = Laboratory::new();
    let more = ["--load", "insert_row-1", "--runtime", "100ms"];
    let wrong = ("wrong.cnf", "[mysqld]\ninnodb_read_io_threads = many\n");
    let disk = reachable();
    fs::write(lab.path().join(wrong.0), wrong.1).unwrap();
    let begin =
        ["prove", "--for", "mariadb", "--settings-file", wrong.0, "--out", "proof", "--budget", "50s"];
    let output = lab.syncline(&begin).args(more).arg("--dir").arg(disk.path()).output().unwrap();
    assert!(!output.status.success(), "{}", text(&output));
    assert_empties(disk.path());
    let failed: Vec<String> = records(&lab)
        .into_iter()
        .filter_map(|record| match record.outcome {
            TrialOutcome::Failed(why) => Some(why),
            _ => None,
        })
        .collect();
    let said =
        |why: &String| why.contains("innodb-read-io-threads") || why.contains("innodb_read_io_threads");
    assert!(failed.iter().any(said) && failed.iter().all(|why| !why.contains('\n')), "{failed:?}");
}

#[test]
fn a_killed_proof_leaves_no_server_although_it_stood_still() {
    if !has("mariadb") {
        return;
    }
    let (lab, disk) = (Laboratory::new(), reachable());
    fs::write(lab.path().join("same.cnf"), "[mysqld]\n").unwrap();
    let begin = ["prove", "--for", "mariadb", "--settings-file", "same.cnf", "--load", "insert_row-1"];
    let mut command = lab.syncline(&begin);
    command.args(["--out", "proof", "--runtime", "5s", "--budget", "10m", "--dir"]).arg(disk.path());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let is_stopped = |pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('T'))
    };
    wait_for("a server that stands still", || processes_of(disk.path()).iter().any(is_stopped).then_some(()));
    child.kill().unwrap();
    child.wait().unwrap();
    wait_for("the servers' end", || processes_of(disk.path()).is_empty().then_some(()));
}

#[test]
fn what_weakens_a_promise_is_refused_before_anything_is_made() {
    let lab = Laboratory::new();
    for (database, file, content, name) in [
        (
            "mysql",
            "a.cnf",
            "[mysqld]\ninnodb_flush_log_at_trx_commit = 2\n",
            "innodb_flush_log_at_trx_commit = 2",
        ),
        ("mariadb", "b.cnf", "[mysqld]\nskip-innodb-doublewrite\n", "innodb_doublewrite = OFF"),
        ("etcd", "c.env", "ETCD_UNSAFE_NO_FSYNC=true\n", "unsafe-no-fsync = true"),
    ] {
        if !has(database) {
            continue;
        }
        fs::write(lab.path().join(file), content).unwrap();
        let arguments =
            ["prove", "--for", database, "--settings-file", file, "--out", "proof", "--dir", "disk"];
        let output = lab.syncline(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(USAGE), "{}", text(&output));
        assert!(text(&output).contains(name), "{}", text(&output));
        assert!(!lab.path().join("proof").exists());
    }
}

/// A misspelt name left nothing to compare, and the proof was planned nevertheless.
#[test]
fn a_file_without_a_storage_setting_is_refused() {
    if !has("mariadb") {
        return;
    }
    let lab = Laboratory::new();
    fs::write(lab.path().join("typo.cnf"), "[mysqld]\ninnodb_flush_neigbors = 0\n").unwrap();
    let arguments =
        ["prove", "--for", "mariadb", "--settings-file", "typo.cnf", "--out", "proof", "--dry-run"];
    let output = lab.syncline(&arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(USAGE), "{}", text(&output));
    assert!(text(&output).contains("did you mean innodb_flush_neighbors?"), "{}", text(&output));
}

/// Two versions are compared like this; here both are the same one, found in two ways.
#[test]
fn servers_of_mariadb_with_programs_of_their_own_run_side_by_side() {
    if !has("mariadb") {
        return;
    }
    let (lab, disk, other) = (Laboratory::new(), reachable(), reachable());
    let found = server::named("mariadb").unwrap().find(server::unpacked().as_deref()).unwrap();
    let (main, root) = found.place();
    let folder = main.parent().unwrap();
    let arms =
        [format!("one=,{}", folder.display()), format!("two=,{},{}", root.display(), other.path().display())];
    let proof = ["prove", "--for", "mariadb", "--load", "insert_row-1", "--out", "proof", "--seed", "1"];
    let mut command = lab.syncline(&proof);
    command.args(["--runtime", "100ms", "--budget", "1m", "--format", "json", "--quiet"]);
    command.args(["--arm", &arms[0], "--arm", &arms[1], "--dir"]).arg(disk.path());
    let output = command.output().unwrap();
    assert_empties(disk.path());
    assert_empties(other.path());
    assert!(matches!(output.status.code(), Some(PROVEN | UNDECIDED | REFUTED)), "{}", text(&output));
    let records = lab.records_of("proof/stages/servers");
    assert!(!records.is_empty());
    for record in &records {
        let measurement = record.measurement.as_ref().unwrap_or_else(|| panic!("{:?}", record.outcome));
        assert!(measurement.server.as_ref().unwrap().version.contains("MariaDB"), "{measurement:?}");
        let programs = record.values.text("programs").unwrap();
        let expected = if record.key.configuration == 0 { folder } else { root };
        assert_eq!(programs, expected.canonicalize().unwrap().display().to_string());
    }
}

#[test]
fn a_directory_without_the_servers_program_is_refused_before_anything_is_made() {
    let lab = Laboratory::new();
    fs::create_dir(lab.path().join("empty")).unwrap();
    for (database, program) in [("mariadb", "mariadbd"), ("mysql", "mysqld"), ("etcd", "etcd")] {
        let arguments =
            ["prove", "--for", database, "--arm", "a=,empty", "--arm", "b=,empty", "--out", "proof"];
        let line = format!("--arm a: [dir]/empty: there is no {program}");
        refuses(&lab, &mut lab.syncline(&arguments), USAGE, &line);
        assert!(!lab.path().join("proof").exists());
    }
}
