//! `syncline compare` and `export --format markdown` on runs of this machine, and what scripts rely on.

use crate::laboratory;

use laboratory::calm::undisturbed;
use laboratory::{Laboratory, WITHOUT_WAITING, refuses, text};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

const RUNTIME: i32 = 1;
const USAGE: i32 = 2;
const AUDIT_FAILED: i32 = 3;
const LIMIT_UNDECIDED: i32 = 98;
const LIMIT_BROKEN: i32 = 99;

/// A run of six rounds or more with a known median latency, as a quiet machine would have measured it. It takes no
/// turns: a slow disk completes too little in their windows for the audits.
fn measured(lab: &Laboratory, out: &str) {
    let arguments = ["run", "tiny.toml", "--dir", "disk", "--out", out, "--rounds", "6", "--seed", "1"];
    let mut command = lab.syncline(&arguments);
    let output = command.args(["--interleave", "off"]).args(WITHOUT_WAITING).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | AUDIT_FAILED)), "{}", text(&output));
    let directory = lab.path().join(out);
    change(&directory, &directory, "trials.jsonl", &|record| {
        // A hundredth more or less from round to round, the same in both configurations.
        let scatter = 1.0 + 0.01 * (record["round"].as_f64().unwrap() % 3.0 - 1.0);
        let Some(phase) = record.pointer_mut("/measurement/phases/0") else { return };
        let median = phase["metrics"]["commit_latency_p50_us"].as_f64().unwrap();
        slow_down(&mut phase["metrics"], 500.0 * scatter / median);
        // A window on a slow disk has too few commits for their ratio to the reads.
        phase["metrics"]["realised_reads_per_commit"] = 2.0.into();
        undisturbed(record);
    });
}

/// Everything takes this many times as long.
fn slow_down(metrics: &mut Value, factor: f64) {
    for (name, value) in metrics.as_object_mut().unwrap() {
        let Some(figure) = value.as_f64() else { continue };
        if name.contains("_latency_") {
            *value = (figure * factor).into();
        } else if name.ends_with("_per_s") {
            *value = (figure / factor).into();
        }
    }
}

/// Edits every record of a file of one run directory into another's.
fn change(from: &Path, to: &Path, name: &str, edit: &dyn Fn(&mut Value)) {
    let text = fs::read_to_string(from.join(name)).unwrap();
    let lines = text.lines().map(|line| {
        let mut value: Value = serde_json::from_str(line).unwrap();
        edit(&mut value);
        value.to_string() + "\n"
    });
    fs::write(to.join(name), lines.collect::<String>()).unwrap();
}

/// The same run a week later, on another kernel, where everything takes this many times as long.
fn later(lab: &Laboratory, from: &str, to: &str, factor: f64) {
    let (from, to) = (lab.path().join(from), lab.path().join(to));
    fs::create_dir(&to).unwrap();
    change(&from, &to, "plan.json", &|plan| plan["created_at"] = "2036-01-01T00:00:00Z".into());
    change(&from, &to, "host.json", &|host| host["kernel"] = "99.1-<b>|`".into());
    change(&from, &to, "trials.jsonl", &|record| {
        let Some(metrics) = record.pointer_mut("/measurement/phases/0/metrics") else { return };
        slow_down(metrics, factor);
    });
}

fn compare(lab: &Laboratory, more: &[&str]) -> Output {
    lab.syncline(&["compare", "before", "after"]).args(more).output().unwrap()
}

#[test]
fn two_runs_are_compared_and_limits_hold() {
    let lab = Laboratory::new();
    measured(&lab, "before");
    later(&lab, "before", "after", 2.0);
    let plain = compare(&lab, &["--html", "page.html"]);
    assert_eq!(plain.status.code(), Some(0), "{}", text(&plain));
    // The shape of the summary is a snapshot's of the crate report.
    assert!(plain.stdout.len() > 100, "{}", text(&plain));
    let page = fs::read_to_string(lab.path().join("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("99.1-&lt;b&gt;|`"));

    let slower = compare(&lab, &["--fail-if", "commit_latency_p50>+10%"]);
    assert_eq!(slower.status.code(), Some(LIMIT_BROKEN), "{}", text(&slower));
    let kept =
        compare(&lab, &["--fail-if", "commit_latency_p50>+300%", "--fail-if", "commit_latency_p50<-5%"]);
    assert_eq!(kept.status.code(), Some(0), "{}", text(&kept));
    // The estimate is the limit, so every interval reaches to both sides of it.
    let open = ["--fail-if", "commit_latency_p50>+100%"];
    assert_eq!(compare(&lab, &open).status.code(), Some(LIMIT_UNDECIDED));
    let allowed = compare(&lab, &[&open[..], &["--allow-undecided"]].concat());
    assert_eq!(allowed.status.code(), Some(0), "{}", text(&allowed));
    let both =
        compare(&lab, &[&open[..], &["--fail-if", "commit_latency_p50>+10%", "--allow-undecided"]].concat());
    assert_eq!(both.status.code(), Some(LIMIT_BROKEN), "{}", text(&both));
    for (limit, outcome) in [("+10%", "broken"), ("+100%", "undecided"), ("+300%", "kept")] {
        let limit = format!("commit_latency_p50>{limit}");
        let json = compare(&lab, &["--format", "json", "--fail-if", &limit]);
        let json: Value = serde_json::from_slice(&json.stdout).unwrap();
        assert_eq!(json["comparison"]["between_runs"], "assumed");
        assert_eq!(json["comparison"]["surroundings"][0]["what"], "kernel");
        assert_eq!(json["limits"][0]["gate"]["metric"], "commit_latency_p50_us");
        assert_eq!(json["limits"][0]["outcome"], outcome);
    }
    lab.assert_clean();
}

/// A hypervisor took the CPU away from the trials of these configurations.
fn steal(directory: &Path, from: impl Fn(u64) -> bool) {
    let cpus = std::thread::available_parallelism().unwrap().get() as f64;
    change(directory, directory, "trials.jsonl", &|record| {
        if !record["configuration"].as_u64().is_some_and(&from) {
            return;
        }
        let Some(phase) = record.pointer_mut("/measurement/phases/0") else { return };
        let stolen = 0.9 * cpus * phase["duration_s"].as_f64().unwrap();
        phase["mechanism"]["steal_s"] = stolen.into();
    });
}

/// The limit was undecided over all, so `--allow-undecided` let it pass although one configuration was not judged at
/// all.
#[test]
fn a_limit_that_is_judged_in_part_does_not_pass() {
    let lab = Laboratory::new();
    measured(&lab, "before");
    later(&lab, "before", "after", 1.0);
    steal(&lab.path().join("after"), |configuration| configuration == 0);
    let limit = ["--fail-if", "commit_latency_p50>+200%"];
    let json = compare(&lab, &[&limit[..], &["--format", "json"]].concat());
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    let ruling = &json["limits"][0];
    let rows = |what: &str| ruling[what].as_array().unwrap().len();
    assert!(rows("unjudged") > 0 && rows("kept") > 0, "{ruling}");
    assert_eq!(ruling["outcome"], "not_judged");
    let allowed = compare(&lab, &[&limit[..], &["--allow-undecided"]].concat());
    assert_eq!(allowed.status.code(), Some(LIMIT_UNDECIDED), "{}", text(&allowed));
    lab.assert_clean();
}

/// A hypervisor took the CPU away: what rests on those trials is not answered, and no limit is kept by it.
#[test]
fn a_limit_that_an_audit_takes_away_is_not_kept() {
    let lab = Laboratory::new();
    measured(&lab, "before");
    later(&lab, "before", "after", 1.0);
    steal(&lab.path().join("after"), |_| true);
    let plain = compare(&lab, &[]);
    assert_eq!(plain.status.code(), Some(AUDIT_FAILED), "{}", text(&plain));
    // The end of a run on a busy machine names the one command for when it is quiet.
    for (run, is_busy) in [("before", false), ("after", true)] {
        let report = text(&lab.syncline(&["report", run]).output().unwrap());
        assert_eq!(report.contains("quiet: syncline run tiny.toml --profile quick"), is_busy, "{report}");
    }
    let limited = compare(&lab, &["--fail-if", "commit_latency_p50>+10%"]);
    assert_eq!(limited.status.code(), Some(LIMIT_UNDECIDED), "{}", text(&limited));
    let allowed = compare(&lab, &["--fail-if", "commit_latency_p50>+10%", "--allow-undecided"]);
    assert_eq!(
        allowed.status.code(),
        Some(LIMIT_UNDECIDED),
        "not assessable is not kept: {}",
        text(&allowed)
    );
    let json = compare(&lab, &["--format", "json", "--fail-if", "commit_latency_p50>+10%"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["limits"][0]["outcome"], "not_judged");
    let audits = json["comparison"]["studies"][0]["audits"].as_array().unwrap();
    let failed = |audit: &Value| audit["side"] == "B" && audit["name"] == "steal-and-pressure";
    assert!(audits.iter().any(failed), "{audits:?}");
    // Nothing is left to follow either, and an empty file would look like a run.
    for format in ["bmf", "gab", "gab-bigger"] {
        let refused = lab.syncline(&["export", "after", "--format", format]).output().unwrap();
        assert_eq!(refused.status.code(), Some(RUNTIME), "{}", text(&refused));
        assert!(refused.stdout.is_empty());
    }
    lab.assert_clean();
}

/// One configuration: a round has two trials of forty commits.
fn one_configuration(lab: &Laboratory) {
    let study = laboratory::STUDY.replace("mode = [\"buffered\", \"direct\"]", "mode = [\"buffered\"]");
    fs::write(lab.path().join("one.toml"), study).unwrap();
    // What WITHOUT_WAITING is for runs that this test does not start itself. A slow disk completes too little in turns.
    let defaults = "[run]\nbudget = \"1h\"\ninterleave = \"off\"\n";
    fs::write(lab.path().join("syncline.toml"), defaults).unwrap();
}

fn in_turns(lab: &Laboratory, sides: [&str; 2], more: &[&str]) -> Output {
    let fixed = ["compare", "--interleave", "--study", "one.toml", "--pairs", "6", "--out", "turns"];
    lab.syncline(&fixed).args(sides).args(more).output().unwrap()
}

fn runs_below(folder: &Path) -> usize {
    fs::read_dir(folder)
        .unwrap()
        .filter(|run| run.as_ref().unwrap().path().join("plan.json").exists())
        .count()
}

#[test]
fn two_directories_are_measured_in_turns() {
    let lab = Laboratory::new();
    one_configuration(&lab);
    fs::create_dir(lab.path().join("other")).unwrap();
    let limit = ["--format", "json", "--fail-if", "commits_per_s<-90%", "--allow-undecided"];
    let output = in_turns(&lab, ["disk", "other"], &limit);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output)));
    let comparison = &json["comparison"];
    assert_eq!(comparison["between_runs"]["pairs"]["pairs"], 6, "{comparison}");
    assert_eq!([&comparison["a"]["name"], &comparison["b"]["name"]], ["disk", "other"]);
    let row = &comparison["studies"][0]["rows"][0];
    assert_eq!((&row["n_a"], &row["n_b"]), (&6.into(), &6.into()), "{row}");
    assert_eq!(runs_below(&lab.path().join("turns/a")) + runs_below(&lab.path().join("turns/b")), 12);
    lab.assert_clean();
    assert_eq!(fs::read_dir(lab.path().join("other")).unwrap().count(), 0);
    // What was measured can be compared again, with the same result.
    let again = lab.syncline(&["compare", "turns/a", "turns/b", "--format", "json"]).output().unwrap();
    let again: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(again["comparison"]["studies"][0]["rows"], comparison["studies"][0]["rows"]);
}

#[test]
fn two_builds_are_measured_in_turns_and_the_first_alternates() {
    let lab = Laboratory::new();
    one_configuration(&lab);
    for side in ["a", "b"] {
        let script =
            format!("#!/bin/sh\necho {side} >> order\nexec {} \"$@\"\n", env!("CARGO_BIN_EXE_syncline"));
        program(&lab, side, &script);
    }
    let output = in_turns(&lab, ["./a", "./b"], &["--format", "json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output)));
    assert_eq!(json["comparison"]["between_runs"]["pairs"]["pairs"], 6);
    let order = fs::read_to_string(lab.path().join("order")).unwrap().replace('\n', "");
    assert_eq!(order, "abbaabbaabba");
}

fn program(lab: &Laboratory, name: &str, script: &str) {
    let path = lab.path().join(name);
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn sides_that_cannot_be_measured_are_one_line() {
    let lab = Laboratory::new();
    one_configuration(&lab);
    lab.run(&["--rounds", "1"]).output().unwrap();
    program(&lab, "fails", "#!/bin/sh\necho a line >&2\necho no disk here >&2\nexit 7\n");
    fs::write(lab.path().join("text"), "").unwrap();
    let refused = |sides: [&str; 2], more: &[&str], code: i32, message: &str| {
        let fixed = ["compare", "--interleave", "--study", "one.toml", "--out", "turns"];
        refuses(&lab, lab.syncline(&fixed).args(sides).args(more), code, message);
    };
    refused(["disk", "/dev/null"], &[], USAGE, "--interleave /dev/null: it is a device, but [..]");
    refused(["disk", "text"], &[], USAGE, "--interleave text: it is neither a directory nor a program");
    refused(
        ["disk", "run"],
        &[],
        USAGE,
        "--interleave run: it is a run directory; compare runs without --interleave",
    );
    refused(["disk", "nowhere"], &[], USAGE, "--interleave nowhere: No such file or directory (os error 2)");
    refused(
        ["disk", "fails"],
        &[],
        USAGE,
        "--interleave takes two directories or two programs: disk and fails are one of each",
    );
    refused(
        ["disk", "disk"],
        &["--fail-if", "comits_per_s<-5%"],
        USAGE,
        "--fail-if unknown metric \"comits_per_s\"; did you mean \"commits_per_s\"?",
    );
    assert!(!lab.path().join("turns").exists(), "nothing was begun");
    fs::create_dir_all(lab.path().join("turns/a")).unwrap();
    let exists = "cannot create turns/a: File exists (os error 17); name another folder with --out";
    refused(["disk", "disk"], &[], RUNTIME, exists);
    fs::remove_dir_all(lab.path().join("turns")).unwrap();
    let mut beyond = lab.syncline(&["compare", "--interleave", "disk", "disk", "--out", "text/x"]);
    refuses(&lab, &mut beyond, RUNTIME, "cannot create text/x: Not a directory (os error 20)");
    refused(["fails", "fails"], &["--quiet"], RUNTIME, "run 1 of A failed: no disk here");
    refuses(
        &lab,
        &mut lab.syncline(&["compare", "run", "run", "--pairs", "8"]),
        USAGE,
        "the following required arguments were not provided:",
    );
}

#[test]
fn what_cannot_be_compared_is_one_line() {
    let lab = Laboratory::new();
    lab.run(&["--rounds", "1"]).output().unwrap();
    later(&lab, "run", "after", 1.0);
    let refused = |more: &[&str], code: i32, message: &str| {
        let mut command = lab.syncline(&["compare"]);
        refuses(&lab, command.args(more), code, message);
    };
    refused(&["run", "run"], USAGE, "A and B are the same run, started at [..]: give two runs");
    refused(
        &["run", "disk"],
        RUNTIME,
        "disk is not a run directory: it has no plan.json; syncline run creates run directories below syncline-runs, or where its option --out names one",
    );
    refused(
        &["run", "after", "--allow-different", "record_sise"],
        USAGE,
        "unknown parameter \"record_sise\"; did you mean \"record_size\"?",
    );
    for (limit, code, message) in [
        (
            "comits_per_s<-5%",
            USAGE,
            "--fail-if unknown metric \"comits_per_s\"; did you mean \"commits_per_s\"?",
        ),
        (
            "commits_per_s",
            USAGE,
            "--fail-if \"commits_per_s\" is not a limit: write METRIC>+10% or METRIC<-5%",
        ),
        (
            "commit_latency>+10%",
            USAGE,
            "--fail-if metric \"commit_latency\" is ambiguous: commit_latency_mean_us, commit_latency_sd_us, commit_latency_p50_us, commit_latency_p90_us, commit_latency_p99_us and 3 more",
        ),
        ("lost_after_kill>+10%", USAGE, "--fail-if lost_after_kill is not a metric of both runs"),
        (
            "commits_per_s<-5%",
            LIMIT_UNDECIDED,
            "--fail-if 'commits_per_s<-5%' cannot be judged: 1 trial, an interval needs 6",
        ),
    ] {
        refused(&["run", "after", "--fail-if", limit], code, message);
    }
    lab.syncline(&[
        "run",
        "tiny.toml",
        "--dir",
        "disk",
        "--out",
        "other",
        "--rounds",
        "1",
        "--fix",
        "groups=41",
    ])
    .output()
    .unwrap();
    refused(
        &["run", "other"],
        USAGE,
        "the runs differ in more than their surroundings: tiny: groups is 40 in A and 41 in B; to compare them anyway: --allow-different groups",
    );
    let allowed = lab.syncline(&["compare", "run", "other", "--allow-different", "groups"]).output().unwrap();
    // An audit may fail on a busy machine; the runs may differ.
    assert!(matches!(allowed.status.code(), Some(0 | AUDIT_FAILED)), "{}", text(&allowed));
}

#[test]
fn spoiled_records_are_one_line_for_every_reader() {
    let lab = Laboratory::new();
    lab.run(&["--rounds", "1"]).output().unwrap();
    later(&lab, "run", "after", 1.0);
    let trials = lab.path().join("after/trials.jsonl");
    let whole = fs::read_to_string(&trials).unwrap();
    let first = whole.lines().next().unwrap();
    for (spoiled, message) in [
        (
            format!("{first}\n{}\n", &first[..first.len() / 2]),
            "after/trials.jsonl line 2: not a syncline record ([..]): something else changed the file; restore it or start a new run",
        ),
        (
            format!("{first}\n\u{1b}[31m\u{7}\n"),
            "after/trials.jsonl line 2: not a syncline record ([..]): something else changed the file; restore it or start a new run",
        ),
        (
            first.replace("\"round\":0", "\"round\":1e400") + "\n",
            "after/trials.jsonl line 1: not a syncline record (round: number out of range at column [..]): something else changed the file; restore it or start a new run",
        ),
        (
            first.replace("\"outcome\":\"ok\"", "\"outcome\":\"\u{9b}31m\"") + "\n",
            "after/trials.jsonl line 1: not a syncline record (outcome: unknown variant `\\u{9b}31m`, expected one of `ok`, `failed`, `unsupported`, `killed` at column [..]): something else changed the file; restore it or start a new run",
        ),
    ] {
        fs::write(&trials, spoiled).unwrap();
        let readers: [&[&str]; 6] = [
            &["report", "after"],
            &["export", "after"],
            &["export", "after", "--format", "csv"],
            &["export", "after", "--format", "markdown"],
            &["compare", "run", "after"],
            &["compare", "after", "run"],
        ];
        for reader in readers {
            refuses(&lab, &mut lab.syncline(reader), RUNTIME, message);
            let said = lab.syncline(reader).output().unwrap().stderr;
            assert!(!String::from_utf8_lossy(&said).trim_end().chars().any(char::is_control));
        }
    }
}

#[test]
fn the_page_of_a_run_holds_what_a_hostile_host_is_called() {
    let lab = Laboratory::new();
    lab.run(&["--rounds", "1"]).output().unwrap();
    let host = lab.run_directory().join("host.json");
    let mut facts: Value = serde_json::from_str(&fs::read_to_string(&host).unwrap()).unwrap();
    facts["name"] = "<script>alert(1)</script>|`\u{1b}[31m".into();
    fs::write(&host, facts.to_string()).unwrap();
    let output = lab.syncline(&["export", "run", "--format", "markdown"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(page.contains("| Host | &lt;script&gt;alert(1)&lt;/script&gt;\\|\\`\\\\u{1b}\\[31m |"), "{page}");
    for heading in ["## Answers", "## What could not be trusted", "## Host", "### Figures", "### Method"] {
        assert!(page.contains(heading), "{heading}\n{page}");
    }
    assert!(page.contains("$ syncline run tiny.toml --profile quick --"), "{page}");
    assert!(!Path::new(&lab.path().join("page.html")).exists());
}
