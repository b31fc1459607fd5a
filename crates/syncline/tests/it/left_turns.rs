//! A study whose turns carry something over continues with trials one after another, and its figures are of those.

use crate::laboratory::{Laboratory, text};
use serde_json::{Value, json};
use std::fs;

const STUDY: &str = r#"
    question = "Does a group of four commit more?"
    workload = "commit"
    baseline = { group_size = 1 }
    [factors]
    group_size = [1, 4]
    [fixed]
    ioengine = "psync"
    read_depth = 0
    data_size = "1MiB"
    wal_size = "4MiB"
    groups = 0
    runtime = "30ms"
    [[ask]]
    compare = "group_size"
    on = ["transactions_per_s"]
    [profile.quick]
    rounds = 6
    warmup_rounds = 0
"#;

/// Changes each line of the records.
fn edit_records(lab: &Laboratory, edit: impl Fn(&mut Value)) {
    let path = lab.run_directory().join("trials.jsonl");
    let lines = fs::read_to_string(&path).unwrap();
    let edited = lines.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        edit(&mut record);
        format!("{record}\n")
    });
    fs::write(&path, edited.collect::<String>()).unwrap();
}

#[test]
fn bytes_left_behind_end_the_turns_of_a_study() {
    let lab = Laboratory::new();
    fs::write(lab.path().join("study.toml"), STUDY).unwrap();
    let arguments = ["run", "study.toml", "--dir", "disk", "--out", "run", "--interleave", "10ms"];
    let output = lab.syncline(&arguments).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    assert!(lab.records().iter().all(|record| record.ensemble.len() == 3));

    // Planted: a slice of the second round ended with a dirty page; and six more rounds are to come.
    edit_records(&lab, |record| {
        let left = if record["round"] == 1 { 4096 } else { 0 };
        record["measurement"]["phases"][0]["turns"]["left_bytes_max"] = json!(left);
    });
    let plan_path = lab.run_directory().join("plan.json");
    let mut plan: Value = serde_json::from_str(&fs::read_to_string(&plan_path).unwrap()).unwrap();
    plan["studies"][0]["rounds"] = json!(12);
    // Under a budget no trial waits for a device that other tests keep busy.
    plan["budget_s"] = json!(3600.0);
    fs::write(&plan_path, format!("{plan}\n")).unwrap();
    let audited = lab.syncline(&["audit", "run", "--format", "json"]).output().unwrap();
    assert_eq!(audited.status.code(), Some(3), "{}", text(&audited));
    let audited: Value = serde_json::from_slice(&audited.stdout).unwrap();
    let audits = audited["studies"][0]["audits"].as_array().unwrap();
    assert!(
        audits.iter().any(|audit| audit["name"] == "carry-over" && audit["status"] == "fail"),
        "{audits:?}"
    );

    let resumed = lab.syncline(&["run", "--resume", "run"]).output().unwrap();
    assert!(matches!(resumed.status.code(), Some(0 | 3)), "{}", text(&resumed));
    let records = lab.records();
    assert_eq!(records.len(), 36);
    assert!(records.iter().all(|record| record.ensemble.is_empty() == (record.key.round >= 6)));
    assert!(records.iter().all(|record| record.measurement.is_some()));

    let report = lab.syncline(&["report", "run", "--format", "json", "--quiet"]).output().unwrap();
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    let study = &report["studies"][0];
    assert_eq!(study["interleaving"]["used"], "one_after_another");
    assert_eq!((&study["cells"][0]["n"], &study["trials"]["set_aside"]), (&json!(6), &json!(18)));
    let audits = study["audits"].as_array().unwrap();
    assert!(audits.iter().any(|audit| audit["name"] == "carry-over" && audit["status"] == "pass"));
    lab.assert_clean();
}
