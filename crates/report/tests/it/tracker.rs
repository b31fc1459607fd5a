//! The formats of tools that follow figures from run to run: as they are written, and as the tools themselves read them
//! where `scripts/install-ci-tools` has run.

use crate::fixture;
use crate::installed::{in_cache, said};

use fixture::specimen;
use model::metric::{self, Better};
use model::run::Run;
use model::trial::TrialOutcome;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use verdict::{Scope, Status, StudyVerdict, Verdict};

/// A run in which one configuration has no trial and another no interval.
fn incomplete() -> (Run, Verdict) {
    let (mut run, mut verdict) = specimen(6);
    let cells = &mut verdict.studies[0].cells;
    cells[1].n = 0;
    cells[1].figures.clear();
    for figure in cells[2].figures.values_mut() {
        figure.mean.interval = None;
    }
    run.records.retain(|record| record.key.configuration != 1);
    (run, verdict)
}

/// One of the tools, if it is installed.
fn tool(name: &str) -> Option<PathBuf> {
    in_cache(&format!("ci-tools/venv/bin/{name}"), "install-ci-tools")
}

/// What a script of Python prints.
fn python(script: &str, arguments: &[&str]) -> Option<Vec<u8>> {
    let output = Command::new(tool("python")?).args(["-c", script]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    Some(output.stdout)
}

fn entries(value: &Value) -> usize {
    value.as_object().map_or(0, serde_json::Map::len)
}

/// Whether the formats without a place for a reason refuse to be written.
fn refused(run: &Run, verdict: &Verdict) -> [bool; 3] {
    [
        report::bmf(run, verdict).is_err(),
        report::github_action_benchmark(run, verdict, Better::Lower).is_err(),
        report::github_action_benchmark(run, verdict, Better::Higher).is_err(),
    ]
}

/// An empty array and an empty object ended with exit code 0, and the history of a tool had a gap that nobody saw.
#[test]
fn a_file_without_figures_is_not_written() {
    let (run, mut verdict) = specimen(6);
    assert_eq!(refused(&run, &verdict), [false; 3]);
    let is_latency = |name: &String| metric::find(name).unwrap().family.better == Better::Lower;
    for study in &mut verdict.studies {
        study.asked.retain(is_latency);
    }
    assert_eq!(refused(&run, &verdict), [false, false, true]);
    for study in &mut verdict.studies {
        study.asked.clear();
    }
    assert_eq!(refused(&run, &verdict), [true; 3]);
}

/// A run whose first configuration was measured from a warm cache reached Bencher, Otava and the action with its
/// figures; only Prometheus counted the failed audit.
#[test]
fn a_figure_that_rests_on_a_failed_audit_is_not_followed() {
    let (run, mut verdict) = specimen(6);
    let study = &mut verdict.studies[0];
    let audit = study.audits.iter_mut().find(|audit| audit.status == Status::Pass).unwrap();
    audit.status = Status::Fail;
    audit.about = vec![Scope::Configurations(vec![0])];
    let (failed, study) = (audit.name.clone(), &verdict.studies[0]);
    let name = |cell: usize| format!("{} {}", study.name, study.cells[cell].label);
    let bencher: Value = serde_json::from_str(&report::bmf(&run, &verdict).unwrap()).unwrap();
    assert_eq!(bencher.get(name(0)), None);
    assert!(bencher[name(1)].is_object());
    let action = [Better::Lower, Better::Higher].map(|better| {
        let text = report::github_action_benchmark(&run, &verdict, better).unwrap();
        serde_json::from_str::<Vec<Value>>(&text).unwrap()
    });
    let action = action.concat();
    let figures = |cell: usize| {
        let begins = format!("{}: ", name(cell));
        action.iter().filter(|entry| entry["name"].as_str().unwrap().starts_with(&begins)).count()
    };
    assert_eq!((figures(0), figures(1)), (0, study.asked.len()));
    let otava = report::otava(&run, &verdict);
    let mut rows = csv::Reader::from_reader(otava.as_bytes());
    let rows: Vec<BTreeMap<String, String>> = rows.deserialize().map(Result::unwrap).collect();
    let column = |cell: usize| &rows[0][&format!("{} {}", name(cell), study.asked[0])];
    assert_eq!(column(0), "nan");
    assert_ne!(column(1), "nan");
    assert_eq!(rows[0]["failed_audits"], format!("{}: {failed}; wal-layout: small-n", study.name));
    let why = format!("it rests on a failed audit: {failed}");
    let prometheus = report::prometheus(&run, &verdict);
    let comment = format!("# no value: {}, {}: {why}", name(0), study.asked[0]);
    assert_eq!(prometheus.lines().filter(|line| *line == comment).count(), 1);
    let junit = report::junit(&run, &verdict);
    let figure = format!("{}: no figure: {why}", study.asked[0]);
    let begins = |line: &&str| line.trim_start().trim_start_matches("<system-out>") == figure;
    assert_eq!(junit.lines().filter(begins).count(), 1);
    let case = format!("classname=\"{}\" name=\"{}\">", study.name, study.cells[0].label);
    let ending = junit.split_once(&case).unwrap().1.trim_start();
    assert!(ending.starts_with(&format!("<skipped message=\"{why}\"/>")), "{ending}");
    for study in &mut verdict.studies {
        for audit in &mut study.audits {
            (audit.status, audit.about) = (Status::Fail, vec![Scope::Study]);
        }
    }
    assert_eq!(refused(&run, &verdict), [true; 3], "no file without a figure");
    let junit = report::junit(&run, &verdict);
    let findings: Vec<&str> = junit.split(".findings\"").skip(1).collect();
    assert_eq!(findings.len(), verdict.studies.iter().map(|study| study.findings.len()).sum::<usize>());
    for finding in findings {
        let ending = finding.split_once('>').unwrap().1.trim_start();
        assert!(ending.starts_with("<skipped message="), "{ending}");
    }
}

#[test]
fn bencher_gets_values_with_their_bounds() {
    let (run, verdict) = incomplete();
    let document: Value = serde_json::from_str(&report::bmf(&run, &verdict).unwrap()).unwrap();
    let study = &verdict.studies[0];
    // The second study is too small to be believed.
    assert_eq!(entries(&document), study.cells.len() - 1, "a configuration without a figure is absent");
    let name = |cell: usize| format!("{} {}", study.name, study.cells[cell].label);
    assert_eq!(document.get(name(1)), None);
    let metric = &study.asked[0];
    let mean = &study.cells[0].figures[metric].mean;
    let (low, high) = mean.interval.unwrap();
    assert_eq!(
        document[name(0)][metric],
        json!({ "value": mean.point, "lower_value": low, "upper_value": high })
    );
    assert_eq!(entries(&document[name(2)][metric]), 1, "no interval, no bounds");
    assert!(jsonschema::is_valid(&bencher_schema(), &document), "{document:#}");
}

/// Bencher Metric Format, as its reference describes it: benchmarks, measures, and a value with optional bounds.
fn bencher_schema() -> Value {
    let number = json!({ "type": "number" });
    let metric = json!({
        "type": "object",
        "properties": { "value": number, "lower_value": number, "upper_value": number },
        "required": ["value"],
        "additionalProperties": false
    });
    let measures = json!({ "type": "object", "additionalProperties": metric, "minProperties": 1 });
    json!({ "type": "object", "additionalProperties": measures })
}

#[test]
fn github_action_benchmark_gets_one_direction_a_file() {
    let (run, verdict) = incomplete();
    let of = |better| -> Vec<Value> {
        let text = report::github_action_benchmark(&run, &verdict, better).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let (smaller, bigger) = (of(Better::Lower), of(Better::Higher));
    assert!(!smaller.is_empty() && !bigger.is_empty());
    let all: Vec<&Value> = smaller.iter().chain(&bigger).collect();
    for entry in &all {
        assert!(entry["name"].is_string() && entry["unit"].is_string(), "{entry}");
        assert!(entry["value"].as_f64().is_some_and(|value| value > 0.0), "{entry}");
    }
    assert!(
        smaller.iter().any(|entry| entry["unit"] == "µs") && bigger.iter().any(|entry| entry["unit"] == "/s")
    );
    assert!(
        smaller.iter().all(|entry| !bigger.iter().any(|other| other["name"] == entry["name"])),
        "{all:?}"
    );
    let figure = &verdict.studies[0].cells[0].figures["commit_latency_p50_us"];
    let (low, high) = figure.mean.interval.unwrap();
    assert_eq!(smaller[0]["range"], format!("{low} – {high}"));
    let label = &verdict.studies[0].cells[1].label;
    assert!(!all.iter().any(|entry| entry["name"].as_str().unwrap().contains(label)));
}

#[test]
fn otava_reads_a_history_of_runs() {
    let (run, verdict) = specimen(6);
    let text = report::otava(&run, &verdict);
    let (header, line) = text.trim_end().split_once('\n').unwrap();
    assert_eq!(header.matches(',').count(), line.matches(',').count());
    let (run, missing) = incomplete();
    let text_missing = report::otava(&run, &missing);
    assert_eq!(text_missing.lines().next(), Some(header), "the header does not depend on what is missing");
    let row: BTreeMap<String, String> =
        csv::Reader::from_reader(text_missing.as_bytes()).deserialize().next().unwrap().unwrap();
    let study = &missing.studies[0];
    for metric in &study.asked {
        assert_eq!(row[&format!("{} {} {metric}", study.name, study.cells[1].label)], "nan");
    }
    let Some(otava) = tool("otava") else { return };
    let directory = tempfile::tempdir().unwrap();
    let column = header.split(',').nth(4).unwrap().trim_matches('"');
    // Ten runs, of which the last five are half as fast.
    let value: f64 = line.split(',').nth(4).unwrap().parse().unwrap();
    let history = (0..10_u32).map(|day| {
        let figure = value * if day < 5 { 1.0 } else { 2.0 } * (1.0 + f64::from(day % 3) / 1000.0);
        let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        cells[0] = format!("2026-01-{:02}T00:00:00Z", day + 1);
        cells[4] = figure.to_string();
        cells.join(",")
    });
    let csv = std::iter::once(header.to_owned()).chain(history).collect::<Vec<_>>().join("\n") + "\n";
    fs::write(directory.path().join("runs.csv"), csv).unwrap();
    let config = format!(
        "tests:\n  storage:\n    type: csv\n    file: {}\n    time_column: time\n    attributes: [version]\n    metrics:\n      followed:\n        column: \"{column}\"\n        direction: -1\n",
        directory.path().join("runs.csv").display()
    );
    fs::write(directory.path().join("otava.yaml"), config).unwrap();
    let mut command = Command::new(otava);
    command
        .args(["analyze", "storage", "--since", "2025-12-01"])
        .env("OTAVA_CONFIG", directory.path().join("otava.yaml"));
    let output = command.current_dir(directory.path()).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let said = said(&output);
    assert!(said.contains("+100") || said.contains("+99.9"), "the change point is found: {said}");
}

#[test]
fn junit_fails_a_configuration_with_a_failed_trial() {
    let (mut run, verdict) = specimen(6);
    let record = run.records.iter_mut().find(|record| record.key.configuration == 0).unwrap();
    record.outcome = TrialOutcome::Failed("no <room>".to_owned());
    let xml = report::junit(&run, &verdict);
    assert!(verdict.studies[0].cells[0].n > 0);
    let failure = xml.lines().find(|line| line.trim_start().starts_with("<failure "));
    insta::assert_snapshot!(failure.unwrap(), @r#"      <failure message="no &lt;room&gt;"/>"#);
}

#[test]
fn junit_has_a_case_for_each_configuration_finding_and_audit() {
    let (run, verdict) = incomplete();
    let xml = report::junit(&run, &verdict);
    let study = &verdict.studies[0];
    let of_study = |study: &StudyVerdict| study.cells.len() + study.findings.len() + study.audits.len();
    let cases: usize = verdict.studies.iter().map(of_study).sum();
    insta::assert_snapshot!(xml.lines().nth(1).unwrap(), @r#"<testsuites name="syncline" tests="40" failures="2" errors="0" skipped="12">"#);
    let skipped = "<skipped message=\"no trial of it has run\"/>";
    assert_eq!(xml.lines().filter(|line| line.trim() == skipped).count(), 1, "{xml}");
    let script = "import sys, json, junitparser\n\
        suites = junitparser.JUnitXml.fromfile(sys.argv[1])\n\
        print(json.dumps([[case.classname, case.name, [type(result).__name__ for result in case.result]] for suite in suites for case in suite]))";
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("junit.xml");
    fs::write(&path, xml).unwrap();
    let Some(printed) = python(script, &[path.to_str().unwrap()]) else { return };
    let read: Vec<(String, String, Vec<String>)> = serde_json::from_slice(&printed).unwrap();
    assert_eq!(read.len(), cases);
    let missing = read.iter().find(|(_, name, _)| *name == study.cells[1].label).unwrap();
    assert_eq!(missing.2, ["Skipped"]);
    let failed = verdict
        .studies
        .iter()
        .flat_map(|study| &study.audits)
        .filter(|audit| audit.status == Status::Fail)
        .count();
    let without_result = |record: &&model::trial::TrialRecord| {
        matches!(record.outcome, TrialOutcome::Failed(_) | TrialOutcome::Killed(_))
    };
    let spoilt: BTreeSet<(&str, usize)> = run
        .records
        .iter()
        .filter(without_result)
        .map(|record| (record.key.study.as_str(), record.key.configuration))
        .collect();
    let failures = read.iter().filter(|(_, _, results)| results.contains(&"Failure".to_owned())).count();
    assert_eq!(failures, failed + spoilt.len());
}

#[test]
fn prometheus_gets_gauges_in_base_units() {
    let (run, verdict) = incomplete();
    let text = report::prometheus(&run, &verdict);
    let (whole_run, whole) = specimen(6);
    insta::assert_snapshot!(report::prometheus(&whole_run, &whole));
    let comments: Vec<&str> = text.lines().filter(|line| line.starts_with("# no value: commit ")).collect();
    insta::assert_snapshot!(comments.join("\n"), @r"
    # no value: commit mode=buffered group_size=1 reads_per_commit=4, commits_per_s: no trial of it succeeded
    # no value: commit mode=buffered group_size=1 reads_per_commit=4, commit_latency_p50_us: no trial of it succeeded
    # no value: commit mode=buffered group_size=1 reads_per_commit=4, commit_latency_p99_us: no trial of it succeeded
    # no value: commit mode=buffered group_size=1 reads_per_commit=4, reads_per_s: no trial of it succeeded
    ");
    let missing = &verdict.studies[0].cells[1].label;
    let samples = text.lines().filter(|line| line.contains(&format!("configuration=\"{missing}\"")));
    assert_eq!(
        samples.collect::<Vec<_>>(),
        [format!("syncline_trials{{study=\"commit\",configuration=\"{missing}\"}} 0")]
    );
    let Some(promtool) = tool("promtool") else { return };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("syncline.prom");
    fs::write(&path, text).unwrap();
    let file = fs::File::open(&path).unwrap();
    let output = Command::new(promtool).args(["check", "metrics"]).stdin(file).output().unwrap();
    assert!(output.status.success() && said(&output).trim().is_empty(), "{}", said(&output));
}

/// A limit that is undecided would pass as a test that is skipped.
#[test]
fn a_limit_that_is_not_proven_to_be_kept_fails_in_junit() {
    use verdict::compare::LimitOutcome::{Broken, Kept, NotJudged, Undecided};
    let limit = preflight::Limit::parse("commits_per_s >= 500", &["commits_per_s".to_owned()], "it").unwrap();
    let row = |outcome| {
        let estimate = verdict::Estimate {
            point: Some(500.0),
            interval: Some((450.0, 550.0)),
            level: Some(0.95),
            reason: None,
        };
        let why = (outcome == NotJudged).then(|| "it rests on a failed audit: <a>".to_owned());
        preflight::JudgedRow { row: "commit mode=direct".to_owned(), outcome, estimate: Some(estimate), why }
    };
    let rows = [Kept, Broken, Undecided, NotJudged].map(row).into();
    let ruling = preflight::Ruling { limit, outcome: Broken, rows, why: None };
    let xml = report::preflight_junit(&[ruling]);
    let counts = "tests=\"4\" failures=\"1\" errors=\"2\" skipped=\"0\"";
    assert_eq!(xml.matches(counts).count(), 2, "{xml}");
    let Some(read) = python(
        "import json, sys, junitparser as j\n\
         cases = [case for suite in j.JUnitXml.fromstring(sys.argv[1].encode()) for case in suite]\n\
         print(json.dumps([[type(r).__name__ for r in case.result] for case in cases]))",
        &[&xml],
    ) else {
        return;
    };
    let endings: Vec<Vec<String>> = serde_json::from_slice(&read).unwrap();
    assert_eq!(endings, [vec![], vec!["Failure"], vec!["Error"], vec!["Error"]]);
}
