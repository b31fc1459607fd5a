//! The settings that an advice writes for PostgreSQL, loaded by a real server.

#![cfg(feature = "postgresql")]

use crate::advise::{assignments, golden, small_log_run};
use crate::laboratory::servers::reachable;
use crate::laboratory::{Laboratory, text};
use disk::work_directory::WorkDirectory;
use postgresql::{Cluster, Installation, Session, Settings, Target};
use std::fs;

/// A fragment without the marks of its candidates and of the defaults that are kept: what a user loads after a proof.
fn unmarked(fragment: &str) -> String {
    let is_setting = |line: &str| {
        let parts = line.split_once(" = ");
        parts.is_some_and(|(name, value)| !name.contains(' ') && !value.contains(' '))
    };
    let line = |line: &str| match line.strip_prefix("# ") {
        Some(marked) if is_setting(marked) => format!("{marked}\n"),
        Some(_) | None => format!("{line}\n"),
    };
    fragment.lines().map(line).collect()
}

#[test]
fn postgresql_starts_with_its_fragment() {
    let written = golden("postgresql.conf");
    assert_eq!(assignments(&written), [], "the disk predicts, and PostgreSQL has yet to show");
    let fragment = unmarked(&written);
    let settings = assignments(&fragment);
    assert!(settings.len() >= 4, "{fragment}");
    let computed = ["shared_buffers", "work_mem", "max_wal_size", "autovacuum_vacuum_cost_limit"];
    assert!(computed.iter().all(|name| settings.iter().any(|(known, _)| known == name)), "{fragment}");
    let installation = Installation::cached_or_downloaded(|what| println!("{what}")).unwrap();
    let parent = reachable();
    let work = WorkDirectory::create(parent.path()).unwrap();
    let cluster = Cluster::prepare(work.path(), &installation).unwrap();
    let file = cluster.data().join("postgresql.conf");
    let own = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{own}\n{fragment}")).unwrap();
    let server = cluster.start(&Settings::default(), Vec::new()).unwrap();
    let names = settings.iter().map(|(name, _)| *name).collect::<Vec<_>>().join("', '");
    let mut session = Session::open(&Target::Own(&server)).unwrap();
    for (name, value) in settings {
        let read = |what: &str| format!("SELECT {what} FROM pg_settings WHERE name = '{name}'");
        let found = session.text("read a setting", &read("setting")).unwrap();
        // A size or a time is shown with its unit. The server got some on its command line, which the file does not
        // override, and the session has set some for itself.
        let of_server = "CASE WHEN source = 'command line' THEN (SELECT loaded.setting FROM pg_file_settings loaded \
            WHERE loaded.name = pg_settings.name AND loaded.error IS NULL ORDER BY seqno DESC LIMIT 1) \
            WHEN context IN ('user', 'superuser') THEN set_config(name, reset_val, true) \
            ELSE current_setting(name) END";
        let shown = session.text("read a setting", &read(of_server)).unwrap();
        assert!(found == value || shown == value, "{name} = {value}: {found}, {shown}");
    }
    let refused =
        format!("SELECT count(*) FROM pg_file_settings WHERE error IS NOT NULL AND name IN ('{names}')");
    assert_eq!(session.figure("count refused settings", &refused).unwrap(), 0);
}

/// A run measures the disk, the server's counters give its log volume, and both compute.
#[test]
fn the_counters_of_a_server_compute_its_settings_and_a_proof_takes_them() {
    let lab = Laboratory::new();
    let run = small_log_run(&lab, "2");
    let directory = run.display().to_string();
    let installation = Installation::cached_or_downloaded(|what| println!("{what}")).unwrap();
    let parent = reachable();
    let work = WorkDirectory::create(parent.path()).unwrap();
    let cluster = Cluster::prepare(work.path(), &installation).unwrap();
    let server = cluster.start(&Settings::default(), Vec::new()).unwrap();
    let dsn = format!("host={} user=syncline dbname=postgres", server.data().display());
    let advise = |more: &[&str]| {
        let output = lab.syncline(&["advise", &directory, "--format", "json"]).args(more).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let max_wal_size = |document: &serde_json::Value| {
        let mut advice = document["advice"].as_array().unwrap().iter();
        let all = advice.find(|advice| advice["id"] == "postgresql").unwrap();
        let all = all["computed_not_measured"].as_array().unwrap();
        all.iter().find(|computed| computed["name"] == "max_wal_size").unwrap()["computation"].clone()
    };
    let without = advise(&[]);
    assert_eq!(max_wal_size(&without)["missing"], "server", "{without:#}");
    assert_eq!(without["written"].as_array().unwrap().len(), 0, "two rounds decide nothing");
    let with = advise(&["--dsn", &dsn, "--activate-computed"]);
    // An idle server writes next to nothing.
    assert_eq!(max_wal_size(&with)["value"]["value"], "1GB", "{with:#}");
    let written = fs::read_to_string(run.join("advice/postgresql.conf")).unwrap();
    assert!(assignments(&written).contains(&("max_wal_size", "1GB")), "{written}");

    let disk = reachable();
    let prove = |settings: &str| {
        // To load tables larger than a quarter of memory takes longer than the default.
        let begin = ["prove", &directory, "--settings", settings, "--budget", "12h", "--dry-run"];
        let mut command = lab.syncline(&begin);
        command.args(["--format", "json", "--dir"]).arg(disk.path()).output().unwrap()
    };
    for settings in ["computed", "shared_buffers"] {
        let output = prove(settings);
        let plan: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        // The load that shows what shared_buffers does; a machine without the room for its tables leaves it out.
        let mut studies = plan["studies"].as_array().into_iter().flatten();
        let is_left_out = text(&output).contains("not measured: shared_buffers = ");
        assert!(studies.any(|study| study["name"] == "tpcb_like-8") || is_left_out, "{}", text(&output));
    }
    assert_eq!(prove("work_mem").status.code(), Some(2), "no load shows it");
}
