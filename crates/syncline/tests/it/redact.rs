//! `--redact`: names that were planted in the records are in no output of `report`, `export` and `run`.

use crate::laboratory::{Laboratory, prints, root, text};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Output;

const PLANTED: [&str; 5] =
    ["plantedhost", "plantedcommandline", "planteduser", "plantedserial", "plantedaddress"];

/// A committed run with the names planted: as facts, in mount options, and in the message of a trial that failed.
fn plant(run: &Path) {
    fs::create_dir(run).unwrap();
    let source = root().join("crates/lab/tests/format_1");
    fs::create_dir(run.join("sidecars")).unwrap();
    for file in fs::read_dir(source.join("sidecars")).unwrap().map(|entry| entry.unwrap().path()) {
        fs::copy(&file, run.join("sidecars").join(file.file_name().unwrap())).unwrap();
    }
    let read = |name: &str| fs::read_to_string(source.join(name)).unwrap();
    let mut host: Value = serde_json::from_str(&read("host.json")).unwrap();
    host["name"] = json!("plantedhost");
    host["kernel_command_line"] = json!("root=UUID=plantedcommandline quiet");
    fs::write(run.join("host.json"), host.to_string()).unwrap();
    let mut plan: Value = serde_json::from_str(&read("plan.json")).unwrap();
    plan["directory"] = json!("/home/planteduser/bench");
    fs::write(run.join("plan.json"), plan.to_string()).unwrap();
    let mut lines = String::new();
    for (place, line) in read("trials.jsonl").lines().enumerate() {
        let mut record: Value = serde_json::from_str(line).unwrap();
        if place == 10 {
            record["outcome"] = json!({ "failed": "/home/planteduser/bench/data on plantedhost, /dev/disk/by-id/nvme-PLANTEDSERIAL: full" });
            record.as_object_mut().unwrap().remove("measurement");
        } else {
            record["measurement"]["placement"]["mount_options"] = json!("rw,addr=plantedaddress");
        }
        lines += &record.to_string();
        lines.push('\n');
    }
    fs::write(run.join("trials.jsonl"), lines).unwrap();
}

fn named(text: &str) -> Vec<&'static str> {
    let text = text.to_lowercase();
    PLANTED.into_iter().filter(|name| text.contains(name)).collect()
}

fn told(output: &Output) -> String {
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(output));
    text(output)
}

#[test]
fn planted_names_are_in_no_output() {
    let lab = Laboratory::new();
    let run = lab.run_directory();
    plant(&run);
    told(&lab.syncline(&["report", "run"]).output().unwrap());
    let page = fs::read_to_string(run.join("report.html")).unwrap();
    assert_eq!(named(&page), PLANTED, "the page does not have what is to be left out");

    let mut outputs = vec![("report", told(&lab.syncline(&["report", "run", "--redact"]).output().unwrap()))];
    outputs.push(("report.html", fs::read_to_string(run.join("report.html")).unwrap()));
    for file in fs::read_dir(run.join("advice")).into_iter().flatten() {
        outputs.push(("advice", fs::read_to_string(file.unwrap().path()).unwrap()));
    }
    let elsewhere = lab.syncline(&["report", "run", "--redact", "--html", "page.html"]).output().unwrap();
    outputs.push(("report --html", told(&elsewhere)));
    outputs.push(("page.html", fs::read_to_string(lab.path().join("page.html")).unwrap()));
    for format in ["markdown", "json", "long", "csv"] {
        let exported = lab.syncline(&["export", "run", "--redact", "--format", format]).output().unwrap();
        outputs.push((format, told(&exported)));
    }
    for arguments in [&["advise", "run", "--redact"][..], &["advise", "run", "--redact", "--format", "json"]]
    {
        outputs.push(("advise", told(&lab.syncline(arguments).output().unwrap())));
    }
    for file in fs::read_dir(run.join("advice")).into_iter().flatten() {
        outputs.push(("advice of advise", fs::read_to_string(file.unwrap().path()).unwrap()));
    }
    // The document names the run directory, whose path may hold a name too.
    let named_run = lab.path().join("planteduser");
    fs::rename(&run, &named_run).unwrap();
    let document = lab.syncline(&["report", "planteduser", "--redact", "--format", "json"]).output().unwrap();
    outputs.push(("report --format json", told(&document)));
    outputs.extend(compared(&lab, "planteduser"));
    for (what, output) in &outputs {
        assert!(output.len() > 100, "{what} is empty: {output}");
        assert_eq!(named(output), Vec::<&str>::new(), "{what}");
    }
}

/// The run against one of another machine, which differs by its names.
fn compared(lab: &Laboratory, run: &str) -> Vec<(&'static str, String)> {
    let (run, other) = (lab.path().join(run), lab.path().join("plantedhost"));
    copy(&run, &other);
    let host = fs::read_to_string(other.join("host.json")).unwrap();
    fs::write(other.join("host.json"), host.replace("plantedhost", "plantedhost2")).unwrap();
    let arguments = ["compare", "planteduser", "plantedhost", "--html", "difference.html"];
    let run_of = |arguments: &[&str]| lab.syncline(arguments).output().unwrap();
    let named_in = |arguments: &[&str]| told(&run_of(arguments));
    assert!(!named(&named_in(&arguments)).is_empty(), "the comparison does not have what is to be left out");
    let redacted = run_of(&[&arguments[..], &["--redact"]].concat());
    prints(lab, &redacted, "Two machines: A was made on redacted-1 ([..]), B on redacted-2 ([..]");
    let text = told(&redacted);
    let page = fs::read_to_string(lab.path().join("difference.html")).unwrap();
    let document = named_in(&[&arguments[..3], &["--redact", "--format", "json"]].concat());
    vec![("compare", text), ("compare --html", page), ("compare --format json", document)]
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let path = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &path);
        } else {
            fs::copy(entry.path(), path).unwrap();
        }
    }
}

#[test]
fn a_run_can_be_reported_without_its_names_at_once() {
    let lab = Laboratory::new();
    let arguments = ["run", "tiny.toml", "--out", "run", "--rounds", "1", "--redact"];
    let output = told(&lab.syncline(&arguments).output().unwrap());
    let page = fs::read_to_string(lab.run_directory().join("report.html")).unwrap();
    let directory = lab.path().canonicalize().unwrap();
    let directory = directory.file_name().unwrap().to_str().unwrap();
    assert!(!page.contains(directory), "the page names the measured directory");
    let summary = output.split("\nReport: ").nth(1).expect("the summary says where the report is");
    assert!(summary.starts_with("run/report.html"), "{summary}");
    assert!(fs::read_to_string(lab.run_directory().join("plan.json")).unwrap().contains(directory));
}
