//! A trial fails with a reason, and has no figures, if it cannot run as requested, or if one operation fails or is
//! short.

use super::{Stage, run};
use crate::answer;
use crate::line::TurnChannel;
use crate::prepare::prepare;
use crate::refusal::Refusal;
use model::FORMAT_VERSION;
use model::trial::{WorkerReply, WorkerRequest};
use std::fs::{self, File};
use std::io;

/// The reason of a failure.
fn failed<T: std::fmt::Debug>(result: Result<T, Refusal>) -> String {
    match result {
        Err(Refusal::Failed(why)) => why,
        other => panic!("{other:?}"),
    }
}

/// A read beyond the end of a file is short. Counted as work done, it would be the fastest of all.
#[test]
fn a_short_read_fails_its_trial() {
    for engine in ["psync", "uring"] {
        let stage = Stage::new();
        let spec = stage.reads(&[("ioengine", engine)]);
        prepare(&spec).unwrap();
        let data = stage.path().join("files/data-256KiB");
        File::options().write(true).open(&data).unwrap().set_len(128 << 10).unwrap();
        let why = failed(run(&spec));
        let files = stage.path().join("files");
        assert!(why.starts_with(&format!("{}: read of 4096 bytes at offset ", files.display())), "{why}");
    }
}

#[test]
fn a_file_that_is_gone_fails_its_trial_with_its_name() {
    let stage = Stage::new();
    let spec = stage.reads(&[]);
    prepare(&spec).unwrap();
    let data = stage.path().join("files/data-256KiB");
    fs::remove_file(&data).unwrap();
    let why = failed(run(&spec));
    let gone = io::Error::from_raw_os_error(2);
    assert_eq!(why, format!("cannot open {}: {gone}; it must exist: check the path", data.display()));
}

#[test]
fn an_unknown_workload_fails_with_the_nearest_name() {
    let stage = Stage::new();
    let mut spec = stage.reads(&[]);
    spec.workload = "devise".to_owned();
    for why in [failed(prepare(&spec)), failed(run(&spec))] {
        assert_eq!(why, "unknown workload \"devise\"; did you mean \"device\"?");
    }
}

#[test]
fn a_configuration_that_lacks_a_parameter_fails_with_its_name() {
    let stage = Stage::new();
    let mut spec = stage.reads(&[]);
    spec.configuration.0.retain(|name, _| name != "iodepth");
    let why = failed(prepare(&spec));
    assert_eq!(why, "device: iodepth is missing: expected 1…4096");
}

/// A worker touches only what Syncline made: a directory of somebody else stays as it is.
#[test]
fn a_directory_without_the_mark_is_not_touched() {
    let stage = Stage::new();
    let foreign = stage.path().join("foreign");
    fs::create_dir_all(foreign.join("round-1")).unwrap();
    let mut spec = stage.reads(&[]);
    spec.work_directory.clone_from(&foreign);
    for why in [failed(prepare(&spec)), failed(run(&spec))] {
        let no_mark =
            "is not a work directory of Syncline, because it has no marker; Syncline touches nothing in it";
        assert_eq!(why, format!("{} {no_mark}", foreign.display()));
    }
    assert_eq!(super::only_entry(&foreign), foreign.join("round-1"));
}

#[test]
fn a_request_of_another_version_is_answered_with_both_versions() {
    let stage = Stage::new();
    let mut spec = stage.reads(&[]);
    spec.format_version = FORMAT_VERSION + 1;
    let line = TurnChannel::new(io::empty(), io::sink());
    for request in [WorkerRequest::Prepare(spec.clone()), WorkerRequest::Trial(spec)] {
        let WorkerReply::Failed { why } = answer(&request, &line) else { panic!("{request:?}") };
        let newer = FORMAT_VERSION + 1;
        assert_eq!(why, format!("the request has format version {newer}, this worker has {FORMAT_VERSION}"));
    }
    assert!(!stage.path().join("files").exists());
}
