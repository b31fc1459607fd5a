//! The files of `examples/watch/`, read by the programs that they are for: systemd, Prometheus, and Grafana as far as
//! its dashboard uses metrics.

use crate::ci_example::cached;
use crate::laboratory::{root, text};
use model::metric;
use model::study::Study;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use watch::exposition::METRICS;

const UNITS: [&str; 3] = ["syncline-watch.service", "syncline-probe.service", "syncline-probe.timer"];
/// The studies of a probe.
const STUDIES: [&str; 2] = ["commit-modes", "depth"];

fn examples() -> PathBuf {
    root().join("examples/watch").canonicalize().unwrap()
}

fn read(name: &str) -> String {
    fs::read_to_string(examples().join(name)).unwrap()
}

/// Names that a probe exports.
fn exported() -> BTreeSet<String> {
    let of_service = METRICS.iter().map(|metric| metric.name.to_owned());
    let asked = STUDIES.iter().flat_map(|name| {
        let text = fs::read_to_string(root().join(format!("studies/{name}.toml"))).unwrap();
        let study = Study::parse(name, &text).unwrap();
        study.asks.into_iter().flat_map(|ask| ask.on)
    });
    let of_figures = asked.map(|name| report::prometheus_name(&metric::find(&name).unwrap()));
    let of_report = ["syncline_trials", "syncline_failed_audits"].map(str::to_owned);
    of_service.chain(of_figures).chain(of_report).collect()
}

/// Names of Syncline's metrics in a text.
fn used(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_'));
    words.filter(|word| word.starts_with("syncline_")).map(str::to_owned).collect()
}

fn dashboard() -> Value {
    serde_json::from_str(&read("dashboard.json")).unwrap()
}

fn panels(dashboard: &Value) -> &Vec<Value> {
    dashboard["panels"].as_array().unwrap()
}

/// Every PromQL expression of the dashboard, its variables replaced.
fn expressions(dashboard: &Value) -> Vec<String> {
    let targets = panels(dashboard).iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    let expressions = targets.map(|target| target["expr"].as_str().unwrap());
    expressions.map(|text| text.replace("$instance", ".*").replace("$directory", ".*")).collect()
}

#[test]
fn every_metric_of_the_dashboard_and_the_alerts_is_exported_and_every_exported_one_is_used() {
    let exported = exported();
    let (dashboard, alerts) = (used(&read("dashboard.json")), used(&read("alerts.yml")));
    for (name, used) in [("dashboard.json", &dashboard), ("alerts.yml", &alerts)] {
        let unknown: Vec<&String> = used.difference(&exported).collect();
        assert!(unknown.is_empty() && used.len() > 5, "{name}: {unknown:?} of {exported:?}");
    }
    let shown: BTreeSet<String> = dashboard.union(&alerts).cloned().collect();
    let unused: Vec<&String> =
        exported.difference(&shown).filter(|name| name.starts_with("syncline_watch_")).collect();
    assert!(unused.is_empty(), "{unused:?}");
}

#[test]
fn the_dashboard_has_its_panels_side_by_side_and_takes_its_data_source_from_a_variable() {
    let dashboard = dashboard();
    let variables = dashboard["templating"]["list"].as_array().unwrap();
    let names: BTreeSet<&str> = variables.iter().map(|variable| variable["name"].as_str().unwrap()).collect();
    assert_eq!(names, BTreeSet::from(["datasource", "directory", "instance"]));
    let mut covered = BTreeSet::new();
    let mut ids = BTreeSet::new();
    for panel in panels(&dashboard) {
        let place = |side: &str| panel["gridPos"][side].as_u64().unwrap();
        assert!(place("x") + place("w") <= 24, "{panel}");
        for x in place("x")..place("x") + place("w") {
            for y in place("y")..place("y") + place("h") {
                assert!(covered.insert((x, y)), "it covers another one: {panel}");
            }
        }
        assert!(ids.insert(panel["id"].as_u64().unwrap()));
        assert_eq!(panel["datasource"]["uid"], "${datasource}");
        let targets = panel["targets"].as_array().unwrap();
        let references: BTreeSet<&str> =
            targets.iter().map(|target| target["refId"].as_str().unwrap()).collect();
        assert_eq!(references.len(), targets.len(), "{panel}");
    }
}

#[test]
fn prometheus_takes_the_alerts_and_every_expression_of_the_dashboard() {
    let Some(promtool) = cached("ci-tools/venv/bin/promtool") else { return };
    let run = |arguments: &[&str]| {
        let output = Command::new(&promtool).args(arguments).current_dir(examples()).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
    };
    run(&["check", "rules", "--lint=all", "--lint-fatal", "alerts.yml"]);
    run(&["test", "rules", "alerts_test.yml"]);
    let expressions = expressions(&dashboard());
    let rules: Vec<Value> = (0..)
        .zip(&expressions)
        .map(|(number, expression)| json!({"record": format!("panel:{number}"), "expr": expression}))
        .collect();
    let directory = tempfile::tempdir().unwrap();
    // JSON is YAML.
    let rules = json!({"groups": [{"name": "dashboard", "rules": rules}]}).to_string();
    let path = directory.path().join("dashboard.yml");
    fs::write(&path, rules).unwrap();
    run(&["check", "rules", path.to_str().unwrap()]);
}

#[test]
fn every_alert_has_a_test() {
    let tested = read("alerts_test.yml");
    let alerts = read("alerts.yml");
    let names: Vec<&str> = alerts.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).collect();
    assert!(names.len() >= 8, "{names:?}");
    for name in names {
        let named = format!("alertname: {name}\n");
        let expected = tested.split(&named).skip(1);
        let (silent, firing): (Vec<_>, Vec<_>) =
            expected.partition(|rest| rest.trim_start().starts_with("exp_alerts: []"));
        assert!(!silent.is_empty() && !firing.is_empty(), "{name}");
    }
}

#[test]
fn systemd_takes_the_units_and_they_start_commands_of_this_program() {
    let help = Command::new(env!("CARGO_BIN_EXE_syncline")).args(["watch", "--help"]).output().unwrap();
    let help = text(&help);
    let options: BTreeSet<&str> =
        help.split(|letter: char| letter != '-' && !letter.is_ascii_alphanumeric()).collect();
    let lines = UNITS.map(read).join("\n");
    let starts: Vec<&str> =
        lines.lines().filter_map(|line| line.strip_prefix("ExecStart=/usr/bin/syncline ")).collect();
    assert_eq!(starts.len(), 2);
    for option in starts.iter().flat_map(|line| line.split(' ')).filter(|word| word.starts_with("--")) {
        assert!(options.contains(option), "no option {option}");
    }
    let directory = tempfile::tempdir().unwrap();
    for unit in UNITS {
        let text = read(unit).replace("/usr/bin/syncline", env!("CARGO_BIN_EXE_syncline"));
        fs::write(directory.path().join(unit), text).unwrap();
    }
    let mut command = Command::new("systemd-analyze");
    command.args(["verify", "--man=no"]).args(UNITS).current_dir(directory.path());
    let Ok(output) = command.output() else {
        skip::because("systemd-analyze is not installed");
        return;
    };
    let told = text(&output);
    let own: Vec<&str> = told.lines().filter(|line| line.contains("syncline-")).collect();
    assert!(output.status.success() && own.is_empty(), "{told}");
}
