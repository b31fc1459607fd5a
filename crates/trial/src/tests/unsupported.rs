//! What this machine, this file system or this build cannot do is a value with its reason. No trial falls back to
//! something else.

use super::{Stage, measured, run};
use crate::prepare::prepare;
use crate::refusal::Refusal;
use disk::kernel::mounts;
use model::mechanism::Measured;
use model::trial::{ServerSource, TrialSpec, WorkerReply};
use std::fmt::Debug;
use std::path::Path;

/// The reason why something is unsupported.
fn unsupported<T: Debug>(result: Result<T, Refusal>) -> String {
    match result {
        Err(Refusal::Unsupported(why)) => why,
        other => panic!("{other:?}"),
    }
}

/// A place in memory, which has no device; `None` if this machine has none, and the test is skipped.
fn in_memory() -> Option<Stage> {
    let place = Path::new("/dev/shm");
    let filesystem = mounts::mount_of(place).map(|mount| mount.filesystem).ok();
    if filesystem.as_deref() != Some("tmpfs") {
        skip::because("/dev/shm is not a tmpfs");
        return None;
    }
    Some(Stage::below(place))
}

#[test]
fn direct_io_in_memory_is_refused_with_the_place() {
    let Some(stage) = in_memory() else { return };
    let spec = stage.reads(&[("mode", "direct"), ("cache", "as_is")]);
    prepare(&spec).unwrap();
    let why = unsupported(run(&spec));
    assert!(why.starts_with(&format!("{}: ", stage.path().join("files/data-256KiB").display())), "{why}");
}

/// A trial in memory measures, and gives a reason in place of each figure of the device.
#[test]
fn the_counters_of_a_device_that_is_not_there_have_a_reason() {
    let Some(stage) = in_memory() else { return };
    let measurement = measured(&stage.reads(&[("cache", "as_is")]));
    let [phase] = measurement.phases.as_slice() else { panic!("{:?}", measurement.phases) };
    assert_eq!(phase.operations, 64);
    assert_eq!(phase.mechanism.device.reason(), Some("tmpfs is not on a block device of its own"));
    let of_device: Vec<_> = phase.metrics.iter().filter(|(name, _)| name.starts_with("device_")).collect();
    assert!(!of_device.is_empty());
    for (name, figure) in of_device {
        assert!(figure.reason().is_some_and(|why| !why.is_empty()), "{name}: {figure:?}");
    }
}

#[test]
fn blocks_that_the_device_cannot_take_directly_are_refused() {
    let stage = Stage::new();
    let spec = stage.reads(&[("mode", "direct"), ("bs", "1000B"), ("cache", "as_is")]);
    prepare(&spec).unwrap();
    let why = unsupported(run(&spec));
    let data = stage.path().join("files/data-256KiB");
    // The multiple is the disk's.
    assert!(why.starts_with(&format!("{}: direct I/O needs ", data.display())), "{why}");
}

fn on_postgresql(stage: &Stage, why: &str) -> TrialSpec {
    let mut spec = stage.spec("pool", &[("subject", "postgres")]);
    spec.server = Some(ServerSource::Absent(why.to_owned()));
    spec
}

/// A build without PostgreSQL and a machine that has none have different reasons.
#[test]
fn without_postgresql_the_reason_is_why_there_is_none() {
    let stage = Stage::new();
    let why = unsupported(prepare(&on_postgresql(&stage, "no server here")));
    #[cfg(feature = "postgresql")]
    assert_eq!(why, "no server here");
    #[cfg(not(feature = "postgresql"))]
    assert_eq!(why, crate::NO_POSTGRESQL);
}

#[test]
fn an_engine_that_the_program_was_not_built_with_is_refused() {
    let missing = engine::EngineKind::NAMES.iter().find(|name| !is_built(name));
    // A build with everything has none to refuse.
    let Some(name) = missing else { return };
    let stage = Stage::new();
    let spec = stage.spec("kv", &[("engine", name)]);
    prepare(&spec).unwrap();
    let why = unsupported(run(&spec));
    assert_eq!(
        why,
        format!(
            "the engine {name} is not built in: build with `make build WITH={name}` or `cargo build --features {name}`"
        )
    );
}

fn is_built(name: &str) -> bool {
    engine::EngineKind::from_name(name).is_some_and(|kind| kind.is_persistent().is_ok())
}

#[test]
fn a_refusal_becomes_the_reply_of_its_kind() {
    let why = "why".to_owned();
    assert_eq!(WorkerReply::from(Refusal::Failed(why.clone())), WorkerReply::Failed { why: why.clone() });
    assert_eq!(WorkerReply::from(Refusal::Unsupported(why.clone())), WorkerReply::Unsupported { why });
    let unknown: Measured<u64> = Measured::unsupported("why");
    assert_eq!(unknown.reason(), Some("why"));
}
