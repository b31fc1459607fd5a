//! Logs of operations on objects: Syncline's own, sai3-bench's, warp's.

use model::object::OBJECT_BYTES_MAX;
use workload::object::log::{KEYS_MAX, OPERATIONS_MAX, Replay};
use workload::object::{Parameters, SCHEMA};

/// A log is refused in one line, or it is a load whose parameters the workload takes.
pub(super) fn log(bytes: &[u8]) {
    let replay = match Replay::read(bytes) {
        Ok(replay) => replay,
        Err(error) => {
            let message = error.to_string();
            assert!(!message.trim().is_empty() && !message.chars().any(char::is_control), "{message:?}");
            return;
        }
    };
    assert!((1..=OPERATIONS_MAX).contains(&replay.operations()));
    assert!((1..=u64::from(KEYS_MAX)).contains(&replay.objects()));
    assert!((1..=OBJECT_BYTES_MAX).contains(&replay.bytes_max()));
    assert!(replay.figures(2.0).values().all(|figure| figure.is_finite() && *figure > 0.0));
    let mut values = SCHEMA.defaults();
    replay.describe(&mut values);
    let parameters = Parameters::read(&values).expect("a log has levels that the workload takes");
    assert_eq!(parameters.objects, replay.objects());
}
