//! The workflow in `examples/ci/`: its structure, by a YAML parser where `scripts/install-ci-tools` has run, and that
//! every command in it is one of this program's.

use crate::laboratory;

use laboratory::{Laboratory, root, text};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

pub(crate) const PATH: &str = "examples/ci/github-actions.yml";

/// A program that `make tools` has put into the cache folder; `None`, with the reason recorded, if it is not there.
pub(crate) fn cached(program: &str) -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    let path = cache.join("syncline").join(program);
    if !path.exists() {
        skip::because(format!("no {program} in the cache folder (make tools)"));
        return None;
    }
    Some(path)
}

/// The python of `scripts/install-ci-tools`.
pub(crate) fn python() -> Option<PathBuf> {
    cached("ci-tools/venv/bin/python")
}

/// Every `syncline …` of the workflow, one line each.
fn commands() -> Vec<String> {
    let page = fs::read_to_string(root().join(PATH)).unwrap();
    let lines: Vec<&str> = page.lines().map(str::trim).filter(|line| !line.starts_with('#')).collect();
    let is_more = |line: &&&str| line.starts_with("--");
    let command = |(place, line): (usize, &&str)| {
        let begin = line.strip_prefix("run: ").unwrap_or(line).strip_prefix("syncline ")?;
        let more = lines[place + 1..].iter().take_while(is_more).copied();
        Some(std::iter::once(begin).chain(more).collect::<Vec<_>>().join(" "))
    };
    lines.iter().enumerate().filter_map(command).collect()
}

#[test]
fn every_option_in_the_workflow_is_one_of_its_command() {
    let lab = Laboratory::new();
    let commands = commands();
    assert_eq!(commands.len(), 3, "{commands:?}");
    for command in commands {
        let mut words = command.split_whitespace();
        let output = lab.syncline(&[words.next().unwrap(), "--help"]).output().unwrap();
        assert!(output.status.success(), "{command}: {}", text(&output));
        let help = text(&output);
        let options: BTreeSet<&str> =
            help.split(|of: char| of != '-' && !of.is_ascii_alphanumeric()).collect();
        for option in words.filter(|word| word.starts_with("--")) {
            assert!(options.contains(option), "{command}: no option {option}");
        }
    }
}

#[test]
fn the_workflow_measures_both_sides_before_it_compares_them() {
    let Some(python) = python() else { return };
    let script = "import json, sys, yaml; print(json.dumps(yaml.load(open(sys.argv[1]), yaml.BaseLoader)))";
    let output = Command::new(python).args(["-c", script]).arg(root().join(PATH)).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let workflow: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(workflow["on"], "pull_request");
    let job = &workflow["jobs"]["compare"];
    assert!(job["runs-on"].is_array());
    let steps = job["steps"].as_array().unwrap();
    assert!(steps.iter().all(|step| step["uses"].is_string() != step["run"].is_string()), "{steps:?}");
    let runs: Vec<&str> = steps.iter().filter_map(|step| step["run"].as_str()).collect();
    let place = |what: &str| runs.iter().position(|run| run.contains(what)).unwrap();
    assert!(place("$side/storage.toml") < place("syncline compare"), "{runs:?}");
    // Either side is the first in every other pair, or a drift of the machine would always help the same one.
    let measures = runs[place("$side/storage.toml")];
    assert!(["pair % 2", "\"base head\"", "\"head base\""].iter().all(|part| measures.contains(part)));
}
