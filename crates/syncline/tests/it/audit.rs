//! `syncline audit` on what others published, on fio's own JSON, on a run, and on what is none of these.

use crate::laboratory;

use laboratory::{Laboratory, fio, refuses, root, text};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

const AUDIT_FAILED: i32 = 3;
const USAGE: i32 = 2;

fn audit(lab: &Laboratory, file: &Path, more: &[&str]) -> Output {
    lab.syncline(&["audit", file.to_str().unwrap()]).args(more).output().unwrap()
}

fn judged(lab: &Laboratory, file: &Path, more: &[&str]) -> Value {
    let output =
        lab.syncline(&["audit", "--format", "json", file.to_str().unwrap()]).args(more).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | AUDIT_FAILED)), "{}", text(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code() == Some(AUDIT_FAILED), has_failed(&report), "{report:#}");
    report
}

fn has_failed(report: &Value) -> bool {
    report["audits"].as_array().unwrap().iter().any(|audit| audit["status"] == "fail")
}

fn status<'a>(report: &'a Value, name: &str) -> &'a str {
    let audits = report["audits"].as_array().unwrap();
    audits.iter().find(|audit| audit["name"] == name).unwrap()["status"].as_str().unwrap()
}

fn row<'a>(report: &'a Value, label: &str) -> &'a Value {
    report["rows"].as_array().unwrap().iter().find(|row| row["label"] == label).unwrap()
}

#[test]
fn page_000s_intervals_can_only_be_powers_of_two_times_a_constant() {
    let lab = Laboratory::new();
    let page = root().join("examples/page-000.csv");
    let output = audit(&lab, &page, &[]);
    assert_eq!(output.status.code(), Some(AUDIT_FAILED), "{}", text(&output));
    let report = judged(&lab, &page, &[]);
    assert_eq!(status(&report, "quantised-intervals"), "fail");
    assert_eq!(status(&report, "littles-law"), "not_assessable");
    let beliefs: Vec<&Value> = report["rows"].as_array().unwrap().iter().map(|row| &row["belief"]).collect();
    assert_eq!(beliefs, ["cannot_be_believed"; 17]);
    // What only the page's text says is known.
    let report = judged(&lab, &page, &["--columns", "in_flight:32"]);
    assert_eq!((status(&report, "quantised-intervals"), status(&report, "littles-law")), ("fail", "fail"));
}

#[test]
fn page_001s_row_of_10_gib_belongs_to_another_run() {
    let lab = Laboratory::new();
    let page = root().join("examples/page-001.csv");
    let output = audit(&lab, &page, &[]);
    assert_eq!(output.status.code(), Some(AUDIT_FAILED), "{}", text(&output));
    let report = judged(&lab, &page, &[]);
    // The figures are those of 8 jobs × 16 at 177 µs, and of the fastest "direct" write.
    let failed = ["buffered random read, 10 GiB of memory", "direct sequential write"];
    let checks = failed.map(|label| {
        let row = row(&report, label);
        assert_eq!(row["belief"], "cannot_be_believed");
        let rate = row["numbers"].as_array().unwrap().iter().find(|number| number["name"] == "iops").unwrap();
        rate["checks"].clone()
    });
    assert_eq!(checks, [json!(["littles-law"]), json!(["not-direct"])]);
    assert_eq!(row(&report, "buffered random read, 2.5 GiB of memory")["belief"], "doubtful");
    assert_eq!(status(&report, "duplicated-latency"), "fail");
    let count = |belief: &str| {
        report["rows"].as_array().unwrap().iter().filter(|row| row["belief"] == belief).count()
    };
    assert_eq!(["can_be_believed", "doubtful", "cannot_be_believed"].map(count), [3, 4, 2]);
    assert_eq!(status(&report, "quantised-intervals"), "pass");
}

#[test]
fn fios_own_json_is_read() {
    let lab = Laboratory::new();
    let job = "--name=small --filename=disk/file --size=4m --rw=randread --number_ios=200 --group_reporting";
    let formats = [("json", "not_assessable"), ("json+", "pass")];
    for (format, comb) in formats {
        let format = format!("--output-format={format}");
        let arguments: Vec<&str> = job.split_whitespace().chain([format.as_str()]).collect();
        let Some(output) = fio(&lab, &arguments) else { return };
        assert!(output.status.success(), "{}", text(&output));
        fs::remove_file(lab.disk().join("file")).unwrap();
        let published = lab.path().join("fio.json");
        fs::write(&published, &output.stdout).unwrap();
        let report = judged(&lab, &published, &[]);
        assert_eq!(row(&report, "small")["place"], "job 1");
        assert_eq!(status(&report, "too-few-repeats"), "warn", "one run");
        assert_eq!(status(&report, "too-short"), "warn");
        assert_ne!(status(&report, "latency-comb"), "fail", "{comb}");
        assert_eq!(status(&report, "latency-comb") == "not_assessable", comb == "not_assessable", "{format}");

        let mut mapped = lab.syncline(&["audit", "fio.json", "--columns", "iops=iops"]);
        refuses(
            &lab,
            &mut mapped,
            USAGE,
            "fio.json: this is fio's JSON, which has no columns to map: write ROLE:VALUE for what holds for every row",
        );
        let cut = &output.stdout[..output.stdout.len() * 2 / 3];
        fs::write(&published, cut).unwrap();
        refuses(
            &lab,
            &mut lab.syncline(&["audit", "fio.json"]),
            USAGE,
            "fio.json: not fio JSON: at byte [..]: the file is cut off",
        );
    }
}

#[test]
fn a_run_is_judged_by_its_own_audits_and_its_export_is_a_table() {
    let lab = Laboratory::new();
    lab.run(&["--rounds", "1"]).output().unwrap();
    let run = lab.run_directory();
    let output = lab.syncline(&["audit", "--format", "json", run.to_str().unwrap()]).output().unwrap();
    let audits: Value = serde_json::from_slice(&output.stdout).unwrap();
    // The same audits as the verdict's, and no check of published tables.
    let exported = lab.syncline(&["export", "run", "--format", "json"]).output().unwrap();
    let verdict: Value = serde_json::from_slice(&exported.stdout).unwrap();
    for what in ["name", "audits"] {
        assert_eq!(audits["studies"][0][what], verdict["studies"][0][what], "{audits:#}");
    }
    assert_eq!(output.status.code() == Some(AUDIT_FAILED), has_failed(&audits["studies"][0]));
    let export = lab.syncline(&["export", "run", "--format", "long"]).output().unwrap();
    let table = lab.path().join("long.csv");
    fs::write(&table, &export.stdout).unwrap();
    let exported = judged(&lab, &table, &[]);
    assert_eq!(exported["rows"].as_array().unwrap().len(), 2);
    assert_eq!(status(&exported, "too-few-repeats"), "warn");
    let mut mapped = lab.syncline(&["audit", "run", "--columns", "iops=iops"]);
    refuses(&lab, &mut mapped, USAGE, "run: a run has no columns to map: leave out --columns");
}

#[test]
fn what_is_no_published_result_gets_one_clear_line() {
    let lab = Laboratory::new();
    let garbage: Vec<u8> =
        (0_u32..4096).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8 | 0x80).collect();
    let page = fs::read_to_string(root().join("examples/page-001.csv")).unwrap();
    for (name, content, message) in [
        (
            "cut.json",
            &b"{\"fio version\": \"fio-3.33\", \"jobs\": [{\"jobname\": \"x"[..],
            "cut.json: not fio JSON: at byte [..]: the file is cut off",
        ),
        ("other.json", b"{\"answer\": 42}", "other.json: not fio JSON: it has no \"jobs\""),
        ("garbage", &garbage, "garbage line 1, column 1: not UTF-8: convert the file"),
        ("empty", b"", "empty: the file is empty"),
        (
            "deep.json",
            &b"{\"jobs\":[".repeat(100_000),
            "deep.json: not fio JSON: at byte [..]: the file is cut off",
        ),
        (
            "words.csv",
            b"to,be\nor,not\n",
            "words.csv line 1: Syncline knows none of these columns as a figure: give one its role; --column NAME=ROLE does that",
        ),
    ] {
        fs::write(lab.path().join(name), content).unwrap();
        refuses(&lab, &mut lab.syncline(&["audit", name]), USAGE, message);
    }
    refuses(
        &lab,
        &mut lab.syncline(&["audit", "disk"]),
        USAGE,
        "disk is not a run directory: it has no plan.json; syncline run creates run directories below syncline-runs, or where its option --out names one",
    );
    let missing = "missing.csv: cannot read the published result: No such file or directory (os error 2)";
    refuses(&lab, &mut lab.syncline(&["audit", "missing.csv"]), USAGE, missing);
    refuses(
        &lab,
        &mut lab.syncline(&["audit", "/dev/null"]),
        USAGE,
        "/dev/null: cannot read the published result: it is not a regular file",
    );

    fs::write(lab.path().join("page.csv"), &page).unwrap();
    for (columns, message) in [
        ("ipos=iops", "--columns: unknown role \"ipos\"; did you mean \"iops\"?"),
        ("iops=ipos", "page.csv line 1: unknown column \"ipos\"; did you mean \"iops\"?"),
        ("iops", "--columns: \"iops\": write ROLE=COLUMN or ROLE:VALUE"),
        (
            "memory_bytes:lots",
            "page.csv: the value stated for memory_bytes: \"lots\" is not a size: write 4096, 4KiB or 20GiB",
        ),
    ] {
        refuses(&lab, &mut lab.syncline(&["audit", "page.csv", "--columns", columns]), USAGE, message);
    }
    fs::write(lab.path().join("page.csv"), page.replace("1129000", "many")).unwrap();
    refuses(
        &lab,
        &mut lab.syncline(&["audit", "page.csv"]),
        USAGE,
        "page.csv line 8, column iops: \"many\" is not a number",
    );
}

/// A page that comes from a pipe needs no file.
#[test]
fn a_table_is_read_from_standard_input() {
    let lab = Laboratory::new();
    let mut child = lab.syncline(&["audit", "--format", "json", "-"]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let page = b"iops,latency_mean_us,in_flight\n1129000,177,128\n";
    child.stdin.take().unwrap().write_all(page).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(AUDIT_FAILED), "{}", text(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["source"], status(&report, "littles-law")), (&Value::from("standard input"), "fail"));
}

/// Two checks judged, and each of the thirty others had a line.
#[test]
fn checks_without_data_are_one_line() {
    let lab = Laboratory::new();
    fs::write(lab.path().join("page.csv"), "iops,bandwidth_mib_per_s,block_bytes\n1000,3.91,4096\n").unwrap();
    let output = audit(&lab, &lab.path().join("page.csv"), &[]);
    let printed = text(&output);
    assert_eq!(printed.lines().filter(|line| line.trim_start().starts_with("n/a")).count(), 1, "{printed}");
    let report = judged(&lab, &lab.path().join("page.csv"), &[]);
    assert_eq!(report["unstated"], json!(["n", "runtime_s", "mode"]));
}
