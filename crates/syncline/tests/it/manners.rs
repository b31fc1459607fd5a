//! The manners of the command line: what goes to which output, how much of it, and in which form.

use crate::laboratory::{Laboratory, is_line, text};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::SystemTime;

const AUDIT_FAILED: i32 = 3;

fn completed(mut command: Command) -> Output {
    let output = command.output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | AUDIT_FAILED)), "{}", text(&output));
    output
}

/// Standard output, if it is one JSON document and nothing else.
fn document(command: Command) -> Value {
    let output = completed(command);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {}", text(&output)))
}

/// Lines of standard error.
fn remarks(output: &Output) -> Vec<String> {
    String::from_utf8_lossy(&output.stderr).lines().map(str::to_owned).collect()
}

#[test]
fn quiet_prints_the_result_and_errors_only() {
    let lab = Laboratory::new();
    let output = completed(lab.run(&["--rounds", "1", "-q"]));
    assert_eq!(remarks(&output), Vec::<String>::new());
    assert!(!output.stdout.is_empty(), "{}", text(&output));
    let refused = lab.syncline(&["report", "nowhere", "--quiet"]).output().unwrap();
    assert_eq!((refused.status.code(), remarks(&refused).len()), (Some(1), 1), "{}", text(&refused));
}

#[test]
fn verbose_prints_each_trial_with_its_outcome_and_its_time() {
    let lab = Laboratory::new();
    let output = completed(lab.run(&["--rounds", "1", "-v"]));
    let trials: Vec<String> =
        remarks(&output).into_iter().filter(|line| line.starts_with("tiny round ")).collect();
    assert_eq!(trials.len(), lab.trials(), "{}", text(&output));
    for line in trials {
        assert!(is_line(&line, "tiny round [..]: ok; measuring [..]"), "{line}");
    }
    let refused = lab.run(&["-q", "-v"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
}

/// Every command that prints a result: one JSON document, and nothing else on standard output.
#[test]
fn every_result_is_one_json_document_on_request() {
    let lab = Laboratory::new();
    let json = ["--format", "json"];
    let with = |mut command: Command| {
        command.args(json);
        command
    };
    let run = document(with(lab.run(&["--rounds", "1"])));
    let report = document(with(lab.syncline(&["report", "run"])));
    assert_eq!(run["studies"], report["studies"]);
    assert!(fs::metadata(report["report"].as_str().unwrap()).unwrap().is_file(), "{report:#}");
    let elsewhere = document(with(lab.syncline(&["report", "run", "--html", "page.html"])));
    assert_eq!(elsewhere["report"], "page.html");
    let export = document(with(lab.syncline(&["export", "run"])));
    for part in ["studies", "ratings", "advice"] {
        assert_eq!(export[part], report[part], "{part}");
    }

    completed(lab.syncline(&[
        "run",
        "tiny.toml",
        "--dir",
        "disk",
        "--out",
        "later",
        "--rounds",
        "1",
        "--seed",
        "7",
    ]));
    let compared = document(with(lab.syncline(&["compare", "run", "later", "--html", "two.html"])));
    assert!(compared["comparison"]["studies"].is_array() && compared["limits"].is_array());
    assert!(document(with(lab.syncline(&["audit", "run"])))["studies"][0]["audits"].is_array());
    let advice = document(with(lab.syncline(&["advise", "run"])));
    assert!(advice["advice"].is_array() && advice["written"].is_array(), "{advice:#}");
    fs::write(lab.path().join("postgresql.conf"), "wal_sync_method = fsync\n").unwrap();
    let review = document(with(lab.syncline(&["advise", "run", "--current", "postgresql.conf"])));
    assert!(review["review"]["changes"].is_array() && review["current"] == "postgresql.conf", "{review:#}");

    let doctor = document(with(lab.syncline(&["doctor", "--dir", "disk"])));
    assert!(doctor["checks"]["disk"].is_array() && doctor["host"]["kernel"].is_string());
    let studies = document(with(lab.syncline(&["studies"])));
    assert!(studies.as_array().unwrap().iter().any(|study| study["name"] == "commit"), "{studies:#}");
    let study = document(with(lab.syncline(&["studies", "commit"])));
    let names: Vec<&str> =
        study["parameters"].as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    assert!(names.contains(&"record_size"), "{names:?}");
    lab.assert_clean();
}

#[test]
fn a_check_and_a_fio_job_are_one_json_document_too() {
    let lab = Laboratory::new();
    let check = ["check", "--dir", "disk", "--rounds", "1", "--out", "check", "--format", "json"];
    let check = document(lab.syncline(&check));
    assert_eq!(check["studies"].as_array().unwrap().len(), 2);
    let ratings = check["ratings"].as_array().unwrap();
    let questions: Vec<&Value> = ratings.iter().map(|rating| &rating["question"]).collect();
    assert_eq!(questions, ["durable_commits", "commit_p99", "flushes", "random_reads"]);
    fs::write(lab.path().join("one.fio"), "[one]\nrw=randread\nbs=4k\nsize=1m\nnumber_ios=50\ndirect=0\n")
        .unwrap();
    let job =
        document(lab.syncline(&["fio", "one.fio", "--dir", "disk", "--out", "job", "--format", "json"]));
    assert_eq!(job["jobs"][0]["jobname"], "one");
    lab.assert_clean();
}

/// What a terminal would be sent, through script(1): colours and a bar that is drawn again.
fn on_a_terminal(lab: &Laboratory, variables: &[(&str, &str)], command: &str) -> Option<String> {
    let program = env!("CARGO_BIN_EXE_syncline");
    let line = format!("{program} {command}");
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &line, "/dev/null"]).current_dir(lab.path());
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        script.env_remove(name);
    }
    script.env("TERM", "xterm").envs(variables.iter().copied());
    let Ok(output) = script.output() else {
        skip::because("script(1) is not installed");
        return None;
    };
    Some(text(&output))
}

#[test]
fn a_terminal_gets_colours_and_a_bar_only_if_it_wants_them() {
    const ESCAPE: char = '\u{1b}';
    let lab = Laboratory::new();
    completed(lab.run(&["--rounds", "1"]));
    let run = "run tiny.toml --dir disk --rounds 1";
    for (variables, command, has_escapes) in [
        (&[][..], "report run", true),
        (&[], "report run --color never", false),
        (&[("NO_COLOR", "1")], "report run", false),
        (&[("NO_COLOR", "1")], "report run --color always", true),
        (&[("CLICOLOR", "0")], "report run", false),
        (&[("TERM", "dumb")], "report run", false),
        (&[], &*format!("{run} --out a"), true),
        (&[("TERM", "dumb")], &*format!("{run} --out b"), false),
    ] {
        let Some(sent) = on_a_terminal(&lab, variables, command) else { return };
        assert!(sent.lines().count() > 3, "{sent}");
        assert_eq!(sent.contains(ESCAPE), has_escapes, "{variables:?} {command}: {sent:?}");
    }
    let mut forced = lab.syncline(&["report", "run"]);
    forced.env_remove("NO_COLOR").env("CLICOLOR_FORCE", "1");
    assert!(text(&completed(forced)).contains(ESCAPE));
    assert!(!text(&completed(lab.syncline(&["report", "run"]))).contains(ESCAPE), "no terminal, no colours");
}

/// Every path below a directory with the time of its last change.
fn contents(directory: &Path) -> BTreeMap<PathBuf, SystemTime> {
    let mut found = BTreeMap::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        found.insert(directory.clone(), fs::metadata(&directory).unwrap().modified().unwrap());
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else {
                found.insert(path.clone(), fs::metadata(&path).unwrap().modified().unwrap());
            }
        }
    }
    found
}

#[test]
fn a_dry_run_prints_the_plan_and_touches_nothing() {
    let lab = Laboratory::new();
    fs::write(lab.path().join("one.fio"), "[one]\nrw=randread\nbs=4k\nsize=1m\nruntime=2\ntime_based\n")
        .unwrap();
    let before = contents(lab.path());
    for command in [
        &["run", "tiny.toml", "--dir", "disk", "--dry-run"][..],
        &["run", "--dir", "disk", "--dry-run"],
        &["run", "commit", "--dir", "disk", "--budget", "2m", "--dry-run"],
        &["check", "--dir", "disk", "--dry-run"],
        &["fio", "one.fio", "--dir", "disk", "--dry-run"],
    ] {
        completed(lab.syncline(command));
        let mut json = lab.syncline(command);
        json.args(["--format", "json"]);
        let plan = document(json);
        assert!(plan["studies"][0]["trials"].as_u64().unwrap() > 0, "{plan:#}");
        assert!(plan["room_bytes"].is_u64(), "{plan:#}");
    }
    assert_eq!(contents(lab.path()), before);

    // Under a budget the first rounds run whatever they show. The figures were those of all rounds, and README has
    // those of the first. A warm-up round comes before either.
    let of_budget = ["run", "commit", "--dir", "disk", "--budget", "3m", "--dry-run", "--format", "json"];
    let budget = document(lab.syncline(&of_budget));
    let study = &budget["studies"][0];
    assert_eq!((study["rounds_first"].as_u64(), study["rounds"].as_u64()), (Some(6), Some(18)));
    let figure = |of: &Value, name: &str| of[name].as_f64().unwrap();
    for name in ["trials", "measuring_s_min", "timed_writing_s"] {
        let (first, all) = (figure(&study["first_rounds"], name), figure(study, name));
        assert!((19.0 * first - 7.0 * all).abs() < 1e-6 * all, "{name}: {first}, {all}");
        assert_eq!(budget["total_of_first_rounds"][name], study["first_rounds"][name]);
        assert_eq!(budget["total"][name], study[name]);
    }

    let tiny =
        document(lab.syncline(&["run", "tiny.toml", "--dir", "disk", "--dry-run", "--format", "json"]));
    let study = &tiny["studies"][0];
    assert!(study.get("first_rounds").is_none() && tiny.get("stage").is_none(), "{tiny:#}");
    // Two configurations and the A/A arm, in a warm-up round and two others; 40 groups of one record of 4 KiB each.
    assert_eq!((study["trials"].as_u64(), study["configurations"].as_u64()), (Some(9), Some(2)));
    assert_eq!(study["counted_written_bytes"].as_u64(), Some(9 * 40 * 4096));
    // Each of the three trials that take turns has files of its own.
    assert_eq!(study["files_written_bytes"].as_u64(), Some(3 * ((8 << 20) + (4 << 20))));
    assert!(tiny["room_bytes"].as_u64().unwrap() >= 36 << 20);
}
