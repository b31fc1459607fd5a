//! Limits of a control group: what is planted comes out, fio in such a group measures the same, and `syncline size`
//! finds them as the limits of a load.

use crate::laboratory::trial::figure;
use crate::laboratory::{Laboratory, fio, refuses, text};
use disk::cgroup::IoGroup;
use model::IoCap;
use model::host::LimitOf;
use serde_json::Value;
use std::fs;
use std::process::Command;

const RUNTIME: &str = "2s";
/// A limit lets a part of a slice through at the beginning.
const WITHIN: f64 = 0.15;

/// A group with these limits on the disk of the laboratory; `None`, with the reason printed, if none can be made.
fn group(lab: &Laboratory, cap: &str) -> Option<IoGroup> {
    let id = format!("size-{}-{}", std::process::id(), cap.len());
    match IoGroup::create(&id, &lab.disk(), &IoCap::parse(cap).unwrap()) {
        Ok(group) => Some(group),
        Err(why) => {
            skip::because(why);
            None
        }
    }
}

/// fio in a group with these limits, and the property of its one job.
fn fio_in_group(lab: &Laboratory, cap: &str, options: &[&str], of: &str) -> Option<f64> {
    fio(lab, &["--version"])?;
    let group = group(lab, cap)?;
    let entrance = group.path().join("cgroup.procs");
    let mut command = Command::new("sh");
    command.args(["-c", "echo $$ >\"$1\" && shift && exec fio \"$@\"", "sh"]).arg(&entrance);
    command.args([
        "--name=job",
        "--directory=disk",
        "--direct=1",
        "--ioengine=psync",
        "--output-format=json",
    ]);
    let output = command.args(options).current_dir(lab.path()).output().unwrap();
    group.remove().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    result["jobs"][0].pointer(of).unwrap().as_f64()
}

const STUDY: &str = r#"
question = "What does a limit do?"
workload = "device"
[fixed]
mode = "direct"
ioengine = "psync"
size = "8MiB"
runtime = "RUNTIME"
[[arm]]
name = "reads"
rw = "randread"
io_cap = "riops=100"
[[arm]]
name = "writes"
rw = "randwrite"
bs = "64KiB"
io_cap = "wbps=2MiB wiops=1000"
[profile.quick]
rounds = 1
warmup_rounds = 0
"#;

/// Reads a second and bytes written a second under the limits, of Syncline and of fio; `None` without groups or fio.
fn under_limits() -> Option<[(f64, f64); 2]> {
    let lab = Laboratory::new();
    group(&lab, "riops=1")?;
    let records = lab.measure(&STUDY.replace("RUNTIME", RUNTIME));
    let of = |arm: &str| records.iter().find(|record| record.values.is("arm", arm)).unwrap();
    let limits = |arm: &str| {
        let placement = &of(arm).measurement.as_ref().unwrap().placement;
        let limits = placement.io_limits.as_ref().unwrap().iter();
        limits.map(|limit| (limit.of, limit.per_s)).collect::<Vec<_>>()
    };
    assert_eq!(limits("reads"), [(LimitOf::Reads, 100)]);
    assert!(limits("writes").contains(&(LimitOf::BytesWritten, 2 << 20)));
    let (reads, written) = (figure(of("reads"), "iops"), figure(of("writes"), "bandwidth_bytes_per_s"));
    assert!(reads <= 100.0 * (1.0 + WITHIN), "{reads} reads/s");
    assert!(written <= f64::from(2 << 20) * (1.0 + WITHIN), "{written} bytes/s");

    let runtime = format!("--runtime={RUNTIME}");
    let common = ["--size=8m", "--time_based", &runtime];
    let options = [&common[..], &["--rw=randread", "--bs=4k"]].concat();
    let their_reads = fio_in_group(&lab, "riops=100", &options, "/read/iops")?;
    let options = [&common[..], &["--rw=randwrite", "--bs=64k"]].concat();
    let their_written = fio_in_group(&lab, "wbps=2MiB wiops=1000", &options, "/write/bw_bytes")?;
    Some([(reads, their_reads), (written, their_written)])
}

/// A disk that other tests keep busy may stall, and then lets less through than the limit, here or there. An attempt
/// without that shows the same figures; ten with a true difference do not.
#[test]
fn a_planted_limit_comes_out_and_fio_measures_the_same() {
    let mut attempts = Vec::new();
    for _ in 0..10 {
        let Some(pairs) = under_limits() else { return };
        if pairs.iter().all(|(ours, theirs)| (ours / theirs - 1.0).abs() <= WITHIN) {
            return;
        }
        attempts.push(pairs);
    }
    panic!("reads/s and bytes/s, of Syncline and of fio: {attempts:?}");
}

/// The audits see the limits: those of the configuration are what is measured, and they held.
#[test]
fn the_limits_of_a_configuration_are_no_finding_of_an_audit() {
    let lab = Laboratory::new();
    if group(&lab, "riops=2").is_none() {
        return;
    }
    lab.measure(&STUDY.replace("RUNTIME", "500ms"));
    let output = lab.syncline(&["export", "run", "--format", "json"]).output().unwrap();
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let audits = result["studies"][0]["audits"].as_array().unwrap();
    let status = |name: &str| {
        let audit = audits.iter().find(|audit| audit["name"] == name).unwrap();
        audit["status"].as_str().unwrap().to_owned()
    };
    assert_eq!(status("io-limit"), "pass");
}

#[test]
fn a_load_that_no_limit_reaches_is_refused() {
    let lab = Laboratory::new();
    if group(&lab, "riops=3").is_none() {
        return;
    }
    let buffered = STUDY.replace("mode = \"direct\"", "mode = \"buffered\"").replace("RUNTIME", "100ms");
    fs::write(lab.path().join("buffered.toml"), buffered).unwrap();
    let mut command = lab.syncline(&["size", "buffered.toml", "--arm", "writes", "--dir", "disk"]);
    refuses(
        &lab,
        &mut command,
        2,
        "study buffered: io_cap limits nothing of this load: buffered writes without a sync are written back by threads \
         of the kernel, which are not in the control group",
    );
    let mut command = lab.syncline(&["size", "buffered.toml", "--arm", "wrong", "--dir", "disk"]);
    refuses(&lab, &mut command, 2, "unknown arm \"wrong\"; there are: reads, writes");
    let mut command = lab.syncline(&["size", "buffered.toml", "--dir", "nowhere"]);
    let line = "cannot read the free space of nowhere: No such file or directory (os error 2); it must exist: check the path";
    refuses(&lab, &mut command, 1, line);
}

const LOAD: &str = r#"
question = "What does this load need?"
workload = "device"
baseline = { mode = "direct" }
[factors]
mode = ["direct"]
[fixed]
rw = "randread"
ioengine = "psync"
size = "4MiB"
runtime = "250ms"
"#;
const VOLUMES: &str = "[[volume]]\nname = \"plenty\"\niops = 1000000000\nusd_per_gib = 1\nsource = \"-\"\n\
                       read_on = \"2026-11-28\"\n[[volume]]\nname = \"little\"\niops = 1\nsource = \"-\"\n\
                       read_on = \"2026-11-28\"\n";

/// On a disk of its own, which no other test keeps busy.
#[test]
fn a_sizing_measures_a_load_under_its_caps_and_goes_on_where_it_was_stopped() {
    let lab = Laboratory::new();
    fs::write(lab.path().join("load.toml"), LOAD).unwrap();
    fs::write(lab.path().join("volumes.toml"), VOLUMES).unwrap();
    let mount = "truncate -s 64M image && mkfs.ext4 -q image && mount -o loop image disk && exec \"$@\"";
    let mounted = |arguments: &[&str]| {
        let program = lab.syncline(arguments);
        let mut command = Command::new("unshare");
        command.args(["--mount", "--propagation", "private", "sh", "-c", mount, "sh"]);
        command.arg(program.get_program()).args(program.get_args()).current_dir(lab.path());
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.output()
    };
    let arguments =
        ["size", "load.toml", "--dir", "disk", "--out", "sizing", "--rounds", "1", "--gib", "100"];
    let arguments = [&arguments[..], &["--volumes", "volumes.toml", "--format", "json"]].concat();
    let output = mounted(&arguments).unwrap();
    if group(&lab, "riops=4").is_none() {
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let demand = result["demand"]["reads_per_s"].as_f64().unwrap();
    assert!(demand > 0.0 && result["uncapped"][0].as_f64().unwrap() > 0.0);
    assert_eq!(result["metrics"].as_array().unwrap().len(), 2, "reads have one p99: {}", result["metrics"]);
    for curve in result["curves"].as_array().unwrap() {
        let rungs = curve["rungs"].as_array().unwrap();
        // The last ladder, and the coarse caps beside it.
        assert!(rungs.len() >= 5, "{curve}");
        let of_load = |rung: &Value| rung["cap"].as_f64().unwrap() / curve["demand"].as_f64().unwrap();
        assert!(of_load(&rungs[0]) < 0.26 && of_load(rungs.last().unwrap()) > 3.9, "{curve}");
        assert!(rungs.windows(2).all(|pair| of_load(&pair[0]) < of_load(&pair[1])), "{curve}");
        // Without six rounds nothing is proven.
        assert!(curve["knee"].is_null(), "{curve}");
        if curve["kind"] == "iops" {
            let (cap, given) = (&rungs[0]["cap"], &rungs[0]["levels"][0]["mean"]);
            let (cap, given) = (cap.as_f64().unwrap(), given.as_f64().unwrap());
            assert!(given <= cap * 1.5, "{given} reads/s under a cap of {cap}");
        }
    }
    let offers = result["offers"].as_array().unwrap();
    let names: Vec<&str> = offers.iter().map(|offer| offer["volume"].as_str().unwrap()).collect();
    assert_eq!(names, ["plenty", "little"], "the cheapest first, those without a price last");
    assert_eq!(offers[0]["usd_per_month"], 100.0);
    assert!(offers[1]["basis"]["below_ladder"].is_object(), "{}", offers[1]);

    for stage in ["pilot", "coarse", "fine"] {
        assert!(lab.path().join("sizing").join(stage).join("trials.jsonl").is_file());
    }
    fs::write(lab.path().join("load.toml"), LOAD.replace("4MiB", "2MiB")).unwrap();
    let other = mounted(&arguments).unwrap();
    assert_eq!(other.status.code(), Some(2), "{}", text(&other));
}
