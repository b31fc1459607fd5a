//! Every command in the README runs, in its order, in one directory on the real disk: with small files and short trials.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod laboratory;

use laboratory::{Laboratory, text};
use std::fs;
use std::path::{Path, PathBuf};

const SMALL: &[&str] = &[
    "--fix",
    "data_size=8MiB",
    "--fix",
    "wal_size=4MiB",
    "--fix",
    "groups=20",
    "--fix",
    "runtime=0s",
    "--rounds",
    "1",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The lines after `$ ` in the page's console blocks.
fn commands(page: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if let (true, Some(command)) = (inside, line.strip_prefix("$ ")) {
            found.push(command.split(" #").next().unwrap_or_default().trim().to_owned());
        }
    }
    found
}

fn newest_run(lab: &Laboratory) -> String {
    let mut runs: Vec<_> = fs::read_dir(lab.path().join("syncline-runs"))
        .map(|entries| entries.flatten().map(|entry| entry.path().display().to_string()).collect())
        .unwrap_or_default();
    runs.sort();
    runs.pop().unwrap_or_default()
}

#[test]
fn every_command_in_the_readme_runs() {
    let page = fs::read_to_string(root().join("README.md")).unwrap();
    let makefile = fs::read_to_string(root().join("Makefile")).unwrap();
    let lab = Laboratory::new();
    let commands = commands(&page);
    assert!(commands.len() >= 8, "{commands:?}");
    for command in commands {
        let mut words: Vec<&str> = command.split_whitespace().collect();
        match words.remove(0) {
            "make" => {
                assert!(words.iter().all(|target| makefile.contains(&format!("\n{target}:"))), "{command}");
            }
            "syncline" => {
                let run = newest_run(&lab);
                let words: Vec<&str> =
                    words.iter().map(|word| if *word == "RUN" { run.as_str() } else { word }).collect();
                let mut process = lab.syncline(&words);
                if words[0] == "run" && !words.contains(&"--resume") {
                    process.args(SMALL);
                    if !rustix::process::geteuid().is_root() {
                        process.args(["--vary", "filesystem=host"]);
                    }
                }
                let output = process.output().unwrap();
                assert!(matches!(output.status.code(), Some(0 | 3)), "{command}: {}", text(&output));
            }
            "cargo" | "git" | "cd" => {}
            other => panic!("{other}: the README shows a command that this test does not know"),
        }
    }
}
