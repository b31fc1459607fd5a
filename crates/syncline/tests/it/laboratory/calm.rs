//! Takes out of a record what other programs did beside it: they are the tests beside this one, and no matter of it.

use serde_json::{Value, json};

/// Nobody else had the CPUs or the device, and nobody stopped the worker.
pub(crate) fn undisturbed(record: &mut Value) {
    record["pauses"] = json!([]);
    let phases = record.pointer_mut("/measurement/phases").and_then(Value::as_array_mut);
    for phase in phases.into_iter().flatten() {
        let mechanism = &mut phase["mechanism"];
        for seconds in [
            "/steal_s",
            "/run_queue_delay_s",
            "/pressure/cpu_some_s",
            "/cpu_contention/others_user_s",
            "/cpu_contention/quota/throttled_s",
            "/continuity/longest_gap_s",
        ] {
            if let Some(seconds) = mechanism.pointer_mut(seconds).filter(|seconds| seconds.is_number()) {
                *seconds = 0.0.into();
            }
        }
        for bytes in ["read_bytes", "written_bytes"] {
            let own = mechanism["process_io"][bytes].clone();
            if own.is_number() && mechanism["device"][bytes].is_number() {
                mechanism["device"][bytes] = own;
            }
        }
    }
}
