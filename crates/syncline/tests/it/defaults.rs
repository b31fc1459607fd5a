//! Files of defaults: what they change is what typing it would change, and the run has it.

use crate::laboratory::{Laboratory, prints, refuses, remarks, text};
use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Output;

const USAGE: i32 = 2;
const NOBODY: u32 = 65_534;

/// Writes a file of defaults that only its owner may change, whatever the umask.
fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o644)).unwrap();
}

/// What `run --dry-run` plans here, and its remarks.
fn planned(lab: &Laboratory, more: &[&str]) -> (Value, Output) {
    let output = lab.syncline(&["run", "tiny.toml", "--dry-run"]).args(more).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    (serde_json::from_slice(&output.stdout).unwrap_or_default(), output)
}

#[test]
fn what_is_typed_wins_over_this_directory_over_the_user() {
    let lab = Laboratory::new();
    let user = lab.path().join("configuration/syncline");
    fs::create_dir_all(&user).unwrap();
    write(&user.join("syncline.toml"), "format = 'json'\n[run]\nrounds = 7\nprofile = 'long'\n");
    write(&lab.path().join("syncline.toml"), "dir = 'disk'\n[run]\nrounds = 3\n");
    let study = |more: &[&str]| planned(&lab, more).0["studies"][0].clone();
    let found = study(&[]);
    assert_eq!((found["rounds"].as_u64(), found["profile"].as_str()), (Some(3), Some("long")));
    assert_eq!(study(&["--rounds", "2"])["rounds"], 2);
    assert!(planned(&lab, &[]).0["directory"].as_str().unwrap().ends_with("/disk"));

    let said = String::from_utf8_lossy(&planned(&lab, &[]).1.stderr).into_owned();
    assert!(said.starts_with("defaults: syncline.toml\ndefaults: "), "{said}");
    let (_, without) = planned(&lab, &["--no-defaults", "-v"]);
    assert!(without.status.success(), "{}", text(&without));
    assert!(remarks(&lab, &without).iter().all(|line| !line.starts_with("defaults: ")), "{}", text(&without));
}

/// A run repeats by its own plan, whatever files there are then.
#[test]
fn a_default_is_recorded_as_if_it_were_typed() {
    let lab = Laboratory::new();
    let file = "[run]\nrounds = 1\nseed = 7\nfix = ['groups=30']\ndir = 'disk'\nquiet = true\n";
    write(&lab.path().join("syncline.toml"), file);
    let output = lab.syncline(&["run", "tiny.toml", "--out", "run"]).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    // A file cannot hide that it was read.
    assert_eq!(String::from_utf8_lossy(&output.stderr), "defaults: syncline.toml\n");
    let plan = fs::read_to_string(lab.run_directory().join("plan.json")).unwrap();
    let plan: Value = serde_json::from_str(&plan).unwrap();
    assert_eq!((plan["seed"].as_u64(), plan["studies"][0]["rounds"].as_u64()), (Some(7), Some(1)));
    assert!(lab.records().iter().all(|record| record.values.count("groups") == Ok(30)));
    lab.assert_clean();
}

#[test]
fn a_mistake_in_a_file_is_one_line_and_measures_nothing() {
    let lab = Laboratory::new();
    for (text, message) in [
        (
            "[run]\nbugdet = '5m'\n",
            "syncline.toml line 2: unknown option \"bugdet\"; did you mean \"budget\"?",
        ),
        ("[run\n", "syncline.toml line 1: unclosed table, expected `]`"),
        ("out = 'elsewhere'\n", "syncline.toml line 1: out has to be typed: it names what is written"),
        (
            "[run]\nrounds = 0\n",
            "syncline.toml with the command line: invalid value '0' for '--rounds <N>': write a whole number from 1 to 1000",
        ),
    ] {
        write(&lab.path().join("syncline.toml"), text);
        refuses(&lab, &mut lab.run(&[]), USAGE, message);
        refuses(&lab, &mut lab.syncline(&["run", "tiny.toml", "-q"]), USAGE, message);
    }
    assert!(!lab.run_directory().exists());
    // What prints no result reads none.
    assert!(lab.syncline(&["completions", "bash"]).output().unwrap().status.success());
}

/// A stranger's file in the current directory had root run a program of theirs.
#[test]
fn a_planted_file_is_not_read() {
    let lab = Laboratory::new();
    let file = lab.path().join("syncline.toml");
    write(&file, "[run]\nrounds = 3\n");
    let rounds = |more: &[&str]| planned(&lab, more).0["studies"][0]["rounds"].as_u64();
    assert_eq!(rounds(&["--format", "json"]), Some(3));

    // Others may write to the user's own: without it the user would measure something else than they mean to.
    for (path, mode, before) in [(file.as_path(), 0o666, 0o644), (lab.path(), 0o1777, 0o700)] {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        refuses(
            &lab,
            &mut lab.run(&[]),
            USAGE,
            "syncline.toml: cannot read the defaults: others may write to [dir][..] (--no-defaults ignores the file)",
        );
        assert_eq!(rounds(&["--format", "json", "--no-defaults"]), Some(2));
        fs::set_permissions(path, Permissions::from_mode(before)).unwrap();
    }
    if !rustix::process::geteuid().is_root() {
        skip::because("only root can give a file away");
        return;
    }
    write(&file, "pg-bin = '/tmp'\n");
    for path in [file.as_path(), lab.path()] {
        chown(path, Some(NOBODY), None).unwrap();
        let (plan, output) = planned(&lab, &["--format", "json"]);
        assert_eq!(plan["studies"][0]["rounds"], 2);
        prints(&lab, &output, "syncline.toml was not read: [dir][..] belongs to user 65534");
        chown(path, Some(0), None).unwrap();
    }
}
