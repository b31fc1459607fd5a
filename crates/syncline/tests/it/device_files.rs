//! The figures of a disk for schedulers: measured, written, read again, and audited.

use crate::laboratory;

use laboratory::{Laboratory, prints, text};
use serde_json::Value;
use std::fs;
use std::process::Output;

const AUDIT_FAILED: i32 = 3;

fn export(lab: &Laboratory, format: &str) -> Output {
    lab.syncline(&["export", "run", "--format", format]).output().unwrap()
}

fn audited(lab: &Laboratory, name: &str, content: &str) -> Output {
    fs::write(lab.path().join(name), content).unwrap();
    lab.syncline(&["audit", name]).output().unwrap()
}

#[test]
fn a_run_of_the_study_writes_each_file_and_the_audit_reads_it() {
    let lab = Laboratory::new();
    let arguments =
        "run device-model --dir disk --out run --rounds 6 --budget 1h --fix size=4MiB --fix runtime=30ms";
    let output = lab.syncline(&arguments.split(' ').collect::<Vec<_>>()).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | AUDIT_FAILED)), "{}", text(&output));
    for (format, name, keys) in [
        (
            "io-properties",
            "io_properties.yaml",
            &["read_iops", "read_bandwidth", "write_iops", "write_bandwidth"][..],
        ),
        ("ceph-mclock", "ceph.conf", &["osd_mclock_max_capacity_iops"]),
        (
            "io-cost",
            "io.cost.sh",
            &["rbps", "rseqiops", "rrandiops", "wbps", "wseqiops", "wrandiops", "rlat", "wlat"],
        ),
    ] {
        let output = export(&lab, format);
        if !output.status.success() {
            // On a busy machine an audit may withhold a figure.
            prints(
                &lab,
                &output,
                "syncline: run: no file without its figures: [..]: not to be relied on: see the audits [..]",
            );
            continue;
        }
        let file = String::from_utf8(output.stdout).unwrap();
        assert!(file.lines().all(|line| !line.is_empty()), "{file}");
        for key in keys {
            let comment = file.lines().find(|line| line.starts_with('#') && line.contains(key));
            assert!(comment.is_some(), "{key}: {file}");
        }
        assert!(file.lines().any(|line| !line.starts_with('#')), "{file}");
        let content = if format == "io-cost" { commands(&file) } else { file };
        fs::write(lab.path().join(name), content).unwrap();
        let output = lab.syncline(&["audit", name, "--format", "json"]).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | AUDIT_FAILED)), "{}", text(&output));
        let audited: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(audited["checks"]["applied"].as_u64().unwrap() > 0, "{audited}");
    }
}

/// The lines that the commands write, with a device number for the one that the shell would look up.
fn commands(file: &str) -> String {
    let line = |line: &str| {
        let inner = line.strip_prefix("echo \"$(cat /sys/class/block/")?;
        let (_, rest) = inner.split_once("/dev)")?;
        Some(format!("8:0{}\n", rest.split_once('"')?.0))
    };
    file.lines().filter_map(line).collect()
}

#[test]
fn a_run_without_the_figures_is_refused_in_one_line() {
    let lab = Laboratory::new();
    lab.run(&["--rounds", "1"]).output().unwrap();
    for format in ["io-properties", "ceph-mclock", "io-cost"] {
        let output = export(&lab, format);
        let said = text(&output);
        assert_eq!(
            (output.status.code(), output.stdout.len(), said.lines().count()),
            (Some(1), 0, 1),
            "{said}"
        );
        prints(
            &lab,
            &output,
            "syncline: run: no file without its figures: [..]: not measured by this run; `syncline run device-model` measures it",
        );
    }
}

#[test]
fn an_impossible_file_fails_the_audit() {
    let lab = Laboratory::new();
    let cap = "disks:\n  - mountpoint: /data\n    read_iops: 262144\n    read_bandwidth: 262144\n    write_iops: 9000\n    write_bandwidth: 300M\n";
    let output = audited(&lab, "io_properties.yaml", cap);
    assert_eq!(output.status.code(), Some(AUDIT_FAILED), "{}", text(&output));
    prints(&lab, &output, "      and in bytes: a cap, not a disk");
    let output = audited(&lab, "broken.yaml", "disks:\n  - mountpoint: /data\n");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
}
