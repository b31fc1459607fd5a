//! `syncline fleet` on runs of many hosts, made of one made-up run.

mod multiplied;

use crate::laboratory::made_up::write_run;
use crate::laboratory::{Laboratory, is_line, prints, text};
use multiplied::{Copy, Original};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;
use synthetic::Synthetic;

const RUNTIME: i32 = 1;
const SLOW: i32 = 4;
const UNDECIDED: i32 = 98;

/// A made-up run of seven rounds that passes its audits, as its files.
fn original(lab: &Laboratory) -> Original {
    let run = Synthetic::commit().rounds(7).scatter(0.0).run();
    let directory = lab.path().join("original");
    write_run(&run, &directory);
    Original::read(&directory).unwrap()
}

fn name(host: usize) -> String {
    format!("node{host:02}")
}

/// Measures a host on a day, on the second day again; the third one has half of the others' speed.
fn measure(lab: &Laboratory, original: &Original, host: &str, day: u32) {
    let times = if host == "node03" { 0.5 } else { 1.0 };
    let copy = Copy { host, day, again: day == 2, times, scatter: 0.02 };
    original.write(&lab.path().join(format!("fleet/day-{day}/{host}")), &copy).unwrap();
}

fn fleet(lab: &Laboratory, more: &[&str]) -> Output {
    lab.syncline(&["fleet", "fleet"]).args(more).output().unwrap()
}

fn document(lab: &Laboratory) -> Value {
    serde_json::from_slice(&fleet(lab, &["--format", "json"]).stdout).unwrap()
}

fn hosts_that_are(document: &Value, standing: &str) -> Vec<String> {
    let disks = document["disks"].as_array().unwrap().iter();
    let found = disks.filter(|disk| disk["standing"] == standing);
    found.map(|disk| disk["host"].as_str().unwrap().to_owned()).collect()
}

/// The whole way: everybody is measured, then the list, then the slow disk is named.
#[test]
fn a_slow_disk_is_named_after_what_the_list_says_was_measured() {
    let lab = Laboratory::new();
    let original = original(&lab);
    (0..20).for_each(|host| measure(&lab, &original, &name(host), 1));
    let output = fleet(&lab, &["--remeasure-plan", "again.tsv", "--seed", "5"]);
    assert_eq!(output.status.code(), Some(UNDECIDED), "{}", text(&output));
    let first = document(&lab);
    assert_eq!(hosts_that_are(&first, "suspect"), ["node03"]);
    assert_eq!(hosts_that_are(&first, "within_limits").len(), 19);

    let list = fs::read_to_string(lab.path().join("again.tsv")).unwrap();
    assert!(list.starts_with("# syncline fleet: 1 suspect and 6 random controls"), "{list}");
    let rows = list.lines().filter(|line| !line.starts_with('#'));
    let rows: Vec<Vec<&str>> = rows.map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows.len(), 7);
    for row in &rows {
        let [role, host, run, command] = row[..] else { panic!("{row:?}") };
        assert_eq!(role == "suspect", host == "node03");
        assert!(run.ends_with(host), "{run}");
        let is_whole =
            command.starts_with("syncline run commit ") && command.ends_with(" --again --dir /srv/data");
        assert!(is_whole, "{command}");
        measure(&lab, &original, host, 2);
    }

    let output = fleet(&lab, &["--html", "fleet.html"]);
    assert_eq!(output.status.code(), Some(SLOW), "{}", text(&output));
    prints(&lab, &output, "  proven slow  node03:/srv/data  model not reported · Linux 6.18.0 · ext4");
    let second = document(&lab);
    assert_eq!(hosts_that_are(&second, "slow"), ["node03"]);
    assert_eq!((&second["runs"], &second["overlaps"]), (&json!(27), &json!([])));
    let page = fs::read_to_string(lab.path().join("fleet.html")).unwrap();
    assert_eq!(page.matches("<tr><th scope=\"row\">node").count(), 20, "a row for each disk");
}

#[test]
fn a_fleet_of_equal_disks_is_within_its_limits() {
    let lab = Laboratory::new();
    let original = original(&lab);
    (10..22).for_each(|host| measure(&lab, &original, &name(host), 1));
    let output = fleet(&lab, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

#[test]
fn few_disks_are_not_assessable() {
    let lab = Laboratory::new();
    let original = original(&lab);
    (0..7).for_each(|host| measure(&lab, &original, &name(host), 1));
    let output = fleet(&lab, &[]);
    assert_eq!(output.status.code(), Some(UNDECIDED), "{}", text(&output));
    assert_eq!(hosts_that_are(&document(&lab), "not_assessable").len(), 7);
}

/// A failed audit of the second run withholds the name: another program used the disk.
#[test]
fn a_disk_that_others_used_is_not_named() {
    let lab = Laboratory::new();
    let mut original = original(&lab);
    for host in 0..20 {
        measure(&lab, &original, &name(host), 1);
        if host != 3 {
            measure(&lab, &original, &name(host), 2);
        }
    }
    original.edit(|record| {
        let phases = record.pointer_mut("/measurement/phases").unwrap().as_array_mut().unwrap();
        for phase in phases {
            phase["mechanism"]["device"]["read_bytes"] = (1_u64 << 40).into();
        }
    });
    measure(&lab, &original, "node03", 2);
    let output = fleet(&lab, &[]);
    assert_eq!(output.status.code(), Some(UNDECIDED), "{}", text(&output));
    let document = document(&lab);
    assert_eq!(hosts_that_are(&document, "slow"), Vec::<String>::new());
    let suspects = document["suspects"].as_array().unwrap();
    assert!(suspects.iter().any(|suspect| suspect["outcome"] == "doubted"), "{suspects:#?}");
}

#[test]
fn a_run_that_cannot_be_read_is_reported_and_the_others_are_compared() {
    let lab = Laboratory::new();
    let original = original(&lab);
    (10..20).for_each(|host| measure(&lab, &original, &name(host), 1));
    fs::write(lab.path().join("fleet/day-1/node12/plan.json"), "{}").unwrap();
    let output = fleet(&lab, &[]);
    assert_eq!(output.status.code(), Some(RUNTIME), "{}", text(&output));
    let document = document(&lab);
    assert_eq!(hosts_that_are(&document, "within_limits").len(), 9);
    assert_eq!(document["unread"].as_array().unwrap().len(), 1);
}

/// A rank that was killed, a copy that lost its plan, and what an administrator's file system has: nothing of it is
/// silent.
#[test]
fn what_left_no_run_is_not_within_limits() {
    let lab = Laboratory::new();
    let original = original(&lab);
    (10..20).for_each(|host| measure(&lab, &original, &name(host), 1));
    let folder = lab.path().join("fleet/day-1");
    fs::create_dir(folder.join("lost+found")).unwrap();
    fs::set_permissions(folder.join("lost+found"), fs::Permissions::from_mode(0o000)).unwrap();
    assert_eq!(fleet(&lab, &[]).status.code(), Some(0), "{}", text(&fleet(&lab, &[])));

    for host in 10..20 {
        let path = folder.join(name(host)).join("plan.json");
        let mut plan: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        plan["rank"] = json!({ "rank": host - 10, "size": 11 });
        fs::write(&path, plan.to_string()).unwrap();
    }
    let output = fleet(&lab, &[]);
    assert_eq!(output.status.code(), Some(UNDECIDED), "{}", text(&output));
    assert_eq!(document(&lab)["missing_ranks"][0]["first"], json!([10]));

    fs::remove_file(folder.join("node12/plan.json")).unwrap();
    let output = fleet(&lab, &[]);
    assert_eq!(output.status.code(), Some(RUNTIME), "{}", text(&output));
    prints(&lab, &output, "  note  not used: fleet/day-1/node12 is not a run directory: it has no plan.json");
}

/// Two studies that have nothing in common are two commands, and each has a run directory of its own.
#[test]
fn the_list_has_a_line_for_each_command() {
    let lab = Laboratory::new();
    let mut original = original(&lab);
    original.edit_plan(|plan| plan["studies"][0]["name"] = "mine".into());
    original.edit(|record| record["study"] = "mine".into());
    (0..20).for_each(|host| measure(&lab, &original, &name(host), 1));
    let output = fleet(&lab, &["--remeasure-plan", "again.tsv", "--seed", "5"]);
    assert_eq!(output.status.code(), Some(UNDECIDED), "{}", text(&output));
    let list = fs::read_to_string(lab.path().join("again.tsv")).unwrap();
    assert!(list.lines().any(|line| is_line(line, "# node03: mine is not a built-in study[..]")), "{list}");
    assert!(!list.contains("&&"), "a shell would run two commands: {list}");
    let runs: BTreeSet<&str> = list.lines().filter_map(|line| line.split('\t').nth(2)).collect();
    assert_eq!(runs.len(), 8, "seven names and the heading: {list}");
}

#[test]
fn a_folder_without_runs_is_one_line() {
    let lab = Laboratory::new();
    for folder in ["disk", "absent"] {
        let output = lab.syncline(&["fleet", folder]).output().unwrap();
        assert_eq!(output.status.code(), Some(RUNTIME), "{}", text(&output));
        assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1);
    }
    assert!(!Path::new(&lab.path().join("disk/report.html")).exists());
}
