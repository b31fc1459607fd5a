//! The study `file-systems`, and proofs on fresh file systems, through the whole program.

use crate::laboratory::{Laboratory, prints, refuses, text};
use model::trial::{TrialOutcome, TrialRecord};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

const USAGE: i32 = 2;

/// A dry run needs no root: it makes nothing.
#[test]
fn a_dry_run_plans_every_file_system_under_both_patterns_in_turns() {
    let lab = Laboratory::new();
    for (more, configurations) in [
        (&[][..], 8),
        (&["--profile", "standard"], 14),
        (&["--vary", "filesystem=btrfs+nodatacow+noatime,btrfs"], 4),
    ] {
        let planned =
            ["run", "file-systems", "--dir", "disk", "--dry-run", "--format", "json", "--rounds", "1"];
        let output = lab.syncline(&planned).args(more).output().unwrap();
        let planned: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|why| panic!("{why}: {}", text(&output)));
        let study = &planned["studies"][0];
        assert_eq!(study["configurations"], configurations, "{study:#}");
        assert_eq!(study["in_turns"].as_array().unwrap().len(), configurations, "{study:#}");
        assert_eq!(planned["studies"].as_array().unwrap().len(), 1);
    }
    lab.assert_clean();
}

#[test]
fn a_level_that_no_file_system_has_is_refused_with_the_reason() {
    let lab = Laboratory::new();
    for (level, why) in [
        ("ext4+nodatacow", "ext4 has no option nodatacow, which btrfs has"),
        ("xfs+noatme", "unknown option of xfs \"noatme\"; did you mean \"noatime\"?"),
        ("ext4+relatime", "relatime is the default: leave it out"),
        ("xfs+bs=1k+bs=16k", "bs=1k and bs=16k exclude each other"),
        ("host+noatime", "host is mounted as it is: it takes no options"),
        (
            "zfs",
            "zfs is a pool of whole devices, which Syncline does not make: name a directory on a dataset of yours",
        ),
    ] {
        let fixed = format!("filesystem={level}");
        let run = ["run", "file-systems", "--dir", "disk", "--out", "run", "--fix", &fixed];
        let expected = format!("study file-systems: filesystem = \"{level}\": {why}");
        refuses(&lab, &mut lab.syncline(&run), USAGE, &expected);
    }
    let one_only = ["prove", "--arm", "a=", "--arm", "b=,,,xfs", "--dir", "disk", "--out", "proof"];
    refuses(
        &lab,
        &mut lab.syncline(&one_only),
        USAGE,
        "a fresh file system lies on an image, which costs more than the disk itself: name one for every arm, also for \
         the baseline",
    );
}

/// The options with which the kernel mounted the file system of a trial.
fn mount_options(record: &TrialRecord) -> Vec<&str> {
    assert_eq!(record.outcome, TrialOutcome::Ok, "{}", record.values);
    let placement = &record.measurement.as_ref().unwrap().placement;
    assert!(placement.device.value().unwrap().starts_with("loop"), "{placement:?}");
    placement.mount_options.split(',').collect()
}

#[test]
fn every_arm_is_on_the_file_system_that_its_level_names() {
    if !rustix::process::geteuid().is_root() {
        skip::because("mounting needs root");
        return;
    }
    let lab = Laboratory::new();
    let arguments = "run file-systems --dir disk --out run --rounds 1 --budget 1h --fix size=1MiB --fix runtime=50ms \
                     --vary filesystem=ext4,ext4+noatime,btrfs+nodatacow";
    let output = lab.syncline(&arguments.split_whitespace().collect::<Vec<_>>()).output().unwrap();
    if text(&output).contains("needs mkfs.btrfs") {
        skip::because("needs mkfs.btrfs");
        return;
    }
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let records = lab.records();
    let mut trials: BTreeMap<String, usize> = BTreeMap::new();
    for record in &records {
        let level = record.values.text("filesystem").unwrap();
        let options = mount_options(record);
        assert_eq!(options.contains(&"noatime"), level == "ext4+noatime", "{level}: {options:?}");
        assert_eq!(options.contains(&"nodatacow"), level == "btrfs+nodatacow", "{level}: {options:?}");
        *trials.entry(level.clone()).or_default() += 1;
    }
    assert!(trials.len() == 3 && trials.values().all(|trials| *trials >= 2), "{trials:?}");
    lab.assert_clean();
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(!mounts.contains(&lab.path().display().to_string()), "a mount is left: {mounts}");
}

/// Another user than root gets one line, before the first trial.
#[test]
fn without_root_the_study_says_what_it_needs() {
    let lab = Laboratory::open_to_all();
    let run = ["run", "file-systems", "--dir", "disk", "--out", "run"];
    let Some(mut command) = lab.unprivileged(&run) else { return };
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    prints(
        &lab,
        &output,
        "syncline: [..]other file systems than the directory's own need root; leave them out with --vary \
         filesystem=host",
    );
    lab.assert_clean();
}

#[cfg(feature = "postgresql")]
mod on_servers {
    use super::mount_options;
    use crate::laboratory::servers::{assert_empties, reachable};
    use crate::laboratory::{Laboratory, text};

    /// Two servers, on ext4 with the default and with another option.
    #[test]
    fn an_arm_of_a_proof_has_its_own_file_system() {
        if !rustix::process::geteuid().is_root() {
            skip::because("mounting needs root");
            return;
        }
        let (lab, disk) = (Laboratory::new(), reachable());
        let arguments = "prove --arm plain=,,,ext4 --arm other=,,,ext4+noatime --load insert-1 --runtime 100ms \
                         --budget 10m --seed 1 --format json --quiet --out proof --dir";
        let mut command = lab.syncline(&arguments.split_whitespace().collect::<Vec<_>>());
        let output = command.arg(disk.path()).output().unwrap();
        let document: Result<serde_json::Value, _> = serde_json::from_slice(&output.stdout);
        let document = document.unwrap_or_else(|why| panic!("{why}: {}", text(&output)));
        assert!(document.is_object(), "{document:#}");
        let records = lab.records_of("proof/stages/servers");
        assert!(records.len() >= 2 * 6, "{}", records.len());
        for record in &records {
            let level = record.values.text("filesystem").unwrap();
            let options = mount_options(record);
            assert_eq!(options.contains(&"noatime"), level == "ext4+noatime", "{level}: {options:?}");
        }
        let on = |level: &str| records.iter().filter(|record| record.values.is("filesystem", level)).count();
        assert!(on("ext4") >= 6 && on("ext4+noatime") >= 6);
        assert_empties(disk.path());
    }
}
