//! The scan workload through the whole program: Syncline's own files, a directory of the user, and its possible errors.

use crate::laboratory;

use laboratory::trial::figure;
use laboratory::{Laboratory, WITHOUT_WAITING, assert_line, prints, refuses, text, waiting};
use model::trial::{TrialOutcome, TrialRecord};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Stdio;

/// Two passes over four files of 256 KiB, in blocks of 64 KiB.
fn study(factors: &str, fixed: &str) -> String {
    format!(
        "question = \"Does it read?\"\nworkload = \"scan\"\nbaseline = {{}}\n[factors]\n{factors}\n[fixed]\nfiles = 4\n\
         file_size = \"256KiB\"\nblock_size = \"64KiB\"\npasses = 2\n{fixed}\n[profile.quick]\nrounds = 1\nwarmup_rounds = 0\n"
    )
}

fn passes(record: &TrialRecord, metric: &str) -> Vec<f64> {
    let phases = &record.measurement.as_ref().unwrap().phases;
    phases.iter().map(|phase| *phase.metrics[metric].value().unwrap()).collect()
}

fn ok(record: &TrialRecord) -> bool {
    match &record.outcome {
        TrialOutcome::Ok => true,
        TrialOutcome::Unsupported(why) if record.values.is("page_cache", "dontcache") => {
            skip::because(why);
            false
        }
        other => panic!("{}: {other:?}", record.values),
    }
}

#[test]
fn every_way_reads_every_byte_cold_in_every_pass() {
    let lab = Laboratory::new();
    let records = lab.measure(&study(
        "page_cache = [\"auto\", \"normal\", \"sequential\", \"random\", \"dontneed\", \"dontcache\", \"direct\", \"mmap\"]\n\
         buffers = [\"pooled\", \"malloc\", \"fresh\"]",
        "concurrency = 2",
    ));
    assert_eq!(records.len(), 24);
    for record in records.iter().filter(|record| ok(record)) {
        assert_eq!(passes(record, "pass_read_bytes"), [1024.0 * 1024.0; 2], "{}", record.values);
        assert!(
            passes(record, "pass_cached_share_before").iter().all(|share| *share < 0.01),
            "{}",
            record.values
        );
        // 32 blocks of 16 pages in two passes: fresh memory faults for each.
        let faults = figure(record, "minor_faults");
        assert!(!record.values.is("buffers", "fresh") || faults >= 512.0, "{}: {faults}", record.values);
        let left = figure(record, "cached_share_after");
        let keeps = !["direct", "dontcache"].iter().any(|mode| record.values.is("page_cache", mode));
        assert!(left > 0.9 || !keeps, "{}: {left}", record.values);
        assert!(!record.values.is("page_cache", "direct") || left < 0.01, "{}: {left}", record.values);
    }
}

#[test]
fn a_dataset_that_is_dropped_once_is_cached_in_the_second_pass() {
    let lab = Laboratory::new();
    let records = lab.measure(&study("cache = [\"cold_each_pass\", \"cold\", \"warm\"]", ""));
    for record in &records {
        assert!(ok(record));
        let before = passes(record, "pass_cached_share_before");
        let expected = match record.values.text("cache").unwrap().as_str() {
            "cold_each_pass" => [0.0, 0.0],
            "cold" => [0.0, 1.0],
            _ => [1.0, 1.0],
        };
        for (before, expected) in before.iter().zip(expected) {
            assert!((before - expected).abs() < 0.02, "{}: {before}, not {expected}", record.values);
        }
    }
}

/// The study, small: page 004's six rows and the pairs of block size and hint that they leave out, both ways.
#[test]
fn page_004s_rows_run() {
    let lab = Laboratory::new();
    let output = lab
        .syncline(&["run", "scan", "--dir", "disk", "--out", "run", "--rounds", "1"])
        .args(["--fix", "files=2", "--fix", "file_size=1MiB"])
        .args(WITHOUT_WAITING)
        .output()
        .unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let records = lab.records();
    assert_eq!(records.len(), 18);
    for record in &records {
        assert!(ok(record));
        assert!(figure(record, "later_passes_bandwidth_bytes_per_s") > 0.0, "{}", record.values);
    }
}

/// A directory that the user names is read, wherever its files lie, and afterwards it is as it was.
#[test]
fn a_users_dataset_is_read_and_nothing_else() {
    let lab = Laboratory::new();
    let dataset = lab.path().join("dataset");
    fs::create_dir_all(dataset.join("deep/er")).unwrap();
    for (name, bytes) in [("b", 5000), ("a", 70_000), ("deep/er/c", 1), ("empty", 0)] {
        fs::write(dataset.join(name), vec![1; bytes]).unwrap();
    }
    symlink("/etc/passwd", dataset.join("link")).unwrap();
    let target = format!("target = {:?}", dataset.display().to_string());
    let records = lab.measure(&study("page_cache = [\"normal\", \"direct\"]", &target));
    for record in &records {
        assert!(ok(record));
        assert_eq!(passes(record, "pass_read_bytes"), [75_001.0; 2]);
        assert_eq!((record.values.count("files"), record.values.bytes("file_size")), (Ok(4), Ok(18_751)));
    }
    assert_eq!(fs::read_dir(&dataset).unwrap().count(), 5);
    assert_eq!(fs::read(dataset.join("b")).unwrap(), vec![1; 5000]);
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// The author of the plan would choose what the user, or root, reads and starts.
#[test]
fn a_run_of_somebody_else_that_names_a_place_is_not_resumed() {
    let lab = Laboratory::new();
    let dataset = lab.path().join("dataset");
    fs::create_dir(&dataset).unwrap();
    fs::write(dataset.join("a"), vec![1; 70_000]).unwrap();
    let target = format!("target = {:?}", dataset.display().to_string());
    lab.measure(&study("page_cache = [\"normal\", \"direct\"]", &target));
    let resumed = || lab.syncline(&["run", "--resume", "run"]).output().unwrap();
    fs::set_permissions(lab.run_directory(), Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(resumed().status.code(), Some(0 | 3)), "{}", text(&resumed()));
    fs::set_permissions(lab.run_directory(), Permissions::from_mode(0o777)).unwrap();
    let refused = resumed();
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
    prints(
        &lab,
        &refused,
        "syncline: run: it names target = [dir]/dataset, and is not continued: others may write to [dir]/run: chmod go-w [dir]/run",
    );
}

#[test]
fn files_that_may_not_be_read_are_counted_and_the_first_named() {
    let lab = Laboratory::open_to_all();
    let dataset = lab.path().join("dataset");
    fs::create_dir(&dataset).unwrap();
    for name in ["a", "b", "c", "d"] {
        fs::write(dataset.join(name), vec![1; 70_000]).unwrap();
    }
    for name in ["b", "d"] {
        chmod(&dataset.join(name), 0);
    }
    let target = format!("target = {:?}", dataset.display().to_string());
    fs::write(lab.path().join("study.toml"), study("cache = [\"cold_each_pass\", \"warm\"]", &target))
        .unwrap();
    let arguments = ["run", "study.toml", "--dir", "disk", "--out", "run"];
    let Some(mut command) = lab.unprivileged(&arguments) else { return };
    let output = command.args(WITHOUT_WAITING).output().unwrap();
    let said = text(&output);
    assert!(!output.status.success(), "{said}");
    let records = lab.records();
    assert_eq!(records.len(), 2, "{said}");
    for record in &records {
        let TrialOutcome::Failed(why) = &record.outcome else { panic!("{:?}", record.outcome) };
        assert_line(
            &lab.lines(why.as_bytes()),
            "[dir]/dataset: 2 of 4 files could not be read, in order to [..] them; the first: cannot open [dir]/dataset/b: Permission denied (os error 13); choose a writable directory",
        );
    }
    lab.assert_clean();
}

/// A trial of fewer files would have been averaged with the others.
#[test]
fn a_dataset_that_changes_during_a_run_fails_the_trials_after_it() {
    let lab = Laboratory::new();
    let dataset = lab.path().join("dataset");
    fs::create_dir(&dataset).unwrap();
    for name in ["a", "b", "c"] {
        fs::write(dataset.join(name), vec![1; 90_000]).unwrap();
    }
    let target = format!("target = {:?}", dataset.display().to_string());
    let study =
        study("page_cache = [\"normal\", \"direct\"]", &target).replace("rounds = 1\n", "rounds = 20\n");
    fs::write(lab.path().join("study.toml"), study).unwrap();
    let mut run = lab
        .syncline(&["run", "study.toml", "--dir", "disk", "--out", "run"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    assert!(waiting::for_trials(&lab, 1, &mut run), "it ended by itself");
    fs::remove_file(dataset.join("b")).unwrap();
    assert!(!run.wait().unwrap().success());
    let records = lab.records();
    let last = &records.last().unwrap().outcome;
    let TrialOutcome::Failed(why) = last else { panic!("{last:?}") };
    assert_line(
        &lab.lines(why.as_bytes()),
        "[..]: the dataset has changed since the plan was made: 3 files of 90000B on average then, 2 of 90000B now",
    );
}

#[test]
fn a_bad_target_is_one_clear_line() {
    let lab = Laboratory::new();
    fs::create_dir(lab.path().join("empty")).unwrap();
    fs::create_dir(lab.path().join("links")).unwrap();
    symlink("/dev/null", lab.path().join("links/device")).unwrap();
    fs::write(lab.path().join("file"), "x").unwrap();
    for (target, message) in [
        (
            "./missing",
            "study scan-concurrency: ./missing: cannot list the directory: No such file or directory (os error 2); check the path given as target",
        ),
        ("./empty", "study scan-concurrency: ./empty: there is nothing to read: the directory holds no file"),
        (
            "./links",
            "study scan-concurrency: ./links: there is nothing to read: the directory holds 1 symbolic links, devices or the like, and no regular file",
        ),
        (
            "./file",
            "study scan-concurrency: ./file: cannot list the directory: Not a directory (os error 20); name the directory that holds the files",
        ),
        (
            "gs://bucket/x",
            "study scan-concurrency: target = \"gs://bucket/x\": only a path, file:///path and s3://bucket/prefix can be read",
        ),
        (
            "s3:///x",
            "study scan-concurrency: target = \"s3:///x\": the bucket is missing: s3://bucket/prefix",
        ),
        (
            "s3://AKIAXXXX:hush@host/x",
            "study scan-concurrency: target = \"s3://…@host/x\": credentials and addresses do not belong here: they come from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_ENDPOINT_URL)",
        ),
        (
            "2024",
            "study scan-concurrency: target = \"2024\": expected none, a path that begins with no digit (./ in front helps) or a URI",
        ),
    ] {
        let fix = format!("target={target}");
        let mut command =
            lab.syncline(&["run", "scan-concurrency", "--dir", "disk", "--out", "run", "--fix", &fix]);
        command.args(["--fix", "page_cache=normal"]);
        let output = text(&command.output().unwrap());
        assert!(!output.contains("hush"), "{output}");
        refuses(&lab, &mut command, 2, message);
    }
}
