//! `syncline survive`: crashes of real databases, from the command line.

use crate::laboratory;

use laboratory::{Laboratory, refuses, servers, text};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Kills at any moment.
const KILLS: u32 = 50;

fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        skip::because("a disk that forgets needs root");
    }
    is_root
}

/// The JSON of a report.
fn report(command: &mut Command, code: i32) -> Value {
    let output = command.args(["--format", "json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{}", text(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn an_engine_is_crashed_and_priced() {
    if !is_root() {
        return;
    }
    let lab = Laboratory::new();
    let mut command = lab.syncline(&["survive", "--for", "sqlite", "--promise", "durability=full"]);
    command.args(["--crashes", "1", "--rounds", "1", "--seed", "0", "--dir", "disk"]);
    let report = report(&mut command, 0);
    let subjects = report["subjects"].as_array().unwrap();
    let [subject] = &subjects[..] else { panic!("{report}") };
    assert_eq!(subject["class"], "power");
    for end in ["kill", "power_loss"] {
        assert_eq!((&subject[end]["kept"], &subject[end]["crashes"]), (&1.into(), &1.into()), "{report}");
    }
    let prices = subject["prices"].as_array().unwrap();
    assert!(
        prices.len() == 2 && prices.iter().all(|price| price["commits_per_s"].as_f64() > Some(0.0)),
        "{report}"
    );
    lab.assert_clean();
}

#[test]
fn what_a_promise_does_not_cover_is_no_breach() {
    if !is_root() {
        return;
    }
    let lab = Laboratory::new();
    let mut command = lab.syncline(&["survive", "--for", "store", "--promise", "durability = process"]);
    command.args([
        "--crashes",
        "2",
        "--rounds",
        "0",
        "--seed",
        "0",
        "--dir",
        "disk",
        "--out",
        "crashes.jsonl",
    ]);
    let report = report(&mut command, 0);
    let lines = fs::read_to_string(lab.path().join("crashes.jsonl")).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    for (line, crash) in lines.iter().zip(report["subjects"][0]["crashes"].as_array().unwrap()) {
        assert_eq!(
            (&line["seed"], &line["end"], &line["fate"]),
            (&crash["seed"], &crash["end"], &crash["fate"])
        );
    }
    let subject = &report["subjects"][0];
    assert_eq!(subject["kill"]["kept"], 2, "{report}");
    assert!(subject["power_loss"]["lost_commits"].as_u64() > Some(0), "{report}");
    lab.assert_clean();
}

#[test]
fn mistakes_are_one_line() {
    let lab = Laboratory::new();
    refuses(
        &lab,
        &mut lab.syncline(&["survive", "--for", "mongodb"]),
        2,
        "invalid value 'mongodb' for '--for <DATABASE>': unknown database \"mongodb\"; there are: [..]",
    );
    refuses(
        &lab,
        &mut lab.syncline(&["survive", "--dir", "/proc", "--rounds", "0"]),
        2,
        "--dir /proc: proc is a view of the kernel's state, not a file system for data: name a directory on a disk",
    );
    refuses(
        &lab,
        &mut lab.syncline(&["survive", "--dir", "disk", "--rounds", "0", "--server-trees", "no/such"]),
        2,
        "--server-trees no/such: no such directory",
    );
    if !is_root() {
        return;
    }
    refuses(
        &lab,
        &mut lab.syncline(&["survive", "--for", "sqlite", "--promise", "no_such", "--dir", "disk"]),
        2,
        "--promise no_such: no promise of these databases has such a setting",
    );
    lab.assert_clean();
}

/// Mounts and loop devices below a folder, and homes of servers whose maker is gone.
fn left(folder: &Path) -> Vec<String> {
    let shown = folder.display().to_string();
    let of = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let mut left: Vec<String> =
        of("/proc/self/mountinfo").lines().filter(|line| line.contains(&shown)).map(str::to_owned).collect();
    for device in fs::read_dir("/sys/block").unwrap().flatten() {
        let file = of(&device.path().join("loop/backing_file").display().to_string());
        if file.contains(&shown) {
            left.push(file);
        }
    }
    left
}

/// The kernel ends the server with its maker; the next start finds the mounts.
#[test]
fn a_kill_at_any_moment_leaves_nothing() {
    if !is_root() {
        return;
    }
    let lab = Laboratory::open_to_all();
    // Other tests kill what has homes too, and leave them to the next start.
    let homes = tempfile::tempdir().unwrap();
    fs::set_permissions(homes.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let survive = |name: &str, crashes: &str| {
        let mut command = lab.syncline(&["survive", "--for", name, "--crashes", crashes, "--rounds", "0"]);
        command.args(["--dir", "disk"]).env("TMPDIR", homes.path());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    for kill in 0..KILLS {
        let name = ["valkey", "sqlite"][kill as usize % 2];
        let mut child = survive(name, "1000").spawn().unwrap();
        // Later and later, so that every part of a crash is met: the kernel does not announce them.
        std::thread::sleep(Duration::from_millis(u64::from(kill) * 23));
        child.kill().unwrap();
        child.wait().unwrap();
        servers::wait_for("the servers' end", || servers::processes_of(&lab.disk()).is_empty().then_some(()));
    }
    assert_eq!(survive("sqlite", "0").status().unwrap().code(), Some(98), "nothing was crashed");
    assert_eq!(left(lab.path()), Vec::<String>::new());
    lab.assert_clean();
    let left: Vec<_> = fs::read_dir(homes.path()).unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}
