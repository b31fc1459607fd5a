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

/// A series of crashes from the seed 0 on, without prices, whose file is `crashes.jsonl`.
fn series(lab: &Laboratory, server: &str, promise: &str, crashes: &str) -> Command {
    let mut command = lab.syncline(&["survive", "--for", server, "--promise", promise, "--crashes", crashes]);
    command.args(["--rounds", "0", "--seed", "0", "--dir", "disk", "--out", FILE]);
    command
}

const FILE: &str = "crashes.jsonl";

/// The crashes of that file, whose first line has the settings.
fn recorded(lab: &Laboratory) -> Vec<Value> {
    let lines = fs::read_to_string(lab.path().join(FILE)).unwrap_or_default();
    // The last one may be written just now.
    let whole = lines.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    whole.skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What says which crash it was and what became of it.
fn identity(crash: &Value) -> (&Value, &Value, &Value) {
    (&crash["seed"], &crash["end"], &crash["fate"])
}

fn assert_has_all(report: &Value, recorded: &[Value]) {
    let crashes = report["subjects"][0]["crashes"].as_array().unwrap();
    assert!(crashes.iter().map(identity).eq(recorded.iter().map(identity)), "{report} {recorded:?}");
}

#[test]
fn what_a_promise_does_not_cover_is_no_breach() {
    if !is_root() {
        return;
    }
    let lab = Laboratory::new();
    let report = report(&mut series(&lab, "store", "durability = process", "2"), 0);
    let recorded = recorded(&lab);
    assert_eq!(recorded.len(), 4);
    assert_has_all(&report, &recorded);
    let subject = &report["subjects"][0];
    assert_eq!(subject["kill"]["kept"], 2, "{report}");
    assert!(subject["power_loss"]["lost_commits"].as_u64() > Some(0), "{report}");
    lab.assert_clean();
}

/// A series that was interrupted printed no table, although its crashes were known, and could not go on.
#[test]
fn an_interrupted_series_prints_what_is_known_and_goes_on_there() {
    if !is_root() {
        return;
    }
    let lab = Laboratory::new();
    let of = |crashes: &str| series(&lab, "sqlite", "durability=full", crashes);
    let mut command = of("1000");
    command.args(["--format", "json"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    servers::wait_for("the first crash", || (!recorded(&lab).is_empty()).then_some(()));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output));
    let interrupted: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(interrupted["ended"]["is_interrupted"], true, "{interrupted}");
    let known = recorded(&lab);
    assert!(!known.is_empty() && known.len() < 2000);
    assert_has_all(&interrupted, &known);
    lab.assert_clean();

    // A kill in the middle of a line leaves a part of it.
    let path = lab.path().join(FILE);
    fs::write(&path, fs::read_to_string(&path).unwrap() + "{\"server\":").unwrap();
    let seeds = known.len() / 2 + 1;
    let continued = report(&mut of(&seeds.to_string()), 0);
    let all = recorded(&lab);
    assert_eq!((all.len(), &all[..known.len()]), (seeds * 2, &known[..]));
    assert_has_all(&continued, &all);
    for end in ["kill", "power_loss"] {
        assert_eq!(continued["subjects"][0][end]["kept"], seeds, "{continued}");
    }
    lab.assert_clean();
    refuses(
        &lab,
        of("1").args(["--file-system", "xfs"]),
        2,
        "--out crashes.jsonl: it has crashes of other settings: the file system is ext4 there and xfs here",
    );
}

/// A mount that stayed busy ended a series of 169 crashes without a table. Here another file system covers the work
/// directory, so that no disk can be made or removed in it.
#[test]
fn a_disk_that_fails_ends_a_series_with_what_is_known() {
    if !is_root() {
        return;
    }
    let lab = Laboratory::new();
    let mut command = series(&lab, "sqlite", "durability=full", "1000");
    command.args(["--format", "json"]);
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let typed: Vec<String> = words.map(|word| format!("'{}'", word.to_str().unwrap())).collect();
    // The mounts are those of the command's own namespace, and go with its last process.
    let script = format!(
        "{} &
         until [ \"$(cat {FILE} | wc -l)\" -ge 2 ]; do sleep 0.01; done 2>/dev/null
         nsenter --target $! --mount mount -t tmpfs -o ro none \"$PWD\"/disk/.syncline-work-* || kill $!
         wait $!",
        typed.join(" ")
    );
    let output = Command::new("sh").args(["-c", &script]).current_dir(lab.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(98), "{}", text(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["ended"]["is_interrupted"], false, "{report}");
    let known = recorded(&lab);
    assert!(!known.is_empty());
    assert_has_all(&report, &known);
    // The next start removes what the covered directory holds.
    let cleaned = lab
        .syncline(&["survive", "--for", "sqlite", "--crashes", "0", "--rounds", "0", "--dir", "disk"])
        .output();
    assert_eq!(cleaned.unwrap().status.code(), Some(98), "nothing was crashed");
    lab.assert_clean();
}

#[test]
fn crashes_of_one_kind_are_no_statement_about_the_other() {
    if !is_root() {
        return;
    }
    let lab = Laboratory::new();
    for (only, made, left) in [("power", "power_loss", "kill"), ("kill", "kill", "power_loss")] {
        let mut command = lab.syncline(&["survive", "--for", "sqlite", "--promise", "durability=full"]);
        command.args(["--only", only, "--crashes", "2", "--rounds", "0", "--seed", "0", "--dir", "disk"]);
        let report = report(&mut command, 0);
        let subject = &report["subjects"][0];
        assert_eq!((&subject[made]["kept"], &subject[left]["crashes"]), (&2.into(), &0.into()), "{report}");
    }
    lab.assert_clean();
}

/// A file that others wrote, or that a disk damaged, is a value or one line.
#[cfg(feature = "survive")]
#[test]
fn a_damaged_file_of_a_series_is_refused() {
    let lost = r#"{"server":"valkey","version":"8","settings":[["appendfsync","always"]],"end":"power_loss","seed":7,"moment_ms":100.5,"kept":"whole","unflushed_bytes":4096,"crashes_in_recovery":1,"acknowledged_commits":10,"fate":"lost","lost_commits":3,"lost_over_ms":1.5,"holes":0,"torn_commits":0,"missing_rows":0,"damaged_rows":0,"strange_rows":0,"recovery_ms":12.5,"complaints":[]}"#;
    let settings = survive::SeriesSettings::new(
        disk::filesystem::FileSystemKind::Ext4,
        false,
        &survive::Limits::default(),
        7,
    );
    let sound = format!("{}{lost}\n{}\n", settings.line().unwrap(), lost.replace("\"seed\":7", "\"seed\":8"));
    assert_eq!(survive::Recorded::parse(sound.as_bytes()).unwrap().crashes.len(), 2);
    let mut random = hostile::random::Random::new(30);
    for _ in 0..5000 {
        let bytes = hostile::mutation::mutated(&mut random, sound.as_bytes());
        match survive::Recorded::parse(&bytes) {
            Ok(recorded) => {
                survive::tally(recorded.crashes.iter().map(|recorded| &recorded.crash));
            }
            Err(why) => assert!(!why.to_string().contains(char::is_control), "{why}"),
        }
    }
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
    let note = lab.path().join("note.txt");
    fs::write(&note, "a note").unwrap();
    for (file, why) in [
        ("note.txt", "it is not a series of crashes, and Syncline leaves it as it is; take a new file"),
        ("/dev/null", "not a regular file"),
    ] {
        refuses(
            &lab,
            &mut lab
                .syncline(&["survive", "--for", "sqlite", "--dir", "disk", "--rounds", "0", "--out", file]),
            2,
            &format!("--out {file}: {why}"),
        );
    }
    assert_eq!(fs::read_to_string(&note).unwrap(), "a note");
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

/// The kernel ends the server and the mounts with their maker.
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
        servers::wait_for("the end of the mounts", || left(lab.path()).is_empty().then_some(()));
    }
    assert_eq!(survive("sqlite", "0").status().unwrap().code(), Some(98), "nothing was crashed");
    assert_eq!(left(lab.path()), Vec::<String>::new());
    lab.assert_clean();
    let left: Vec<_> = fs::read_dir(homes.path()).unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
}
