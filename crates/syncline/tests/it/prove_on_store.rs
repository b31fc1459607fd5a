//! `syncline prove` on stores: SQLite, and RocksDB where it is built in. How fast they are is not asserted.

use crate::laboratory::{Laboratory, prints, text};
use model::trial::TrialOutcome;
use serde_json::Value;
use std::fs;

const UNDECIDED: i32 = 98;
const REFUTED: i32 = 99;

/// A short proof of this settings file, from the design to the file that it writes. Every trial succeeds, so the
/// database has taken every setting.
fn prove(database: &str, file: &str, settings: &str, load: &str, written: &str) -> Vec<[String; 2]> {
    let lab = Laboratory::new();
    fs::write(lab.path().join(file), settings).unwrap();
    let mut command = lab.syncline(&["prove", "--for", database, "--settings-file", file, "--load", load]);
    command.args(["--fix", "keys=100", "--runtime", "40ms", "--budget", "40s", "--seed", "1"]);
    command.args(["--dir", "disk", "--out", "proof", "--format", "json", "--quiet"]);
    let output = command.output().unwrap();
    let code = output.status.code();
    assert!(matches!(code, Some(0 | UNDECIDED | REFUTED)), "{}", text(&output));
    let proof: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(proof["design"]["database"], database);
    assert_eq!(proof["settings"].as_array().unwrap().len(), 2, "{proof:#}");
    let file = fs::read_to_string(lab.path().join("proof").join(written)).unwrap();
    if database == "sqlite" {
        assert_sqlite_loads(&file, &proof);
    }
    lab.assert_clean();
    let records = lab.records_of("proof/stages/bundle");
    assert!(records.len() >= 3, "a round: what runs now twice, and the changes");
    for record in &records {
        assert_eq!(record.outcome, TrialOutcome::Ok);
        // Without it no proof of a store that survives a power loss could be believed.
        let load = &record.measurement.as_ref().unwrap().phases[0];
        let flushes = load.flushes.expect("the load's puts are durable");
        assert!(flushes.per_unit.is_none_or(|per_put| per_put >= 0.95), "{flushes:?}");
    }
    let run = lab::run_directory::read(&lab.path().join("proof/stages/bundle")).unwrap();
    let levels = |values: &model::Configuration| {
        ["durability", "settings"].map(|name| values.get(name).unwrap().to_string())
    };
    run.plan.studies[0].configurations.iter().map(levels).collect()
}

/// SQLite runs the file that a proof has written. What it sets, it has then.
fn assert_sqlite_loads(file: &str, proof: &Value) {
    let directory = tempfile::tempdir().unwrap();
    let connection = rusqlite::Connection::open(directory.path().join("database")).unwrap();
    connection.execute_batch(file).unwrap();
    for setting in proof["settings"].as_array().unwrap().iter().filter(|setting| setting["line"] == "active")
    {
        let (name, value) = (setting["name"].as_str().unwrap(), setting["value"].as_str().unwrap());
        let text = |row: &rusqlite::Row<'_>| {
            row.get_ref(0).map(|value| {
                value.as_str().map_or_else(|_| value.as_i64().unwrap().to_string(), str::to_owned)
            })
        };
        let found = connection.pragma_query_value(None, name, text).unwrap();
        assert!(found.eq_ignore_ascii_case(value), "{name} = {value}: {found}");
    }
}

/// It came out harmless: the journal decides what a commit waits for, and no arm had it.
#[test]
fn a_pragma_that_no_arm_has_is_refused_by_name() {
    let lab = Laboratory::new();
    fs::write(lab.path().join("a.sql"), "PRAGMA mmap_size = 1048576;\nPRAGMA synchronous = EXTRA;\n")
        .unwrap();
    let arguments =
        ["prove", "--for", "sqlite", "--settings-file", "a.sql", "--dir", "disk", "--out", "proof"];
    let output = lab.syncline(&arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    prints(
        &lab,
        &output,
        "syncline: synchronous = EXTRA changes nothing in a SQLite database of the proof, so there is nothing to measure: leave it out",
    );
    assert!(!lab.path().join("proof").exists());
}

#[test]
fn a_proof_of_sqlite_has_its_journal_as_the_level_of_durability() {
    let pragmas = "PRAGMA journal_mode = WAL;\nPRAGMA mmap_size = 1048576;\n";
    let arms = prove("sqlite", "a.sql", pragmas, "put_durable-1", "sqlite.sql");
    assert_eq!(arms, [["delete", "none"], ["full", "mmap_size = 1048576"]]);
}

#[cfg(feature = "rocksdb")]
#[test]
fn a_proof_of_rocksdb_takes_options_from_its_own_file() {
    let options = "[Version]\n  rocksdb_version=8.0.0\n  options_file_version=1.1\n[DBOptions]\n  bytes_per_sync=1048576\n  \
                   recycle_log_file_num=1\n[CFOptions \"default\"]\n";
    let arms = prove("rocksdb", "options.ini", options, "mix_durable-1", "rocksdb-options.ini");
    assert_eq!(arms, [["sync", "none"], ["sync", "bytes_per_sync = 1048576; recycle_log_file_num = 1"]]);
}

/// A race from its first heat to its file. Which values are better here is not asserted; that all of it hangs together
/// is.
#[test]
fn a_race_drops_what_is_worse_and_writes_what_it_proves() {
    let lab = Laboratory::new();
    let race = ["prove", "--for", "sqlite", "--settings", "cache_size,mmap_size", "--load", "read_warm-1"];
    let mut command = lab.syncline(&race);
    command.args(["--fix", "keys=50", "--runtime", "40ms", "--budget", "40s", "--seed", "1"]);
    command.args(["--dir", "disk", "--out", "proof", "--format", "json", "--quiet"]);
    let output = command.output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | UNDECIDED | REFUTED)), "{}", text(&output));
    lab.assert_clean();
    let proof: Value = serde_json::from_slice(&output.stdout).unwrap();
    let stages = proof["stages"].as_array().unwrap();
    assert_eq!(stages[0]["heat"], 1, "{stages:?}");
    let arms_of = |stage: &str| -> Vec<String> {
        let Ok(run) = lab::run_directory::read(&lab.path().join("proof/stages").join(stage)) else {
            return Vec::new();
        };
        let configurations = run.plan.studies.iter().flat_map(|study| &study.configurations);
        configurations.map(|values| values.get("arm").unwrap().to_string()).collect()
    };
    assert_eq!(arms_of("heat-1"), ["current", "cache_size = -16000", "mmap_size = 268435456"]);
    let candidates = proof["candidates"].as_array().unwrap();
    assert_eq!(candidates.len(), 2);
    for candidate in candidates {
        let of = |name: &str| candidate[name].as_str().unwrap();
        let arm = format!("{} = {}", of("name"), of("value"));
        // A machine that is busy may have no time for a whole heat.
        let judged = &candidate["claim"]["by_load"][0];
        if candidate["claim"]["outcome"] == "refuted" && judged["stage"]["heat"] == 1 {
            assert!(!arms_of("heat-2").contains(&arm), "what a heat proves worse runs no more");
        }
    }
    let file = fs::read_to_string(lab.path().join("proof/sqlite.sql")).unwrap_or_default();
    for setting in proof["settings"].as_array().unwrap() {
        let line = format!("PRAGMA {} = ", setting["name"].as_str().unwrap());
        let is_active = file.lines().any(|text| text.starts_with(&line));
        assert_eq!(is_active, setting["line"] == "active", "{file}");
    }
    if !stages.iter().any(|stage| stage == "bundle") {
        assert!(proof.get("bundle").is_none(), "a race that picks nothing leaves what runs now");
    }
}

#[test]
fn what_gives_up_durability_is_refused_for_stores_too() {
    let lab = Laboratory::new();
    let options = |line: &str| format!("[Version]\n  options_file_version=1.1\n[DBOptions]\n  {line}\n");
    for (database, text_of, name) in [
        ("sqlite", "PRAGMA synchronous = NORMAL;".to_owned(), "synchronous"),
        ("sqlite", "PRAGMA synchronous = OFF;".to_owned(), "synchronous"),
        ("sqlite", "PRAGMA journal_mode = MEMORY;".to_owned(), "journal_mode"),
        ("rocksdb", options("manual_wal_flush=true"), "manual_wal_flush"),
        ("rocksdb", options("disableWAL=true"), "disableWAL"),
    ] {
        fs::write(lab.path().join("fast"), text_of).unwrap();
        let arguments =
            ["prove", "--for", database, "--settings-file", "fast", "--dir", "disk", "--out", "proof"];
        let output = lab.syncline(&arguments).output().unwrap();
        let said = text(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        prints(&lab, &output, &format!("syncline: {name} = [..] gives up a guarantee: [..]"));
        assert!(!lab.path().join("proof").exists());
    }
}
