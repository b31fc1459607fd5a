//! Files for schedulers from a run that may come from anywhere; and as Ceph and Linux read them, where
//! `scripts/install-device-file-readers` has run.

use crate::fixture::specimen;
use crate::installed::{in_cache, said};
use model::mechanism::Measured;
use model::run::Run;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use synthetic::{Synthetic, name};
use verdict::Verdict;

const INSTALLER: &str = "install-device-file-readers";

/// A run that has every figure of a device file, on the disk loop0.
fn measured() -> (Run, Verdict) {
    let directions = ["randread", "read", "randwrite", "write"].map(name).to_vec();
    let study = Synthetic::device()
        .vary("mode", vec![name("direct")])
        .vary("rw", directions)
        .vary("bs", vec![model::Value::Bytes(4 << 10), model::Value::Bytes(1 << 20)])
        .edit(|record| {
            let measurement = record.measurement.as_mut().unwrap();
            measurement.placement.device = Measured::Value("loop0".to_owned());
            let metrics = &mut measurement.phases[0].metrics;
            let Measured::Value(mean) = metrics["completion_latency_mean_us"] else { panic!("made up") };
            metrics.insert("completion_latency_p99_us".to_owned(), Measured::Value(3.0 * mean));
        });
    let run = study.run();
    let verdict = verdict::analyse(&run, &|_| None);
    (run, verdict)
}

/// What the shell's commands or the lines of a file set `name` to.
#[track_caller]
fn value(file: &str, name: &str) -> String {
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    let mut words = lines.flat_map(|line| line.split([' ', '"']));
    let set = words.find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    set.unwrap_or_else(|| panic!("{name}: {file}")).to_owned()
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts").join(name)
}

#[test]
fn ceph_reads_the_capacity_of_any_osd() {
    let (run, verdict) = measured();
    let file = ratings::ceph_mclock(&run, &verdict).unwrap();
    let figure = file.lines().find_map(|line| line.strip_prefix("osd_mclock_max_capacity_iops_ssd = "));
    let figure = figure.unwrap_or_else(|| panic!("{file}"));
    if in_cache("device-file-readers/linux/vmlinuz", INSTALLER).is_none() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ceph.conf");
    fs::write(&path, &file).unwrap();
    let output = Command::new("ceph-conf")
        .arg("--conf")
        .arg(&path)
        .args(["--name", "osd.7", "--lookup", "osd_mclock_max_capacity_iops_ssd"])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), figure, "{}", said(&output));
}

#[test]
fn linux_takes_the_commands() {
    let (run, verdict) = measured();
    let file = ratings::io_cost(&run, &verdict).unwrap();
    let model = ["rbps", "rseqiops", "rrandiops", "wbps", "wseqiops", "wrandiops"];
    let limits = ["rpct", "rlat", "wpct", "wlat"];
    let given = model.iter().chain(&limits).map(|name| format!("{name}={}", value(&file, name)));
    let values: Vec<String> = given.chain(["ctrl=user", "enable=1"].map(str::to_owned)).collect();
    if in_cache("device-file-readers/linux/vmlinuz", INSTALLER).is_none() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("commands");
    fs::write(&path, &file).unwrap();
    let output = Command::new(script("ask-linux")).arg(&path).output().unwrap();
    let said = said(&output);
    let kept =
        |name: &str| said.lines().find_map(|line| line.split_once(name)).map(|(_, kept)| kept.to_owned());
    let kept = kept("io.cost.model: ").zip(kept("io.cost.qos: "));
    let (kept_model, kept_limits) = kept.unwrap_or_else(|| panic!("{said}"));
    let kept: Vec<&str> = kept_model.split(' ').chain(kept_limits.split(' ')).collect();
    assert!(values.iter().all(|value| kept.contains(&value.as_str())), "{values:?}: {said}");
}

/// A file of comments was written with exit code 0, as if it set something.
#[test]
fn a_file_that_would_set_nothing_is_an_error() {
    let (mut run, _) = measured();
    run.records.retain(|record| !record.values.text("rw").is_ok_and(|rw| rw == "randwrite"));
    let verdict = verdict::analyse(&run, &|_| None);
    assert!(ratings::io_properties(&run, &verdict).unwrap_err().starts_with("write_iops: "));
    assert!(ratings::ceph_mclock(&run, &verdict).is_err() && ratings::io_cost(&run, &verdict).is_err());
}

#[test]
fn a_shell_gets_no_name_that_linux_does_not_give() {
    let (mut run, verdict) = specimen(6);
    let refused = ["nvme0n1", "cciss!c0d0", "x/dev; touch pwned #"].map(|device| {
        for record in &mut run.records {
            if let Some(measurement) = &mut record.measurement {
                measurement.placement.device = Measured::Value(device.to_owned());
            }
        }
        ratings::io_cost(&run, &verdict).unwrap_err()
    });
    insta::assert_snapshot!(refused.join("\n"), @r"
    rbps: not measured by this run; `syncline run device-model` measures it
    rbps: not measured by this run; `syncline run device-model` measures it
    the block device's name is not one that Linux gives
    ");
}
