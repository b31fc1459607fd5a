//! `syncline prove` before a server is started: what is refused, what would be done, what a design alone comes to.

use crate::laboratory;

#[cfg(feature = "postgresql")]
use laboratory::prints;
use laboratory::{Laboratory, text};
use std::fs;
use std::process::Output;

const USAGE: i32 = 2;
const UNDECIDED: i32 = 98;

fn prove(lab: &Laboratory, arguments: &[&str]) -> Output {
    let mut command = lab.syncline(&["prove", "--dir", "disk", "--out", "proof"]);
    command.args(arguments).output().unwrap()
}

#[track_caller]
fn refuses(lab: &Laboratory, arguments: &[&str], code: i32, line: &str) {
    let arguments = [&["prove", "--dir", "disk", "--out", "proof"], arguments].concat();
    laboratory::refuses(lab, &mut lab.syncline(&arguments), code, line);
    assert!(!lab.path().join("proof").exists(), "nothing is made for what is refused");
}

/// Each of the three wins every benchmark by losing what a commit promised.
#[test]
fn what_gives_up_durability_is_refused_by_name_in_every_way_to_ask_for_it() {
    let lab = Laboratory::new();
    for setting in ["synchronous_commit = off", "fsync = false", "full_page_writes = 0"] {
        fs::write(lab.path().join("fast.conf"), format!("{setting}\n")).unwrap();
        fs::write(lab.path().join("safe.conf"), "commit_delay = 10\n").unwrap();
        for arguments in [
            &["--settings-file", "fast.conf"][..],
            &["--settings-file", "safe.conf", "--current", "fast.conf"],
            &["--arm", "fast=fast.conf"],
            &["--arm", "fast=fast.conf", "--arm", "safe=safe.conf"],
        ] {
            refuses(
                &lab,
                arguments,
                USAGE,
                &format!(
                    "{setting}[..] gives up a guarantee: [..]; a proof compares PostgreSQL servers that promise the same"
                ),
            );
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_made() {
    let lab = Laboratory::new();
    fs::write(lab.path().join("slow.conf"), "commit_delay = 10\n").unwrap();
    for (arguments, sentence) in [
        (
            &[][..],
            "what is to be proven? Name a run, or use --settings all, --settings-file FILE or --arm NAME=FILE",
        ),
        (
            &["--settings", "wal_log_hints"],
            "--settings wal_log_hints: there are no values to race; use --settings-file FILE to prove one of your own",
        ),
        (
            &["--settings", "log_line_prefix"],
            "unknown storage setting of PostgreSQL \"log_line_prefix\"; there are: all, advised, computed, wal_sync_method, wal_compression, wal_buffers, wal_init_zero, wal_recycle, wal_writer_delay, wal_writer_flush_after, wal_log_hints, commit_delay, commit_siblings, io_method, io_workers, effective_io_concurrency, io_combine_limit, io_max_combine_limit, io_max_concurrency, debug_io_direct, random_page_cost, seq_page_cost, effective_cache_size, shared_buffers, huge_pages, backend_flush_after, bgwriter_flush_after, checkpoint_flush_after, checkpoint_timeout, checkpoint_completion_target, max_wal_size, min_wal_size, full_page_writes, fsync, synchronous_commit, maintenance_io_concurrency, temp_buffers",
        ),
        (
            &["--settings", "io_metod"],
            "unknown storage setting of PostgreSQL \"io_metod\"; did you mean \"io_method\"?",
        ),
        (
            &["--settings", "io_method,al"],
            "unknown storage setting of PostgreSQL \"al\"; did you mean \"all\"?",
        ),
        (
            &["--settings", "checkpoint_timeout"],
            "--settings checkpoint_timeout: no load of Syncline's own shows what it does; name yours with --load, such as --load tpcb_like-8, or --load tpcb_like-8-cycle for whole cycles of checkpoints",
        ),
        (&["--arm", "current=slow.conf"], "--arm current: that name is the baseline's"),
        (&["--arm", "a=slow.conf", "--arm", "b=", "--arm", "b="], "b is named twice"),
        (
            &["--settings-file", "slow.conf", "--for", "linux"],
            "invalid value 'linux' for '--for <DATABASE>': only the settings of postgresql, mariadb, mysql, etcd, rocksdb, sqlite can be proven, not those of linux",
        ),
        (
            &["--settings-file", "slow.conf", "--budget", "10s"],
            "a budget of 10s is too short for one decision, which takes six rounds of 3 loads: use --budget 164s, or a shorter --runtime",
        ),
    ] {
        refuses(&lab, arguments, USAGE, sentence);
    }
    let run_without_advice = lab.run(&["--rounds", "1"]).output().unwrap();
    assert!(matches!(run_without_advice.status.code(), Some(0 | 3)), "{}", text(&run_without_advice));
    refuses(
        &lab,
        &["run"],
        1,
        "run: its advice changes nothing for PostgreSQL, so there is nothing to prove; syncline prove run --for postgresql --settings all --budget 1h races the values of the storage settings",
    );
}

#[cfg(feature = "postgresql")]
#[test]
fn a_dry_run_shows_the_first_stage_and_makes_nothing() {
    let lab = Laboratory::open_to_all();
    fs::write(
        lab.path().join("tuned.conf"),
        "wal_sync_method = open_datasync\nio_method = sync\nport = 5433\nwal_init_zer = on\nwork_mem = 8MB\n",
    )
    .unwrap();
    let output = prove(&lab, &["--settings-file", "tuned.conf", "--dry-run"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    for load in [
        "insert-1",
        "simple_update-8",
        "insert-32",
        "sequential_scan-1",
        "index_scan-1",
        "large_index_scan-1",
        "small_sequential_scan-1",
        "uncorrelated_index_scan-1",
        "correlated_index_scan-1",
    ] {
        prints(&lab, &output, &format!("{load} (profile quick): Do all changes together help or harm[..]"));
    }
    prints(
        &lab,
        &output,
        "tuned.conf: these belong to the PostgreSQL server that Syncline makes, so none of the proof has them: port",
    );
    prints(
        &lab,
        &output,
        "tuned.conf: not checked before the first PostgreSQL server starts, because [..]: wal_init_zer (did you mean wal_init_zero?), work_mem",
    );
    // The figures are of one stage, and the document says so.
    let output =
        prove(&lab, &["--settings-file", "tuned.conf", "--dry-run", "--format", "json", "--budget", "1h"]);
    let planned: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(planned["stage"]["name"], "bundle");
    assert_eq!(planned["stage"]["of"], serde_json::json!(["bundle", "settings", "mended"]));
    assert_eq!(planned["stage"]["whole_budget_s"], 3600.0);
    assert_eq!(planned["budget_s"], 3600.0);
    assert!(!lab.path().join("proof").exists());
    lab.assert_clean();
}

/// With `shared_buffers = 8GB` in use, tables of 150 MB lay in memory, and a cold load was a warm one.
#[cfg(feature = "postgresql")]
#[test]
fn tables_pass_beyond_the_pool_in_use_or_their_loads_are_left_out() {
    let lab = Laboratory::open_to_all();
    let write = |name: &str, text: &str| fs::write(lab.path().join(name), text).unwrap();
    write("now.conf", "shared_buffers = 192MB\n");
    write("plans.conf", "random_page_cost = 1.1\n");
    let planned = |arguments: &[&str]| {
        let output = prove(&lab, &[arguments, &["--dry-run", "--format", "json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let scale = |planned: &serde_json::Value| planned["studies"][0]["sizes"]["scale"][0].clone();
    let by_default = planned(&["--settings-file", "plans.conf"]);
    assert_eq!(scale(&by_default), "10");
    assert!(by_default["memory_bytes"].as_u64() > Some(128 << 20), "{by_default:#}");
    let larger = planned(&["--settings-file", "plans.conf", "--current", "now.conf"]);
    assert_eq!(scale(&larger), "15");
    assert!(larger["room_bytes"].as_u64() > by_default["room_bytes"].as_u64());
    // No machine has this much, nor does a budget hold it.
    write("now.conf", "shared_buffers = 100TB\n");
    write("both.conf", "random_page_cost = 1.1\ncommit_delay = 10\n");
    let output = prove(&lab, &["--settings-file", "both.conf", "--current", "now.conf", "--dry-run"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    prints(&lab, &output, "not measured: random_page_cost = 1.1, queries-1: [..]");
    prints(&lab, &output, "  sizes      scale = 1");
    let output = prove(&lab, &["--settings-file", "plans.conf", "--current", "now.conf"]);
    assert_eq!(output.status.code(), Some(USAGE), "{}", text(&output));
    prints(&lab, &output, "not measured: random_page_cost = 1.1, queries-1: [..]");
    prints(&lab, &output, "syncline: nothing of this question can be measured on this machine");
    assert!(!lab.path().join("proof").exists());
}

/// A proof of somebody else's settings ran their libraries and commands; what names files is left out.
#[cfg(feature = "postgresql")]
#[test]
fn settings_that_load_or_run_code_are_refused_wherever_they_come_from() {
    let lab = Laboratory::open_to_all();
    let file =
        "wal_sync_method = open_datasync\nsession_preload_libraries = '/tmp/evil'\nhba_file = '/tmp/hba'\n";
    fs::write(lab.path().join("tuned.conf"), file).unwrap();
    let refused = |arguments: &[&str]| {
        refuses(
            &lab,
            arguments,
            USAGE,
            "tuned.conf: session_preload_libraries loads or runs code, and no proof does: leave it out",
        );
    };
    refused(&["--settings-file", "tuned.conf", "--dry-run"]);
    refused(&["--arm", "a=tuned.conf", "--dry-run"]);
    // What runs now: nothing but storage settings is taken from there.
    let output = prove(&lab, &["--current", "tuned.conf", "--settings", "commit_delay", "--dry-run"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let fixed = "settings=session_preload_libraries = /tmp/evil";
    let output =
        lab.syncline(&["run", "postgresql-settings", "--dir", "disk", "--fix", fixed, "--dry-run"]).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    prints(
        &lab,
        &output,
        "syncline: study postgresql-settings: settings = \"session_preload_libraries = /tmp/evil\": session_preload_libraries loads or runs code: Syncline gives it to no server; expected none | name = value; name = value",
    );
}

/// A bundle without its only setting that this load shows was not planned, and the proof ended in an error.
#[cfg(feature = "postgresql")]
#[test]
fn an_arm_whose_settings_change_nothing_is_still_an_arm() {
    let lab = Laboratory::open_to_all();
    fs::write(lab.path().join("tuned.conf"), "max_wal_size = 2GB\n").unwrap();
    let output = prove(&lab, &["--settings-file", "tuned.conf", "--load", "insert-1", "--dry-run"]);
    prints(
        &lab,
        &output,
        "  trials     18 to 54: 2 configurations in 6 to 18 rounds, the baseline twice in each",
    );
}

/// A dry run planned what the proof then could not do.
#[test]
fn a_dry_run_ends_as_the_proof_would_if_it_cannot_begin() {
    let lab = Laboratory::open_to_all();
    fs::create_dir(lab.path().join("empty")).unwrap();
    fs::write(lab.path().join("slow.conf"), "commit_delay = 10\n").unwrap();
    let ends = |more: &[&str]| {
        let output = prove(&lab, &[&["--settings-file", "slow.conf"], more].concat());
        assert!(!lab.path().join("proof").exists());
        output.status.code()
    };
    for more in [&["--pg-bin", "empty"][..], &["--budget", "10s"]] {
        let code = ends(more);
        assert_eq!(code, Some(USAGE), "{more:?}");
        assert_eq!(ends(&[more, &["--dry-run"]].concat()), code, "{more:?}");
    }
}

/// Everything right of the records follows from them, also if there are none yet.
#[test]
fn a_design_without_records_is_undecided_and_its_file_sets_nothing() {
    let lab = Laboratory::new();
    let design = serde_json::json!({
        "format_version": 1, "program_version": "0.1.0", "created_at": "2026-11-23T00:00:00Z", "database": "postgresql",
        "current": {}, "asked": { "changes": [{ "name": "commit_delay", "value": "10" }] },
        "budget_s": 600.0, "runtime_s": 2.0, "seed": 1,
    });
    fs::create_dir(lab.path().join("proof")).unwrap();
    fs::write(lab.path().join("proof/design.json"), design.to_string()).unwrap();
    let output = lab.syncline(&["report", "proof", "--format", "json", "--quiet"]).output().unwrap();
    assert_eq!(output.status.code(), Some(UNDECIDED), "{}", text(&output));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["ending"], "undecided");
    assert_eq!(document["bundle"]["outcome"]["undecided"]["doubt"], "no_time");
    assert_eq!(document["is_complete"], false);
    let settings = fs::read_to_string(lab.path().join("proof/postgresql.conf")).unwrap();
    assert!(settings.lines().all(|line| line.is_empty() || line.starts_with('#')), "{settings}");
    for written in ["proof.json", "proof.html"] {
        assert!(lab.path().join("proof").join(written).is_file(), "{written}");
    }
    fs::write(lab.path().join("proof/design.json"), "{}").unwrap();
    let output = lab.syncline(&["report", "proof"]).output().unwrap();
    assert_eq!((output.status.code(), text(&output).lines().count()), (Some(1), 1), "{}", text(&output));
}
