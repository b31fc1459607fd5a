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
use std::time::Duration;
use watch::exposition::{self, METRICS, Shown};
use watch::rotation::Keep;
use watch::service::Options;
use watch::state::State;

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

/// The page of a service as Prometheus would have it after days: each sample, and how it goes on.
fn series() -> Vec<Value> {
    let options = Options {
        interval: Duration::from_hours(1),
        attempts_max: None,
        waits_first: true,
        busy_share_max: Some(0.2),
        written_bytes_per_day_max: 1 << 30,
        keep: Keep { runs: 10, time: Duration::from_hours(24) },
        spike_threshold: Some(Duration::from_millis(50)),
    };
    // As it is written: one probe, so that nothing of it is unknown.
    let record = fs::read_to_string(root().join("crates/hostile/seeds/watch_record/spikes.json")).unwrap();
    let shown = Shown {
        state: &State::parse(record.as_bytes()).unwrap(),
        options: &options,
        directory: "/data",
        now: jiff::Timestamp::now(),
        busy_share: Some(0.1),
        resident_bytes: Some(1 << 24),
    };
    let page = exposition::page(&shown, "");
    let samples = page.lines().filter(|line| !line.starts_with('#'));
    let own = samples.map(|line| line.rsplit_once(' ').unwrap().0.to_owned());
    let figures = exported().into_iter().filter(|name| !name.starts_with("syncline_watch_"));
    let labelled = figures.flat_map(|name| {
        let configurations = ["wal_mode=buffered", "wal_mode=direct"];
        configurations.into_iter().flat_map(move |configuration| {
            let name = name.clone();
            ["mean", "low", "high"].map(move |bound| {
                format!(
                    "{name}{{directory=\"/data\",study=\"commit-modes\",configuration=\"{configuration}\",\
                     statistic=\"p50\",bound=\"{bound}\"}}"
                )
            })
        })
    });
    own.chain(labelled).map(|series| json!({ "series": series, "values": "1+1x200" })).collect()
}

/// An alert for each panel's expression fires if the expression has a sample.
#[test]
fn prometheus_has_samples_for_every_expression_of_the_dashboard() {
    let Some(promtool) = cached("ci-tools/venv/bin/promtool") else { return };
    let expressions = expressions(&dashboard());
    let rules = (0..).zip(&expressions).map(|(number, expression)| {
        json!({ "alert": format!("Panel{number}"), "expr": format!("count({expression}) > 0") })
    });
    let rules = json!({ "groups": [{ "name": "dashboard", "rules": rules.collect::<Vec<Value>>() }] });
    let expected = (0..expressions.len()).map(|number| {
        json!({ "eval_time": "100h", "alertname": format!("Panel{number}"), "exp_alerts": [{ "exp_labels": {} }] })
    });
    let test = json!({ "interval": "1h", "input_series": series(), "alert_rule_test": expected.collect::<Vec<Value>>() });
    let tests = json!({ "rule_files": ["rules.yml"], "evaluation_interval": "1h", "tests": [test] });
    let directory = tempfile::tempdir().unwrap();
    for (name, content) in [("rules.yml", rules), ("tests.yml", tests)] {
        fs::write(directory.path().join(name), content.to_string()).unwrap();
    }
    let mut command = Command::new(promtool);
    let output = command.args(["test", "rules", "tests.yml"]).current_dir(directory.path()).output().unwrap();
    let told = text(&output);
    let silent = |number: &usize| told.contains(&format!("alertname: Panel{number},"));
    let silent: Vec<&String> =
        (0..expressions.len()).filter(silent).map(|number| &expressions[number]).collect();
    assert!(output.status.success(), "{silent:#?}: {told}");
}

/// TypeScript holds the dashboard against Grafana's own types, which are made from the schema of dashboards.
#[test]
fn the_dashboard_is_what_grafanas_schema_describes() {
    let Some(types) = cached("grafana-schema") else { return };
    let directory = tempfile::tempdir().unwrap();
    let options = json!({
        "noEmit": true, "strict": true, "skipLibCheck": true, "target": "es2022", "module": "esnext",
        "moduleResolution": "bundler", "types": [],
    });
    let project = json!({ "compilerOptions": options, "files": ["check.ts"] }).to_string();
    fs::write(directory.path().join("tsconfig.json"), project).unwrap();
    let check = |dashboard: &Value| {
        let program = format!(
            "import type {{ Dashboard }} from '{types}/schema/types.gen';\n{PLAIN}\n\
             const dashboard: Plain<Dashboard> = {dashboard};\nexport default dashboard;\n",
            types = types.display()
        );
        fs::write(directory.path().join("check.ts"), program).unwrap();
        let mut command = Command::new("node");
        command.arg(types.join("typescript/lib/tsc.js")).args(["--project", "."]);
        command.current_dir(directory.path()).output().unwrap()
    };
    let sound = dashboard();
    let output = check(&sound);
    assert!(output.status.success(), "{}", text(&output));
    for (place, wrong) in [
        ("/panels/0/gridPos/w", json!("6")),
        ("/panels/0/fieldConfig/defaults/thresholds", json!({ "mode": "relative", "steps": [] })),
        ("/templating/list/0/type", json!("data")),
        ("/refreshes", json!("1m")),
    ] {
        let mut spoiled = sound.clone();
        let (parent, name) = place.rsplit_once('/').unwrap();
        let parent = spoiled.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        parent.insert(name.to_owned(), wrong);
        assert!(!check(&spoiled).status.success(), "{place}");
    }
}

/// A type as JSON has it: a text for a member of an enumeration.
const PLAIN: &str = "type Plain<T> = T extends string ? `${T}` : T extends number | boolean | null | undefined ? T : \
    T extends Array<infer U> ? Array<Plain<U>> : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;";

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
